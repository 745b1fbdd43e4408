import PerfHUDBase

/// The program's synchronized update: since when it is open, and since when its end is held back.
struct ProgramUpdate {
  private var openedAt: Instant?
  /// How many updates of the program had ended when `openedAt` was last set.
  private var notedEnds = 0
  /// When the bytes were held back, if they begin with the end of an update that waits for a later one.
  private var endHeldAt: Instant?

  /// Whether the end of an update is held back.
  var isEndHeld: Bool { endHeldAt != nil }

  mutating func holdEnd(now: Instant) { endHeldAt = now }

  mutating func releaseEnd() { endHeldAt = nil }

  /// Notes the state of the screen model.
  ///
  /// - Parameter ends: how many updates have ended.
  mutating func note(isOpen: Bool, ends: Int, now: Instant) {
    if !isOpen {
      openedAt = nil
    } else if openedAt == nil || ends != notedEnds {
      openedAt = now
    }
    notedEnds = ends
  }

  /// When the HUD no longer waits for the program's update; `nil` if there is none to wait for.
  ///
  /// - Parameter isIdle: whether the program has no more output for now.
  func deadline(now: Instant, isIdle: Bool) -> Instant? {
    if let endHeldAt {
      return isIdle ? now : endHeldAt.advanced(byNanoseconds: Compositor.heldEndLimit)
    }
    return openedAt?.advanced(byNanoseconds: Compositor.openUpdateLimit)
  }
}
