import Base

/// Another width by DECCOLM.
extension Compositor {
  /// So long the new size is waited for, in nanoseconds: a window manager may refuse it.
  private static let widthPatience: Int64 = 1_000_000_000

  /// Sees to it that the HUD does not stay away for ever where the width stays as it was.
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
