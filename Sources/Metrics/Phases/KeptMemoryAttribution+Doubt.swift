/// Whether a phase keeps what it seems to hand on.
///
/// If a phase keeps as much as the next one takes and frees, nothing distinguishes that from a phase that hands memory
/// on, unless samples have seen when memory fell.
extension KeptMemoryAttribution {
  /// The phase before one that keeps `amount`, if it may keep what it seems to hand on.
  func keeperBefore(_ phase: Int, _ amount: Double) -> Int? {
    let previous = visits(phase).previous
    for index in 0..<previous.count where previous[index].share > 0.5 {
      let before = previous[index].phase
      if mayKeep(before, in: phase, that: amount) { return before }
    }
    return nil
  }

  /// The phase after one, among those that `isGrowing` says, that may only seem to keep what this one keeps.
  func followerInDoubt(_ phase: Int, _ isGrowing: (Int) -> Bool) -> Int? {
    for follower in followers(of: phase) where isGrowing(follower) {
      guard visits(follower).previous.share(of: phase) > 0.5, let amount = kept(follower) else {
        continue
      }
      if mayKeep(phase, in: follower, that: amount) { return follower }
    }
    return nil
  }

  /// Whether a phase may keep what it seems to hand on to one that seems to keep `amount`: there, memory was never seen
  /// to fall below the level at entry, and what was released may have been taken there.
  private func mayKeep(_ phase: Int, in follower: Int, that amount: Double) -> Bool {
    guard phase != follower, phase < count, handsOn(phase) else { return false }
    let handed = handedOn(phase)
    let seen = visits(follower)
    return handed <= amount + seen.tolerance && seen.drop < handed / 2
  }
}
