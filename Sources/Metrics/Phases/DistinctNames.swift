import PerfHUDBase

extension InlineText {
  /// A hash for comparing names quickly; equal names have equal hashes. Source: FNV-1a, 64 bits.
  var fingerprint: UInt64 {
    var hash = FNV1a()
    for index in 0..<count { hash.combine(self[index]) }
    return hash.value
  }
}

/// What is known of a phase whose name was replaced because there were too many.
struct ReplacedPhase: BitwiseCopyable, Sendable {
  /// As in `Phase`; 0 if none was replaced.
  let visits: UInt32
  private let peak: Float
  private let possiblePeak: Float
  private let seconds: Float

  static let none = ReplacedPhase(Phase())

  init(_ phase: Phase) {
    visits = phase.visits
    peak = phase.peakBytes.map { Float($0) } ?? .nan
    possiblePeak = Float(phase.possiblePeakBytes)
    seconds = Float(phase.secondsInPast)
  }

  var peakBytes: Double? { peak.isNaN ? nil : Double(peak) }
  var possiblePeakBytes: Double { Double(possiblePeak) }
  var secondsInPast: Double { Double(seconds) }
}

/// Counts different names of phases by their fingerprints, and keeps what is known of those that were replaced.
struct DistinctNames: Sendable {
  /// At most this many names are counted.
  static let capacity = 1024
  private static let slots = 2 * capacity

  /// Open addressing; 0 is an empty slot.
  private var table = [UInt32](repeating: 0, count: slots)
  /// By slot; empty until a name is replaced.
  private var replaced: [ReplacedPhase] = []
  private(set) var count = 0

  /// - Returns: whether the name is counted; not if there are too many.
  ///
  /// Complexity: constant, since at least half of the slots are empty.
  mutating func insert(_ fingerprint: UInt64) -> Bool {
    let (slot, value) = find(fingerprint)
    guard table[slot] == 0 else { return true }
    guard count < DistinctNames.capacity else { return false }
    table[slot] = value
    count += 1
    return true
  }

  /// Keeps what is known of a phase whose name is replaced.
  mutating func keep(_ phase: Phase) {
    let (slot, _) = find(phase.fingerprint)
    guard table[slot] != 0 else { return }
    if replaced.isEmpty { replaced = Array(repeating: .none, count: DistinctNames.slots) }
    replaced[slot] = ReplacedPhase(phase)
  }

  /// Returns what was kept of a phase when its name was replaced, and forgets it; `nil` if there is nothing.
  mutating func takeReplaced(_ fingerprint: UInt64) -> ReplacedPhase? {
    guard let phase = replaced(fingerprint) else { return nil }
    replaced[find(fingerprint).slot] = .none
    return phase
  }

  /// What was kept of a phase when its name was replaced; `nil` if that is not so, or if it was entered again.
  func replaced(_ fingerprint: UInt64) -> ReplacedPhase? {
    guard !replaced.isEmpty else { return nil }
    let phase = replaced[find(fingerprint).slot]
    return phase.visits > 0 ? phase : nil
  }

  /// What was kept of all phases whose names were replaced and that were not entered again.
  var allReplaced: [ReplacedPhase] { replaced.filter { $0.visits > 0 } }

  /// The slot of a fingerprint, or the empty one in which it would be, and its value there.
  private func find(_ fingerprint: UInt64) -> (slot: Int, value: UInt32) {
    let folded = UInt32(truncatingIfNeeded: fingerprint ^ fingerprint >> 32)
    let value = folded == 0 ? 1 : folded
    var slot = Int(value) % DistinctNames.slots
    while table[slot] != 0, table[slot] != value { slot = (slot + 1) % DistinctNames.slots }
    return (slot, value)
  }
}
