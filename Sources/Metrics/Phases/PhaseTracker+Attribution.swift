import PerfHUDBase

/// What the visits to all phases say together, and what follows for each of them.
extension PhaseTracker {
  /// Explains what the program keeps apart from what its allocator holds, if it reports that for all its phases.
  mutating func solveOwn() {
    var reports = count > 0
    for index in 0..<count where reports {
      let list = rememberedVisits(index)
      reports = list.reportAllocatorMemory || !list.contains { $0.counts(in: process) }
    }
    var own = ownAttribution.take()
    if reports {
      own = own ?? KeptMemoryAttribution()
      own?.begin(count)
      for index in 0..<count { own?.set(index, attributionVisits(index, isOwn: true)) }
      own?.solve()
    } else {
      own?.begin(0)
    }
    ownAttribution = own
  }

  /// The means over the visits to a phase that count.
  ///
  /// - Parameter isOwn: whether to leave out what the allocator holds. What was released is not known then, since memory
  ///   that the allocator hands out again is not faulted in.
  func attributionVisits(_ index: Int, isOwn: Bool = false) -> KeptMemoryAttribution.Visits {
    var result = KeptMemoryAttribution.Visits()
    var released = 0.0
    var releasedCount = 0
    var squares = 0.0
    var unknown = 0
    var leastTolerance = KeptMemoryAttribution.leastTolerance
    let list = rememberedVisits(index)
    for position in 0..<list.count {
      let visit = list[position]
      guard visit.counts(in: process), let change = visit.netBytes else { continue }
      let net = isOwn ? change - (visit.heldBytes ?? 0) : change
      result.count += 1
      result.net += net
      squares += net * net
      if !isOwn {
        result.drop += Double(visit.dropBytes)
        result.fall += max(0, (visit.takenBytes ?? 0) - max(0, change))
      }
      if !isOwn, let bytes = visit.releasedBytes {
        released += Double(bytes)
        releasedCount += 1
      }
      if !visit.hasBorderReadings { leastTolerance = Verdict.leastNoise }
      result.previous.add(
        visit.previous, net: net, released: visit.releasedBytes.map { Double($0) } ?? 0)
      if !isKnown(visit.previous) || !isKnown(visit.following) { unknown += 1 }
    }
    guard result.count >= Verdict.visitsNeeded else { return KeptMemoryAttribution.Visits() }
    // The phase in which a program ends never becomes known.
    result.hasUnknownNeighbor = 2 * unknown > result.count
    let count = Double(result.count)
    result.net /= count
    result.drop /= count
    result.fall /= count
    if releasedCount == result.count { result.released = released / count }
    let variance =
      result.previous.variance ?? max(0, squares / count - result.net * result.net)
    result.spread = 2 * (variance / count).squareRoot()
    result.tolerance = max(leastTolerance, result.spread)
    return result
  }

  /// Whether enough visits to a phase count to explain it.
  func isKnown(_ phase: PhaseIndex?) -> Bool {
    guard let phase else { return true }
    let list = rememberedVisits(Int(phase))
    var counted = 0
    for position in 0..<list.count where list[position].counts(in: process) { counted += 1 }
    return counted >= Verdict.visitsNeeded
  }

  /// The visit, with what it kept according to all visits together.
  func attributed(_ visit: Visit) -> Visit {
    guard visit.counts(in: process), let net = visit.netBytes,
      attribution.kept(Int(visit.phase)) != nil
    else { return visit }
    var visit = visit
    visit.attributedBytes = Float(
      net + attribution.carried(into: Int(visit.phase), from: visit.previous))
    if let held = visit.heldBytes, let own = ownAttribution, own.kept(Int(visit.phase)) != nil {
      let kept = net - held + own.carried(into: Int(visit.phase), from: visit.previous)
      visit.heldBytes = (visit.keptBytes ?? kept) - kept
    }
    if let previous = visit.previous, let taken = visit.takenBytes {
      visit.takenBytes =
        taken + max(0, attribution.handedOn(Int(previous)) - Double(visit.dropBytes))
    }
    return visit
  }
}
