import Metrics
import PerfHUDBase
import PerfHUDEvents
import TestSupport
import Testing

@testable import Report

struct ComparisonTests {
  private var runs = MadeUpRuns()

  private static let quiet = Disturbance()
  private static var busy: Disturbance {
    var busy = Disturbance()
    busy.cpuPressurePercent = 33
    busy.othersPercent = 90
    return busy
  }

  private mutating func compare(
    _ first: RunMetrics, _ second: RunMetrics
  ) -> Comparison { Comparison(base: [first], new: [second]) }

  private func row(_ comparison: Comparison, _ phase: String?, _ metric: ComparedMetric) throws
    -> ComparedRow
  {
    let subject = try #require(
      comparison.subjects.first { $0.phase == phase.map { Event.Name($0) } })
    return try #require(subject.rows.first { $0.metric == metric })
  }

  @Test mutating func `a canvas that keeps 10 MiB is found, and nothing else`() throws {
    let comparison = compare(runs.run(), runs.run(kept: 10 * 1_048_576))
    #expect(comparison.isWorse)
    #expect(try row(comparison, "canvas", .kept).verdict == .more)
    #expect(try row(comparison, "canvas", .taken).verdict == .more)
    #expect(try row(comparison, "canvas", .time).verdict == .same)
    #expect(
      comparison.verdict
        == "canvas keeps 10.00 MiB more a visit; canvas takes 9.799 MiB (29 %) more memory a visit; no other change found."
    )
  }

  @Test mutating func `20 % more CPU time in 6 visits after the first is found`() throws {
    let comparison = compare(runs.run(visits: 7), runs.run(visits: 7, cpu: 1.2))
    #expect(try row(comparison, "canvas", .cpuTime).verdict == .more)
    #expect(comparison.changes.count == 1)
  }

  @Test mutating func `20 % less CPU time is a change that is not worse`() throws {
    let comparison = compare(runs.run(cpu: 1.2), runs.run())
    #expect(try row(comparison, "canvas", .cpuTime).verdict == .less)
    #expect(!comparison.isWorse)
    #expect(
      comparison.verdict
        == "canvas uses 40.20 ms (17 %) less CPU time a visit; no other change found.")
  }

  @Test mutating func `a difference of 5 % between two single runs is no change`() throws {
    let comparison = compare(runs.run(visits: 13), runs.run(visits: 13, cpu: 1.05))
    let found = try row(comparison, "canvas", .cpuTime)
    #expect(found.adjusted ?? 1 < TestFamily.level)
    #expect(found.verdict == .same)
    #expect(comparison.verdict == "No change found.")
  }

  @Test mutating func `a difference of 5 % between ten runs a side is a change`() throws {
    let comparison = Comparison(base: runs.runs(10), new: runs.runs(10, cpu: 1.05))
    #expect(comparison.subjects.map(\.unit) == [.run, .run])
    #expect(try row(comparison, nil, .cpuTime).verdict == .more)
    #expect(try row(comparison, nil, .cpuTime).counts == (9, 9))
    #expect(try row(comparison, "canvas", .cpuTime).verdict == .more)
    #expect(try row(comparison, "canvas", .time).verdict == .same)
  }

  @Test mutating func `a phase with 5 visits after the first needs one more`() throws {
    let comparison = compare(runs.run(visits: 6), runs.run(visits: 6, cpu: 2))
    #expect(try row(comparison, "canvas", .cpuTime).verdict == .needs(1))
    #expect(
      comparison.verdict
        == "Not enough visits: each side needs 1 more of a phase."
    )
    #expect(comparison.isUndecided, "nothing was judged")
  }

  @Test mutating func `runs that are missing are counted as --runs counts them`() throws {
    func needed(_ count: Int) throws -> ComparedRow.Verdict {
      let few = Comparison(
        base: runs.runs(count, phases: []), new: runs.runs(count, phases: []))
      return try row(few, nil, .time).verdict
    }
    #expect(try needed(1) == .needs(6))
    #expect(try needed(2) == .needs(5))
    #expect(try needed(6) == .needs(1))
    #expect(try needed(7) == .same)
  }

  @Test mutating func `a phase with too few visits does not count as unchanged`() throws {
    let phases = ["canvas", "menu"]
    let comparison = compare(
      runs.run(visits: 13, fewVisits: 4, phases: phases),
      runs.run(visits: 13, fewVisits: 4, phases: phases))
    #expect(
      comparison.verdict
        == "4 of 11 metrics have too few visits; no change found in the others.")
    #expect(!comparison.isUndecided)
  }

  @Test mutating func `two phases with 6 visits after the first need one more each`() throws {
    let phases = ["canvas", "menu"]
    let few = compare(runs.run(visits: 7, phases: phases), runs.run(visits: 7, phases: phases))
    #expect(try row(few, "menu", .time).verdict == .needs(1))
    let enough = compare(runs.run(visits: 8, phases: phases), runs.run(visits: 8, phases: phases))
    #expect(try row(enough, "menu", .time).verdict == .same)
    #expect(enough.familySize == 8)
  }

  @Test mutating func `times of a disturbed run are inconclusive, memory is not`() throws {
    let comparison = compare(
      runs.run(), runs.run(cpu: 1.5, kept: 10 * 1_048_576, disturbance: ComparisonTests.busy))
    #expect(
      try row(comparison, "canvas", .cpuTime).verdict
        == .inconclusive("CPU pressure 33 % in the new"))
    #expect(try row(comparison, "canvas", .time).isUndecided)
    #expect(try row(comparison, "canvas", .kept).verdict == .more)
    #expect(comparison.isUndecided)
  }

  @Test mutating func `a disturbed base does not hide that it takes longer now`() throws {
    var new = runs.run()
    for index in new.phases[0].visits.indices {
      new = new.slowed(visit: index)
    }
    let comparison = compare(runs.run(disturbance: ComparisonTests.busy), new)
    #expect(try row(comparison, "canvas", .time).verdict == .more)
    #expect(try row(comparison, "canvas", .cpuTime).isUndecided)
  }

  @Test mutating func `times of different machines are inconclusive`() throws {
    let other = HostFactsOf.other(runs.run(cpu: 2))
    let comparison = compare(runs.run(), other)
    #expect(try row(comparison, "canvas", .cpuTime).verdict == .inconclusive("different machines"))
    #expect(comparison.notes == ["The recordings are of different machines or kernels."])
    let sentence = comparison.verdict
    #expect(sentence.contains("inconclusive (different machines); no change found in the others."))
    #expect(sentence.first?.isNumber == true)
  }

  @Test mutating func `CPU time with parts that are not known is inconclusive`() throws {
    let comparison = compare(runs.run(), runs.run(cpu: 2, isBound: true))
    #expect(try row(comparison, "canvas", .cpuTime).isUndecided)
    #expect(try row(comparison, "canvas", .time).verdict == .same)
  }

  @Test mutating func `peaks of which a part may be missing are inconclusive and marked`() throws {
    func sides(_ isPeakBound: Bool) -> Comparison {
      Comparison(
        base: (0..<8).map { _ in runs.run() },
        new: (0..<8).map { runs.run(isBound: true, isPeakBound: isPeakBound && $0 == 3) })
    }
    let exact = sides(false)
    #expect(try row(exact, nil, .peak).verdict == .same)
    let comparison = sides(true)
    let peak = try row(comparison, nil, .peak)
    #expect(peak.verdict == .inconclusive("memory of child processes may be missing"))
    #expect(comparison.isUndecided)
    #expect(ComparisonTable(comparison).text.contains(#/peak +7\d\.\d+ MiB +≥ 7\d\.\d+ MiB/#))
    #expect(ComparisonTable(exact).text.contains(#/CPU time +1\.\d+ s +≥ 1\.\d+ s/#))
    #expect(ComparisonDocument(comparison).markdown.contains(#/\| peak \| 7\S+ MiB \| ≥ 7/#))
  }

  @Test mutating func `a phase of one side is named, and never a change`() throws {
    let comparison = compare(
      runs.run(phases: ["canvas"]), runs.run(phases: ["canvas", "gallery"]))
    #expect(comparison.notes == ["Only in the new: gallery."])
    #expect(comparison.changes.isEmpty)
  }

  @Test func `many values in a row become groups, each its median`() {
    let values = (0..<25).map { Double($0) }
    let groups = ComparedRow.groups(values, limit: 12)
    #expect(groups.count == 12)
    #expect(groups[0] == 0.5)
    #expect(groups[11] == 23)
    #expect(ComparedRow.groups(values, limit: 25) == values)
  }

  @Test func `the table of a made-up comparison is the golden one`() {
    expectGolden(ComparisonTable(Comparison.madeUp()).text, file: "Golden/compare.txt")
  }

  @Test(arguments: [20, 30, 44, 60, 80, 120])
  func `no line of the table is wider than the terminal`(_ width: Int) {
    for line in ComparisonTable(Comparison.madeUp(), width: width).text.split(separator: "\n") {
      #expect(line.count <= width, "\(line)")
    }
  }

  @Test(arguments: 20...60)
  func `no line of a sentence begins with a unit`(_ width: Int) {
    let sentence =
      "canvas keeps 9.994 MiB more a visit; canvas uses 59.27 ms (23 %) less CPU time a visit; "
      + "4 metrics are inconclusive (CPU pressure 19 % in the base)."
    let lines = ComparisonTable(Comparison.madeUp(), width: width).wrapped(sentence)
    #expect(lines.joined(separator: " ") == sentence)
    for line in lines {
      #expect(!["MiB", "ms", "%"].contains(line.prefix { $0.isLetter || $0 == "%" }), "\(line)")
      #expect(line.count <= width, "\(line)")
    }
  }

  @Test func `colors are only around lines`() {
    let plain = ComparisonTable(Comparison.madeUp()).text
    let colored = ComparisonTable(Comparison.madeUp(), hasColors: true).text
    #expect(!plain.contains("\u{1B}"))
    #expect(colored.contains("\u{1B}[31m"))
    var stripped = colored
    for style in ["\u{1B}[0m", "\u{1B}[1m", "\u{1B}[31m", "\u{1B}[32m"] {
      stripped = stripped.split(separator: style, omittingEmptySubsequences: false).joined()
    }
    #expect(stripped == plain)
  }

  @Test(arguments: ["\u{1B}[2J", "a\u{202E}b", "x\u{7}\n", "|`*<b>"])
  mutating func `a hostile name of a phase is harmless text`(_ name: String) {
    let comparison = Comparison(
      base: [runs.run(phases: [name])], new: [runs.run(phases: [name], kept: 10_000_000)])
    for scalar in ComparisonTable(comparison).text.unicodeScalars where scalar != "\n" {
      #expect(scalar.value >= 0x20 && scalar.value != 0x7F && scalar != "\u{202E}")
    }
  }
}

