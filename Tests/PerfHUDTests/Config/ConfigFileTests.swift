import HUD
import Metrics
import PerfHUDBase
import TestSupport
import Testing

@testable import PerfHUD

@Suite struct ConfigFileTests {
  private func read(_ text: String) throws -> Settings {
    var settings = Settings()
    try ConfigFile.apply(text, path: "p.conf", to: &settings)
    return settings
  }

  private func mistake(_ text: String) -> String? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func `comments, blank lines and spaces do not matter`() throws {
    let settings = try read(
      """
      # all of it

        interval=2s   # slow
      \tmemory =  rss
      ascii = on
      """)
    #expect(settings.interval == 2_000_000_000)
    #expect(settings.memory == .rss)
    #expect(settings.isASCII)
    #expect(try read("") == Settings())
    #expect(try read("#interval = x") == Settings())
  }

  @Test func `lines may end as on Windows`() throws {
    let settings = try read("tick = 30\r\n\r\nmemory = rss\r\n")
    #expect(settings.tick == 30 && settings.memory == .rss)
    #expect(mistake("tick = 30\r\nmemory = x\r\n")?.hasPrefix("p.conf:2: ") == true)
  }

  @Test(arguments: [("30/s", 30.0), ("0.5", 0.5), ("1000000/s", 1_000_000), ("120.5/s", 120.5)])
  func `a rate may have its unit`(text: String, rate: Double) throws {
    #expect(try read("action-high = \(text)").highRate == rate)
  }

