import Base
import Sampler

/// The CPU readings of the last seconds, for the figure over max(0.5 s, interval).
///
/// The figure that is shown rests on half a second, because a reading of a thread that runs on another
/// processor is as old as the last kernel tick (docs/METRICS.md).
struct CPUWindow: Sendable {
  static let capacity = 64
  static let span: Int64 = 500_000_000
  /// By how many intervals the window may be too short: after a late reading the next one comes early.
  static let tolerance = 0.25

  struct Entry: BitwiseCopyable, Sendable {
    var time = Instant(nanoseconds: 0)
    var cpu: UInt64 = 0
    var own: UInt64 = 0
    var pid: Int32 = 0
    var startTicks: UInt64 = 0
  }

  private var entries = [Entry](repeating: Entry(), count: CPUWindow.capacity)
  private var ring = RingIndex<64>()
  private var absence: Absence? = .pending

  mutating func add(_ sample: Sample) {
    switch sample.cpuNanoseconds {
    case .absent(let reason): absence = reason
    case .value(let cpu):
      absence = nil
      if ring.count > 0, entry(0).startTicks != sample.startTicks || entry(0).pid != sample.pid {
        ring.removeAll()
      }
      entries[ring.advance()] = Entry(
        time: sample.time, cpu: cpu, own: sample.ownCPUNanoseconds, pid: sample.pid,
        startTicks: sample.startTicks)
    }
  }

  private func entry(_ age: Int) -> Entry { entries[ring.slot(age: age)] }

  /// The newest entry and the one that opens the window.
  private func pair(span: Int64) -> (Entry, Entry)? {
    guard ring.count >= 2 else { return nil }
    let newest = entry(0)
    var age = 1
    while age + 1 < ring.count, newest.time.nanoseconds(since: entry(age).time) < span {
      age += 1
    }
    return (entry(age), newest)
  }

  /// The least length of a whole window.
  private func span(_ interval: UInt64) -> Int64 {
    max(CPUWindow.span, Int64(interval)) - Int64(Double(interval) * CPUWindow.tolerance)
  }

  /// Whether the window reaches back as far as it should; at the start it is shorter.
  func isWhole(interval: UInt64) -> Bool {
    guard let (old, new) = pair(span: span(interval)) else { return false }
    return new.time.nanoseconds(since: old.time) >= span(interval)
  }

  func percent(interval: UInt64) -> Reading<Double> {
    if let absence { return .absent(absence) }
    let span = span(interval)
    guard let (old, new) = pair(span: span) else { return .absent(.pending) }
    return .value(100 * Double(new.cpu &- min(old.cpu, new.cpu)) / elapsed(old, new))
  }

  /// perfhud's own share, over the same entries as far as they reach.
  func ownPercent() -> Reading<Double> {
    guard let (old, new) = pair(span: 1_000_000_000) else { return .absent(.pending) }
    return .value(100 * Double(new.own &- min(old.own, new.own)) / elapsed(old, new))
  }

  private func elapsed(_ old: Entry, _ new: Entry) -> Double {
    max(1, Double(new.time.nanoseconds(since: old.time)))
  }
}

/// Rates of the counters that are read more rarely than the sample; each from the last pair of its own
/// readings.
struct LowRateMetrics: BitwiseCopyable, Sendable {
  private(set) var minorFaults = Reading<Double>.absent(.pending)
  private(set) var majorFaults = Reading<Double>.absent(.pending)
  private(set) var readRate = Reading<Double>.absent(.pending)
  private(set) var writeRate = Reading<Double>.absent(.pending)
  private(set) var cpuWait = Reading<Double>.absent(.pending)
  private(set) var voluntarySwitches = Reading<Double>.absent(.pending)
  private(set) var involuntarySwitches = Reading<Double>.absent(.pending)
  /// Milliseconds in a second.
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
      self = LowRateMetrics()
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
    // In another cgroup other totals are counted.
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
      // A counter that steps back has been reset; it says nothing about this stretch.
      guard seconds > 0, new >= old else { return .absent(.pending) }
      return .value(Double(new - old) / seconds)
    }
  }
}
