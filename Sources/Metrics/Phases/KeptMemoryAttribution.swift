import PerfHUDBase

/// Which phases keep memory: the simplest explanation of what the visits have shown.
///
/// From outside only the memory of the whole process is visible. When a phase ends, part of that memory may belong to
/// it and be released in a later phase: right after that one begins, or seconds later. So each phase has three
/// unknowns, in bytes for each visit:
///
/// - *kept*: never released;
/// - *handed on*: held when the phase ends, released by a later one;
/// - *own*: taken and released within the visit; it only explains released bytes.
///
/// They must agree with the observations: how much memory changed from border to border (`net`), how much it fell in
/// between (`drop`), and how much was released (`released`). Page faults give the last of these: memory that was
/// faulted in but is no longer there has been released. The explanation with the fewest parts wins, since it would be a
/// coincidence if several phases took and released exactly as much as one. If two phases explain the growth equally
/// well, neither is blamed alone.
struct KeptMemoryAttribution: Sendable {
  /// The least tolerance, in bytes: any call may move a few pages, and page tables are read less often than the rest.
  static let leastTolerance = 131_072.0
  /// What a part of an explanation costs. It is slightly less likely that phases hand memory on than that they keep or
  /// release their own. But a program where one phase does is likely to do the same in others.
  private static let partCost = 8
  private static let handingOnCost = 2
  /// It is slightly less likely, too, that what a phase was seen to free in its middle belonged to an earlier one.
  private static let lateReleaseCost = 1
  /// A phase that comes before a smaller share of the visits does not count as a neighbor.
  private static let neighborShare = 0.2
  /// A violated bound weighs more than any number of parts.
  private static let violation = 8000
  private static let capacity = PhaseTracker.nameCapacity

  // An array, because copies of this structure share it.
  private var visits = Array(repeating: Visits(), count: KeptMemoryAttribution.capacity)
  private var handedOn = InlineArray<64, Double>(repeating: 0)
  /// What phases hand on according to another explanation that is about as simple.
  private var rival = InlineArray<64, Double>(repeating: 0)
  /// The phases that came right after a phase, a bit each.
  private var followers = InlineArray<64, UInt64>(repeating: 0)
  private(set) var count = 0
  private let anchor = Anchor()

  /// Starts with nothing known.
  init() {}

  /// Starts with `count` phases; `set` adds what is known of them, and `solve` explains it.
  mutating func begin(_ count: Int) {
    self.count = min(count, KeptMemoryAttribution.capacity)
    for phase in 0..<KeptMemoryAttribution.capacity {
      handedOn[phase] = 0
      followers[phase] = 0
    }
  }

  mutating func set(_ phase: Int, _ seen: Visits) {
    visits[phase] = seen
    for index in 0..<seen.previous.count {
      let before = seen.previous[index].phase
      if before < KeptMemoryAttribution.capacity, before != phase {
        followers[before] |= 1 &<< UInt64(phase)
      }
    }
  }

  /// The phases that came right after a phase.
  func followers(of phase: Int) -> PhaseSet { PhaseSet(bits: followers.span[phase]) }

  /// What a visit keeps forever, in bytes; `nil` if too little is known of the phase or its neighbors.
  func kept(_ phase: Int) -> Double? {
    guard phase < count, visits(phase).count > 0, !visits(phase).hasUnknownNeighbor else {
      return nil
    }
    return visits(phase).net + inherited(phase) - handedOn(phase)
  }

  /// What a visit leaves for later phases to release, in bytes.
  ///
  /// A span, because a subscript into a stored inline array would copy all of it.
  func handedOn(_ phase: Int) -> Double {
    phase < KeptMemoryAttribution.capacity ? handedOn.span[phase] : 0
  }

  func visits(_ phase: Int) -> Visits { visits[phase] }

