import PerfHUDBase
import PerfHUDEvents

/// The budgets of a run, judged at its end. Pure.
package struct BudgetReport: Sendable {
  package let results: [BudgetResult]
  /// The command line of the target, and how long the run took.
  package let command: String
  package let wallSeconds: Double
  package let disturbance: Disturbance

  /// - Parameters:
  ///   - budgets: the budgets of the header, for which the run has statistics; also others if they need no statistics.
  ///   - now: when the run ended.
  ///   - end: the end of the command that perfhud started; `nil` if it started none.
  ///   - missing: the part of the run that is missing, as in a recording that was cut.
  package init(
    _ run: Run, asOf now: Instant, end: CommandEnd? = nil, missing: MissingPart = .none
  ) {
    let measured = BudgetMeasurement(run, asOf: now, end: end, missing: missing)
    command = run.program.command
    wallSeconds = measured.summary.wallSeconds
    disturbance = measured.disturbance
    results = run.header.budgets.enumerated().map { index, budget in
      budget.judge(measured.finding(budget.metric, index), measured.disturbance)
    }
  }

  package var isEmpty: Bool { results.isEmpty }
  /// Whether any budget fails that is more than a warning.
  package var fails: Bool { results.contains(where: \.fails) }
  /// Whether any budget is inconclusive that is more than a warning.
  package var isUndecided: Bool { results.contains(where: \.isUndecided) }
}

/// The part of a run that a damaged recording lacks.
package enum MissingPart: Equatable, Sendable {
  case none
  /// Something before the end, which is known.
  case gap
  /// The end.
  case end
}

/// Measures the values of budgets in a run that has ended.
struct BudgetMeasurement {
  let run: Run
  let now: Instant
  let end: CommandEnd?
  let missing: MissingPart
  let summary: RunSummary
  let disturbance: Disturbance

  init(_ run: Run, asOf now: Instant, end: CommandEnd?, missing: MissingPart) {
    self.run = run
    self.now = now
    self.end = end
    self.missing = missing
    summary = RunSummary(run, asOf: now, end: end)
    disturbance = run.disturbance(cpuSeconds: summary.cpuSeconds)
  }

  /// - Parameter index: the index of the budget in the header.
  func finding(_ metric: BudgetMetric, _ index: Int) -> BudgetFinding {
    var found = seen(metric, index)
    // The missing part may have any value.
    if missing != .none, metric.onlyGrows, !isWhollyKnown(metric), found.value != nil,
      found.bound != .atMost
    {
      found.bound = .atLeast
      found.most = .infinity
    }
    return found
  }

  /// Whether the end of the run says a value, whatever is missing before it.
  private func isWhollyKnown(_ metric: BudgetMetric) -> Bool {
    switch metric {
    case .wall: missing != .end
    case .cpuTime: end?.userNanoseconds != nil
    case .bytesRead: end?.readBytes != nil
    case .bytesWritten: end?.writtenBytes != nil
    default: false
    }
  }

  /// The finding of what is there of the run.
  private func seen(_ metric: BudgetMetric, _ index: Int) -> BudgetFinding {
    switch metric {
    case .cpuTime: return cpuTime(summary.cpuSeconds)
    case .wall:
      let isEmpty = missing == .end && run.latest == nil
      return isEmpty ? .none(.absent(.absentPending)) : BudgetFinding(value: summary.wallSeconds)
    case .bytesRead: return storage(summary.bytesRead, isCounted: end?.readBytes != nil)
    case .bytesWritten: return storage(summary.bytesWritten, isCounted: end?.writtenBytes != nil)
    case .frameTime(let statistic): return frames { $0.value(statistic) }
    case .frameRate:
      return frames(least: Rule.leastSamples(of: .mean), .atLeast) { ($0.meanRate, 10) }
    case .hitches: return hitches()
    case .answerTime(let statistic): return answers(statistic)
    case .phase(let scope, let metric): return phase(scope, metric)
    case .action(let scope, let metric): return action(scope, metric)
    case .sampled(.metric(.cpuWindow), .mean), .sampled(.metric(.cpu), .mean):
      return cpuTime(summary.cpuPercent)
    case .sampled(let subject, let statistic): return sampled(subject, statistic, index)
    }
  }

  // MARK: Totals

  private func cpuTime(_ value: Double?) -> BudgetFinding {
    guard let value else { return .none(.absent(absence(.cpuTime))) }
    return BudgetFinding(value: value, bound: summary.cpuIsLowerBound ? .atLeast : .exact)
  }

  /// - Parameter isCounted: by the kernel, for the command and all descendants that were waited for.
  private func storage(_ value: Double?, isCounted: Bool) -> BudgetFinding {
    guard let value else { return .none(.absent(absence(.writeRate))) }
    // What happened after the last reading is unknown.
    let isWhole =
      isCounted
      || run.totals.storage.time.map { now.seconds(since: $0) < 0.2 && run.ended == nil } == true
    return BudgetFinding(value: value, bound: isWhole ? .exact : .atLeast)
  }

