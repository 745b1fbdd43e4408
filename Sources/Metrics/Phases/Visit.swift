import PerfHUDBase

/// One stay in a phase, and what it did to the leading memory metric.
///
/// `entered` and `left` are the readings at the borders, or the last ones before them, `peak` the greatest from one
/// to the other. `settled` is the least from the moment when it was left to 5 s after, or to the next
/// border: the visit cannot have kept more than that. The `baseline` is what the phase before settled
/// at, since what that one releases after its end is not this one's; without a phase before it is
/// `entered`. So all that the process has grown by belongs to exactly one visit.
package struct Visit: BitwiseCopyable, Sendable, Equatable {
  /// Index of the phase in `PhaseTracker`.
  package var phase: PhaseIndex
  package var entered: Instant
  /// `nil` while it lasts.
  package var left: Instant?
  package var enteredBytes: Double?
  package var peakBytes: Double?
  /// While it lasts, the newest reading.
  package var leftBytes: Double?
  /// `nil` while it lasts; until `hasSettled` the least so far.
  package var settledBytes: Double?
  package var baselineBytes: Double?
  /// The greatest rise from one of its readings to a later one. Where nothing of the phase before was
  /// released meanwhile, that is `peak` − `baseline`.
  package var takenBytes: Double?
  /// By how much more the allocator holds at the end than when it was entered, as the program says
  /// (`allocator.retained`); `nil` where it did not.
  package var heldBytes: Double?
  /// What the allocator holds at the end.
  package var retainedBytes: Double?
  /// The first visit of this process to the phase: it fills caches, and verdicts ignore it.
  package var isWarmUp = false
  /// Its 5 s are over, or the next border has come, and there was a reading after it was left.
  package var hasSettled = false
  /// What was released in it, as page faults report; `nil` where the program does not report them.
  package var releasedBytes: Float?
  /// By how much memory fell below the level at which it was entered.
  package var dropBytes: Float = 0
  /// The phase before it; `nil` if there was none.
  package var previous: PhaseIndex?
  /// The phase after it; `nil` if there was none.
  package var following: PhaseIndex?
  /// How much memory moved between a border and its reading, where that came later than
  /// `PhaseTracker.borderPatience`: it may belong to either phase.
  package var movedAtEntry: Float = 0
  package var movedAtExit: Float = 0
  /// Memory at both borders is the program's own reading, or one that was made at once.
  package var hasBorderReadings = false
  /// What it kept, as the visits to all phases explain it (`KeptMemoryAttribution`); `nil` before there are enough
  /// of them.
  package var attributedBytes: Float?
  /// Number of the process that was measured, counted from 0: readings of two cannot be compared.
  package var process: UInt16 = 0

  package init(phase: PhaseIndex, entered: Instant) {
    self.phase = phase
    self.entered = entered
  }

  /// What is left of what it took; negative where the process has less than before.
  package var keptBytes: Double? {
    if let attributedBytes { return Double(attributedBytes) }
    guard let settledBytes, let baselineBytes else { return nil }
    return settledBytes - baselineBytes
  }

  /// By how much memory changed from the border at which it was entered to that at which it was left; `nil`
  /// while it lasts.
  package var netBytes: Double? {
    guard left != nil, let leftBytes, let enteredBytes else { return nil }
    return leftBytes - enteredBytes
  }

  /// The same of the program alone: without what it has freed and the allocator holds. `nil` where the
  /// program does not say what that is.
  package var ownKeptBytes: Double? {
    guard let keptBytes, let heldBytes else { return nil }
    return keptBytes - heldBytes
  }

  /// What it released of what it took, in percent: (peak − settled) / (peak − entered) where the phase
  /// before left nothing. `nil` where it took less than `Verdict.leastNoise`.
  package var releasedPercent: Double? {
    guard let takenBytes, let keptBytes, takenBytes > Verdict.leastNoise else { return nil }
    return 100 * (takenBytes - keptBytes) / takenBytes
  }

  package func seconds(asOf now: Instant) -> Double {
    max(0, (left ?? now).seconds(since: entered))
  }
}