  /// Another phase that may keep what `phase` seems to keep, or part of it; `nil` if that would need more coincidences.
  func alternative(to phase: Int) -> Int? {
    guard let amount = kept(phase), amount > visits(phase).tolerance else { return nil }
    var other = self
    other.handedOn = rival
    if let found = other.gainer(from: phase, in: self) { return found }
    // Perhaps it hands on more, up to all that is released after it, and a phase after it keeps that.
    if let found = gainer(from: phase, if: phase, handsOn: handedOn(phase) + amount) {
      return found
    }
    for follower in followers(of: phase) {
      let share = visits(follower).previous.share(of: phase)
      guard let released = visits(follower).released else { continue }
      let more = handedOn(phase) + (released - inherited(follower)) / share
      if let found = gainer(from: phase, if: phase, handsOn: more) { return found }
    }
    // Perhaps a phase before it hands on less, and keeps that.
    for index in 0..<visits(phase).previous.count {
      let before = visits(phase).previous[index].phase
      let share = visits(phase).previous[index].share
      guard before != phase, before < count, share > 0.5 else { continue }
      let less = handedOn(before) - amount / share
      guard less >= -visits(before).tolerance else { continue }
      if let found = gainer(from: phase, if: before, handsOn: max(0, less)) { return found }
    }
    return keeperBefore(phase, amount)
  }

  /// The phase that keeps more in place of `phase` if `changed` hands on another amount; `nil` if that explains less.
  private func gainer(from phase: Int, if changed: Int, handsOn bytes: Double) -> Int? {
    var other = self
    other.handedOn[changed] = bytes
    return other.gainer(from: phase, in: self)
  }

  /// The phase that keeps more, in place of `phase`, than in another explanation; `nil` if this one is worse.
  private func gainer(from phase: Int, in other: KeptMemoryAttribution) -> Int? {
    guard explainsAsMuch(as: other), let less = kept(phase), let more = other.kept(phase),
      less < more - max(visits(phase).tolerance, more / 4)
    else { return nil }
    for index in 0..<count where index != phase {
      guard let gained = kept(index), let before = other.kept(index) else { continue }
      if gained > visits(index).tolerance, gained > before + visits(index).tolerance {
        return index
      }
    }
    return nil
  }

  /// Whether the readings are too inaccurate to say that this phase keeps `bytes` a visit: the visits of its neighbors
  /// vary by more than half of that, or theirs or its own by more than a quarter if the program does not report what it
  /// releases, or too little is known of the neighbors.
  func isInaccurate(_ phase: Int, for bytes: Double) -> Bool {
    func isInaccurate(_ index: Int) -> Bool {
      let seen = visits(index)
      if seen.count == 0 { return false }
      if seen.released == nil { return seen.tolerance > bytes / 4 }
      return index != phase && max(seen.spread, misfit(index)) > bytes / 2
    }
    let isExplained = kept(phase) != nil || visits(phase).released != nil
    if !isExplained || isInaccurate(phase) { return true }
    for index in 0..<visits(phase).previous.count {
      let before = visits(phase).previous[index].phase
      let share = visits(phase).previous[index].share
      let isNeighbor = before < count && share > KeptMemoryAttribution.neighborShare
      if isNeighbor, isInaccurate(before) { return true }
    }
    for follower in followers(of: phase)
    where visits(follower).previous.share(of: phase) > KeptMemoryAttribution.neighborShare {
      if isInaccurate(follower) { return true }
    }
    return false
  }

  /// Whether this explanation has no more parts than the other, and contradicts the observations no more. That phases
  /// hand memory on, and that it is released late, is only slightly less likely, so one explanation with and one without
  /// it count as equal.
  private func explainsAsMuch(as other: KeptMemoryAttribution) -> Bool {
    let difference =
      KeptMemoryAttribution.handingOnCost + KeptMemoryAttribution.lateReleaseCost
    return cost <= other.cost + difference
      && excess <= other.excess + KeptMemoryAttribution.leastTolerance
  }

  // MARK: The search

