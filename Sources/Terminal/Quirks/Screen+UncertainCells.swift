/// Cells that unmeasured terminals treat in different ways: halves of wide characters, combining characters, erasing
/// that spares cells, and the end of a short row.
///
/// Each case has code that notes what is uncertain, and code that stops before it happens, since a cell under the HUD
/// that becomes unknown could not be restored.
extension Screen {
  // MARK: Halves of wide characters

  /// Whether writing or erasing cells of a row leaves an uncertain half of a wide character under the HUD or next to
  /// it.
  func cutsUncertainly(_ row: Int, _ from: Int, _ to: Int) -> Bool {
    let index = lineIndex(row)
    guard lines[index].hasWide, !hudRegion.isEmpty else { return false }
    let first = max(0, from - 1)
    let end = min(columns, to + 2)
    guard first < end,
      hudRegion.intersects(Rect(row: row, column: first, rows: 1, columns: end - first))
    else { return false }
    if from > 0, from < columns, cell(row: row, column: from).isRightHalf { return true }
    guard to > 0, to < columns else { return false }
    return cell(row: row, column: to).isRightHalf || mayBeLeftHalf(row, to - 1)
  }

  /// Whether a cell may be half of a wide character that has lost the other half.
  private func mayBeLeftHalf(_ row: Int, _ column: Int) -> Bool {
    let cell = cell(row: row, column: column)
    return cell.isUnknown && cell.characterSet == .other && !cell.isRightHalf
  }

  /// Notes that a wide character was cut: some terminals leave this half as it is, some blank it in one look or
  /// another.
  ///
  /// - Parameter isPrinting: whether the other half was overwritten, not erased. If so, overwriting this half changes
  ///   no other cell.
  mutating func noteHalf(_ index: Int, _ column: Int, isPrinting: Bool) {
    let place = lines[index].start + column
    if isPrinting {
      makeUnknown(row(of: index), column, column + 1)
      cells[place] = Cell(raw: cells[place].raw & ~Cell.Bits.halves | 1 << 21)
    } else if cells[place].isRightHalf {
      strand(place, index, column)
    } else {
      orphan(place, index, column)
    }
  }

  /// Notes the cell to the right of cells that are written or erased.
  mutating func noteRight(_ index: Int, _ column: Int, isPrinting: Bool) {
    let start = lines[index].start
    guard column > 0, column < Int(lines[index].used) else { return }
    if cells[start + column].isRightHalf {
      return noteHalf(index, column, isPrinting: isPrinting)
    }
    // Overwriting what may be the left half of a character may change the cell to its right.
    guard mayBeLeftHalf(row(of: index), column - 1) else { return }
    let isWide = cells[start + column].width == 2
    makeUnknown(row(of: index), column, column + 1)
    if isWide { orphan(start + column, index, column) }
    if isWide, column + 1 < columns { strand(start + column + 1, index, column + 1) }
  }

  /// Whether wrapping a wide character now makes the look of the last column unknown: rxvt-unicode lets the previous
  /// character extend into it until that is written again.
  func wrapsEarlyUncertainly(_ width: Int) -> Bool {
    width == 2 && isUnknownTerminal && !options.quirks.contains(.joinsBefore)
      && !isWrapPending
      && column + 2 > region.lineEnd(from: column)
  }

  /// The cells before the cursor that become unknown in this case.
  var earlyWrapPlace: Rect { Rect(row: row, column: max(0, column - 2), rows: 1, columns: 3) }

  // MARK: What combines

  /// Whether terminals differ in what a character without a column would do now: most add it to the character before
  /// the cursor, some write it over the cell at the cursor (st), and for a wide character they may use either half.
  var combinesUncertainly: Bool {
    guard isUnknownTerminal else { return false }
    guard options.quirks.contains(.joinsBefore) else { return true }
    let target = isWrapPending ? column : column - 1
    guard target >= 0 else { return true }
    let cell = cell(row: row, column: target)
    return cell.isContinuation || cell.width == 2
  }

  /// Whether a character without a column may change covered cells in an unknown way, or wrap.
  var accentWouldMove: Bool {
    if isWrapPending, !modes.contains(.autowrap) || combinesUncertainly { return true }
    guard combinesUncertainly else { return false }
    let first = max(0, column - 2)
    let end = min(columns, column + 3)
    return hudRegion.intersects(Rect(row: row, column: first, rows: 1, columns: end - first))
  }

  /// Notes that a character without a column has come.
  ///
  /// - Parameter target: the column of the character before the cursor.
  mutating func noteUncertainAccent(_ target: Int, _ scalar: UInt32) {
    let index = lineIndex(row)
    materialize(index)
    let end = min(columns, column + 2)
    let isCut = end < columns && cells[lines[index].start + end].isRightHalf
    makeUnknown(row, target, end)
    if isCut { strand(lines[index].start + end, index, end) }
    printed.makeUnknown()
    if Screen.changesWidth(scalar) {
      makeUnknown(row, target, columns)
      loseColumn(by: 1)
    }
    guard isWrapPending, modes.contains(.autowrap) else { return }
    // Some terminals wrap to the next line for it.
    if row == region.bottom {
      loseRows()
      if !scrollsLines { makeAllUnknown() }
    } else if row + 1 < rows {
      makeUnknown(row + 1, 0, columns)
    }
    loseCursor()
  }

