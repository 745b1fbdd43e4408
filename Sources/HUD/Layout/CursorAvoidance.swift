import PerfHUDBase
import Terminal

/// The corner of the HUD: the chosen one, unless the program's cursor rests under it, or cells there could not be
/// restored.
///
/// The HUD moves away when the cursor has been under it for a moment, and moves back when the cursor has been away for
/// longer, so that typing along its edge moves it only once. Pure.
package struct CursorAvoidance: Sendable {
  /// The chosen corner; setting it moves the HUD there at once.
  package var wish: Corner {
    didSet {
      corner = wish
      change = nil
    }
  }
  /// The current corner.
  package private(set) var corner: Corner
  private var change: Change?

  private struct Change {
    var corner: Corner
    var back: Instant
    /// When to move away, if the cursor is under the HUD, or its cells could not be restored.
    var aside: Instant?
    var due: Instant { min(back, aside ?? back) }
  }

  private static let asidePause: Int64 = 150_000_000
  private static let backPause: Int64 = 2_000_000_000
  /// How far away the cursor must be to count as away, in rows and columns.
  private static let distance = Size(rows: 2, columns: 4)
  /// Typing next to the HUD also counts as touching it, because the next character would be under it.
  private static let touch = Size(rows: 0, columns: 1)

  package init(wish: Corner) {
    self.wish = wish
    corner = wish
  }

  /// When `update` must be called again if nothing changes.
  package var deadline: Instant? { change?.due }

  /// Decides the corner of the HUD from now on.
  ///
  /// - Parameters:
  ///   - cursor: where the program's cursor rests; `nil` while it is hidden or unknown.
  ///   - canRestore: whether all cells at a place could be restored if the HUD covered them.
  /// - Returns: `nil` if there is no room for the HUD.
  package mutating func update(
    size: HUDSize, screen: Size, cursor: Point?, now: Instant,
    canRestore: (Rect) -> Bool = { _ in true }
  ) -> Rect? {
    let better = betterCorner(size, screen, cursor, canRestore)
    if better == corner {
      change = nil
    } else {
      let isUnder = !isFree(corner, CursorAvoidance.touch, size, screen, cursor, canRestore)
      let same = change?.corner == better ? change : nil
      let back = same?.back ?? now.advanced(byNanoseconds: CursorAvoidance.backPause)
      let aside = same?.aside ?? now.advanced(byNanoseconds: CursorAvoidance.asidePause)
      // While the HUD waits to move back, it still moves away from a cursor that rests under it, but not from one that
      // passes.
      change = Change(corner: better, back: back, aside: isUnder ? aside : nil)
    }
    if let change, now >= change.due {
      corner = change.corner
      self.change = nil
    }
    return Placement.place(size, at: corner, in: screen)
  }

  private func betterCorner(
    _ size: HUDSize, _ screen: Size, _ cursor: Point?, _ canRestore: (Rect) -> Bool
  ) -> Corner {
    func isFree(_ corner: Corner, _ distance: Size) -> Bool {
      self.isFree(corner, distance, size, screen, cursor, canRestore)
    }
    if corner != wish, isFree(wish, CursorAvoidance.distance) { return wish }
    if isFree(corner, CursorAvoidance.touch) { return corner }
    // This runs after each output, so it allocates nothing.
    func firstFree(_ corners: InlineArray<4, Corner>, from first: Int, _ distance: Size) -> Corner?
    {
      for index in first..<4 where isFree(corners[index], distance) { return corners[index] }
      return nil
    }
    let corners = wish.byDistance
    if let away = firstFree(corners, from: 1, CursorAvoidance.distance) { return away }
    // On a small screen, next to the cursor is better than on top of it.
    if let beside = firstFree(corners, from: 0, CursorAvoidance.touch) { return beside }
    let none = Size(rows: 0, columns: 0)
    return isFree(corner, none) ? corner : firstFree(corners, from: 0, none) ?? corner
  }

  /// Whether the cells in a corner could be restored, and the cursor is at least this far from it.
  private func isFree(
    _ corner: Corner, _ distance: Size, _ size: HUDSize, _ screen: Size, _ cursor: Point?,
    _ canRestore: (Rect) -> Bool
  ) -> Bool {
    guard let frame = Placement.place(size, at: corner, in: screen) else { return true }
    if let cursor {
      let area = Rect(
        row: frame.row - distance.rows, column: frame.column - distance.columns,
        rows: frame.rows + 2 * distance.rows, columns: frame.columns + 2 * distance.columns)
      if area.contains(cursor) { return false }
    }
    return canRestore(frame)
  }
}

extension Corner {
  /// This corner, and the others, nearest first.
  fileprivate var byDistance: InlineArray<4, Corner> {
    let across = Corner(isTop: !isTop, isLeft: isLeft)
    let beside = Corner(isTop: isTop, isLeft: !isLeft)
    return [self, across, beside, Corner(isTop: !isTop, isLeft: !isLeft)]
  }
}
