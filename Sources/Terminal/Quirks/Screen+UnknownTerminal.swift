/// Terminals whose ways were not measured: where those that were differ from each other, what comes of it is
/// in doubt until the cursor is placed anew.
///
/// A wrap of which it is not known whether it is pending is one that is pending on an unknown cell.
extension Screen {
  /// What is known of xterm and tmux must not be taken for granted.
  var isUnknownTerminal: Bool { !options.quirks.contains(.measured) }

  /// Whether the wrap is still pending cannot be told.
  mutating func makeWrapUncertain() {
    isWrapPending = true
    makeUnknown(row, column, column + 1)
  }

  /// A character finds the wrap pending: whether it was can be in doubt, and with IRM some do not wrap.
  var mayStayInLine: Bool {
    cell(row: row, column: column).isUnknown || modes.contains(.insert)
  }

  /// What was no character of UTF-8: some show something for each of its bytes, some nothing.
  mutating func noteInvalidBytes() {
    makeUnknown(row, 0, columns)
    // As four characters, `\xNN`, at most.
    loseColumn(by: 4)
  }

  /// A character in more bytes than it needs: xterm keeps a number beyond Unicode.
  mutating func loseLastPrinted() {
    makeUnknown(printed.row, printed.column, printed.column + 1)
    printed.makeUnknown()
  }

  /// SUB: some show a character for it, some nothing.
  mutating func noteSubstitute() {
    if isWrapPending {
      loseCursor()
    } else {
      noteInvalidBytes()
    }
  }

  /// Where in the row the cursor is cannot be told.
  ///
  /// - Parameter excess: by so many columns more than before it may be further to the right than here.
  mutating func loseColumn(by excess: Int = 0) {
    certainty.loseColumn(by: excess, columns: columns)
    updateFastPath()
  }

  /// After a character at a doubtful column: the terminal may have found the end of the line before it, and
  /// have gone on in the next.
  ///
  /// - Parameter end: the column behind the character.
  mutating func noteEarlyWrap(_ end: Int) {
    let limit = region.lineEnd(from: column)
    guard end + certainty.columnExcess > limit, certainty.columnExcess > 0 else { return }
    // A wide character goes to the next line without autowrap too, in some.
    guard modes.contains(.autowrap) || (isUnknownTerminal && end - column == 2) else { return }
    if row == region.bottom {
      if scrollsLines { return loseRows() }
      makeAllUnknown()
    } else if row + 1 < rows {
      makeUnknown(row + 1, 0, columns)
    }
    loseCursor()
  }

  /// After a control sequence without prefix and intermediates.
  ///
  /// - Parameters:
  ///   - last: what REP would have repeated.
  ///   - wasPending: whether the wrap was pending before it.
  ///   - from: where the cursor was before it.
  @inline(never) mutating func noteUncertainSequence(
    _ final: UInt8, _ last: PrintedCharacter, wasPending: Bool, from: Point
  ) {
    let count = parser.value(0, or: 1)
    switch final {
    case UInt8(ascii: "@"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "J"),
      UInt8(ascii: "K"), UInt8(ascii: "I"), UInt8(ascii: "Z"):
      if wasPending { makeWrapUncertain() }
    case UInt8(ascii: "L"), UInt8(ascii: "M"):
      if from.column != region.left { loseColumn(by: from.column) }
    case UInt8(ascii: "a"), UInt8(ascii: "e"): loseCursor()
    case UInt8(ascii: "A"), UInt8(ascii: "B"), UInt8(ascii: "E"), UInt8(ascii: "F"):
      if meetsMargin(final, count, from: from.row) { loseCursor() }
    case UInt8(ascii: "b"):
      guard repeatDiffers(last, count, from: from.column) else { break }
      // At the bottom of the region the next line comes by scrolling.
      let first = row == region.bottom || row == rows - 1 ? 0 : from.row
      markUnknown(Rect(row: first, column: 0, rows: rows - first, columns: columns))
      loseCursor()
    default: break
    }
  }

  /// Whether a control sequence leads to what could not be restored then.
  func leadsToUncertainty(_ final: UInt8) -> Bool {
    let count = parser.value(0, or: 1)
    switch final {
    case UInt8(ascii: "@"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "J"),
      UInt8(ascii: "K"), UInt8(ascii: "I"), UInt8(ascii: "Z"):
      return isWrapPending
    case UInt8(ascii: "L"), UInt8(ascii: "M"): return column != region.left
    case UInt8(ascii: "a"), UInt8(ascii: "e"): return true
    case UInt8(ascii: "A"), UInt8(ascii: "B"), UInt8(ascii: "E"), UInt8(ascii: "F"):
      return meetsMargin(final, count, from: row)
    case UInt8(ascii: "b"): return repeatDiffers(printed, count, from: column)
    default: return false
    }
  }

  /// Whether CUU, CUD, CNL or CPL would go over a margin: some stop there, and some only at the edge of the
  /// screen.
  private func meetsMargin(_ final: UInt8, _ count: Int, from row: Int) -> Bool {
    final == UInt8(ascii: "A") || final == UInt8(ascii: "F")
      ? row >= region.top && region.top > 0 && row - count < region.top
      : row <= region.bottom && region.bottom < rows - 1 && row + count > region.bottom
  }

  /// REP goes on in the next line or not, and behind another sequence repeats or not.
  private func repeatDiffers(_ last: PrintedCharacter, _ count: Int, from column: Int) -> Bool {
    !last.isRepeatable || column + count * max(1, last.cell.width) > columns
  }

  /// Characters that join the one before and change how wide it is, in some terminals.
  static func changesWidth(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x200B, 0x200D, 0xFE0E, 0xFE0F, 0x1160...0x11FF, 0xD7B0...0xD7FF: true
    default: false
    }
  }
}
