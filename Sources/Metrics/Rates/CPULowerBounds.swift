import PerfHUDBase
import Sampler

/// The metrics of a sample that are lower bounds. Pure.
///
/// - CPU time, once a process has ended with part of its time unknown. Values over a window (shares, faults, I/O), as
///   long as such an end may be in it: 1 s. A system share is over about a second, and stays until the next one: 2.5 s.
/// - If descendants are left out, everything that is summed over processes.
/// - Switches and waits, if threads or descendants may have ended unseen since the previous reading.
struct CPULowerBounds: BitwiseCopyable, Sendable {
  private static let window: Int64 = 1_000_000_000
  private static let systemWindow: Int64 = 2_500_000_000
  private static let rates: MetricSet = [
    .cpu, .cpuWindow, .systemCPU, .minorFaults, .majorFaults, .readRate, .writeRate,
  ]
  private static let sums: MetricSet = [
    .resident, .footprint, .pss, .swap, .threads, .processes, .cpuWait,
  ]
  private static let ofThreads: MetricSet = [.cpuWait, .voluntarySwitches, .involuntarySwitches]

  private(set) var metrics = MetricSet()
  private var ofTime = false
  private var unknownEnds: UInt32 = 0
  private var last: Instant?

  mutating func update(_ sample: Sample) {
    if sample.unknownEnds != unknownEnds {
      unknownEnds = sample.unknownEnds
      last = sample.time
    }
    let since = last.map { sample.time.nanoseconds(since: $0) } ?? .max
    let isRecent = since < CPULowerBounds.window
    let leavesOut = sample.leftOutProcesses > 0
    ofTime = ofTime || unknownEnds > 0 || leavesOut
    metrics = MetricSet()
    if ofTime { metrics.insert(.cpuTime) }
    if isRecent || leavesOut { metrics.formUnion(CPULowerBounds.rates) }
    if since < CPULowerBounds.systemWindow { metrics.insert(.systemCPU) }
    if leavesOut { metrics.formUnion(CPULowerBounds.sums) }
    if !sample.countsAllProcesses { metrics.insert(.processes) }
    if sample.mayMissThreads { metrics.formUnion(CPULowerBounds.ofThreads) }
  }
}
