import CMallocCount
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal
import Testing

@testable import HUD

/// When the picture changes, and what of it.
@Suite struct PictureTests {
  @Test func `a paused picture stays while the run goes on, and catches up after`() {
    var watcher = Watcher()
    watcher.show(.character(" "))
    // The note of what the key has done goes after two seconds.
    for _ in 0..<25 { watcher.step() }
    watcher.hud.draw(watcher.process.run, now: watcher.process.now)
    let paused = watcher.hud.text
    for _ in 0..<50 { watcher.step() }
    #expect(watcher.hud.deadline(now: watcher.process.now) == nil)
    watcher.hud.invalidateAll()
    watcher.hud.draw(watcher.process.run, now: watcher.process.now)
    #expect(watcher.hud.text == paused)
    watcher.show(.character(" "))
    // The axis of the graph keeps what it was as long as it fits; all above it is as drawn afresh.
    let fresh = screen(80, 24, watcher.process.run)
    #expect(watcher.hud.lines[2..<7] == fresh.lines[2..<7])
    #expect(watcher.hud.lines[0] == fresh.lines[0])
    #expect(watcher.hud.lines[1] != fresh.lines[1], "on the line below the tabs is the note")
    #expect(watcher.hud.text != paused)
  }

  @Test func `nothing is due while nothing has changed`() {
    var watcher = Watcher()
    let now = watcher.process.now
    #expect(watcher.hud.deadline(now: now) == nil)
    #expect(!watcher.hud.needsDraw(now: now))
    func later(_ milliseconds: Int64) -> Instant {
      now.advanced(byNanoseconds: milliseconds * 1_000_000)
    }
    watcher.hud.invalidate()
    #expect(watcher.hud.deadline(now: now) == later(130))
    #expect(!watcher.hud.needsDraw(now: later(129)))
    #expect(watcher.hud.needsDraw(now: later(130)))
    #expect(watcher.hud.deadline(now: later(700)) == later(700))
    var overlay = Watcher(state: HUDState(family: .overlay))
    overlay.hud.invalidate()
    #expect(overlay.hud.deadline(now: now) == later(300), "a second sample wakes it before")
    var slow = Watcher(state: HUDState(interval: 1_000_000_000, family: .overlay))
    slow.hud.invalidate()
    #expect(slow.hud.deadline(now: now) == later(130), "no sample comes before")
    watcher.hud.invalidateForEvents()
    #expect(watcher.hud.deadline(now: now) == later(90))
    #expect(!watcher.hud.needsDraw(now: later(89)))
    #expect(watcher.hud.needsDraw(now: later(90)))
  }

  @Test func `the first picture is due at once`() {
    let hud = HUD(size: Size(rows: 5, columns: 20), state: HUDState())
    #expect(hud.needsDraw(now: MadeUpProcess.start))
  }

  @Test func `values change twice a second, the graph with every second sample`() {
    var watcher = Watcher()
    var values: [Substring] = []
    var pictures: [String] = []
    watcher.process.change = { sample in
      sample.cpuNanoseconds = .value(UInt64(sample.sequence * sample.sequence) * 100_000)
      sample.anonymousBytes = .value(UInt64(100 + 40 * (sample.sequence % 2)) << 20)
    }
    var drawn = 0
    for _ in 0..<20 {
      let isDrawn = watcher.step()
      if isDrawn { drawn += 1 }
      if values.last != watcher.cpu { values.append(watcher.cpu) }
      if isDrawn { pictures.append(watcher.hud.text) }
    }
    #expect((4...5).contains(values.count))
    #expect(drawn == 10 && Set(pictures).count == 10, "\(drawn) \(Set(pictures).count)")
  }

