import Metrics
import PerfHUDBase
import Sampler
import TestSupport
import Testing

@Suite struct RuleTrackerTests {
  /// Feeds values a tenth of a second apart, and returns the times at which it was raised, in seconds.
  private func raises(
    _ text: String, seconds: Double, step: Double = 0.1, _ value: (Double) -> Double?
  ) throws -> (times: [Double], tracker: RuleTracker) {
    var tracker = RuleTracker(try Rule(text))
    var times: [Double] = []
    for number in 0...Int((seconds / step).rounded()) {
      let time = Double(number) * step
      let isRaised = tracker.take(
        value(time), at: MadeUpProcess.time(time), interval: UInt64(step * 1e9))
      if isRaised { times.append(time) }
    }
    return (times, tracker)
  }

  private func isClose(_ times: [Double], _ expected: [Double]) -> Bool {
    times.count == expected.count
      && zip(times, expected).allSatisfy { ($0 - $1).magnitude < 0.15 }
  }

  @Test func `it is raised when it has held for its time, once`() throws {
    let (times, tracker) = try raises("cpu > 90% for 10s", seconds: 60) { $0 < 5 ? 20 : 95 }
    #expect(isClose(times, [15]), "\(times)")
    #expect(tracker.isRaised && tracker.count == 1)
    #expect(tracker.worst == 95)
  }

  @Test func `what holds for less than its time is nothing`() throws {
    let (times, _) = try raises("cpu > 90% for 10s", seconds: 60) {
      $0.truncatingRemainder(dividingBy: 11) < 9.5 ? 95 : 10
    }
    #expect(times.isEmpty)
  }

  @Test func `a growth is taken over several samples, however rarely they come`() throws {
    let (times, tracker) = try raises("mem growth > 1MiB/s for 1s", seconds: 200, step: 15) {
      $0 * 2 * 1_048_576
    }
    #expect(times.count == 1)
    #expect(abs((tracker.value ?? 0) / 1_048_576 - 2) < 0.01)
  }

  @Test func `with the end of the process the alert is over`() throws {
    var (_, tracker) = try raises("cpu > 90%", seconds: 3) { _ in 95 }
    tracker.finish(at: MadeUpProcess.time(4))
    #expect(!tracker.isRaised && tracker.over == MadeUpProcess.time(4) && tracker.count == 1)
  }

  @Test func `without a time one sample is enough`() throws {
    let (times, _) = try raises("cpu > 90%", seconds: 3) { $0 >= 2 ? 91 : 90 }
    #expect(isClose(times, [2]))
  }

  @Test func `what swings around the threshold raises it once`() throws {
    // 95 for 3 s, 88 for 3 s, and so on: 88 is not clear of 90.
    let (times, tracker) = try raises("cpu > 90% for 2s", seconds: 120) {
      Int($0 / 3) % 2 == 0 ? 95 : 88
    }
    #expect(times.count == 1 && tracker.isRaised)
  }

  @Test func `a short break is no end, and what comes again after a long one is counted`() throws {
    let (times, tracker) = try raises("cpu > 90% for 2s", seconds: 40) { time in
      // Below for 1 s at 6, and for 8 s at 12.
      (6..<7).contains(time) || (12..<20).contains(time) ? 10 : 99
    }
    #expect(isClose(times, [2, 22]), "\(times)")
    #expect(tracker.count == 2 && tracker.isRaised)
    #expect(tracker.first == MadeUpProcess.time(times[0]))
    #expect(tracker.last == MadeUpProcess.time(times[1]))
  }

  @Test func `an end has its time`() throws {
    let (_, tracker) = try raises("cpu > 90% for 2s", seconds: 20) { $0 < 10 ? 99 : 10 }
    #expect(!tracker.isRaised)
    let over = try #require(tracker.over)
    #expect((over.seconds(since: MadeUpProcess.time(10)) - 2).magnitude < 0.15)
  }

  @Test func `what is not known does not hold, and ends nothing`() throws {
    let (times, tracker) = try raises("fps < 30 for 2s", seconds: 30) { time in
      // Idle for half a second each second: it never held for two.
      time < 20 ? (time.truncatingRemainder(dividingBy: 1) < 0.5 ? nil : 10) : 10
    }
    #expect(isClose(times, [21.5]), "\(times)")
    #expect(tracker.isRaised)
    let (_, after) = try raises("fps < 30 for 2s", seconds: 30) { $0 < 10 ? 10 : nil }
    #expect(after.isRaised, "a program that draws nothing has not become faster")
  }

  @Test func `after a gap it begins anew`() throws {
    var tracker = RuleTracker(try Rule("cpu > 90% for 20s"))
    for number in 0..<150 {
      tracker.take(99, at: MadeUpProcess.time(Double(number) / 10), interval: 100_000_000)
    }
    // 60 s of which nobody knows anything: stopped, or asleep with the machine.
    var raised: [Bool] = []
    for (seconds, interval) in [(75, 1), (94.9, 200), (95.1, 200)] as [(Double, UInt64)] {
      let isRaised = tracker.take(
        99, at: MadeUpProcess.time(seconds), interval: interval * 100_000_000)
      raised.append(isRaised)
    }
    #expect(raised == [false, false, true])
  }

