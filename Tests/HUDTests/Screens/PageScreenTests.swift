import HUD
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Terminal
import TestSupport
import Testing

/// Why a page is empty, and what would fill it.
@Suite struct EmptyPageTests {
  @Test(arguments: [
    Word.noAction, .noPhase, .noFrame, .noLog, .mappingsTooCostly, .alertNone,
  ])
  func `it fits the page beside a HUD of standard width`(word: Word) {
    // 36 columns without the edges and the blank before the text.
    for language in Language.allCases { #expect(Canvas.width(word.text(language)) <= 33) }
  }
}

/// The pages of the list: log, phases, actions, frame times.
@Suite struct PageScreenTests {
  /// A program that goes between a gallery and a canvas, on which it draws 30 frames a second, moves a pen
  /// far too often, and keeps more with each visit; and a phase with a long name that a script has reported.
  private static let run: Run = {
    var program = Program()
    program.process.pass(seconds: 4)
    for visit in 0..<4 {
      program.enter("gallery", icon: "🖼", .cyan)
      program.pass(seconds: 4)
      program.act("canvas.open", detail: ["harbour", "garden", "夜の港", "winter"][visit])
      program.enter("canvas", icon: "🎨", .orange)
      program.draw(seconds: 6)
      program.kept += 12
      program.act("canvas.save")
    }
    program.enter("a phase with a name that is far too long", icon: "", nil, from: .pattern)
    program.pass(seconds: 3)
    program.enter("canvas", icon: "🎨", .orange)
    program.draw(seconds: 5)
    for (name, number, unit) in [("cache", 12.5, "MiB"), ("夜の港", 1.5e300, ""), ("cache", 20, "")] {
      program.report(name, number, unit)
    }
    return program.process.run
  }()

  /// The made-up process with what it says of itself.
  private struct Program {
    var process = MadeUpProcess()
    /// MiB that its visits have kept, and that the canvas holds.
    var kept = 0.0
    private var held = 0.0
    private var sinceCanvas = 0.0

    init() {
      process = MadeUpProcess()
      setMemory()
    }

    private mutating func setMemory() {
      let bytes = UInt64((90 + kept + held) * 1_048_576)
      process.change = { sample in
        sample.anonymousBytes = .value(bytes)
        sample.residentBytes = .value(bytes + 22_020_096)
      }
    }

    private mutating func send(_ event: Event, at time: Instant) {
      process.apply(.event(event, time))
    }

    mutating func enter(
      _ name: String, icon: String, _ color: EventColor?, from origin: EventOrigin = .app
    ) {
      var event = Event(.phase)
      event.name = Event.Name(name)
      event.icon = Event.Icon(icon)
      event.color = color
      event.origin = origin
      send(event, at: process.now)
    }

    mutating func act(_ name: String, detail: String = "", at time: Instant? = nil) {
      var event = Event(.action)
      event.name = Event.Name(name)
      event.detail = Event.Detail(detail)
      send(event, at: time ?? process.now)
    }

    mutating func report(_ name: String, _ number: Double, _ unit: String) {
      var event = Event(.value)
      event.name = Event.Name(name)
      event.number = number
      event.unit = Event.Unit(unit)
      send(event, at: process.now)
    }

    /// Nothing is drawn, and nothing held.
    mutating func pass(seconds: Double) {
      held = 0
      setMemory()
      process.pass(seconds: seconds)
    }

    /// 30 frames and 120 moves a second, one frame of 25 late by 30 ms; up to 48 MiB are held.
    mutating func draw(seconds: Double) {
      for tenth in 0..<Int(seconds * 10) {
        held = min(48, Double(tenth) * 4)
        setMemory()
        for frame in 0..<3 {
          let isLate = (tenth * 3 + frame) % 25 == 24
          let time = process.now.advanced(
            byNanoseconds: Int64(frame) * 33_333_333 + (isLate ? 30_000_000 : 0))
          for move in 0..<4 { act("pen.move", at: time.advanced(byNanoseconds: Int64(move))) }
          send(Event(.frame), at: time)
        }
        process.step()
      }
    }
  }

  private static let pages: [(key: Key, name: String)] = [
    (.character("l"), "log"), (.character("p"), "phases"), (.character("a"), "actions"),
    (.character("F"), "frames"),
  ]

  /// Each page below the one before.
  private func pages(_ draw: (Key) -> HUD) -> String {
    PageScreenTests.pages.map { "\($0.name)\n\(draw($0.key).text)\n" }.joined()
  }

