import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

/// The pages of processes and threads.
@Suite struct ProcessScreenTests {
  private static let mebibyte: UInt64 = 1_048_576

  private static func row(
    _ pid: Int32, _ parent: Int32, _ name: String, _ state: ProcessState, cpu: Double = 0,
    mebibytes: UInt64 = 1, grown: UInt64 = 0, threads: UInt32 = 1
  ) -> ProcessRow {
    var row = ProcessRow()
    row.pid = pid
    row.parent = parent
    row.startTicks = UInt64(pid)
    row.name = processName(name)
    row.state = state
    row.intervalNanoseconds = 500_000_000
    row.cpuNanoseconds = UInt64(cpu * 5_000_000)
    row.footprintBytes = mebibytes * mebibyte
    row.firstFootprintBytes = (mebibytes - grown) * mebibyte
    row.threads = threads
    return row
  }

  /// A build: make, two compilers of which one has just started, one that has ended, a zombie, a name that
  /// means harm, and more than there is room for.
  private static func processes(at time: Instant) -> [ProcessRow] {
    var ended = row(4307, 4299, "cc1", .dead, mebibytes: 64)
    ended.end = .exited(1)
    ended.endTime = time.advanced(bySeconds: -2)
    var killed = row(4308, 4299, "sh", .dead)
    killed.end = .signaled(9)
    killed.endTime = time.advanced(bySeconds: -1)
    var lost = row(4309, 4242, "sed", .dead)
    lost.end = .unknown
    lost.endTime = time.advanced(bySeconds: -3)
    var zombie = row(4310, 4242, "worker", .zombie)
    zombie.end = .exited(0)
    var newest = row(4312, 4311, "cc1plus", .running, mebibytes: 12)
    newest.intervalNanoseconds = 0
    return [
      row(4242, 1, "demo", .sleeping, cpu: 1.2, mebibytes: 18, threads: 12),
      row(4299, 4242, "make", .sleeping, mebibytes: 3),
      row(4300, 4299, "gcc", .sleeping, mebibytes: 2),
      row(4301, 4300, "cc1", .running, cpu: 97.5, mebibytes: 186, grown: 120),
      row(4311, 4299, "g++", .sleeping, mebibytes: 2), newest,
      row(4250, 4242, "a\u{1B}[2J\u{202E}b", .diskSleep, cpu: 3, mebibytes: 40, threads: 4),
      row(4251, 4242, "夜の港", .stopped, mebibytes: 9), zombie, ended, killed, lost,
    ]
  }

  private static func threads() -> [ProcessRow] {
    var rows = [
      row(4242, 4242, "demo", .sleeping, cpu: 1.2), row(4243, 4242, "render", .running, cpu: 88.4),
      row(4244, 4242, "io \u{9B}31m", .diskSleep, cpu: 2),
      row(4245, 4242, "tokio-runtime-w", .sleeping),
    ]
    for index in rows.indices { rows[index].waitNanoseconds = UInt64(index) * 21_000_000 }
    return rows
  }

  private static func run(_ kind: ProcessTableRequest.Kind, others: Int = 744) -> Run {
    var process = MadeUpProcess()
    process.pass(seconds: 30)
    let rows = kind == .processes ? processes(at: process.now) : threads()
    process.apply(
      .processes(
        ProcessTable(
          request: ProcessTableRequest(kind), time: process.now, rows: rows, others: others)))
    return process.run
  }

  private static let pages: [(name: String, kind: ProcessTableRequest.Kind, keys: [Key])] = [
    ("processes", .processes, [.character("t")]),
    ("flat, by memory", .processes, [.character("t"), .character("o"), .character("v")]),
    ("threads", .threads, [.character("T")]),
  ]

  private func pages(_ draw: (Run, [Key]) -> HUD) -> String {
    ProcessScreenTests.pages.map { page in
      let hud = draw(ProcessScreenTests.run(page.kind), page.keys)
      return "\(page.name)\n\(hud.text)\n"
    }.joined()
  }

