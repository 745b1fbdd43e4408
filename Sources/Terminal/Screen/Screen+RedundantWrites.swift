/// Counting of what is written although it was there: the sign of a wasteful redraw.
///
/// What is written is compared with the last picture, that is, with what the user saw before the frame,
/// and not with what was erased meanwhile: a program that clears its screen and writes the same again
/// rewrites all of it. The picture is kept line by line like the cells, so that it scrolls with them.
extension Screen {
  /// Switches the counting on or off; what is there now is the last picture then.
  ///
  /// Off it costs a branch for each run of text. On it takes as much memory again as the cells.
  mutating func countRedundantWrites(_ isOn: Bool) {
    guard isOn != frames.redundant.isOn else { return }
    frames.redundant.isOn = isOn
    if isOn {
      keepPicture()
    } else {
      frames.redundant.picture = UncheckedBuffer(zeroed: 0)
    }
  }

  /// A frame has ended: what the screen shows now is what the next one is compared with.
  mutating func keepPicture() {
    guard frames.redundant.isOn else { return }
    if frames.redundant.picture.count != rows * columns * 2 {
      frames.redundant.picture = UncheckedBuffer(repeating: .unknown, count: rows * columns * 2)
    }
    for row in 0..<rows {
      let line = lines[lineIndex(row)]
      let used = Int(line.used)
      frames.redundant.picture.copy(from: cells, line.start, to: line.start, used)
      frames.redundant.picture.fill(line.start + used, columns - used, with: line.blank)
    }
  }

  /// The last picture had nothing to do with a line that is new, or with any if the screen is another.
  @inline(never) mutating func forgetPicture(line index: Int) {
    frames.redundant.picture.fill(lines[index].start, columns, with: lines[index].blank)
  }

  mutating func forgetPicture() {
    frames.redundant.picture.fill(0, frames.redundant.picture.count, with: .unknown)
  }

  /// Counts cells of a line that were just written; with a negative sign takes that back.
  @inline(never) mutating func noteWritten(_ index: Int, _ from: Int, _ to: Int, _ sign: Int = 1) {
    let start = lines[index].start
    var count = 0
    var isSame = false
    for place in start + from..<start + to {
      // The right half of a wide character is as its left half.
      if !cells[place].isContinuation {
        isSame = showsSame(cells[place], frames.redundant.picture[place])
      }
      if isSame { count += 1 }
    }
    frames.redundant.counts.written += sign * (to - from)
    frames.redundant.counts.unchanged += sign * count
  }

  /// Whether two cells look the same; of an unknown one that is never said.
  private func showsSame(_ cell: Cell, _ before: Cell) -> Bool {
    guard (cell.raw | before.raw) & Cell.Bits.unknown == 0 else { return false }
    let unseen = Cell.Bits.erased | Cell.Bits.protected
    let difference = (cell.raw ^ before.raw) & ~unseen
    if difference == 0 { return true }
    // Two blanks, of which only the style differs.
    guard difference & ~(0xFFFF << 32) == 0, cell.raw & 0xFFFF_FFFF & ~unseen == Cell.Bits.space
    else { return false }
    return style(cell.style).showsBlank(like: style(before.style))
  }
}

/// How many cells a program has written, and how many of them showed the same before.
package struct RedundantWrites: BitwiseCopyable, Equatable, Sendable {
  /// Cells that text was written to, each as often as that happened.
  package internal(set) var written = 0
  /// Those of them that the last picture showed alike.
  package internal(set) var unchanged = 0

  package init() {}
}

/// Compares what is written with the last picture; see `Screen+RedundantWrites`.
struct RedundantWriteCounter: ~Copyable {
  var isOn = false
  /// The last picture, each line where its cells are; empty while nothing is counted.
  var picture = UncheckedBuffer<Cell>(zeroed: 0)
  var counts = RedundantWrites()
}

/// What is watched of the program's frames, while that is wanted.
struct FrameWatch: ~Copyable {
  /// What each frame changes.
  var answers = AnswerWatch()
  var redundant = RedundantWriteCounter()
}
