/// Which phases keep memory: the simplest explanation of what the visits have shown.
///
/// From outside only the memory of the whole process is seen. When a phase ends, a part of it may belong to
/// that phase and be released in a later one: right after its name, or seconds later. So for each phase
/// there are three unknowns, in bytes a visit:
///
/// - *kept*: never released;
/// - *handed on*: held when the phase ends, released by a later one;
/// - *own*: taken and released within the visit, which explains released bytes alone.
///
/// They must agree with what was seen: by how much memory changed from border to border (`net`), by how much it
/// fell in between (`drop`), and how much was released (`released`). Page faults report the last: memory that was
/// faulted in and is no longer there was released. The explanation with the fewest parts counts, since it would be a
/// coincidence if several phases took and released just as much as one. Where two phases explain the growth equally
/// well, neither is named alone.
struct KeptMemoryAttribution: BitwiseCopyable, Sendable {
  /// What the remembered visits of one phase have in common.
  struct Visits: BitwiseCopyable, Sendable {
    /// How many there are; 0: nothing is known of the phase.
    var count = 0
    /// Mean change of memory from the border at which it was entered to that at which it was left, in bytes.
    var net = 0.0
    /// Mean bytes released in it, as page faults report; `nil` where they do not.
    var released: Double?
    /// Mean bytes by which memory fell below the level at which it was entered: of earlier phases.
    var drop = 0.0
    /// What `net` may be wrong by.
    var tolerance = 0.0
    /// The phases before it.
    var previous = Predecessors()
    /// Before or after most of them came a phase of which too little is known.
    var hasUnknownNeighbor = false
  }

  /// The phases that came before the visits to a phase, with their share of the visits.
  struct Predecessors: BitwiseCopyable, Sendable {
    /// Of more than these the rarer ones are left out.
    static let capacity = 4

    private var phases = InlineArray<4, UInt8>(repeating: 0)
    private var counts = InlineArray<4, UInt8>(repeating: 0)
    private(set) var count = 0
    private var visits = 0

    /// Takes in one visit; `nil`: no phase was before it, or one of which nothing is known.
    mutating func add(_ phase: PhaseIndex?) {
      visits += 1
      guard let phase else { return }
      for index in 0..<count where phases[index] == phase {
        counts[index] += 1
        return
      }
      guard count < Predecessors.capacity else { return }
      phases[count] = phase
      counts[count] = 1
      count += 1
    }

    subscript(index: Int) -> (phase: Int, share: Double) {
      (Int(phases[index]), Double(counts[index]) / Double(visits))
    }

    /// The share of a phase; 0 if it was never before.
    func share(of phase: Int) -> Double {
      for index in 0..<count where Int(phases[index]) == phase { return self[index].share }
      return 0
    }
  }

  /// The least tolerance, in bytes: a few pages come and go with any call, and page tables are read more rarely
  /// than the rest.
  static let leastTolerance = 131_072.0
  /// What a part of the explanation costs. A phase that hands memory on is a little less likely than one that
  /// keeps or releases its own.
  private static let partCost = 4
  private static let handedOnCost = 5
  /// A phase that comes before a smaller share of visits is not looked at as a neighbor.
  private static let neighborShare = 0.2
  /// A violated bound weighs more than any number of parts.
  private static let violation = 4000
  private static let capacity = PhaseTracker.nameCapacity

  private var visits = InlineArray<64, Visits>(repeating: Visits())
  private var handedOn = InlineArray<64, Double>(repeating: 0)
  private var count = 0

  /// Nothing is known.
  init() {}

  /// Takes in what is known of the phases below `count`; `solve` explains it.
  mutating func begin(_ count: Int) {
    self.count = min(count, KeptMemoryAttribution.capacity)
    for phase in 0..<KeptMemoryAttribution.capacity { handedOn[phase] = 0 }
  }

  mutating func set(_ phase: Int, _ seen: Visits) { visits[phase] = seen }