  @Test(arguments: Language.allCases, [(120, 40), (80, 24), (44, 15)])
  func `processes and threads in a pane`(
    language: Language, size: (columns: Int, rows: Int)
  ) {
    let text = pages { run, keys in
      screen(
        size.columns, size.rows, run, state: HUDState(language: language), keys: keys)
    }
    expectGolden(
      text, file: "Golden/Processes/\(size.columns)x\(size.rows)-\(language.rawValue).txt")
  }

  /// A compiler, and a server with threads that have names and one that has none.
  private static func threadsOfTree() -> [ProcessRow] {
    [
      row(4242, 4242, "make", .sleeping), row(4301, 4301, "cc1", .running, cpu: 97.5),
      row(4250, 4250, "node", .sleeping, cpu: 3),
      row(4251, 4250, "libuv-worker", .sleeping, cpu: 21),
      row(4252, 4250, "node", .sleeping, cpu: 0.4),
    ]
  }

  @Test(arguments: Language.allCases, [(120, 40), (80, 24), (44, 15), (24, 12)])
  func `the threads of a tree have the numbers of their processes where there is room`(
    language: Language, size: (columns: Int, rows: Int)
  ) {
    var process = MadeUpProcess()
    process.pass(seconds: 30)
    for rows in [ProcessScreenTests.threadsOfTree(), ProcessScreenTests.threads()] {
      process.apply(
        .processes(
          ProcessTable(
            request: ProcessTableRequest(.threads), time: process.now, rows: rows)))
      let hud = screen(
        size.columns, size.rows, process.run, state: HUDState(language: language),
        keys: [.character("T")])
      let hasPid = hud.lines.contains { $0.contains(" PID ") }
      #expect(hasPid == (rows.count == 5 && size.columns >= 80), "\(hud.text)")
      guard rows.count == 5 else { continue }
      #expect(hud.lines.contains { $0.contains(#/libuv?.* 21/#) }, "\(hud.text)")
      expectGolden(
        hud.text,
        file: "Golden/Processes/tree-threads-\(size.columns)x\(size.rows)-\(language.rawValue).txt")
    }
  }

  @Test func `processes and threads in ASCII`() {
    let text = pages { run, keys in
      screen(80, 24, run, state: HUDState(isASCII: true), keys: keys)
    }
    expectGolden(text, file: "Golden/Processes/80x24-ascii.txt")
  }

  @Test(arguments: Language.allCases, [(36, 9), (72, 20)])
  func `processes and threads over a program`(
    language: Language, size: (columns: Int, rows: Int)
  ) {
    let text = pages { run, keys in
      let state = HUDState(language: language, family: .overlay)
      var hud = HUD(size: Size(rows: size.rows, columns: size.columns), state: state)
      hud.place(
        at: Rect(row: 0, column: 99 - size.columns, rows: size.rows, columns: size.columns),
        in: Rect(Size(rows: 40, columns: 99)))
      for key in keys { _ = hud.handle(key, run: run) }
      hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
      return hud
    }
    expectGolden(
      text,
      file: "Golden/Processes/overlay-\(size.columns)x\(size.rows)-\(language.rawValue).txt")
  }

  @Test(arguments: Language.allCases, [false, true])
  func `in no list at any width a value is cut from its unit`(
    language: Language, isASCII: Bool
  ) {
    let check = SteadyColumnsCheck()
    let state = HUDState(language: language, isASCII: isASCII)
    let pages = ProcessScreenTests.pages + [("why slow", .processes, [.character("y")])]
    for page in pages {
      let run = ProcessScreenTests.run(page.kind)
      for columns in 14...100 {
        for line in screen(columns, 24, run, state: state, keys: page.keys).lines.dropFirst(6) {
          #expect(!check.isCut(line), "\(page.name) \(columns): \(line)")
        }
      }
    }
  }

