/// The cells that the HUD covers, and what `Screen.feed` must stop before.
package struct HUDRegion: Sendable {
  /// The maximum number of rectangles; further ones are merged with the last one.
  package static let capacity = 8

  private var rectangles = InlineArray<8, Rect>(repeating: Rect(Size(rows: 0, columns: 0)))
  private var count = 0
  /// The rectangle around all of them.
  package private(set) var bounds = Rect(row: 0, column: 0, rows: 0, columns: 0)

  /// Stop at the end of the program's synchronized update, to draw again just before it.
  package var stopsAtUpdateEnd = false
  /// Stop before questions, to end an update of our own first.
  package var stopsAtQueries = false
  /// Stop before a REP of a character that was printed before this call, to write the copies instead, since an
  /// injection in between has changed the terminal's last character. For the same reason stop before a character that
  /// combines with such a character.
  package var stopsAtRepeat = false
  /// Stop before a REP after another sequence: some terminals still repeat the last character, which is one that was
  /// injected.
  package var stopsAtEarlierRepeat = false

  /// Covers nothing.
  package init() {}

  /// Covers one rectangle.
  package init(_ rectangle: Rect) { add(rectangle) }

  /// Whether nothing is covered.
  package var isEmpty: Bool { count == 0 }

  /// Adds a rectangle. An empty one is ignored.
  package mutating func add(_ rectangle: Rect) {
    guard !rectangle.isEmpty else { return }
    if count < HUDRegion.capacity {
      rectangles[count] = rectangle
      count += 1
    } else {
      rectangles[count - 1] = HUDRegion.union(rectangles[count - 1], rectangle)
    }
    bounds = count == 1 ? rectangle : HUDRegion.union(bounds, rectangle)
  }

  /// Whether any cell of a rectangle is covered.
  @inline(__always) package func intersects(_ other: Rect) -> Bool {
    guard count > 0, !bounds.intersection(other).isEmpty else { return false }
    return count == 1 || hasCommon(other)
  }

  /// Checks the rectangles one by one.
  @inline(never) private func hasCommon(_ other: Rect) -> Bool {
    for index in 0..<count where !rectangles[index].intersection(other).isEmpty { return true }
    return false
  }

  private static func union(_ first: Rect, _ second: Rect) -> Rect {
    let row = min(first.row, second.row)
    let column = min(first.column, second.column)
    return Rect(
      row: row, column: column, rows: max(first.endRow, second.endRow) - row,
      columns: max(first.endColumn, second.endColumn) - column)
  }
}
