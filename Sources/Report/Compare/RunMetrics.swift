import Metrics
import PerfHUDBase
import PerfHUDEvents
import Recording
import Sampler

/// The metrics of one recording, for a comparison.
package struct RunMetrics: Sendable {
  /// The command or the name of the process.
  package let title: String
  package let host: HostFacts
  package let memory: MemoryMetric
  package let disturbance: Disturbance
  /// Whether CPU time is only a lower bound, because part of the descendants' usage is unknown.
  package let isCPUTimeBound: Bool
  /// Whether the peak is only a lower bound, because samples lack memory of descendants.
  package let isPeakBound: Bool
  /// Whether the frame rate is only a lower bound, because frames were not counted one by one.
  package let isFrameRateBound: Bool
  /// The values of the whole run.
  package let values: [ComparedMetric: Double]
  /// The phases in the order in which they were first entered.
  package let phases: [PhaseMetrics]

  /// Reads a recording to its end.
  ///
  /// - Parameters:
  ///   - file: its name, used if the recording does not say what it shows.
  ///   - progress: called now and then with the recorded time so far, in seconds.
  package init(
    _ reader: inout RecordingReader, file: String, progress: (Double) -> Void = { _ in }
  ) {
    var collector = MetricCollector(reader.header.run)
    collector.takeAll(from: &reader, progress: progress)
    self.init(collector, file: file, host: reader.header.host, end: reader.end)
  }

  init(_ collector: MetricCollector, file: String, host: HostFacts, end: RecordingEnd?) {
    let run = collector.run
    let over = end?.time ?? collector.last
    let summary = RunSummary(run, asOf: over, end: end?.command)
    let command = SafeText.clean(summary.command, limit: 120)
    title = command.isEmpty ? SafeText.clean(file, limit: 120) : command
    self.host = host
    memory = run.header.memory
    disturbance = run.disturbance(cpuSeconds: summary.cpuSeconds)
    isCPUTimeBound = summary.cpuIsLowerBound
    isPeakBound = summary.peakIsLowerBound
    isFrameRateBound = summary.framesAreLowerBound
    values = collector.values(summary)
    // A visit without a recorded end has no time.
    phases = collector.phases(summary.phases, isWhole: run.ended != nil, over: over)
  }

  package init(
    title: String, host: HostFacts, memory: MemoryMetric = .footprint,
    disturbance: Disturbance = Disturbance(), isCPUTimeBound: Bool = false,
    isPeakBound: Bool = false, isFrameRateBound: Bool = false,
    values: [ComparedMetric: Double], phases: [PhaseMetrics]
  ) {
    self.title = title
    self.host = host
    self.memory = memory
    self.disturbance = disturbance
    self.isCPUTimeBound = isCPUTimeBound
    self.isPeakBound = isPeakBound
    self.isFrameRateBound = isFrameRateBound
    self.values = values
    self.phases = phases
  }
}

extension RunMetrics {
  /// Whether the values of a metric are only lower bounds.
  func isBound(_ metric: ComparedMetric) -> Bool {
    switch metric {
    case .cpuTime: isCPUTimeBound
    case .peak: isPeakBound
    case .frameRate: isFrameRateBound
    default: false
    }
  }
}

/// The visits to a phase in one run, oldest first.
package struct PhaseMetrics: Sendable {
  package let name: Event.Name
  package var visits: [VisitMetrics]

  package init(name: Event.Name, visits: [VisitMetrics]) {
    self.name = name
    self.visits = visits
  }
}

/// The metrics of a visit.
package struct VisitMetrics: Sendable {
  package var values: [ComparedMetric: Double]
  /// Whether memory was read at both borders.
  package var hasBorderReadings: Bool

  package init(_ values: [ComparedMetric: Double], hasBorderReadings: Bool = true) {
    self.values = values
    self.hasBorderReadings = hasBorderReadings
  }
}

/// Folds a recording, and keeps what the run does not keep: all visits, and CPU time over time.
struct MetricCollector: RecordCollector {
  private var fold: RunCollector
  private var cpu = CPUTimeline()
  private var minorFaults = CounterGrowth()

  var run: Run { fold.run }
  var last: Instant { fold.last }

  init(_ header: RunHeader) { fold = RunCollector(header, keepsVisits: true) }

  mutating func take(_ activities: Span<Activity>) { fold.take(activities) }

  mutating func take(_ found: borrowing NextRecord) {
    fold.take(found)
    guard found.isSample else { return }
    if let seconds = fold.newestRow()?[.cpuTime].value { cpu.add(seconds, at: found.sample.time) }
    minorFaults.take(found.sample.minorFaults.value)
  }

