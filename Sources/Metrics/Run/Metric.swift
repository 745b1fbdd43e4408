import Base
import Sampler

/// A figure that perfhud shows, prints or records. This is the one table of them.
///
/// Columns of jsonl and csv, gauges and docs/METRICS.md come from here.
public enum Metric: UInt8, CaseIterable, BitwiseCopyable, Sendable {
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

  /// How many there are: the size of a `Row`.
  public static let count = 37
}

/// What a figure is counted in.
public enum Unit: UInt8, BitwiseCopyable, Sendable {
  case percent
  case seconds
  case bytes
  case count
  case perSecond
  case bytesPerSecond
  case framesPerSecond
  case milliseconds
  case millisecondsPerSecond
}

extension Metric {
  /// The name in jsonl and csv. It never changes.
  public var key: StaticString {
    switch self {
    case .cpu: "cpu_percent"
    case .cpuWindow: "cpu_percent_window"
    case .cpuTime: "cpu_time_s"
    case .resident: "rss_bytes"
    case .footprint: "footprint_bytes"
    case .pss: "pss_bytes"
    case .swap: "swap_bytes"
    case .memoryLimit: "memory_limit_bytes"
    case .threads: "threads"
    case .processes: "processes"
    case .minorFaults: "minor_faults_per_s"
    case .majorFaults: "major_faults_per_s"
    case .cpuWait: "cpu_wait_percent"
    case .readRate: "read_bytes_per_s"
    case .writeRate: "write_bytes_per_s"
    case .fps: "fps"
    case .frameMedian: "frame_p50_ms"
    case .frameP99: "frame_p99_ms"
    case .hitches: "hitch_ms_per_s"
    case .keyToFrame: "key_to_frame_p50_ms"
    case .bytesPerFrame: "bytes_per_frame"
    case .actions: "actions_per_s"
    case .missedSamples: "missed_samples"
    case .unchangedCells: "unchanged_cells_percent"
    case .voluntarySwitches: "voluntary_switches_per_s"
    case .involuntarySwitches: "involuntary_switches_per_s"
    case .throttled: "throttled_ms_per_s"
    case .cpuPressure: "cpu_pressure_some_percent"
    case .cpuPressureFull: "cpu_pressure_full_percent"
    case .memoryPressure: "memory_pressure_some_percent"
    case .memoryPressureFull: "memory_pressure_full_percent"
    case .ioPressure: "io_pressure_some_percent"
    case .ioPressureFull: "io_pressure_full_percent"
    case .cgroupMemory: "cgroup_memory_bytes"
    case .memoryHigh: "memory_high_events"
    case .memoryMax: "memory_max_events"
    case .oomKills: "oom_kills"
    }
  }

  public var unit: Unit {
    switch self {
    case .cpu, .cpuWindow, .cpuWait, .unchangedCells, .cpuPressure, .cpuPressureFull,
      .memoryPressure, .memoryPressureFull, .ioPressure, .ioPressureFull:
      .percent
    case .cpuTime: .seconds
    case .resident, .footprint, .pss, .swap, .memoryLimit, .bytesPerFrame, .cgroupMemory: .bytes
    case .threads, .processes, .missedSamples, .memoryHigh, .memoryMax, .oomKills: .count
    case .minorFaults, .majorFaults, .actions, .voluntarySwitches, .involuntarySwitches: .perSecond
    case .readRate, .writeRate: .bytesPerSecond
    case .fps: .framesPerSecond
    case .frameMedian, .frameP99, .keyToFrame: .milliseconds
    case .hitches, .throttled: .millisecondsPerSecond
    }
  }

  /// Decimals in jsonl and csv: as many as the source can tell.
  public var decimals: Int {
    switch unit {
    case .bytes, .count: 0
    case .bytesPerSecond, .perSecond: 1
    case .percent, .framesPerSecond, .millisecondsPerSecond: 2
    case .milliseconds: 3
    case .seconds: 6
    }
  }

  /// Where the figure comes from.
  public var source: StaticString {
    switch self {
    case .cpu, .cpuWindow, .cpuTime:
      "process CPU clock (clock_gettime), else /proc/PID/stat fields 14 and 15"
    case .resident: "/proc/PID/statm field 2"
    case .footprint: "/proc/PID/statm fields 2 and 3, /proc/PID/status VmSwap and VmPTE"
    case .pss: "/proc/PID/smaps_rollup Pss"
    case .swap: "/proc/PID/status VmSwap"
    case .memoryLimit: "cgroup memory.max and memory.high, RLIMIT_AS, /proc/meminfo MemTotal"
    case .threads: "/proc/PID/stat field 20"
    case .processes: "processes that the figures stand for"
    case .minorFaults: "/proc/PID/stat field 10"
    case .majorFaults: "/proc/PID/stat field 12"
    case .cpuWait: "/proc/PID/task/TID/schedstat field 2, sum over the threads"
    case .readRate: "/proc/PID/io read_bytes"
    case .writeRate: "/proc/PID/io write_bytes"
    case .fps, .frameMedian, .frameP99, .hitches: "frames, see fps_source"
    case .keyToFrame: "keys and frames of the program under the overlay"
    case .bytesPerFrame: "output of the program under the overlay and its frames"
    case .actions: "events of the program"
    case .missedSamples: "readings that were due and could not be made in time"
    case .unchangedCells: "cells that the program under the overlay writes, and its last frame"
    case .voluntarySwitches:
      "/proc/PID/task/TID/status voluntary_ctxt_switches, sum over the threads"
    case .involuntarySwitches:
      "/proc/PID/task/TID/status nonvoluntary_ctxt_switches, sum over the threads"
    case .throttled: "cgroup cpu.stat throttled_usec (v1 throttled_time)"
    case .cpuPressure, .cpuPressureFull: "cgroup cpu.pressure, else /proc/pressure/cpu"
    case .memoryPressure, .memoryPressureFull:
      "cgroup memory.pressure, else /proc/pressure/memory"
    case .ioPressure, .ioPressureFull: "cgroup io.pressure, else /proc/pressure/io"
    case .cgroupMemory: "cgroup memory.current (v1 memory.usage_in_bytes)"
    case .memoryHigh: "memory.events high of the cgroup that sets the limit"
    case .memoryMax: "memory.events max of the cgroup that sets the limit (v1 memory.failcnt)"
    case .oomKills: "cgroup memory.events oom_kill (v1 memory.oom_control)"
    }
  }
}

/// The memory figure that leads: in the gauge, the graph and the verdicts.
public enum MemoryMetric: String, CaseIterable, Sendable {
  case footprint
  case rss
  case pss

  public var metric: Metric {
    switch self {
    case .footprint: .footprint
    case .rss: .resident
    case .pss: .pss
    }
  }
}

/// Whose frames the frame rate counts; a later one tells more about the program and takes the lead.
///
/// The tick always runs; a program draws only when there is something to draw, so for the other two a gap
/// of more than 250 ms is idleness (`Row.isIdle`) and neither a frame time nor a hitch.
public enum FrameSource: UInt8, BitwiseCopyable, Sendable {
  /// A timer-driven tick of perfhud's own loop: it falls when the machine is too busy to serve it.
  case tick
  /// Frames of the program under the overlay, told from its output.
  case terminal
  /// Frames that the program reports.
  case app

  /// The name in jsonl and csv, and beside the figure.
  public var key: StaticString {
    switch self {
    case .tick: "tick"
    case .terminal: "terminal"
    case .app: "app"
    }
  }
}
