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
  /// The most time that the target can have waited for a processor or been throttled; `nil` if unknown.
  var waiting: Waiting?

  /// An upper bound of the time that a program lost on a disturbed machine, measured over part of the run.
  struct Waiting: Equatable, Sendable {
    /// In seconds, of the `covered` seconds.
    var most: Double
    var covered: Double

    /// The most time that a run of this length can have lost; all of the time that was not measured counts as lost.
    func most(of seconds: Double) -> Double {
      min(seconds, most + max(0, seconds - covered))
    }
  }

  package init() {}

  /// A run counts as disturbed if any of these shares is reached.
  package static let leastWait = 2.0
  package static let leastPressure = 5.0
  package static let leastThrottled = 1.0
  package static let leastMissed = 5.0
  /// At least two samples, since one sample of a few is already a large share.
  package static let leastMissedSamples = 2.0
  /// The greatest factor by which other programs slow a program while it runs: they use the same caches, the same
  /// memory and the other half of its core.
  package static let mostSlowdown = 2.0
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

  /// The least time that a run of this length would have taken undisturbed; 0 if unknown.
  func least(of seconds: Double) -> Double {
    guard let waiting else { return 0 }
    return (seconds - waiting.most(of: seconds)) / Disturbance.mostSlowdown
  }
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
  private var usedByProcess = Sum()
  /// Whether a sample saw several threads, so that one may work while another waits.
  private var hasThreads = false
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
      usedByProcess.forget()
    }
    samples += 1
    self.missed = missed
    if let value = sample.usableProcessors.value { processors = value }
    used.add(sample.cpuNanoseconds, at: sample.time)
    usedHere.add(.value(sample.ownCPUNanoseconds), at: sample.time)
    guard !sample.hasEnded else { return }
    // At first the child that becomes the command may still be that of perfhud.
    if sample.ageNanoseconds > 1_000_000_000, sample.threads.value ?? 1 > 1 { hasThreads = true }
    usedByProcess.add(sample.processCPUNanoseconds, at: sample.threadTime)
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

  /// The least upper bound of the time that the target lost by waiting.
  ///
  /// Pressure counts the time in which any task of the cgroup or the machine waited for a processor. So it also
  /// includes what the target waits for, such as its children or a server. While the only thread of the process runs,
  /// or waits for a processor itself, nothing else delays it. All other time counts as lost, including the waits of
  /// threads too short-lived for a sample.
  private var waiting: Disturbance.Waiting? {
    func bound(_ sum: Sum, _ unit: Double) -> Disturbance.Waiting? {
      sum.total.map { Disturbance.Waiting(most: $0 * unit, covered: sum.covered) }
    }
    func least(_ bounds: [Disturbance.Waiting?]) -> Disturbance.Waiting? {
      bounds.compactMap(\.self).min { $0.most - $0.covered < $1.most - $1.covered }
    }
    let pressure = least([bound(ownPressure, 1e-6), bound(machinePressure, 1e-6)])
    var own: Disturbance.Waiting?
    if !hasThreads, let waited = bound(wait, 1e-9), let used = usedByProcess.rate {
      let busy = waited.most + used * 1e-9 * waited.covered
      let idle = max(0, waited.covered - busy)
      let others = min(idle, pressure?.most(of: waited.covered) ?? idle)
      own = Disturbance.Waiting(most: waited.most + others, covered: waited.covered)
    }
    guard var found = least([pressure, own]) else { return nil }
    found.most += (throttled.total ?? 0) * 1e-9
    return found
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
    result.waiting = waiting
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
