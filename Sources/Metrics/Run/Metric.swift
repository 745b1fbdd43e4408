import PerfHUDBase
import Sampler

/// A metric that perfhud shows, prints or records, one value in each `Row`.
///
/// `definition` declares everything about each of them. Columns of jsonl and csv, labels, rules and the check of
/// docs/METRICS.md are derived from it. The order of the cases is the order of the columns (`Column.all`); a new one
/// belongs at the end.
package enum Metric: UInt8, CaseIterable, BitwiseCopyable, Sendable {
  case cpu
  case cpuWindow
  case cpuTime
  case resident
  case footprint
  case pss
  case swap
  case memoryLimit
  case threads
  case processes
  case minorFaults
  case majorFaults
  case cpuWait
  case readRate
  case writeRate
  case fps
  case frameMedian
  case frameP99
  case hitches
  case keyToFrame
  case bytesPerFrame
  case actions
  case missedSamples
  case unchangedCells
  case voluntarySwitches
  case involuntarySwitches
  case throttled
  case cpuPressure
  case cpuPressureFull
  case memoryPressure
  case memoryPressureFull
  case ioPressure
  case ioPressureFull
  case cgroupMemory
  case memoryHigh
  case memoryMax
  case oomKills
  case systemCPU

  /// Whether its column follows those that have no metric, so that all earlier columns keep their places.
  var isAppended: Bool { rawValue >= Metric.systemCPU.rawValue }

  /// The number of metrics: the size of a `Row`.
  package static let count = 38
}

/// One value for each metric, by the raw value of `Metric`.
typealias MetricValues = InlineArray<38, Reading<Double>>

/// The unit of a metric.
package enum Unit: UInt8, BitwiseCopyable, Sendable {
  case percent
  case seconds
  case bytes
  case count
  case perSecond
  case bytesPerSecond
  case framesPerSecond
  case milliseconds
  case millisecondsPerSecond

  /// The decimals in jsonl and csv: as many as the source provides.
  package var decimals: Int {
    switch self {
    case .bytes, .count: 0
    case .bytesPerSecond, .perSecond: 1
    case .percent, .framesPerSecond, .millisecondsPerSecond: 2
    case .milliseconds: 3
    case .seconds: 6
    }
  }
}

/// The declaration of one metric.
package struct MetricDefinition: Sendable {
  /// The name in jsonl and csv. It never changes.
  package let key: StaticString
  package let unit: Unit
  /// The label in the HUD; `nil` if it needs no translation, or the HUD does not show the metric on its own.
  package let word: Word?
  /// What a high value means for the program; `nil` if it does not slow the program down.
  package let meaning: Word?
  /// The short name in rules, beside `key`.
  package let ruleName: StaticString?
  /// The origin of the values: a file and field, or a system call.
  package let source: StaticString

  init(
    _ key: StaticString, _ unit: Unit, _ word: Word? = nil, meaning: Word? = nil,
    rule: StaticString? = nil, source: StaticString
  ) {
    self.key = key
    self.unit = unit
    self.word = word
    self.meaning = meaning
    self.ruleName = rule
    self.source = source
  }

  fileprivate static let cpuSource: StaticString =
    "process CPU clock (clock_gettime), else /proc/PID/stat fields 14 and 15"
  fileprivate static let frameSource: StaticString = "frames, see fps_source"
}