  /// What a visit keeps for good, in bytes; `nil` if too little is known of the phase or of its neighbors.
  func kept(_ phase: Int) -> Double? {
    guard phase < count, visits[phase].count > 0, !visits[phase].hasUnknownNeighbor else {
      return nil
    }
    return visits[phase].net + inherited(phase) - handedOn[phase]
  }

  /// What a visit leaves to later phases to release, in bytes.
  func handedOn(_ phase: Int) -> Double { handedOn[phase] }

  /// The mean change of memory in a visit, in bytes; `nil` if nothing is known of the phase.
  func net(_ phase: Int) -> Double? {
    phase < count && visits[phase].count > 0 ? visits[phase].net : nil
  }

  /// What the visits before have left for a visit of `phase` to release, less what it leaves itself.
  func carried(into phase: Int, from previous: PhaseIndex?) -> Double {
    guard phase < count else { return 0 }
    return (previous.map { handedOn[Int($0)] } ?? 0) - handedOn[phase]
  }

  /// A phase that may keep what `phase` seems to keep; `nil` if that would need more coincidences.
  func alternative(to phase: Int) -> Int? {
    guard let amount = kept(phase), amount > visits[phase].tolerance else { return nil }
    // The one after it keeps as much, and releases what this one has handed on.
    for follower in 0..<count
    where follower != phase && visits[follower].previous.share(of: phase) > 0 {
      var other = self
      other.handedOn[phase] += amount
      if other.explainsAsMuch(as: self), other.keepsMore(follower) { return follower }
    }
    // The one before it keeps it, and has handed on less.
    for index in 0..<visits[phase].previous.count {
      let (before, share) = visits[phase].previous[index]
      guard before != phase, before < count, share > 0.5 else { continue }
      var other = self
      other.handedOn[before] -= amount / share
      if other.handedOn[before] >= -visits[before].tolerance, other.explainsAsMuch(as: self),
        other.keepsMore(before)
      {
        return before
      }
    }
    return nil
  }

  /// Whether readings from outside are too inaccurate to say that this phase keeps `bytes` a visit: its visits or
  /// those of its neighbors differ by more than a quarter of that, or too little is known of the neighbors, and the
  /// program does not report what it releases.
  func isInaccurate(_ phase: Int, for bytes: Double) -> Bool {
    func isInaccurate(_ index: Int) -> Bool {
      visits[index].count > 0 && visits[index].released == nil
        && visits[index].tolerance > bytes / 4
    }
    let isExplained = kept(phase) != nil || visits[phase].released != nil
    if !isExplained || isInaccurate(phase) { return true }
    for index in 0..<visits[phase].previous.count {
      let (before, share) = visits[phase].previous[index]
      let isNeighbor = before < count && share > KeptMemoryAttribution.neighborShare
      if isNeighbor, isInaccurate(before) { return true }
    }
    for follower in 0..<count
    where visits[follower].previous.share(of: phase) > KeptMemoryAttribution.neighborShare {
      if isInaccurate(follower) { return true }
    }
    return false
  }

  private func keepsMore(_ phase: Int) -> Bool { (kept(phase) ?? 0) > visits[phase].tolerance }

  /// Whether it has no more parts, and contradicts what was seen by no more.
  private func explainsAsMuch(as other: KeptMemoryAttribution) -> Bool {
    cost <= other.cost && excess <= other.excess + KeptMemoryAttribution.leastTolerance
  }

  // MARK: The search

  /// What the phases before have left for a visit to release, in bytes.
  private func inherited(_ phase: Int) -> Double {
    var sum = 0.0
    for index in 0..<visits[phase].previous.count {
      let (before, share) = visits[phase].previous[index]
      sum += share * handedOn[before]
    }
    return sum
  }

  /// The parts of the explanation, and what contradicts it.
  private var cost: Int {
    var sum = 0
    for phase in 0..<count { sum += cost(phase) }
    return sum
  }

  private var excess: Double {
    var sum = 0.0
    for phase in 0..<count { sum += excess(phase) }
    return sum
  }