  @Test(arguments: ["0", "-3", "30/m", "inf/s", "0x10", "", "/s", "1000001", "1e3", "1.2.3"])
  func `what is no rate is a mistake`(text: String) {
    #expect(
      mistake("action-high = \(text)")
        == "p.conf:1: action-high '\(text)' is not a rate such as 30/s, up to 1000000/s")
  }

  @Test func `of two lines the later one counts`() throws {
    #expect(try read("tick = 10\ntick = 20").tick == 20)
  }

  @Test(arguments: [
    ("\n\nfoo", "p.conf:3: 'foo' is not key = value"),
    ("tick = 60\nintervl = 1s", "p.conf:2: unknown setting 'intervl'; did you mean interval?"),
    (
      "exit-with-targt = on",
      "p.conf:1: unknown setting 'exit-with-targt'; did you mean exit-with-target?"
    ),
    (
      "colour = red",
      "p.conf:1: unknown setting 'colour'; known: interval, memory, tick, tree, summary, "
        + "exit-with-target, theme, graph, lang, layout, mouse, ascii, size, corner, prefix, "
        + "step-aside, hidden, auto-show, restart-hud, phase-from, phase-pattern, action-high, "
        + "events, no-events, no-osc-events, alert, alert-bell, alert-command, budget, budgets"
    ),
    (
      "\nanimation = no",
      "p.conf:2: unknown setting 'animation'; this version no longer has it: remove the line"
    ),
    (
      "remember-place = on",
      "p.conf:1: unknown setting 'remember-place'; this version no longer has it: set corner and size in a "
        + "section for the program, such as [vim]"
    ),
    ("tick = fast", "p.conf:1: tick 'fast' is not a whole number from 0 (off) to 240"),
    ("ascii = maybe", "p.conf:1: ascii 'maybe' is neither true nor false"),
    ("memory =", "p.conf:1: memory '' is none of: footprint, rss, pss"),
    (
      "= 5",
      "p.conf:1: unknown setting ''; known: interval, memory, tick, tree, summary, "
        + "exit-with-target, theme, graph, lang, layout, mouse, ascii, size, corner, prefix, "
        + "step-aside, hidden, auto-show, restart-hud, phase-from, phase-pattern, action-high, "
        + "events, no-events, no-osc-events, alert, alert-bell, alert-command, budget, budgets"
    ),
    ("tick = \u{1B}[2J", "p.conf:1: tick '\u{241B}[2J' is not a whole number from 0 (off) to 240"),
  ])
  func `a mistake comes with its line and the nearest name`(text: String, error: String) {
    #expect(mistake(text) == error)
  }

  @Test(
    arguments: [
      (["PERFHUD_CONFIG": "/x/y"], "/x/y"),
      (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/perfhud/perfhud.conf"),
      (["XDG_CONFIG_HOME": "relative", "HOME": "/h"], "/h/.config/perfhud/perfhud.conf"),
      (["PERFHUD_CONFIG": "", "HOME": "/h"], "/h/.config/perfhud/perfhud.conf"), ([:], nil),
      (["HOME": "h"], nil),
    ] as [([String: String], String?)])
  func `the path of the file`(variables: [String: String], path: String?) {
    #expect(ConfigFile.path(environment: Environment(variables)) == path)
  }

  @Test func `a file that is not there is none, unless it was named`() throws {
    var settings = Settings()
    try ConfigFile.load(into: &settings, environment: Environment(["HOME": "/nowhere/at/all"]))
    #expect(settings == Settings())
    #expect(throws: UsageError.self) {
      try ConfigFile.load(
        into: &settings, environment: Environment(["PERFHUD_CONFIG": "/nowhere/at/all"]))
    }
  }

  @Test func `settings saved into a file with a mistake are saved, and the mistake is told`() throws
  {
    let directory = try TemporaryDirectory()
    let file = directory.file("p.conf")
    try TestFile.write(Array("colour = red\n".utf8), to: file)
    let error = #expect(throws: UsageError.self) {
      try ConfigFile.save(
        [SettingChange("interval", "200ms")], environment: Environment(["PERFHUD_CONFIG": file]),
        language: .english)
    }
    #expect(error?.description.hasPrefix("saved, but \(file):1: unknown setting 'colour'") == true)
    #expect(error?.description.hasSuffix("; correct it with: perfhud config edit") == true)
    let text = String(decoding: try readFile(file), as: UTF8.self)
    #expect(text.contains("interval = 200ms"))
  }

  @Test func `a notice about a setting has its place`() throws {
    var settings = Settings()
    try settings.set("interval", "1ms", from: .standard)
    try ConfigFile.apply("tick = 10\ninterval = 5ms\n", path: "/x/p.conf", to: &settings)
    #expect(settings.notices.count == 2)
    #expect(settings.notices.first?.hasPrefix("interval 1ms rounded up") == true)
    #expect(settings.notices.last?.hasPrefix("/x/p.conf:2: interval 5ms rounded up") == true)
    let environment = Environment(["PERFHUD_INTERVAL": "5ms"])
    let found = try Request.settings([], environment: environment)
    #expect(found.notices.first?.hasPrefix("PERFHUD_INTERVAL: interval 5ms rounded up") == true)
  }

  @Test func `the file is read from where the variable says`() throws {
    try withFile("lang = ja\n") { path in
      var settings = Settings()
      try ConfigFile.load(into: &settings, environment: Environment(["PERFHUD_CONFIG": path]))
      #expect(settings.language == .japanese)
    }
  }
}

