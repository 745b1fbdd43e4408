/// The columns to the right of the screen, which xterm keeps.
///
/// xterm allocates columns in multiples of four. When a window gets narrower, up to three columns stay in each line and
/// show again when it gets wider. Only a change of size affects them: writing and erasing do not reach beyond the
/// screen.
///
/// Source: xterm 379, `AlignValue` in screen.c.
extension Screen {
  /// The greatest number of columns to the right of the screen.
  static let hiddenLimit = 3

  /// The number of columns of a line, including those to the right of the screen.
  static func allotted(_ columns: Int) -> Int { (columns + hiddenLimit) & ~hiddenLimit }

  /// Whether anything is to the right of the screen.
  var hasHidden: Bool {
    @inline(__always) get { hidden.count > 0 }
  }

  /// Where the hidden cells of a line begin.
  private func hiddenPlace(_ line: LineRing.Line) -> Int {
    line.start / columns * Screen.hiddenLimit
  }

  /// The cells of a line to the right of the screen, without trailing blanks.
  func hiddenCells(_ line: LineRing.Line) -> [Cell] {
    guard hasHidden else { return [] }
    let first = hiddenPlace(line)
    var result: [Cell] = []
    for place in first..<first + Screen.hiddenLimit { result.append(hidden[place]) }
    while let last = result.last, last == Cell.erased() { result.removeLast() }
    return result
  }

  /// Makes room for hidden cells, all of them blank.
  mutating func makeHidden(_ isNeeded: Bool) {
    let count = isNeeded ? lines.count * Screen.hiddenLimit : 0
    hidden = UncheckedBuffer(repeating: .erased(), count: count)
  }

  /// Takes the hidden columns of the shown primary screen, and of `known` lines above it, from a grid.
  mutating func hideColumns(of grid: ReflowGrid, known: Int) {
    let all = grid.lines.suffix(known + rows)
    let shown = columns
    let isNeeded = all.contains { $0.cells.count > shown }
    makeHidden(isNeeded && !grid.rewraps)
    guard hasHidden else { return }
    for (place, line) in all.enumerated() {
      let index = place < known ? lines.historyIndex(known - place) : lineIndex(place - known)
      let first = hiddenPlace(lines[index])
      for (number, cell) in line.cells.dropFirst(columns).prefix(Screen.hiddenLimit).enumerated() {
        hidden[first + number] = cell
      }
    }
  }

  /// Scrolls the whole screen. xterm reuses the line that leaves for the one that comes in, and clears only its visible
  /// part.
  @inline(never) mutating func scrollUpWithHidden() {
    let leaving = hiddenPlace(lines[lineIndex(0)])
    lines.scrollUp()
    hidden.move(from: leaving, to: hiddenPlace(lines[lineIndex(rows - 1)]), Screen.hiddenLimit)
  }
}

extension ReflowGrid.Line {
  /// Restores a wide character of which only the first column is visible.
  mutating func showHalf(at column: Int) {
    guard cells[column].isUnknown, cells[column + 1].width == 2 else { return }
    // Otherwise the whole character is in the hidden columns.
    guard column + 2 == cells.count || !cells[column + 2].isContinuation else { return }
    cells[column] = cells[column + 1]
    cells[column + 1] = .continuation(style: cells[column].style)
  }
}
