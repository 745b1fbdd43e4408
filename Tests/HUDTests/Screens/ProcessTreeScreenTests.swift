import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

/// A watched tree: what its rows, its header and the edge of an overlay say must agree.
@Suite struct ProcessTreeScreenTests {
  /// A tree whose first process sleeps. Its CPU share goes up and down with each sample.
  private struct Tree {
    var process: MadeUpProcess
    var cpu = 0.0
    /// What each process has grown by, in MiB.
    var growth: UInt64 = 0
    /// CPU seconds of the tree and of each child at the list before.
    private var before: (tree: Double, children: [Double]) = (0, [0, 0])
    private var children = [0.0, 0.0]
    private var listTime: Instant?

    init(isTree: Bool = true, processes: UInt32 = 3) {
      var header = threeMinutes.run.header
      header.includesChildren = isTree
      process = MadeUpProcess(header: header)
      process.change = { sample in
        sample.state = .sleeping
        sample.processes = processes
      }
    }

    /// Lets 100 ms pass in which the two children use some CPU, and a third one that no list shows.
    mutating func step(_ a: Double, _ b: Double, short: Double = 0) {
      children[0] += a / 10
      children[1] += b / 10
      cpu += (a + b + short) / 10
      let nanoseconds = UInt64((cpu * 1e9).rounded())
      let before = process.change
      process.change = { sample in
        before(&sample)
        sample.cpuNanoseconds = .value(nanoseconds)
      }
      process.step()
      process.change = before
    }

    /// The list of processes as of now.
    mutating func list(mebibytes: UInt64 = 1, ended: UInt32 = 0, idle: Int32 = 0) {
      var rows: [ProcessRow] = []
      for index in 0..<3 {
        var row = ProcessRow()
        row.pid = Int32(4242 + index)
        row.parent = index == 0 ? 1 : 4242
        row.startTicks = UInt64(99 + index)
        row.name = processName(index == 0 ? "demo" : "child\(index)")
        row.state = .sleeping
        row.footprintBytes = mebibytes << 20
        row.firstFootprintBytes = row.footprintBytes
        row.footprintBytes += growth << 20
        if let listTime {
          row.intervalNanoseconds = UInt64(process.now.nanoseconds(since: listTime))
        }
        if index > 0 {
          row.cpuNanoseconds = UInt64((children[index - 1] * 1e9).rounded())
          row.cpuNanosecondsBefore = UInt64((before.children[index - 1] * 1e9).rounded())
        }
        rows.append(row)
      }
      for index in 0..<idle {
        var row = ProcessRow()
        row.pid = 5000 + index
        row.parent = 4242
        row.name = processName("idle")
        row.intervalNanoseconds = rows[0].intervalNanoseconds
        rows.append(row)
      }
      var totals = EndedProcesses()
      totals.count = ended
      before = (cpu, children)
      listTime = process.now
      process.apply(
        .processes(
          ProcessTable(
            request: ProcessTableRequest(.processes), time: process.now, rows: rows,
            ended: totals)))
    }
  }

  /// The share in a row of the screen, in percent.
  private func share(_ line: String) -> Double? {
    guard let match = line.firstMatch(of: /([0-9.]+) %/) else { return nil }
    return Double(match.1)
  }

  private func line(_ hud: HUD, _ text: String) -> String {
    hud.rows.first { $0.contains(text) } ?? ""
  }

  /// Two lists half a second apart, drawn up to 200 ms after the second one.
  private func hud(later: Int, short: Double = 0) -> HUD {
    var tree = Tree()
    for _ in 0..<7 { tree.step(0.1, 0.1) }
    tree.list()
    for step in 0..<5 { tree.step(step == 0 ? 1 : 0, step < 2 ? 0.5 : 0.1, short: short) }
    tree.list(ended: short > 0 ? 4 : 0)
    for _ in 0..<later { tree.step(1, 1) }
    return screen(80, 24, tree.process.run, keys: [.character("t")])
  }

  @Test(arguments: [0, 1, 2])
  func `the shares of the rows add up to that of the header`(later: Int) throws {
    let hud = hud(later: later)
    let rows = try ["demo", "child1", "child2"].map { name in
      try #require(share(hud.rows.last { $0.contains(name) } ?? ""), "\(hud.text)")
    }
    #expect(rows == [0, 20, 26])
    #expect(share(line(hud, "CPU  ")) == 46, "\(hud.text)")
  }

  @Test func `what is missing in the rows is in the row of those that have ended`() {
    let hud = hud(later: 1, short: 0.3)
    #expect(share(line(hud, "CPU  ")) == 76, "\(hud.text)")
    #expect(share(line(hud, "ended")) == 30, "\(hud.text)")
  }

