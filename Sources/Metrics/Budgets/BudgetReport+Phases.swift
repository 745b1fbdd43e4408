import PerfHUDBase
import PerfHUDEvents

/// Phases and actions.
extension BudgetMeasurement {
  func phase(_ scope: Budget.Scope, _ metric: Budget.PhaseMetric) -> BudgetFinding {
    let phases = summary.phases
    let indices = (0..<phases.count).filter { matches(scope, phases[$0].name) }
    guard !indices.isEmpty else { return replaced(scope, metric, phases) ?? .none(.noPhase) }
    var all = indices.map { finding(metric, of: $0, phases, isAmongAll: scope == .all) }
    if scope == .all {
      all += phases.allReplaced.compactMap { finding(metric, of: $0) }.filter { $0.value != nil }
    }
    guard var found = worst(all, scope) else { return .none(.noPhase) }
    // Another phase than that with the greatest reading may have had the greatest peak.
    if metric == .peak, let value = found.value, let most = all.compactMap(\.most).max(),
      most > value
    {
      found.most = most
      if MissedPeak.isShown(most, over: value) { found.bound = .atLeast }
    }
    return found
  }

  /// What is known of a phase whose name was replaced; `nil` if that is not so.
  private func replaced(
    _ scope: Budget.Scope, _ metric: Budget.PhaseMetric, _ phases: PhaseTracker
  ) -> BudgetFinding? {
    guard case .named(let name) = scope else { return nil }
    return phases.replaced(name).map { finding(metric, of: $0) }
  }

  private func finding(_ metric: Budget.PhaseMetric, of phase: ReplacedPhase) -> BudgetFinding {
    switch metric {
    case .visits: BudgetFinding(value: Double(phase.visits))
    case .peak: peak(of: phase)
    case .kept, .grows: .none(.replacedPhase)
    }
  }

  private func peak(of phase: ReplacedPhase) -> BudgetFinding {
    guard let value = phase.peakBytes else { return .none(.replacedPhase) }
    let most = phase.possiblePeakBytes
    return BudgetFinding(
      value: value, bound: MissedPeak.isShown(most, over: value) ? .atLeast : .exact,
      most: most > value + MissedPeak.noise ? most : nil)
  }

  private func finding(
    _ metric: Budget.PhaseMetric, of index: Int, _ phases: PhaseTracker, isAmongAll: Bool
  ) -> BudgetFinding {
    let phase = phases[index]
    var found: BudgetFinding
    switch metric {
    case .visits: found = BudgetFinding(value: Double(phase.visits))
    case .peak: found = peak(index, phases)
    case .kept: found = kept(index, phases)
    case .grows: found = growth(index, phases)
    }
    found.name = phase.name
    // Which phase is greatest does not depend on whose it is.
    if phases.mayIncludeOthers(index), found.value != nil, metric != .peak || !isAmongAll {
      (found.bound, found.most) = (.atLeast, nil)
      if metric != .visits { found.reason = .otherPhase(nil) }
      return found
    }
    if phase.mayHaveEarlierVisits, found.value != nil, metric == .visits || metric == .peak {
      (found.bound, found.most) = (.atLeast, nil)
      return found
    }
    guard let value = found.value, metric == .kept || metric == .grows, !isAmongAll else {
      return found
    }
    let verdict = phases.verdict(index)
    var most = value + phases.hiddenBytes(index)
    switch verdict {
    case .either(let bytes, _):
      found.reason = .otherPhase(verdict.otherPhase.map { phases[Int($0)].name })
      // It may keep all of that, whatever its own visits show.
      if metric == .kept { most = max(most, bytes) }
    case .hidden:
      found.reason = .otherPhase(verdict.otherPhase.map { phases[Int($0)].name })
    case .unknown, .steady, .released, .keeps, .held: break
    }
    if most > value {
      found.bound = .atLeast
      found.most = most
    }
    return found
  }

  /// The greatest reading. Above it is what the kernel says that readings may have missed.
  private func peak(_ index: Int, _ phases: PhaseTracker) -> BudgetFinding {
    guard let value = phases.peakBytes(index) else { return .none(.absent(.absentPending)) }
    return BudgetFinding(
      value: value, bound: phases.peakIsLowerBound(index) ? .atLeast : .exact,
      most: phases.possiblePeakBytes(index))
  }

  /// The median over the remembered visits, except the first one of the process. Excludes what the allocator holds, if
  /// the program reports that.
  private func kept(_ index: Int, _ phases: PhaseTracker) -> BudgetFinding {
    let visits = phases.visits(index)
    let isOwn = visits.reportAllocatorMemory
    let process = visits.last?.process ?? 0
    let values = visits.filter { $0.counts(in: process) }
      .compactMap { isOwn ? $0.ownKeptBytes : $0.keptBytes }.sorted()
    guard values.count >= Verdict.visitsNeeded else {
      return .none(.tooFew(.visits, count: values.count, needed: Verdict.visitsNeeded))
    }
    let middle = values.count / 2
    let median =
      values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
    return BudgetFinding(value: max(0, median))
  }

  private func growth(_ index: Int, _ phases: PhaseTracker) -> BudgetFinding {
    switch phases.verdict(index) {
    case .unknown:
      let visits = phases.visits(index)
      let process = visits.last?.process ?? 0
      let count = min(
        visits.count { $0.counts(in: process) }, Verdict.visitsNeeded - 1)
      return .none(.tooFew(.visits, count: count, needed: Verdict.visitsNeeded))
    case .steady, .released, .hidden:
      let most = phases.unexplainedBytes(index)
      return most > 0
        ? BudgetFinding(value: 0, bound: .atLeast, most: most) : BudgetFinding(value: 0)
    case .held: return BudgetFinding(value: 0)
    case .keeps(let bytes, _), .either(let bytes, _): return BudgetFinding(value: bytes)
    }
  }

  func action(_ scope: Budget.Scope, _ metric: Budget.ActionMetric) -> BudgetFinding {
    let actions = run.actions
    let hasLost = run.totals.lostEvents > 0
    let all = (0..<actions.count).map { actions.totals($0, asOf: now) }
      .filter { matches(scope, $0.name) }
      .map { total in
        BudgetFinding(
          value: metric == .rate ? total.peakRate : Double(total.count),
          bound: hasLost || !total.isExact ? .atLeast : .exact, name: total.name)
      }
    return worst(all, scope) ?? .none(.noAction)
  }

  private func matches(_ scope: Budget.Scope, _ name: Event.Name) -> Bool {
    switch scope {
    case .all: true
    case .named(let wanted): wanted == name
    }
  }

  /// The finding with the greatest value. Findings without data count only if all lack data.
  private func worst(_ all: [BudgetFinding], _ scope: Budget.Scope) -> BudgetFinding? {
    var result = all.max {
      ($0.value ?? -.infinity, $0.most ?? 0) < ($1.value ?? -.infinity, $1.most ?? 0)
    }
    // A budget for a single name already contains it.
    if scope != .all || result?.value == nil { result?.name = nil }
    return result
  }
}
