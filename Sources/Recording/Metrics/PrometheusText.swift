import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The counters of a run in Prometheus's text format 0.0.4, for the textfile collector of node_exporter.
///
/// There are no timestamps, since the collector refuses them. The number of series is bounded, whatever the program
/// reports: the first names have a series each, all others share one.
package struct PrometheusText {
  /// The text; `write` replaces it and reuses its memory.
  package private(set) var bytes: [UInt8] = []
  /// The number of series in the text.
  package private(set) var series = 0

  private var phases = PhaseSeries()

  /// The maximum number of series.
  package static let capacity = 200

  package init() {}

  /// - Parameters:
  ///   - now: the time up to which the open phase counts.
  package mutating func write(
    _ counters: borrowing RunCounters, _ run: borrowing Run, asOf now: Instant
  ) {
    bytes.removeAll(keepingCapacity: true)
    series = 0
    if let sample = counters.sample { writeProcess(sample, run) }
    family("frames_total", "counter", "Frames by source; tick is perfhud's own.")
    for source in [FrameSource.tick, .terminal, .app] {
      line("frames_total", [("source", "\(source.key)")], counters.frames[Int(source.rawValue)])
    }
    histogram(
      "frame_duration_seconds", "From a frame to the next, without pauses.", counters.frameTimes)
    histogram(
      "key_to_frame_seconds", "From a key to the frame that answers it.", counters.answers)
    counter(
      "terminal_output_bytes_total", "Bytes that the program has written to its terminal.",
      counters.outputBytes)
    writeActions(counters)
    writePhases(run, now)
  }

  // MARK: Parts

  private mutating func writeProcess(_ sample: Sample, _ run: borrowing Run) {
    seconds(
      "process_cpu_seconds_total", "counter", "CPU time of the target.",
      [([], sample.cpuNanoseconds.value.map { Double($0) / 1e9 })])
    seconds(
      "process_cpu_wait_seconds_total", "counter", "Time ready to run without a processor.",
      [([], sample.cpuWaitNanoseconds.value.map { Double($0) / 1e9 })])
    values(
      "process_page_faults_total", "counter", "Page faults.",
      [
        ([("type", "major")], sample.majorFaults.value),
        ([("type", "minor")], sample.minorFaults.value),
      ])
    values(
      "process_disk_bytes_total", "counter", "Bytes from and to storage.",
      [
        ([("direction", "read")], sample.readBytes.value),
        ([("direction", "write")], sample.writeBytes.value),
      ])
    values(
      "process_context_switches_total", "counter", "Context switches of all threads.",
      [
        ([("type", "involuntary")], sample.involuntarySwitches.value),
        ([("type", "voluntary")], sample.voluntarySwitches.value),
      ])
    seconds(
      "cgroup_throttled_seconds_total", "counter", "Time for which a quota held the cgroup back.",
      [([], sample.throttledNanoseconds.value.map { Double($0) / 1e9 })])
    writePressure(sample.pressure)
    // A process that has ended has no memory and no threads, but its counters stay.
    if !sample.hasEnded { writeMemory(sample, run) }
  }

  private mutating func writeMemory(_ sample: Sample, _ run: borrowing Run) {
    gauge("process_resident_memory_bytes", "Resident memory.", sample.residentBytes)
    gauge("process_pss_bytes", "Proportional set size.", sample.pssBytes)
    gauge("process_swap_bytes", "Memory in swap.", sample.swapBytes)
    gauge("process_memory_limit_bytes", "The lowest limit of memory.", sample.limitBytes)
    seconds(
      "process_footprint_bytes", "gauge", "Private memory, swap and page tables.",
      [([], run.latest?[.footprint].value)])
    gauge("process_threads", "Threads.", sample.threads.map { UInt64($0) })
    gauge("cgroup_memory_bytes", "All memory of the cgroup.", sample.cgroupMemoryBytes)
  }

  private mutating func writePressure(_ pressure: PressureTotals) {
    func seconds(_ value: Reading<UInt64>) -> Double? { value.value.map { Double($0) / 1e6 } }
    self.seconds(
      "pressure_waiting_seconds_total", "counter", "Time in which some waited for the resource.",
      [
        ([("resource", "cpu")], seconds(pressure.cpuSome)),
        ([("resource", "io")], seconds(pressure.ioSome)),
        ([("resource", "memory")], seconds(pressure.memorySome)),
      ])
    self.seconds(
      "pressure_stalled_seconds_total", "counter", "Time in which all waited for the resource.",
      [
        ([("resource", "cpu")], seconds(pressure.cpuFull)),
        ([("resource", "io")], seconds(pressure.ioFull)),
        ([("resource", "memory")], seconds(pressure.memoryFull)),
      ])
  }

  private mutating func writeActions(_ counters: borrowing RunCounters) {
    guard !counters.actions.isEmpty || counters.otherActions > 0 else { return }
    family("actions_total", "counter", "Actions that the program reports, by name.")
    for (name, count) in counters.actions { line("actions_total", [("action", name.text)], count) }
    if counters.otherActions > 0 {
      line("actions_total", [("action", "other")], counters.otherActions)
    }
  }

  private mutating func writePhases(_ run: borrowing Run, _ now: Instant) {
    phases.update(run, asOf: now)
    let phases = phases
    guard !phases.entries.isEmpty || phases.others != nil else { return }
    let parts: [(String, String, String, (PhaseSeries.Values) -> Double)] = [
      ("phase_visits_total", "counter", "Visits to a phase.", { $0.visits }),
      ("phase_seconds_total", "counter", "Time in a phase.", { $0.seconds }),
      (
        "phase_kept_bytes", "gauge", "Memory that the visits to a phase have kept.",
        { $0.keptBytes }
      ),
    ]
    for (name, type, help, value) in parts {
      family(name, type, help)
      for entry in phases.entries { line(name, [("phase", entry.name.text)], value(entry.values)) }
      if let others = phases.others { line(name, [("phase", "other")], value(others)) }
    }
    family("label_values_dropped_total", "counter", "Names without a series of their own.")
    line("label_values_dropped_total", [("label", "phase")], phases.dropped)
  }

  // MARK: Lines

  private mutating func family(_ name: String, _ type: String, _ help: String) {
    bytes += "# HELP perfhud_\(name) \(help)\n# TYPE perfhud_\(name) \(type)\n".utf8
  }

  private mutating func gauge(_ name: String, _ help: String, _ value: Reading<UInt64>) {
    values(name, "gauge", help, [([], value.value)])
  }

  private mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
    values(name, "counter", help, [([], value)])
  }

  /// Writes a family with those of its series that have a value.
  private mutating func values(
    _ name: String, _ type: String, _ help: String, _ found: [([(String, String)], UInt64?)]
  ) {
    guard found.contains(where: { $0.1 != nil }) else { return }
    family(name, type, help)
    for (labels, value) in found { if let value { line(name, labels, value) } }
  }

  private mutating func seconds(
    _ name: String, _ type: String, _ help: String, _ found: [([(String, String)], Double?)]
  ) {
    guard found.contains(where: { $0.1 != nil }) else { return }
    family(name, type, help)
    for (labels, value) in found { if let value { line(name, labels, value) } }
  }

  private mutating func histogram(
    _ name: String, _ help: String, _ times: borrowing RunCounters.Histogram
  ) {
    guard times.count > 0 else { return }
    family(name, "histogram", help)
    var sum: UInt64 = 0
    for (index, limit) in RunCounters.Histogram.limits.enumerated() {
      sum += times.counts[index]
      line(name + "_bucket", [("le", "\(limit / 1000)")], sum)
    }
    line(name + "_bucket", [("le", "+Inf")], times.count)
    line(name + "_sum", [], Double(times.nanoseconds) / 1e9)
    line(name + "_count", [], times.count)
  }

  private mutating func line(_ name: String, _ labels: [(String, String)], _ value: UInt64) {
    put(name, labels, "\(value)")
  }

  private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
    put(name, labels, "\(value)")
  }

  private mutating func put(_ name: String, _ labels: [(String, String)], _ value: String) {
    series += 1
    bytes += "perfhud_\(name)".utf8
    for (index, (label, text)) in labels.enumerated() {
      bytes += "\(index == 0 ? "{" : ",")\(label)=\"".utf8
      appendEscaped(text)
      bytes.append(UInt8(ascii: "\""))
    }
    if !labels.isEmpty { bytes.append(UInt8(ascii: "}")) }
    bytes += " \(value)\n".utf8
  }

  /// Appends a label's value, with backslashes, quotes and line ends escaped.
  private mutating func appendEscaped(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"), UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += "\\n".utf8
      default: bytes.append(byte)
      }
    }
  }
}
