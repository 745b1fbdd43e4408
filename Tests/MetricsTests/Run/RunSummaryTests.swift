import PerfHUDBase
import PerfHUDEvents
import Sampler
import Testing

@testable import Metrics

@Suite struct RunSummaryTests {
  private let mebibyte = 1 << 20

  /// A command of two samples and 100 frames, 12.34 s long.
  private func process(command: String = "make -j2") -> MadeUpProcess {
    var process = MadeUpProcess(framesFromTerminal: true, command: command)
    process.sample.ageNanoseconds = 100_000_000
    process.read(at: 0.1, cpu: 0.2) { $0.anonymousBytes = .value(512 << 20) }
    for number in 0...100 {
      process.run.apply(
        .activity(.frame(MadeUpProcess.time(1 + Double(number) / 50), .terminal, missed: 0)))
    }
    process.run.apply(.peaksReset(MadeUpProcess.time(4)))
    process.read(at: 5, cpu: 6) { $0.anonymousBytes = .value(1 << 20) }
    return process
  }

  private let end = CommandEnd(
    status: .exited(2), userNanoseconds: 20_100_000_000, systemNanoseconds: 1_020_000_000,
    maxResidentBytes: 7 << 20)

  private func text(
    _ run: Run, _ end: CommandEnd?, at seconds: Double = 12.34, _ language: Language = .english
  ) -> String {
    RunSummary(run, asOf: MadeUpProcess.time(seconds), end: end).text(language: language)
  }

