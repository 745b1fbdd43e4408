import PerfHUDBase
import Sampler
import Testing

@testable import Metrics

/// What a disturbed machine and unknown parts do to a verdict.
@Suite struct BudgetVerdictTests {
  @Test(
    arguments: [
      (DisturbedProcess(wait: 0.03, others: 0.5), "CPU wait 3.0 %"),
      (DisturbedProcess(pressure: 0.33, others: 0.5), "CPU pressure 33 %"),
      (DisturbedProcess(throttled: 0.2), "CPU quota, throttled 20 %"),
      (DisturbedProcess(missed: 9), "missed samples 15 %"),
      (DisturbedProcess(wait: 0.1, others: nil), "CPU wait 10 %"),
    ] as [(DisturbedProcess, String)])
  func `a time that is missed on a disturbed machine is inconclusive`(
    process: DisturbedProcess, cause: String
  ) throws {
    #expect(try process.text("wall <= 4s") == "inconclusive: \(cause), measured 5.000 s")
    #expect(try process.text("cpu-time <= 2s") == "inconclusive: \(cause), measured 2.500 s")
    #expect(try process.text("cpu.mean <= 40%") == "inconclusive: \(cause), measured 50.0 %")
    // Memory and counts are what they are.
    #expect(try process.text("rss.peak <= 100MiB") == "fails: 200.0 MiB, +100 %")
    #expect(try process.text("threads.peak <= 3").hasPrefix("fails: 4"))
    // A run cannot be too short because of it.
    #expect(try process.text("wall >= 6s").hasPrefix("fails: 5.000 s"))
    // What is kept by far is kept.
    #expect(try process.text("wall <= 5s") == "holds: 5.000 s")
    #expect(try process.text("cpu-time <= 60s") == "holds: 2.500 s")
  }

  @Test(
    arguments: [
      DisturbedProcess(), DisturbedProcess(wait: 0.015, others: 0.5),
      DisturbedProcess(pressure: 0.04, others: 0.5), DisturbedProcess(throttled: 0.005),
      DisturbedProcess(missed: 1),
      // Others have used nothing: it waits for itself.
      DisturbedProcess(wait: 3, pressure: 0.9, others: 0.01),
    ])
  func `on a quiet machine a time that is missed fails`(process: DisturbedProcess) throws {
    #expect(try process.text("wall <= 4s") == "fails: 5.000 s, +25 %")
    #expect(try process.text("cpu-time <= 2s") == "fails: 2.500 s, +25 %")
  }

  @Test func `a wall time that waiting and half the speed cannot explain fails`() throws {
    let loaded = DisturbedProcess(wait: 0.1, pressure: 0.33, others: 0.5)
    // (5 s − 1.65 s) / 2
    #expect(try loaded.text("wall <= 1.6s").hasPrefix("fails: 5.000 s"))
    #expect(try loaded.text("wall <= 1.7s").hasPrefix("inconclusive: CPU pressure 33 %"))
    #expect(try loaded.text("cpu-time <= 0.1s").hasPrefix("inconclusive: "))

    // Something waits all the time, but its only thread runs half of the time and waits for 40 % of it.
    var full = DisturbedProcess(wait: 0.4, pressure: 1, others: 0.5, hasThreads: false)
    #expect(try full.text("wall <= 1.2s").hasPrefix("fails: 5.000 s"))
    #expect(try full.text("wall <= 1.3s").hasPrefix("inconclusive: "))
    full.hasThreads = true
    #expect(try full.text("wall <= 0.1s").hasPrefix("inconclusive: "))
  }

  @Test func `a wall time is inconclusive where nothing is known of what it waited for`() throws {
    let unknown = DisturbedProcess(wait: 0.1, others: nil)
    #expect(try unknown.text("wall <= 0.1s").hasPrefix("inconclusive: "))
    // Its CPU time is its own: half of the time it ran.
    let single = DisturbedProcess(wait: 0.1, others: nil, hasThreads: false)
    #expect(try single.text("wall <= 1.2s").hasPrefix("fails: "))
    #expect(try single.text("wall <= 1.3s").hasPrefix("inconclusive: "))
  }