  @Test func `visits that may be missing and a peak that readings missed have a mark`() throws {
    var program = Program()
    program.process.pass(seconds: 1)
    program.enter("gallery", icon: "", nil)
    let bytes = UInt64(90 << 20)
    for mark in [bytes, 4 * bytes] {
      program.process.change = {
        ($0.anonymousBytes, $0.residentBytes) = (.value(bytes), .value(bytes))
        ($0.lowRateTime, $0.peakResidentBytes) = ($0.time, mark)
      }
      program.process.pass(seconds: 2)
    }
    func row(_ columns: Int) throws -> String {
      let lines = screen(columns, 40, program.process.run, keys: [.character("p")]).lines
      return try #require(lines.last { $0.contains("gallery") && $0.contains("×") })
    }
    for columns in [44, 120] {
      let line = try row(columns)
      #expect(line.contains(columns == 44 ? "  1×≥90." : "   1×"), "\(line)")
      #expect(line.contains("≥90.") && !line.contains("≥1"), "\(line)")
    }
    program.process.apply(.eventsLost(3, program.process.now))
    for columns in [44, 120] {
      let line = try row(columns)
      #expect(line.contains(" ≥1×"), "\(line)")
    }
  }

  @Test func `the history of an action names no more seconds than the run has`() {
    var program = Program()
    program.process.pass(seconds: 8)
    program.act("canvas.save")
    program.pass(seconds: 4)
    let hud = screen(120, 40, program.process.run, keys: [.character("6")])
    #expect(hud.text.contains(#/last 1[123]s +peak/#), "\(hud.text)")
  }

  /// Its rate is the one that the row of the action has.
  @Test func `a toast about an action names its limit if there is room`() {
    for (columns, notice) in [
      (80, "pen.move: HIGH 120/s > 30/s"), (29, "pen.move: HIGH 120/s > 30/s"),
      (28, "pen.move: HIGH 120/s"),
    ] {
      let text = screen(columns, 24, PageScreenTests.run).text
      #expect(text.contains("▌\(notice)") && !text.contains("\(notice) >"), "\(columns): \(text)")
    }
  }

  @Test func `the log says once that an action is HIGH, with its rate and its limit`() {
    for columns in [36, 44, 80, 120] {
      let lines = screen(columns, 60, PageScreenTests.run, keys: [.character("l")]).lines
      let high = lines.filter { $0.contains("HIGH") && $0.contains(/[0-9]{2}:[0-9]{2}:[0-9]{2}/) }
      #expect(!high.isEmpty)
      #expect(high.allSatisfy { $0.contains(#/pen\.move: HIGH 12\d/s/#) }, "\(high)")
    }
    let narrow = screen(44, 40, PageScreenTests.run, keys: [.character("l")]).lines
    #expect(narrow.contains { $0.hasSuffix(" pen.move ×600") })
    // A wide log has the time from the first to the last of them in a column.
    let wide = screen(120, 40, PageScreenTests.run, keys: [.character("l")]).rows
    #expect(wide.contains { $0.hasSuffix(" pen.move       ×600    5.0s") }, "\(wide)")
  }

  private func actions(_ columns: Int, _ rows: Int = 40) -> [String] {
    screen(columns, rows, PageScreenTests.run, keys: [.character("a")]).rows
  }

  @Test func `actions have headings, and a cell for each second, a step more for twice as many`() {
    let rows = actions(120)
    let heads = rows.first { $0.contains("count") }
    #expect(
      heads?.split(separator: " ").joined(separator: " ")
        == "action count rate last 33s peak HIGH last time slow frames MEM/run", "\(rows)")
    let pen = rows.first { $0.contains("pen.move") }
    // 120 a second for 5 s, and before that pauses and 6 s of the same.
    #expect(pen?.contains("3480   120/s") == true && pen?.contains("HIGH 5×") == true, "\(rows)")
    #expect(pen?.contains(#/⣀▇▇▇▇▇▇⣀⣀⣀⣀▇▇▇▇▇▇⣀⣀⣀▇▇▇▇▇ /#) == true, "\(rows)")
    // Four single events.
    let saves = rows.first { $0.contains("canvas.save") }
    #expect(saves?.contains(#/ 4 +0\.0/s +[⣀▁]+ +0\.5/s +[0-9]+s ago/#) == true, "\(rows)")
    // The narrowest table with the peak, and one without.
    #expect(actions(44).contains { $0.contains(#/pen.move +3480 +120/s HIGH +126/s/#) })
    #expect(actions(36).contains { $0.contains(#/pen.move +3480 +120/s HIGH$/#) })
  }

