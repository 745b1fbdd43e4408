import PerfHUDBase

/// Reaches verdicts on phases from the visits to all of them.
extension PhaseTracker {
  /// Computes all verdicts if a visit has settled.
  mutating func judge(_ notices: inout NoticeList) {
    guard hasNews else { return }
    let now = unsettled.recentMemory.newest ?? judged
    guard judged.nanoseconds == 0 || now.nanoseconds(since: judged) >= PhaseTracker.judgePeriod
    else { return }
    hasNews = false
    judged = now
    attribution.begin(count)
    for index in 0..<count { attribution.set(index, attributionVisits(index)) }
    attribution.solve()
    solveOwn()
    for index in 0..<count { verdicts[index] = ownVerdict(index) }
    // If a phase names another as a candidate, the other names it too. If that one keeps memory anyway, it may keep more.
    for index in 0..<count {
      guard case .either(let bytes, let other?) = verdicts[index] else { continue }
      if !verdicts[Int(other)].isGrowth {
        verdicts[Int(other)] = .either(bytesPerVisit: bytes, with: PhaseIndex(index))
      }
    }
    suspectThoseThatMayHide()
    doubtThoseThatHandOn()
    for index in 0..<count {
      guard case .either(_, let other?) = verdicts[index], case .keeps = verdicts[Int(other)] else {
        continue
      }
      phases[Int(other)].suspectedGrowthOf |= 1 &<< UInt64(index)
    }
    for index in 0..<count where hiddenBytes(index) > 0 {
      if case .keeps(let bytes, _) = verdicts[index] {
        verdicts[index] = .keeps(bytesPerVisit: bytes, orMore: true)
      }
    }
    withdrawWhatWasReleased()
    for index in 0..<count {
      phases[index].keptBytes = totalKept(index)
    }
    noteGrowth(at: now, &notices)
  }

  /// Adds a notice for each phase that is now known to keep memory.
  mutating func noteGrowth(at now: Instant, _ notices: inout NoticeList) {
    for index in 0..<count { noteGrowth(index, at: now, &notices) }
  }

  /// Adds a notice when a phase is first known to keep memory: it or another one, and later perhaps it alone.
  private mutating func noteGrowth(_ index: Int, at now: Instant, _ notices: inout NoticeList) {
    let verdict = verdicts[index]
    guard verdict.isGrowth else {
      phases[index].hasGrowthNotice = false
      phases[index].hasCertainNotice = false
      return
    }
    let other = verdict.otherPhase
    switch verdict {
    case .keeps:
      guard !phases[index].hasCertainNotice else { return }
      phases[index].hasCertainNotice = true
    default:
      guard !phases[index].hasGrowthNotice else { return }
      // Of phases that may be the cause of the same growth, the likeliest gets the notice: the one with most of it.
      guard !isSecondary(index) else { return }
    }
    phases[index].hasGrowthNotice = true
    notices.add(
      verdict, of: phases[index], PhaseIndex(index), or: other.map { phases[Int($0)].name },
      at: now)
  }

  /// Whether another phase that may be the cause of the same growth has the notice, or will have it.
  private func isSecondary(_ index: Int) -> Bool {
    guard let bytes = verdicts[index].bytesPerVisit else { return false }
    return (0..<count).contains { other in
      guard other != index, let others = verdicts[other].bytesPerVisit,
        verdicts[index].isInDoubt(as: PhaseIndex(index), with: verdicts[other], PhaseIndex(other))
      else { return false }
      if others > bytes * Verdict.clearlyMore { return true }
      return phases[other].hasGrowthNotice && bytes <= others * Verdict.clearlyMore
        && verdicts[other].otherPhase == PhaseIndex(index)
    }
  }