  @Test func `a share that a load may have held down does not hold near its limit`() throws {
    let process = DisturbedProcess(wait: 0.3, pressure: 0.2, others: 0.5)
    #expect(
      try process.text("cpu.mean <= 60%")
        == "inconclusive: CPU wait 30 %, measured 50.0 %")
    #expect(try process.text("cpu.mean <= 80%") == "holds: 50.0 %")
    #expect(
      try process.text("cpu-time <= 3s") == "inconclusive: CPU wait 30 %, measured 2.500 s")
    #expect(try process.text("cpu-time <= 4s") == "holds: 2.500 s")
    #expect(
      try process.text("wall >= 4.9s") == "inconclusive: CPU wait 30 %, measured 5.000 s")
    #expect(try process.text("wall >= 3s") == "holds: 5.000 s")
  }

  @Test func `a lower bound can fail, and holds only far from its limit`() throws {
    let process = DisturbedProcess(isLowerBound: true)
    #expect(try process.text("rss.peak <= 199MiB").hasPrefix("fails: ≥ 200.0 MiB"))
    #expect(
      try process.text("rss.peak <= 399MiB")
        == "inconclusive: a part of it is not known, measured ≥ 200.0 MiB")
    #expect(try process.text("rss.peak <= 400MiB") == "holds: ≥ 200.0 MiB")
    #expect(try process.text("rss.peak >= 200MiB") == "holds: ≥ 200.0 MiB")
    #expect(
      try process.text("rss.peak >= 201MiB")
        == "inconclusive: a part of it is not known, measured ≥ 200.0 MiB")
    #expect(try process.text("cpu-time <= 2s").hasPrefix("fails: ≥ 2.500 s"))
  }

  @Test func `an earlier run sets the limit`() throws {
    let process = DisturbedProcess()
    #expect(
      try process.text("wall <= +5% of b.phr", base: process)
        == "holds: 5.000 s, +0.0 % (base 5.000 s)")
    #expect(
      try process.text("wall <= -1% of b.phr", base: process)
        == "fails: 5.000 s, +0.0 % (base 5.000 s)")
    #expect(
      try process.text("rss.peak <= +1MiB of b.phr", base: process)
        == "holds: 200.0 MiB, +0.0 % (base 200.0 MiB)")
    #expect(
      try process.text("threads.peak <= -1 of b.phr", base: process).hasPrefix("fails: 4"))
    // What the earlier run has not sets no limit.
    #expect(
      try process.text("phase(a).kept <= +5% of b.phr", base: process)
        == "fails: no data, no such phase")
    #expect(
      try process.text("phase(a).kept <= +5% of b.phr optional", base: process)
        == "holds: no data, optional, no such phase")
  }

  @Test func `an earlier run that was disturbed decides only what it can`() throws {
    let process = DisturbedProcess()
    let disturbed = DisturbedProcess(pressure: 0.33, others: 0.5)
    // Without the disturbance it might have taken a third less.
    #expect(
      try process.text("wall <= +5% of b.phr", base: disturbed)
        == "inconclusive: in the base: CPU pressure 33 %, measured 5.000 s, +0.0 % (base 5.000 s)")
    #expect(
      try process.text("wall <= +50% of b.phr", base: disturbed)
        == "holds: 5.000 s, +0.0 % (base 5.000 s)")
    // It could not have taken longer.
    #expect(try process.text("wall <= -10% of b.phr", base: disturbed).hasPrefix("fails"))
    // The use of a processor may have been held down as well.
    #expect(try process.text("cpu-time <= -10% of b.phr", base: disturbed).hasPrefix("inconc"))
    #expect(try process.text("rss.peak <= +1% of b.phr", base: disturbed).hasPrefix("holds"))
  }

  @Test func `an earlier run that is a lower bound decides only what it can`() throws {
    let process = DisturbedProcess()
    let partial = DisturbedProcess(isLowerBound: true)
    #expect(
      try process.text("cpu-time <= +5% of b.phr", base: partial)
        == "holds: 2.500 s, +0.0 % (base ≥ 2.500 s)")
    #expect(
      try process.text("cpu-time <= -5% of b.phr", base: partial)
        == "inconclusive: a part of the base is not known, measured 2.500 s, +0.0 % "
        + "(base ≥ 2.500 s)")
  }

  @Test func `a recording that lacks a part decides no upper limit of a total or a peak`() throws {
    let process = try DisturbedProcess().run([
      "wall <= 1h", "wall >= 1s", "wall <= 1s", "cpu-time <= 1h", "rss.peak <= 1GiB",
      "rss.mean <= 1GiB",
    ])
    func verdicts(_ missing: MissingPart, end: CommandEnd? = nil) -> [BudgetResult.Verdict] {
      BudgetReport(process.run, asOf: MadeUpProcess.time(5), end: end, missing: missing).results
        .map(\.verdict)
    }
    #expect(verdicts(.none) == [.holds, .holds, .fails, .holds, .holds, .holds])
    #expect(
      verdicts(.end) == [.inconclusive, .holds, .fails, .inconclusive, .inconclusive, .holds])
    #expect(verdicts(.gap) == [.holds, .holds, .fails, .inconclusive, .inconclusive, .holds])
    // The kernel has counted the CPU time of the whole command.
    let end = CommandEnd(
      status: .exited(0), userNanoseconds: 2_000_000_000, systemNanoseconds: 500_000_000)
    #expect(verdicts(.gap, end: end)[3] == .holds)
  }

  @Test func `of an empty recording not even the time is known`() throws {
    let process = MadeUpProcess(budgets: [try Budget("wall <= 1h")])
    let report = BudgetReport(process.run, asOf: MadeUpProcess.time(0), missing: .end)
    #expect(report.fails && report.results[0].value == nil)
  }

  @Test func `only what is no warning decides`() throws {
    let process = try DisturbedProcess(pressure: 0.3, others: 0.5).run([
      "wall <= 4s warn", "rss.peak <= 1MiB warn",
    ])
    let warnings = BudgetReport(process.run, asOf: MadeUpProcess.time(5))
    #expect(warnings.results.map(\.verdict) == [.inconclusive, .fails])
    #expect(!warnings.fails && !warnings.isUndecided)
    let strict = try DisturbedProcess(pressure: 0.3, others: 0.5).run([
      "wall <= 4s", "rss.peak <= 1MiB",
    ])
    let report = BudgetReport(strict.run, asOf: MadeUpProcess.time(5))
    #expect(report.fails && report.isUndecided)
  }

  @Test func `the lines have their verdicts in one column, in both languages`() throws {
    let process = try DisturbedProcess().run(["rss.peak <= 500MiB", "wall <= 1s warn"])
    let report = BudgetReport(process.run, asOf: MadeUpProcess.time(5))
    #expect(
      report.text(.english) == """
        budget  rss.peak <= 500 MiB  holds: 200.0 MiB
        budget  wall <= 1 s          fails (only a warning): 5.000 s, +400 %

        """)
    #expect(
      report.text(.japanese) == """
        予算  rss.peak <= 500 MiB  達成: 200.0 MiB
        予算  wall <= 1 s          超過（警告のみ）: 5.000 s, +400 %

        """)
  }

  @Test func `no word of budgets is missing`() {
    for word in BudgetWord.allCases {
      let english = word.text(.english, "1", "2")
      let japanese = word.text(.japanese, "1", "2")
      #expect(!english.isEmpty && !english.contains("#"))
      #expect(!japanese.isEmpty && !japanese.contains("#") && japanese != english)
    }
  }

  @Test func `annotations and XML are escaped`() throws {
    var process = DisturbedProcess().run([Budget]())
    var header = process.run.header
    var budget = try Budget("phase(a<&,:%).kept <= 1MiB")
    budget.place = Budget.Place(file: "limits,a.txt", line: 7)
    header.budgets = [budget, try Budget("wall <= 1s warn")]
    header.command = "a & <b> \"c\""
    process.run = Run(header)
    let report = BudgetReport(process.run, asOf: MadeUpProcess.time(5))
    #expect(
      report.githubText(.english) == """
        ::error file=limits%2Ca.txt,line=7,title=Budget phase(a<&%2C%3A%25).kept <= 1 MiB::fails: no data, no such phase
        ::warning title=Budget wall <= 1 s::fails (only a warning): 5.000 s, +400 %25

        """)
    let xml = BudgetReport.junitText([report], .english)
    #expect(
      xml.contains("name=\"perfhud: a &amp; &lt;b&gt; &quot;c&quot;\" tests=\"2\" failures=\"1\""))
    #expect(xml.contains("name=\"phase(a&lt;&amp;,:%).kept &lt;= 1 MiB\""))
  }

  @Test func `the statistics of budgets allocate nothing`() throws {
    var process = try DisturbedProcess().run([
      "cpu.p99 <= 1%", "rss.peak <= 1MiB", "mem.mean <= 1MiB",
    ])
    let sample = process.sample
    var number = 1
    let count = allocations {
      for _ in 0..<10 {
        var next = sample
        next.time = MadeUpProcess.time(5 + Double(number) / 10)
        process.run.apply(.sample(next))
        number += 1
      }
    }
    #expect(count == 0)
  }
}
