import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The counters of a run as a line of OTLP JSON: an `ExportMetricsServiceRequest`, for the Collector's file receiver.
///
/// Names follow OpenTelemetry's conventions for processes if there are any; others begin with `perfhud.`. Sums are
/// cumulative. 64-bit numbers are strings, as in the JSON form of Protocol Buffers.
package struct OTLPLine {
  /// The line, including its end; `write` replaces it and reuses its memory.
  package private(set) var bytes: [UInt8] = []
  private var hasMetric = false
  private var now: UInt64 = 0
  private var phases = PhaseSeries()
  private let version: String

  /// `AGGREGATION_TEMPORALITY_CUMULATIVE`.
  private static let cumulative = 2

  private typealias Attributes = [(String, String)]

  /// How the points of a metric are interpreted.
  private enum Kind {
    /// A sum that never decreases.
    case counter
    /// A sum that may decrease.
    case level
    case gauge
  }

  /// How every line begins.
  package static let beginning = "{\"resourceMetrics\":"

  /// - Parameter version: the version of perfhud.
  package init(version: String) { self.version = version }

  /// - Parameter time: the time of the sums.
  package mutating func write(
    _ counters: borrowing RunCounters, _ run: borrowing Run, asOf time: Instant
  ) {
    bytes.removeAll(keepingCapacity: true)
    hasMetric = false
    let offset = run.wallClockOffset
    now = time.nanoseconds &+ offset
    let runStart = run.header.start.nanoseconds &+ offset
    put(OTLPLine.beginning + "[{\"resource\":{\"attributes\":[")
    if let sample = counters.sample {
      put("{\"key\":\"service.name\",\"value\":{\"stringValue\":")
      bytes.append(quoted: sample.name.text)
      put("}},{\"key\":\"process.executable.name\",\"value\":{\"stringValue\":")
      bytes.append(quoted: sample.name.text)
      put("}},{\"key\":\"process.pid\",\"value\":{\"intValue\":\"\(sample.pid)\"}}")
    }
    put("]},\"scopeMetrics\":[{\"scope\":{\"name\":\"perfhud\",\"version\":")
    bytes.append(quoted: version)
    put("},\"metrics\":[")
    if let sample = counters.sample { writeProcess(sample, run, offset) }
    let frames = counters.frames
    metric(
      "perfhud.frames", "{frame}", .counter, since: runStart,
      [FrameSource.tick, .terminal, .app].map {
        ([("perfhud.frame.source", "\($0.key)")], Double(frames[Int($0.rawValue)]))
      })
    histogram("perfhud.frame.duration", since: runStart, counters.frameTimes)
    histogram("perfhud.key_to_frame.duration", since: runStart, counters.answers)
    metric(
      "perfhud.terminal.output", "By", .counter, since: runStart,
      [([], Double(counters.outputBytes))])
    var actions = counters.actions.map { ([("perfhud.action", $0.name.text)], Double($0.count)) }
    if counters.otherActions > 0 {
      actions.append(([("perfhud.action", "other")], Double(counters.otherActions)))
    }
    metric("perfhud.actions", "{action}", .counter, since: runStart, actions)
    writePhases(run, time, since: runStart)
    put("]}]}]}\n")
  }

  // MARK: Parts

  private mutating func writeProcess(_ sample: Sample, _ run: borrowing Run, _ offset: UInt64) {
    let age = min(sample.ageNanoseconds, sample.time.nanoseconds)
    let start = sample.time.nanoseconds - age &+ offset
    func point(_ value: Reading<UInt64>, _ attributes: Attributes = []) -> (Attributes, Double?) {
      (attributes, value.value.map { Double($0) })
    }
    metric(
      "process.cpu.time", "s", .counter, since: start,
      [([], sample.cpuNanoseconds.value.map { Double($0) / 1e9 })])
    metric("process.memory.usage", "By", .level, since: start, [point(sample.residentBytes)])
    metric(
      "process.thread.count", "{thread}", .level, since: start,
      [point(sample.threads.map { UInt64($0) })])
    metric(
      "process.paging.faults", "{fault}", .counter, since: start,
      [
        point(sample.majorFaults, [("system.paging.fault.type", "major")]),
        point(sample.minorFaults, [("system.paging.fault.type", "minor")]),
      ])
    metric(
      "process.disk.io", "By", .counter, since: start,
      [
        point(sample.readBytes, [("disk.io.direction", "read")]),
        point(sample.writeBytes, [("disk.io.direction", "write")]),
      ])
    metric(
      "process.context_switches", "{context_switch}", .counter, since: start,
      [
        point(sample.involuntarySwitches, [("process.context_switch.type", "involuntary")]),
        point(sample.voluntarySwitches, [("process.context_switch.type", "voluntary")]),
      ])
    metric("perfhud.cgroup.memory", "By", .gauge, since: start, [point(sample.cgroupMemoryBytes)])
    metric(
      "perfhud.process.memory.footprint", "By", .gauge, since: start,
      [([], run.latest?[.footprint].value)])
    metric("perfhud.process.memory.pss", "By", .gauge, since: start, [point(sample.pssBytes)])
    metric("perfhud.process.memory.swap", "By", .gauge, since: start, [point(sample.swapBytes)])
    metric("perfhud.process.memory.limit", "By", .gauge, since: start, [point(sample.limitBytes)])
    metric(
      "perfhud.process.cpu.wait", "s", .counter, since: start,
      [([], sample.cpuWaitNanoseconds.value.map { Double($0) / 1e9 })])
  }

  private mutating func writePhases(_ run: borrowing Run, _ time: Instant, since start: UInt64) {
    phases.update(run, asOf: time)
    let phases = phases
    func points(_ value: (PhaseSeries.Values) -> Double) -> [(Attributes, Double?)] {
      let named = phases.entries.map { ([("perfhud.phase", $0.name.text)], value($0.values)) }
      return named + (phases.others.map { [([("perfhud.phase", "other")], value($0))] } ?? [])
    }
    metric("perfhud.phase.visits", "{visit}", .counter, since: start, points { $0.visits })
    metric("perfhud.phase.time", "s", .counter, since: start, points { $0.seconds })
    metric("perfhud.phase.kept", "By", .gauge, since: start, points { $0.keptBytes })
  }

  // MARK: Metrics

  private mutating func begin(_ name: String, _ unit: String) {
    if hasMetric { put(",") }
    hasMetric = true
    put("{\"name\":\"\(name)\",\"unit\":\"\(unit)\",")
  }

  /// Writes a metric with those of its points that have a value; nothing if there are none.
  private mutating func metric(
    _ name: String, _ unit: String, _ kind: Kind, since start: UInt64,
    _ points: [(Attributes, Double?)]
  ) {
    let known = points.filter { $0.1?.isFinite == true }
    guard !known.isEmpty else { return }
    begin(name, unit)
    switch kind {
    case .gauge: put("\"gauge\":{")
    case .counter, .level:
      let isMonotonic = kind == .counter
      put(
        "\"sum\":{\"aggregationTemporality\":\(OTLPLine.cumulative),\"isMonotonic\":\(isMonotonic),"
      )
    }
    put("\"dataPoints\":[")
    for (index, (attributes, value)) in known.enumerated() {
      if index > 0 { put(",") }
      put("{")
      if kind != .gauge { put("\"startTimeUnixNano\":\"\(start)\",") }
      put("\"timeUnixNano\":\"\(now)\",")
      let value = value ?? 0
      // Only times can have fractions.
      put(unit == "s" ? "\"asDouble\":\(value)" : "\"asInt\":\"\(Int64(clamping: value))\"")
      append(attributes)
      put("}")
    }
    put("]}}")
  }

  private mutating func histogram(
    _ name: String, since start: UInt64, _ times: borrowing RunCounters.Histogram
  ) {
    guard times.count > 0 else { return }
    begin(name, "s")
    var counts: [String] = []
    for index in 0...RunCounters.Histogram.limits.count {
      counts.append("\"\(times.counts[index])\"")
    }
    let limits = RunCounters.Histogram.limits.map { "\($0 / 1000)" }
    put("\"histogram\":{\"aggregationTemporality\":\(OTLPLine.cumulative),\"dataPoints\":[{")
    put("\"startTimeUnixNano\":\"\(start)\",\"timeUnixNano\":\"\(now)\",")
    put("\"count\":\"\(times.count)\",\"sum\":\(Double(times.nanoseconds) / 1e9),")
    put("\"bucketCounts\":[\(counts.joined(separator: ","))],")
    put("\"explicitBounds\":[\(limits.joined(separator: ","))]}]}}")
  }

  private mutating func append(_ attributes: Attributes) {
    guard !attributes.isEmpty else { return }
    put(",\"attributes\":[")
    for (index, (key, text)) in attributes.enumerated() {
      put("\(index > 0 ? "," : ""){\"key\":\"\(key)\",\"value\":{\"stringValue\":")
      bytes.append(quoted: text)
      put("}}")
    }
    put("]")
  }

  private mutating func put(_ text: String) { bytes += text.utf8 }
}

extension Int64 {
  /// The nearest integer that fits; 0 for NaN.
  fileprivate init(clamping value: Double) {
    self = value.isNaN ? 0 : Int64(Swift.max(-9.2e18, Swift.min(9.2e18, value.rounded())))
  }
}