  /// Why a metric has no value at the end.
  private func absence(_ metric: Metric) -> Word {
    guard let latest = run.latest else { return .absentPending }
    if case .absent(let reason) = latest[metric], reason != .pending { return reason.word }
    return .absentPending
  }

  // MARK: Samples

  private func sampled(
    _ subject: Rule.Subject, _ statistic: Rule.Statistic, _ index: Int
  ) -> BudgetFinding {
    let metric = subject.metric(leading: run.header.memory)
    let sampled =
      run.budgetStatistics.values.indices.contains(index)
      ? run.budgetStatistics.values[index] : nil
    let count = sampled?.count ?? 0
    let needed = Rule.leastSamples(of: statistic)
    var value = sampled?.value
    var bound: BudgetResult.Bound = sampled?.isLowerBound == true ? .atLeast : .exact
    if metric == run.header.memory.metric, statistic == .peak {
      // As in the summary: a lower bound that cannot have reached the peak does not matter.
      bound = summary.peakIsLowerBound ? .atLeast : .exact
    }
    if metric == .resident, statistic == .peak, let peak = summary.peakResident {
      // As in the summary.
      if peak.isUpperBound { bound = .atMost }
      value = peak.bytes
    }
    // As in the summary: a reading between two samples may be the peak.
    if metric == run.header.memory.metric, statistic == .peak, let sampled = value {
      value = max(sampled, summary.peakBytes ?? 0)
    }
    if value == nil, metric == .footprint, statistic == .peak, let peak = summary.peakResident {
      // It was too short for a sample. Its footprint was no larger than its resident memory.
      return BudgetFinding(value: peak.bytes, bound: .atMost)
    }
    guard let value else { return .none(.absent(sampled?.absence ?? absence(metric))) }
    guard count >= needed || statistic == .peak else {
      return .none(.tooFew(.samples, count: count, needed: needed))
    }
    let unseen = summary.unseenPeakBytes
    guard statistic == .peak, unseen > 0, metric == .footprint || metric == .pss else {
      return BudgetFinding(value: value, bound: bound)
    }
    // A value that is a lower bound for another reason must also be far from its limit.
    let most = bound == .exact ? value + unseen : max(value + unseen, value / Budget.certainShare)
    return BudgetFinding(
      value: value, bound: summary.missedPeakBytes > 0 ? .atLeast : bound, most: most)
  }

  // MARK: Frames and answers

  /// The frame times of the program. The tick does not count, because it is perfhud's own.
  private var frameTimes: FrameHistogram? {
    guard let found = run.totalFrames, found.source != .tick else { return nil }
    return found.times
  }

  /// - Parameter bound: what the value is if some frames may be several, which makes their times too long.
  private func frames(
    least: Int = 1, _ bound: BudgetResult.Bound = .atMost,
    _ value: (FrameHistogram) -> (value: Double?, needed: Int)
  ) -> BudgetFinding {
    guard let times = frameTimes else { return .none(.absent(.absentNoFrames)) }
    let (found, needed) = value(times)
    let count = Int(clamping: times.timed)
    guard count >= max(least, needed), let found else {
      return .none(.tooFew(.frames, count: count, needed: max(least, needed)))
    }
    return BudgetFinding(value: found, bound: summary.framesAreLowerBound ? bound : .exact)
  }

  private func hitches() -> BudgetFinding {
    guard let frames = run.frames else { return .none(.absent(.absentNoFrames)) }
    return self.frames(least: Rule.leastSamples(of: .mean)) { times in
      (times.seconds > 0 ? frames.hitchNanoseconds * 1e-6 / times.seconds : nil, 1)
    }
  }

  private func answers(_ statistic: Rule.Statistic) -> BudgetFinding {
    guard let times = run.output.answers.total, times.timed > 0 else {
      return .none(.absent(absence(.keyToFrame)))
    }
    guard UInt64(run.output.answers.unclearCount) <= times.timed else {
      return .none(.absent(.absentUnclear))
    }
    let (value, needed) = times.value(statistic)
    let count = Int(clamping: times.timed)
    guard count >= needed, let value else {
      return .none(.tooFew(.answers, count: count, needed: needed))
    }
    return BudgetFinding(value: value)
  }
}

extension FrameHistogram {
  /// A statistic of the times in milliseconds, and how many of them it needs.
  fileprivate func value(_ statistic: Rule.Statistic) -> (value: Double?, needed: Int) {
    let needed = Rule.leastSamples(of: statistic)
    return switch statistic {
    case .mean: (meanMilliseconds, needed)
    case .percentile(let percent): (milliseconds(percentile: percent), needed)
    case .value, .growth, .peak, .least: (milliseconds(percentile: 100), needed)
    }
  }
}