  @Test func `names of processes cannot harm the terminal`() {
    for page in ProcessScreenTests.pages {
      let hud = screen(120, 40, ProcessScreenTests.run(page.kind), keys: page.keys)
      for scalar in hud.text.unicodeScalars where scalar != "\n" {
        #expect(SafeText.replacement(for: scalar) == scalar)
      }
    }
  }

  // MARK: What is asked for

  @Test func `a list is asked for while it is open, by the value that it is sorted by`() throws {
    let run = ProcessScreenTests.run(.processes)
    var state = HUDState()
    state.view.overview = try OverviewLayout("memory-graph")
    var hud = HUD(size: Size(rows: 40, columns: 120), state: state)
    #expect(hud.wantedTable == nil)
    for (key, wanted) in [
      ("t", ProcessTableRequest(.processes, by: .cpu)), ("o", .init(.processes, by: .memory)),
      ("o", .init(.processes, by: .growth)), ("v", .init(.processes, by: .growth)),
      ("o", .init(.processes, by: .cpu)), ("T", .init(.threads)), ("o", .init(.threads)),
      ("v", .init(.processes)),
      ("T", .init(.threads)), ("T", nil), ("M", .init(.mappings)), ("M", nil), ("l", nil),
      ("t", .init(.processes)), ("t", nil),
    ] as [(Unicode.Scalar, ProcessTableRequest?)] {
      _ = hud.handle(.character(key), run: run)
      #expect(hud.wantedTable == wanted, "after \(key)")
    }
  }

  @Test func `with the keys in the list t, T, o and v mean the same`() {
    let run = ProcessScreenTests.run(.processes)
    var hud = HUD(size: Size(rows: 40, columns: 120), state: HUDState())
    for key in ["t", "f", "o"] as [Unicode.Scalar] { _ = hud.handle(.character(key), run: run) }
    #expect(hud.wantedTable == ProcessTableRequest(.processes, by: .memory))
    _ = hud.handle(.character("T"), run: run)
    #expect(hud.wantedTable == ProcessTableRequest(.threads))
    #expect(hud.focus.isInList)
  }

  @Test(arguments: ["o", "v", "c"] as [Unicode.Scalar], [HUDFamily.pane, .overlay])
  func `where no processes are listed their keys only open the list`(
    key: Unicode.Scalar, family: HUDFamily
  ) {
    let run = ProcessScreenTests.run(.threads)
    // Threads have one order.
    for page in ["T", "M", "l", "p"] as [Unicode.Scalar] where key != "o" || page != "T" {
      for hasFocus in [false, true] {
        var hud = HUD(size: Size(rows: 24, columns: 80), state: HUDState(family: family))
        _ = hud.handle(.character(page), run: run)
        // Over a program `f` would only keep the focus in the HUD.
        let focusKey = family == .pane ? Key.character("f") : Key.tab
        if hasFocus { _ = hud.handle(focusKey, run: run) }
        _ = hud.handle(.character(key), run: run)
        hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
        #expect(hud.state.page == .processes, "\(page) \(key)")
        #expect(hud.wantedTable == ProcessTableRequest(.processes), "\(page) \(key)")
        #expect(hud.focus.isInList == hasFocus, "\(page) \(key)")
        for note in ["sorted by", "in one list", "as a tree", " names ", "command lines"] {
          #expect(!hud.text.contains(note), "\(page) \(key): \(hud.text)")
        }
      }
    }
  }

  @Test func `a search begins without the focus, and the heading shows only the search`() {
    let hud = screen(
      44, 15, ProcessScreenTests.run(.processes), keys: [.character("3"), .character("/")])
    #expect(hud.focus.target == .prompt)
    #expect(hud.text.contains(#/━ processes ━ find: _ ━+\n/#), "\(hud.text)")
  }

  /// The keys that filter a list by a text.
  private static func filter(_ text: String) -> [Key] {
    let typed = text.unicodeScalars.map { Key.character($0) }
    return [Key.character("f"), .character("&")] + typed + [.enter]
  }

