/// What is known about the lines above the primary screen.
struct PastLines: BitwiseCopyable {
  /// The number of scrolled-off lines that do not come back, because the screen was cleared since. Negative if more
  /// lines come back than have scrolled off since the start.
  var kept = 0
  /// Whether there may be unknown lines above the known ones.
  var mayHaveMore: Bool
  /// Whether these may come back when the screen gets taller.
  var mayTakeMore: Bool

  init(startsUnknown: Bool) {
    mayHaveMore = startsUnknown
    mayTakeMore = startsUnknown
  }
}

/// The lines that have left the screen, on terminals that show them again.
extension Screen {
  /// Scrolls the rows up to `last` by `count`; the first ones go into the history.
  mutating func pushLines(_ last: Int, _ count: Int) {
    for _ in 0..<count {
      if hasHidden { scrollUpWithHidden() } else { lines.scrollUp() }
      if last < rows - 1 { lines.rotate(last, rows - 1, up: rows - 1 - last) }
      clearLine(last)
    }
    let low = max(0, damage.rows.lowerBound)
    for row in low..<max(low, min(last + 1, damage.rows.upperBound)) { noteChange(row, 0, columns) }
  }

  /// Notes that lines went into the history from the middle of the screen, which the model does not include there.
  mutating func noteRemovedLines() {
    lines.setScrolled(0)
    past = PastLines(startsUnknown: true)
  }

  /// Before the whole screen is erased, tmux puts its lines into the history. They do not come back from there.
  mutating func pushScreen() {
    guard options.quirks.contains(.rewrapsLines), !isAlternate, isCursorKnown else { return }
    var end = rows
    while end > 0, lines[lineIndex(end - 1)].used == 0 { end -= 1 }
    let seen = pictureRows()
    for _ in 0..<end {
      lines.scrollUp()
      clearLine(rows - 1)
    }
    setPictureRows(seen)
    past.kept = lines.scrolled
    past.mayTakeMore = false
  }

  /// Handles a screen that scrolls off together with further lines that are not printed: only later lines are known.
  mutating func forgetLinesAbove() {
    guard lines.historyLimit > 0, !isAlternate else { return }
    lines.setScrolled(-rows)
    past = PastLines(startsUnknown: true)
  }

  /// Notes that the history was cleared.
  mutating func forgetHistory() {
    lines.setScrolled(0)
    past = PastLines(startsUnknown: false)
  }

  /// Erases part of a row on a terminal that remembers how far the row was ever written. Only erasing the whole row
  /// resets that.
  mutating func eraseInLength(_ row: Int, _ from: Int, _ to: Int, with blank: Cell) {
    let index = lineIndex(row)
    if from == 0, to == columns {
      lines[index].used = 0
      lines[index].reach = 0
      lines[index].bound = 0
      lines[index].blank = blank
      lines[index].hasWide = false
      lines[index].goesOn = false
      if row > 0 {
        lines[lineIndex(row - 1)].goesOn = false
      } else if !isAlternate, lines.historyCount > 0 {
        lines[lines.historyIndex(1)].goesOn = false
      }
      return
    }
    if to == columns, blank == .erased() { forgetBlanks(index, after: from) }
    let end = lines[index].blank == blank ? min(to, Int(lines[index].used)) : to
    guard from < end else { return }
    cells.fill(lines[prepare(row, from, end)].start &+ from, end &- from, with: blank)
  }

  /// Makes room for lines above the screen, once the terminal turns out to show them again.
  mutating func keepHistory() {
    let limit = Screen.historyLimit(options.quirks)
    guard limit != lines.historyLimit else { return }
    let freshCells = UncheckedBuffer<Cell>(zeroed: Screen.cellCount(size, limit))
    var fresh = LineRing(size, historyLimit: limit, mayGoOn: true, blank: .unseen)
    for isAlternate in [false, true] {
      for row in 0..<rows {
        let place = fresh.index(of: row, isAlternate: isAlternate)
        var line = lines[lines.index(of: row, isAlternate: isAlternate)]
        let start = fresh[place].start
        freshCells.copy(from: cells, line.start, to: start, Int(line.used))
        line.start = start
        fresh[place] = line
      }
    }
    cells = freshCells
    makeHidden(false)
    if isAlternate { fresh.switchScreens() }
    lines = fresh
    keepPicture()
  }
}