  @Test func `values have headings of their own, and their numbers end in one column`() {
    let rows = actions(120)
    let heads = rows.firstIndex { $0.hasPrefix(" value ") } ?? 0
    #expect(
      rows[heads].split(separator: " ").joined(separator: " ") == "value latest min max last time")
    #expect(rows[heads + 1].contains(#/cache +20\.00 MiB +12\.50 +20\.00 +now/#), "\(rows)")
    #expect(rows[heads + 2].contains(#/夜の港 +1\.500e300 +1\.500e300 +1\.500e300 +now/#), "\(rows)")
  }

  @Test func `before the first action there is one hint, and the graph has the room`() {
    var process = MadeUpProcess()
    process.pass(seconds: 2)
    for (columns, rows) in [(120, 40), (80, 24), (44, 15)] {
      var hud = HUD(size: Size(rows: rows, columns: columns), state: HUDState())
      hud.draw(process.run, now: process.now)
      _ = hud.handle(.character("6"), run: process.run)
      hud.draw(process.run, now: process.now)
      let hints = hud.lines.filter { $0.contains("perfhud emit") }
      #expect(hints.count == 1 && hints[0].contains("action save --to 4242"), "\(hud.text)")
      #expect(!hud.text.contains(" log "))
    }
  }

  @Test(arguments: Language.allCases, [(120, 40), (80, 24), (44, 15)])
  func `the pages of a pane`(language: Language, size: (columns: Int, rows: Int)) {
    let text = pages { key in
      screen(
        size.columns, size.rows, PageScreenTests.run, state: HUDState(language: language),
        keys: [key])
    }
    expectGolden(
      text, file: "Golden/Pages/\(size.columns)x\(size.rows)-\(language.rawValue).txt")
  }

  @Test func `the pages of a pane in ASCII`() {
    let text = pages { key in
      screen(80, 24, PageScreenTests.run, state: HUDState(isASCII: true), keys: [key])
    }
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    expectGolden(text, file: "Golden/Pages/80x24-ascii.txt")
  }

  @Test(arguments: Language.allCases, [(36, 9), (72, 20)])
  func `the pages beside an overlay`(language: Language, size: (columns: Int, rows: Int)) {
    let text = pages { overlay(size.columns, size.rows, language: language, keys: [$0]) }
    expectGolden(
      text, file: "Golden/Pages/overlay-\(size.columns)x\(size.rows)-\(language.rawValue).txt")
  }

  @Test func `the pages beside an overlay in ASCII`() {
    let text = pages { overlay(36, 9, isASCII: true, keys: [$0]) }
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    expectGolden(text, file: "Golden/Pages/overlay-36x9-ascii.txt")
  }

  @Test(arguments: Language.allCases)
  func `a page that can have no rows says why`(language: Language) {
    var process = MadeUpProcess()
    process.pass(seconds: 2)
    process.apply(.listener(.otherHUD, process.now))
    process.pass(seconds: 10)
    for key in [Key.character("p"), .character("a")] {
      let hud = screen(80, 24, process.run, state: HUDState(language: language), keys: [key])
      #expect(hud.text.contains("\(Word.eventsReceivedByOther.text(language))"))
      #expect(!hud.text.contains("\(Word.listEmpty.text(language))"))
    }
    let log = screen(
      80, 24, process.run, state: HUDState(language: language), keys: [.character("l")])
    #expect(log.text.contains("08:34:58 \(Word.eventsReceivedByOther.text(language))"))
  }

  /// The HUD in the corner of a program's screen, with its windows.
  private func overlay(
    _ columns: Int, _ rows: Int, language: Language = .english, isASCII: Bool = false, keys: [Key]
  ) -> HUD {
    let run = PageScreenTests.run
    let state = HUDState(language: language, isASCII: isASCII, family: .overlay)
    let frame = Rect(row: 0, column: 99 - columns, rows: rows, columns: columns)
    var hud = HUD(size: Size(rows: rows, columns: columns), state: state)
    hud.place(at: frame, in: Rect(Size(rows: 40, columns: 99)))
    for key in keys { _ = hud.handle(key, run: run) }
    hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
    return hud
  }
}
