import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

/// What can be done with the processes of the list: selected, signaled, reniced.
@Suite struct ProcessKeysTests {
  private static func row(
    _ pid: Int32, _ parent: Int32, _ name: String, cpu: Double = 0
  ) -> ProcessRow {
    var row = ProcessRow()
    row.pid = pid
    row.parent = parent
    row.startTicks = UInt64(pid)
    row.name = processName(name)
    row.state = .running
    row.intervalNanoseconds = 500_000_000
    row.cpuNanoseconds = UInt64(cpu * 5_000_000)
    row.footprintBytes = 1_048_576
    return row
  }

  /// A shell with three children, of which one has a child; `busiest` has the most CPU.
  private static func table(_ time: Instant, busiest: Int32 = 101) -> Sampler.ProcessTable {
    var ended: [ProcessRow] = []
    for (index, end) in [ProcessEnd.exited(0), .signaled(9), .exited(2)].enumerated() {
      var row = row(Int32(200 + index), 100, "cc\(index)")
      row.state = .dead
      row.end = end
      row.endTime = time.advanced(bySeconds: Double(index) - 5)
      row.cpuNanoseconds = 1_500_000_000
      row.footprintBytes = UInt64(index + 1) * 8 * 1_048_576
      ended.append(row)
    }
    let living = [
      row(100, 0, "sh"), row(101, 100, "make"), row(102, 100, "a\u{1B}[2J\u{202E}b"),
      row(103, 101, "cc1"), row(104, 100, "last"),
    ].map { row in
      var row = row
      row.cpuNanoseconds = row.pid == busiest ? 400_000_000 : UInt64(200 - row.pid) * 100_000
      return row
    }
    let lines = ["/bin/sh -c 'make all'", "make all", "", "/usr/lib/gcc/cc1 -O2 x.c", "last one"]
    return Sampler.ProcessTable(
      request: ProcessTableRequest(.processes), time: time, rows: living + ended,
      commandLines: lines.map { ProcessArguments($0) } + ended.map { _ in ProcessArguments() })
  }

  /// - Parameter without: the process that has ended.
  private static func run(busiest: Int32 = 101, without: Int32? = nil) -> Run {
    var process = MadeUpProcess()
    process.pass(seconds: without == nil ? 1 : 2)
    let whole = table(process.now, busiest: busiest)
    let kept = whole.rows.indices.filter { whole.rows[$0].pid != without }
    process.apply(
      .processes(
        Sampler.ProcessTable(
          request: whole.request, time: whole.time, rows: kept.map { whole.rows[$0] },
          ended: whole.ended, commandLines: kept.map { whole.commandLines[$0] })))
    return process.run
  }

  /// The list of processes with the focus.
  private func hud(
    _ run: Run, _ columns: Int = 80, _ rows: Int = 24, _ language: Language = .english,
    isASCII: Bool = false
  ) -> HUD {
    screen(
      columns, rows, run, state: HUDState(language: language, isASCII: isASCII),
      keys: [.character("t"), .character("f")])
  }

  /// The row with the mark of the selection.
  private func marked(_ hud: HUD) -> String { hud.rows.first { $0.hasPrefix(">") } ?? "" }

  // MARK: The list

  @Test(arguments: Language.allCases, [(120, 24), (80, 24), (44, 15)])
  func `heads, lines of the tree, command lines, and what has ended in one row`(
    language: Language, size: (columns: Int, rows: Int)
  ) {
    let run = ProcessKeysTests.run()
    var hud = hud(run, size.columns, size.rows, language)
    var text = "command lines\n\(hud.text)\n"
    _ = hud.handle(.character("c"), run: run)
    hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
    text += "names\n\(hud.text)\n"
    expectGolden(
      text,
      file: "Golden/Processes/keys-\(size.columns)x\(size.rows)-\(language.rawValue).txt")
  }

  @Test
  func `the row of the ended ones has their number, the sum of their CPU and the most memory`() {
    let text = hud(ProcessKeysTests.run(), 120, 30).text
    #expect(text.contains(#/ 0:04\.50 3 ended  peak 24\.00 MiB  last cc2 exit 2/#))
    #expect(!text.contains("cc0"))
  }

