/// Unmeasured terminals: where the measured ones differ from each other, the result is uncertain until the cursor is
/// placed again.
///
/// A wrap that may or may not be pending is modeled as pending on an unknown cell.
extension Screen {
  /// Whether the terminal was not measured, so that it may differ from xterm and tmux.
  var isUnknownTerminal: Bool { !options.quirks.contains(.measured) }

  /// Notes that the wrap may or may not be pending.
  mutating func makeWrapUncertain() {
    isWrapPending = true
    makeUnknown(row, column, column + 1)
  }

  /// Whether a character at a pending wrap may stay in its line, because the wrap may not be pending, or because some
  /// terminals do not wrap with IRM.
  var mayStayInLine: Bool {
    cell(row: row, column: column).isUnknown || modes.contains(.insert)
  }

  /// Notes bytes that are not UTF-8: for each of them, some terminals show something and some nothing.
  mutating func noteInvalidBytes() {
    makeUnknown(row, 0, columns)
    // At most as four characters: `\xNN`.
    loseColumn(by: 4)
  }

  /// Notes a character in more bytes than it needs: xterm keeps a number beyond Unicode.
  mutating func loseLastPrinted() {
    makeUnknown(printed.row, printed.column, printed.column + 1)
    printed.makeUnknown()
  }

  /// Notes a SUB: some terminals show a character for it, some nothing.
  mutating func noteSubstitute() {
    if isWrapPending {
      loseCursor()
    } else {
      noteInvalidBytes()
    }
  }

  /// Makes the cursor's column uncertain.
  ///
  /// - Parameter excess: how many more columns to the right it may be than before.
  mutating func loseColumn(by excess: Int = 0) {
    certainty.loseColumn(by: excess, columns: columns)
    updateFastPath()
  }

  /// Notes a character at an uncertain column: the terminal may have wrapped before it.
  ///
  /// - Parameter end: the column after the character.
  mutating func noteEarlyWrap(_ end: Int) {
    let limit = region.lineEnd(from: column)
    guard end + certainty.columnExcess > limit, certainty.columnExcess > 0 else { return }
    // In some terminals a wide character goes to the next line even without autowrap.
    guard modes.contains(.autowrap) || (isUnknownTerminal && end - column == 2) else { return }
    if row == region.bottom {
      if scrollsLines { return loseRows() }
      makeAllUnknown()
    } else if row + 1 < rows {
      makeUnknown(row + 1, 0, columns)
    }
    loseCursor()
  }

  /// Notes the uncertain results of a control sequence without prefix and intermediates.
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
      if final == UInt8(ascii: "@") { noteInsertedBlanks(count) }
    case UInt8(ascii: "L"), UInt8(ascii: "M"):
      if from.column != region.left { loseColumn(by: from.column) }
    case UInt8(ascii: "a"), UInt8(ascii: "e"): loseCursor()
    case UInt8(ascii: "A"), UInt8(ascii: "B"), UInt8(ascii: "E"), UInt8(ascii: "F"):
      if meetsMargin(final, count, from: from.row) { loseCursor() }
    case UInt8(ascii: "H"), UInt8(ascii: "f"), UInt8(ascii: "d"):
      if passesBottomMargin(count) { loseCursor() }
    case UInt8(ascii: "b"):
      guard repeatDiffers(last, count, from: from.column) else { break }
      if !last.isRepeatable || isWithinLine(last, count, from.column), !wasPending {
        makeUnknown(from.row, from.column, min(columns, from.column + count * 2))
        if from.column + count * 2 <= columns { return loseCursor() }
      }
      // At the bottom of the region the next line is reached by scrolling.
      let first = row == region.bottom || row == rows - 1 ? 0 : from.row
      markUnknown(Rect(row: first, column: 0, rows: rows - first, columns: columns))
      loseCursor()
    default: break
    }
  }

  /// Whether a control sequence leads to a state that could not be restored.
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
    case UInt8(ascii: "H"), UInt8(ascii: "f"), UInt8(ascii: "d"): return passesBottomMargin(count)
    case UInt8(ascii: "b"): return repeatDiffers(printed, count, from: column)
    default: return false
    }
  }

  /// Whether CUU, CUD, CNL or CPL would cross a margin: some terminals stop there, and some only at the edge of the
  /// screen.
  private func meetsMargin(_ final: UInt8, _ count: Int, from row: Int) -> Bool {
    final == UInt8(ascii: "A") || final == UInt8(ascii: "F")
      ? row >= region.top && region.top > 0 && row - count < region.top
      : row <= region.bottom && region.bottom < rows - 1 && row + count > region.bottom
  }

  /// Whether CUP, HVP or VPA with DECOM specifies a row below the bottom margin: most terminals stop there, but konsole
  /// continues to the edge of the screen.
  private func passesBottomMargin(_ number: Int) -> Bool {
    modes.contains(.origin) && number > region.bottom - region.top + 1
  }

  /// Whether terminals differ in the effect of REP: some do not know it, some continue in the next line, and some
  /// repeat even after another sequence.
  private func repeatDiffers(_ last: PrintedCharacter, _ count: Int, from column: Int) -> Bool {
    !last.isRepeatable || !isWithinLine(last, count, column) || !options.quirks.contains(.repeats)
  }

  private func isWithinLine(_ last: PrintedCharacter, _ count: Int, _ column: Int) -> Bool {
    column + count * max(1, last.cell.width) <= columns
  }

  /// Whether a character joins the previous one and changes its width, in some terminals.
  static func changesWidth(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x200B, 0x200D, 0xFE0E, 0xFE0F, 0x1160...0x11FF, 0xD7B0...0xD7FF: true
    default: false
    }
  }
}
