import Metrics
import PerfHUDBase
import TestSupport
import Testing

/// The keys of jsonl and csv in their order: scripts rely on them.
private let keys = [
  "t", "elapsed_s", "pid", "comm", "state", "cpu_percent", "cpu_percent_window", "cpu_time_s",
  "rss_bytes", "footprint_bytes", "pss_bytes", "swap_bytes", "memory_limit_bytes", "threads",
  "processes", "minor_faults_per_s", "major_faults_per_s", "cpu_wait_percent",
  "read_bytes_per_s", "write_bytes_per_s", "fps", "frame_p50_ms", "frame_p99_ms",
  "hitch_ms_per_s", "fps_source", "key_to_frame_p50_ms", "bytes_per_frame", "phase",
  "actions_per_s", "missed_samples", "unchanged_cells_percent", "voluntary_switches_per_s",
  "involuntary_switches_per_s",
  "throttled_ms_per_s", "cpu_pressure_some_percent", "cpu_pressure_full_percent",
  "memory_pressure_some_percent", "memory_pressure_full_percent", "io_pressure_some_percent",
  "io_pressure_full_percent", "cgroup_memory_bytes", "memory_high_events", "memory_max_events",
  "oom_kills", "pss_age_s", "lower_bounds", "cpu_system_percent",
]

@Suite struct MetricTableTests {
  @Test func `the columns are those of the contract, in its order`() {
    #expect(Column.all.map { "\($0.key)" } == keys)
  }

  @Test func `each value has one place in a row and one column`() {
    #expect(Metric.allCases.count == Metric.count)
    for (index, metric) in Metric.allCases.enumerated() {
      #expect(Int(metric.rawValue) == index)
      #expect(Column.all.filter { $0 == .metric(metric) }.count == 1)
    }
    #expect(Set(Metric.allCases.map { "\($0.key)" }).count == Metric.count)
  }

  @Test func `the key of a value ends with its unit`() {
    let suffixes: [(Unit, [String])] = [
      (.percent, ["_percent", "_percent_window"]), (.seconds, ["_s"]),
      (.bytes, ["_bytes", "bytes_per_frame"]), (.perSecond, ["_per_s"]),
      (.bytesPerSecond, ["bytes_per_s"]), (.framesPerSecond, ["fps"]), (.milliseconds, ["_ms"]),
      (.millisecondsPerSecond, ["_ms_per_s"]),
    ]
    for metric in Metric.allCases where metric.unit != .count {
      let endings = suffixes.first { $0.0 == metric.unit }?.1 ?? []
      #expect(endings.contains { "\(metric.key)".hasSuffix($0) }, "\(metric)")
    }
  }

  @Test func `the page of metrics explains every column`() throws {
    let text = String(decoding: try readFile(Repository.path("docs/METRICS.md")), as: UTF8.self)
    for column in Column.all { #expect(text.contains("`\(column.key)`"), "\(column.key)") }
  }

  @Test func `each memory setting leads with its value`() {
    #expect(MemoryMetric.allCases.map(\.metric) == [.footprint, .resident, .pss])
  }
}