  @Test func `what is only a lower bound of the ended ones is marked`() {
    func row(_ change: (inout EndedProcesses) -> Void, isASCII: Bool = false) -> String {
      let table = ProcessKeysTests.table(MadeUpProcess.start)
      var ended = table.ended
      change(&ended)
      var process = MadeUpProcess()
      process.pass(seconds: 1)
      process.apply(
        .processes(
          Sampler.ProcessTable(
            request: table.request, time: process.now, rows: table.rows, ended: ended)))
      let lines = hud(process.run, 100, 30, isASCII: isASCII).rows
      let line = lines.first { $0.contains(" ended ") } ?? ""
      let words = line.split(separator: " ")
      return words.drop { $0.contains(#/[^0-9≥>]/#) }.joined(separator: " ")
    }
    #expect(
      row { $0.isCountLowerBound = true }
        .hasPrefix("≥3 ended CPU 0:04.50 peak 24.00 MiB"))
    #expect(row { $0.isCPULowerBound = true }.contains("3 ended CPU ≥0:04.50 peak"))
    #expect(row({ $0.isCountLowerBound = true }, isASCII: true).hasPrefix(">3 ended"))
    let unseen = row {
      $0 = EndedProcesses()
      $0.count = 1
      $0.isCountLowerBound = true
      $0.cpuNanoseconds = 2_000_000_000
    }
    #expect(unseen == "≥1 ended CPU 0:02.00")
  }

  @Test func `a filter finds in the whole command line, with the key of htop too`() {
    let run = ProcessKeysTests.run()
    for key in [Key.character("&"), .function(4)] {
      var hud = hud(run)
      for key in [key, .character("x"), .character("."), .character("c"), .enter] {
        _ = hud.handle(key, run: run)
      }
      hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
      #expect(hud.text.contains("cc1 -O2 x.c") && !hud.text.contains("make all"))
    }
  }

  @Test func `names and command lines cannot harm the terminal`() {
    let run = ProcessKeysTests.run()
    for columns in [30, 60, 120] {
      var hud = hud(run, columns, 24)
      for key in [Key.end, .up, .up, .character("k")] {
        _ = hud.handle(key, run: run)
        hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
        for scalar in hud.text.unicodeScalars where scalar != "\n" {
          #expect(SafeText.replacement(for: scalar) == scalar)
        }
      }
    }
  }

  // MARK: The selection

  @Test func `the selected process stays selected when others pass it`() {
    var hud = hud(ProcessKeysTests.run())
    let before = ProcessKeysTests.run()
    _ = hud.handle(.down, run: before)
    hud.draw(before, now: before.latest?.time ?? MadeUpProcess.start)
    #expect(marked(hud).contains("make all"))
    let after = ProcessKeysTests.run(busiest: 104)
    hud.invalidateAll()
    hud.draw(after, now: after.latest?.time ?? MadeUpProcess.start)
    #expect(marked(hud).contains("make all"))
    #expect(hud.handle(.character("k"), run: after) == nil)
    guard case .signal(15, let target, _) = hud.handle(.enter, run: after) else {
      Issue.record("no signal")
      return
    }
    #expect(target == Target(pid: 101, startTicks: 101))
  }

  @Test func `the selected process stays selected while a search is typed`() {
    var hud = hud(ProcessKeysTests.run())
    let before = ProcessKeysTests.run()
    for key in [Key.down, .character("/"), .character("x")] { _ = hud.handle(key, run: before) }
    let after = ProcessKeysTests.run(busiest: 104)
    hud.invalidateAll()
    hud.draw(after, now: after.latest?.time ?? MadeUpProcess.start)
    _ = hud.handle(.escape, run: after)
    hud.draw(after, now: after.latest?.time ?? MadeUpProcess.start)
    #expect(marked(hud).contains("make all"))
  }

  @Test func `a search selects with each letter, and Esc selects the former process again`() {
    let run = ProcessKeysTests.run()
    var hud = hud(run)
    func press(_ keys: Key...) {
      for key in keys { _ = hud.handle(key, run: run) }
      hud.invalidateAll()
      hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
    }
    press(.home, .down)
    let former = marked(hud)
    press(.character("/"), .character("x"), .character("."), .character("c"))
    #expect(marked(hud).contains("x.c") && marked(hud) != former)
    press(.backspace, .backspace, .backspace)
    #expect(marked(hud) == former)
    press(.character("x"), .character("."), .character("c"), .escape)
    #expect(marked(hud) == former && !former.isEmpty)
    press(.character("&"), .character("x"), .character("."), .character("c"))
    #expect(marked(hud).contains("x.c"))
    press(.escape)
    #expect(marked(hud) == former)
  }

  @Test func `a search that is discarded after the list has changed selects the former process`() {
    let before = ProcessKeysTests.run()
    var hud = hud(before)
    func draw(_ run: Run) {
      hud.invalidateAll()
      hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
    }
    for key in [Key.end, .up] { _ = hud.handle(key, run: before) }
    draw(before)
    let former = ProcessKeysTests.pid(marked(hud))
    _ = hud.handle(.character("/"), run: before)
    for key in "x.c".unicodeScalars { _ = hud.handle(.character(key), run: before) }
    draw(before)
    let other = ProcessKeysTests.pid(marked(hud))
    #expect(other != former)
    // All rows below the ended one move up.
    let after = ProcessKeysTests.run(without: other)
    draw(after)
    _ = hud.handle(.escape, run: after)
    draw(after)
    #expect(ProcessKeysTests.pid(marked(hud)) == former)
  }

  @Test func `no process is selected after the selected one has ended, until a key selects one`() {
    let before = ProcessKeysTests.run()
    var hud = hud(before)
    for key in [Key.home, .down, .down] { _ = hud.handle(key, run: before) }
    hud.invalidateAll()
    hud.draw(before, now: before.latest?.time ?? MadeUpProcess.start)
    let ended = ProcessKeysTests.pid(marked(hud))
    let next = ProcessKeysTests.pid(hud.rows.drop { !$0.hasPrefix(">") }.dropFirst().first ?? "")
    let after = ProcessKeysTests.run(without: ended)
    hud.invalidateAll()
    hud.draw(after, now: after.latest?.time ?? MadeUpProcess.start)
    #expect(marked(hud).isEmpty)
    for key in [Key.character("k"), .character("]")] {
      #expect(hud.handle(key, run: after) == nil)
      hud.draw(after, now: after.latest?.time ?? MadeUpProcess.start)
      #expect(hud.text.contains("no process is selected"))
    }
    // A filter selects nothing either.
    for key in [Key.character("&"), .character("a"), .escape] {
      _ = hud.handle(key, run: after)
      hud.invalidateAll()
      hud.draw(after, now: after.latest?.time ?? MadeUpProcess.start)
      #expect(marked(hud).isEmpty)
    }
    _ = hud.handle(.down, run: after)
    hud.invalidateAll()
    hud.draw(after, now: after.latest?.time ?? MadeUpProcess.start)
    #expect(ProcessKeysTests.pid(marked(hud)) == next)
  }

  /// The number at the beginning of a row.
  private static func pid(_ row: String) -> Int32 {
    Int32(row.split { !$0.isNumber }.first ?? "") ?? -1
  }

  @Test func `the end of the list is a row that is selected`() {
    let run = ProcessKeysTests.run()
    var hud = hud(run)
    _ = hud.handle(.end, run: run)
    hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
    #expect(marked(hud).contains(" 3 ended"))
    // It is no process.
    #expect(hud.handle(.character("k"), run: run) == nil)
    #expect(hud.focus.target == .list)
    #expect(hud.handle(.character("]"), run: run) == nil)
    hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
    #expect(hud.text.contains("no process is selected"))
  }

  // MARK: Signals

  @Test(arguments: Language.allCases, [(80, 24), (44, 15), (20, 6)])
  func `the menu of signals`(language: Language, size: (columns: Int, rows: Int)) {
    let run = ProcessKeysTests.run()
    var hud = hud(run, size.columns, size.rows, language)
    for key in [Key.down, .character("k"), .down] { _ = hud.handle(key, run: run) }
    hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
    expectGolden(
      hud.text,
      file: "Golden/Processes/signals-\(size.columns)x\(size.rows)-\(language.rawValue).txt")
  }

  @Test(
    arguments: zip(
      0..<10,
      [
        ("TERM", 15), ("INT", 2), ("HUP", 1), ("KILL", 9), ("QUIT", 3), ("ABRT", 6), ("STOP", 19),
        ("CONT", 18), ("USR1", 10), ("USR2", 12),
      ] as [(String, Int32)]))
  func `Enter sends the signal that is selected`(steps: Int, signal: (name: String, number: Int32))
  {
    let run = ProcessKeysTests.run()
    var hud = hud(run)
    for key in [Key.down, .function(9)] { _ = hud.handle(key, run: run) }
    for _ in 0..<steps { _ = hud.handle(.down, run: run) }
    let request = hud.handle(.enter, run: run)
    #expect(
      request
        == .signal(
          signal.number, Target(pid: 101, startTicks: 101), name: "SIG\(signal.name) → make 101"))
    #expect(hud.focus.target == .list)
    hud.finish(.sent, name: "SIG\(signal.name) → make 101")
    hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
    #expect(hud.text.contains("sent: SIG\(signal.name) → make 101"))
  }

