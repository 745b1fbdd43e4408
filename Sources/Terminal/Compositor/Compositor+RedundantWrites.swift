/// How much of what the program writes was there already.
extension Compositor {
  /// Counts it, or stops doing so: see `takeRewrites`.
  public mutating func countRedundantWrites(_ isOn: Bool) {
    if isOn { synchronize() }
    screen.countRedundantWrites(isOn)
  }

  /// The cells that were written since the last call, and how many of them the frame before showed alike.
  public mutating func takeRewrites() -> RedundantWrites {
    defer { screen.frames.redundant.counts = RedundantWrites() }
    return screen.frames.redundant.counts
  }
}
