import PerfHUDBase

/// What the values of phases may lack: a peak between two readings, and events that were lost.
extension PhaseTracker {
  /// How much later than the samples around it a phase may be reported, in nanoseconds.
  private static let patience: Int64 = 250_000_000
  /// A mark of the kernel may be read this much later than its sample, in nanoseconds.
  private static let markDelay: Int64 = 10_000_000

  /// Notes that readings have missed a peak. Which phases it may belong to is decided once all that began before it are
  /// known.
  mutating func noteMissedPeak(_ missed: MissedPeak) {
    var both = missed
    if let waiting = missedPeak {
      both.start = waiting.start
      both.most = max(waiting.most, missed.most)
    }
    missedPeak = both
  }

  /// Decides which phases a missed peak may belong to, if none of them can still be reported.
  mutating func settleMissedPeak(asOf now: Instant) {
    guard let missed = missedPeak, now.nanoseconds(since: missed.end) >= PhaseTracker.patience
    else { return }
    settleMissedPeak()
  }

  mutating func settleMissedPeak() {
    guard let missed = missedPeak.take() else { return }
    markPeaks(missed)
  }

  /// Raises the greatest possible peak of each phase that was open in a span.
  mutating func markPeaks(_ missed: MissedPeak) {
    guard let start = missed.start else {
      for index in 0..<count { raisePossiblePeak(of: PhaseIndex(index), to: missed.most) }
      raisePossiblePeak(of: nil, to: missed.most)
      return
    }
    raisePossiblePeak(of: index(at: start), to: missed.most)
    let end = missed.end.advanced(byNanoseconds: PhaseTracker.markDelay)
    var position = firstBorder(after: start)
    while let border = border(position), border.time <= end {
      // The last phase ends with the process.
      if border.phase != nil || border.time < missed.end {
        raisePossiblePeak(of: border.phase, to: missed.most)
      }
      position += 1
    }
  }

  private mutating func raisePossiblePeak(of phase: PhaseIndex?, to bytes: Double) {
    guard let phase, phase < count else {
      possiblePeakOfNone = max(possiblePeakOfNone, bytes)
      return
    }
    let index = Int(phase)
    phases[index].possiblePeakBytes = max(phases[index].possiblePeakBytes, bytes)
  }

  /// The greatest memory in a phase, including the visits that go on or have not settled, in bytes.
  package func peakBytes(_ index: Int) -> Double? {
    let past = phases[index].peakBytes
    guard let open = unsettled.peakBytes(of: PhaseIndex(index)) else { return past }
    return max(past ?? open, open)
  }

  /// The greatest that memory may have been in a phase, in bytes, if it may have been greater than `peakBytes` by more
  /// than noise.
  package func possiblePeakBytes(_ index: Int) -> Double? {
    let most = phases[index].possiblePeakBytes
    return most > (peakBytes(index) ?? 0) + MissedPeak.noise ? most : nil
  }

  /// Whether `peakBytes` is a lower bound, since readings may have missed the peak of the phase.
  package func peakIsLowerBound(_ index: Int) -> Bool {
    MissedPeak.isShown(phases[index].possiblePeakBytes, over: peakBytes(index) ?? 0)
  }

  /// The only phase in which memory may have been greater than `bytes`, unseen by all readings; `nil` if there are
  /// several, or if that may have been between two phases.
  package func onlyPhaseWithPeak(above bytes: Double) -> Int? {
    let found = (0..<count).filter { phases[$0].possiblePeakBytes > bytes }
    return found.count == 1 && possiblePeakOfNone <= bytes ? found[0] : nil
  }

  /// Whether visits to a phase may be missing: events were lost, or there were too many names to count them all.
  package func visitsAreLowerBound(_ index: Int) -> Bool {
    phases[index].mayHaveEarlierVisits || mayIncludeOthers(index)
  }

  /// Whether visits to a phase may be longer than they were, and include what other phases did, since events that may have
  /// begun those were lost.
  func mayIncludeOthers(_ index: Int) -> Bool { hasLostEvents && phases[index].origin == .app }
}
