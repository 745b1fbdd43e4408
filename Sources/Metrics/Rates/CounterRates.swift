import PerfHUDBase
import Sampler

/// Rates of the counters that are not read for every sample; each is computed from the last two of its own readings.
struct CounterRates: BitwiseCopyable, Sendable {
  private(set) var minorFaults = Reading<Double>.absent(.pending)
  private(set) var majorFaults = Reading<Double>.absent(.pending)
  private(set) var readRate = Reading<Double>.absent(.pending)
  private(set) var writeRate = Reading<Double>.absent(.pending)
  private(set) var cpuWait = Reading<Double>.absent(.pending)
  private(set) var voluntarySwitches = Reading<Double>.absent(.pending)
  private(set) var involuntarySwitches = Reading<Double>.absent(.pending)
  /// Milliseconds per second.
  private(set) var throttled = Reading<Double>.absent(.pending)
  /// Percent of the time.
  private(set) var pressure = Pressure()

  struct Pressure: BitwiseCopyable, Sendable {
    var cpuSome = Reading<Double>.absent(.pending)
    var cpuFull = Reading<Double>.absent(.pending)
    var memorySome = Reading<Double>.absent(.pending)
    var memoryFull = Reading<Double>.absent(.pending)
    var ioSome = Reading<Double>.absent(.pending)
    var ioFull = Reading<Double>.absent(.pending)
  }

  private var statTime = Instant(nanoseconds: 0)
  private var lowRateTime = Instant(nanoseconds: 0)
  private var threadTime = Instant(nanoseconds: 0)
  private var ioTime = Instant(nanoseconds: 0)
  private var pid: Int32 = 0
  private var startTicks: UInt64 = 0
  private var before = Counters()

  private struct Counters: BitwiseCopyable, Sendable {
    var minor = Reading<UInt64>.absent(.pending)
    var major = Reading<UInt64>.absent(.pending)
    var read = Reading<UInt64>.absent(.pending)
    var write = Reading<UInt64>.absent(.pending)
    var wait = Reading<UInt64>.absent(.pending)
    var voluntary = Reading<UInt64>.absent(.pending)
    var involuntary = Reading<UInt64>.absent(.pending)
    var throttled = Reading<UInt64>.absent(.pending)
    var pressure = PressureTotals()
  }

  mutating func update(_ sample: Sample) {
    guard !sample.hasEnded else { return }
    if sample.startTicks != startTicks || sample.pid != pid {
      self = CounterRates()
      pid = sample.pid
      startTicks = sample.startTicks
    }
    if sample.statTime != statTime {
      let seconds = sample.statTime.seconds(since: statTime)
      minorFaults = rate(before.minor, sample.minorFaults, seconds)
      majorFaults = rate(before.major, sample.majorFaults, seconds)
      before.minor = sample.minorFaults
      before.major = sample.majorFaults
      statTime = sample.statTime
    }
    if sample.ioTime != ioTime {
      let seconds = sample.ioTime.seconds(since: ioTime)
      readRate = rate(before.read, sample.readBytes, seconds)
      writeRate = rate(before.write, sample.writeBytes, seconds)
      before.read = sample.readBytes
      before.write = sample.writeBytes
      ioTime = sample.ioTime
    }
    if sample.threadTime != threadTime {
      let seconds = sample.threadTime.seconds(since: threadTime)
      // No thread can wait for longer than the time that has passed.
      let most = 100 * Double(max(1, sample.threads.value ?? 1))
      cpuWait = rate(before.wait, sample.cpuWaitNanoseconds, seconds).map { min(most, $0 * 1e-7) }
      voluntarySwitches = rate(before.voluntary, sample.voluntarySwitches, seconds)
      involuntarySwitches = rate(before.involuntary, sample.involuntarySwitches, seconds)
      before.wait = sample.cpuWaitNanoseconds
      before.voluntary = sample.voluntarySwitches
      before.involuntary = sample.involuntarySwitches
      threadTime = sample.threadTime
    }
    if sample.lowRateTime != lowRateTime {
      let seconds = sample.lowRateTime.seconds(since: lowRateTime)
      throttled = rate(before.throttled, sample.throttledNanoseconds, seconds).map { $0 * 1e-6 }
      before.throttled = sample.throttledNanoseconds
      updatePressure(sample.pressure, seconds)
      lowRateTime = sample.lowRateTime
    }
  }

  private mutating func updatePressure(_ now: PressureTotals, _ seconds: Double) {
    // The totals of another cgroup are different counters.
    if now.isOfCgroup != before.pressure.isOfCgroup { before.pressure = PressureTotals() }
    func percent(_ old: Reading<UInt64>, _ new: Reading<UInt64>) -> Reading<Double> {
      rate(old, new, seconds).map { min(100, $0 * 1e-4) }
    }
    let old = before.pressure
    pressure.cpuSome = percent(old.cpuSome, now.cpuSome)
    pressure.cpuFull = percent(old.cpuFull, now.cpuFull)
    pressure.memorySome = percent(old.memorySome, now.memorySome)
    pressure.memoryFull = percent(old.memoryFull, now.memoryFull)
    pressure.ioSome = percent(old.ioSome, now.ioSome)
    pressure.ioFull = percent(old.ioFull, now.ioFull)
    before.pressure = now
  }

  private func rate(
    _ old: Reading<UInt64>, _ new: Reading<UInt64>, _ seconds: Double
  ) -> Reading<Double> {
    switch (old, new) {
    case (_, .absent(let reason)): return .absent(reason)
    case (.absent, _): return .absent(.pending)
    case (.value(let old), .value(let new)):
      // A counter that goes back has been reset, so this stretch has no rate.
      guard seconds > 0, new >= old else { return .absent(.pending) }
      return .value(Double(new - old) / seconds)
    }
  }
}
