import HUD
import Metrics
import PerfHUDBase
import Terminal
import TestSupport
import Testing

/// Alerts as a line, in the title, in the log and on their page.
@Suite struct AlertScreenTests {
  /// A rule that holds now, one that has held twice, and one that never did.
  private static let run: Run = {
    var header = MadeUpProcess().run.header
    header.alerts = [
      "mem > 150MiB for 5s", "cpu > 75% for 2s", "threads > 100",
    ].compactMap { try? Rule($0) }
    var made = MadeUpProcess(header: header)
    made.pass(seconds: 72)
    return made.run
  }()

  private func hud(
    _ columns: Int, _ rows: Int, family: HUDFamily = .pane, language: Language = .english,
    isASCII: Bool = false, keys: [Key] = [.character("!")]
  ) -> HUD {
    let state = HUDState(language: language, isASCII: isASCII, family: family)
    return screen(columns, rows, Self.run, state: state, keys: keys)
  }

  @Test(arguments: [(120, 40), (80, 24), (44, 15), (24, 9)])
  func `the page of alerts`(columns: Int, rows: Int) {
    for language in Language.allCases {
      let name = language == .english ? "" : "-ja"
      expectGolden(
        hud(columns, rows, language: language).text,
        file: "Golden/Alerts/\(columns)x\(rows)\(name).txt")
    }
  }

  @Test func `over a program the edge says that there is an alert`() throws {
    let hud = hud(36, 9, family: .overlay, keys: [])
    expectGolden(hud.text, file: "Golden/Alerts/overlay-36x9.txt")
    #expect(hud.lines[0].contains("ALERT"))
  }

  @Test func `the title says that there is an alert, whatever its color`() {
    #expect(hud(80, 24, keys: []).lines[2].contains("ALERT"))
    #expect(hud(80, 24, language: .japanese, keys: []).lines[2].contains("警告"))
  }

  @Test func `an alert that comes again is one line with its number`() {
    let rows = hud(120, 40).lines.filter { $0.contains("- ended cpu > 75% for 2s") }
    #expect(rows.count == 1 && rows[0].contains(" %      2   08:35:54 "), "\(rows)")
    let narrow = hud(44, 15).lines.filter { $0.contains("- cpu > 75% for 2s") }
    #expect(narrow.count == 1 && narrow[0].contains("×2"), "\(narrow)")
    let plain = hud(44, 15, isASCII: true).lines
    #expect(plain.contains { $0.contains("- cpu > 75% for 2s") && $0.contains("x2") })
    #expect(plain.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
  }

  @Test func `without rules the page has some to start with, and no more rows than these`() {
    let run = MadeUpProcess().run
    for (columns, rows) in [(120, 40), (80, 24), (61, 24)] {
      let hud = screen(columns, rows, run, keys: [.character("!")])
      let lines = hud.lines
      let first = lines.firstIndex { $0.contains("perfhud --alert 'cpu > 90% for 10s'") } ?? 0
      let examples = ["mem growth > 1MiB/s for 30s", "rss.peak > 500MiB", "fps < 30 for 2s"]
      for (index, rule) in examples.enumerated() {
        #expect(lines[first + 2 + index].contains("--alert '\(rule)'"), "\(hud.text)")
      }
      #expect(lines[first + 5].contains("╰"), "\(hud.text)")
    }
  }

  @Test(arguments: [60, 61, 63, 64, 80])
  func `a long rule is cut before its value and its count are`(columns: Int) throws {
    var header = MadeUpProcess().run.header
    header.alerts = ["footprint growth > 100MiB/s for 30s", "threads > 100"].compactMap {
      try? Rule($0)
    }
    var made = MadeUpProcess(header: header)
    made.pass(seconds: 5)
    let hud = screen(columns, 24, made.run, keys: [.character("!")])
    let row = try #require(hud.lines.first { $0.contains("threads > 100") })
    #expect(row.contains(" 12 "), "\(hud.text)")
    // No row of the list stays blank but one, so that a second rule has room.
    let lines = Array(hud.lines)
    let first = lines.firstIndex { $0.contains(" alerts ") } ?? 0
    let inner = lines[(first + 1)...].prefix { !$0.contains("╰") }
    #expect(inner.count { $0.allSatisfy { " │".contains($0) } } <= 2, "\(hud.text)")
  }

