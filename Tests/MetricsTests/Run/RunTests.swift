import CMallocCount
import Metrics
import PerfHUDBase
import Sampler
import TestSupport
import Testing

@testable import Metrics

private let mebibyte: UInt64 = 1 << 20

@Suite struct RunTests {
  @Test func `private memory that forked processes share is counted once`() {
    var process = MadeUpProcess()
    process.read(at: 0) {
      ($0.anonymousBytes, $0.swapBytes) = (.value(900 << 20), .value(100 << 20))
      $0.sharedPrivateBytes = 800 << 20
    }
    #expect(process[.footprint] == .value(Double(200 << 20)))
    #expect(process.run.latest?.footprintIsLowerBound == false)
    // A twentieth of what is shown may be missing.
    process.read(at: 0.1) { $0.uncertainSharedBytes = 10 << 20 }
    #expect(process.run.latest?.footprintIsLowerBound == false)
    process.read(at: 0.2) { $0.uncertainSharedBytes = (10 << 20) + 1 }
    #expect(process.run.latest?.footprintIsLowerBound == true)
  }

  @Test func `the footprint is private memory, swap and page tables`() {
    var process = MadeUpProcess()
    process.read(at: 1) {
      $0.residentBytes = .value(100)
      $0.anonymousBytes = .value(30)
    }
    #expect(process[.footprint] == .value(30))
    process.read(at: 2) {
      $0.swapBytes = .value(7)
      $0.pageTableBytes = .value(2)
    }
    #expect(process[.footprint] == .value(39))
    #expect(process[.resident] == .value(100))
    #expect(process[.swap] == .value(7))
  }

  @Test func `values of what does not run here are not asked for`() {
    var process = MadeUpProcess()
    process.read(at: 1, cpu: 0)
    for metric in [
      .keyToFrame, .bytesPerFrame, .unchangedCells, .actions, .fps, .frameMedian, .frameP99,
      .hitches,
    ] as [Metric] {
      #expect(process[metric] == .absent(.notRequested))
    }
    #expect(process.run.latest?.fpsSource == nil)
    #expect(process[.processes] == .value(1))
  }