  private func ownVerdict(_ index: Int) -> Verdict {
    let list = visits(index)
    var verdict = Verdict(list)
    // A sample may catch the moment in which memory of the previous phase is released. The borders are exact.
    if !verdict.isGrowth, let atBorders = borderLevels(list, index) { verdict = Verdict(atBorders) }
    if case .keeps = verdict {
    } else if let slope = trends[index].rise, let kept = attribution.kept(index),
      kept >= Verdict.leastShareOfRise * slope.bytesPerVisit, !list.reportAllocatorMemory
    {
      verdict = .keeps(bytesPerVisit: slope.bytesPerVisit * shareOfGrowth(index, kept))
    }
    guard case .keeps(let bytes, _) = verdict else { return verdict }
    var attribution = attribution
    if list.reportAllocatorMemory, let own = ownAttribution, own.kept(index) != nil {
      attribution = own
    }
    if let other = contradiction(to: bytes, list) {
      return .either(bytesPerVisit: bytes, with: other)
    }
    // As long as too little is known of its neighbors, they may be the cause; but do not wait forever.
    if attribution.kept(index) == nil, list.count < VisitList.capacity {
      return .unknown(visitsNeeded: 1)
    }
    if case .late(let other) = list.borderReadings(bytes) {
      return .either(bytesPerVisit: bytes, with: other)
    }
    if attribution.isInaccurate(index, for: bytes) {
      return .either(bytesPerVisit: bytes, with: nil)
    }
    return attribution.alternative(to: index).map {
      .either(bytesPerVisit: bytes, with: PhaseIndex($0))
    } ?? verdict
  }

  /// The share of a phase in the growth of the process from one of its visits to the next, if a visit to it keeps
  /// `bytes`; 1 if no other phase grows.
  private func shareOfGrowth(_ index: Int, _ bytes: Double) -> Double {
    var sum = bytes
    for other in 0..<count where other != index {
      let rate = Double(phases[other].visits) / Double(max(1, phases[index].visits))
      guard let kept = attribution.kept(other) else { continue }
      if rate * kept > bytes / 8 { sum += rate * kept }
    }
    return bytes / sum
  }

  /// Whether visits contradict that each keeps `bytes`: memory at their borders does not show it, and nothing was
  /// released meanwhile. If the borders of the other visits do not show it either, it was only inferred from what was
  /// released in them, and the phase before them may be the one that keeps it.
  ///
  /// - Returns: that phase, or `nil` within if there are several; `nil` without a contradiction.
  private func contradiction(to bytes: Double, _ list: VisitList) -> PhaseIndex?? {
    guard !list.reportAllocatorMemory else { return nil }
    var without = 0
    var net = 0.0
    var others: (count: Int, phase: PhaseIndex?, isOne: Bool) = (0, nil, true)
    for position in 0..<list.count {
      let visit = list[position]
      guard visit.counts(in: process), visit.hasBorderReadings, let change = visit.netBytes else {
        continue
      }
      if change <= bytes / 4, Double(visit.dropBytes) < bytes / 4 {
        without += 1
        continue
      }
      net += change
      if others.count > 0, others.phase != visit.previous { others.isOne = false }
      others = (others.count + 1, visit.previous, others.isOne)
    }
    guard without >= 2, others.count > 0, net < Double(others.count) * bytes / 2 else { return nil }
    return .some(others.isOne ? others.phase : nil)
  }

  /// Says of no phase that it releases its memory if a phase after it may only seem to keep that.
  private mutating func doubtThoseThatHandOn() {
    for index in 0..<count {
      switch verdicts[index] {
      case .steady, .released: break
      case .unknown, .keeps, .either, .held, .hidden: continue
      }
      let verdicts = verdicts
      if let other = attribution.followerInDoubt(index, { verdicts[$0].isGrowth }) {
        self.verdicts[index] = .hidden(behind: PhaseIndex(other))
        phases[index].suspectedGrowthOf |= 1 &<< UInt64(other)
      }
    }
  }

  // MARK: Releases after the visits

  /// Whether a reading may show that the visits of a phase have released their memory after all.
  func mayShowRelease(at time: Instant) -> Bool {
    time.nanoseconds(since: newest.began) <= UnsettledVisits.settleTime
      && (0..<count).contains { verdicts[$0].isGrowth } && isNewestUnknown
  }

  /// Whether too little is known of the phase that began last to explain what it releases.
  private var isNewestUnknown: Bool { newest.phase.map { !isKnown($0) } ?? true }