extension Comparison {
  /// Two phases, of which one keeps more and the other takes less CPU time.
  static func madeUp() -> Comparison {
    var runs = MadeUpRuns(seed: 3)
    let phases = ["canvas", "gallery"]
    return Comparison(
      base: [runs.run(visits: 9, phases: phases, cpu: 1.3)],
      new: [runs.run(visits: 9, phases: phases, kept: 10 * 1_048_576)])
  }
}

extension RunMetrics {
  /// The same run, in which a visit to its first phase takes half as long again.
  fileprivate func slowed(visit: Int) -> RunMetrics {
    var phases = phases
    phases[0].visits[visit].values[.time]! *= 1.5
    return RunMetrics(title: title, host: host, values: values, phases: phases)
  }
}

private enum HostFactsOf {
  /// The same run on another machine.
  static func other(_ run: RunMetrics) -> RunMetrics {
    var host = run.host
    host.processors = 8
    return RunMetrics(title: run.title, host: host, values: run.values, phases: run.phases)
  }
}

struct ComparisonCalibrationTests {
  @Test func `a program compared with itself does not change, in runs and in visits`() {
    var runs = MadeUpRuns(seed: 21)
    for _ in 0..<30 {
      let visits = Comparison(
        base: [runs.run(phases: ["canvas", "menu"])], new: [runs.run(phases: ["canvas", "menu"])])
      #expect(visits.changes.isEmpty, "\(visits.verdict)")
      let whole = Comparison(base: runs.runs(10), new: runs.runs(10))
      #expect(whole.changes.isEmpty, "\(whole.verdict)")
    }
  }