  @Test(arguments: [(true, true), (false, false)])
  func `the edge says that each row has the shared pages, if the rows have more than the header`(
    isTree: Bool, isSaid: Bool
  ) {
    var tree = Tree(isTree: isTree)
    for _ in 0..<5 { tree.step(0.1, 0.1) }
    tree.list(mebibytes: 1)
    let few = screen(80, 24, tree.process.run, keys: [.character("t")])
    #expect(!few.text.contains("shared pages"))
    tree.list(mebibytes: 100)
    let many = screen(80, 24, tree.process.run, keys: [.character("t")])
    #expect(many.text.contains("shared pages") == isSaid, "\(many.text)")
  }

  @Test func `a child that is mostly busy is active, even if it sleeps when it is sampled`() {
    var tree = Tree()
    for _ in 0..<7 { tree.step(0.3, 0) }
    tree.list()
    for _ in 0..<5 { tree.step(0.3, 0) }
    tree.list()
    let hud = screen(80, 24, tree.process.run, keys: [.character("t")])
    #expect(hud.rows.contains { $0.contains("active") && $0.contains("child1") })
    #expect(hud.rows.contains { $0.contains("sleeping") && $0.contains("child2") })
  }

  @Test func `in a panel that has no room for all, the busiest process comes first`() {
    var tree = Tree()
    for _ in 0..<7 { tree.step(0.1, 0.3) }
    tree.list()
    for _ in 0..<5 { tree.step(0.1, 0.3) }
    tree.list()
    // Not all of 40 processes would be visible.
    var large = Tree()
    for _ in 0..<7 { large.step(0.1, 0.3) }
    large.list(idle: 37)
    for _ in 0..<5 { large.step(0.1, 0.3) }
    large.list(idle: 37)
    func names(_ columns: Int, _ rows: Int, _ tree: Tree) -> [String] {
      screen(columns, rows, tree.process.run).lines.flatMap { $0.split(separator: " ") }
        .filter { ["demo", "child1", "child2"].contains($0) }.dropFirst().map(String.init)
    }
    #expect(names(44, 15, tree) == ["child2", "child1", "demo"])
    #expect(names(120, 40, tree) == ["demo", "child2", "child1"])
    #expect(names(120, 40, large).prefix(2) == ["child2", "child1"])
    // The key for a tree goes where it has room.
    let hud = screen(120, 40, large.process.run, keys: [.character("v")])
    #expect(hud.state.view.tab == .processes && hud.state.processList.isTree)
  }

