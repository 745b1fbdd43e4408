import PerfHUDBase
import PerfHUDEvents
import Sampler
import Testing

@testable import Metrics

/// Each metric of a run whose truth is known.
@Suite struct BudgetMetricTests {
  private let end = CommandEnd(
    status: .exited(0), userNanoseconds: 2_000_000_000, systemNanoseconds: 600_000_000,
    maxResidentBytes: 220 << 20, readBytes: 4096, writtenBytes: 60 << 20)

  @Test(arguments: [
    ("rss.peak <= 200MiB", "holds: 200.0 MiB"),
    ("rss.peak < 200MiB", "fails: 200.0 MiB, +0.000 %"),
    ("rss.min >= 100MiB", "holds: 100.0 MiB"),
    ("rss.mean <= 160MiB", "holds: 150.0 MiB"),
    ("memory.peak <= 100MiB", "fails: 180.0 MiB, +80 %"),
    ("threads.peak <= 4", "holds: 4"),
    ("threads.mean <= 1", "fails: 2, +147 %"),
    ("cpu-time <= 3s", "holds: 2.500 s"),
    ("cpu.mean <= 40%", "fails: 50.0 %, +25 %"),
    ("cpu.peak <= 51%", "holds: 50.0 %"),
    ("wall <= 4s", "fails: 5.000 s, +25 %"),
    ("wall >= 4s", "holds: 5.000 s"),
    ("io.written <= 50MiB", "holds: 50.00 MiB"),
    ("io.read <= 0", "holds: 0 B"),
    ("write.peak <= 1MiB/s", "fails: 10.00 MiB/s, +900 %"),
    ("cpu.p99 <= 60%", "fails: no data, 46 of 100 samples"),
    ("frame.p99 <= 16ms", "fails: no data, no frames"),
    ("frame.p99 <= 16ms optional", "holds: no data, optional, no frames"),
    ("frame.p99 <= 16ms warn", "fails (only a warning): no data, no frames"),
    ("pss.peak <= 1MiB", "fails: no data, off"),
    ("phase(a).kept <= 1MiB", "fails: no data, no such phase"),
    ("action(a).rate <= 1/s", "fails: no data, no such action"),
  ])
  func `a process is judged`(budget: String, text: String) throws {
    #expect(try DisturbedProcess().text(budget) == text)
  }

  @Test(arguments: [
    ("cpu-time <= 3s", "holds: 2.600 s"), ("rss.peak <= 200MiB", "fails: 220.0 MiB, +10 %"),
    ("io.written <= 60MiB", "holds: 60.00 MiB"), ("io.read <= 1KiB", "fails: 4.000 KiB, +300 %"),
  ])
  func `what the kernel has counted of a command is taken where it is more`(
    budget: String, text: String
  ) throws {
    #expect(try DisturbedProcess().text(budget, end: end) == text)
  }

  @Test(arguments: [
    ("memory.peak <= 100MiB", "fails: ≥ 180.0 MiB, +80 %"),
    ("memory.peak <= 200MiB", "inconclusive: a part of it is not known, measured ≥ 180.0 MiB"),
    ("memory.peak <= 300MiB", "holds: ≥ 180.0 MiB"),
    ("rss.peak <= 300MiB", "holds: 300.0 MiB"),
  ])
  func `a peak between two samples is a lower bound where RSS shows that there was one`(
    budget: String, text: String
  ) throws {
    let end = CommandEnd(status: .exited(0), maxResidentBytes: 300 << 20)
    #expect(try DisturbedProcess().text(budget, end: end) == text)
  }

  /// The greatest sample has 200 MiB of RSS. At 215 MiB the summary has no `≥` yet.
  private let slightlyMore = CommandEnd(status: .exited(0), maxResidentBytes: 215 << 20)

  @Test(arguments: [
    ("memory.peak <= 170MiB", "fails: 180.0 MiB, +5.9 %"),
    ("memory.peak <= 180MiB", "inconclusive: a part of it is not known, measured ≥ 180.0 MiB"),
    ("memory.peak <= 194MiB", "inconclusive: a part of it is not known, measured ≥ 180.0 MiB"),
    ("footprint.peak <= 194MiB", "inconclusive: a part of it is not known, measured ≥ 180.0 MiB"),
    ("memory.peak <= 195MiB", "holds: 180.0 MiB"),
    ("memory.peak >= 180MiB", "holds: 180.0 MiB"),
    ("memory.peak >= 190MiB", "inconclusive: a part of it is not known, measured ≥ 180.0 MiB"),
    ("memory.peak >= 196MiB", "fails: 180.0 MiB, -8.2 %"),
    ("rss.peak <= 215MiB", "holds: 215.0 MiB"),
  ])
  func `a small share by which RSS exceeded the samples counts where it decides`(
    budget: String, text: String
  ) throws {
    #expect(try DisturbedProcess().text(budget, end: slightlyMore) == text)
  }