  /// What the previous phases have left for a visit to release, in bytes.
  private func inherited(_ phase: Int) -> Double {
    var sum = 0.0
    for index in 0..<visits(phase).previous.count {
      let group = visits(phase).previous[index]
      sum += group.share * handedOn(group.phase)
    }
    return sum
  }

  /// The cost of the explanation: its parts and its contradictions.
  private var cost: Int {
    var sum = costOfHandingOn
    for phase in 0..<count { sum += cost(phase) }
    return sum
  }

  /// What it costs that any phase hands memory on.
  private var costOfHandingOn: Int {
    for phase in 0..<count where visits(phase).count > 0 && handsOn(phase) {
      return KeptMemoryAttribution.handingOnCost
    }
    return 0
  }

  func handsOn(_ phase: Int) -> Bool {
    let own = handedOn(phase)
    return own > visits(phase).tolerance + 0.005 * own
  }

  private var excess: Double {
    var sum = 0.0
    for phase in 0..<count { sum += excess(phase) }
    return sum
  }

  private func cost(_ phase: Int) -> Int {
    let seen = visits(phase)
    guard seen.count > 0 else { return 0 }
    let inherited = inherited(phase)
    let own = handedOn(phase)
    let kept = seen.net + inherited - own
    // Large amounts are less exact than a page.
    let tolerance = seen.tolerance + 0.005 * max(own, inherited)
    var cost = 0
    if kept > tolerance { cost += KeptMemoryAttribution.partCost }
    if kept < -tolerance { cost += KeptMemoryAttribution.violation }
    if own > tolerance { cost += KeptMemoryAttribution.partCost }
    if let released = seen.released {
      // Memory that it took and released itself, unless most of what it released was seen to fall in its middle. That
      // does not depend on the explanation, so it prefers none for the amount.
      let own = max(0, released - inherited)
      let isSeen = seen.fall > released / 2
      if own > tolerance, !isSeen { cost += KeptMemoryAttribution.partCost }
      if own < seen.fall - tolerance { cost += KeptMemoryAttribution.lateReleaseCost }
      if released - inherited < -tolerance { cost += KeptMemoryAttribution.violation }
    } else if inherited - seen.drop > tolerance {
      // A release that was not visible, because as much memory was taken at the same time.
      cost += KeptMemoryAttribution.partCost
    }
    if seen.drop - inherited > tolerance { cost += KeptMemoryAttribution.violation }
    return cost
  }

  /// How much the explanation contradicts the observations of a phase, in bytes; the search reduces this.
  private func excess(_ phase: Int) -> Double {
    let seen = visits(phase)
    guard seen.count > 0 else { return 0 }
    let inherited = inherited(phase)
    let kept = seen.net + inherited - handedOn(phase)
    let hidden = seen.released.map { inherited - $0 } ?? 0
    return max(0, -kept - seen.tolerance) + max(0, hidden - seen.tolerance)
      + max(0, seen.drop - inherited - seen.tolerance) + misfit(phase)
  }

  /// How much the visits after different phases disagree on what a visit keeps and hands on, and on what it releases of
  /// its own, in bytes: with the right amounts handed on by those phases, they agree.
  private func misfit(_ phase: Int) -> Double {
    let seen = visits(phase)
    guard seen.previous.count > 1 else { return 0 }
    let hasReleases = seen.released != nil
    var gains = 0.0
    var releases = 0.0
    var known = 0.0
    for index in 0..<seen.previous.count where isKnown(seen.previous[index].phase) {
      let group = seen.previous[index]
      gains += group.share * (group.net + handedOn(group.phase))
      releases += group.share * (group.released - handedOn(group.phase))
      known += group.share
    }
    guard known > 0 else { return 0 }
    var sum = 0.0
    for index in 0..<seen.previous.count where isKnown(seen.previous[index].phase) {
      let group = seen.previous[index]
      let handed = handedOn(group.phase)
      let tolerance = max(
        KeptMemoryAttribution.leastTolerance, seen.tolerance / group.share.squareRoot())
      let gain = (group.net + handed - gains / known).magnitude
      sum += group.share * max(0, gain - tolerance)
      if hasReleases {
        let release = (group.released - handed - releases / known).magnitude
        sum += group.share * max(0, release - 2 * tolerance)
      }
    }
    return sum
  }