  @Test func `a process is still active two seconds after it was busy, then what it is`() {
    var tree = Tree(processes: 1)
    for _ in 0..<7 { tree.step(0.3, 0) }
    var hud = screen(80, 24, tree.process.run)
    for step in 1...30 {
      tree.step(0, 0)
      hud.invalidateAll()
      hud.draw(tree.process.run, now: tree.process.now)
      if step == 15 { #expect(hud.lines[2].contains(" 4242  active")) }
    }
    #expect(hud.lines[2].contains(" 4242  sleeping"))
  }

  @Test func `a stopped process is stopped, whatever its children do`() {
    var tree = Tree()
    tree.process.change = { $0.state = .stopped }
    for _ in 0..<7 { tree.step(0.3, 0) }
    #expect(screen(80, 24, tree.process.run).lines[2].contains(" 4242  stopped"))
  }

  @Test func `a list that is opened after the end says that the target has ended`() {
    var tree = Tree()
    tree.step(0.1, 0.1)
    tree.process.change = {
      $0.hasEnded = true
      $0.state = .dead
    }
    tree.process.step()
    let hud = screen(80, 24, tree.process.run, keys: [.character("t")])
    #expect(hud.text.contains("this process has ended"), "\(hud.text)")
    #expect(!hud.text.contains("nothing yet"))
  }

  @Test(arguments: [
    (Language.english, "largest process c␛1 4301"), (.japanese, "最大のプロセス c␛1 4301"),
  ])
  func `the mappings of a tree name the process that they are of`(
    language: Language, note: String
  ) {
    var tree = Tree()
    tree.process.change = { $0.processes = 3 }
    tree.process.pass(seconds: 5)
    var row = ProcessRow()
    row.pid = 4301
    row.name = processName("c\u{1B}1")
    var table = MappingTable()
    var group = MappingGroup()
    group.name = MappingName("[heap]")
    group.count = 1
    table.groups.append(group)
    for (rows, shown) in [([row], note), ([], Word.firstProcess.text(language).description)] {
      tree.process.apply(mappings: table, rows: rows)
      let hud = screen(
        80, 24, tree.process.run, state: HUDState(language: language), keys: [.character("M")])
      #expect(hud.lines.contains { $0.contains("PSS · \(shown) ") }, "\(hud.text)")
      let narrow = screen(
        24, 12, tree.process.run, state: HUDState(language: language), keys: [.character("M")])
      #expect(narrow.text.contains("[heap]"), "\(narrow.text)")
    }
  }

  @Test(arguments: [(true, true, "≥"), (true, false, ""), (false, true, "")])
  func `in the edge of an overlay the wait of a tree is marked if some processes lack`(
    isTree: Bool, mayMiss: Bool, mark: String
  ) {
    var tree = Tree(isTree: isTree)
    tree.process.change = { sample in
      sample.processes = isTree ? 3 : 1
      sample.cpuWaitNanoseconds = .value(UInt64(sample.sequence) * 30_000_000)
      sample.threadTime = sample.time
      sample.mayMissThreads = mayMiss
    }
    tree.process.pass(seconds: 5)
    let state = HUDState(family: .overlay)
    let text = screen(36, 9, tree.process.run, state: state).text
    #expect(text.contains("waits for CPU \(mark)30"), "\(text)")
  }

  @Test func `a wait that is felt is in the edge at once, in place of the prefix key`() {
    for (milliseconds, isShown) in [(30, true), (1, false)] as [(UInt64, Bool)] {
      var tree = Tree()
      tree.process.change = { sample in
        sample.processes = 3
        sample.cpuWaitNanoseconds = .value(UInt64(sample.sequence) * milliseconds * 1_000_000)
        sample.threadTime = sample.time
      }
      tree.process.pass(seconds: 5)
      var state = HUDState(family: .overlay)
      state.prefixKeyHint = "F12"
      let text = screen(36, 9, tree.process.run, state: state).text
      #expect(text.contains("waits for CPU 30") == isShown, "\(text)")
      #expect(text.contains("F12 ") == !isShown, "\(text)")
    }
  }

  @Test(arguments: [(120, 40), (80, 24), (160, 50)])
  func `a short list has the rows that it needs, and graphs above it`(columns: Int, rows: Int) {
    var tree = Tree()
    for _ in 0..<7 { tree.step(0.3, 0) }
    tree.list(ended: 2)
    let hud = screen(columns, rows, tree.process.run, keys: [.character("3")])
    let lines = hud.lines
    let first = lines.firstIndex { $0.contains("processes · CPU") } ?? 0
    // The root, those that have ended and two children, in a high pane with three lines each.
    let each = rows == 24 ? 1 : 3
    #expect(hud.state.view.linesOfRow == each)
    #expect(lines[first + 1 + each].contains("4242"), "\(hud.text)")
    #expect(lines[first + 1 + 2 * each].contains("─ 2 ended"), "\(hud.text)")
    #expect(lines[rows - 2].hasPrefix("╰"), "\(hud.text)")
    #expect(lines[first + 2 + 4 * each].hasPrefix("╰"), "\(hud.text)")
    #expect(lines.contains { $0.contains("MEM footprint") })
  }

  @Test func `the lines of the tree pass through rows of several lines`() throws {
    var tree = Tree()
    for _ in 0..<7 { tree.step(0.3, 0) }
    tree.list(ended: 2)
    let rows = screen(120, 40, tree.process.run, keys: [.character("3")]).rows.map(Array.init)
    let last = try #require(rows.lastIndex { $0.contains("└") })
    let column = try #require(rows[last].lastIndex(of: "└"))
    // Those that have ended and two children have three lines each, below the root.
    for row in rows[(last - 8)..<last] { #expect("│├".contains(row[column]), "\(String(row))") }
    #expect(!"│├".contains(rows[last - 9][column]))
  }

  @Test(arguments: [120, 80, 40])
  func `a child has a blank between its line and its name, the root has neither`(columns: Int) {
    var tree = Tree()
    for _ in 0..<7 { tree.step(0.3, 0) }
    tree.list()
    let lines = screen(columns, 40, tree.process.run, keys: [.character("t")]).lines
    let line = columns >= 50 ? "─" : ""
    #expect(lines.contains { $0.contains(/[0-9KMG] demo/) }, "\(lines)")
    #expect(lines.contains { $0.contains("├\(line) child") }, "\(lines)")
    #expect(lines.contains { $0.contains("└\(line) child") }, "\(lines)")
  }

  @Test func `the edge says what the list is sorted by`() {
    var tree = Tree()
    for _ in 0..<7 { tree.step(0.3, 0) }
    tree.list()
    let text = screen(120, 40, tree.process.run, keys: [.character("t")]).text
    #expect(text.contains("processes · CPU · tree"), "\(text)")
    let byMemory = screen(
      120, 40, tree.process.run, keys: [.character("t"), .character("o")]
    ).text
    #expect(byMemory.contains("processes · MEM · tree"), "\(byMemory)")
  }

  @Test func `the growth has a column once a process has grown, and keeps it`() {
    var tree = Tree()
    for _ in 0..<7 { tree.step(0.3, 0) }
    tree.list()
    var hud = screen(120, 40, tree.process.run, keys: [.character("t")])
    func redraw() -> String {
      hud.invalidateAll()
      hud.draw(tree.process.run, now: tree.process.now)
      return hud.text
    }
    #expect(!redraw().contains("GROWTH") && !redraw().contains("growth since"))
    for (growth, mebibytes) in [(5 as UInt64, "+5.00M"), (0, "")] {
      tree.growth = growth
      for _ in 0..<5 { tree.step(0.3, 0) }
      tree.list()
      let text = redraw()
      #expect(text.contains("GROWTH") && text.contains(mebibytes), "\(text)")
    }
  }
}