  @Test func `a command has five lines whose values begin at one column`() {
    #expect(
      text(process().run, end) == """
        perfhud: make -j2
          exit    2
          wall    12.34 s
          cpu     20.10 s user + 1.020 s system, 171 % of one core
          memory  512.0 MiB peak MEM, 7.000 MiB peak RSS (largest process)
          frames  101, 50.0 FPS, p99 20.2 ms (terminal)

        """)
  }

  @Test func `in Japanese too, with wide labels`() {
    #expect(
      text(process().run, end, .japanese) == """
        perfhud: make -j2
          終了コード  2
          経過時間    12.34 s
          CPU         20.10 s ユーザー + 1.020 s システム, 171 % （1コア基準）
          メモリ      512.0 MiB 最大 MEM, 7.000 MiB 最大 RSS (最大のプロセス)
          フレーム    101, 50.0 FPS, p99 20.2 ms (terminal)

        """)
  }

  @Test func `a signal is named`() {
    let lines = text(process().run, CommandEnd(status: .signaled(15)))
    #expect(lines.contains("\n  signal  SIGTERM\n"))
    #expect(!lines.contains("exit"))
    #expect(SignalName.text(9) == "SIGKILL")
    #expect(SignalName.text(11) == "SIGSEGV")
    #expect(SignalName.text(20) == "SIGTSTP")
    #expect(SignalName.text(31) == "SIGSYS")
    for number in [Int32.min, -1, 0, 32, 40, .max] {
      #expect(SignalName.text(number) == "signal \(number)")
    }
  }

  @Test func `the peak is that of the whole run, although the user has reset it`() {
    let run = process().run
    #expect(run.peaks.memoryHigh == 1_048_576)
    #expect(text(run, end).contains("512.0 MiB peak"))
  }

  @Test func `a run without a sample has the memory that the kernel reports`() {
    let run = MadeUpProcess(command: "true").run
    var short = end
    #expect(text(run, short).contains("  memory  7.000 MiB peak RSS (largest process)\n"))
    short.maxResidentIsBound = true
    #expect(text(run, short).contains("  memory  at most 7.000 MiB peak RSS (largest process)\n"))
    short.maxResidentBytes = nil
    #expect(!text(run, short).contains("memory"))
  }

  @Test func `over a command that an earlier HUD has started wall time and CPU time are its own`() {
    var process = MadeUpProcess(framesFromTerminal: true, command: "make")
    process.sample.ageNanoseconds = 7_000_000_000
    process.read(at: 1, cpu: 1.2)
    process.read(at: 3, cpu: 1.6)
    let end = CommandEnd(
      status: .exited(0), userNanoseconds: 1_500_000_000, systemNanoseconds: 300_000_000)
    let summary = RunSummary(process.run, asOf: MadeUpProcess.time(3), end: end)
    #expect(summary.wallSeconds == 9)
    #expect(summary.cpuPercent.map { ($0 * 10).rounded() / 10 } == 20)
    var other = MadeUpProcess()
    other.sample.ageNanoseconds = 7_000_000_000
    other.read(at: 1, cpu: 1.2)
    let ofOther = RunSummary(other.run, asOf: MadeUpProcess.time(3), end: end)
    #expect(ofOther.wallSeconds == 3, "the HUD over a command shows another process")
    // A process that was attached to has used CPU before.
    let attached = RunSummary(process.run, asOf: MadeUpProcess.time(3))
    #expect(attached.wallSeconds == 3)
  }

  @Test func `what is not known has no line`() {
    let run = MadeUpProcess(command: "x").run
    #expect(text(run, nil, at: 1) == "perfhud: x\n  wall    1.000 s\n")
  }

  @Test func `without a usage the CPU time is that of the samples`() {
    // Started by this run: all of it.
    #expect(text(process().run, nil).contains("  cpu     6.000 s, 49 % of one core\n"))
    // There long before: what it used since the first sample.
    var old = MadeUpProcess()
    old.sample.ageNanoseconds = 3_600_000_000_000
    old.read(at: 0, cpu: 100)
    old.read(at: 10, cpu: 100.5)
    #expect(text(old.run, nil, at: 10).contains("  cpu     0.500 s, 5.0 % of one core\n"))
  }

  @Test func `children that nobody waited for are in the CPU time, which then has no parts`() {
    let waited = CommandEnd(
      status: .exited(0), userNanoseconds: 1_000_000_000, systemNanoseconds: 0)
    #expect(text(process().run, waited).contains("  cpu     6.000 s, 49 % of one core\n"))
    // Less than a sample's worth apart: the exact parts.
    let exact = CommandEnd(
      status: .exited(0), userNanoseconds: 5_000_000_000, systemNanoseconds: 950_000_000)
    #expect(text(process().run, exact).contains("5.000 s user + 0.950 s system"))
  }

  @Test func `a few frames have no rate`() {
    var process = MadeUpProcess(framesFromTerminal: true)
    // Slow frames, which are idle between, and one that was split: many frames, but a single frame time.
    for number in 0..<15 {
      process.run.apply(
        .activity(.frame(MadeUpProcess.time(Double(number) - 20), .terminal, missed: 0)))
    }
    process.run.apply(.activity(.frame(MadeUpProcess.time(-5.996), .terminal, missed: 0)))
    #expect(text(process.run, end).contains("  frames  16 (terminal)\n"))
    for number in 0..<9 {
      process.run.apply(
        .activity(.frame(MadeUpProcess.time(Double(number) / 50), .terminal, missed: 0)))
    }
    #expect(text(process.run, end).contains("  frames  25 (terminal)\n"))
    process.run.apply(.activity(.frame(MadeUpProcess.time(9.0 / 50), .terminal, missed: 0)))
    #expect(text(process.run, end).contains("  frames  26, "))
  }

  @Test func `a peak of which a part may be missing is a lower bound, in a budget too`() throws {
    func peak(_ uncertain: [UInt64], _ mebibytes: [UInt64]) throws -> Substring? {
      var process = MadeUpProcess(budgets: [try Budget("mem.peak <= 1GiB")])
      for (index, bytes) in mebibytes.enumerated() {
        process.read(at: Double(index), cpu: 0) {
          $0.anonymousBytes = .value(bytes << 20)
          $0.uncertainSharedBytes = uncertain[index] << 20
        }
      }
      #expect(process.run.peaks.memoryIsLowerBound == process.run.totals.peaks.memoryIsLowerBound)
      let line = text(process.run, nil).split(separator: "\n").first { $0.hasPrefix("  memory") }
      let report = BudgetReport(process.run, asOf: MadeUpProcess.time(9))
      #expect((report.results[0].bound == .atLeast) == line?.contains("≥"))
      return line
    }
    #expect(try peak([0, 300, 0], [400, 402, 100]) == "  memory  ≥ 402.0 MiB peak MEM")
    // A lower bound that cannot have reached the peak does not matter.
    #expect(try peak([0, 30, 0], [100, 102, 400]) == "  memory  400.0 MiB peak MEM")
    #expect(try peak([0, 320, 0], [100, 102, 400]) == "  memory  ≥ 400.0 MiB peak MEM")
  }

  @Test func `the leading value is named`() {
    for (memory, name) in [(MemoryMetric.rss, "RSS"), (.pss, "PSS"), (.footprint, "MEM")] {
      var process = MadeUpProcess(memory: memory)
      process.read(at: 1, cpu: 0) {
        $0.residentBytes = .value(1 << 20)
        $0.anonymousBytes = .value(1 << 20)
        $0.pssBytes = .value(1 << 20)
      }
      #expect(text(process.run, nil).contains("1.000 MiB peak \(name)\n"))
    }
  }

  @Test func `the peak of RSS is the same in the summary and in a budget`() throws {
    // Each sample with its number of processes and MiB; the largest process in MiB, as the kernel reports it; the
    // expected texts.
    let cases: [(sampled: [(UInt32, UInt64)], kernel: UInt64, summary: String, budget: String)] = [
      ([(1, 46)], 50, "50.00 MiB peak RSS (largest process)", "holds: 50.00 MiB"),
      ([(1, 53)], 52, "53.00 MiB peak RSS (largest process)", "holds: 53.00 MiB"),
      (
        [(1, 30), (2, 80), (1, 30)], 50, "80.00 MiB peak RSS (largest process 50.00 MiB)",
        "holds: 80.00 MiB"
      ),
      ([(2, 46)], 50, "50.00 MiB peak RSS (largest process)", "holds: 50.00 MiB"),
    ]
    for memory in [MemoryMetric.rss, .footprint] {
      for (sampled, kernel, summary, budget) in cases {
        var process = MadeUpProcess(memory: memory, budgets: [try Budget("rss.peak <= 1GiB")])
        for (index, (processes, mebibytes)) in sampled.enumerated() {
          process.read(at: Double(index + 1), cpu: 0) {
            $0.processes = processes
            $0.residentBytes = .value(mebibytes << 20)
            $0.anonymousBytes = .value(1 << 20)
          }
        }
        let end = CommandEnd(status: .exited(0), maxResidentBytes: kernel << 20)
        let line = text(process.run, end).split(separator: "\n").first { $0.hasPrefix("  memory") }
        let before = memory == .rss ? "" : "1.000 MiB peak MEM, "
        #expect(line == "  memory  \(before)\(summary)")
        let report = BudgetReport(process.run, asOf: MadeUpProcess.time(9), end: end)
        #expect(report.results.map { $0.text(.english) } == [budget])
      }
    }
  }

  @Test func `an escape sequence in the command does not reach the terminal`() {
    let lines = text(process(command: "sh -c \u{1B}[31mred\nnext").run, end)
    #expect(lines.contains("perfhud: sh -c ␛[31mred␊next\n"))
    #expect(!lines.unicodeScalars.contains("\u{1B}"))
    let long = text(process(command: String(repeating: "x", count: 5000)).run, end)
    #expect(long.split(separator: "\n")[0].count == 9 + 200)
  }

  @Test func `a run of no time has no share`() {
    let lines = text(process().run, end, at: 0)
    #expect(lines.contains("  wall    0.000 s\n  cpu     20.10 s user + 1.020 s system\n"))
  }
}

