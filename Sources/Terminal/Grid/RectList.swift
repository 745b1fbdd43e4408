/// The rectangles of a few windows. Those beyond `capacity` are merged with the last one.
package struct RectList: Sendable, Equatable {
  package static let capacity = 8

  private var rectangles = InlineArray<8, Rect>(repeating: Rect(Size(rows: 0, columns: 0)))
  package private(set) var count = 0

  package init() {}

  package init(_ rectangle: Rect) { add(rectangle) }

  /// Adds a rectangle. An empty one is ignored.
  package mutating func add(_ rectangle: Rect) {
    guard !rectangle.isEmpty else { return }
    if count < RectList.capacity {
      rectangles[count] = rectangle
      count += 1
    } else {
      rectangles[count - 1] = rectangles[count - 1].union(rectangle)
    }
  }

  package subscript(index: Int) -> Rect { rectangles[index] }

  /// The rectangle around all of them.
  package var bounds: Rect {
    var bounds = Rect.empty
    for index in 0..<count { bounds = bounds.union(rectangles[index]) }
    return bounds
  }

  package func contains(_ point: Point) -> Bool {
    for index in 0..<count where rectangles[index].contains(point) { return true }
    return false
  }

  /// Whether any of them has a cell in common with a rectangle.
  @inline(never) func intersects(_ other: Rect) -> Bool {
    for index in 0..<count where !rectangles[index].intersection(other).isEmpty { return true }
    return false
  }

  package static func == (a: RectList, b: RectList) -> Bool {
    guard a.count == b.count else { return false }
    for index in 0..<a.count where a.rectangles[index] != b.rectangles[index] { return false }
    return true
  }
}

extension Rect {
  /// The rectangle around both. An empty one is ignored.
  package func union(_ other: Rect) -> Rect {
    if isEmpty { return other }
    if other.isEmpty { return self }
    let top = min(row, other.row)
    let left = min(column, other.column)
    return Rect(
      row: top, column: left, rows: max(endRow, other.endRow) - top,
      columns: max(endColumn, other.endColumn) - left)
  }
}
