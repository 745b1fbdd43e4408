import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

private func widgets(_ rows: Int, _ columns: Int) -> Set<WidgetID> {
  Set(Layout.place(in: Size(rows: rows, columns: columns)).map(\.id))
}

/// Whether frames lie inside, share no cell, and leave no row empty.
func areTiled(_ frames: [Rect], _ size: Size) -> Bool {
  var taken = [Bool](repeating: false, count: size.rows * size.columns)
  for frame in frames {
    guard !frame.isEmpty, frame.row >= 0, frame.column >= 0, frame.endRow <= size.rows,
      frame.endColumn <= size.columns
    else { return false }
    for row in frame.row..<frame.endRow {
      for column in frame.column..<frame.endColumn {
        if taken[row * size.columns + column] { return false }
        taken[row * size.columns + column] = true
      }
    }
  }
  return (0..<size.rows).allSatisfy { row in
    (0..<size.columns).contains { taken[row * size.columns + $0] }
  }
}

@Suite struct LayoutTests {
  @Test(arguments: [WidgetID.threads, .processes, nil], [false, true])
  func `at every size the widgets are inside, do not overlap and fill all rows`(
    panel: WidgetID?, isLong: Bool
  ) {
    var view = PaneView()
    view.panel = panel
    view.hasLongPanel = isLong
    for rows in 1...80 {
      for columns in 1...200 {
        let frames = Layout.place(in: Size(rows: rows, columns: columns), view: view).map(\.frame)
        #expect(areTiled(frames, Size(rows: rows, columns: columns)), "\(columns)x\(rows)")
      }
    }
  }

  @Test func `the graphs of CPU and memory are equally large where there are both`() throws {
    for rows in 5...80 {
      for columns in 35...220 {
        let placed = Layout.place(in: Size(rows: rows, columns: columns))
        let cpu = try #require(placed.first { $0.id == .cpuGraph }).frame
        let memory = try #require(placed.first { $0.id == .memoryGraph }).frame
        #expect((cpu.rows - memory.rows).magnitude <= 1)
        #expect((cpu.columns - memory.columns).magnitude <= 1)
      }
    }
  }

  @Test func `from 150 columns on the graphs are side by side`() throws {
    for (columns, isBeside) in [(120, false), (149, false), (150, true), (200, true)] {
      let placed = Layout.place(in: Size(rows: 50, columns: columns))
      let cpu = try #require(placed.first { $0.id == .cpuGraph }).frame
      let memory = try #require(placed.first { $0.id == .memoryGraph }).frame
      #expect((cpu.row == memory.row) == isBeside)
    }
  }

  @Test(arguments: [(80, 24), (120, 40), (200, 60), (44, 15)])
  func `the overview has graphs, parts of memory and threads at`(columns: Int, rows: Int) {
    var wanted: Set<WidgetID> = [.cpuGraph, .memoryGraph, .memoryParts, .threads]
    if columns >= 72 { wanted.insert(.bottlenecks) }
    #expect(wanted.isSubset(of: widgets(rows, columns)))
  }

  @Test func `reads and writes are below a short list of threads, if both have room`() throws {
    for (columns, rows, hasGraph) in [
      (80, 24, false), (80, 40, false), (100, 40, true), (120, 40, true), (160, 50, true),
      (200, 60, true),
    ] {
      var view = PaneView()
      view.threadRows = 5
      view.belowList = .storageGraph
      let placed = Layout.place(in: Size(rows: rows, columns: columns), view: view)
      let graph = placed.first { $0.id == .storageGraph }?.frame
      #expect((graph != nil) == hasGraph, "\(columns)x\(rows)")
      let list = try #require(placed.first { $0.id == .threads }).frame
      let memory = try #require(placed.first { $0.id == .memoryParts }).frame
      #expect(graph?.row ?? list.endRow == list.endRow)
      let facts = placed.first { $0.id == .processDetails }?.frame
      #expect((facts != nil) == (columns == 200))
      #expect(facts?.row ?? memory.endRow == memory.endRow)
      #expect((graph ?? list).endRow == (facts ?? memory).endRow)
    }
  }