  @Test func `a lower bound with a possible peak holds only far from its limit`() throws {
    let process = DisturbedProcess(isLowerBound: true)
    let unknown = "inconclusive: a part of it is not known, measured ≥ 180.0 MiB"
    #expect(try process.text("memory.peak <= 359MiB", end: slightlyMore) == unknown)
    #expect(try process.text("memory.peak <= 360MiB", end: slightlyMore) == "holds: ≥ 180.0 MiB")
  }

  @Test func `a few pages by which RSS exceeded the samples are noise`() throws {
    let end = CommandEnd(status: .exited(0), maxResidentBytes: 200 << 20 + 256 << 10)
    #expect(try DisturbedProcess().text("memory.peak <= 180MiB", end: end) == "holds: 180.0 MiB")
  }

  @Test func `a base whose peak may have been greater decides only what it can`() throws {
    func text(_ rule: String) throws -> String {
      try DisturbedProcess().text(rule, base: DisturbedProcess(), baseEnd: slightlyMore)
    }
    // The limit may have been 15 MiB higher.
    #expect(
      try text("memory.peak <= +1MiB of b.phr") == "holds: 180.0 MiB, +0.0 % (base 180.0 MiB)")
    #expect(
      try text("memory.peak <= -1MiB of b.phr")
        == "inconclusive: a part of the base is not known, measured 180.0 MiB, +0.0 % "
        + "(base 180.0 MiB)")
    #expect(try text("memory.peak <= -16MiB of b.phr").hasPrefix("fails: 180.0 MiB"))
  }

  @Test
  func `a command without a sample has the memory that the kernel reports, if only as a bound`()
    throws
  {
    var header = MadeUpProcess().run.header
    header.budgets = [try Budget("rss.peak <= 10MiB"), try Budget("rss.peak <= 1MiB")]
    func texts(isBound: Bool) -> [String] {
      let end = CommandEnd(
        status: .exited(0), maxResidentBytes: 2 << 20, maxResidentIsBound: isBound)
      return BudgetReport(Run(header), asOf: MadeUpProcess.time(1), end: end).results
        .map { $0.text(.english) }
    }
    #expect(texts(isBound: false) == ["holds: 2.000 MiB", "fails: 2.000 MiB, +100 %"])
    #expect(
      texts(isBound: true) == [
        "holds: ≤ 2.000 MiB",
        "inconclusive: a part of it is not known, measured ≤ 2.000 MiB",
      ])
  }

  // MARK: Frames and keys

  /// 990 frames of 10 ms, and 20 of 40 ms among them.
  private func drawing(_ source: FrameSource = .app) -> MadeUpProcess {
    var process = MadeUpProcess(
      tickPeriod: source == .tick ? 10_000_000 : nil, framesFromTerminal: source == .terminal)
    var seconds = 0.1
    for number in 0...1010 {
      let isSlow = number > 300 && number % 35 == 0
      seconds += isSlow ? 0.04 : 0.01
      if source == .app {
        process.report(.frame, at: seconds)
      } else {
        process.run.apply(.activity(.frame(MadeUpProcess.time(seconds), source, missed: 0)))
      }
      if number % 10 == 0 { process.read(at: seconds, cpu: seconds / 10) }
    }
    return process
  }

  @Test(arguments: [
    ("frame.median <= 11ms", "holds: 10."), ("frame.p99 <= 30ms", "fails: 4"),
    ("frame.p95 <= 11ms", "holds: 10."), ("frame.peak <= 41ms", "holds: 40."),
    ("frame.mean <= 11ms", "holds: 10.5"), ("fps.mean >= 90", "holds: 94."),
    ("fps.mean >= 95", "fails: 94."), ("hitches <= 100ms/s", "holds: 5"),
    ("hitches <= 10ms/s", "fails: 5"),
  ])
  func `frames are judged over the whole run`(budget: String, text: String) throws {
    let found = try drawing().text(of: budget, at: 12)
    #expect(found.hasPrefix(text), "\(found)")
  }

  /// 400 frames of 10 ms; one of ten may be several.
  private var merging: MadeUpProcess {
    var process = MadeUpProcess(framesFromTerminal: true)
    for number in 0..<400 {
      let time = MadeUpProcess.time(0.1 + Double(number) / 100)
      process.run.apply(
        .activity(
          number % 10 == 9 ? .mergedFrame(time) : .frame(time, .terminal, missed: 0)))
      if number % 10 == 0 { process.read(at: 0.1 + Double(number) / 100, cpu: 0) }
    }
    return process
  }

  @Test(arguments: [
    ("fps.mean >= 120", "inconclusive: a part of it is not known, measured ≥ 100.0 FPS"),
    ("fps.mean >= 90", "holds: ≥ 100.0 FPS"),
    ("fps.mean <= 90", "fails: ≥ 100.0 FPS, +11 %"),
    ("fps.mean <= 120", "inconclusive: a part of it is not known, measured ≥ 100.0 FPS"),
    ("frame.mean <= 9ms", "inconclusive: a part of it is not known, measured ≤ 10.00 ms"),
    ("frame.mean <= 11ms", "holds: ≤ 10.00 ms"),
    ("frame.p99 <= 9ms", "inconclusive: a part of it is not known, measured ≤ 10."),
    ("hitches <= 1ms/s", "holds: ≤ 0.00 ms/s"),
  ])
  func `where frames may be several, rates are lower bounds and times upper bounds`(
    budget: String, text: String
  ) throws {
    let found = try merging.text(of: budget, at: 5)
    #expect(found.hasPrefix(text), "\(found)")
    let summary = RunSummary(merging.run, asOf: MadeUpProcess.time(5)).text(language: .english)
    #expect(summary.contains("  frames  ≥ 400, ≥ 100.0 FPS, p99 ≤ 10."), "\(summary)")
    let frames = try #require(merging.run.frames)
    #expect(frames.recentSummary?.isLowerBound == true)
    #expect(frames.totalSummary?.isLowerBound == true)
    #expect(drawing(.terminal).run.frames?.recentSummary?.isLowerBound == false)
  }

  @Test func `the tick of perfhud is no frame of the program`() throws {
    #expect(
      try drawing(.tick).text(of: "fps.mean >= 90", at: 12) == "fails: no data, no frames")
  }

  @Test func `a percentile needs enough times`() throws {
    var process = MadeUpProcess(
      framesFromTerminal: true, budgets: [try Budget("key-to-frame.p99 <= 1s")])
    for number in 0..<50 {
      let seconds = 1 + Double(number) / 10
      process.run.apply(.answer(nanoseconds: 20_000_000, MadeUpProcess.time(seconds)))
    }
    process.read(at: 7, cpu: 1)
    #expect(try process.text(of: "key-to-frame.p95 <= 25ms", at: 8).hasPrefix("holds: 20."))
    #expect(try process.text(of: "key-to-frame.p95 <= 15ms", at: 8).hasPrefix("fails: 20."))
    #expect(
      try process.text(of: "key-to-frame.p99 <= 25ms", at: 8)
        == "fails: no data, 50 of 100 answers")
  }

  // MARK: Phases and actions

  @Test func `a phase that keeps memory is found, and its neighbor is not blamed`() throws {
    var phases = TwoPhases()
    phases.galleryLeaks = { _ in 4 }
    let process = phases.run(rounds: 6)
    func text(_ budget: String) throws -> String { try process.text(of: budget, at: 126) }
    #expect(try text("phase(gallery).kept <= 2MiB") == "fails: 4.000 MiB, +100 %")
    #expect(try text("phase(gallery).kept <= 5MiB") == "holds: 4.000 MiB")
    #expect(try text("phase(canvas).kept <= 64KiB") == "holds: 0 B")
    #expect(try text("phase(*).grows <= 64KiB/visit").hasPrefix("fails: 4.000 MiB/visit (gallery)"))
    #expect(try text("phase(canvas).grows <= 64KiB/visit") == "holds: 0 B/visit")
    #expect(try text("phase(gallery).visits >= 6") == "holds: 6")
    #expect(try text("phase(gallery).peak <= 100MiB").hasPrefix("fails: 17"))
  }

  @Test func `the first visit does not count, and one after it is too little`() throws {
    var phases = TwoPhases()
    phases.galleryLeaks = { $0 == 0 ? 40 : 0 }
    #expect(
      try phases.run(rounds: 4).text(of: "phase(gallery).kept <= 64KiB", at: 90) == "holds: 0 B")
    #expect(
      try phases.run(rounds: 2).text(of: "phase(gallery).kept <= 64KiB", at: 90)
        == "fails: no data, 1 of 2 visits after the first")
  }

  @Test func `actions have a peak rate and a count, exact or at least`() throws {
    var process = MadeUpProcess()
    for number in 0..<200 { process.report(.action, "redraw", at: 1 + Double(number) / 50) }
    process.report(.action, "other", at: 6)
    process.read(at: 7, cpu: 1)
    #expect(try process.text(of: "action(redraw).count <= 200", at: 8) == "holds: 200")
    #expect(try process.text(of: "action(*).count <= 100", at: 8) == "fails: 200 (redraw), +100 %")
    #expect(try process.text(of: "action(redraw).rate <= 60/s", at: 8).hasPrefix("holds: 5"))
    #expect(try process.text(of: "action(redraw).rate <= 20/s", at: 8).hasPrefix("fails: 5"))
    process.run.apply(.eventsLost(3, MadeUpProcess.time(8)))
    #expect(try process.text(of: "action(redraw).count <= 100", at: 8) == "fails: ≥ 200, +100 %")
    #expect(try process.text(of: "action(redraw).count <= 400", at: 8) == "holds: ≥ 200")
    #expect(
      try process.text(of: "action(redraw).count <= 399", at: 8)
        == "inconclusive: a part of it is not known, measured ≥ 200")
    #expect(try process.text(of: "action(redraw).count >= 200", at: 8) == "holds: ≥ 200")
  }
}
