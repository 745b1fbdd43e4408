/// The decisions to stop, each made before anything is changed. An unnecessary stop costs one erase and paint of the
/// HUD; a missing one leaves its cells somewhere else. When in doubt, stop.
extension Screen {
  // MARK: Characters

  /// Whether scrolling the region moves covered cells.
  private var scrollWouldMove: Bool { !hudRegion.isEmpty && hudRegion.intersects(margins) }

  /// Whether moving down a line would scroll covered cells.
  private var indexWouldMove: Bool {
    guard !hudRegion.isEmpty else { return false }
    guard isCursorKnown else { return true }
    return row == region.bottom && region.containsColumn(column) && scrollWouldMove
  }

  /// Whether the pending wrap would scroll covered cells.
  func wrapWouldMove() -> Bool { indexWouldMove }

  /// Whether a character would scroll or push covered cells.
  func characterWouldMove(_ scalar: UInt32) -> Bool {
    guard !hudRegion.isEmpty else { return false }
    guard isCursorKnown else { return true }
    if leavesColumnsUncertain(scalar) { return true }
    let width = Unicode.Scalar(scalar).map { CharacterWidth.of($0) } ?? 1
    guard width > 0 else { return isUnknownTerminal && accentWouldMove }
    // See `noteHidden`.
    if width == 2, hidesText { return true }
    return cellsWouldMove(width)
  }

  /// Whether the columns after a character become uncertain, so that the HUD could not be erased.
  private func leavesColumnsUncertain(_ scalar: UInt32) -> Bool {
    if feeding.singleShift != 0 { return true }
    if scalar < 0x80 { return scalar == 0x5F && characterSets.current == .specialGraphics }
    if characterSets[characterSets.right] != .ascii { return true }
    if options.quirks.contains(.widthsAddUp) { return false }
    switch scalar {
    case 0x80..<0xA0: return isUnknownTerminal
    case 0x1F1E6...0x1F1FF, 0x1F3FB...0x1F3FF: return true
    default: return Screen.changesWidth(scalar)
    }
  }

  private func cellsWouldMove(_ width: Int) -> Bool {
    let limit = region.lineEnd(from: column)
    let wraps = modes.contains(.autowrap) && (isWrapPending || column + width > limit)
    if wraps, wrapWouldMove() { return true }
    // The wrap would be pending on an unknown cell.
    if characterSets.current == .other, column + width >= limit { return true }
    if isUnknownTerminal, endsUncertain(width, limit) || (wraps && mayStayInLine) { return true }
    // After a wrap this is the next line, from the left margin on.
    let target = wraps ? min(row + 1, rows - 1) : row
    let first = wraps ? region.left : column
    if isUnknownTerminal, cutsUncertainly(target, first, first + width) { return true }
    if wrapsEarlyUncertainly(width), hudRegion.intersects(earlyWrapPlace) { return true }
    return modes.contains(.insert) && shiftWouldMove(target, from: first)
  }

  /// Whether printing a character without autowrap leads to a state that could not be restored.
  private func endsUncertain(_ width: Int, _ limit: Int) -> Bool {
    guard !modes.contains(.autowrap) else { return false }
    return width == 2 && column + width > limit
  }

  /// Whether shifting the rest of a row moves covered cells.
  private func shiftWouldMove(_ row: Int, from column: Int) -> Bool {
    guard !hudRegion.isEmpty else { return false }
    return hudRegion.intersects(Rect(row: row, column: column, rows: 1, columns: columns - column))
  }

  /// The reason to stop before a question, if the caller wants that.
  var query: ScreenStop.Reason? { hudRegion.stopsAtQueries ? .willQueryState : nil }

  /// The reason to stop before something that leads to a state that could not be restored.
  func unrestorable(_ isSo: Bool) -> ScreenStop.Reason? {
    isSo && !hudRegion.isEmpty ? .willBecomeUnrestorable : nil
  }

  // MARK: C0

  func controlStop(_ byte: UInt8) -> ScreenStop.Reason? {
    switch byte {
    case 0x0A, 0x0B, 0x0C:
      return indexWouldMove
        ? .willMoveCovered : unrestorable(isUnknownTerminal && modes.contains(.newLine))
    case 0x05: return query
    case 0x08:
      let isUncertain = backspaceMayGoBack || (isUnknownTerminal && isWrapPending)
      return unrestorable(isUncertain || mayLeaveOrigin)
    case 0x09: return tabStop
    default: return nil
    }
  }

