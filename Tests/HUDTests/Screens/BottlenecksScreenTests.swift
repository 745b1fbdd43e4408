import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

/// What is shown of limits, of what holds a program back, and of targets that are followed.
@Suite struct BottlenecksScreenTests {
  /// A program that waits for cores, is throttled and short of memory; its machine has no PSI of I/O.
  private static let held: Run = {
    var process = MadeUpProcess()
    process.change = { sample in
      let second = sample.statTime.nanoseconds(since: MadeUpProcess.start) / 1_000_000
      let time = UInt64(max(0, second))
      sample.cpuWaitNanoseconds = .value(time * 183_000)
      sample.throttledNanoseconds = .value(time * 42_000)
      sample.voluntarySwitches = .value(time / 5)
      sample.involuntarySwitches = .value(time / 50)
      sample.pressure.cpuSome = .value(time * 312)
      sample.pressure.cpuFull = .value(0)
      sample.pressure.memorySome = .value(time * 21)
      sample.pressure.memoryFull = .value(time * 9)
      sample.pressure.ioSome = .absent(.unsupported)
      sample.pressure.ioFull = .absent(.unsupported)
      sample.pressure.isOfCgroup = true
      sample.majorFaults = .value(0)
    }
    process.pass(seconds: 20)
    return process.run
  }()

  /// One that computes and nothing else.
  private static let busy: Run = {
    var process = MadeUpProcess()
    process.change = { sample in
      let elapsed = sample.time.nanoseconds(since: MadeUpProcess.start)
      sample.cpuNanoseconds = .value(UInt64(elapsed))
      sample.cpuWaitNanoseconds = .value(0)
      sample.throttledNanoseconds = .absent(.unsupported)
      sample.voluntarySwitches = .absent(.permission)
      sample.involuntarySwitches = .value(0)
      sample.pressure.cpuSome = .value(0)
      sample.pressure.cpuFull = .value(0)
      sample.pressure.memorySome = .value(0)
      sample.pressure.memoryFull = .value(0)
      sample.pressure.ioSome = .value(0)
      sample.pressure.ioFull = .value(0)
    }
    process.pass(seconds: 20)
    return process.run
  }()

  @Test(arguments: Language.allCases, [(100, 40), (44, 30)])
  func `why it is slow`(language: Language, size: (columns: Int, rows: Int)) {
    let text = [
      ("held back", BottlenecksScreenTests.held), ("own work", BottlenecksScreenTests.busy),
    ].map {
      name, run in
      let hud = screen(
        size.columns, size.rows, run, state: HUDState(language: language), keys: [.character("y")])
      return "\(name)\n\(hud.text)\n"
    }.joined()
    expectGolden(text, file: "Golden/Slow/\(size.columns)x\(size.rows)-\(language.rawValue).txt")
  }

  /// Four processes on a machine whose cores are all busy.
  private static let build: Run = {
    var process = MadeUpProcess()
    process.change = { sample in
      let elapsed = sample.time.nanoseconds(since: MadeUpProcess.start)
      sample.processes = 4
      sample.cpuNanoseconds = .value(UInt64(elapsed) * 6 / 10)
      sample.cpuWaitNanoseconds = .value(UInt64(elapsed) / 1000)
      // Some have ended.
      sample.mayMissThreads = true
      sample.involuntarySwitches = .value(0)
      sample.throttledNanoseconds = .value(0)
      sample.pressure.cpuSome = .value(UInt64(elapsed) / 1000 * 96 / 100)
    }
    process.pass(seconds: 20)
    return process.run
  }()

  @Test func `the wait of processes some of which have ended is a lower bound`() {
    for columns in [80, 120] {
      let lines = screen(columns, 40, BottlenecksScreenTests.build).lines
      #expect(lines.contains { $0.contains(/cpu wait +≥0\.1 +%/) }, "\(columns)")
      #expect(!lines.contains { $0.contains(/cpu wait +–/) })
    }
    let wide = screen(120, 40, BottlenecksScreenTests.build, keys: [.character("y")]).text
    #expect(wide.contains(/cpu wait +≥0\.1 +%/))
  }

