import PerfHUDBase

/// The place of the cursor at the start, where it becomes known only after output has passed.
///
/// What was printed at an unknown place makes the whole screen unknown, and only what is printed later would
/// become known. Therefore the output is kept until the terminal has answered. Then the model is computed
/// again from the start, and nothing is sent for it: the terminal has shown all of it already.
extension Compositor {
  /// Whether an answer about the start is still of use although output has passed.
  package var canPlaceStart: Bool { startOutput != nil }

  /// Keeps the bytes that have just been put into `space`.
  mutating func keepStartOutput(_ count: Int) {
    guard startOutput != nil else { return }
    if startOutput?.add(buffer, from: held, count) != true { startOutput = nil }
  }

  /// Computes the model again where the output has made the place of the start unimportant.
  mutating func placeScrolledStart() {
    guard startOutput?.hasScrolledOff == true else { return }
    placeStart(Point(row: 0, column: 0))
  }

  /// Takes the place that the cursor had before the first output, and computes the model again from there.
  ///
  /// - Complexity: O(bytes since the start), at most `StartupOutput.limit`.
  package mutating func placeStart(_ place: Point) {
    guard startOutput != nil else { return }
    synchronize()
    guard let kept = startOutput.take() else { return }
    replay(kept, from: place)
  }

  private mutating func replay(_ kept: borrowing StartupOutput, from place: Point) {
    // The last bytes of the buffer may be some that the model has not taken.
    let count = kept.count - (held - modelled)
    guard count >= 0, kept.size == screen.size else { return }
    let isCounting = screen.frames.redundant.isOn
    screen.restart()
    screen.setCursor(place)
    let bytes = unsafe kept.prefix(count)
    var index = 0
    while index < count { index = unsafe screen.feed(bytes, from: index).resume }
    screen.countRedundantWrites(isCounting)
    screen.forgetDamage()
    redrawAll()
  }

  /// Gives up: where the cursor was at the start will not become known any more.
  package mutating func forgetStart() { startOutput = nil }
}

extension Screen {
  /// Begins again with a terminal that was in use before, of the same size and kind.
  mutating func restart() { self = Screen(size, options: options) }
}