  /// HT, CHT.
  private var tabStop: ScreenStop.Reason? {
    if tabWraps, indexWouldMove { return .willMoveCovered }
    // From right of the margin a tab leads back to it, and the wrap stays pending.
    let isUncertain = isWrapPending && (isUnknownTerminal || modes.contains(.sideMargins))
    return unrestorable(!tabs.isKnown || isUncertain)
  }

  /// Whether moving left with reverse wrap may lead out of the margins, which no sequence can do with DECOM.
  private var mayLeaveOrigin: Bool { modes.isSuperset(of: [.origin, .reverseWrap, .autowrap]) }

  // MARK: ESC

  func escapeStop(_ final: UInt8) -> ScreenStop.Reason? {
    if parser.intermediates == 0, final == UInt8(ascii: "Z") { return query }
    guard !hudRegion.isEmpty else { return nil }
    if hasTwoSets, isShiftOrSet(final) { return nil }
    switch (parser.intermediates, final) {
    case (0, UInt8(ascii: "D")), (0, UInt8(ascii: "E")):
      return indexWouldMove ? .willMoveCovered : nil
    case (0, UInt8(ascii: "M")):
      let scrolls = row == region.top && isBetweenSideMargins || !isCursorKnown
      return scrolls && scrollWouldMove ? .willMoveCovered : nil
    case (0, UInt8(ascii: "6")), (0, UInt8(ascii: "9")):
      return scrollWouldMove ? .willMoveCovered : nil
    case (0, UInt8(ascii: "c")): return .willMoveCovered
    case (0, UInt8(ascii: "V")): return unrestorable(isUnknownTerminal)
    case (0, UInt8(ascii: "8")): return restoreStop
    case (UInt16(UInt8(ascii: "(")), _):
      return unrestorable(!"012AB".utf8.contains(final))
    case (0x29...0x2B, _):
      let isRight = Int(parser.intermediates) - 0x28 == characterSets.right
      return unrestorable(isRight && final != UInt8(ascii: "B") && final != UInt8(ascii: "1"))
    case (0x2D...0x2F, _): return unrestorable(true)
    case (0, UInt8(ascii: "~")): return unrestorable(characterSets[1] != .ascii)
    case (0, UInt8(ascii: "}")): return unrestorable(characterSets[2] != .ascii)
    case (0, UInt8(ascii: "|")): return unrestorable(characterSets[3] != .ascii)
    case (0x23, UInt8(ascii: "3")...UInt8(ascii: "6")): return .willMoveCovered
    case (0x23, UInt8(ascii: "8")): return .willBecomeUnrestorable
    case (0x25, UInt8(ascii: "@")): return .willMoveCovered
    default: return nil
    }
  }

  /// The reason to stop before DECRC and equivalent sequences.
  var restoreStop: ScreenStop.Reason? {
    let place = savedPlace
    let isOff = saved.cursor.isOrigin && !margins.contains(place)
    let hasHidden =
      options.quirks.contains(.remembersBackground)
      && saved.cursor.pen.style.background != penState.sentBackground
    let keepsWrap = saved.cursor.isWrapPending && !options.quirks.contains(.cursorPastLineEnd)
    let isWrapOff = keepsWrap && (isUnknownTerminal || !isWrapColumn(place.column))
    let isUnset = isUnknownTerminal && !saved.cursor.isFilled
    let isUncertain = !saved.cursor.isKnown || saved.cursor.isColumnUncertain || isUnset
    let sets = saved.cursor.characterSets
    let isRightOff = sets[sets.right] != .ascii || sets[0] == .other
    return unrestorable(
      isOff || hasHidden || saved.cursor.isPenUnknown || isWrapOff || isUncertain || isRightOff)
  }

  // MARK: CSI