  @Test func `high panels have frames or the log below the reasons`() throws {
    for (hasFrames, hasLog, below) in [
      (true, true, WidgetID.frames), (true, false, .frames), (false, true, .log),
      (false, false, nil),
    ] {
      var view = PaneView()
      view.threadRows = 3
      view.belowList = .storageGraph
      view.hasFrames = hasFrames
      view.hasLog = hasLog
      for (columns, rows, isHigh) in [
        (200, 60, true), (160, 54, true), (160, 50, false), (120, 60, false),
      ] {
        let placed = Layout.place(in: Size(rows: rows, columns: columns), view: view)
        let reasons = try #require(placed.first { $0.id == .bottlenecks }).frame
        let found = placed.first { [.frames, .log].contains($0.id) }
        #expect(found?.id == (isHigh ? below : nil), "\(columns)x\(rows)")
        guard let frame = found?.frame else { continue }
        #expect(frame.row == reasons.endRow && frame.columns == reasons.columns && frame.rows >= 5)
      }
    }
  }

  @Test func `phases are below few threads, and in place of a single one`() throws {
    for (threads, columns, rows, list, phases) in [
      (1, 80, 24, false, true), (1, 120, 40, true, true), (3, 120, 40, true, true),
      (3, 80, 24, true, true), (6, 120, 40, true, true), (8, 120, 40, true, false),
      (7, 200, 60, true, true), (1, 44, 15, false, true),
    ] {
      var view = PaneView()
      view.threadRows = threads
      view.belowList = .phases
      let placed = Layout.place(in: Size(rows: rows, columns: columns), view: view)
      #expect(placed.contains { $0.id == .threads } == list, "\(threads) \(columns)x\(rows)")
      #expect(placed.contains { $0.id == .phases } == phases, "\(threads) \(columns)x\(rows)")
      for part in placed where part.id == .phases && list {
        #expect(part.hasFrame == (rows >= 40))
      }
    }
  }

  @Test(arguments: [WidgetID.phases, .storageGraph, .log])
  func `below few processes are phases, reads and writes, or the log`(below: WidgetID) throws {
    for (processes, columns, rows, hasBelow) in [
      (5, 120, 40, true), (9, 120, 40, false), (5, 80, 24, false), (11, 200, 60, true),
      (17, 200, 60, false), (40, 200, 60, false),
    ] {
      var view = PaneView()
      view.panel = .processes
      view.processRows = processes
      view.belowList = below
      view.hasLog = false
      let placed = Layout.place(in: Size(rows: rows, columns: columns), view: view)
      let part = placed.first { $0.id == below }
      #expect((part != nil) == hasBelow, "\(processes) \(columns)x\(rows)")
      guard let part else { continue }
      let list = try #require(placed.first { $0.id == .processes }).frame
      // The frame, the headings and all processes.
      #expect(list.rows == 3 + processes)
      #expect(part.frame.row == list.endRow && part.frame.columns == list.columns)
    }
  }

  @Test func `a tree has facts in high panels, also without log and frames`() {
    var view = PaneView()
    view.panel = .processes
    view.processRows = 3
    (view.hasFrames, view.hasLog) = (false, false)
    let placed = Layout.place(in: Size(rows: 60, columns: 200), view: view)
    #expect(placed.contains { $0.id == .processDetails })
  }

  @Test func `the log is below few phases`() throws {
    for (columns, rows, phases, hasLog) in [
      (120, 40, 2, true), (120, 40, 9, false), (80, 24, 2, true), (80, 24, 6, false),
      (44, 15, 2, false), (200, 60, 4, true), (200, 60, 18, false),
    ] {
      var view = PaneView()
      view.threadRows = 1
      view.belowList = .phases
      view.hasPhases = true
      view.phaseRows = phases
      // They have the room below the reasons.
      view.hasFrames = true
      let placed = Layout.place(in: Size(rows: rows, columns: columns), view: view)
      let log = placed.first { $0.id == .log }
      #expect((log != nil) == hasLog, "\(columns)x\(rows), \(phases) phases")
      let list = try #require(placed.first { $0.id == .phases })
      #expect(log?.frame.row ?? list.frame.endRow == list.frame.endRow)
      #expect(log?.hasFrame == (log == nil ? nil : rows > 24))
      view.hasLog = false
      let without = Layout.place(in: Size(rows: rows, columns: columns), view: view)
      #expect(!without.contains { $0.id == .log })
    }
  }

