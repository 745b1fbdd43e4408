/// The cells that the HUD covers, and what `Screen.feed` must stop before.
package struct HUDRegion: Sendable {
  private var rectangles = RectList()
  /// The rectangle around all of them.
  package private(set) var bounds = Rect.empty

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

  /// Stop before a switch of screens even if nothing is covered, to change rows that will be out of reach.
  package var stopsAtScreenSwitch = false

  /// Covers nothing.
  package init() {}

  /// Covers one rectangle.
  package init(_ rectangle: Rect) { add(rectangle) }

  /// Whether nothing is covered.
  package var isEmpty: Bool { rectangles.count == 0 }

  /// Adds a rectangle. An empty one is ignored.
  package mutating func add(_ rectangle: Rect) {
    rectangles.add(rectangle)
    bounds = bounds.union(rectangle)
  }

  /// Whether any cell of a rectangle is covered.
  @inline(__always) package func intersects(_ other: Rect) -> Bool {
    guard !isEmpty, !bounds.intersection(other).isEmpty else { return false }
    return rectangles.count == 1 || rectangles.intersects(other)
  }
}