  @Test func `a provisional reading shows its value and leaves peaks and history alone`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 0) { $0.isProvisional = true }
    process.read(at: 0.04, cpu: 0.04) { $0.isProvisional = true }
    #expect(isClose(process[.cpuWindow], 100))
    #expect(process.run.latest?.isProvisional == true)
    #expect(process.run.peaks.cpu == nil)
    let all = process.run.history.extent(
      .cpu, from: MadeUpProcess.start, to: MadeUpProcess.time(10))
    #expect(all.isEmpty)
  }

  @Test func `the share after a provisional reading is that of the whole interval`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 0)
    process.read(at: 0.02, cpu: 0) { $0.isProvisional = true }
    process.read(at: 0.1, cpu: 0.05) { $0.isProvisional = false }
    process.read(at: 0.2, cpu: 0.06)
    let all = process.run.history.extent(
      .cpu, from: MadeUpProcess.start, to: MadeUpProcess.time(10))
    #expect(abs(all.max - 50) < 0.01)
    #expect(abs(all.min - 10) < 0.01)
  }

  @Test func `the end keeps the last values and its first time`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 0) { $0.residentBytes = .value(5) }
    process.read(at: 0.1, cpu: 0.1) { $0.threads = .value(3) }
    process.read(at: 0.2) {
      $0.hasEnded = true
      $0.cpuNanoseconds = .absent(.ended)
      $0.threads = .absent(.ended)
      $0.residentBytes = .absent(.ended)
    }
    process.read(at: 0.3)
    #expect(process.run.ended == MadeUpProcess.time(0.2))
    #expect(process.run.latest?.hasEnded == true)
    #expect(isClose(process[.cpu], 100))
    #expect(isClose(process[.cpuWindow], 100))
    #expect(process[.threads] == .value(3))
    #expect(process[.resident] == .value(5))
    #expect(process.run.history.end == MadeUpProcess.time(0.1))
  }

  @Test func `a missed reading is a gap in the history, a late one is not`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 0)
    process.read(at: 0.1, cpu: 0.01)
    process.read(at: 0.5, cpu: 0.05) { $0.missed = 3 }
    process.read(at: 0.9, cpu: 0.09)
    func extent(_ from: Double, _ to: Double) -> Extent {
      process.run.history.extent(
        .cpu, from: MadeUpProcess.time(from), to: MadeUpProcess.time(to))
    }
    #expect(extent(0.2, 0.4).isEmpty)
    #expect(!extent(0.4, 0.5).isEmpty)
    #expect(!extent(0.6, 0.8).isEmpty)
  }

  @Test func `of 70 marks the last 64 are kept`() {
    var run = MadeUpProcess().run
    for number in 1...70 { run.apply(.mark(MadeUpProcess.time(Double(number)))) }
    #expect(run.marks.count == Run.markCapacity)
    #expect(run.marks.first == MadeUpProcess.time(7))
    #expect(run.marks.last == MadeUpProcess.time(70))
  }

  @Test func `peaks are the extremes since the reset`() {
    var process = MadeUpProcess()
    var cpu = 0.0
    for (number, bytes) in ([5, 9, 2, 4] as [UInt64]).enumerated() {
      cpu += number == 1 ? 0.8 : 0.1
      process.read(at: Double(number), cpu: cpu) { $0.anonymousBytes = .value(bytes) }
    }
    #expect(process.run.peaks.memoryHigh == 9)
    #expect(isClose(process.run.peaks.cpu.map { .value($0) }, 80))
    process.run.apply(.peaksReset(MadeUpProcess.time(4)))
    #expect(process.run.peaks.memoryHigh == nil)
    process.read(at: 5, cpu: cpu + 0.2)
    #expect(process.run.peaks.memoryHigh == 4)
    #expect(isClose(process.run.peaks.cpu.map { .value($0) }, 10))
  }

  @Test func `peaks and the memory history follow the leading value`() {
    var process = MadeUpProcess(memory: .rss)
    process.read(at: 1) {
      $0.residentBytes = .value(90)
      $0.anonymousBytes = .value(10)
    }
    #expect(process.run.peaks.memoryHigh == 90)
    let extent = process.run.history.extent(
      .memory, from: MadeUpProcess.start, to: MadeUpProcess.time(2))
    #expect(extent.max == 90)
  }

  @Test func `a clock record moves the wall clock`() {
    var run = MadeUpProcess().run
    #expect(run.wallClockOffset == 1000)
    run.apply(.clock(offset: 77, MadeUpProcess.time(1)))
    #expect(run.wallClockOffset == 77)
  }

  @Test func `ticks become a frame rate with its source`() {
    var process = MadeUpProcess(tickPeriod: 16_666_666)
    for tick in 1...200 {
      process.run.apply(.activity(.frame(MadeUpProcess.time(Double(tick) / 60), .tick, missed: 0)))
    }
    process.read(at: 200.0 / 60 + 0.005, cpu: 0)
    #expect(process[.fps] == .value(60))
    #expect(process.run.latest?.fpsSource == .tick)
  }

  @Test func `what a process does after the last sample counts in its share and in the peak`() {
    var process = MadeUpProcess()
    for tenth in 0...10 { process.read(at: Double(tenth) / 10) { $0.cpuNanoseconds = .value(0) } }
    process.read(at: 1.6) {
      $0.hasEnded = true
      $0.cpuNanoseconds = .value(480_000_000)
    }
    #expect(isClose(process[.cpuWindow], 80, within: 0.1))
    #expect(isClose(process[.cpu], 80, within: 0.1))
    #expect(isClose(process.run.totals.peaks.cpu.map { .value($0) }, 80, within: 0.1))
    // Without a new value the last share stays.
    process.read(at: 3) { $0.hasEnded = true }
    #expect(isClose(process[.cpuWindow], 80, within: 0.1))
  }

  @Test func `the time of a stop is no hitch`() {
    var process = MadeUpProcess(tickPeriod: 20_000_000)
    func tick(_ seconds: Double) -> Record {
      .activity(.frame(MadeUpProcess.time(seconds), .tick, missed: 0))
    }
    for number in 1...100 { process.run.apply(tick(Double(number) / 50)) }
    process.run.apply(.resumed(MadeUpProcess.time(60)))
    process.read(at: 60, cpu: 0)
    #expect(process[.fps] == .absent(.pending))
    for number in 0...100 { process.run.apply(tick(60 + Double(number) / 50)) }
    process.read(at: 62.001, cpu: 0)
    #expect(isClose(process[.hitches], 0))
    #expect(process[.fps] == .value(50))
  }

  @Test func `the same records give an equal run`() {
    let records = manyRecords(seed: 1)
    let run = fold(records)
    #expect(dump(run) == dump(fold(records)))
    #expect(dump(run) != dump(fold(manyRecords(seed: 2))))
    #expect(dump(run).count > 300)
  }

  @Test func `a copy stays as it was while the run goes on`() {
    let records = manyRecords(seed: 3)
    var run = fold(Array(records.prefix(3000)))
    let copy = run
    let before = dump(copy)
    for record in records.dropFirst(3000) { run.apply(record) }
    #expect(dump(copy) == before)
    #expect(dump(run) == dump(fold(records)))
  }

  @Test(arguments: [20, 100, 1000, 10_000] as [UInt64])
  func `a run takes less than 1 MB at every interval`(milliseconds: UInt64) {
    let history = MadeUpProcess(milliseconds: milliseconds).run.history
    let buckets = history.levels * History.bucketsPerLevel * MemoryLayout<History.Bucket>.stride
    let frames =
      FrameStatistics.capacity * (MemoryLayout<Instant>.stride + MemoryLayout<Float>.stride)
    let others = 23 * 32 * MemoryLayout<UInt32>.stride
    #expect(buckets + frames + others + MemoryLayout<Run>.size + 4096 < 1_000_000)
    #expect(
      history.base * UInt64(History.bucketsPerLevel) << (2 * (history.levels - 1))
        >= 86_400_000_000_000, "24 h are kept")
  }

  @Test(.enabled(if: perfhud_malloc_is_counted() != 0))
  func `10 minutes of samples, ticks and output allocate nothing`() {
    var process = MadeUpProcess(tickPeriod: 16_666_666)
    func minute(_ number: Int) {
      for step in 0..<600 {
        let time = Double(number * 600 + step) / 10
        for tick in 0..<6 {
          process.run.apply(
            .activity(.frame(MadeUpProcess.time(time + Double(tick) / 60), .tick, missed: 0)))
        }
        process.run.apply(.activity(.output(bytes: 100, MadeUpProcess.time(time))))
        process.read(at: time + 0.1, cpu: time / 2) {
          $0.anonymousBytes = .value(mebibyte * UInt64(step))
          ($0.statTime, $0.lowRateTime, $0.ioTime) = ($0.time, $0.time, $0.time)
          $0.minorFaults = .value(UInt64(number * 600 + step))
        }
      }
    }
    for number in 0..<7 { minute(number) }
    #expect(allocations { for number in 7..<17 { minute(number) } } == 0)
    #expect(isClose(process[.cpu], 50, within: 1e-3))
  }

  private func fold(_ records: [Record]) -> Run {
    var run = MadeUpProcess(tickPeriod: 16_666_666).run
    for record in records { run.apply(record) }
    return run
  }

  /// Every kind of record, in disorder such as a machine under load makes.
  private func manyRecords(seed: UInt64) -> [Record] {
    var random = SeededRandom(seed: seed)
    var records: [Record] = []
    var sample = MadeUpProcess().sample
    var cpu: UInt64 = 0
    var time = 0.0
    for number in 0..<6000 {
      time += Double.random(in: 0.001...0.15, using: &random)
      let instant = MadeUpProcess.time(time)
      switch Int.random(in: 0..<100, using: &random) {
      case 0: records.append(.mark(instant))
      case 1: records.append(.eventsLost(2, instant))
      case 2: records.append(.clock(offset: random.next() >> 1, instant))
      case 3: records.append(.resumed(instant))
      case 4: records.append(.peaksReset(instant))
      case 60..<65: records.append(.activity(.output(bytes: UInt64(number), instant)))
      case 5: records.append(.interval(20_000_000 * UInt64(1 + number % 50), instant))
      case 6..<60: records.append(.activity(.frame(instant, .tick, missed: UInt32(number % 3))))
      default:
        cpu += UInt64.random(in: 0...100_000_000, using: &random)
        sample.time = instant
        sample.sequence += 1
        sample.cpuNanoseconds = .value(cpu)
        sample.anonymousBytes = .value(UInt64.random(in: 0...(1 << 30), using: &random))
        sample.residentBytes = number % 7 == 0 ? .absent(.permission) : .value(1 << 30)
        if number % 5 == 0 {
          (sample.statTime, sample.lowRateTime, sample.ioTime) = (instant, instant, instant)
          sample.minorFaults = .value(UInt64(number))
          sample.missed += UInt32(number % 2)
        }
        records.append(.sample(sample))
      }
    }
    return records
  }

  /// All that a reader of the run can see, as lines.
  private func dump(_ run: Run) -> [String] {
    var lines = [
      "\(run.header)", "\(run.peaks)", "\(run.marks)",
      "\(run.wallClockOffset)", "\(run.interval)", "\(run.ended as Instant?)",
      "\(run.totals.peaks)",
      RunSummary(run, asOf: MadeUpProcess.time(1000)).text(language: .english),
      "\(run.history.end)",
    ]
    if let row = run.latest {
      lines.append("\(row.time) \(row.sequence) \(row.pid) \(row.state) \(row.ownCPUPercent)")
      for metric in Metric.allCases { lines.append("\(metric) \(row[metric])") }
    }
    for series in Series.allCases {
      for width in [0.1, 1, 7, 60, 600] {
        for number in 0..<20 {
          let from = MadeUpProcess.time(Double(number) * width)
          let to = MadeUpProcess.time(Double(number + 1) * width)
          lines.append("\(series) \(run.history.extent(series, from: from, to: to))")
        }
      }
    }
    return lines
  }
}