  @Test(arguments: [
    // bytes a second, noise in bytes, whether it is raised
    (2_000_000.0, 0.0, true), (2_000_000, 3_000_000, true), (500_000, 3_000_000, false),
    (0, 10_000_000, false), (-2_000_000, 0, false),
  ])
  func `growth is the slope, whatever swings around it`(rate: Double, noise: Double, isRaised: Bool)
    throws
  {
    var random = SeededRandom(seed: 3)
    let (times, tracker) = try raises("mem growth > 1MB/s for 30s", seconds: 100) { time in
      200e6 + rate * time + Double.random(in: -1...1, using: &random) * noise
    }
    #expect(!times.isEmpty == isRaised, "\(times)")
    // Not before the window was seen once.
    if let first = times.first { #expect(first >= 27 && first <= 40) }
    if isRaised {
      let value = try #require(tracker.value)
      #expect((value - rate).magnitude < 0.25 * rate, "\(value)")
    }
  }

  @Test(arguments: [0.05, 0.5, 1, 2, 3], [0.0, 4e6])
  func `a step is no growth, however long it takes, up to a third of the window`(
    length: Double, noise: Double
  ) throws {
    for start in [5.0, 12, 30.3] {
      var random = SeededRandom(seed: 5)
      let (times, tracker) = try raises("mem growth > 1MB/s for 10s", seconds: 60) { time in
        100e6 + 60e6 * max(0, min(1, (time - start) / length))
          + Double.random(in: -1...1, using: &random) * noise
      }
      #expect(times.isEmpty && tracker.count == 0, "from \(start): \(times)")
    }
  }

  @Test func `a step down is no growth below a threshold either`() throws {
    let (times, _) = try raises("mem growth < 0", seconds: 60) { $0 < 30.3 ? 160e6 : 100e6 }
    #expect(times.isEmpty, "\(times)")
  }

  @Test(arguments: [1.0, 2.5, 4, 7, 12, 20], [0.2, 0.5, 0.8])
  func `a wave is no growth`(period: Double, share: Double) throws {
    let (times, _) = try raises("mem growth > 1MB/s for 10s", seconds: 120) {
      100e6 + ($0.truncatingRemainder(dividingBy: period) < share * period ? 60e6 : 0)
    }
    #expect(times.isEmpty, "\(times)")
  }

  @Test func `growth below a wave is growth`() throws {
    let (times, tracker) = try raises("mem growth > 1MB/s for 30s", seconds: 60) {
      100e6 + 3e6 * $0 + ($0.truncatingRemainder(dividingBy: 4) < 2 ? 20e6 : 0)
    }
    #expect(times.count == 1)
    #expect(((tracker.value ?? 0) / 3e6 - 1).magnitude < 0.2, "\(tracker.value ?? 0)")
  }

  @Test(arguments: [2, 3, 5])
  func `steps that come again and again are growth`(period: Double) throws {
    let (times, tracker) = try raises("mem growth > 1MB/s for 15s", seconds: 60) {
      100e6 + 2e6 * period * ($0 / period).rounded(.down)
    }
    #expect(times.count == 1)
    #expect(((tracker.value ?? 0) / 2e6 - 1).magnitude < 0.35, "\(tracker.value ?? 0)")
  }

  @Test func `growth beside a step is the growth without it`() throws {
    let (times, tracker) = try raises("mem growth > 1MB/s for 10s", seconds: 36) {
      100e6 + 3e6 * $0 + ($0 < 30 ? 0 : 500e6)
    }
    #expect(times.count == 1)
    #expect(((tracker.value ?? 0) / 3e6 - 1).magnitude < 0.1, "\(tracker.value ?? 0)")
  }

  @Test func `growth needs the whole span, to the last sample`() throws {
    let (times, _) = try raises("mem growth > 1MB/s for 30s", seconds: 29.9) { 2e6 * $0 }
    #expect(times.isEmpty)
    let (after, _) = try raises("mem growth > 1MB/s for 30s", seconds: 31) { 2e6 * $0 }
    #expect(isClose(after, [30]), "\(after)")
  }

  @Test(arguments: [
    ("cpu.mean > 50%", 10), ("cpu.median > 50%", 10), ("cpu.p90 > 50%", 10),
    ("cpu.p95 > 50%", 20), ("cpu.p99 > 50%", 100), ("cpu.p5 > 50%", 20), ("cpu.peak > 50%", 1),
    ("cpu.min > 50%", 1),
  ])
  func `a statistic needs enough samples`(text: String, count: Int) throws {
    let (before, tracker) = try raises(text, seconds: Double(max(0, count - 2)) / 10) { _ in 90 }
    #expect(before.isEmpty == (count > 1) && (tracker.value == nil) == (count > 1))
    let (times, _) = try raises(text, seconds: 20) { _ in 90 }
    #expect(isClose(times, [Double(count - 1) / 10]), "\(times)")
  }

  @Test func `one busy sample of 20 is no high 95th percentile, two of 20 are`() throws {
    let (one, _) = try raises("cpu.p95 > 50%", seconds: 1.9) { $0 == 0 ? 100 : 1 }
    #expect(one.isEmpty)
    let (two, _) = try raises("cpu.p95 > 50%", seconds: 1.9) { $0 < 0.15 ? 100 : 1 }
    #expect(isClose(two, [1.9]))
  }

  @Test func `statistics are those of the whole run`() throws {
    // 0, 1, … 99, and again.
    func value(_ time: Double) -> Double {
      (time * 10).rounded().truncatingRemainder(dividingBy: 100)
    }
    for (text, expected, tolerance) in [
      ("cpu.peak > 500%", 99.0, 0.0), ("cpu.min > 500%", 0, 0), ("cpu.mean > 500%", 49.5, 0.5),
      ("cpu.median > 500%", 50, 2), ("cpu.p95 > 500%", 95, 4),
    ] {
      let (_, tracker) = try raises(text, seconds: 99.9, value)
      let found = try #require(tracker.value)
      #expect((found - expected).magnitude <= tolerance, "\(text): \(found)")
    }
  }

  @Test func `another process begins anew`() throws {
    var (_, tracker) = try raises("rss.peak > 100MB", seconds: 5) { _ in 200e6 }
    #expect(tracker.isRaised)
    tracker.restart()
    #expect(!tracker.isRaised && tracker.value == nil)
    tracker.take(50e6, at: MadeUpProcess.time(6), interval: 100_000_000)
    #expect(tracker.value == 50e6 && !tracker.isRaised)
  }

  @Test(arguments: ["cpu > 90% for 10s", "mem growth > 1MB/s for 10s", "cpu.p95 > 90%"])
  func `a value allocates nothing`(text: String) throws {
    var tracker = RuleTracker(try Rule(text))
    var number = 0
    let count = allocations {
      for _ in 0..<200 {
        number += 1
        tracker.take(
          95, at: MadeUpProcess.time(Double(number) / 10), interval: 100_000_000)
      }
    }
    #expect(count == 0)
  }
}

@Suite struct AlertListTests {
  private func process(_ rules: String...) throws -> MadeUpProcess {
    var process = MadeUpProcess()
    var header = process.run.header
    header.alerts = try rules.map { try Rule($0) }
    process.run = Run(header)
    return process
  }