  private func cost(_ phase: Int) -> Int {
    let seen = visits[phase]
    guard seen.count > 0 else { return 0 }
    let inherited = inherited(phase)
    let own = handedOn[phase]
    let kept = seen.net + inherited - own
    // Large amounts are known less exactly than to the page.
    let tolerance = seen.tolerance + 0.005 * max(own, inherited)
    var cost = 0
    if kept > tolerance { cost += KeptMemoryAttribution.partCost }
    if kept < -tolerance { cost += KeptMemoryAttribution.violation }
    if own > tolerance { cost += KeptMemoryAttribution.handedOnCost }
    if let released = seen.released {
      // What it took and released itself.
      if released - inherited > tolerance { cost += KeptMemoryAttribution.partCost }
      if released - inherited < -tolerance { cost += KeptMemoryAttribution.violation }
    } else if inherited - seen.drop > tolerance {
      // A release that nobody has seen, because as much was taken at once.
      cost += KeptMemoryAttribution.partCost
    }
    if seen.drop - inherited > tolerance { cost += KeptMemoryAttribution.violation }
    return cost
  }

  /// By how much an explanation contradicts what was seen of a phase, in bytes: the search goes downhill.
  private func excess(_ phase: Int) -> Double {
    let seen = visits[phase]
    guard seen.count > 0 else { return 0 }
    let inherited = inherited(phase)
    let kept = seen.net + inherited - handedOn[phase]
    let hidden = seen.released.map { inherited - $0 } ?? 0
    return max(0, -kept - seen.tolerance) + max(0, hidden - seen.tolerance)
      + max(0, seen.drop - inherited - seen.tolerance)
  }

  /// Changes what one phase hands on at a time, to one of the values at which a part vanishes.
  mutating func solve() {
    for phase in 0..<count {
      for follower in 0..<count
      where follower != phase && visits[follower].previous.share(of: phase) > 0 {
        handedOn[phase] = max(handedOn[phase], visits[follower].drop)
      }
    }
    for _ in 0..<(2 * count + 2) {
      var hasImproved = false
      for phase in 0..<count where visits[phase].count > 0 {
        if improve(phase) { hasImproved = true }
      }
      if !hasImproved { return }
    }
  }

  /// Cost and excess of a phase and of those after it: no others change with what it hands on.
  private func weigh(_ phase: Int) -> (cost: Int, excess: Double) {
    var sum = (cost: cost(phase), excess: excess(phase))
    for follower in 0..<count
    where follower != phase && visits[follower].previous.share(of: phase) > 0 {
      sum.cost += cost(follower)
      sum.excess += excess(follower)
    }
    return sum
  }

  /// What one phase may hand on, and how well that explains what was seen.
  private struct Candidate: BitwiseCopyable {
    var value: Double
    var cost: Int
    var excess: Double

    func isBetter(than other: Candidate) -> Bool {
      let difference = excess - other.excess
      if difference.magnitude > KeptMemoryAttribution.leastTolerance { return difference < 0 }
      return cost < other.cost
    }
  }

  private mutating func consider(_ value: Double, for phase: Int, _ best: inout Candidate) {
    guard value >= 0, value.isFinite else { return }
    handedOn[phase] = value
    let weight = weigh(phase)
    let candidate = Candidate(value: value, cost: weight.cost, excess: weight.excess)
    if candidate.isBetter(than: best) { best = candidate }
  }

  /// - Returns: whether another value explains more.
  private mutating func improve(_ phase: Int) -> Bool {
    let before = handedOn[phase]
    let weight = weigh(phase)
    var best = Candidate(value: before, cost: weight.cost, excess: weight.excess)
    consider(0, for: phase, &best)
    consider(visits[phase].net + inherited(phase), for: phase, &best)
    for follower in 0..<count where follower != phase {
      let share = visits[follower].previous.share(of: phase)
      guard share > 0 else { continue }
      let seen = visits[follower]
      handedOn[phase] = before
      let rest = inherited(follower) - share * before
      if let released = seen.released {
        consider((released - rest) / share, for: phase, &best)
      }
      consider((seen.drop - rest) / share, for: phase, &best)
      consider((handedOn[follower] - seen.net - rest) / share, for: phase, &best)
    }
    handedOn[phase] = best.value
    return best.value != before
  }
}
