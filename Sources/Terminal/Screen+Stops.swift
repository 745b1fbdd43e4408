/// The decisions to stop, each before anything is changed. A stop too many costs a lift of the HUD,
/// one too few leaves its cells somewhere else: in doubt they stop.
extension Screen {
  // MARK: Characters

  private var region: Rect { margins }

  /// Whether scrolling the region moves covered cells.
  private var scrollWouldMove: Bool { !cover.isEmpty && cover.intersects(region) }

  /// Whether going down a line would scroll covered cells.
  private var indexWouldMove: Bool {
    guard !cover.isEmpty else { return false }
    guard isCursorKnown else { return true }
    return row == bottom && column >= left && column <= right && scrollWouldMove
  }

  /// Whether the wrap that is pending would scroll covered cells.
  func wrapWouldMove() -> Bool { indexWouldMove }

  /// Whether a character would scroll or push covered cells.
  func characterWouldMove(_ scalar: UInt32) -> Bool {
    guard !cover.isEmpty else { return false }
    guard isCursorKnown else { return true }
    let width = Unicode.Scalar(scalar).map { CharacterWidth.of($0) } ?? 1
    guard width > 0 else { return false }
    return cellsWouldMove(width)
  }

  private func cellsWouldMove(_ width: Int) -> Bool {
    let limit = column <= right ? right + 1 : columns
    let wraps = modes.contains(.autowrap) && (isWrapPending || column + width > limit)
    if wraps, indexWouldMove { return true }
    guard modes.contains(.insert) else { return false }
    // After a wrap it is the next line, from the left margin on.
    let target = wraps ? min(row + 1, rows - 1) : row
    return shiftWouldMove(target, from: wraps ? left : column)
  }

  /// Whether shifting the rest of a row moves covered cells.
  private func shiftWouldMove(_ row: Int, from column: Int) -> Bool {
    guard !cover.isEmpty else { return false }
    return cover.intersects(Rect(row: row, column: column, rows: 1, columns: columns - column))
  }

  // MARK: C0

  func controlStop(_ byte: UInt8) -> ScreenStop.Reason? {
    switch byte {
    case 0x0A, 0x0B, 0x0C: return indexWouldMove ? .willMoveCovered : nil
    case 0x05: return cover.isEmpty ? nil : .willQueryState
    default: return nil
    }
  }

  // MARK: ESC

  func escapeStop(_ final: UInt8) -> ScreenStop.Reason? {
    guard !cover.isEmpty else { return nil }
    switch (parser.intermediates, final) {
    case (0, UInt8(ascii: "D")), (0, UInt8(ascii: "E")):
      return indexWouldMove ? .willMoveCovered : nil
    case (0, UInt8(ascii: "M")):
      let scrolls = row == top && isBetweenSideMargins || !isCursorKnown
      return scrolls && scrollWouldMove ? .willMoveCovered : nil
    case (0, UInt8(ascii: "6")), (0, UInt8(ascii: "9")):
      return scrollWouldMove ? .willMoveCovered : nil
    case (0, UInt8(ascii: "Z")): return .willQueryState
    case (0, UInt8(ascii: "c")): return .willMoveCovered
    case (0x23, UInt8(ascii: "3")...UInt8(ascii: "6")): return .willMoveCovered
    default: return nil
    }
  }

  // MARK: CSI

  func controlSequenceStop(_ final: UInt8, isFirst: Bool) -> ScreenStop.Reason? {
    if parser.prefix == 0, parser.intermediates == 0 {
      // What most sequences are needs no thought.
      if final == UInt8(ascii: "m") || final == UInt8(ascii: "H") || final == UInt8(ascii: "K") {
        return nil
      }
      return plainStop(final, isFirst: isFirst)
    }
    if parser.prefix == 0x3F, parser.intermediates == 0 { return privateStop(final) }
    return markedStop(final)
  }

