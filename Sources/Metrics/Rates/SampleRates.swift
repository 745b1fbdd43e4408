import PerfHUDBase
import Sampler

/// Rates, shares and lower bounds, computed from pairs of samples of the same target.
struct SampleRates: Sendable {
  private var window = CPUShareWindow()
  /// The rates of the sources that are read less often than every sample.
  private(set) var counters = CounterRates()
  private var bounds = CPULowerBounds()
  /// The rates for a screen.
  private(set) var recent = RecentRates()
  /// Not an optional, because reading an optional would copy its value.
  private var previous = Sample()
  private var hasPrevious = false
  /// Whether `previous` is a sample of the current target.
  private var targetHasSample = false
  /// Whether the target was restarted after `previous`, so that the time in between is unknown.
  private var followsGap = false
  /// How late recent samples were, in nanoseconds: the maximum, reduced by an eighth per sample.
  private(set) var lateness = 0.0
  private let anchor = Anchor()

  /// The latest sample of the current target.
  var latestSample: Sample? { targetHasSample ? previous : nil }

  /// Starts over for another target.
  mutating func changeTarget() {
    window = CPUShareWindow()
    counters = CounterRates()
    bounds = CPULowerBounds()
    recent = RecentRates()
    targetHasSample = false
  }

  /// Marks the time until the next sample as unknown.
  mutating func beginGap() { followsGap = true }

  /// Whether the sample is of another process than the previous one.
  func isOtherProcess(_ sample: Sample) -> Bool {
    hasPrevious && (previous.startTicks != sample.startTicks || previous.pid != sample.pid)
  }

  /// Computes rates, shares and lower bounds and writes them into a row.
  mutating func update(_ sample: Sample, interval: UInt64, row: inout Row) {
    bounds.update(sample)
    row.lowerBounds = bounds.metrics
    counters.update(sample)
    row[.minorFaults] = counters.minorFaults.value
    row[.majorFaults] = counters.majorFaults.value
    row[.systemCPU] = counters.systemCPU.percent
    row[.readRate] = counters.readBytes.value
    row[.writeRate] = counters.writtenBytes.value
    row[.cpuWait] = counters.cpuWait.value
    row[.cpuTime] = sample.cpuNanoseconds.map { Double($0) * 1e-9 }
    row[.cpu] = cpuShare(sample)
    window.add(sample)
    row[.cpuWindow] = window.percent(interval: interval)
    row.ownCPUPercent = window.ownPercent()
  }

  /// Whether no sample is missing between this one and the previous one.
  mutating func continues(_ sample: Sample) -> Bool {
    let result =
      sample.missed == (hasPrevious ? previous.missed : 0)
      && sample.sequence == (hasPrevious ? previous.sequence &+ 1 : 0) && !followsGap
    followsGap = false
    return result
  }

  /// Whether the last sample of a process has CPU time that the one before lacks: then it has a share of its own.
  func hasFinalCPU(_ sample: Sample) -> Bool {
    guard sample.hasEnded, targetHasSample, !previous.hasEnded,
      let before = previous.cpuNanoseconds.value, let now = sample.cpuNanoseconds.value
    else { return false }
    return now > before
  }

  /// Whether the CPU share covers a complete window. At the start it is shorter.
  func hasWholeWindow(interval: UInt64) -> Bool { window.isWhole(interval: interval) }

  /// The CPU share over the span of a list of processes, in percent; `nil` if its samples are no longer known.
  func percent(of table: ProcessTable) -> Double? {
    guard let row = table.rows.first(where: { !$0.hasEnded }) else { return nil }
    return window.percent(until: table.time, over: row.intervalNanoseconds)
  }

  /// Keeps the sample for the next pair, and the rates of its row.
  mutating func finish(_ sample: Sample, _ row: borrowing Row) {
    recent.add(row)
    lateness = max(Double(sample.lateNanoseconds), lateness * 7 / 8)
    previous = sample
    hasPrevious = true
    targetHasSample = true
  }

  /// The CPU share since the previous sample, in percent of one processor.
  private func cpuShare(_ sample: Sample) -> Reading<Double> {
    guard case .value(let now) = sample.cpuNanoseconds else {
      return sample.cpuNanoseconds.map { _ in 0 }
    }
    guard targetHasSample, previous.startTicks == sample.startTicks,
      previous.pid == sample.pid, let before = previous.cpuNanoseconds.value
    else { return .absent(.pending) }
    let elapsed = sample.time.nanoseconds(since: previous.time)
    guard elapsed > 0 else { return .absent(.pending) }
    return .value(100 * Double(now &- min(before, now)) / Double(elapsed))
  }
}
