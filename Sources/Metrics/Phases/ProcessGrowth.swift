/// How much a process has grown from the first visit on, apart from what the first visit to each phase kept. Pure.
struct ProcessGrowth: BitwiseCopyable, Sendable {
  private var process: UInt16?
  private var start = 0.0
  private var newest = 0.0
  private var keptInWarmUps = 0.0

  /// Adds a visit that has settled, in the order of the visits. Another process starts over.
  mutating func add(_ visit: Visit) {
    guard visit.hasSettled, let entered = visit.enteredBytes, let settled = visit.settledBytes
    else { return }
    if process != visit.process {
      self = ProcessGrowth()
      process = visit.process
      start = entered
    }
    newest = settled
    if visit.isWarmUp { keptInWarmUps += max(0, settled - (visit.baselineBytes ?? entered)) }
  }

  /// In bytes; 0 if it has less than before.
  var bytes: Double { max(0, newest - start - keptInWarmUps) }
}

extension PhaseTracker {
  /// The growth of the process that no verdict explains, in bytes; 0 if all is explained.
  ///
  /// If memory at the borders was read too late, or grows in the visits of one phase and of another in turn, no phase
  /// seems to grow.
  package var unexplainedGrowth: Double {
    var rest = growth.bytes
    for other in 0..<count {
      switch verdicts[other] {
      // Two phases that name each other explain the same growth.
      case .either(_, .some(let partner))
      where partner < other && verdicts[Int(partner)].otherPhase == PhaseIndex(other)
        && verdicts[Int(partner)].isGrowth:
        break
      case .keeps(let bytes, _), .either(let bytes, .some), .held(let bytes):
        rest -= bytes * Double(max(1, phases[other].settledVisits) - 1)
      case .either(_, nil), .unknown, .steady, .released, .hidden: break
      }
    }
    return rest > 2 * Verdict.leastNoise ? rest : 0
  }

  /// Whether a phase may be what grows although its visits add up to nothing: the process has grown since the phase was
  /// shown two visits ago, or a release after the visits hides that, and
  ///
  /// - some visits kept something, or
  /// - memory was read too late, or
  /// - a phase before or after it grows, it or another one, and what the program releases is not known.
  func mayHideGrowth(_ index: Int) -> Bool {
    guard unexplainedGrowth > 0 else { return false }
    let visits = visits(index)
    guard hasWithdrawn || visits.recentRise > Verdict.leastNoise else { return false }
    return phases[index].keptBytes > Verdict.leastNoise
      || visits.borderReadings(Verdict.leastNoise) != .inTime
      || visits.contains { $0.releasedBytes == nil && isBesideGrowth($0) }
  }

  /// Whether the phase before or after a visit grows, or another phase in its place.
  private func isBesideGrowth(_ visit: Visit) -> Bool {
    func grows(_ phase: PhaseIndex?) -> Bool {
      guard let phase, case .either(_, nil) = verdicts[Int(phase)] else { return false }
      return true
    }
    return grows(visit.previous) || grows(visit.following)
  }

  /// How much of `unexplainedGrowth` each visit to a phase may have kept at most, whatever its verdict, in bytes.
  package func unexplainedBytes(_ index: Int) -> Double {
    unexplainedGrowth / Double(max(2, phases[index].settledVisits) - 1)
  }
}