  @Test func `over a program the page has columns too`() {
    let hud = hud(100, 30, family: .overlay)
    #expect(
      hud.lines.contains { $0.contains("state rule ") && $0.contains(" count") }, "\(hud.text)")
  }

  @Test func `a fresh alert is a line below, and is in the log`() throws {
    var process = MadeUpProcess(header: Self.run.header)
    while process.run.alerts.raised == 0 { process.step() }
    var hud = HUD(size: Size(rows: 24, columns: 80), state: HUDState())
    hud.draw(process.run, now: process.now)
    let toast = try #require(hud.stack[.toast])
    #expect(hud.lines[toast.frame.row].contains("cpu > 75% for 2s: "))
    _ = hud.handle(.character("l"), run: process.run)
    hud.draw(process.run, now: process.now)
    #expect(hud.lines.contains { $0.contains(":") && $0.contains("cpu > 75% for 2s: ") })
  }

  @Test(arguments: Language.allCases)
  func `the end of an alert is in the log with its duration, and is no toast`(language: Language)
    throws
  {
    var process = MadeUpProcess(header: Self.run.header)
    while process.run.alerts.raised == 0 { process.step() }
    let begin = process.seconds
    while process.run.alerts.raised > 0 { process.step() }
    let seconds = process.seconds - begin
    var hud = HUD(size: Size(rows: 24, columns: 80), state: HUDState(language: language))
    hud.draw(process.run, now: process.now)
    let words = language == .english ? "ended after " : "収束（"
    #expect(!hud.text.contains(words))
    _ = hud.handle(.character("l"), run: process.run)
    hud.draw(process.run, now: process.now)
    let lines = hud.rows.filter { $0.contains("cpu > 75% for 2s: ") && $0.hasPrefix(" ") }
    #expect(lines.count == 2, "\(hud.text)")
    let tenths = Int((seconds * 10).rounded())
    #expect(lines.last?.contains("\(words)\(tenths / 10).\(tenths % 10)s") == true, "\(lines)")
  }

  @Test(arguments: [HUDFamily.pane, .overlay], [Character("!"), "l"])
  func `an alert that is over stays counted in the title until its page or the log is opened`(
    family: HUDFamily, page: Character
  ) throws {
    let size = family == .pane ? Size(rows: 24, columns: 80) : Size(rows: 9, columns: 36)
    var process = MadeUpProcess(header: Self.run.header)
    while process.run.alerts.raisedCount < 2 { process.step() }
    while process.run.alerts.raised > 0 { process.step() }
    var hud = HUD(size: size, state: HUDState(family: family))
    hud.place(at: Rect(size), in: Rect(Size(rows: 24, columns: 80)))
    hud.draw(process.run, now: process.now)
    let title = family == .pane ? 2 : 0
    #expect(hud.lines[title].contains("!2"), "\(hud.text)")
    for key in [Key.character(try #require(page.unicodeScalars.first)), .escape] {
      _ = hud.handle(key, run: process.run)
      hud.draw(process.run, now: process.now)
    }
    #expect(!hud.text.contains("!2"), "\(hud.text)")
  }

  @Test(arguments: [HUDFamily.pane, .overlay])
  func `one row has a mark for an alert, also after its end`(family: HUDFamily) {
    var process = MadeUpProcess(header: Self.run.header)
    process.pass(seconds: 5)
    let state = HUDState(family: family)
    #expect(!screen(40, 1, process.run, state: state).text.contains("!"))
    while process.run.alerts.raised == 0 { process.step() }
    #expect(screen(40, 1, process.run, state: state).text.contains("!"))
    while process.run.alerts.raised > 0 { process.step() }
    #expect(screen(40, 1, process.run, state: state).text.contains("!"))
  }

  @Test(arguments: 20...48)
  func `the mark of an alert takes no value from one row over a program`(columns: Int) {
    var process = MadeUpProcess(header: Self.run.header)
    let state = HUDState(family: .overlay)
    while process.run.alerts.raised == 0 { process.step() }
    var quiet = process.run.header
    quiet.alerts = []
    var same = MadeUpProcess(header: quiet)
    same.pass(seconds: process.seconds)
    let marked = screen(columns, 1, process.run, state: state).text
    let unmarked = screen(columns, 1, same.run, state: state).text
    #expect(marked.contains("!") && !unmarked.contains("!"))
    for value in [/[0-9] ?%/, /[0-9] ?M/, /[0-9][BKM]\/s/] {
      #expect(marked.contains(value) == unmarked.contains(value), "\(marked)")
    }
  }

  @Test func `an alert that holds when the target ends has its end in the log`() {
    var process = MadeUpProcess(header: Self.run.header)
    while process.run.alerts.raised == 0 { process.step() }
    process.change = { $0.hasEnded = true }
    process.step()
    let hud = screen(80, 24, process.run, keys: [.character("l")])
    #expect(hud.lines.contains { $0.contains("cpu > 75% for 2s: ended after") }, "\(hud.text)")
  }

  @Test func `without a rule the page says how to set one`() {
    let hud = screen(80, 24, threeMinutes.run, keys: [.character("!")])
    #expect(hud.text.contains("no rules; set one with --alert"))
    #expect(hud.text.contains("--alert 'cpu > 90% for 10s' --pid 4242"))
  }

  @Test(arguments: 20...60)
  func `a command that does not fit has no part of a pid`(columns: Int) {
    let hud = screen(columns, 15, threeMinutes.run, keys: [.character("!")])
    let command = hud.lines.first { $0.contains("perfhud --a") } ?? ""
    #expect(
      command.contains("--pid 4242") || (!command.contains("--pid ") && command.contains("…")))
  }
}
