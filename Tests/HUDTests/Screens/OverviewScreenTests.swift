import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal
import TestSupport
import Testing

@testable import HUD

/// What the standard overview says of memory, threads and storage.
@Suite struct OverviewScreenTests {
  static let sizes: [(columns: Int, rows: Int)] = [
    (200, 60), (120, 40), (80, 24), (44, 15),
  ]

  static func withThreads(
    _ count: Int = 5, change: @escaping @Sendable (inout Sample) -> Void = { _ in }
  ) -> MadeUpProcess {
    var process = MadeUpProcess()
    process.change = { sample in
      change(&sample)
      sample.threads = .value(UInt32(count))
      sample.sharedMemoryBytes = .value(3 << 20)
      sample.limitSource = .physical
      sample.limitBytes = .value(16 << 30)
    }
    process.pass(seconds: 20)
    let rows = (0..<count).map { number in
      var row = ProcessRow()
      row.pid = 4242 + Int32(number)
      row.parent = 4242
      row.name = processName(number == 0 ? "demo" : "worker-\(number)")
      row.state = number == 1 ? .running : .sleeping
      row.intervalNanoseconds = 500_000_000
      row.cpuNanoseconds = UInt64(number % 5) * 90_000_000
      row.waitNanoseconds = UInt64(number % 5) * 11_000_000
      return row
    }
    process.apply(
      .processes(
        ProcessTable(request: ProcessTableRequest(.threads), time: process.now, rows: rows)))
    return process
  }

  @Test(arguments: sizes, Language.allCases)
  func `an overview with threads`(size: (columns: Int, rows: Int), language: Language) {
    let run = OverviewScreenTests.withThreads().run
    let hud = screen(size.columns, size.rows, run, state: HUDState(language: language))
    let name = "\(size.columns)x\(size.rows)-\(language.rawValue)"
    expectGolden(hud.text, file: "Golden/Overview/\(name).txt")
  }

  /// A tree that reports two phases and an action.
  private static func withProcesses(_ count: UInt32, isReporting: Bool = false) -> MadeUpProcess {
    var header = threeMinutes.run.header
    header.includesChildren = true
    var tree = MadeUpProcess(header: header)
    tree.change = { $0.processes = count }
    tree.pass(seconds: 10)
    for event in isReporting ? ["gallery", "save", "canvas"] : [] {
      var report = Event(event == "save" ? .action : .phase)
      report.name = Event.Name(event)
      tree.apply(.event(report, tree.now))
      tree.pass(seconds: 5)
    }
    let rows = (0..<count).map { number in
      var row = ProcessRow()
      row.pid = 4242 + Int32(number)
      row.parent = number == 0 ? 1 : 4242
      row.name = processName("task-\(number)")
      row.intervalNanoseconds = 500_000_000
      row.cpuNanoseconds = UInt64(number % 5) * 90_000_000
      row.footprintBytes = UInt64(1 + number) << 22
      return row
    }
    tree.apply(
      .processes(
        ProcessTable(request: ProcessTableRequest(.processes), time: tree.now, rows: rows)))
    return tree
  }

  @Test(arguments: [(200, 60), (120, 40)], Language.allCases)
  func `an overview of a tree with phases`(size: (columns: Int, rows: Int), language: Language) {
    let run = OverviewScreenTests.withProcesses(5, isReporting: true).run
    let hud = screen(size.columns, size.rows, run, state: HUDState(language: language))
    let name = "tree-\(size.columns)x\(size.rows)-\(language.rawValue)"
    expectGolden(hud.text, file: "Golden/Overview/\(name).txt")
  }

  @Test(arguments: sizes)
  func `an overview in ASCII`(size: (columns: Int, rows: Int)) {
    let run = OverviewScreenTests.withThreads().run
    let plain = screen(size.columns, size.rows, run, state: HUDState(isASCII: true))
    #expect(plain.text.utf8.allSatisfy { $0 < 0x80 })
    expectGolden(plain.text, file: "Golden/Overview/\(size.columns)x\(size.rows)-ascii.txt")
  }

  @Test func `beside the greatest value of the graph the gauge shows CPU time, else the peak`() {
    for (columns, rows, hasTime, hasPeak) in [
      (120, 40, true, false), (80, 24, true, false), (44, 15, false, false), (80, 4, false, true),
    ] {
      let text = screen(columns, rows, OverviewScreenTests.withThreads().run).text
      #expect(text.contains("cpu time ") == hasTime, "\(columns)x\(rows)")
      #expect((text.firstMatch(of: #/CPU .*peak/#) != nil) == hasPeak, "\(columns)x\(rows)")
    }
  }