  // MARK: Erasing

  /// Notes DECSED or DECSEL, which some terminals do not know.
  mutating func noteSelectiveErase(_ final: UInt8) {
    guard let range = selectiveRows(final) else { return }
    for row in range { makeLineUnknown(row) }
    if isWrapPending { makeWrapUncertain() }
  }

  /// The rows that DECSED or DECSEL may change.
  private func selectiveRows(_ final: UInt8) -> Range<Int>? {
    let what = parser.value(0)
    guard what <= 2 else { return nil }
    if !isCursorKnown || what == 2 && final == UInt8(ascii: "J") { return 0..<rows }
    if final == UInt8(ascii: "K") { return row..<row + 1 }
    return what == 0 ? row..<rows : 0..<row + 1
  }

  func selectiveStop(_ final: UInt8) -> ScreenStop.Reason? {
    guard final == UInt8(ascii: "J") || final == UInt8(ascii: "K") else { return nil }
    guard let range = selectiveRows(final) else { return nil }
    let place = Rect(row: range.lowerBound, column: 0, rows: range.count, columns: columns)
    return hudRegion.intersects(place) || isWrapPending ? .willMoveCovered : nil
  }

  /// The start of the blanks before the cursor that were never written, in a row that ED 0 colors: VTE may color them
  /// too, depending on how it has stored the row.
  private var shortRowStart: Int? {
    guard pen.style.background != .standard, column > 0 else { return nil }
    var first = column
    while first > 0, cell(row: row, column: first - 1).isErased { first -= 1 }
    return first < column ? first : nil
  }

  /// Notes the uncertain cells of ED 0.
  mutating func noteShortRow() {
    if let first = shortRowStart { makeUnknown(row, first, column) }
  }

  private var shortRowStop: ScreenStop.Reason? {
    guard shortRowStart != nil else { return nil }
    return hudRegion.intersects(Rect(row: row, column: 0, rows: 1, columns: columns))
      ? .willMoveCovered : nil
  }

  /// Notes the uncertain cells of ICH: if the pen has a background, some terminals color the blanks, and konsole leaves
  /// them in the default color.
  mutating func noteInsertedBlanks(_ count: Int) {
    guard pen.style.background != .standard else { return }
    makeUnknown(row, column, min(columns, column + count))
  }

  /// The cell that scrolling adds: uncertain if the pen has a background.
  var blankOfScroll: Cell { pen.style.background == .standard ? blankHere : .unknown }

  // MARK: Stops

  /// The reason to stop before a control sequence without prefix and intermediates.
  func uncertaintyStop(_ final: UInt8) -> ScreenStop.Reason? {
    if final == UInt8(ascii: "b"), hudRegion.stopsAtEarlierRepeat, mayRepeatInjected,
      !printed.isRepeatable || !options.quirks.contains(.repeats)
    {
      return .willRepeatEarlier
    }
    guard !hudRegion.isEmpty else { return nil }
    if leadsToUncertainty(final) { return .willBecomeUnrestorable }
    switch final {
    case UInt8(ascii: "J"), UInt8(ascii: "K"), UInt8(ascii: "X"):
      // Some terminals do not know SPA.
      if respectsProtection(false) { return .willMoveCovered }
      if final == UInt8(ascii: "J"), parser.value(0) == 0, let reason = shortRowStop {
        return reason
      }
      return erasureCuts(final) ? .willMoveCovered : nil
    case UInt8(ascii: "@"), UInt8(ascii: "P"):
      return cutsUncertainly(row, column, columns) ? .willMoveCovered : nil
    default: return nil
    }
  }

  /// Whether an erasure leaves an uncertain half of a wide character under the HUD.
  private func erasureCuts(_ final: UInt8) -> Bool {
    let what = final == UInt8(ascii: "X") ? 0 : parser.value(0)
    switch what {
    case 0:
      let count = final == UInt8(ascii: "X") ? parser.value(0, or: 1) : columns
      return cutsUncertainly(row, column, min(columns, column + count))
    case 1: return cutsUncertainly(row, 0, column + 1)
    default: return false
    }
  }

  /// Whether EL needs a closer look.
  var needsThought: Bool {
    isWrapPending || protection == .always || (feeding.hasStops && lines[lineIndex(row)].hasWide)
  }

  // MARK: REP

  /// Whether REP may repeat what was injected.
  var mayRepeatInjected: Bool { isUnknownTerminal && printed.isReplaced }
}