  @Test func `a wait above 100 % says how many tasks wait at a time`() {
    var process = MadeUpProcess()
    process.change = { sample in
      let elapsed = sample.time.nanoseconds(since: MadeUpProcess.start)
      sample.processes = 4
      sample.cpuWaitNanoseconds = .value(UInt64(max(0, elapsed)) * 13 / 10)
    }
    process.pass(seconds: 20)
    let text = screen(120, 40, process.run, keys: [.character("y")]).text
    #expect(text.contains(/cpu wait .*waits for a free core, 1\.3 tasks on average/), "\(text)")
    let held = screen(120, 40, BottlenecksScreenTests.held, keys: [.character("y")]).text
    #expect(!held.contains("on average"))
  }

  @Test func `the first line is a verdict, and a row below it has its value`() throws {
    for (run, words, value) in [
      (BottlenecksScreenTests.held, "waits for a free core", ""),
      (BottlenecksScreenTests.busy, "busy with its own work", ": CPU 100.0 %"),
      (BottlenecksScreenTests.build, "the machine is busy", ""),
      (threeMinutes.run, "little holds it back", ""),
    ] {
      for columns in [100, 44, 26] {
        let lines = screen(columns, 24, run, keys: [.character("y")]).rows
        let heading = try #require(lines.firstIndex { $0.contains("─ why slow ") })
        let room = lines[heading].hasPrefix("╭") ? columns - 2 : columns
        let isWhole = 1 + words.count + value.count <= room
        #expect(lines[heading + 1] == " " + words + (isWhole ? value : ""), "\(columns)")
      }
    }
  }

  @Test func `what costs most has a visible row in little room, too`() {
    var pages = 0
    for rows in 10...40 {
      let text = screen(80, rows, BottlenecksScreenTests.short, keys: [.character("y")]).text
      guard text.contains("─ why slow") else { continue }
      #expect(text.contains(/io pressure +40\.0 %/), "\(text)")
      #expect(!text.contains("tasks wait for storage: 40.0 %"), "\(text)")
      pages += 1
    }
    #expect(pages > 20)
  }

  /// A program that waits for storage.
  private static let short: Run = {
    var process = MadeUpProcess()
    process.change = { sample in
      let elapsed = sample.time.nanoseconds(since: MadeUpProcess.start)
      sample.cpuWaitNanoseconds = .value(0)
      sample.pressure.ioSome = .value(UInt64(elapsed) / 1000 * 40 / 100)
      sample.pressure.isOfCgroup = true
    }
    process.pass(seconds: 20)
    return process.run
  }()

  @Test func `numbers end in one column, and all units begin in another`() {
    for columns in [28, 60, 100] {
      let lines = screen(columns, 40, BottlenecksScreenTests.held, keys: [.character("y")]).lines
      let page = lines.drop { !$0.contains("─ why slow") }.dropFirst(2).dropLast()
      let ends = page.compactMap { line in
        line.firstMatch(of: #/[0-9KMG] ?(%|/s)/#).map {
          line[..<$0.range.lowerBound].unicodeScalars.count
        }
      }
      #expect(ends.count >= 6 && Set(ends).count == 1, "\(columns): \(lines)")
    }
  }

