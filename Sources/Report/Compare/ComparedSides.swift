import Metrics
import PerfHUDBase
import PerfHUDEvents

/// The runs of both sides, and their values of a metric.
struct ComparedSides {
  let base: [RunMetrics]
  let new: [RunMetrics]
  /// Whether runs are compared, without the first of each side, instead of their visits.
  let comparesRuns: Bool
  private let comparesMemory: Bool
  private let isSameMachine: Bool

  init(base: [RunMetrics], new: [RunMetrics]) {
    self.base = base
    self.new = new
    comparesRuns = min(base.count, new.count) > Comparison.leastRuns
    comparesMemory = Set((base + new).map(\.memory)).count == 1
    let hosts = (base + new).map(\.host)
    isSameMachine = hosts.allSatisfy {
      $0.kernel == hosts[0].kernel && $0.processors == hosts[0].processors
    }
  }

  /// The reasons why the sides are hard to compare, one sentence each.
  var remarks: [String] {
    var remarks: [String] = []
    if !isSameMachine { remarks.append("The recordings are of different machines or kernels.") }
    if !comparesMemory {
      remarks.append("The recordings have different memory metrics: memory is not compared.")
    }
    return remarks
  }

  // MARK: Values

  /// All phases in the order in which the base first entered them, then those that only the new side has.
  var phaseNames: [Event.Name] {
    var names: [Event.Name] = []
    for run in base + new {
      for phase in run.phases where !names.contains(phase.name) { names.append(phase.name) }
    }
    return names
  }

  func wholeRun() -> ComparedSubject {
    func values(_ metric: ComparedMetric, _ runs: [RunMetrics]) -> [Double] {
      runs.dropFirst(runs.count > 1 ? 1 : 0).compactMap { $0.values[metric] }
    }
    return subject(
      nil, .run, limit: Comparison.mostRuns, isAtBorders: false,
      metrics: ComparedMetric.allCases, values)
  }

  func phase(_ name: Event.Name) -> ComparedSubject {
    let metrics = ComparedMetric.allCases.filter(\.isLeading)
    let isAtBorders = (base + new).allSatisfy { run in
      visits(name, run).dropFirst().allSatisfy(\.hasBorderReadings)
    }
    guard comparesRuns else {
      return subject(
        name, .visit, limit: Comparison.mostVisits, isAtBorders: isAtBorders, metrics: metrics
      ) { metric, runs in
        runs.flatMap { visits(name, $0).dropFirst().compactMap { $0.values[metric] } }
      }
    }
    // If some runs visit a phase only once, first visits are compared.
    let isVisitedOnce = (base + new).contains { visits(name, $0).count == 1 }
    return subject(
      name, .run, limit: Comparison.mostRuns, isAtBorders: isAtBorders, metrics: metrics
    ) { metric, runs in
      runs.dropFirst().compactMap { run in
        let all = visits(name, run)
        let counted = isVisitedOnce ? all.prefix(1) : all.dropFirst()
        return MedianDifference.median(counted.compactMap { $0.values[metric] })
      }
    }
  }

  private func visits(_ name: Event.Name, _ run: RunMetrics) -> [VisitMetrics] {
    run.phases.first { $0.name == name }?.visits ?? []
  }

  private func subject(
    _ phase: Event.Name?, _ unit: ComparedUnit, limit: Int, isAtBorders: Bool,
    metrics: [ComparedMetric], _ values: (ComparedMetric, [RunMetrics]) -> [Double]
  ) -> ComparedSubject {
    let rows = metrics.compactMap { metric -> ComparedRow? in
      if metric.isMemory, !comparesMemory { return nil }
      let sides = (values(metric, base), values(metric, new))
      guard !sides.0.isEmpty || !sides.1.isEmpty else { return nil }
      if !metric.isLeading, (sides.0 + sides.1).allSatisfy({ $0 == 0 }) { return nil }
      return ComparedRow(
        metric, unit: unit, base: sides.0, new: sides.1, limit: limit, isAtBorders: isAtBorders,
        areBounds: (base.contains { $0.isBound(metric) }, new.contains { $0.isBound(metric) }))
    }
    let counts = (values(.time, base).count, values(.time, new).count)
    return ComparedSubject(phase: phase, unit: unit, counts: counts, rows: rows)
  }

  // MARK: Doubts

  /// From this share of disturbed runs on, the times of a side mean nothing.
  private static let disturbedShare = 0.25

  /// Why a metric cannot be judged; `nil` if it can.
  ///
  /// A disturbance that cannot explain a change does not prevent judging it.
  func doubt(of metric: ComparedMetric, isChange: Bool, isMore: Bool) -> String? {
    if (base + new).contains(where: { $0.isBound(metric) }) {
      return metric == .peak
        ? "memory of child processes may be missing" : "child processes that were not seen"
    }
    let effect = metric.disturbance
    guard !effect.isEmpty else { return nil }
    guard isSameMachine else { return "different machines" }
    // A load on the new side looks like a change in this direction; a load on the base looks like one in the other.
    let inBase: DisturbanceEffect = isMore ? .lowers : .raises
    let inNew: DisturbanceEffect = isMore ? .raises : .lowers
    if !isChange || effect.contains(inBase), let reason = disturbance(of: base) {
      return reason + " in the base"
    }
    if !isChange || effect.contains(inNew), let reason = disturbance(of: new) {
      return reason + " in the new"
    }
    return nil
  }

  /// What most disturbed the runs of a side; `nil` if only a few were disturbed.
  private func disturbance(of runs: [RunMetrics]) -> String? {
    let counted = comparesRuns ? Array(runs.dropFirst()) : runs
    let worst = counted.compactMap(\.disturbance.worst)
    guard !worst.isEmpty,
      Double(worst.count) >= ComparedSides.disturbedShare * Double(counted.count),
      let most = worst.max(by: { $0.percent < $1.percent })
    else { return nil }
    return BudgetResult.Reason.disturbed(most.cause, percent: most.percent).text(.english)
  }
}

extension ComparedMetric {
  /// Whether it belongs to the leading memory metric.
  var isMemory: Bool { self == .kept || self == .taken || self == .peak }
}