  @Test(arguments: [Key.escape, .character("q"), .control("c")])
  func `nothing is sent after`(key: Key) {
    let run = ProcessKeysTests.run()
    var hud = hud(run)
    _ = hud.handle(.character("k"), run: run)
    #expect(hud.focus.target == .signals)
    #expect(hud.handle(key, run: run) == nil)
    #expect(hud.focus.target == .list)
    #expect(hud.handle(.enter, run: run) == nil)
  }

  @Test(arguments: [
    (ProcessControlResult.ended, "nothing done, it has ended: x"), (.denied, "not permitted: x"),
    (.unsupported, "not possible here: x"), (.reniced(from: 0, to: -1), "nice 0 → -1 (x)"),
  ])
  func `the result is said`(result: ProcessControlResult, text: String) {
    let run = ProcessKeysTests.run()
    var hud = hud(run)
    hud.finish(result, name: "x")
    hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
    #expect(hud.text.contains(text))
  }

  @Test(arguments: [
    (Key.character("["), Int32(1)), (.function(8), 1), (.character("]"), -1), (.function(7), -1),
  ])
  func `priority changes by`(key: Key, step: Int32) {
    let run = ProcessKeysTests.run()
    var hud = hud(run)
    _ = hud.handle(.down, run: run)
    #expect(
      hud.handle(key, run: run)
        == .renice(step, Target(pid: 101, startTicks: 101), name: "make 101"))
  }

  @Test(arguments: [Key.character("["), .character("]"), .function(7), .function(8)])
  func `without a selected process a change of priority says so`(key: Key) {
    let run = ProcessKeysTests.run()
    for (language, text) in [
      (Language.english, "no process is selected"), (.japanese, "プロセスが未選択です"),
    ] {
      var hud = hud(run, 80, 24, language)
      _ = hud.handle(.end, run: run)
      #expect(hud.handle(key, run: run) == nil)
      hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
      #expect(hud.text.contains(text), "\(hud.text)")
      #expect(hud.focus.target == .list)
    }
  }

  @Test func `in other lists k goes up and the keys of processes do nothing`() {
    let run = ProcessKeysTests.run()
    for page in ["p", "a", "T", "l"] as [Unicode.Scalar] {
      var hud = screen(80, 24, run, keys: [.character(page), .character("f")])
      for key in [Key.character("k"), .function(9), .character("["), .function(7)] {
        #expect(hud.handle(key, run: run) == nil)
        #expect(hud.focus.target == .list)
      }
    }
  }

  @Test func `the mouse selects a signal, and Enter sends it`() {
    let run = ProcessKeysTests.run()
    var hud = hud(run)
    for key in [Key.down, .character("k")] { _ = hud.handle(key, run: run) }
    hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
    let row = hud.lines.firstIndex { $0.contains("SIGKILL") } ?? 0
    let line = hud.wholeLines[row]
    let column = line.distance(
      from: line.startIndex, to: line.firstRange(of: "SIGKILL")?.lowerBound ?? line.startIndex)
    hud.handle(MouseEvent(.press(button: 1), at: Point(row: row, column: column)), run: run)
    guard case .signal(9, _, _) = hud.handle(.enter, run: run) else {
      Issue.record("SIGKILL was not selected")
      return
    }
  }
}
