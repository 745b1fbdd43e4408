import PerfHUDBase
import Sampler

/// Rates of the counters that are not read for every sample; each is computed from the last two of its own readings.
struct CounterRates: BitwiseCopyable, Sendable {
  private(set) var minorFaults = CounterRate()
  private(set) var majorFaults = CounterRate()
  /// Percent of one core.
  private(set) var systemCPU = SystemCPUShare()
  private(set) var readBytes = CounterRate()
  private(set) var writtenBytes = CounterRate()
  /// Percent of one core.
  private(set) var cpuWait = CounterRate()
  private(set) var voluntarySwitches = CounterRate()
  private(set) var involuntarySwitches = CounterRate()
  /// Milliseconds per second.
  private(set) var throttled = CounterRate()
  private(set) var pressure = Pressure()

  private var statClock = ReadingClock()
  private var lowRateClock = ReadingClock()
  private var threadClock = ReadingClock()
  private var ioClock = ReadingClock()
  private var pid: Int32 = 0
  private var startTicks: UInt64 = 0

  mutating func update(_ sample: Sample) {
    guard !sample.hasEnded else { return }
    if sample.startTicks != startTicks || sample.pid != pid {
      self = CounterRates()
      pid = sample.pid
      startTicks = sample.startTicks
    }
    if let seconds = statClock.advance(to: sample.statTime) {
      minorFaults.update(sample.minorFaults, seconds)
      majorFaults.update(sample.majorFaults, seconds)
      systemCPU.update(sample)
    }
    if let seconds = ioClock.advance(to: sample.ioTime) {
      readBytes.update(sample.readBytes, seconds)
      writtenBytes.update(sample.writeBytes, seconds)
    }
    if let seconds = threadClock.advance(to: sample.threadTime) {
      // No thread can wait for longer than the time that has passed.
      let most = 100 * Double(max(1, sample.threads.value ?? 1))
      cpuWait.update(sample.cpuWaitNanoseconds, seconds, scale: 1e-7, most: most)
      voluntarySwitches.update(sample.voluntarySwitches, seconds)
      involuntarySwitches.update(sample.involuntarySwitches, seconds)
    }
    if let seconds = lowRateClock.advance(to: sample.lowRateTime) {
      throttled.update(sample.throttledNanoseconds, seconds, scale: 1e-6)
      pressure.update(sample.pressure, seconds)
    }
  }

  /// Percent of the time.
  struct Pressure: BitwiseCopyable, Sendable {
    private(set) var cpuSome = CounterRate()
    private(set) var cpuFull = CounterRate()
    private(set) var memorySome = CounterRate()
    private(set) var memoryFull = CounterRate()
    private(set) var ioSome = CounterRate()
    private(set) var ioFull = CounterRate()
    private var isOfCgroup = false

    fileprivate mutating func update(_ now: PressureTotals, _ seconds: Double) {
      // The totals of another cgroup are different counters.
      if now.isOfCgroup != isOfCgroup { self = Pressure() }
      isOfCgroup = now.isOfCgroup
      cpuSome.update(now.cpuSome, seconds, scale: 1e-4, most: 100)
      cpuFull.update(now.cpuFull, seconds, scale: 1e-4, most: 100)
      memorySome.update(now.memorySome, seconds, scale: 1e-4, most: 100)
      memoryFull.update(now.memoryFull, seconds, scale: 1e-4, most: 100)
      ioSome.update(now.ioSome, seconds, scale: 1e-4, most: 100)
      ioFull.update(now.ioFull, seconds, scale: 1e-4, most: 100)
    }
  }
}

/// The rate of one counter.
struct CounterRate: BitwiseCopyable, Sendable {
  /// Per second, unless it is scaled.
  private(set) var value = Reading<Double>.absent(.pending)
  private var count = Reading<UInt64>.absent(.pending)

  fileprivate mutating func update(
    _ new: Reading<UInt64>, _ seconds: Double, scale: Double = 1, most: Double = .infinity
  ) {
    switch (count, new) {
    case (_, .absent(let reason)): value = .absent(reason)
    // A counter that goes back has been reset, so this stretch has no rate.
    case (.value(let old), .value(let new)) where seconds > 0 && new >= old:
      value = .value(min(most, Double(new - old) / seconds * scale))
    default: value = .absent(.pending)
    }
    count = new
  }
}

/// When some counters were last read.
private struct ReadingClock: BitwiseCopyable, Sendable {
  private var time = Instant(nanoseconds: 0)

  /// - Returns: the seconds since the reading before; `nil` if there is no new one.
  mutating func advance(to new: Instant) -> Double? {
    guard new != time else { return nil }
    defer { time = new }
    return new.seconds(since: time)
  }
}
