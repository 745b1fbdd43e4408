import PerfHUDBase
import Sampler

/// How much other programs, quotas and a busy machine have disturbed a run, on average.
///
/// A time limit that is missed on a disturbed machine says nothing about the program. Shares are in percent of the
/// time; `nil` means unknown.
package struct Disturbance: Equatable, Sendable {
  /// What has disturbed a run.
  package enum Cause: CaseIterable, Sendable {
    case cpuWait, throttled, cpuPressure, missedSamples
  }

  /// The time for which threads of the target were ready to run but waited for a processor.
  package var cpuWaitPercent: Double?
  /// The time for which a quota throttled the target's cgroup.
  package var throttledPercent: Double?
  /// The time for which tasks waited for a processor, in the target's cgroup or on the machine.
  package var cpuPressurePercent: Double?
  /// Samples that were due but could not be made in time.
  package var missedPercent: Double?
  package var missedSamples = 0.0
  /// How much of the processors that the target may use was used by other programs.
  package var othersPercent: Double?

  package init() {}

  /// A run counts as disturbed if any of these shares is reached.
  package static let leastWait = 2.0
  package static let leastPressure = 5.0
  package static let leastThrottled = 1.0
  package static let leastMissed = 5.0
  /// At least two samples, since one sample of a few is already a large share.
  package static let leastMissedSamples = 2.0
  /// If other programs use less than this of the processors, the target is waiting for itself.
  package static let leastOthers = 5.0

  /// What has disturbed the run most, with its share in percent; `nil` if nothing has.
  package var worst: (cause: Cause, percent: Double)? {
    causes.max { $0.percent < $1.percent }
  }

  private var causes: [(cause: Cause, percent: Double)] {
    var found: [(Cause, Double)] = []
    func add(_ cause: Cause, _ percent: Double?, least: Double) {
      if let percent, percent >= least { found.append((cause, percent)) }
    }
    if othersPercent ?? 100 >= Disturbance.leastOthers {
      add(.cpuWait, cpuWaitPercent, least: Disturbance.leastWait)
      add(.cpuPressure, cpuPressurePercent, least: Disturbance.leastPressure)
    }
    add(.throttled, throttledPercent, least: Disturbance.leastThrottled)
    if missedSamples >= Disturbance.leastMissedSamples {
      add(.missedSamples, missedPercent, least: Disturbance.leastMissed)
    }
    return found.map { ($0.0, $0.1) }
  }

  /// The share of the time that the target may have lost, from 0 to 0.95.
  var lostShare: Double { min(0.95, (worst?.percent ?? 0) / 100) }
}

/// Adds up what disturbs a run, from samples and the load of the machine. Pure.
struct DisturbanceTotals: BitwiseCopyable, Sendable {
  /// A sum of the differences of a counter, and the time that they cover.
  private struct Sum: BitwiseCopyable, Sendable {
    private var amount = 0.0
    private var seconds = 0.0
    private var last: UInt64?
    private var time = Instant(nanoseconds: 0)

    mutating func add(_ reading: Reading<UInt64>, at now: Instant) {
      guard now != time else { return }
      defer { time = now }
      guard let value = reading.value else {
        last = nil
        return
      }
      defer { last = value }
      // A counter that goes back has been reset.
      guard let last, value >= last, now > time else { return }
      amount += Double(value - last)
      seconds += now.seconds(since: time)
    }

    mutating func forget() { last = nil }

    /// The amount per second; `nil` if nothing is known.
    var rate: Double? { seconds > 0 ? amount / seconds : nil }
    /// The total amount; `nil` if nothing is known.
    var total: Double? { seconds > 0 ? amount : nil }
    var covered: Double { seconds }
  }

  private var wait = Sum()
  private var throttled = Sum()
  private var ownPressure = Sum()
  private var machinePressure = Sum()
  private var machineBusy = Sum()
  private var used = Sum()
  private var usedHere = Sum()
  private var processors: Double?
  private var pid: Int32 = 0
  private var startTicks: UInt64 = 0
  private var isOfCgroup = false
  private var samples = 0.0
  private var missed = 0.0

  /// - Parameter missed: samples that were missed so far.
  mutating func take(_ sample: Sample, missed: Double) {
    if sample.pid != pid || sample.startTicks != startTicks {
      pid = sample.pid
      startTicks = sample.startTicks
      wait.forget()
      throttled.forget()
      ownPressure.forget()
      used.forget()
    }
    samples += 1
    self.missed = missed
    if let value = sample.usableProcessors.value { processors = value }
    used.add(sample.cpuNanoseconds, at: sample.time)
    usedHere.add(.value(sample.ownCPUNanoseconds), at: sample.time)
    guard !sample.hasEnded else { return }
    wait.add(sample.cpuWaitNanoseconds, at: sample.threadTime)
    throttled.add(sample.throttledNanoseconds, at: sample.lowRateTime)
    if sample.pressure.isOfCgroup != isOfCgroup { ownPressure.forget() }
    isOfCgroup = sample.pressure.isOfCgroup
    ownPressure.add(sample.pressure.cpuSome, at: sample.lowRateTime)
  }

  mutating func take(_ load: MachineLoad, at time: Instant) {
    machineBusy.add(load.busyNanoseconds, at: time)
    machinePressure.add(load.cpuPressureMicroseconds, at: time)
  }

  /// The means so far.
  ///
  /// - Parameter cpuSeconds: the CPU time of the target, if a better value than that of the samples is known; otherwise
  ///   `nil`.
  func means(cpuSeconds: Double?) -> Disturbance {
    var result = Disturbance()
    result.cpuWaitPercent = wait.rate.map { $0 * 1e-7 }
    result.throttledPercent = throttled.rate.map { $0 * 1e-7 }
    result.cpuPressurePercent = [ownPressure.rate, machinePressure.rate].compactMap(\.self).max()
      .map { min(100, $0 * 1e-4) }
    if samples + missed > 0 { result.missedPercent = 100 * missed / (samples + missed) }
    result.missedSamples = missed
    if let busy = machineBusy.total, machineBusy.covered > 0 {
      let target = max(used.total ?? 0, (cpuSeconds ?? 0) * 1e9)
      let others = max(0, busy - target - (usedHere.total ?? 0))
      // The counter has steps of 10 ms, so a short time says little.
      if machineBusy.covered >= 0.1 {
        result.othersPercent =
          100 * others / (machineBusy.covered * 1e9 * max(0.01, processors ?? 1))
      }
    }
    return result
  }
}