  @Test func `the first picture of each second of the target's age shows that second`() {
    var watcher = Watcher(state: HUDState(family: .overlay))
    var before = -1.0
    for picture in 0..<40 {
      // Three samples a picture: two pictures do not make up half a second.
      for _ in 0..<3 { watcher.process.step() }
      watcher.hud.invalidateAll()
      watcher.hud.draw(watcher.process.run, now: watcher.process.now)
      let second = watcher.process.run.latest.map { $0.ageSeconds.rounded(.down) } ?? 0
      let shown = watcher.hud.state.values.row.map { $0.ageSeconds.rounded(.down) } ?? 0
      if picture > 0, second != before { #expect(shown == second) }
      before = second
    }
  }

  @Test func `a resize draws everything at the new size`() {
    var watcher = Watcher()
    watcher.hud.resize(to: Size(rows: 9, columns: 36))
    #expect(watcher.hud.deadline(now: watcher.process.now) != nil)
    watcher.hud.draw(watcher.process.run, now: watcher.process.now)
    #expect(watcher.hud.text == screen(36, 9, watcher.process.run).text)
  }

  @Test(arguments: [(80, 24), (120, 40), (24, 5)])
  func `drawing what a sample changes is drawing the graphs whole`(columns: Int, rows: Int) {
    var watcher = Watcher(columns, rows)
    for number in 0..<400 {
      if number % 37 == 0 { watcher.process.apply(.mark(watcher.process.now)) }
      guard watcher.step() else { continue }
      var whole = watcher.hud
      whole.invalidateAll()
      whole.draw(watcher.process.run, now: watcher.process.now)
      // The headings have values, which change only twice a second.
      for placed in watcher.hud.layout where [.memoryGraph, .cpuGraph].contains(placed.id) {
        for row in placed.frame.row + 1..<placed.frame.endRow {
          #expect(watcher.hud.lines[row] == whole.lines[row], "sample \(number), row \(row)")
        }
      }
    }
  }

  @Test func `marks are where they were set and leave with their time`() {
    var watcher = Watcher()
    #expect(!watcher.hud.text.contains("▼"))
    watcher.process.apply(.mark(watcher.process.now))
    for _ in 0..<30 { watcher.step() }
    #expect(watcher.hud.text.contains("▼"))
    for _ in 0..<900 { watcher.step() }
    #expect(!watcher.hud.text.contains("▼"))
  }

  @Test func `lost readings are named`() {
    var watcher = Watcher()
    #expect(!watcher.hud.text.contains("missed"))
    watcher.process.change = { $0.missed = 7 }
    for _ in 0..<6 { watcher.step() }
    #expect(watcher.hud.text.contains("missed samples     7"))
  }

  @Test(
    .enabled(if: perfhud_malloc_is_counted() != 0),
    arguments: [
      (HUDFamily.pane, 80, 24), (.pane, 120, 40), (.pane, 36, 9), (.pane, 20, 1), (.overlay, 38, 5),
      (.overlay, 36, 9), (.overlay, 24, 5), (.overlay, 48, 1), (.overlay, 20, 1),
      (.overlay, 72, 20),
    ])
  func `200 pictures of a growing run allocate nothing`(
    family: HUDFamily, columns: Int, rows: Int
  ) {
    // Without optimisation the loops over the widgets allocate their iterators; a text or an array made
    // for each row would be more than that.
    #if DEBUG
      let allowed: UInt64 = family == .pane ? 30 : 22
    #else
      let allowed: UInt64 = 0
    #endif
    var watcher = Watcher(columns, rows, state: HUDState(family: family))
    var count: UInt64 = 0
    for number in 0..<300 {
      watcher.process.step()
      watcher.hud.invalidate()
      let before = perfhud_malloc_count()
      watcher.hud.draw(watcher.process.run, now: watcher.process.now)
      // The first pictures make the tables of the Swift runtime.
      if number >= 100 { count += perfhud_malloc_count() - before }
    }
    #expect(count <= 200 * allowed)
    #expect(watcher.hud.text.contains { $0.isNumber })
  }

  @Test(
    .enabled(if: perfhud_malloc_is_counted() != 0),
    arguments: [
      (HUDFamily.pane, 200, 60), (.pane, 160, 50), (.pane, 80, 24), (.pane, 44, 15),
      (.overlay, 36, 9),
      (.overlay, 72, 20), (.overlay, 48, 1),
    ])
  func `200 redraws of a HUD to which nothing happens allocate nothing`(
    family: HUDFamily, columns: Int, rows: Int
  ) {
    // The iterators of loops, as above.
    #if DEBUG
      let allowed: UInt64 = 70
    #else
      let allowed: UInt64 = 0
    #endif
    let run = threeMinutes.run
    var hud = HUD(size: Size(rows: rows, columns: columns), state: HUDState(family: family))
    var count: UInt64 = 0
    for number in 0..<300 {
      hud.invalidateAll()
      let before = perfhud_malloc_count()
      hud.draw(run, now: threeMinutes.now)
      if number >= 100 { count += perfhud_malloc_count() - before }
    }
    #expect(count <= 200 * allowed)
    #expect(hud.text.contains("161"))
  }

  /// A program that does and says much: rows on every page.
  private static func talkative(_ kind: ProcessTableRequest.Kind) -> Run {
    var header = RunHeader(
      start: MadeUpProcess.start, wallClockOffset: 1_700_000_000_000_000_000,
      interval: 100_000_000, tickPeriod: nil, command: "/usr/bin/demo", name: processName("demo"))
    header.alerts = ["threads > 4", "cpu > 99% for 10s"].compactMap { try? Rule($0) }
    var process = MadeUpProcess(header: header)
    for step in 0..<400 {
      var event = Event(step.isMultiple(of: 80) ? .phase : .action)
      event.name = Event.Name(step.isMultiple(of: 80) ? "phase 日 \(step % 3)" : "act.\(step % 30)")
      event.detail = Event.Detail("a detail of some length \(step)")
      process.apply(.event(event, process.now))
      process.step()
    }
    let rows = (0..<40).map { number in
      var row = ProcessRow()
      row.pid = 4242 + Int32(number)
      row.parent = 4242 + Int32(number / 4) - 1
      row.name = processName("worker 日本 \(number)")
      row.state = .running
      row.intervalNanoseconds = 500_000_000
      row.cpuNanoseconds = UInt64(number % 9) * 5_000_000
      row.footprintBytes = UInt64(number) << 20
      row.threads = 3
      if number.isMultiple(of: 11) { row.end = .exited(3) }
      return row
    }
    var mappings = MappingTable()
    mappings.groups = (0..<60).map { number in
      var group = MappingGroup()
      group.name = MappingName(number == 0 ? "" : "/usr/lib/日本/libdemo-\(number).so.\(number % 7)")
      group.count = 4
      group.residentBytes = UInt64(60 - number) << 20
      return group
    }
    process.apply(
      .processes(
        ProcessTable(
          request: ProcessTableRequest(kind), time: process.now, rows: rows, others: 7,
          mappings: mappings)))
    return process.run
  }

  @Test(
    .enabled(if: perfhud_malloc_is_counted() != 0),
    arguments: [
      (ListPage.log, Key.character("l")), (.phases, .character("p")), (.actions, .character("a")),
      (.frames, .character("F")), (.processes, .character("t")), (.threads, .character("T")),
      (.bottlenecks, .character("y")), (.alerts, .character("!")),
      (.mappings, .character("M")),
    ])
  func `200 redraws of a list allocate nothing, in a pane and over a program`(
    page: ListPage, key: Key
  ) {
    // The iterators of loops, as above, and of those over the characters of a text; a text or an array
    // made for each row would be more than that.
    #if DEBUG
      let allowed: UInt64 = 100
    #else
      let allowed: UInt64 = 0
    #endif
    let run = PictureTests.talkative(
      page == .threads ? .threads : page == .mappings ? .mappings : .processes)
    for family in [HUDFamily.pane, .overlay] {
      var hud = HUD(size: Size(rows: 40, columns: 120), state: HUDState(family: family))
      hud.state.prefixKey = "F12"
      let now = run.latest?.time ?? MadeUpProcess.start
      _ = hud.handle(key, run: run)
      var count: UInt64 = 0
      for number in 0..<300 {
        hud.invalidateAll()
        let before = perfhud_malloc_count()
        hud.draw(run, now: now)
        if number >= 100 { count += perfhud_malloc_count() - before }
      }
      #expect(count <= 200 * allowed, "\(family): \(count / 200) each")
      #expect(hud.state.page == page && hud.text.contains("MiB"))
    }
  }
}
