import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

/// What a person sees. Look at a change of a golden file before you commit it.
@Suite struct ScreenTests {
  @Test(arguments: Language.allCases)
  func `nothing after the state moves while the process runs and sleeps by turns`(
    language: Language
  ) throws {
    var places: Set<Int> = []
    for state in [ProcessState.running, .sleeping, .stopped, .zombie] {
      var process = MadeUpProcess()
      process.change = { $0.state = state }
      process.pass(seconds: 2)
      let hud = screen(100, 30, process.run, state: HUDState(language: language))
      let title = try #require(hud.wholeLines.first { $0.contains(" 4242 ") })
      let uptime = language == .english ? "up " : "経過 "
      let before = title[..<(try #require(title.firstRange(of: uptime)).lowerBound)]
      places.insert(before.unicodeScalars.reduce(0) { $0 + CharacterWidth.of($1) })
    }
    #expect(places.count == 1, "\(places)")
  }

  @Test(arguments: [
    (200, 60), (160, 50), (120, 40), (80, 24), (44, 15), (36, 9), (24, 5), (20, 3), (20, 1),
    (100, 1),
  ])
  func `a running process`(columns: Int, rows: Int) {
    let hud = screen(columns, rows, threeMinutes.run)
    expectGolden(hud.text, file: "Golden/\(columns)x\(rows).txt")
  }

  @Test(arguments: [GraphStyle.block, .ascii])
  func `block and ASCII graphs`(style: GraphStyle) {
    let state = HUDState(graphStyle: style, isASCII: style == .ascii)
    let hud = screen(44, 15, threeMinutes.run, state: state)
    expectGolden(hud.text, file: "Golden/44x15-\(style).txt")
  }

  @Test(arguments: [(120, 40), (44, 15), (20, 3)])
  func `Japanese`(columns: Int, rows: Int) {
    let hud = screen(columns, rows, threeMinutes.run, state: HUDState(language: .japanese))
    expectGolden(hud.text, file: "Golden/\(columns)x\(rows)-ja.txt")
  }

  @Test func `each cell has the role of what it shows`() {
    let hud = screen(44, 15, threeMinutes.run)
    expectGolden(hud.roles, file: "Golden/44x15-roles.txt")
  }

  @Test(arguments: [(44, 15), (20, 1)])
  func `nothing is known before the first sample`(columns: Int, rows: Int) {
    let hud = screen(columns, rows, MadeUpProcess().run)
    expectGolden(hud.text, file: "Golden/\(columns)x\(rows)-placeholder.txt")
  }

  @Test func `where only ASCII may be drawn, nothing else is: not of a name, not of a word`() {
    let state = HUDState(language: .japanese, isASCII: true)
    var process = MadeUpProcess(command: "/opt/日本語/é")
    for key in [Key.character("x"), .character(" "), .character("?")] {
      #expect(
        screen(80, 24, process.run, state: state, keys: [key]).text.utf8.allSatisfy { $0 < 0x80 })
    }
    process.change = { sample in
      sample.name = ProcessName()
      for byte in "絵\u{1B}é\u{7}".utf8 { sample.name.append(byte) }
    }
    process.pass(seconds: 2)
    let hud = screen(80, 24, process.run, state: state)
    #expect(hud.text.utf8.allSatisfy { $0 < 0x80 })
    // The command line belongs to the program before, and is left out with its name.
    #expect(hud.lines[2] == "????? pid 4242  active    up 2h03m")
  }

  @Test func `first values are marked as such`() {
    var process = MadeUpProcess()
    process.change = { $0.isProvisional = true }
    process.pass(seconds: 0.2)
    expectGolden(screen(44, 15, process.run).text, file: "Golden/44x15-provisional.txt")
  }

  @Test(arguments: [(80, 24), (36, 9), (20, 4), (20, 3), (20, 1), (60, 1)])
  func `a process that has ended`(columns: Int, rows: Int) {
    var process = threeMinutes
    process.change = { $0.hasEnded = true }
    process.step()
    let hud = screen(columns, rows, process.run)
    expectGolden(hud.text, file: "Golden/\(columns)x\(rows)-ended.txt")
  }

  @Test(arguments: [
    (ProcessEnd.exited(3), "ENDED exit 3 "), (.signaled(11), "ENDED SIGSEGV "),
    (.exited(0), "ENDED exit 0 "), (.unknown, "ENDED "), (.none, "ENDED "),
  ])
  func `the title says how a process has ended, if that is known`(end: ProcessEnd, text: String) {
    var process = threeMinutes
    process.change = { sample in
      sample.hasEnded = true
      sample.processEnd = end
    }
    process.step()
    let title = screen(80, 24, process.run).lines.first { $0.hasPrefix("demo ") } ?? ""
    let rest = title.split(separator: text)
    #expect(rest.count == 2 && rest[1].first?.isNumber == true, "\(title)")
  }

  @Test(arguments: [(80, 24), (20, 3), (20, 1), (60, 1)])
  func `a paused picture`(columns: Int, rows: Int) {
    let hud = screen(columns, rows, threeMinutes.run, keys: [.character(" ")])
    expectGolden(hud.text, file: "Golden/\(columns)x\(rows)-paused.txt")
  }

  @Test(arguments: [(80, 24), (44, 15), (20, 3)])
  func `a kernel thread has no memory`(columns: Int, rows: Int) {
    var process = MadeUpProcess(isKernelThread: true, command: "")
    process.change = { sample in
      sample.residentBytes = .absent(.kernelThread)
      sample.anonymousBytes = .absent(.kernelThread)
      sample.swapBytes = .absent(.kernelThread)
      sample.pssBytes = .absent(.kernelThread)
      sample.readBytes = .absent(.permission)
      sample.writeBytes = .absent(.permission)
    }
    process.pass(seconds: 30)
    let hud = screen(columns, rows, process.run)
    expectGolden(hud.text, file: "Golden/\(columns)x\(rows)-kernel-thread.txt")
  }

  @Test(arguments: [Language.english, .japanese])
  func `a process of another user`(language: Language) {
    var process = MadeUpProcess(tick: false)
    process.change = { sample in
      sample.pssBytes = .absent(.permission)
      sample.readBytes = .absent(.permission)
      sample.writeBytes = .absent(.permission)
      sample.cpuWaitNanoseconds = .absent(.unsupported)
      sample.limitBytes = .absent(.unsupported)
    }
    process.pass(seconds: 30)
    let hud = screen(80, 24, process.run, state: HUDState(language: language))
    expectGolden(hud.text, file: "Golden/80x24-other-user-\(language.rawValue).txt")
  }

  @Test func `CPU of another pid namespace comes in ticks and the HUD says so`() {
    var process = MadeUpProcess()
    process.change = { $0.cpuSource = .stat }
    process.pass(seconds: 30)
    expectGolden(screen(120, 12, process.run).text, file: "Golden/120x12-stat.txt")
  }

  @Test(arguments: [MemoryMetric.rss, .pss])
  func `the value that leads is in gauge and graph, the footprint among the details`(
    memory: MemoryMetric
  ) {
    var process = MadeUpProcess(memory: memory)
    process.pass(seconds: 30)
    expectGolden(screen(80, 16, process.run).text, file: "Golden/80x16-\(memory).txt")
  }

  @Test func `a PSS that is older than the pause between two readings is dim, with its age`() throws
  {
    var process = MadeUpProcess()
    var state = HUDState()
    state.view.overview = try OverviewLayout("details, memory-graph")
    for (age, role) in [(1.0, Role.text), (6.0, .text), (9.0, .dim)] {
      process.change = { $0.pssTime = $0.time.advanced(bySeconds: -age) }
      process.pass(seconds: 1)
      let hud = screen(44, 15, process.run, state: state)
      let row = try #require(hud.lines.firstIndex { $0.hasPrefix("PSS") })
      #expect(hud.canvas.grid[row, 15].style == role.style)
    }
    process.change = { $0.pssTime = $0.time.advanced(bySeconds: -72) }
    process.pass(seconds: 1)
    #expect(screen(80, 24, process.run, state: state).text.contains("PSS 1m20s"))
    #expect(screen(120, 40, process.run).text.contains("PSS"))
  }

  @Test(arguments: [ProcessState.stopped, .traced])
  func `a process that is stopped is what the page of bottlenecks says first`(
    state: ProcessState
  ) {
    var process = MadeUpProcess()
    process.change = { $0.state = state }
    process.pass(seconds: 2)
    var hud = HUD(size: Size(rows: 24, columns: 80), state: HUDState())
    _ = hud.handle(.character("y"), run: process.run)
    hud.draw(process.run, now: process.now)
    let rows = hud.lines
    let heading = rows.firstIndex { $0.contains("\(Word.whySlow.text(.english))") }
    let word = "\(state.word.text(.english))"
    #expect(heading.map { rows[$0 + 1].contains(word) } == true, "\(rows)")
  }

  @Test(arguments: [40, 44, 48, 60])
  func `parts of memory stand apart from their values at each width`(columns: Int) {
    var process = MadeUpProcess()
    process.change = { $0.pageTableBytes = .value(688 << 10) }
    process.pass(seconds: 2)
    let text = screen(columns, 36, process.run).text
    #expect(text.contains("page tables ") && !text.contains(#/page tables[0-9]/#), "\(text)")
  }

  @Test func `a lower bound of the memory of a tree has its mark`() {
    var process = MadeUpProcess()
    process.change = { ($0.uncertainSharedBytes, $0.sharedPrivateBytes) = (20 << 20, 40 << 20) }
    process.pass(seconds: 1)
    #expect(screen(80, 24, process.run).text.contains(#/MEM +≥[0-9.]+ MiB.* peak ≥[0-9.]+ MiB/#))
    #expect(screen(80, 1, process.run).text.contains("MEM≥"))
    let plain = screen(80, 24, process.run, state: HUDState(isASCII: true))
    #expect(plain.text.contains(#/MEM +>[0-9.]+ MiB/#))
  }

  @Test func `CPU as a share of all processors`() {
    let hud = screen(100, 12, threeMinutes.run, keys: [.character("I")])
    expectGolden(hud.text, file: "Golden/100x12-share.txt")
  }

  @Test(arguments: [(120, 40), (80, 24), (30, 8), (20, 3)])
  func `help`(columns: Int, rows: Int) {
    let hud = screen(columns, rows, threeMinutes.run, keys: [.character("?")])
    expectGolden(hud.text, file: "Golden/\(columns)x\(rows)-help.txt")
  }

  @Test func `help in Japanese`() {
    let state = HUDState(language: .japanese)
    let hud = screen(80, 24, threeMinutes.run, state: state, keys: [.character("?")])
    expectGolden(hud.text, file: "Golden/80x24-help-ja.txt")
  }

  @Test func `a long and hostile name and command`() {
    var process = MadeUpProcess(command: SafeText.clean("/opt/日本語/\u{1B}[31mred " + longWord))
    process.change = { sample in
      sample.name = ProcessName()
      for byte in "絵\u{1B}[2J日本".utf8 { sample.name.append(byte) }
    }
    process.pass(seconds: 10)
    expectGolden(screen(60, 8, process.run).text, file: "Golden/60x8-name.txt")
  }
}

private let longWord = String(repeating: "long-", count: 60)