  @Test func `at 80 columns the threads have whole names and their waits`() {
    let lines = screen(80, 24, OverviewScreenTests.withThreads().run).lines
    #expect(lines.contains { $0.contains(#/worker-3 +54 % +6\.6 %/#) }, "\(lines)")
  }

  @Test func `memory is measured against its limit, and against a round value where that is RAM`() {
    #expect(screen(80, 24, threeMinutes.run).text.contains(#/7\.9 % of 2 GiB memory\.max/#))
    let hud = screen(80, 24, OverviewScreenTests.withThreads().run)
    #expect(hud.text.contains(#/MEM .* 0–1\d\d MiB  peak 1\d\d\.\d MiB/#))
    // The bar of a tiny process is short.
    let tiny = screen(
      80, 24,
      OverviewScreenTests.withThreads {
        $0.anonymousBytes = .value(100 << 10)
        $0.pageTableBytes = .value(56 << 10)
      }.run)
    #expect(tiny.text.contains(#/MEM 156\.0 KiB .* 0–8 MiB/#), "\(tiny.text)")
  }

  @Test func `the bar of CPU names its full value`() {
    let run = OverviewScreenTests.withThreads().run
    #expect(screen(80, 24, run).text.contains(" 100% = 1 core "))
    var busy = OverviewScreenTests.withThreads {
      $0.cpuNanoseconds = .value(UInt64($0.time.nanoseconds) * 5 / 2)
      $0.usableProcessors = .value(4)
    }
    busy.pass(seconds: 5)
    #expect(screen(80, 24, busy.run).text.contains(" 400% = 4 cores "))
  }

  @Test func `the bar of memory has a mark at the peak once memory is well below it`() {
    let gauge = #/MEM .* 0–1\d\d MiB  peak/#
    var process = OverviewScreenTests.withThreads()
    #expect(screen(80, 24, process.run).text.firstMatch(of: gauge)?.0.contains("╷") == false)
    let change = process.change
    process.change = { sample in
      change(&sample)
      sample.anonymousBytes = .value(30 << 20)
    }
    process.pass(seconds: 2)
    #expect(screen(80, 24, process.run).text.firstMatch(of: gauge)?.0.contains("╷") == true)
  }

  @Test func `PSS that memory has outrun is dim, with its age`() throws {
    var process = OverviewScreenTests.withThreads()
    var hud = screen(120, 40, process.run)
    func parts() -> String? { hud.lines.first { $0.contains("│ PSS ") } }
    let before = try #require(parts()?.firstMatch(of: #/PSS +(\S+) /#)).1
    let change = process.change
    process.change = { sample in
      change(&sample)
      sample.pssBytes = .absent(.outdated)
    }
    process.pass(seconds: 7)
    hud.invalidateAll()
    hud.draw(process.run, now: process.now)
    let after = try #require(parts()?.firstMatch(of: #/PSS +(\d+s old) +(\S+) /#), "\(hud.text)")
    #expect(after.2 == before, "\(hud.text)")
    // More than the RSS it can never be.
    process.change = { sample in
      change(&sample)
      sample.pssBytes = .absent(.outdated)
      sample.residentBytes = .value(40 << 20)
      sample.anonymousBytes = .value(20 << 20)
    }
    process.pass(seconds: 1)
    hud.invalidateAll()
    hud.draw(process.run, now: process.now)
    #expect(parts()?.contains(#/PSS +outdated/#) == true, "\(hud.text)")
  }

  @Test(arguments: [44, 60, 80, 100, 120, 150, 160, 200])
  func `the labels of the time axis end equally far apart`(columns: Int) throws {
    let lines = screen(columns, 40, OverviewScreenTests.withThreads().run).lines
    let axes = lines.filter { $0.contains("now") && $0.contains("-") && $0.contains("─") }
    #expect(!axes.isEmpty)
    for line in axes where line.filter({ $0 == "n" }).count == 1 {
      let ends = line.matches(of: #/-[0-9ms]+|now/#).map {
        line[..<$0.range.upperBound].unicodeScalars.count
      }
      #expect(Set(zip(ends, ends.dropFirst()).map { $1 - $0 }).count <= 1, "\(line)")
    }
  }

  @Test func `the value axis begins in the row of the lowest dots`() throws {
    let lines = screen(120, 40, OverviewScreenTests.withThreads().run).lines
    let zero = try #require(lines.firstIndex { $0.hasPrefix("│   0% ") })
    #expect(lines[zero + 1].contains("╰"))
  }