  private func plainStop(_ final: UInt8, isFirst: Bool) -> ScreenStop.Reason? {
    if final == UInt8(ascii: "b"), !repeatable.isClear {
      let count = parser.value(0, or: 1)
      if isFirst, cover.stopsAtRepeat { return .willRepeat(count: count) }
      return repeatWouldMove(count) ? .willMoveCovered : nil
    }
    guard !cover.isEmpty else { return nil }
    switch final {
    case UInt8(ascii: "@"), UInt8(ascii: "P"):
      guard isCursorKnown else { return .willMoveCovered }
      return shiftWouldMove(row, from: column) ? .willMoveCovered : nil
    case UInt8(ascii: "J"): return displayStop()
    case UInt8(ascii: "L"), UInt8(ascii: "M"):
      guard isCursorKnown else { return .willMoveCovered }
      guard row >= top, row <= bottom, isBetweenSideMargins else { return nil }
      let moved = Rect(row: row, column: left, rows: bottom - row + 1, columns: right - left + 1)
      return cover.intersects(moved) ? .willMoveCovered : nil
    case UInt8(ascii: "S"), UInt8(ascii: "T"), UInt8(ascii: "^"):
      return scrollWouldMove ? .willMoveCovered : nil
    case UInt8(ascii: "i"): return .willReadCells
    case UInt8(ascii: "c"), UInt8(ascii: "n"), UInt8(ascii: "x"): return .willQueryState
    case UInt8(ascii: "t"):
      // Resizing moves what is there; the reports begin at 11.
      switch parser.value(0) {
      case 11, 13...16, 18...21: return .willQueryState
      case 3...10, 24...: return .willMoveCovered
      default: return nil
      }
    default: return nil
    }
  }

  /// ED: what empties the whole screen is pushed into the history by many terminals.
  private func displayStop() -> ScreenStop.Reason? {
    let what = parser.value(0)
    if what == 3 || what == 22 { return .willMoveCovered }
    if options.quirks.contains(.eraseKeepsHistory) { return nil }
    let isWhole =
      what == 2 || (what == 0 && (row == 0 && column == 0 || !isCursorKnown))
      || (what == 1 && (row == rows - 1 && column == columns - 1 || !isCursorKnown))
    return isWhole ? .willMoveCovered : nil
  }

  private func repeatWouldMove(_ count: Int) -> Bool {
    guard !cover.isEmpty else { return false }
    guard isCursorKnown else { return true }
    let width = max(1, repeatable.width)
    if modes.contains(.insert), cellsWouldMove(width) { return true }
    guard modes.contains(.autowrap) else { return false }
    // So many lines it reaches at most; the pending wrap counts as one more column.
    let room = max(1, right - left + 1)
    let reach = column + (isWrapPending ? 1 : 0) + min(count, rows * columns) * 2 - 1
    let reached = row + max(0, reach - left) / max(1, room - 1)
    if modes.contains(.insert), reached > row { return true }
    let passesBottom = row <= bottom && reached > bottom
    return passesBottom && scrollWouldMove
  }

  private func privateStop(_ final: UInt8) -> ScreenStop.Reason? {
    switch final {
    case UInt8(ascii: "h"), UInt8(ascii: "l"):
      let isOn = final == UInt8(ascii: "h")
      for index in 0..<parser.valueCount {
        if let reason = modeStop(parser.value(index), isOn) { return reason }
      }
      return nil
    case UInt8(ascii: "r"):
      guard isUpdating || !cover.isEmpty else { return nil }
      for index in 0..<parser.valueCount {
        switch parser.value(index) {
        case 2026 where isUpdating && !savedModes.contains(.synchronizedUpdate):
          return .willEndUpdate
        case 3, 47, 1047, 1049: if !cover.isEmpty { return .willMoveCovered }
        default: break
        }
      }
      return nil
    case UInt8(ascii: "s"):
      // XTSAVE would save an update of one's own as the program's.
      for index in 0..<parser.valueCount where parser.value(index) == 2026 {
        return cover.isEmpty ? nil : .willQueryState
      }
      return nil
    default: break
    }
    guard !cover.isEmpty else { return nil }
    switch final {
    case UInt8(ascii: "J"):
      // Sparing protected cells, some terminals still push the rest into the history.
      return displayStop()
    case UInt8(ascii: "n"), UInt8(ascii: "u"), UInt8(ascii: "S"), UInt8(ascii: "c"),
      UInt8(ascii: "m"):
      return .willQueryState
    case UInt8(ascii: "i"): return .willReadCells
    default: return nil
    }
  }