  @Test func `what is 0 is only a name, in as few rows as the names need`() {
    let lines = screen(100, 40, BottlenecksScreenTests.busy, keys: [.character("y")]).rows
    #expect(
      lines.contains {
        $0 == " none: cpu wait, machine mem pressure, machine io pressure, machine cpu pressure,"
          + " major faults,"
      }, "\(lines)")
    #expect(lines.contains("       preempted"), "\(lines)")
    let narrow = screen(44, 40, BottlenecksScreenTests.busy, keys: [.character("y")]).rows
    #expect(narrow.contains(" none: cpu wait, machine mem pressure,"), "\(narrow)")
    let held = screen(100, 40, BottlenecksScreenTests.held, keys: [.character("y")]).rows
    #expect(held.contains { $0.contains(/^ throttled +4\.2 % .* stopped by its CPU quota/) })
    #expect(held.contains { $0.contains(/^ mem pressure +2\.1 % .*, all of them 0\.9 %/) })
  }

  @Test func `a wait under a quota is called one of the quota`() {
    var process = MadeUpProcess()
    process.change = { sample in
      let elapsed = sample.statTime.nanoseconds(since: MadeUpProcess.start)
      sample.cpuWaitNanoseconds = .value(UInt64(max(0, elapsed)) * 9 / 10)
      sample.throttledNanoseconds = .value(UInt64(max(0, elapsed)) * 8 / 10)
    }
    process.pass(seconds: 20)
    let text = screen(100, 40, process.run, keys: [.character("y")]).text
    #expect(text.contains("its CPU quota is part of it"))
    #expect(!text.contains("waits for a free core"))
  }

  @Test func `a reason keeps its row for a minute, with what it was in each second`() throws {
    // It waits for a core for ten seconds, and later is preempted.
    var process = MadeUpProcess()
    process.change = { sample in
      let elapsed = sample.statTime.nanoseconds(since: MadeUpProcess.start)
      sample.cpuWaitNanoseconds = .value(UInt64(max(0, min(elapsed, 10_000_000_000))) / 2)
      let late = elapsed > 40_000_000_000 ? UInt64(elapsed - 40_000_000_000) : 0
      sample.involuntarySwitches = .value(late / 5_000_000)
      sample.voluntarySwitches = .value(0)
    }
    var hud = HUD(size: Size(rows: 40, columns: 100), state: HUDState(language: .english))
    _ = hud.handle(Key(.character("y")), run: process.run)
    func rows(at second: Double) -> [String] {
      process.pass(seconds: 0.5)
      while process.seconds < second {
        hud.draw(process.run, now: process.run.latest?.time ?? MadeUpProcess.start)
        process.pass(seconds: 0.5)
      }
      hud.invalidateAll()
      hud.draw(process.run, now: process.run.latest?.time ?? MadeUpProcess.start)
      return hud.rows
    }
    #expect(rows(at: 8).contains { $0.contains(/^ cpu wait +50(\.\d)? % +·+▇{7}/) })
    let at30 = rows(at: 30)
    #expect(at30.contains { $0.contains(#/^ cpu wait +0 % /#) }, "\(at30)")
    #expect(at30.contains { $0.hasPrefix(" none: throttled, ") || $0.contains("preempted") })
    let at60 = rows(at: 60)
    let wait = try #require(at60.firstIndex { $0.contains(#/^ cpu wait +0 % /#) })
    let preempted = try #require(
      at60.firstIndex { $0.contains(/^ preempted +200 \/s +[▁▂▃▄▅▆▇]{7}/) }, "\(at60)")
    #expect(wait < preempted)
    // A minute after its end the wait is a name among others.
    let at80 = rows(at: 80)
    #expect(at80.contains { $0.hasPrefix(" none: cpu wait, ") }, "\(at80)")
    #expect(at80.contains { $0.contains(/^ preempted +200 \/s/) })
  }

  @Test func `in little room pressure on the machine has its whole name`() {
    let run = OverviewScreenTests.withThreads { sample in
      sample.pressure.memorySome = .value(UInt64(sample.sequence) * 2000)
    }.run
    let lines = screen(80, 24, run).lines
    #expect(lines.contains { $0.contains("machine mem pressure") }, "\(lines)")
  }

  @Test func `switches that are not those of the children say so, and the wait does not`() {
    let lines = screen(100, 40, BottlenecksScreenTests.build, keys: [.character("y")]).rows
    #expect(lines.contains { $0.hasSuffix("(without its children)") })
    #expect(!lines.contains { $0.hasPrefix(" cpu wait") && $0.contains("without") })
    let alone = screen(100, 40, BottlenecksScreenTests.held, keys: [.character("y")]).text
    #expect(!alone.contains("without its children"))
  }

  @Test(arguments: [
    (100, " machine cpu pressure "), (44, " machine cpu pressure "),
    (26, " machine cpu pressure "), (18, " machine cpu… "),
  ])
  func `pressure on the machine is called so, its name cut in a narrow list`(
    columns: Int, name: String
  ) {
    let lines = screen(columns, 40, BottlenecksScreenTests.build, keys: [.character("y")]).rows
    #expect(lines.contains { $0.hasPrefix(name) && $0.contains(#/ 96(\.0)? %/#) })
    // A target with a cgroup of its own has its own pressure.
    let own = screen(columns, 40, BottlenecksScreenTests.held, keys: [.character("y")]).text
    #expect(!own.contains("machine"))
  }

  @Test func `a program that waits for a core says what other processes use`() throws {
    var process = MadeUpProcess()
    process.change = { sample in
      let time = sample.statTime.nanoseconds(since: MadeUpProcess.start) / 1_000_000
      sample.cpuWaitNanoseconds = .value(UInt64(max(0, time)) * 183_000)
    }
    func verdict(_ columns: Int) -> String? {
      screen(columns, 24, process.run, keys: [.character("y")]).rows.first {
        $0.contains("waits for a free core")
      }
    }
    process.pass(seconds: 3)
    #expect(verdict(80) == " waits for a free core")
    for second in 1...3 {
      process.pass(seconds: 1)
      var load = MachineLoad()
      load.busyNanoseconds = .value(UInt64(second) * 2_500_000_000)
      process.apply(.machine(load, process.now))
    }
    let share = try #require(process.run.othersCPUPercent)
    #expect(share > 100 && share < 250)
    let line = try #require(verdict(80))
    #expect(line.hasPrefix(" waits for a free core, other processes use "), "\(line)")
    // Where that does not fit it is left out whole.
    #expect(verdict(36) == " waits for a free core")
  }

  @Test func `the verdict calls pressure on the machine so`() {
    var process = MadeUpProcess()
    process.change = { sample in
      let elapsed = sample.time.nanoseconds(since: MadeUpProcess.start)
      sample.cpuWaitNanoseconds = .value(0)
      sample.pressure.memorySome = .value(UInt64(elapsed) / 1000 * 30 / 100)
    }
    process.pass(seconds: 20)
    #expect(screen(80, 24, process.run).lines.contains { $0.contains("the machine is busy") })
  }

  /// Memory that climbs to a share of the limit.
  private func climbing(to share: Double) -> Run {
    var process = MadeUpProcess()
    let limit = 1024.0 * 1_048_576
    process.change = { sample in
      let second = Double(sample.time.nanoseconds(since: MadeUpProcess.start)) * 1e-9
      sample.anonymousBytes = .value(UInt64(limit * share * min(1, second / 30)))
      sample.pageTableBytes = .value(0)
      (sample.limitBytes, sample.limitSource) = (.value(UInt64(limit)), .cgroupMax)
      sample.limitUsedBytes = .value(UInt64(limit * share * min(1, second / 30)))
    }
    process.pass(seconds: 40)
    return process.run
  }

  @Test(arguments: Language.allCases)
  func `the limit is a line on the graph once it is near`(
    language: Language
  ) {
    let text = [0.3, 0.7, 0.95].map { share in
      let hud = screen(80, 24, climbing(to: share), state: HUDState(language: language))
      return "\(share)\n\(hud.text)\n"
    }.joined()
    expectGolden(text, file: "Golden/Slow/limit-\(language.rawValue).txt")
    #expect(!screen(80, 24, climbing(to: 0.3)).text.contains("┄"))
    #expect(screen(80, 24, climbing(to: 0.7)).text.contains("memory.max"))
  }

  @Test func `the line of the limit in ASCII`() {
    let hud = screen(80, 24, climbing(to: 0.7), state: HUDState(isASCII: true))
    #expect(hud.text.utf8.allSatisfy { $0 < 0x80 })
    #expect(hud.lines.contains { $0.contains(" memory.max ---") })
  }

  /// A program that is waited for, runs, ends, and is started again.
  private func followed() -> MadeUpProcess {
    var process = MadeUpProcess(follows: "demo")
    process.pass(seconds: 20)
    process.change = { $0.hasEnded = true }
    process.step()
    return process
  }

  @Test(arguments: Language.allCases)
  func `a program that is followed by its name`(language: Language) {
    let state = HUDState(language: language)
    var text = "waiting\n\(screen(80, 12, MadeUpProcess(follows: "demo").run, state: state).text)\n"
    var process = followed()
    text += "ended\n\(screen(80, 12, process.run, state: state).text)\n"
    process.skip(seconds: 10)
    process.apply(
      .target(
        TargetChange(name: processName("demo"), pid: 4300, isMark: true, isRestart: true),
        process.now))
    process.change = { sample in
      (sample.pid, sample.startTicks) = (4300, 5000)
    }
    process.pass(seconds: 10)
    text += "restarted\n\(screen(80, 24, process.run, state: state).text)\n"
    text += "log\n\(screen(80, 24, process.run, state: state, keys: [.character("l")]).text)\n"
    expectGolden(text, file: "Golden/Slow/followed-\(language.rawValue).txt")
  }

  @Test(arguments: Language.allCases)
  func `a cgroup has its path and its processes in the title`(language: Language) {
    var process = MadeUpProcess(cgroup: "/system.slice/web.service")
    process.change = { sample in
      (sample.pid, sample.processes) = (0, 7)
      sample.name = processName("web.service")
      sample.state = .unknown
    }
    process.pass(seconds: 10)
    let hud = screen(80, 12, process.run, state: HUDState(language: language))
    expectGolden(hud.text, file: "Golden/Slow/cgroup-\(language.rawValue).txt")
  }
}