  @Test func `the parts of memory add up to what is resident and in swap`() throws {
    let run = OverviewScreenTests.withThreads().run
    let row = try #require(run.latest)
    let parts = [row.anonymousBytes, row.fileBytes, row.sharedMemoryBytes].map { $0.value ?? 0 }
    #expect(parts.reduce(0, +) == row[.resident].value)
    #expect(parts[2] == 3_145_728)
    let text = screen(80, 24, run).text
    for word in ["anonymous", "file", "shared", "RSS"] { #expect(text.contains(word)) }
    // A part that is 0 comes last where not all fit.
    #expect(text.contains(#/PSS +\S+ (?s:.*)swap +0 /#) && !text.contains("MEM  "))
    #expect(screen(120, 40, run).text.contains(#/swap +0 /#))
    #expect(screen(44, 15, run).text.contains(#/RSS +\S+ (?s:.*)PSS +\S+ +swap/#))
    // The memory of the machine is no limit of the program.
    #expect(!screen(120, 40, run).text.contains("RAM"))
    #expect(screen(120, 40, threeMinutes.run).text.contains(#/limit +2\.00G/#))
  }

  @Test func `the parts of memory end in one column and have three digits`() throws {
    let run = OverviewScreenTests.withThreads { $0.sharedPrivateBytes = 20 << 20 }.run
    for keys in [[], [Key.character("2")]] {
      let lines = screen(120, 40, run, keys: keys).lines
      let ends = ["anonymous", "file", "shared", "swap", "fork-shared", "page tables"]
        .compactMap { word in
          lines.lazy.compactMap { line -> Int? in
            guard let name = line.firstRange(of: " \(word) "),
              let value = line[name.upperBound...].prefixMatch(of: #/ *−?([0-9.]{1,4}[BKMG]|0) /#)
            else { return nil }
            return line[..<value.range.upperBound].unicodeScalars.count
          }.first
        }
      #expect(ends.count == 6 && Set(ends).count == 1, "\(ends) \(lines)")
    }
  }

  @Test func `the refresh rate of the HUD is shown while it is late, not beside the program's`() {
    var process = OverviewScreenTests.withThreads()
    #expect(!screen(80, 24, process.run).text.contains("HUD tick"))
    process.isLate = true
    process.pass(seconds: 3)
    #expect(screen(80, 24, process.run).text.contains(#/DISK read.*HUD tick +40 FPS/#))
    var ended = process
    ended.change = { $0.hasEnded = true }
    ended.step()
    #expect(!screen(80, 24, ended.run).text.contains("HUD tick"))
    for _ in 0..<40 {
      var event = Event(.frame)
      event.origin = .app
      process.apply(.event(event, process.now))
      process.step()
    }
    let text = screen(80, 24, process.run).text
    #expect(text.contains(#/FPS +10 app/#) && !text.contains("HUD tick"))
  }

  @Test func `what the program waits for is at the right end, away from reads and writes`() {
    let lines = screen(80, 24, OverviewScreenTests.withThreads().run).lines
    #expect(lines.contains { $0.hasPrefix("DISK read") && $0.hasSuffix("waits for CPU 2.3 %") })
  }

  @Test func `memory that forked processes share is taken off its parts`() {
    let shared = OverviewScreenTests.withThreads { $0.sharedPrivateBytes = 20 << 20 }
    #expect(screen(120, 40, shared.run).text.contains(#/fork-shared +−20\.0M/#))
    #expect(!screen(120, 40, OverviewScreenTests.withThreads().run).text.contains("fork-shared"))
  }

  @Test func `a graph of storage says when nothing is read or written any more`() {
    let text = "no storage reads or writes"
    let idle = OverviewScreenTests.withThreads {
      $0.readBytes = .value(5)
      $0.writeBytes = .value(5)
    }
    var hud = screen(120, 40, OverviewScreenTests.withThreads().run)
    #expect(!hud.text.contains(text) && hud.text.contains("─ DISK "))
    hud.invalidateAll()
    hud.draw(idle.run, now: idle.now)
    #expect(hud.text.contains(text), "\(hud.text)")
  }

  @Test func `a label in a frame does not touch the graph, even if it has five characters`() {
    var quiet = MadeUpProcess()
    quiet.change = { $0.cpuNanoseconds = .value(7) }
    quiet.pass(seconds: 20)
    let lines = screen(120, 40, quiet.run, keys: [.character("L")]).lines
    let labels = lines.filter { $0.hasPrefix("│") && $0.prefix(7).contains("%") }
    #expect(labels.contains { $0.hasPrefix("│0.01% ") }, "\(lines.joined(separator: "\n"))")
    #expect(labels.count > 1 && labels.allSatisfy { $0.dropFirst(6).first == " " })
  }

  @Test func `the title of a tree has the number of its processes, unless it is stopped`() {
    var header = threeMinutes.run.header
    header.includesChildren = true
    var tree = MadeUpProcess(header: header)
    tree.change = { $0.processes = 16 }
    tree.pass(seconds: 2)
    #expect(screen(120, 40, tree.run).lines.contains { $0.contains("pid 4242  16 processes ") })
    tree.change = { sample in
      sample.processes = 16
      sample.state = .stopped
    }
    tree.pass(seconds: 1)
    #expect(screen(120, 40, tree.run).lines.contains { $0.contains(" 4242  stopped") })
  }

  @Test func `many threads get more rows, and keep them until there are much fewer`() throws {
    var process = OverviewScreenTests.withThreads(5)
    var hud = screen(120, 60, process.run)
    func rows(_ count: Int) throws -> Int {
      process.change = { $0.threads = .value(UInt32(count)) }
      process.step()
      hud.invalidateAll()
      hud.draw(process.run, now: process.now)
      // The parts of memory are beside them, with nothing below.
      return try #require(hud.layout.first { $0.id == .memoryParts }).frame.rows
    }
    let short = try rows(6)
    let long = try rows(40)
    #expect(long > short)
    #expect(try rows(10) == long)
    #expect(try rows(5) == short)
    // With the panels, what has room below the list comes back.
    #expect(hud.layout.contains { $0.id == .storageGraph })
  }

  @Test func `a tree of two processes is one, also with something below it`() {
    let hud = screen(120, 40, OverviewScreenTests.withProcesses(2).run)
    #expect(hud.layout.contains { $0.id == .storageGraph })
    #expect(hud.text.contains("└ task-1"), "\(hud.text)")
  }

  @Test func `of a tree the overview lists processes, of a cgroup neither`() {
    var header = threeMinutes.run.header
    header.includesChildren = true
    var tree = MadeUpProcess(header: header)
    tree.pass(seconds: 2)
    #expect(screen(120, 40, tree.run).wantedTable?.kind == .processes)
    var group = MadeUpProcess(cgroup: "/demo.slice")
    group.pass(seconds: 2)
    #expect(screen(120, 40, group.run).wantedTable == nil)
  }

  @Test func `the overview of a tree lists its processes, and makes room for them`() {
    func listed(_ processes: UInt32) -> HUD {
      screen(80, 24, OverviewScreenTests.withProcesses(processes).run)
    }
    let many = listed(7)
    for number in 0..<7 { #expect(many.text.contains("task-\(number)"), "\(many.text)") }
    let graphs = many.layout.filter(\.isTimeGraph).map(\.frame)
    #expect(graphs.count == 2 && graphs[0].row == graphs[1].row)
    // A few have room below graphs of the whole width.
    let few = listed(2)
    #expect(few.text.contains("task-1"))
    #expect(few.layout.filter(\.isTimeGraph).allSatisfy { $0.frame.columns == 80 })
  }

  @Test func `a thread without a name of its own has its number, and a wide list CPU times`() {
    var process = OverviewScreenTests.withThreads(3)
    var rows = process.run.processes?.rows ?? []
    rows[2].name = rows[0].name
    rows[2].cpuNanoseconds = 83_456_000_000
    process.apply(
      .processes(
        ProcessTable(request: ProcessTableRequest(.threads), time: process.now, rows: rows)))
    let overview = screen(80, 24, process.run).lines
    #expect(overview.contains { $0.contains(/\b4244 +\d/) }, "\(overview)")
    #expect(overview.contains { $0.contains(/\bworker-1 +\d/) })
    #expect(overview.contains { $0.contains(/NAME +CPU/) })
    let tab = screen(80, 24, process.run, keys: [.character("T")]).rows
    #expect(tab.contains { $0.contains(/^ demo +4244 .* 1:23\.45$/) }, "\(tab)")
    // If none has a name, all are listed by number.
    for index in rows.indices { rows[index].name = rows[0].name }
    process.apply(
      .processes(
        ProcessTable(request: ProcessTableRequest(.threads), time: process.now, rows: rows)))
    let numbers = screen(80, 24, process.run).lines
    #expect(numbers.contains { $0.contains(/TID +CPU/) }, "\(numbers)")
    for number in 4242...4244 {
      #expect(numbers.contains { $0.contains(" \(number) ") && $0.contains(" %") })
    }
  }
}
