import PerfHUDBase

/// Following the terminal to another size.
extension Compositor {
  /// How a terminal treats its lines when its size changes.
  package enum Reflow: Sendable {
    /// Lines stay at the top, or move up as far as the cursor requires.
    case known
    /// The same, but lines may have come back from the history above them. How far the cursor has moved shows how many,
    /// so its position must be requested before more bytes of the program pass.
    case mayMoveDown
    /// The terminal does what the model does (`Screen.modelsResize`).
    case modeled
    case unknown
  }

  /// Follows the terminal to another size.
  ///
  /// The terminal has moved the HUD as if it were text. If its new place is known, it is painted over; otherwise
  /// pieces of it stay.
  package mutating func resize(
    to size: Size, reflow: Reflow, now: Instant, to queue: inout OutputQueue
  ) {
    // A terminal that is back at its previous size may have moved the HUD in between.
    guard size != self.size || (reflow == .modeled && isPainted) else { return }
    synchronize()
    forgetStart()
    assumeReflow()
    self.size = size
    if reflow == .modeled, screen.isCursorKnown, size == Screen.clamped(size) {
      return self.reflow(to: size, now: now, to: &queue)
    }
    resizeReflow.cancelRepaint()
    let old = painted.frame
    let cursor = screen.cursor
    painted.remove()
    // If there are several steps in a row, the first one has the original places.
    let earlier = resizeReflow.takePendingMove()
    let first = earlier ?? ResizeReflow.PendingMove(cursor: cursor, paintedFrame: old)
    let isKnown: Bool
    switch reflow {
    case .known: isKnown = earlier == nil
    case .mayMoveDown: isKnown = earlier != nil || screen.isRestorable
    case .unknown, .modeled: isKnown = false
    }
    screen.resize(to: size, isKnown: isKnown)
    screen.forgetDamage()
    hasChanges = true
    guard isKnown else { return }
    if reflow == .mayMoveDown {
      screen.certainty.isCursorKnown = false
      resizeReflow.awaitCursor(first)
      return
    }
    // Lines that went off the top have taken part of the HUD with them.
    let shift = max(0, cursor.row - screen.cursor.row)
    paintOver(old, movedBy: -shift, now: now, to: &queue)
  }

  /// Paints what is beneath a HUD that the terminal has moved.
  private mutating func paintOver(
    _ place: Rect, movedBy rows: Int, now: Instant, to queue: inout OutputQueue
  ) {
    guard screen.isRestorable else { return }
    var place = place
    place.row += rows
    painted.move(to: place)
    eraseHUD(now: now, to: &queue)
    endUpdate(to: &queue)
  }

  /// Whether `setCursor` still has to report by how many rows the terminal has moved its lines.
  package var hasPendingMove: Bool { resizeReflow.awaitsCursor }

  /// Takes the cursor position that the terminal has reported, which was requested after the last byte.
  package mutating func setCursor(_ place: Point, now: Instant, to queue: inout OutputQueue) {
    synchronize()
    // What comes before the kind of terminal is known is modeled again.
    if programBytes.passed > 0 { forgetStart() }
    if resizeReflow.hasPendingReflow { return endReflow(at: place, now: now, to: &queue) }
    guard let move = resizeReflow.takePendingMove() else { return screen.setCursor(place) }
    let shift = place.row - move.cursor.row
    guard shift >= 0, place.column == move.cursor.column, place.row < screen.size.rows else {
      screen.forgetEverything()
      return screen.setCursor(place)
    }
    screen.takeBackLines(shift, cursor: place)
    paintOver(move.paintedFrame, movedBy: shift, now: now, to: &queue)
  }

  // MARK: Another width by DECCOLM

  /// How long to wait for the new size, in nanoseconds: a window manager may refuse it.
  private static let widthPatience: Int64 = 1_000_000_000

  /// Ends the wait for another width, so that the HUD does not stay away if the width does not change.
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
