import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Testing

@testable import Recording

/// Records → the text that a collector reads.
@Suite struct PrometheusTextTests {
  private func text(_ records: [Record], series: ClosedRange<Int> = 0...200) -> [Substring] {
    var run = Run(RecordingFile.header)
    var counters = RunCounters()
    for record in records {
      counters.take(record)
      run.apply(record)
    }
    var text = PrometheusText()
    text.write(counters, run, asOf: records.last?.time ?? RecordingFile.start)
    let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
    #expect(series.contains(text.series))
    #expect(lines.count(where: { !$0.hasPrefix("#") }) == text.series)
    return lines
  }

  private func at(_ milliseconds: Int64) -> Instant {
    RecordingFile.start.advanced(byNanoseconds: milliseconds * 1_000_000)
  }

  private func event(_ kind: Event.Kind, _ name: String, _ milliseconds: Int64) -> Record {
    var event = Event(kind)
    event.name = Event.Name(name)
    return .event(event, at(milliseconds))
  }

  @Test func `values of a sample are counters and gauges in base units`() {
    var sample = Sample()
    sample.time = at(100)
    sample.cpuNanoseconds = .value(1_500_000_000)
    sample.residentBytes = .value(8192)
    sample.minorFaults = .value(7)
    let lines = text([.sample(sample)]).prefix(9)
    #expect(
      lines == [
        "# HELP perfhud_process_cpu_seconds_total CPU time of the target.",
        "# TYPE perfhud_process_cpu_seconds_total counter",
        "perfhud_process_cpu_seconds_total 1.5",
        "# HELP perfhud_process_page_faults_total Page faults.",
        "# TYPE perfhud_process_page_faults_total counter",
        "perfhud_process_page_faults_total{type=\"minor\"} 7",
        "# HELP perfhud_process_resident_memory_bytes Resident memory.",
        "# TYPE perfhud_process_resident_memory_bytes gauge",
        "perfhud_process_resident_memory_bytes 8192",
      ])
  }

  @Test func `a process that has ended keeps its counters and has no memory`() {
    var sample = Sample()
    sample.time = at(100)
    sample.cpuNanoseconds = .value(1_500_000_000)
    sample.residentBytes = .value(8192)
    var ended = sample
    ended.time = at(200)
    ended.hasEnded = true
    let lines = text([.sample(sample), .sample(ended)])
    #expect(lines.contains("perfhud_process_cpu_seconds_total 1.5"))
    #expect(!lines.contains { $0.contains("resident_memory") })
  }

  @Test func `frame times of 16 and 40 ms are in a histogram, a pause and several frames are not`()
  {
    let lines = text([
      .activity(.updateFrame(at(0))), .activity(.updateFrame(at(16))),
      .activity(.updateFrame(at(56))), .activity(.mergedFrame(at(156))),
      .activity(.updateFrame(at(900))),
      .activity(.frame(at(905), .tick, missed: 0)), .answer(nanoseconds: 3_000_000, at(906)),
      .activity(.output(bytes: 99, at(907))),
    ])
    for line in [
      "perfhud_frames_total{source=\"tick\"} 1", "perfhud_frames_total{source=\"terminal\"} 5",
      "perfhud_frame_duration_seconds_bucket{le=\"0.012\"} 0",
      "perfhud_frame_duration_seconds_bucket{le=\"0.0167\"} 1",
      "perfhud_frame_duration_seconds_bucket{le=\"0.05\"} 2",
      "perfhud_frame_duration_seconds_bucket{le=\"+Inf\"} 2",
      "perfhud_frame_duration_seconds_sum 0.056", "perfhud_frame_duration_seconds_count 2",
      "perfhud_key_to_frame_seconds_bucket{le=\"0.004\"} 1",
      "perfhud_terminal_output_bytes_total 99",
    ] {
      #expect(lines.contains(line[...]), "\(line)")
    }
  }

  @Test func `a frame that took 300 ms by the program's word counts as that`() {
    var frame = Event(.frame)
    frame.number = 300
    let lines = text([.event(frame, at(0)), .event(frame, at(40))])
    #expect(lines.contains("perfhud_frame_duration_seconds_count 2"))
    #expect(lines.contains("perfhud_frame_duration_seconds_sum 0.6"))
  }

  @Test func `labels are escaped, and a name 'other' is one of the others`() {
    let lines = text([
      event(.action, "say \"a\\b\"", 1), event(.action, "other", 2), event(.action, "other", 3),
    ])
    #expect(lines.contains("perfhud_actions_total{action=\"say \\\"a\\\\b\\\"\"} 1"))
    #expect(lines.contains("perfhud_actions_total{action=\"other\"} 2"))
  }

  @Test func `a program with thousands of names gets at most 200 series, and no count falls`() {
    var records: [Record] = []
    for record in MadeUpRun.records(seconds: 3, seed: 1) { records.append(record) }
    var before: [Substring: Double] = [:]
    for number in 0..<600 {
      records.append(event(.action, "action \(number)", 4000 + Int64(number) * 20))
      records.append(event(.phase, "phase \(number)", 4010 + Int64(number) * 20))
      guard number % 60 == 59 else { continue }
      let lines = text(records, series: 20...200)
      #expect(Set(lines.filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != " " } }).count > 15)
      for line in lines where line.contains("{action=") {
        guard let blank = line.lastIndex(of: " "),
          let value = Double(line[line.index(after: blank)...])
        else { continue }
        #expect(value >= before[line[..<blank]] ?? 0, "\(line)")
        before[line[..<blank]] = value
      }
    }
    #expect(before.count == 21)
    #expect(before.values.reduce(0, +) >= 600)
  }

  @Test func `a phase keeps its series and its sums when the run forgets its name`() throws {
    var run = Run(RecordingFile.header)
    let counters = RunCounters()
    var text = PrometheusText()
    var before: [Substring: Double] = [:]
    var firstNames: Set<Substring>?
    for number in 0..<300 {
      // The first name comes back again and again; the others push one another out.
      let name = number % 90 == 0 ? "home" : "page \(number)"
      run.apply(event(.phase, name, Int64(number) * 100))
      guard number % 10 == 9 else { continue }
      text.write(counters, run, asOf: at(Int64(number) * 100 + 50))
      let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
      let sums = lines.filter { $0.contains("_total{phase=") || $0.contains("_total{label=") }
      for line in sums {
        let blank = try #require(line.lastIndex(of: " "))
        let value = try #require(Double(line[line.index(after: blank)...]))
        #expect(value >= before[line[..<blank]] ?? 0, "\(line)")
        before[line[..<blank]] = value
      }
      let names = Set(
        sums.filter { $0.contains("visits") }.compactMap {
          $0.split(separator: "\"").dropFirst().first
        })
      guard number > 40 else { continue }
      #expect(names == firstNames ?? names)
      firstNames = names
    }
    #expect(firstNames?.count == 26)
    #expect(before["perfhud_phase_visits_total{phase=\"home\"}"] == 4)
  }
}