  @Test func `a busy process raises the alert, with a notice`() throws {
    var process = try process("cpu > 90% for 2s", "threads > 100")
    for number in 0...50 {
      process.read(at: Double(number) / 10, cpu: Double(number) / 10) { $0.threads = .value(3) }
    }
    #expect(process.run.alerts.raised == 1)
    #expect(process.run.alerts.trackers.map(\.count) == [1, 0])
    let notice = try #require(process.run.noticeList.all.last)
    #expect(notice.kind == .alert && notice.rule == 0)
    #expect(notice.name.text == "cpu > 90% for 2s" && notice.valueText.text == "100.0 %")
  }

  @Test func `the summary names each rule that raised an alert, with its number and worst value`()
    throws
  {
    var process = try process("threads > 10", "threads > 100", "mem > 1MiB")
    for (second, threads) in [3, 20, 40, 3, 3, 3, 3, 12].enumerated() {
      process.read(at: Double(second)) {
        $0.threads = .value(UInt32(threads))
        $0.anonymousBytes = .value(2 << 20)
      }
    }
    let summary = RunSummary(process.run, asOf: MadeUpProcess.time(9))
    #expect(
      summary.text(language: .english).contains(
        "  alert   threads > 10: 2 times, worst 40\n  alert   mem > 1MiB: once, worst 2.000 MiB\n"))
    #expect(summary.text(language: .japanese).contains("threads > 10: 2回, 最悪値 40\n"))
  }

  @Test func `mem is the value that leads`() throws {
    for (memory, isRaised) in [(MemoryMetric.rss, true), (.footprint, false)] {
      var header = MadeUpProcess(memory: memory).run.header
      header.alerts = [try Rule("mem > 100MiB")]
      var run = Run(header)
      var sample = Sample()
      sample.time = MadeUpProcess.time(1)
      sample.residentBytes = .value(200 << 20)
      sample.anonymousBytes = .value(50 << 20)
      run.apply(.sample(sample))
      #expect((run.alerts.raised == 1) == isRaised)
    }
  }

  @Test func `a value that the mode has not is nothing`() throws {
    var process = try process("fps < 30")
    for number in 0...20 { process.read(at: Double(number) / 10, cpu: 0) }
    #expect(process.run.alerts.raised == 0)
  }

  @Test func `the end of the process raises nothing`() throws {
    var process = try process("threads < 2")
    process.read(at: 0, cpu: 0) { $0.threads = .value(5) }
    process.read(at: 1, cpu: 0) {
      $0.threads = .value(0)
      $0.hasEnded = true
    }
    #expect(process.run.alerts.raised == 0)
  }
}
