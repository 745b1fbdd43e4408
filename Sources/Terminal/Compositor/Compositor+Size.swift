import PerfHUDBase

/// Following the terminal to another size.
extension Compositor {
  /// What a terminal does with its lines when its size changes.
  package enum Reflow: Sendable {
    /// Lines stay at the top, or go up as far as the cursor needs.
    case known
    /// The same, but lines may have come back out of the history above them: by how many the cursor has
    /// moved says how many, so it has to be asked for before more bytes of the program.
    case mayMoveDown
    case unknown
  }

  /// Follows the terminal to another size.
  ///
  /// The terminal has carried the HUD along as if it were text. Where it is known where to, it is
  /// painted over; else it stays as a residue.
  package mutating func resize(
    to size: Size, reflow: Reflow, now: Instant, to queue: inout OutputQueue
  ) {
    guard size != self.size else { return }
    synchronize()
    forgetStart()
    self.size = size
    let old = drawn
    let cursor = screen.cursor
    drawn = Rect(row: 0, column: 0, rows: 0, columns: 0)
    // Of several steps in a row the first one's place counts.
    let first = move ?? PendingMove(cursor: cursor, drawn: old)
    let isKnown: Bool
    switch reflow {
    case .known: isKnown = move == nil
    case .mayMoveDown: isKnown = move != nil || screen.isRestorable
    case .unknown: isKnown = false
    }
    move = nil
    screen.resize(to: size, isKnown: isKnown)
    screen.forgetDamage()
    hasChanges = true
    guard isKnown else { return }
    if reflow == .mayMoveDown {
      screen.certainty.isCursorKnown = false
      move = first
      return
    }
    // Lines that went off the top have taken the HUD along.
    let shift = max(0, cursor.row - screen.cursor.row)
    paintOver(old, movedBy: -shift, now: now, to: &queue)
  }

  /// Paints what is beneath where the terminal still shows a HUD that was carried along.
  private mutating func paintOver(
    _ place: Rect, movedBy rows: Int, now: Instant, to queue: inout OutputQueue
  ) {
    guard screen.isRestorable else { return }
    drawn = place
    drawn.row += rows
    eraseHUD(now: now, to: &queue)
    endUpdate(to: &queue)
  }

  /// Whether the number of rows by which the terminal has moved its lines is still to come with `setCursor`.
  package var hasPendingMove: Bool { move != nil }

  /// Takes the place of the cursor that the terminal has reported, asked for after the last byte.
  package mutating func setCursor(_ place: Point, now: Instant, to queue: inout OutputQueue) {
    synchronize()
    forgetStart()
    guard let move else { return screen.setCursor(place) }
    self.move = nil
    let shift = place.row - move.cursor.row
    guard shift >= 0, place.column == move.cursor.column, place.row < screen.size.rows else {
      screen.forgetEverything()
      return screen.setCursor(place)
    }
    screen.takeBackLines(shift, cursor: place)
    paintOver(move.drawn, movedBy: shift, now: now, to: &queue)
  }

  // MARK: Another width by DECCOLM

  /// How long the new size is waited for, in nanoseconds: a window manager may refuse it.
  private static let widthPatience: Int64 = 1_000_000_000

  /// Ends the wait for another width, so that the HUD does not stay away where the width stays as it was.
  mutating func noteColumnMode(now: Instant) {
    guard screen.awaitsResize else {
      widthAskedAt = nil
      return
    }
    guard let askedAt = widthAskedAt else {
      widthAskedAt = now
      return
    }
    if askedAt.advanced(byNanoseconds: Compositor.widthPatience) < now {
      screen.stopAwaitingResize()
      widthAskedAt = nil
    }
  }
}