@Suite struct SettingsTests {
  @Test(
    arguments: [
      ("100ms", 100_000_000, false), ("0.1", 100_000_000, false), ("2s", 2_000_000_000, false),
      ("20ms", 20_000_000, false), ("1ms", 20_000_000, true), ("50ms", 60_000_000, true),
      ("16.6ms", 20_000_000, true), ("1h", 3_600_000_000_000, false),
    ] as [(String, UInt64, Bool)])
  func `an interval is rounded up to 20 ms steps, with a notice`(
    text: String, interval: UInt64, isNoticed: Bool
  ) throws {
    var settings = Settings()
    try settings.set("interval", text, from: .commandLine)
    #expect(settings.interval == interval)
    #expect(
      settings.notices
        == (isNoticed
          ? [
            "interval \(text) rounded up to \(interval / 1_000_000)ms, "
              + "a multiple of 20 ms, so that readings lie on whole kernel ticks"
          ] : []))
  }

  @Test func `a lesser source does not override, and says nothing`() throws {
    var settings = Settings()
    try settings.set("interval", "1s", from: .commandLine)
    try settings.set("interval", "50ms", from: .file)
    #expect(settings.interval == 1_000_000_000)
    #expect(settings.notices.isEmpty)
  }

  @Test func `every setting can be set by its key`() throws {
    let values = [
      "interval": "1s", "tick": "0", "memory": "pss", "graph": "ascii", "ascii": "yes",
      "layout": "processes,why-slow",
      "mouse": "no",
      "lang": "ja", "corner": "bottom-left", "size": "large", "prefix": "none",
      "step-aside": "no", "hidden": "on", "auto-show": "5s", "restart-hud": "on", "tree": "no",
      "phase-from": "title", "phase-pattern": "scene (.*)", "action-high": "10/s",
      "summary": "yes", "exit-with-target": "1", "events": "events.log", "theme": "light",
      "no-events": "yes", "no-osc-events": "yes",
      "alert": "cpu > 90% for 10s; fps < 30", "alert-bell": "on", "alert-command": "notify-send",
      "budget": "rss.peak <= 1MiB; wall <= 5s warn", "budgets": "limits.txt",
    ]
    for key in Settings.keys {
      var settings = Settings()
      try settings.set(key, try #require(values[key]), from: .file)
      #expect(settings != Settings(), "\(key)")
    }
  }

  @Test func `rules of all sources are added up, until none`() throws {
    var settings = Settings()
    try settings.set("alert", "cpu > 90% for 10s", from: .file)
    try settings.set("alert", "fps<30; swap > 0", from: .file)
    try settings.set("alert", "threads > 8", from: .commandLine)
    #expect(
      settings.alerts.map(\.text)
        == ["cpu > 90% for 10s", "fps < 30", "swap > 0", "threads > 8"])
    #expect(
      settings.text(of: "alert") == "cpu > 90% for 10s; fps < 30; swap > 0; threads > 8")
    try settings.set("alert", "none", from: .commandLine)
    #expect(settings.alerts.isEmpty)
  }

  @Test func `rules that are blank are skipped, unless all are`() throws {
    var settings = Settings()
    try settings.set("alert", "fps < 30; swap > 0; ", from: .environment)
    try settings.set("budget", ";cpu.peak <= 90%;", from: .environment)
    #expect(settings.alerts.count == 2 && settings.budgets.count == 1)
    #expect(throws: SettingError.self) { try settings.set("alert", ";", from: .environment) }
  }

  @Test func `a bad rule is an error with its column`() {
    var settings = Settings()
    #expect(throws: SettingError("alert: column 1: unknown metric 'cpux'; did you mean cpu?")) {
      try settings.set("alert", "cpux > 1%", from: .file)
    }
    #expect(throws: SettingError("alert: more than 16 rules")) {
      for _ in 0..<17 { try settings.set("alert", "cpu > 1%", from: .file) }
    }
  }

  @Test func `a value says what it is in one form, and where it comes from`() throws {
    var settings = Settings()
    for (key, text, value) in [
      ("interval", "0.05", "60ms"), ("interval", "120", "2m"), ("tick", "007", "7"),
      ("ascii", "on", "true"), ("step-aside", "0", "false"), ("size", "007x1", "7x1"),
      ("prefix", "CTRL-A", "ctrl-a"), ("prefix", "none", "none"), ("lang", "ja", "ja"),
    ] {
      try settings.set(key, text, from: .environment)
      #expect(settings.text(of: key) == value)
      #expect(settings.source(of: key) == .environment && settings.line(of: key) == nil)
    }
    try settings.set("tick", "9", from: .file, line: 4)
    #expect(settings.text(of: "tick") == "7", "the environment goes before the file")
    #expect(settings.text(of: "tree") == nil && settings.text(of: "corner") == "top-right")
    #expect(settings.unset("tick").text(of: "tick") == "60")
    #expect(settings.unset("tick").text(of: "ascii") == "true")
  }

  @Test func `the line of the file is known`() throws {
    var settings = Settings()
    try ConfigFile.apply("\n# x\ntick = 3\r\ntheme = mono\n", path: "p", to: &settings)
    #expect(settings.line(of: "tick") == 3 && settings.line(of: "theme") == 4)
  }

  @Test func `tree and summary are left to the mode unless they are set`() throws {
    var settings = Settings()
    #expect(settings.tree == nil && settings.summary == nil)
    try settings.set("tree", "off", from: .file)
    try settings.set("summary", "on", from: .file)
    #expect(settings.tree == false && settings.summary == true)
  }

  @Test(
    arguments: [("line", .line), ("small", .small), ("medium", .medium), ("large", .large)]
      as [(String, HUDSize)])
  func `a size is a name`(text: String, size: HUDSize) throws {
    var settings = Settings()
    try settings.set("size", text, from: .commandLine)
    #expect(settings.size == size)
  }

  @Test(arguments: [("40x10", 40, 10), ("1x1", 1, 1), ("999x999", 999, 999), ("007x1", 7, 1)])
  func `a size is columns and rows`(text: String, columns: Int, rows: Int) throws {
    var settings = Settings()
    try settings.set("size", text, from: .commandLine)
    guard case .cells(let size) = settings.size else {
      Issue.record("\(settings.size)")
      return
    }
    #expect(size.columns == columns && size.rows == rows)
  }

  @Test(arguments: [
    "", "x", "40", "40x", "x10", "0x10", "40x0", "1001x10", "40x1001", "-4x5", "+4x5", "40x10x2",
    "40 x 10", "4.0x1", "40X10", "４０x10", "Large", "99999999999999999999x1",
  ])
  func `no size`(text: String) {
    #expect(HUDSize(text: text) == nil)
    var settings = Settings()
    #expect(throws: SettingError.self) { try settings.set("size", text, from: .file) }
  }

  @Test func `yes is said in four ways, and no too`() throws {
    for (texts, value) in [
      (["true", "yes", "on", "1"], true), (["false", "no", "off", "0"], false),
    ] {
      for text in texts {
        var settings = Settings()
        settings.isASCII = !value
        try settings.set("ascii", text, from: .file)
        #expect(settings.isASCII == value)
      }
    }
  }
}

