import PerfHUDBase
import PerfHUDEvents
import Sampler
import Testing

@testable import Metrics

/// Peaks that no reading saw, and that the kernel's high-water mark of the resident memory shows.
@Suite struct MissedPeakTests {
  /// A program with 50 MiB of its own and 10 MiB of files, which is read each 0.1 s.
  private struct Program {
    var process = MadeUpProcess()
    /// The mark, in MiB, and how often it is read.
    var mark: UInt64 = 60
    var processes: UInt32 = 1
    private var number = 0

    init(age: Double = 0.001) { process.sample.ageNanoseconds = UInt64(age * 1e9) }

    /// - Parameter readsMark: whether the sample has the mark.
    mutating func read(_ mebibytes: UInt64 = 50, readsMark: Bool = false) {
      let mark = mark
      let processes = processes
      let age: UInt64 = number > 0 ? 100_000_000 : 0
      process.read(at: Double(number) / 10) {
        $0.ageNanoseconds += age
        $0.processes = processes
        $0.anonymousBytes = .value(mebibytes << 20)
        $0.residentBytes = .value((mebibytes + 10) << 20)
        $0.reporter = ProcessMemory(
          pid: $0.pid, residentBytes: (mebibytes + 10) << 20, anonymousBytes: mebibytes << 20)
        guard readsMark else { return }
        $0.lowRateTime = $0.time
        $0.peakResidentBytes = mark << 20
      }
      number += 1
    }

    mutating func pass(samples: Int) { for _ in 0..<samples { read() } }

    func isLowerBound(_ name: String, end: CommandEnd? = nil) -> Bool? {
      let phases = RunSummary(process.run, asOf: MadeUpProcess.time(9), end: end).phases
      return process.index(of: name).map { phases.peakIsLowerBound($0) }
    }
  }

  /// Peaks at 0.52 s with 210 MiB, while `export` is open for 30 ms; the mark is read at 0 and 1 s.
  private var missing: Program {
    var program = Program()
    program.read(readsMark: true)
    program.process.phase("edit", at: 0.05)
    program.pass(samples: 5)
    program.process.phase("export", at: 0.52)
    program.process.phase("view", at: 0.55)
    program.pass(samples: 4)
    program.mark = 210
    program.read(readsMark: true)
    program.process.phase("login", at: 1.2)
    program.pass(samples: 12)
    return program
  }

  @Test func `each phase of the span has a peak that is a lower bound, and no other`() {
    #expect(missing.isLowerBound("edit") == true)
    #expect(missing.isLowerBound("export") == true)
    #expect(missing.isLowerBound("view") == true)
    #expect(missing.isLowerBound("login") == false)
    let phases = missing.process.run.phases
    #expect(phases.onlyPhaseWithPeak(above: 50 * bytesPerMiB) == nil)
    #expect(missing.process.run.totals.peaks.hasMissedPeak)
    let text = RunSummary(missing.process.run, asOf: MadeUpProcess.time(9))
      .text(language: .english)
    #expect(text.contains("  memory  ≥ 50.00 MiB peak MEM\n"), "\(text)")
    #expect(text.contains("export: 1 visit, peak ≥ 50.00 MiB, "), "\(text)")
    #expect(text.contains("login: 1 visit, peak 50.00 MiB, "), "\(text)")
  }

  @Test(arguments: [
    ("phase(export).peak <= 40MiB", "fails: ≥ 50.00 MiB, +25 %"),
    (
      "phase(export).peak <= 180MiB",
      "inconclusive: a part of it is not known, measured ≥ 50.00 MiB"
    ),
    (
      "phase(*).peak <= 180MiB",
      "inconclusive: a part of it is not known, measured ≥ 50.00 MiB (any)"
    ),
    // The kernel's 210 MiB without 10 MiB of files.
    ("phase(export).peak <= 200MiB", "holds: ≥ 50.00 MiB"),
    (
      "phase(export).peak <= 199MiB",
      "inconclusive: a part of it is not known, measured ≥ 50.00 MiB"
    ),
    ("phase(login).peak <= 51MiB", "holds: 50.00 MiB"),
  ])
  func `a budget on the peak of a phase holds only if what is possible does`(
    budget: String, text: String
  ) throws {
    let found = try missing.process.text(of: budget, at: 9)
    #expect(found.replacing(/\((edit|export|view)\)/, with: "(any)") == text)
  }

  @Test func `a peak that a border has read was not missed`() {
    var program = Program()
    program.read(readsMark: true)
    program.process.phase("edit", at: 0.05)
    program.pass(samples: 5)
    program.process.report(.phase, "export", at: 0.52) {
      $0.memory = ReportedMemory(residentBytes: 210 << 20, anonymousBytes: 200 << 20)
      $0.sender = 42
    }
    program.pass(samples: 4)
    program.mark = 210
    program.read(readsMark: true)
    program.pass(samples: 12)
    #expect(program.isLowerBound("edit") == false)
    #expect(program.isLowerBound("export") == false)
    #expect(!program.process.run.totals.peaks.hasMissedPeak)
  }

  @Test func `the only phase of the span is known`() {
    var program = Program()
    program.read(readsMark: true)
    program.process.phase("edit", at: 0.05)
    program.pass(samples: 4)
    program.read(readsMark: true)
    program.process.phase("view", at: 0.55)
    program.pass(samples: 2)
    program.read(readsMark: true)
    program.mark = 210
    program.read(readsMark: true)
    // Sent before the mark was read, and comes after it.
    program.pass(samples: 4)
    let phases = program.process.run.phases
    #expect(phases.onlyPhaseWithPeak(above: 50 * bytesPerMiB) == program.process.index(of: "view"))
    #expect(program.isLowerBound("edit") == false)
  }