  /// Whether it is known what a phase before a visit hands on, possibly nothing.
  private func isKnown(_ phase: Int) -> Bool {
    phase >= count || visits(phase).count > 0
  }

  /// Finds the simplest explanation, from two sides: phases hand on as little as was seen to be released after them, or
  /// all that was released after them.
  mutating func solve() {
    for phase in 0..<count { handedOn[phase] = followers(of: phase) { $0.drop } }
    descend()
    var most = self
    for phase in 0..<count {
      most.handedOn[phase] = followers(of: phase) { $0.released ?? $0.drop }
    }
    most.descend()
    let isBetter = Candidate(value: 0, cost: most.cost, excess: most.excess)
      .isBetter(than: Candidate(value: 0, cost: cost, excess: excess))
    rival = isBetter ? handedOn : most.handedOn
    if isBetter { handedOn = most.handedOn }
  }

  /// The greatest value of the phases that come after a phase; 0 without any.
  private func followers(of phase: Int, _ value: (borrowing Visits) -> Double) -> Double {
    var greatest = 0.0
    for follower in followers(of: phase) {
      greatest = max(greatest, value(visits(follower)))
    }
    return greatest
  }

  /// Improves one phase after the other: for the bytes that it hands on, tries each value at which a part disappears.
  private mutating func descend() {
    for _ in 0..<(2 * count + 2) {
      var hasImproved = false
      for phase in 0..<count where visits(phase).count > 0 {
        if improve(phase) { hasImproved = true }
      }
      if !hasImproved { return }
    }
  }

  /// The cost and excess of a phase and the phases after it. Changing what it hands on affects no others.
  private func weigh(_ phase: Int) -> (cost: Int, excess: Double) {
    var sum = (cost: cost(phase) + costOfHandingOn, excess: excess(phase))
    for follower in followers(of: phase) {
      sum.cost += cost(follower)
      sum.excess += excess(follower)
    }
    return sum
  }

  /// A possible value for what one phase hands on, and how well it explains the observations.
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

  /// Tries the values at which the visits to a follower after `phase` agree with those after another phase.
  private mutating func considerAgreement(
    of follower: Int, for phase: Int, _ best: inout Candidate
  ) {
    let previous = visits(follower).previous
    guard let own = previous.group(of: phase) else { return }
    for index in 0..<previous.count where previous[index].phase != phase {
      let other = previous[index]
      guard isKnown(other.phase) else { continue }
      let handed = handedOn(other.phase)
      consider(other.net + handed - own.net, for: phase, &best)
      if visits(follower).released != nil {
        consider(own.released - other.released + handed, for: phase, &best)
      }
    }
  }

  /// - Returns: whether another value explains the observations better.
  private mutating func improve(_ phase: Int) -> Bool {
    let before = handedOn(phase)
    let weight = weigh(phase)
    var best = Candidate(value: before, cost: weight.cost, excess: weight.excess)
    consider(0, for: phase, &best)
    consider(visits(phase).net + inherited(phase), for: phase, &best)
    for follower in followers(of: phase) {
      let share = visits(follower).previous.share(of: phase)
      let seen = visits(follower)
      handedOn[phase] = before
      let rest = inherited(follower) - share * before
      if let released = seen.released {
        consider((released - rest) / share, for: phase, &best)
      }
      consider((seen.drop - rest) / share, for: phase, &best)
      consider((handedOn(follower) - seen.net - rest) / share, for: phase, &best)
      handedOn[phase] = before
      if misfit(follower) > KeptMemoryAttribution.leastTolerance {
        considerAgreement(of: follower, for: phase, &best)
      }
    }
    handedOn[phase] = best.value
    return best.value != before
  }
}