@Suite struct DurationTextTests {
  @Test(
    arguments: [
      ("100ms", 100_000_000), ("2s", 2_000_000_000), ("1.5", 1_500_000_000),
      ("5m", 300_000_000_000),
      ("1h", 3_600_000_000_000), ("500us", 500_000), (".5s", 500_000_000), ("0", 0),
    ] as [(String, UInt64)])
  func `a time`(text: String, nanoseconds: UInt64) {
    #expect(DurationText.nanoseconds(text) == nanoseconds)
  }

  @Test(arguments: [
    "", "s", "ms", ".", "-1", "+1s", "1 s", "1e3", "0x10", "inf", "nan", "1.2.3", "5d", "１s", "s5",
    "1,5", "101y", "99999999999999",
  ])
  func `no time`(text: String) {
    #expect(DurationText.nanoseconds(text) == nil)
  }
}

@Suite struct NearestNameTests {
  @Test(
    arguments: [
      ("intervl", "interval"), ("Interval", "interval"), ("memry", "memory"), ("lng", "lang"),
      ("exit_with_target", "exit-with-target"), ("tik", "tick"), ("colour", nil), ("", nil),
      ("xyz", nil), ("thene", "theme"), ("alert-bel", "alert-bell"),
    ] as [(String, String?)])
  func `what was meant`(text: String, name: String?) {
    #expect(NearestName.of(text, among: Settings.keys) == name)
  }
}
