/// Counts cells that are written although they already looked the same: the sign of a wasteful redraw.
///
/// Writes are compared with the last picture, that is, with what the user saw before the frame, regardless of erasures
/// meanwhile: if a program clears its screen and writes the same again, all of it counts as redundant. The picture is
/// stored line by line like the cells, so it scrolls with them.
extension Screen {
  /// Switches the counting on or off. The current content becomes the last picture.
  ///
  /// Off, it costs a branch for each run of text. On, it needs as much memory as the cells.
  mutating func countRedundantWrites(_ isOn: Bool) {
    guard isOn != frames.redundant.isOn else { return }
    frames.redundant.isOn = isOn
    if isOn {
      keepPicture()
    } else {
      frames.redundant.picture = UncheckedBuffer(zeroed: 0)
    }
  }

  /// Keeps what the screen shows at the end of a frame, to compare the next frame with it.
  mutating func keepPicture() {
    guard frames.redundant.isOn else { return }
    let count = lines.count * columns
    if frames.redundant.picture.count != count {
      frames.redundant.picture = UncheckedBuffer(repeating: .unknown, count: count)
    }
    for row in 0..<rows {
      let line = lines[lineIndex(row)]
      let used = Int(line.used)
      frames.redundant.picture.copy(from: cells, line.start, to: line.start, used)
      frames.redundant.picture.fill(line.start + used, columns - used, with: line.blank)
    }
  }

  /// Forgets the last picture of a new line, or of all lines if the other screen is shown.
  @inline(never) mutating func forgetPicture(line index: Int) {
    frames.redundant.picture.fill(lines[index].start, columns, with: lines[index].blank)
  }

  mutating func forgetPicture() {
    frames.redundant.picture.fill(0, frames.redundant.picture.count, with: .unknown)
  }

  /// The last picture, row by row; empty while nothing is counted.
  func pictureRows() -> [Cell] {
    guard frames.redundant.isOn else { return [] }
    var found: [Cell] = []
    found.reserveCapacity(rows * columns)
    for row in 0..<rows {
      let start = lines[lineIndex(row)].start
      for place in start..<start + columns { found.append(frames.redundant.picture[place]) }
    }
    return found
  }

  /// Keeps the last picture in its rows although they contain other lines now: for the user nothing has scrolled.
  mutating func setPictureRows(_ cells: [Cell]) {
    guard cells.count == rows * columns else { return }
    for row in 0..<rows {
      let start = lines[lineIndex(row)].start
      for column in 0..<columns {
        frames.redundant.picture[start + column] = cells[row * columns + column]
      }
    }
  }

  /// Counts cells of a line that were just written; a negative sign takes them back.
  @inline(never) mutating func noteWritten(_ index: Int, _ from: Int, _ to: Int, _ sign: Int = 1) {
    let start = lines[index].start
    var count = 0
    var isSame = false
    for place in start + from..<start + to {
      // The right half of a wide character counts like its left half.
      if !cells[place].isContinuation {
        isSame = showsSame(cells[place], frames.redundant.picture[place])
      }
      if isSame { count += 1 }
    }
    frames.redundant.counts.written += sign * (to - from)
    frames.redundant.counts.unchanged += sign * count
  }

  /// Whether two cells look the same; false if one of them is unknown.
  private func showsSame(_ cell: Cell, _ before: Cell) -> Bool {
    guard (cell.raw | before.raw) & Cell.Bits.unknown == 0 else { return false }
    let unseen = Cell.Bits.erased | Cell.Bits.protected
    let difference = (cell.raw ^ before.raw) & ~unseen
    if difference == 0 { return true }
    // Two blanks that differ only in style.
    guard difference & ~(0xFFFF << 32) == 0, cell.raw & 0xFFFF_FFFF & ~unseen == Cell.Bits.space
    else { return false }
    return style(cell.style).showsBlank(like: style(before.style))
  }
}

/// How many cells a program has written, and how many of them looked the same before.
package struct RedundantWrites: BitwiseCopyable, Equatable, Sendable {
  /// The number of writes to cells.
  package internal(set) var written = 0
  /// How many of these did not change what the last picture showed.
  package internal(set) var unchanged = 0

  package init() {}
}

/// Compares writes with the last picture; see `Screen+RedundantWrites`.
struct RedundantWriteCounter: ~Copyable {
  var isOn = false
  /// The last picture, in which each line is where its cells are; empty while nothing is counted.
  var picture = UncheckedBuffer<Cell>(zeroed: 0)
  var counts = RedundantWrites()
}

/// What is observed about the program's frames, on request.
struct FrameWatch: ~Copyable {
  /// What each frame changes.
  var answers = AnswerFinder()
  var redundant = RedundantWriteCounter()
}
