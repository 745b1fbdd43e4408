import Metrics
import PerfHUDBase
import PerfHUDEvents
import Recording

@testable import Report

/// Runs of a program with phases, from numbers that are the same on each run.
struct MadeUpRuns {
  var numbers: SeededRandom

  init(seed: UInt64 = 1) { numbers = SeededRandom(seed: seed) }

  static let host = HostFacts(
    kernel: "Linux 6.1.0", processors: 2, pageBytes: 4096, version: "0.3.0")

  /// A run whose visits differ by 1 %.
  ///
  /// - Parameters:
  ///   - visits: to each phase, with the first.
  ///   - fewVisits: to each phase but the first one, if it is another number.
  ///   - cpu: how much more CPU time than usual.
  ///   - kept: what a visit to the first phase keeps, in bytes.
  mutating func run(
    visits: Int = 8, fewVisits: Int? = nil, phases: [String] = ["canvas"], cpu: Double = 1,
    kept: Double = 0,
    disturbance: Disturbance = Disturbance(), isBound: Bool = false, isPeakBound: Bool = false,
    title: String = "studio"
  ) -> RunMetrics {
    var metrics: [PhaseMetrics] = []
    for name in phases {
      let isFirst = name == phases.first
      let list = (0..<(isFirst ? visits : fewVisits ?? visits)).map { _ in
        VisitMetrics([
          .time: 0.5 * noise(), .cpuTime: 0.2 * cpu * noise(),
          .kept: (isFirst ? kept : 0) + 8192 * numbers.normal(),
          .taken: 36_000_000 * noise() + (isFirst ? kept : 0),
        ])
      }
      metrics.append(PhaseMetrics(name: Event.Name(name), visits: list))
    }
    return RunMetrics(
      title: title, host: MadeUpRuns.host, disturbance: disturbance, isCPUTimeBound: isBound,
      isPeakBound: isPeakBound,
      values: [.time: 4 * noise(), .cpuTime: 1.6 * cpu * noise(), .peak: 80_000_000 * noise()],
      phases: metrics)
  }

  mutating func runs(
    _ count: Int, phases: [String] = ["canvas"], cpu: Double = 1, kept: Double = 0
  ) -> [RunMetrics] {
    (0..<count).map { _ in run(phases: phases, cpu: cpu, kept: kept) }
  }

  private mutating func noise() -> Double { 1 + 0.01 * numbers.normal() }
}
