/// A character without a column that comes later than the one it is added to.
///
/// Some terminals (xterm) add it to the cell that they wrote last, and to the one under the cursor if
/// the cursor was placed since: what was injected in between ends with such a place. Others (tmux, VTE,
/// kitty) take the cell left of the cursor, and are not misled.
extension Screen {
  /// Whether a character is added to one that was printed before this call, and something was injected
  /// in between.
  func combinesWithBefore(_ scalar: UInt32) -> Bool {
    guard hudRegion.stopsAtRepeat, printed.isFromBefore, scalar >= 0x300 else {
      return false
    }
    guard let character = Unicode.Scalar(scalar), CharacterWidth.of(character) == 0 else {
      return false
    }
    return lastPlace != nil
  }

  /// Whether nothing but SGR has come since the injection, so that what combines still joins a character
  /// that was printed before it.
  var isLastFromBefore: Bool {
    printed.isFromBefore && printed.isClosed && !lastPrinted.isClear
  }

  /// The place of the character `lastPrinted`, right before the cursor; `nil` if it is unknown, or if printing it there
  /// would not leave the cursor where it is.
  ///
  /// To print it there again leaves cursor and pending wrap as they are, and what combines joins it.
  package var lastPlace: Point? {
    let last = lastPrinted
    guard !last.isClear, !last.isUnknown, isRestorable else { return nil }
    guard row == printed.row, printed.column + last.width <= columns else { return nil }
    guard cell(row: printed.row, column: printed.column) == last else { return nil }
    let end = printed.column + last.width
    // Without autowrap tmux stays in the last column, and no wrap is pending.
    let isAtEnd = column == end - 1 && isWrapColumn(column)
    guard isWrapPending ? isAtEnd : column == end || isAtEnd else { return nil }
    let place = Point(row: printed.row, column: printed.column)
    return !modes.contains(.origin) || margins.contains(place) ? place : nil
  }
}
