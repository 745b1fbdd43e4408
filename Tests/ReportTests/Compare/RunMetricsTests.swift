import Metrics
import PerfHUDBase
import PerfHUDEvents
import Recording
import Sampler
import Testing

@testable import Report

struct RunMetricsTests {
  private static let start = Instant(nanoseconds: 5_000_000_000_000)

  /// A run of 20 s with ten visits to each of two phases; one uses half a core, and keeps 3 MiB a visit.
  private func metrics(isCut: Bool = false, uncertain: UInt64 = 0) -> RunMetrics {
    var header = RunHeader(
      start: RunMetricsTests.start, wallClockOffset: 0, interval: 100_000_000, command: "studio",
      framesFromTerminal: false)
    for byte in "studio".utf8 { header.name.append(byte) }
    var collector = MetricCollector(header)
    var sample = Sample()
    sample.pid = 42
    sample.startTicks = 7
    sample.state = .running
    var cpu: UInt64 = 0
    var held: UInt64 = 10
    for tick in 0..<200 {
      let time = RunMetricsTests.start.advanced(byNanoseconds: Int64(tick) * 100_000_000)
      let isCanvas = tick / 10 % 2 == 1
      sample.time = time
      sample.statTime = time
      sample.ageNanoseconds = UInt64(tick) * 100_000_000
      sample.cpuNanoseconds = .value(cpu)
      sample.processCPUNanoseconds = .value(cpu)
      sample.residentBytes = .value((held + (isCanvas && tick % 10 > 3 ? 20 : 0)) << 20)
      sample.anonymousBytes = sample.residentBytes
      sample.swapBytes = .value(0)
      sample.uncertainSharedBytes = uncertain << 20
      sample.minorFaults = .value(UInt64(tick) * 3)
      sample.sequence = UInt32(tick)
      collector.take(.sample(sample))
      if tick % 10 == 0 {
        var event = Event(.phase)
        event.name = Event.Name(isCanvas ? "canvas" : "menu")
        collector.take(.event(event, time.advanced(byNanoseconds: 1_000_000)))
      }
      if tick % 10 == 5, isCanvas { held += 3 }
      cpu += isCanvas ? 50_000_000 : 1_000_000
    }
    let over = RunMetricsTests.start.advanced(byNanoseconds: 20_000_000_000)
    return RunMetrics(
      collector, file: "run.phr", host: MadeUpRuns.host,
      end: isCut ? nil : RecordingEnd(time: over, command: CommandEnd(status: .exited(0))))
  }

  @Test func `each visit has its time, CPU time and memory`() throws {
    let phases = metrics().phases
    #expect(phases.map(\.name) == [Event.Name("menu"), Event.Name("canvas")])
    let canvas = try #require(phases.last)
    // The last one lasts as long as the run, which was not seen to end.
    #expect(canvas.visits.count == 9)
    for visit in canvas.visits {
      #expect(((visit.values[.time] ?? 0) - 1).magnitude < 1e-9)
      #expect(((visit.values[.cpuTime] ?? 0) - 0.5).magnitude < 0.002)
      #expect(visit.values[.taken] == 24_117_248.0)
    }
    for visit in canvas.visits.dropFirst() {
      #expect(((visit.values[.kept] ?? 0) - 3 * 1_048_576).magnitude < 10_000)
    }
  }

  @Test func `the run has its time, CPU time, peak and faults`() {
    let found = metrics()
    #expect(found.title == "studio")
    #expect(found.values[.time] == 20.0)
    #expect(((found.values[.cpuTime] ?? 0) - 5.06).magnitude < 0.06)
    #expect(found.values[.peak] == 62_914_560.0)
    #expect(!found.isPeakBound && metrics(uncertain: 30).isPeakBound)
    #expect(found.values[.minorFaults] == 597.0)
  }

  @Test func `a recording without its end has the time of its last record`() {
    #expect(((metrics(isCut: true).values[.time] ?? 0) - 19.9).magnitude < 1e-9)
  }

  @Test func `more visits than are remembered are all there`() {
    #expect(metrics().phases.map(\.visits.count) == [10, 9])
  }
}

struct CPUTimelineTests {
  private func at(_ seconds: Double) -> Instant {
    Instant(nanoseconds: 1_000_000_000_000).advanced(bySeconds: seconds)
  }

  @Test func `between two samples CPU time counts in proportion`() throws {
    var timeline = CPUTimeline()
    for index in 0...10 { timeline.add(Double(index) * 0.05, at: at(Double(index) * 0.1)) }
    let found = try #require(timeline.seconds(from: at(0.25), to: at(0.75)))
    #expect((found - 0.25).magnitude < 1e-6)
    #expect(timeline.seconds(from: at(0.5), to: at(1.5)) == nil)
    #expect(
      timeline.seconds(from: at(-0.1), to: at(0.1)).map { ($0 - 0.05).magnitude < 1e-6 } == true)
    #expect(timeline.seconds(from: at(-1), to: at(0.1)) == nil)
  }

  @Test func `across a change of the process nothing is known`() {
    var timeline = CPUTimeline()
    for (index, value) in [0, 0.1, 0.2, 0, 0.1].enumerated() {
      timeline.add(value, at: at(Double(index)))
    }
    #expect(timeline.seconds(from: at(1), to: at(4)) == nil)
    #expect(timeline.seconds(from: at(3), to: at(4)) == 0.1)
  }

  @Test func `a counter that steps back begins anew`() {
    var growth = CounterGrowth()
    #expect(growth.total == nil)
    for value: UInt64 in [5, 9, 2, 4] { growth.take(value) }
    growth.take(nil)
    #expect(growth.total == 13)
  }
}
