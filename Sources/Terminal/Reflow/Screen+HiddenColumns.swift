/// What xterm keeps of its lines to the right of the screen.
///
/// It allots columns in fours. When a window gets narrower, up to three columns stay in each line, and show again when
/// it gets wider. Only a change of size changes them: whatever is written or erased reaches no further than the screen.
///
/// Source: xterm 379, `AlignValue` in screen.c.
extension Screen {
  /// The greatest number of columns to the right of the screen.
  static let hiddenLimit = 3

  /// The number of columns of a line, those to the right of the screen included.
  static func allotted(_ columns: Int) -> Int { (columns + hiddenLimit) & ~hiddenLimit }

  /// Whether anything is to the right of the screen.
  var hasHidden: Bool {
    @inline(__always) get { hidden.count > 0 }
  }

  /// Where the hidden cells of a line are.
  private func hiddenPlace(_ line: LineRing.Line) -> Int {
    line.start / columns * Screen.hiddenLimit
  }

  /// The cells of a line to the right of the screen, without blanks at their end.
  func hiddenCells(_ line: LineRing.Line) -> [Cell] {
    guard hasHidden else { return [] }
    let first = hiddenPlace(line)
    var result: [Cell] = []
    for place in first..<first + Screen.hiddenLimit { result.append(hidden[place]) }
    while let last = result.last, last == Cell.erased() { result.removeLast() }
    return result
  }

  /// Makes room for hidden cells, of which there are none yet.
  mutating func makeHidden(_ isNeeded: Bool) {
    let count = isNeeded ? lines.count * Screen.hiddenLimit : 0
    hidden = UncheckedBuffer(repeating: .erased(), count: count)
  }

  /// Takes over what is to the right of the primary screen, which is shown, and of `known` lines above it.
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

  /// Scrolls the whole screen. xterm takes the line that leaves for the one that comes in, and clears it as far as the
  /// screen reaches.
  @inline(never) mutating func scrollUpWithHidden() {
    let leaving = hiddenPlace(lines[lineIndex(0)])
    lines.scrollUp()
    hidden.move(from: leaving, to: hiddenPlace(lines[lineIndex(rows - 1)]), Screen.hiddenLimit)
  }
}

extension ReflowGrid.Line {
  /// Puts a wide character back into its columns, the first of which is shown.
  mutating func showHalf(at column: Int) {
    guard cells[column].isUnknown, cells[column + 1].width == 2 else { return }
    // Else it is in the hidden columns as a whole.
    guard column + 2 == cells.count || !cells[column + 2].isContinuation else { return }
    cells[column] = cells[column + 1]
    cells[column + 1] = .continuation(style: cells[column].style)
  }
}
