import PerfHUDBase

/// One stay in a phase, and what it did to the leading memory metric.
///
/// `entered` and `left` are the readings at the borders, or the last ones before them; `peak` is the greatest reading
/// from one to the other. `settled` is the least reading from the end of the visit until 5 s later, or until the next
/// border: the visit cannot have kept more than that. The `baseline` is the level at which the previous phase settled,
/// since what that phase releases after its end does not belong to this one; without a previous phase it is `entered`.
/// So every byte of growth belongs to exactly one visit.
package struct Visit: BitwiseCopyable, Sendable, Equatable {
  /// Index of the phase in `PhaseTracker`.
  package var phase: PhaseIndex
  package var entered: Instant
  /// `nil` while it lasts.
  package var left: Instant?
  package var enteredBytes: Double?
  package var peakBytes: Double?
  /// The newest reading, while it lasts.
  package var leftBytes: Double?
  /// `nil` while it lasts; the least reading so far until `hasSettled`.
  package var settledBytes: Double?
  package var baselineBytes: Double?
  /// The greatest rise from one of its readings to a later one. If nothing of the previous phase was released
  /// meanwhile, that is `peak` − `baseline`.
  package var takenBytes: Double?
  /// How much more the allocator holds at the end than at the entry, as reported by the program (`allocator.retained`),
  /// with what earlier visits leave to be freed in this one; `nil` if not reported.
  package var heldBytes: Double?
  /// How many bytes the allocator holds at the end.
  package var retainedBytes: Double?
  /// Whether it is the first visit of this process to the phase. It fills caches, so verdicts ignore it.
  package var isWarmUp = false
  /// Whether its 5 s are over, or the next border has come, and there was a reading after its end.
  package var hasSettled = false
  /// How much was released in it, according to page faults; `nil` if the program does not report them.
  package var releasedBytes: Float?
  /// How much memory fell below the level at entry.
  package var dropBytes: Float = 0
  /// The phase before it; `nil` if there was none.
  package var previous: PhaseIndex?
  /// A bit for each phase that was visited between the last visit to the same phase and this one.
  var between: UInt64 = 0
  /// The phase after it; `nil` if there was none.
  package var following: PhaseIndex?
  /// How much memory changed between a border and its reading, if that came later than `PhaseTracker.borderPatience`:
  /// the change may belong to either phase.
  package var movedAtEntry: Float = 0
  package var movedAtExit: Float = 0
  /// Whether memory at both borders was read by the program itself, or by perfhud at once.
  package var hasBorderReadings = false
  /// What it kept according to the visits to all phases (`KeptMemoryAttribution`); `nil` until there are enough visits.
  package var attributedBytes: Float?
  /// The number of the measured process, counted from 0. Readings of two processes cannot be compared.
  package var process: UInt16 = 0

  package init(phase: PhaseIndex, entered: Instant) {
    self.phase = phase
    self.entered = entered
  }

  /// How much is left of what it took; negative if the process has less than before.
  package var keptBytes: Double? {
    if let attributedBytes { return Double(attributedBytes) }
    guard let settledBytes, let baselineBytes else { return nil }
    return settledBytes - baselineBytes
  }

  /// How much it freed of what it took, in bytes, as far as readings or page faults show it.
  var freedBytes: Double {
    let seen = takenBytes.flatMap { taken in keptBytes.map { taken - $0 } } ?? 0
    return max(0, seen, releasedBytes.map { Double($0) } ?? 0)
  }

  /// How much memory changed between the borders at which it was entered and left; `nil` while it lasts.
  package var netBytes: Double? {
    guard left != nil, let leftBytes, let enteredBytes else { return nil }
    return leftBytes - enteredBytes
  }

  /// The same for the program alone: without what it has freed and the allocator holds. `nil` if the program does not
  /// report that.
  package var ownKeptBytes: Double? {
    guard let keptBytes, let heldBytes else { return nil }
    return keptBytes - heldBytes
  }

  /// How much it released of what it took, in percent: (peak − settled) / (peak − entered) if the previous phase left
  /// nothing. `nil` if it took less than `Verdict.leastNoise`.
  package var releasedPercent: Double? {
    guard let takenBytes, let keptBytes, takenBytes > Verdict.leastNoise else { return nil }
    return 100 * (takenBytes - keptBytes) / takenBytes
  }

  package func seconds(asOf now: Instant) -> Double {
    max(0, (left ?? now).seconds(since: entered))
  }
}
