/// Handles an accent, or another character without a column, that comes later than the one it is added to.
///
/// Some terminals (xterm) add it to the cell that they wrote last, or to the one under the cursor if the cursor was
/// placed since. An injection in between does place the cursor. Other terminals (tmux, VTE, kitty) use the cell left of
/// the cursor and are not misled.
extension Screen {
  /// Whether a character joins one that was printed before this call, with an injection in between.
  func combinesWithBefore(_ scalar: UInt32) -> Bool {
    guard hudRegion.stopsAtRepeat, printed.isFromBefore, scalar >= 0x300 else {
      return false
    }
    guard let character = Unicode.Scalar(scalar), CharacterWidth.of(character) == 0 else {
      return false
    }
    return lastPlace != nil
  }

  /// Whether only SGR has come since the injection, so that a combining character still joins a character that was
  /// printed before it.
  var isLastFromBefore: Bool {
    printed.isFromBefore && printed.isClosed && !lastPrinted.isClear
  }

  /// The position of the character `lastPrinted`, right before the cursor; `nil` if it is unknown, or if printing it
  /// there would move the cursor.
  ///
  /// Printing it there again leaves the cursor and a pending wrap as they are, and a combining character joins it.
  package var lastPlace: Point? {
    let last = lastPrinted
    guard !last.isClear, !last.isUnknown, isRestorable else { return nil }
    guard row == printed.row, printed.column + last.width <= columns else { return nil }
    guard cell(row: printed.row, column: printed.column) == last else { return nil }
    let end = printed.column + last.width
    // Without autowrap, tmux stays in the last column with no wrap pending.
    let isAtEnd = column == end - 1 && isWrapColumn(column)
    guard isWrapPending ? isAtEnd : column == end || isAtEnd else { return nil }
    let place = Point(row: printed.row, column: printed.column)
    return !modes.contains(.origin) || margins.contains(place) ? place : nil
  }
}