  @Test func `a single thread leaves a low panel to memory and to what holds the program back`() {
    var view = PaneView()
    view.threadRows = 1
    let placed = Layout.place(in: Size(rows: 24, columns: 80), view: view)
    #expect(!placed.contains { $0.id == .threads })
    let widths = placed.filter { $0.id == .memoryParts || $0.id == .bottlenecks }.map(
      \.frame.columns)
    #expect(widths == [39, 39])
  }

  @Test func `CPU and memory are there at every size, each widget once`() {
    for rows in 1...80 {
      for columns in 1...200 {
        let placed = Layout.place(in: Size(rows: rows, columns: columns)).map(\.id)
        let hasGauges = placed.contains(.cpu) && placed.contains(.memory)
        #expect(hasGauges != placed.contains(.line), "\(columns)x\(rows)")
        #expect(Set(placed).count == placed.count)
      }
    }
  }

  @Test func `a widget that a small screen has is there on every larger one`() {
    for columns in 1...200 {
      for rows in 2...79 {
        #expect(widgets(rows, columns).isSubset(of: widgets(rows + 1, columns)))
      }
    }
    for rows in 1...80 {
      for columns in 1...199 {
        #expect(widgets(rows, columns).isSubset(of: widgets(rows, columns + 1)))
      }
    }
  }

  @Test func `as rows shrink the panels go first and FPS last`() {
    let order: [WidgetID] = [.threads, .footer, .cpuGraph, .memoryGraph, .title, .fps]
    let least = order.map { id in (2...80).first { widgets($0, 80).contains(id) } ?? 0 }
    #expect(least == least.sorted(by: >))
    #expect(least.allSatisfy { $0 > 0 })
  }

  @Test func `a screen without cells has no widgets`() {
    for (rows, columns) in [(0, 0), (0, 80), (24, 0), (-1, 5)] {
      #expect(widgets(rows, columns).isEmpty)
    }
  }

  @Test func `each widget has its record at its number`() {
    #expect(Widget.all.map(\.id) == WidgetID.allCases)
  }
}

@Suite struct EverySizeTests {
  /// Runs and views of all the states that a screen can be in.
  private static let states: [(Run, HUDState, [Key])] = {
    var ended = threeMinutes
    ended.change = { $0.hasEnded = true }
    ended.step()
    var absent = MadeUpProcess(tick: false, isKernelThread: true)
    absent.change = { sample in
      sample.cpuSource = .stat
      sample.cpuNanoseconds = .absent(.permission)
      sample.residentBytes = .absent(.kernelThread)
      sample.anonymousBytes = .absent(.permission)
      sample.limitBytes = .absent(.unsupported)
      sample.usableProcessors = .absent(.unsupported)
      sample.pssBytes = .absent(.tooCostly)
    }
    absent.pass(seconds: 1)
    var huge = MadeUpProcess(command: "")
    huge.change = { sample in
      sample.cpuNanoseconds = .value(UInt64(sample.sequence) * 99_999_000_000)
      sample.anonymousBytes = .value(.max)
      sample.residentBytes = .value(.max)
      sample.limitBytes = .value(1)
      sample.usableProcessors = .value(0)
      sample.threads = .value(.max)
      sample.ageNanoseconds = .max
      sample.pid = .max
    }
    huge.pass(seconds: 3)
    let japanese = HUDState(language: .japanese)
    return [
      (MadeUpProcess().run, HUDState(), []),
      (threeMinutes.run, HUDState(), []),
      (threeMinutes.run, HUDState(graphStyle: .block), [.character("I")]),
      (threeMinutes.run, HUDState(isASCII: true), [.character(" ")]),
      (threeMinutes.run, japanese, [.character("?")]),
      (threeMinutes.run, HUDState(), [.character("?")]),
      (ended.run, japanese, []),
      (absent.run, HUDState(), []),
      (absent.run, japanese, [.character("I")]),
      (huge.run, HUDState(), []),
      (huge.run, HUDState(), [.character("I")]),
    ]
  }()