@Suite struct RunSummaryEventsTests {
  private func lines(_ process: MadeUpProcess, at seconds: Double, _ language: Language)
    -> [Substring]
  {
    RunSummary(process.run, asOf: MadeUpProcess.time(seconds)).text(language: language)
      .split(separator: "\n")
  }

  @Test func `phases are listed with their verdict, that which kept most first`() {
    let process = TwoPhases(galleryLeaks: { _ in 12 }).run(rounds: 4)
    let english = lines(process, at: 100, .english).filter { $0.hasPrefix("  phase ") }
    #expect(
      english == [
        "  phase   gallery: 4 visits, peak 198.0 MiB, kept 48.00 MiB, "
          + "keeps 12.00 MiB a visit (allocator may hold it)",
        "  phase   canvas: 4 visits, peak 198.0 MiB, kept 0 B, steady",
        "  phase   end: 1 visit, peak 148.0 MiB, needs 2 more visits",
      ])
    let japanese = lines(process, at: 100, .japanese).filter { $0.hasPrefix("  フェーズ") }
    let expected =
      "  フェーズ    gallery: 4回, 最大 198.0 MiB, 保持 48.00 MiB, "
      + "表示ごとに 12.00 MiB 残留 (アロケーターが保持している可能性)"
    #expect(japanese.first.map { Array($0.utf8) } == Array(expected.utf8))
  }

  @Test func `of 9 phases 5 are listed and 4 are counted`() {
    var process = MadeUpProcess()
    for number in 0..<9 { process.phase("p\(number)", at: Double(number)) }
    let phases = lines(process, at: 20, .english).filter { $0.hasPrefix("  phase ") }
    #expect(phases.count == 6)
    #expect(phases.first == "  phase   p0: 1 visit, needs 2 more visits")
    #expect(phases.last == "  phase   4 more")
  }

  @Test func `actions that were HIGH are listed, others are not`() {
    var process = MadeUpProcess()
    process.report(.action, "save\u{1B}[31m", at: 0.5)
    for number in 0..<240 { process.report(.action, "pen.move", at: 1 + Double(number) / 120) }
    for start in [10.0, 20] {
      for number in 0..<100 { process.report(.action, "zoom", at: start + Double(number) / 100) }
    }
    let actions = lines(process, at: 30, .english).filter { $0.hasPrefix("  action ") }
    #expect(actions.count == 2)
    #expect(actions.first == "  action  pen.move: 240, peak 120/s, HIGH once")
    #expect(actions.last == "  action  zoom: 200, peak 100/s, HIGH 2 times")
  }

  @Test func `without events there is no line of them`() {
    var process = MadeUpProcess()
    process.memory(1, at: 1)
    #expect(
      !lines(process, at: 2, .english).contains { $0.contains("phase") || $0.contains("action") })
  }
}

@Suite struct EventSummaryTests {
  @Test func `events, lost ones and bad lines have a line; without any there is none`() {
    var process = MadeUpProcess()
    let none = RunSummary(process.run, asOf: MadeUpProcess.time(1)).text(language: .english)
    #expect(!none.contains("events"))
    for _ in 0..<3 { process.run.apply(.event(Event(.frame), MadeUpProcess.time(0.5))) }
    let received = RunSummary(process.run, asOf: MadeUpProcess.time(1)).text(language: .english)
    #expect(received.contains("  events  3\n"))
    process.run.apply(.eventsLost(7, MadeUpProcess.time(0.6)))
    process.run.apply(.eventsBad(2, MadeUpProcess.time(0.6)))
    let all = RunSummary(process.run, asOf: MadeUpProcess.time(1)).text(language: .english)
    #expect(all.contains("  events  3, 7 lost, 2 not understood\n"))
  }
}