  @Test(arguments: [
    (Language.english, "no row contains zzz"), (.japanese, "zzz を含む行はない"),
  ])
  func `a filter without a match says so in each list`(language: Language, sentence: String) {
    for page in ProcessScreenTests.pages {
      let hud = screen(
        80, 24, ProcessScreenTests.run(page.kind), state: HUDState(language: language),
        keys: page.keys + ProcessScreenTests.filter("zzz"))
      #expect(hud.rows.contains(" " + sentence), "\(page.name): \(hud.text)")
    }
    var process = MadeUpProcess()
    process.pass(seconds: 1)
    var table = MappingTable()
    var group = MappingGroup()
    group.name = MappingName("[heap]")
    group.count = 1
    table.groups.append(group)
    process.apply(mappings: table)
    let hud = screen(
      80, 24, process.run, state: HUDState(language: language),
      keys: [Key.character("M")] + ProcessScreenTests.filter("zzz"))
    #expect(hud.rows.contains(" " + sentence), "\(hud.text)")
  }

  @Test(arguments: [(false, "…"), (true, "~")])
  func `the text of a filter without a match is cut to the width`(isASCII: Bool, end: String) {
    let long = String(repeating: "z", count: 60)
    let hud = screen(
      44, 15, ProcessScreenTests.run(.processes), state: HUDState(isASCII: isASCII),
      keys: [Key.character("t")] + ProcessScreenTests.filter(long))
    let line = hud.lines.first { $0.hasPrefix(" no row contains zzz") } ?? ""
    #expect(line.hasSuffix("z" + end) && line.count <= 44, "\(hud.text)")
  }

  @Test func `a filter of an empty list leaves the reason why it is empty`() {
    let hud = screen(
      80, 24, ProcessScreenTests.run(.threads),
      keys: [Key.character("t")] + ProcessScreenTests.filter("zzz"))
    #expect(hud.text.contains("nothing yet") && !hud.text.contains("no row contains"))
  }

  @Test func `a list of another kind is not shown`() {
    let hud = screen(80, 24, ProcessScreenTests.run(.threads), keys: [.character("t")])
    #expect(hud.text.contains("nothing yet"))
    #expect(!hud.text.contains("tokio"))
  }

  @Test func `parents and children that name each other in a circle are all shown`() {
    var process = MadeUpProcess()
    process.pass(seconds: 1)
    let rows = [
      ProcessScreenTests.row(10, 11, "first", .sleeping),
      ProcessScreenTests.row(11, 10, "second", .sleeping),
    ]
    process.apply(
      .processes(
        ProcessTable(request: ProcessTableRequest(.processes), time: process.now, rows: rows)))
    let hud = screen(80, 24, process.run, keys: [.character("t")])
    #expect(hud.text.contains("first") && hud.text.contains("second"))
  }

  @Test(arguments: [(false, "≥"), (true, ">")])
  func `a lower bound of the CPU share has its sign`(isASCII: Bool, sign: String) {
    var process = MadeUpProcess()
    process.pass(seconds: 30)
    func line() -> String {
      // The row of the gauge.
      String(
        (screen(80, 24, process.run, state: HUDState(isASCII: isASCII)).lines
          .first { $0.hasPrefix("CPU ") } ?? "").prefix(20))
    }
    #expect(!line().contains(sign))
    process.change = { $0.unknownEnds = 3 }
    process.pass(seconds: 0.5)
    #expect(line().contains(sign))
    // The share is whole again when the end is after its window; the time never is.
    process.pass(seconds: 2)
    #expect(!line().contains(sign))
    #expect(process.run.latest?.cpuTimeIsLowerBound == true)
    let text = screen(80, 24, process.run, state: HUDState(isASCII: isASCII)).text
    #expect(text.contains("cpu time \(sign)"))
  }
}