extension Metric {
  /// The declarations. A switch, not a table: the compiler misses none, and nothing is allocated.
  package var definition: MetricDefinition {
    switch self {
    case .cpu:
      MetricDefinition("cpu_percent", .percent, .cpu, source: MetricDefinition.cpuSource)
    case .cpuWindow:
      MetricDefinition(
        "cpu_percent_window", .percent, .cpu, rule: "cpu",
        source: MetricDefinition.cpuSource)
    case .cpuTime:
      MetricDefinition("cpu_time_s", .seconds, .cpuTime, source: MetricDefinition.cpuSource)
    case .resident:
      MetricDefinition("rss_bytes", .bytes, .rss, rule: "rss", source: "/proc/PID/statm field 2")
    case .footprint:
      MetricDefinition(
        "footprint_bytes", .bytes, .memory, rule: "footprint",
        source: "/proc/PID/statm fields 2 and 3, /proc/PID/status VmSwap and VmPTE")
    case .pss:
      MetricDefinition("pss_bytes", .bytes, .pss, rule: "pss", source: "/proc/PID/smaps_rollup Pss")
    case .swap:
      MetricDefinition("swap_bytes", .bytes, .swap, rule: "swap", source: "/proc/PID/status VmSwap")
    case .memoryLimit:
      MetricDefinition(
        "memory_limit_bytes", .bytes, .limit,
        source: "cgroup memory.max and memory.high, RLIMIT_AS, /proc/meminfo MemTotal")
    case .threads:
      MetricDefinition(
        "threads", .count, .threads, rule: "threads",
        source: "/proc/PID/stat field 20")
    case .processes:
      MetricDefinition(
        "processes", .count, .processes, rule: "processes",
        source: "processes that the values include")
    case .minorFaults:
      MetricDefinition(
        "minor_faults_per_s", .perSecond, .faults, rule: "faults",
        source: "/proc/PID/stat field 10")
    case .majorFaults:
      MetricDefinition(
        "major_faults_per_s", .perSecond, .majorFaults, meaning: .slowMajorFaults,
        rule: "major-faults",
        source: "/proc/PID/stat field 12")
    case .cpuWait:
      MetricDefinition(
        "cpu_wait_percent", .percent, .wait, meaning: .slowWait, rule: "cpu-wait",
        source: "/proc/PID/task/TID/schedstat field 2, sum over the threads")
    case .readRate:
      MetricDefinition(
        "read_bytes_per_s", .bytesPerSecond, .reads, meaning: .slowReads, rule: "read",
        source: "/proc/PID/io read_bytes")
    case .writeRate:
      MetricDefinition(
        "write_bytes_per_s", .bytesPerSecond, .writes, meaning: .slowWrites, rule: "write",
        source: "/proc/PID/io write_bytes")
    case .fps:
      MetricDefinition("fps", .framesPerSecond, rule: "fps", source: MetricDefinition.frameSource)
    case .frameMedian:
      MetricDefinition(
        "frame_p50_ms", .milliseconds, rule: "frame-p50",
        source: MetricDefinition.frameSource)
    case .frameP99:
      MetricDefinition(
        "frame_p99_ms", .milliseconds, rule: "frame-p99",
        source: MetricDefinition.frameSource)
    case .hitches:
      MetricDefinition(
        "hitch_ms_per_s", .millisecondsPerSecond, .hitches, rule: "hitches",
        source: MetricDefinition.frameSource)
    case .keyToFrame:
      MetricDefinition(
        "key_to_frame_p50_ms", .milliseconds, .keyToFrame, rule: "key-to-frame",
        source: "keys and frames of the program under the overlay")
    case .bytesPerFrame:
      MetricDefinition(
        "bytes_per_frame", .bytes, .perFrame,
        source: "output of the program under the overlay and its frames")
    case .actions:
      MetricDefinition(
        "actions_per_s", .perSecond, .actionsTitle, rule: "actions",
        source: "events of the program")
    case .missedSamples:
      MetricDefinition(
        "missed_samples", .count, .missed, rule: "missed",
        source: "readings that were due and could not be made in time")
    case .unchangedCells:
      MetricDefinition(
        "unchanged_cells_percent", .percent, .unchangedCells,
        source: "cells that the program under the overlay writes, and its last frame")
    case .voluntarySwitches:
      MetricDefinition(
        "voluntary_switches_per_s", .perSecond, .voluntarySwitches, meaning: .slowSwitches,
        source: "/proc/PID/task/TID/status voluntary_ctxt_switches, sum over the threads")
    case .involuntarySwitches:
      MetricDefinition(
        "involuntary_switches_per_s", .perSecond, .involuntarySwitches, meaning: .slowPreempted,
        source: "/proc/PID/task/TID/status nonvoluntary_ctxt_switches, sum over the threads")
    case .throttled:
      MetricDefinition(
        "throttled_ms_per_s", .millisecondsPerSecond, .throttled, meaning: .slowThrottled,
        source: "cgroup cpu.stat throttled_usec (v1 throttled_time)")
    case .cpuPressure:
      MetricDefinition(
        "cpu_pressure_some_percent", .percent, .cpuPressure, meaning: .slowCPU,
        source: "cgroup cpu.pressure, else /proc/pressure/cpu")
    case .cpuPressureFull:
      MetricDefinition(
        "cpu_pressure_full_percent", .percent, .pressureFull,
        source: "cgroup cpu.pressure, else /proc/pressure/cpu")
    case .memoryPressure:
      MetricDefinition(
        "memory_pressure_some_percent", .percent, .memoryPressure, meaning: .slowMemory,
        source: "cgroup memory.pressure, else /proc/pressure/memory")
    case .memoryPressureFull:
      MetricDefinition(
        "memory_pressure_full_percent", .percent, .pressureFull,
        source: "cgroup memory.pressure, else /proc/pressure/memory")
    case .ioPressure:
      MetricDefinition(
        "io_pressure_some_percent", .percent, .ioPressure, meaning: .slowIO,
        source: "cgroup io.pressure, else /proc/pressure/io")
    case .ioPressureFull:
      MetricDefinition(
        "io_pressure_full_percent", .percent, .pressureFull,
        source: "cgroup io.pressure, else /proc/pressure/io")
    case .cgroupMemory:
      MetricDefinition(
        "cgroup_memory_bytes", .bytes,
        source: "cgroup memory.current (v1 memory.usage_in_bytes)")
    case .memoryHigh:
      MetricDefinition(
        "memory_high_events", .count,
        source: "memory.events high of the cgroup that sets the limit")
    case .memoryMax:
      MetricDefinition(
        "memory_max_events", .count,
        source: "memory.events max of the cgroup that sets the limit (v1 memory.failcnt)")
    case .oomKills:
      MetricDefinition(
        "oom_kills", .count,
        source: "cgroup memory.events oom_kill (v1 memory.oom_control)")
    case .systemCPU:
      MetricDefinition(
        "cpu_system_percent", .percent, .systemTime, rule: "cpu-system",
        source: "/proc/PID/stat field 15")
    }
  }