  /// The metrics of the whole run.
  func values(_ summary: RunSummary) -> [ComparedMetric: Double] {
    var values: [ComparedMetric: Double] = [.time: summary.wallSeconds]
    values[.cpuTime] = summary.cpuSeconds
    // A short run has few samples. The kernel's peak RSS includes what they have missed.
    values[.peak] = summary.peakBytes.map { $0 + summary.missedPeakBytes }
    values[.peakResident] = summary.peakResident.flatMap { $0.isUpperBound ? nil : $0.bytes }
    if summary.frameSource != .tick, let times = run.totalFrames?.times, times.timed >= 100 {
      values[.frameP99] = times.milliseconds(percentile: 99)
      values[.frameRate] = times.meanRate
    }
    values[.minorFaults] = minorFaults.total
    values[.bytesRead] = summary.bytesRead
    values[.bytesWritten] = summary.bytesWritten
    return values
  }

  /// The metrics of all visits, by phase.
  ///
  /// - Parameters:
  ///   - isWhole: whether the process has ended before the recording did, so that the last visit is complete.
  ///   - over: when the recording ends.
  func phases(_ tracker: PhaseTracker, isWhole: Bool, over: Instant) -> [PhaseMetrics] {
    var phases: [PhaseMetrics] = []
    var position: [PhaseIndex: Int] = [:]
    for visit in tracker.everyVisit {
      guard let left = visit.left, isWhole || left < over else { continue }
      let index = position[visit.phase] ?? phases.count
      if index == phases.count {
        position[visit.phase] = index
        phases.append(PhaseMetrics(name: tracker[Int(visit.phase)].name, visits: []))
      }
      let isOwn = tracker.visits(Int(visit.phase)).reportAllocatorMemory
      var values: [ComparedMetric: Double] = [.time: left.seconds(since: visit.entered)]
      values[.cpuTime] = cpu.seconds(from: visit.entered, to: left)
      if visit.hasSettled {
        values[.kept] = isOwn ? visit.ownKeptBytes : visit.keptBytes
        values[.taken] = visit.takenBytes
      }
      phases[index].visits.append(
        VisitMetrics(values, hasBorderReadings: visit.hasBorderReadings))
    }
    return phases
  }
}

/// The CPU time used up to each sample.
struct CPUTimeline: Sendable {
  private var times: [Instant] = []
  private var seconds: [Double] = []

  mutating func add(_ value: Double, at time: Instant) {
    if let last = times.last, time <= last { return }
    times.append(time)
    seconds.append(value)
  }

  /// The CPU time used between two moments, in seconds. Between two samples it counts in proportion to time. `nil` if a
  /// moment has no sample on one of its sides, or if the process was replaced.
  ///
  /// Complexity: logarithmic, and linear in the samples between.
  func seconds(from start: Instant, to end: Instant) -> Double? {
    guard let first = position(of: start), let last = position(of: end), first.index <= last.index
    else { return nil }
    for index in first.index..<last.index where seconds[index + 1] < seconds[index] { return nil }
    guard let before = value(at: first), let after = value(at: last), after >= before else {
      return nil
    }
    return after - before
  }

  /// A program may name its first phase at most this long before its first sample.
  private static let patience = 0.25

  /// The last sample at or before a moment, and how far the moment is on the way to the next sample, from 0 to 1.
  private func position(of time: Instant) -> (index: Int, share: Double)? {
    guard let first = times.first, let last = times.last, time <= last else { return nil }
    guard time > first else {
      return first.seconds(since: time) <= CPUTimeline.patience ? (0, 0) : nil
    }
    var low = 0
    var high = times.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if times[middle] <= time { low = middle } else { high = middle - 1 }
    }
    guard low + 1 < times.count else { return (low, 0) }
    let span = times[low + 1].seconds(since: times[low])
    return (low, time.seconds(since: times[low]) / span)
  }

  private func value(at position: (index: Int, share: Double)) -> Double? {
    guard position.share > 0 else { return seconds[position.index] }
    let step = seconds[position.index + 1] - seconds[position.index]
    return step < 0 ? nil : seconds[position.index] + step * position.share
  }
}

/// How much a counter of the target has grown, over all of its processes.
struct CounterGrowth: Sendable {
  private var last: UInt64?
  private var sum = 0.0
  private var isKnown = false

  mutating func take(_ value: UInt64?) {
    guard let value else { return }
    // A counter that has decreased belongs to another process, and has started at 0.
    let before = last.map { $0 <= value ? $0 : 0 } ?? 0
    sum += Double(value - before)
    last = value
    isKnown = true
  }

  /// `nil` if the counter could not be read.
  var total: Double? { isKnown ? sum : nil }
}