  func controlSequenceStop(_ final: UInt8) -> ScreenStop.Reason? {
    if parser.prefix == 0, parser.intermediates == 0 {
      // Most sequences are SGR, which never needs a stop.
      if final == UInt8(ascii: "m") { return nil }
      if final == UInt8(ascii: "H"), !modes.contains(.origin) || !isUnknownTerminal { return nil }
      if isUnknownTerminal, let reason = uncertaintyStop(final) { return reason }
      return final == UInt8(ascii: "K") ? nil : plainStop(final)
    }
    if parser.prefix == 0x3F, parser.intermediates == 0 { return privateStop(final) }
    return markedStop(final)
  }

  private func plainStop(_ final: UInt8) -> ScreenStop.Reason? {
    if final == UInt8(ascii: "b"), printed.isRepeatable {
      let count = parser.value(0, or: 1)
      let isKnown = !isUnknownTerminal || options.quirks.contains(.repeats)
      if isKnown, hudRegion.stopsAtRepeat, printed.isFromBefore {
        return .willRepeat(count: count)
      }
      if printed.cell.isCluster { return unrestorable(true) }
      return repeatWouldMove(count) ? .willMoveCovered : nil
    }
    switch final {
    case UInt8(ascii: "c"), UInt8(ascii: "n"), UInt8(ascii: "x"): return query
    case UInt8(ascii: "t"):
      switch parser.value(0) {
      case 11, 13...16, 18...21: return query
      default: break
      }
    default: break
    }
    guard !hudRegion.isEmpty else { return nil }
    switch final {
    case UInt8(ascii: "@"), UInt8(ascii: "P"):
      guard isCursorKnown else { return .willMoveCovered }
      return shiftWouldMove(row, from: column) ? .willMoveCovered : nil
    case UInt8(ascii: "J"): return displayStop(isSelective: false)
    case UInt8(ascii: "L"), UInt8(ascii: "M"):
      guard isCursorKnown else { return .willMoveCovered }
      if options.quirks.contains(.shiftsLinesAsTmux), !region.containsRow(row) {
        return hudRegion.bounds.endRow > row ? .willMoveCovered : nil
      }
      guard region.containsRow(row), isBetweenSideMargins else { return nil }
      let moved = Rect(
        row: row, column: region.left, rows: region.bottom - row + 1, columns: region.width)
      return hudRegion.intersects(moved) ? .willMoveCovered : nil
    case UInt8(ascii: "S"), UInt8(ascii: "T"), UInt8(ascii: "^"):
      if !hudRegion.isEmpty, mayClearInstead(parser.value(0, or: 1)) { return .willMoveCovered }
      return scrollWouldMove ? .willMoveCovered : nil
    case UInt8(ascii: "i"): return .willReadCells
    case UInt8(ascii: "t"):
      // Resizing moves the contents.
      switch parser.value(0) {
      case 3...10, 24...: return .willMoveCovered
      default: return nil
      }
    case UInt8(ascii: "D"):
      return unrestorable(mayGoAround(parser.value(0, or: 1)) || mayLeaveOrigin)
    case UInt8(ascii: "I"): return tabStop
    case UInt8(ascii: "Z"): return unrestorable(isWrapPending || !tabs.isKnown)
    case UInt8(ascii: "r"):
      let isOff = options.quirks.contains(.marginsHomeOnScreen) && modes.contains(.origin)
      return unrestorable(isOff && parser.value(0, or: 1) > 1)
    case UInt8(ascii: "u"): return restoreStop
    default: return nil
    }
  }

  /// ED: many terminals push the contents into the history if the whole screen is emptied.
  func displayStop(isSelective: Bool) -> ScreenStop.Reason? {
    let what = parser.value(0)
    if what == 3 || what == 22 { return .willMoveCovered }
    // It may end all protection except that of the pen, and it may or may not end the pending wrap.
    if respectsProtection(isSelective), pen.isProtected || isWrapPending {
      return .willBecomeUnrestorable
    }
    if options.quirks.contains(.eraseKeepsHistory) { return nil }
    let isWhole =
      what == 2 || (what == 0 && (row == 0 && column == 0 || !isCursorKnown))
      || (what == 1 && (row == rows - 1 && column == columns - 1 || !isCursorKnown))
    return isWhole ? .willMoveCovered : nil
  }