  /// Withdraws the verdict on phases whose visits may have released their memory later, in a thread for example: soon
  /// after them, in a phase that is not known, memory fell by at least half of what they seem to keep together, apart
  /// from what the phase before that hands on.
  private mutating func withdrawWhatWasReleased() {
    hasWithdrawn = false
    guard isNewestUnknown,
      let level = unsettled.recentMemory.last(asOf: newest.began)?.bytes
    else { return }
    let expected = newest.previous.map { attribution.handedOn(Int($0)) } ?? 0
    let earliest = newest.began.advanced(byNanoseconds: -UnsettledVisits.settleTime)
    for index in 0..<count {
      guard let bytes = verdicts[index].bytesPerVisit else { continue }
      var recent = 0
      var last: Instant?
      for visit in rememberedVisits(index) where visit.counts(in: process) {
        guard let left = visit.left, left >= earliest else { continue }
        recent += 1
        last = left
      }
      guard let last else { continue }
      var end = last.advanced(byNanoseconds: UnsettledVisits.settleTime)
      if let cutoff = unsettled.cutoff { end = min(end, cutoff) }
      guard let least = unsettled.recentMemory.least(after: newest.began, to: end),
        level - least - expected >= bytes * Double(recent) / 2
      else { continue }
      verdicts[index] = .hidden(behind: nil)
      hasWithdrawn = true
    }
  }

  // MARK: Room in the allocator

  /// Looks for phases whose growth may show in another one.
  ///
  /// A phase that frees memory may leave room in the allocator. What a later phase keeps then comes out of that room,
  /// without a trace in the memory of the process, and the next visit to the first phase fills the room anew: it seems
  /// to keep what it only replaces.
  private mutating func suspectThoseThatMayHide() {
    let own = verdicts
    for index in 0..<count { phases[index].suspectedGrowthOf = 0 }
    for index in 0..<count {
      guard case .keeps(let bytes, _) = own[index], !visits(index).reportAllocatorMemory else {
        phases[index].growsAfter = 0
        continue
      }
      let room = room(index, for: bytes)
      let list = rememberedVisits(index)
      var suspect: PhaseIndex?
      var suspects = 0
      for other in 0..<count
      where other != index
        && (growsOnlyAfter(other, index, list, by: bytes)
          || room.map { mayHide(other, in: $0) } == true)
      {
        suspects += 1
        suspect = PhaseIndex(other)
        phases[other].suspectedGrowthOf |= 1 &<< UInt64(index)
        if !own[other].isGrowth { verdicts[other] = .hidden(behind: PhaseIndex(index)) }
      }
      if suspects > 0 {
        verdicts[index] = .either(bytesPerVisit: bytes, with: suspects == 1 ? suspect : nil)
      }
    }
  }

  /// Whether a phase grows if another one was visited since its last visit, and not otherwise. It may free all that it
  /// takes, and the other one keeps some of that room. The visits may be too short to see what they free.
  ///
  /// What was found stays until visits contradict it, since few visits are remembered.
  ///
  /// - Parameters:
  ///   - list: the remembered visits to the phase.
  ///   - bytes: what the phase seems to keep for each visit.
  private mutating func growsOnlyAfter(
    _ other: Int, _ index: Int, _ list: VisitList, by bytes: Double
  ) -> Bool {
    let bit: UInt64 = 1 &<< UInt64(other)
    var with = (count: 0, net: 0.0)
    var without = (count: 0, net: 0.0)
    for position in 0..<list.count {
      let visit = list[position]
      guard visit.counts(in: process), let net = visit.netBytes else { continue }
      if visit.between & bit != 0 {
        with = (with.count + 1, with.net + net)
      } else {
        without = (without.count + 1, without.net + net)
      }
    }
    if with.count >= 2, without.count >= 3 {
      let growth = with.net / Double(with.count)
      let rest = without.net / Double(without.count)
      if growth >= bytes / 2, rest <= growth / 4 {
        phases[index].growsAfter |= bit
      } else if rest > growth / 2 {
        phases[index].growsAfter &= ~bit
      }
    }
    return phases[index].growsAfter & bit != 0
  }