  @Test func `what a process had before the run says nothing`() {
    var program = Program(age: 3600)
    program.mark = 210
    program.read(readsMark: true)
    program.process.phase("edit", at: 0.05)
    program.pass(samples: 9)
    program.read(readsMark: true)
    program.pass(samples: 4)
    #expect(program.isLowerBound("edit") == false)
    program.mark = 230
    program.read(readsMark: true)
    program.pass(samples: 4)
    #expect(program.isLowerBound("edit") == true)
  }

  @Test func `another program in the same process begins with its own mark`() {
    var program = Program()
    program.mark = 61
    program.read(readsMark: true)
    program.process.phase("edit", at: 0.05)
    program.pass(samples: 3)
    program.read(readsMark: true)
    program.mark = 40
    program.read(30, readsMark: true)
    program.process.phase("view", at: 0.6)
    for _ in 0..<4 { program.read(30) }
    #expect(program.isLowerBound("edit") == false)
    #expect(program.isLowerBound("view") == false)
    program.mark = 58
    program.read(30, readsMark: true)
    for _ in 0..<4 { program.read(30) }
    #expect(program.isLowerBound("view") == true)
  }

  @Test func `at the end of a command the kernel shows a peak after the last mark`() {
    var program = Program()
    program.read(readsMark: true)
    program.process.phase("edit", at: 0.05)
    program.pass(samples: 4)
    program.process.phase("export", at: 0.45)
    program.pass(samples: 1)
    program.read(readsMark: true)
    program.process.phase("view", at: 0.75)
    program.pass(samples: 3)
    let end = CommandEnd(status: .exited(0), maxResidentBytes: 210 << 20)
    #expect(program.isLowerBound("edit", end: end) == false)
    #expect(program.isLowerBound("export", end: end) == true)
    #expect(program.isLowerBound("view", end: end) == true)
    #expect(program.isLowerBound("export") == false)
    // A child may have lived at any time, and no mark is that of a child.
    program.processes = 2
    program.read()
    #expect(program.isLowerBound("edit", end: end) == true)
  }

  @Test func `without marks any phase may have had the peak of a command`() throws {
    var process = MadeUpProcess(budgets: [try Budget("phase(edit).peak <= 180MiB")])
    process.phase("edit", at: 0.05)
    for number in 1..<9 {
      process.read(at: Double(number) / 10) {
        $0.anonymousBytes = .value(50 << 20)
        $0.residentBytes = .value(60 << 20)
      }
    }
    let end = CommandEnd(status: .exited(0), maxResidentBytes: 210 << 20)
    let report = BudgetReport(process.run, asOf: MadeUpProcess.time(1), end: end)
    #expect(
      report.results.map { $0.text(.english) }
        == ["inconclusive: a part of it is not known, measured ≥ 50.00 MiB"])
    #expect(report.isUndecided)
    let junit = BudgetReport.junitText([report], .english)
    #expect(junit.contains("failures=\"0\" errors=\"0\" skipped=\"1\""), "\(junit)")
  }
}

/// Events that were lost may have begun phases.
@Suite struct LostPhaseTests {
  private func program(_ origin: EventOrigin = .app) -> MadeUpProcess {
    var process = MadeUpProcess()
    for number in 0..<5 {
      for (index, name) in ["a", "b"].enumerated() {
        let time = Double(2 * number + index)
        process.report(.phase, name, at: time + 0.05) { $0.origin = origin }
        process.memory(100 + Double(index), at: time + 0.5)
      }
    }
    process.run.apply(.eventsLost(3, MadeUpProcess.time(10)))
    process.memory(100, at: 10.5)
    return process
  }

  @Test(arguments: [
    ("phase(a).visits >= 8", "inconclusive: a part of it is not known, measured ≥ 5"),
    ("phase(a).visits <= 8", "inconclusive: a part of it is not known, measured ≥ 5"),
    ("phase(a).visits <= 10", "holds: ≥ 5"),
    ("phase(a).visits <= 4", "fails: ≥ 5, +25 %"),
    ("phase(a).visits >= 5", "holds: ≥ 5"),
    ("phase(*).visits <= 4", "fails: ≥ 5 (b), +25 %"),
    // Part of the visit may be that of another phase.
    ("phase(a).peak <= 50MiB", "inconclusive: it or another phase, measured ≥ 101.0 MiB"),
    ("phase(a).peak <= 120MiB", "inconclusive: it or another phase, measured ≥ 101.0 MiB"),
    ("phase(a).peak <= 300MiB", "holds: ≥ 101.0 MiB"),
    ("phase(*).peak <= 50MiB", "fails: 101.0 MiB (b), +102 %"),
  ])
  func `budgets on phases decide only what lost events leave certain`(
    budget: String, text: String
  ) throws {
    let found = try program().text(of: budget, at: 11)
    #expect(found.replacing("(a)", with: "(b)") == text)
  }

  @Test func `the summary marks the visits`() {
    let text = RunSummary(program().run, asOf: MadeUpProcess.time(11)).text(language: .english)
    #expect(text.contains("a: ≥ 5 visits, peak 101.0 MiB"), "\(text)")
  }

  @Test func `phases from outside do not come in events that can be lost`() throws {
    #expect(try program(.title).text(of: "phase(a).visits >= 8", at: 11) == "fails: 5, -38 %")
  }
}
