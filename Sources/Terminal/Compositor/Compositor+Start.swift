import PerfHUDBase

/// Handles a cursor position at the start that becomes known only after output has passed.
///
/// Output printed at an unknown position makes the whole screen unknown, and only what is printed later would become
/// known. So the output is kept until the terminal has answered. Then the model is computed again from the start.
/// Nothing is sent for this, since the terminal has already shown all of it.
extension Compositor {
  /// Whether an answer about the start is still useful although output has passed.
  package var canPlaceStart: Bool { startOutput != nil }

  /// Computes the model again if the output has made the start position irrelevant.
  mutating func placeScrolledStart() {
    guard startOutput?.hasScrolledOff == true else { return }
    placeStart(Point(row: 0, column: 0))
  }

  /// Takes the position of the cursor before the first output, and computes the model again from there.
  ///
  /// - Complexity: O(bytes since the start), at most `StartupOutput.limit`.
  package mutating func placeStart(_ place: Point) {
    guard startOutput != nil else { return }
    synchronize()
    guard let kept = startOutput.take() else { return }
    replay(kept, from: place)
  }

  private mutating func replay(_ kept: borrowing StartupOutput, from place: Point) {
    // The last bytes of the buffer may not have been modeled.
    let count = kept.count - (programBytes.held - programBytes.modeled)
    guard count >= 0, kept.size == screen.size else { return }
    let isCounting = screen.frames.redundant.isOn
    screen.restart()
    screen.setCursor(place)
    let bytes = unsafe kept.prefix(count)
    var index = 0
    while index < count { index = unsafe screen.feed(bytes, from: index).resume }
    screen.countRedundantWrites(isCounting)
    screen.forgetDamage()
    invalidateHUD()
  }

  /// Gives up: the position of the cursor at the start will not become known any more.
  package mutating func forgetStart() { startOutput = nil }
}

extension Screen {
  /// Starts over with a terminal of the same size and kind that was in use before.
  mutating func restart() { self = Screen(size, options: options) }
}