  private func repeatWouldMove(_ count: Int) -> Bool {
    guard !hudRegion.isEmpty else { return false }
    guard isCursorKnown else { return true }
    let width = max(1, printed.cell.width)
    if modes.contains(.insert), cellsWouldMove(width) { return true }
    guard modes.contains(.autowrap) else { return false }
    // The last row that it can reach. The pending wrap counts as one more column.
    let room = max(1, region.width)
    let reach = column + (isWrapPending ? 1 : 0) + min(count, rows * columns) * 2 - 1
    let reached = row + max(0, reach - region.left) / max(1, room - 1)
    if modes.contains(.insert), reached > row { return true }
    let passesBottom = row <= region.bottom && reached > region.bottom
    return passesBottom && scrollWouldMove
  }

  private func markedStop(_ final: UInt8) -> ScreenStop.Reason? {
    if asks(final) { return query }
    guard !hudRegion.isEmpty else { return nil }
    if isUnknownTerminal, let reason = uncertainMarkedStop(final) { return reason }
    switch (parser.intermediates, final) {
    case (0x20, UInt8(ascii: "@")), (0x20, UInt8(ascii: "A")), (0x27, UInt8(ascii: "}")),
      (0x27, UInt8(ascii: "~")):
      return scrollWouldMove ? .willMoveCovered : nil
    case (0x24, UInt8(ascii: "r")), (0x24, UInt8(ascii: "t")), (0x24, UInt8(ascii: "v")),
      (0x24, UInt8(ascii: "x")), (0x24, UInt8(ascii: "z")), (0x24, UInt8(ascii: "{")):
      return .willMoveCovered  // rectangles, which are not modeled
    case (0x22, UInt8(ascii: "p")): return .willMoveCovered  // DECSCL
    case (0x24, UInt8(ascii: "|")), (0x2A, UInt8(ascii: "|")):
      return .willMoveCovered  // DECSCPP, DECSNLS
    case (0x2A, UInt8(ascii: "y")), (0x23, UInt8(ascii: "|")): return .willReadCells
    case (0x21, UInt8(ascii: "p")):
      return unrestorable(isWrapPending && region.right < columns - 1)
    case (0x23, UInt8(ascii: "}")), (0x23, UInt8(ascii: "q")): return unrestorable(true)
    default: return nil
    }
  }

  /// Whether a sequence with a prefix or intermediate bytes is a question.
  private func asks(_ final: UInt8) -> Bool {
    switch (parser.intermediates, final) {
    case (0x24, UInt8(ascii: "p")), (0x24, UInt8(ascii: "u")), (0x24, UInt8(ascii: "w")),
      (0x26, UInt8(ascii: "u")), (0x27, UInt8(ascii: "|")), (0x2B, UInt8(ascii: "x")),
      (0x23, UInt8(ascii: "S")), (0x23, UInt8(ascii: "R")), (0x22, UInt8(ascii: "v")):
      return true
    case (0, UInt8(ascii: "c")): return parser.prefix != 0
    case (0, UInt8(ascii: "q")): return parser.prefix == 0x3E
    default: return false
    }
  }

  // MARK: Strings

  /// The reason to stop at the start of a string that may draw or move anything.
  func stringStop() -> ScreenStop.Reason? {
    guard parser.stringKind == .dcs || parser.stringKind == .apc else { return nil }
    if parser.stringKind == .dcs {
      switch (parser.prefix, parser.intermediates, parser.stringFinal) {
      case (0x3D, 0, UInt8(ascii: "s")):
        return parser.value(0) == 2 && endsUpdate ? .willEndUpdate : nil
      case (0, 0x24, UInt8(ascii: "q")), (0, 0x2B, UInt8(ascii: "q")): return query
      default: if !isDrawnByString { return nil }
      }
    }
    return hudRegion.isEmpty ? nil : .willMoveCovered
  }

  /// The reason to stop at the end of an OSC, if it asks something.
  func stringEndStop() -> ScreenStop.Reason? {
    guard parser.stringKind == .osc else { return nil }
    let (number, text) = operatingSystemCommand
    switch number {
    case 8: return unrestorable(parser.isStringCut || tables.links.isFull)
    case 0...3, 7, 9, 133, 633, 777: return nil
    case 1337: return hudRegion.isEmpty ? nil : .willMoveCovered
    default: break
    }
    for index in max(1, text)..<max(1, text, parser.stringCount)
    where parser.stringByte(index) == 0x3F && parser.stringByte(index - 1) == 0x3B {
      return query
    }
    return nil
  }
}
