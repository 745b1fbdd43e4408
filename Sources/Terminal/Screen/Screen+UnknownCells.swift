/// What is not known about the terminal, and how it becomes known again.
extension Screen {
  /// Makes cells unknown, and marks them as changed.
  package mutating func markUnknown(_ rectangle: Rect) {
    let part = rectangle.intersection(Rect(size))
    for row in part.row..<part.endRow { makeUnknown(row, part.column, part.endColumn) }
  }

  /// Makes both screens and the cursor unknown, after a stop of the job, or after a resize that the terminal has
  /// handled in its own way.
  package mutating func forgetEverything() {
    forgetScreens(.unseen)
    certainty.isCursorKnown = false
    updateFastPath()
  }

  /// Fills all lines of both screens with an unknown cell.
  mutating func forgetScreens(_ blank: Cell) {
    for index in 0..<lines.count { forgetLine(index, blank) }
    lines.setScrolled(0)
    past = PastLines(startsUnknown: true)
    suspended = nil
    for row in 0..<rows { noteChange(row, 0, columns) }
  }

  private mutating func forgetLine(_ index: Int, _ blank: Cell) {
    lines[index].used = 0
    lines[index].bound = 0
    lines[index].blank = blank
    lines[index].hasWide = false
    lines[index].mayGoOn = true
    lines[index].goesOn = false
  }

  /// Sets the cursor to the position that the terminal reports (CPR), in cells from the top left corner.
  ///
  /// - Parameter isWrapPending: whether it is past the last column, which CPR does not report.
  package mutating func setCursor(_ place: Point, isWrapPending: Bool = false) {
    row = min(max(place.row, 0), rows - 1)
    column = min(max(place.column, 0), columns - 1)
    self.isWrapPending = isWrapPending && column == columns - 1
    certainty.settleCursor()
    updateFastPath()
  }

  /// Handles a window that has become taller and shows lines from the terminal's history again: all rows have moved
  /// down by as many, and the content of these lines is unknown.
  ///
  /// - Parameter cursor: the new position that the terminal reports (CPR).
  mutating func takeBackLines(_ count: Int, cursor: Point) {
    let wasPending = isWrapPending
    setCursor(cursor, isWrapPending: wasPending)
    guard count > 0 else { return }
    scroll(0, rows - 1, up: -count)
    for row in 0..<min(count, rows) {
      let index = lineIndex(row)
      lines[index].blank = .unseen
      lines[index].mayGoOn = true
    }
  }

  mutating func makeUnknown(_ row: Int, _ from: Int, _ to: Int) {
    let index = lineIndex(row)
    if rewraps { lines[index].bound = Int32(max(writtenEnd(index), to)) }
    materialize(index)
    let start = lines[index].start
    for column in from..<to { cells[start + column] = cells[start + column].unknown }
    noteChange(row, from, to)
  }

  /// Makes the shown screen unknown, but only once: output at an unknown position may be anywhere.
  mutating func makeAllUnknown() {
    guard !certainty.isAllUnknown else { return }
    for row in 0..<rows { makeLineUnknown(row) }
    certainty.isAllUnknown = true
  }

  /// Makes a whole line unknown.
  mutating func makeLineUnknown(_ row: Int) {
    let index = lineIndex(row)
    forgetLine(index, .unknown)
    // xterm may find halves if it shifts such a line.
    lines[index].hasWide = options.quirks.contains(.isXterm)
    noteChange(row, 0, columns)
  }

  /// DECERA, DECSERA, DECFRA, DECCRA, DECCARA and DECRARA are not modeled: makes the rows unknown that one of them may
  /// change.
  ///
  /// Source: the DEC VT420 manual; XTerm Control Sequences.
  mutating func forgetRectangle(_ final: UInt8) {
    guard !options.quirks.contains(.noRectangles) else { return }
    var first = parser.value(0, or: 1)
    var last = parser.value(2, or: rows)
    switch final {
    case UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "z"), UInt8(ascii: "{"): break
    case UInt8(ascii: "x"):
      first = parser.value(1, or: 1)
      last = parser.value(3, or: rows)
    case UInt8(ascii: "v"):
      let count = last - first + 1
      first = parser.value(5, or: 1)
      last = first + count - 1
    default: return
    }
    if !isCursorKnown || hasDoubleSizeLines || modes.contains(.origin) {
      first = 1
      last = rows
    }
    guard first <= min(last, rows) else { return }
    for row in first - 1..<min(last, rows) { makeLineUnknown(row) }
  }
}