  private func modeStop(_ number: Int, _ isOn: Bool) -> ScreenStop.Reason? {
    if number == 2026, !isOn, isUpdating { return .willEndUpdate }
    guard !cover.isEmpty else { return nil }
    switch number {
    case 47, 1047: return isOn != isAlternate ? .willMoveCovered : nil
    case 1049: return isOn || isAlternate ? .willMoveCovered : nil
    case 3: return modes.contains(.allowsColumnChange) ? .willMoveCovered : nil
    case 2: return .willMoveCovered  // VT52 is not modelled
    default: return nil
    }
  }

  private func markedStop(_ final: UInt8) -> ScreenStop.Reason? {
    guard !cover.isEmpty else { return nil }
    switch (parser.intermediates, final) {
    case (0x20, UInt8(ascii: "@")), (0x20, UInt8(ascii: "A")), (0x27, UInt8(ascii: "}")),
      (0x27, UInt8(ascii: "~")):
      return scrollWouldMove ? .willMoveCovered : nil
    case (0x24, UInt8(ascii: "v")): return .willMoveCovered  // DECCRA
    case (0x24, UInt8(ascii: "r")), (0x24, UInt8(ascii: "t")), (0x24, UInt8(ascii: "x")),
      (0x24, UInt8(ascii: "z")), (0x24, UInt8(ascii: "{")):
      return .willMoveCovered  // rectangles, which are not modelled
    case (0x22, UInt8(ascii: "p")): return .willMoveCovered  // DECSCL
    case (0x24, UInt8(ascii: "|")), (0x2A, UInt8(ascii: "|")):
      return .willMoveCovered  // DECSCPP, DECSNLS
    case (0x2A, UInt8(ascii: "y")), (0x23, UInt8(ascii: "|")): return .willReadCells
    case (0x24, UInt8(ascii: "p")), (0x24, UInt8(ascii: "u")), (0x24, UInt8(ascii: "w")),
      (0x26, UInt8(ascii: "u")), (0x27, UInt8(ascii: "|")), (0x2B, UInt8(ascii: "x")),
      (0x23, UInt8(ascii: "S")), (0x23, UInt8(ascii: "R")), (0x22, UInt8(ascii: "v")):
      return .willQueryState
    case (0, UInt8(ascii: "c")) where parser.prefix != 0: return .willQueryState
    case (0, UInt8(ascii: "q")) where parser.prefix == 0x3E: return .willQueryState
    default: return nil
    }
  }

  // MARK: Strings

  /// At the start of a string: what it draws or moves cannot be told.
  func stringStop() -> ScreenStop.Reason? {
    guard parser.stringKind == .dcs || parser.stringKind == .apc else { return nil }
    if parser.stringKind == .dcs {
      switch (parser.prefix, parser.intermediates, parser.stringFinal) {
      case (0x3D, 0, UInt8(ascii: "s")):
        return parser.value(0) == 2 && isUpdating ? .willEndUpdate : nil
      case (0, 0x24, UInt8(ascii: "q")), (0, 0x2B, UInt8(ascii: "q")):
        return cover.isEmpty ? nil : .willQueryState
      case (0, 0, UInt8(ascii: "|")), (0, 0, UInt8(ascii: "{")): return nil
      default: break
      }
    }
    return cover.isEmpty ? nil : .willMoveCovered
  }

  /// At the end of an OSC: whether it asks something.
  func stringEndStop() -> ScreenStop.Reason? {
    guard parser.stringKind == .osc, !cover.isEmpty else { return nil }
    let (number, text) = operatingSystemCommand
    switch number {
    case 0...3, 7, 8, 9, 133, 633, 777: return nil
    case 1337: return .willMoveCovered
    default: break
    }
    for index in max(1, text)..<max(1, text, parser.stringCount)
    where parser.stringByte(index) == 0x3F && parser.stringByte(index - 1) == 0x3B {
      return .willQueryState
    }
    return nil
  }
}
