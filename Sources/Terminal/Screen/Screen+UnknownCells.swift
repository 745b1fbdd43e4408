/// What of the terminal is not known, and how it becomes known again.
extension Screen {
  /// Makes cells unknown, and notes them as changed.
  package mutating func markUnknown(_ rectangle: Rect) {
    let part = rectangle.intersection(Rect(size))
    for row in part.row..<part.endRow { makeUnknown(row, part.column, part.endColumn) }
  }

  /// Nothing of both screens is known any more, nor the cursor: after a stop of the job, or a resize
  /// that the terminal has answered in its own way.
  package mutating func forgetEverything() {
    forgetScreens(.unseen)
    certainty.isCursorKnown = false
    updateFastPath()
  }

  /// All lines of both screens consist of a cell that is not known.
  mutating func forgetScreens(_ blank: Cell) {
    for index in 0..<lines.count { forgetLine(index, blank) }
    for row in 0..<rows { noteChange(row, 0, columns) }
  }

  private mutating func forgetLine(_ index: Int, _ blank: Cell) {
    lines[index].used = 0
    lines[index].blank = blank
    lines[index].hasWide = false
    lines[index].mayGoOn = true
  }

  /// The cursor is where the terminal says (CPR), in cells from the top left corner.
  ///
  /// - Parameter isWrapPending: whether it is past the last column, which CPR does not say.
  package mutating func setCursor(_ place: Point, isWrapPending: Bool = false) {
    row = min(max(place.row, 0), rows - 1)
    column = min(max(place.column, 0), columns - 1)
    self.isWrapPending = isWrapPending && column == columns - 1
    certainty.settleCursor()
    updateFastPath()
  }

  /// A window that has become taller shows lines out of the terminal's history again, and all rows have
  /// moved down by as many; what these lines say is not known.
  ///
  /// - Parameter cursor: where the terminal says that it is now (CPR).
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
    materialize(index)
    let start = lines[index].start
    for column in from..<to { cells[start + column] = cells[start + column].unknown }
    noteChange(row, from, to)
  }

  /// The shown screen, once: what is written at an unknown place may be anywhere.
  mutating func makeAllUnknown() {
    guard !certainty.isAllUnknown else { return }
    for row in 0..<rows { makeLineUnknown(row) }
    certainty.isAllUnknown = true
  }

  /// A whole line becomes unknown.
  mutating func makeLineUnknown(_ row: Int) {
    let index = lineIndex(row)
    forgetLine(index, .unknown)
    // Where xterm shifts such a line it may find halves.
    lines[index].hasWide = options.quirks.contains(.cutsAsXterm)
    noteChange(row, 0, columns)
  }

  /// DECERA, DECSERA, DECFRA, DECCRA, DECCARA and DECRARA are not modelled: the rows that one of them may
  /// change become unknown.
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