  @Test func `drawing stops at nothing and leaves no half of a wide character`() {
    var random = SeededRandom(seed: 11)
    for _ in 0..<700 {
      let columns = Int.random(in: 0...60, using: &random)
      let rows = Int.random(in: 0...30, using: &random)
      let (run, state, keys) = EverySizeTests.states[
        Int.random(in: 0..<EverySizeTests.states.count, using: &random)]
      let grid = screen(columns, rows, run, state: state, keys: keys).canvas.grid
      var isWhole = true
      for row in 0..<grid.size.rows {
        for column in 0..<grid.size.columns {
          let isWide = grid[row, column].width == 2
          let next = column + 1 < columns && grid[row, column + 1].isContinuation
          isWhole = isWhole && isWide == next && !grid[row, column].isClear
        }
      }
      #expect(isWhole, "\(columns)x\(rows)")
    }
  }

  @Test func `no value of a gauge is ever cut from its unit`() {
    // A literal is parsed wherever it is, each time.
    let number = /[0-9]+\.[0-9]+/
    let whole = /[0-9]+\.[0-9]+( (%|MiB|GiB|ms)|s\))/
    for columns in 1...60 {
      for rows in [1, 2, 3, 4, 6] {
        for line in screen(columns, rows, threeMinutes.run).lines
        where line.utf8.contains(UInt8(ascii: ".")) {
          let values = line.matches(of: number).count
          #expect(values == line.matches(of: whole).count, "\(columns)x\(rows): \(line)")
        }
      }
    }
  }

  @Test func `five columns show CPU and memory, fewer what fits`() {
    func lines(_ columns: Int, _ rows: Int) -> [String] {
      screen(columns, rows, threeMinutes.run).lines
    }
    #expect(lines(6, 3).prefix(2) == ["   89%", "161MiB"])
    #expect(lines(5, 3).prefix(2) == ["  89%", " 161M"])
    #expect(lines(4, 2) == [" 89%", "161M"])
    #expect(lines(3, 2) == ["89%", "  …"])
    #expect(lines(9, 1) == [" 89% 161M"])
    #expect(lines(8, 1) == ["89% 161M"])
    #expect(lines(5, 1) == ["89%"])
  }

  @Test func `a screen of 17 columns or more shows CPU and memory with their values`() {
    for columns in 17...120 {
      for rows in 1...12 {
        let text = screen(columns, rows, threeMinutes.run).text
        #expect(text.contains(/89(%|.2 %)/) && text.contains(/161(M|.0 MiB)/), "\(columns)x\(rows)")
        #expect(rows > 1 || (text.contains("CPU") && text.contains("MEM")))
      }
    }
  }

  @Test(arguments: Language.allCases)
  func `each detail is whole between its neighbors at every width`(language: Language) throws {
    var process = MadeUpProcess()
    process.change = { sample in
      let seconds = sample.statTime.seconds(since: MadeUpProcess.start)
      sample.swapBytes = .value(1_073_000_000)
      sample.readBytes = .value(UInt64(seconds * 1.05e9))
      sample.writeBytes = .value(UInt64(seconds * 1.08e12))
      sample.minorFaults = .value(UInt64(seconds * 99_000))
      sample.majorFaults = .value(UInt64(seconds * 123_456))
      sample.cpuWaitNanoseconds = .value(UInt64(seconds * 1e9))
      sample.threads = .value(31_234)
    }
    process.pass(seconds: 3)
    let values: [(Word, String)] = [
      (.rss, "141.3 MiB"), (.threads, "31234"), (.pss, "129.3 MiB"), (.wait, "100.0 %"),
      (.swap, " 1023 MiB"), (.faults, "99000"), (.majorFaults, " 123k"),
      (.reads, " 1001 MiB/s"), (.writes, "1006 GiB/s"),
    ]
    var state = HUDState(language: language)
    state.view.overview = try OverviewLayout("details, memory-graph")
    for columns in 21...220 {
      var hud = HUD(size: Size(rows: 50, columns: columns), state: state)
      hud.draw(process.run, now: process.now)
      let text = hud.lines.joined(separator: "  ")
      for (label, number) in values {
        let parts = text.split(separator: "\(label.text(language)) ", maxSplits: 40)
        #expect(
          parts.dropFirst().contains { $0.drop { $0 == " " }.hasPrefix(number.drop { $0 == " " }) },
          "\(label) at \(columns)")
      }
    }
  }
}