  /// The bytes that a visit to a phase may keep in addition to what it seems to keep, because they would show as growth
  /// of other phases.
  package func hiddenBytes(_ index: Int) -> Double {
    var sum = 0.0
    for other in 0..<count where phases[index].suspectedGrowthOf & (1 &<< UInt64(other)) != 0 {
      guard let bytes = verdicts[other].bytesPerVisit else { continue }
      sum += bytes * Double(phases[other].visits) / Double(max(1, phases[index].visits))
    }
    return sum
  }

  /// What a phase may leave in the allocator.
  private struct Room {
    let owner: Int
    /// What the phase seems to keep, and so what it may replace, in bytes for each visit.
    let bytes: Double
    /// Whether its first visit gave memory back to the system, and later ones do not: since then the allocator holds it.
    let isNew: Bool
  }

  /// The room that a phase may leave if it seems to keep `bytes` a visit: its visits free at least as much, or the
  /// first one did, or that one took at least twice as much. `nil` if it leaves none, or if the program reports what
  /// its allocator holds.
  private func room(_ index: Int, for bytes: Double) -> Room? {
    let list = visits(index)
    guard !list.reportAllocatorMemory, let first = keptInWarmUp(index) else { return nil }
    let isLarge = first >= 2 * bytes && first - bytes > Verdict.leastNoise
    let freedAtFirst = phases[index].warmUp?.freedBytes ?? 0
    let isNew = freedAtFirst >= bytes && list.mostFreed(in: process) < bytes / 4
    guard isLarge || isNew || list.meanFreed(in: process) >= bytes else { return nil }
    return Room(owner: index, bytes: bytes, isNew: isNew)
  }

  /// Whether a phase may keep what the owner of the room seems to keep.
  ///
  /// - It grows as well, by at least a quarter of that, and neither grows by the same amount each time. Blocks that are
  ///   leaked are alike; room in the allocator is not. So one phase that grows may explain both.
  /// - Its first visit kept more than the later ones, by at least a third of that, and there may have been some room
  ///   since then: it came before that phase, or the first visit of that phase left none yet.
  private func mayHide(_ index: Int, in room: Room) -> Bool {
    guard isKnown(PhaseIndex(index)), !visits(index).reportAllocatorMemory,
      let first = phases[index].warmUp, let ownerFirst = phases[room.owner].warmUp
    else { return false }
    let share = Double(phases[room.owner].visits) / Double(max(1, phases[index].visits))
    let hidden = share * room.bytes
    let kept = max(0, attribution.kept(index) ?? 0)
    if kept >= hidden / 4, attribution.varies(index), attribution.varies(room.owner) { return true }
    return (room.isNew || first.entered < ownerFirst.entered)
      && (keptInWarmUp(index) ?? 0) - kept >= hidden / 3
  }

  /// What the first visit to a phase kept, with what the phase before it handed on, in bytes.
  private func keptInWarmUp(_ index: Int) -> Double? {
    phases[index].warmUp.map {
      $0.netBytes + attribution.carried(into: index, from: $0.previous)
    }
  }

  /// The visits with the memory levels read at their borders: what each left behind, minus what it hands on to be
  /// released later. `nil` without such readings.
  private func borderLevels(_ list: VisitList, _ index: Int) -> VisitList? {
    guard attribution.kept(index) != nil else { return nil }
    var result = VisitList()
    for position in 0..<list.count {
      var visit = list[position]
      guard visit.hasBorderReadings, let left = visit.leftBytes else { return nil }
      visit.settledBytes = left - attribution.handedOn(index)
      result.append(visit)
    }
    return result
  }

  /// What all visits to a phase have kept together, in bytes: at least 0 and at most what the process ever had.
  private func totalKept(_ index: Int) -> Double {
    let phase = phases[index]
    var total = phase.sumOfKeptBytes
    if let kept = attribution.kept(index), let net = attribution.net(index) {
      total = phase.sumOfNetBytes + Double(phase.netVisits) * (kept - net)
    }
    return max(0, min(total, phase.peakBytes ?? 0))
  }
}