  @Test func `visits that are alike in a row are no change between two runs`() {
    var numbers = SeededRandom(seed: 4)
    func run(_ numbers: inout SeededRandom) -> RunMetrics {
      var deviation = numbers.normal()
      let visits = (0..<13).map { _ in
        deviation = 0.8 * deviation + 0.6 * numbers.normal()
        return VisitMetrics([.time: 0.5 + 0.025 * deviation, .cpuTime: 0.2 + 0.01 * deviation])
      }
      return RunMetrics(
        title: "", host: MadeUpRuns.host, values: [:],
        phases: [PhaseMetrics(name: Event.Name("canvas"), visits: visits)])
    }
    var alarms = 0
    var significant = 0
    for _ in 0..<60 {
      let found = Comparison(base: [run(&numbers)], new: [run(&numbers)])
      if !found.changes.isEmpty { alarms += 1 }
      let rows = found.subjects.flatMap(\.rows)
      if rows.contains(where: { $0.adjusted ?? 1 < TestFamily.level }) { significant += 1 }
    }
    // By their probability alone many would be.
    #expect(significant > 10)
    #expect(alarms <= 1)
  }

  @Test func `a canvas that keeps 10 MiB is found each time, and 20 % more CPU time nearly so`() {
    var runs = MadeUpRuns(seed: 8)
    var found = (kept: 0, cpu: 0)
    let rounds = 50
    for _ in 0..<rounds {
      let kept = Comparison(
        base: [runs.run(visits: 7)], new: [runs.run(visits: 7, kept: 10 * 1_048_576)])
      if kept.changes.contains(where: { $0.row.metric == .kept }) { found.kept += 1 }
      let cpu = Comparison(base: [runs.run(visits: 7)], new: [runs.run(visits: 7, cpu: 1.2)])
      if cpu.changes.contains(where: { $0.row.metric == .cpuTime }) { found.cpu += 1 }
    }
    #expect(found.kept == rounds)
    #expect(found.cpu >= rounds * 95 / 100)
  }
}