  /// The name in jsonl and csv. It never changes.
  package var key: StaticString { definition.key }
  package var unit: Unit { definition.unit }
  /// The decimals in jsonl and csv.
  package var decimals: Int { unit.decimals }
  /// The origin of the values.
  package var source: StaticString { definition.source }
}

/// The leading memory metric, for the gauge, the graph and the verdicts.
package enum MemoryMetric: String, CaseIterable, Sendable {
  case footprint
  case rss
  case pss

  package var metric: Metric {
    switch self {
    case .footprint: .footprint
    case .rss: .resident
    case .pss: .pss
    }
  }
}

/// Whose frames the frame rate counts. A later case says more about the program and takes precedence.
///
/// A timer drives the tick. A program draws only when there is something to draw, so for the other two sources a gap of
/// more than 250 ms is idleness (`Row.isIdle`), not a frame time or a hitch.
package enum FrameSource: UInt8, BitwiseCopyable, Sendable {
  /// A timer tick of perfhud's own loop. Its rate falls when the machine is too busy to serve it.
  case tick
  /// Frames of the program under the overlay, detected in its output.
  case terminal
  /// Frames that the program reports.
  case app

  /// The name in jsonl and csv, and beside the value.
  package var key: StaticString {
    switch self {
    case .tick: "tick"
    case .terminal: "terminal"
    case .app: "app"
    }
  }
}
