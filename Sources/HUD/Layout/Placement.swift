import Terminal

/// The position of the HUD on the screen of a program. Pure.
///
/// The last column stays free: on many terminals it carries the mark of a line that continues in the next.
package enum Placement {
  /// - Returns: `nil` if not even one cell is left for it.
  package static func place(_ wanted: HUDSize, at corner: Corner, in screen: Size) -> Rect? {
    let room = Size(rows: screen.rows, columns: screen.columns - 1)
    guard room.rows > 0, room.columns > 0 else { return nil }
    let size = wanted.cells(in: room)
    let rect = Rect(
      row: corner.isTop ? 0 : room.rows - size.rows,
      column: corner.isLeft ? 0 : room.columns - size.columns, rows: size.rows,
      columns: size.columns)
    return rect.isEmpty ? nil : rect
  }
}
