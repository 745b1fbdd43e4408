import PerfHUDBase

/// The statistics over the samples that the budgets of a run need. Pure; the memory is fixed after `init`.
package struct BudgetStatistics: Sendable {
  /// One for each budget; `nil` for a budget that needs none.
  private(set) var values: [SampledValue?]
  let isNeeded: Bool

  init(_ budgets: [Budget] = []) {
    values = budgets.map { budget in
      guard case .sampled(let subject, let statistic) = budget.metric else { return nil }
      return SampledValue(subject, statistic)
    }
    isNeeded = values.contains { $0 != nil }
  }

  /// Takes the values of a row. It allocates nothing.
  ///
  /// - Parameters:
  ///   - isWholeWindow: whether the CPU share is over its whole window.
  ///   - hasFinalCPU: whether the process has ended, and has used CPU time since the sample before.
  mutating func take(
    _ row: Row, leading: MemoryMetric, isWholeWindow: Bool, hasFinalCPU: Bool = false
  ) {
    for index in values.indices
    where !row.hasEnded || values[index]?.isMeasuredAtEnd(hasFinalCPU) == true {
      values[index]?.take(row, leading: leading, isWholeWindow: isWholeWindow)
    }
  }
}

/// A statistic of one metric over the whole run, across all targets.
struct SampledValue: Sendable {
  private let subject: Rule.Subject
  private let statistic: Rule.Statistic
  private var running = RunningStatistics()
  private var histogram: ValueHistogram?
  /// Whether any of the values was a lower bound.
  private(set) var isLowerBound = false
  /// Why the last value was missing.
  private(set) var absence: Word?

  init(_ subject: Rule.Subject, _ statistic: Rule.Statistic) {
    self.subject = subject
    self.statistic = statistic
    if case .percentile = statistic { histogram = ValueHistogram() }
  }

  var count: Int { running.count }

  /// The statistic; `nil` without any value.
  var value: Double? {
    guard running.count > 0 else { return nil }
    return switch statistic {
    case .peak, .value, .growth: running.greatest
    case .least: running.least
    case .mean: running.mean
    case .percentile(let percent): histogram?.value(percentile: percent)
    }
  }

  /// Whether the last sample of a process has a value of its own: its CPU time, and what is counted from outside.
  func isMeasuredAtEnd(_ hasFinalCPU: Bool) -> Bool {
    switch subject {
    case .metric(.cpu), .metric(.cpuWindow): hasFinalCPU
    case .metric(.memoryHigh), .metric(.memoryMax), .metric(.oomKills): true
    default: false
    }
  }

  mutating func take(_ row: Row, leading: MemoryMetric, isWholeWindow: Bool) {
    let metric = subject.metric(leading: leading)
    if row.isProvisional, metric.unit != .bytes, metric.unit != .count { return }
    switch metric {
    case .cpuWindow where !isWholeWindow: return
    // The tick is perfhud's own, and a program that draws nothing has no frame rate.
    case .fps, .frameMedian, .frameP99, .hitches:
      if row.fpsSource == .tick || (metric == .fps && row.isIdle) {
        absence = .absentNoFrames
        return
      }
    default: break
    }
    switch row[metric] {
    case .value(let value):
      guard value.isFinite else { return }
      running.add(value)
      histogram?.add(value)
      if row.lowerBounds.contains(metric) { isLowerBound = true }
    case .absent(let reason): absence = reason.word
    }
  }
}
