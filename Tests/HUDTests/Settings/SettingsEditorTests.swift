import Metrics
import PerfHUDBase
import Terminal
import TestSupport
import Testing

@testable import HUD

/// The sheet of settings: what it shows, what its keys do, and what it asks of the loop.
@Suite struct SettingsEditorTests {
  private func makeHUD(
    _ columns: Int = 80, _ rows: Int = 30, family: HUDFamily = .pane,
    language: Language = .english, isASCII: Bool = false
  ) throws -> HUD {
    var settings = Settings()
    try settings.set("interval", "200ms", from: .file, line: 3)
    try settings.set("theme", "dark", from: .environment)
    try settings.set("alert", "cpu > 90% for 10s", from: .commandLine)
    try settings.set("lang", language.rawValue, from: .file, line: 4)
    let state = HUDState(
      language: language, isASCII: isASCII, interval: settings.interval, family: family)
    var hud = HUD(size: Size(rows: rows, columns: columns), state: state)
    hud.begin(with: settings)
    return hud
  }

  /// Types keys and draws; returns what was asked for.
  @discardableResult
  private func type(_ keys: [Key], _ hud: inout HUD) -> [HUDRequest] {
    let requests = keys.compactMap { hud.handle($0, run: threeMinutes.run) }
    hud.draw(threeMinutes.run, now: threeMinutes.now)
    return requests
  }

  /// The keys that lead to a setting from the top.
  private func keys(to key: String, _ family: HUDFamily = .pane) throws -> [Key] {
    let index = try #require(
      SettingDefinition.of(family, isReplay: false).firstIndex { $0.key == key })
    return [.home] + Array(repeating: .down, count: index)
  }

  // MARK: Pictures

  @Test(arguments: Language.allCases, [HUDFamily.pane, .overlay])
  func `in a wide terminal each setting has its description, whole`(
    language: Language, family: HUDFamily
  ) throws {
    var hud = try makeHUD(120, 40, family: family, language: language)
    type([.character(",")], &hud)
    for setting in SettingDefinition.of(family, isReplay: false) {
      let description = "\(setting.word.text(language))"
      #expect(
        hud.lines.contains { $0.contains("\(setting.key) ") && $0.contains(" \(description) ") },
        "\(setting.key): \(hud.text)")
    }
  }

  @Test(arguments: [(120, 40), (80, 30), (80, 24), (44, 15), (36, 9), (24, 5), (20, 3), (20, 1)])
  func `the sheet in a pane`(columns: Int, rows: Int) throws {
    for language in Language.allCases {
      var hud = try makeHUD(columns, rows, language: language)
      type([.character(",")] + (try keys(to: "graph")) + [.right], &hud)
      let name = language == .english ? "" : "-ja"
      expectGolden(hud.text, file: "Golden/Settings/\(columns)x\(rows)\(name).txt")
    }
  }

  @Test func `the sheet in ASCII`() throws {
    var hud = try makeHUD(44, 15, isASCII: true)
    type([.character(",")], &hud)
    expectGolden(hud.text, file: "Golden/Settings/44x15-ascii.txt")
    #expect(hud.text.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test(arguments: [(80, 24), (44, 15), (20, 4)])
  func `the sheet over a program`(columns: Int, rows: Int) throws {
    var hud = try makeHUD(36, 9, family: .overlay)
    let room = Rect(row: 0, column: 0, rows: rows, columns: columns - 1)
    let gauges = Rect(
      row: 0, column: max(0, columns - 37), rows: min(9, rows), columns: min(36, columns - 1))
    hud.place(at: gauges, in: room)
    hud.hasKeys = true
    type([.character(","), .down], &hud)
    let window = try #require(hud.stack[.settings]?.frame)
    #expect(window.endColumn <= columns - 1, "the last column stays free")
    #expect(window.row >= 0 && window.endRow <= rows)
    expectGolden(hud.text, file: "Golden/Settings/overlay-\(columns)x\(rows).txt")
  }

  @Test func `every setting fits its row in both languages at every width`() throws {
    for language in Language.allCases {
      for columns in [1, 2, 5, 12, 15, 20, 24, 30, 44, 56, 60, 76, 80, 120] {
        for rows in [1, 2, 3, 4, 5, 8, 9, 12, 30] {
          var hud = try makeHUD(columns, rows, language: language)
          type([.character(",")], &hud)
          for _ in SettingDefinition.all {
            type([.down], &hud)
            for line in hud.wholeLines {
              let width = line.unicodeScalars.reduce(0) { $0 + CharacterWidth.of($1) }
              #expect(width == columns, "\(columns)x\(rows) \(line)")
            }
          }
        }
      }
    }
  }

  @Test func `the sheet lists what has an effect where it is opened`() throws {
    var shown: [HUDFamily: String] = [:]
    for family in [HUDFamily.pane, .overlay] {
      var hud = try makeHUD(80, 40, family: family)
      hud.place(
        at: Rect(row: 0, column: 43, rows: 9, columns: 36), in: Rect(Size(rows: 40, columns: 79)))
      hud.hasKeys = true
      type([.character(",")], &hud)
      shown[family] = hud.text
    }
    for (key, family) in [
      ("layout", HUDFamily.pane), ("mouse", .pane), ("tick", .pane), ("exit-with-target", .pane),
      ("corner", .overlay), ("size", .overlay), ("prefix", .overlay), ("step-aside", .overlay),
      ("hidden", .overlay), ("auto-show", .overlay), ("restart-hud", .overlay),
    ] {
      let other: HUDFamily = family == .pane ? .overlay : .pane
      #expect(shown[family]?.contains(" \(key) ") == true, "\(key)")
      #expect(shown[other]?.contains(" \(key) ") == false, "\(key)")
    }
    let both =
      (SettingDefinition.of(.pane, isReplay: false)
      + SettingDefinition.of(.overlay, isReplay: false)).map(\.key)
    #expect(Set(both) == Set(SettingDefinition.all.filter { !$0.isOfOneRun }.map(\.key)))
  }

  // MARK: Keys

  @Test func `arrows change a value at once, and Esc brings back what was`() throws {
    var hud = try makeHUD()
    let before = hud.settings
    type([.character(",")] + (try keys(to: "graph")), &hud)
    let requests = type([.right], &hud)
    #expect(hud.state.graphStyle == .block)
    var changed = before
    try changed.set("graph", "block", from: .keys)
    #expect(requests == [.apply(changed)])
    type(try keys(to: "lang") + [.right], &hud)
    #expect(hud.state.language == .japanese)
    type(try keys(to: "interval") + [.left], &hud)
    #expect(hud.state.interval == 100_000_000)
    let undone = type([.escape], &hud)
    #expect(undone == [.apply(before)])
    #expect(hud.settings == before && hud.stack[.settings] == nil)
    #expect(hud.state.graphStyle == .braille && hud.state.language == .english)
    #expect(hud.state.interval == 200_000_000)
  }

  @Test func `a comma keeps what was changed`() throws {
    var hud = try makeHUD()
    type([.character(",")] + (try keys(to: "graph")) + [.right, .character(",")], &hud)
    #expect(hud.stack[.settings] == nil && hud.state.graphStyle == .block)
    #expect(hud.settings.source(of: "graph") == .keys)
  }

  @Test func `a setting without a default can be unset again by arrows`() throws {
    var hud = try makeHUD()
    type([.character(",")] + (try keys(to: "tree")), &hud)
    var seen: [String?] = []
    for _ in 0..<3 {
      type([.right], &hud)
      seen.append(hud.settings.text(of: "tree"))
    }
    #expect(seen == ["true", "false", nil])
  }

  @Test func `Enter takes a typed value, and a bad one leaves the old with the reason`() throws {
    var hud = try makeHUD(80, 30)
    type([.character(",")] + (try keys(to: "tick")) + [.enter], &hud)
    #expect(hud.text.contains("new value: 60"))
    type([.control("u"), .character("7"), .character("5"), .enter], &hud)
    #expect(hud.settings.tick == 75)
    type([.enter, .character("x"), .enter], &hud)
    #expect(hud.settings.tick == 75)
    #expect(hud.text.contains("tick 'x' is not a whole number from 0 (off) to 240"))
    type([.enter, .control("u"), .character("9"), .escape], &hud)
    #expect(hud.settings.tick == 75 && hud.stack[.settings] != nil)
    // What is typed for the rules is all of them.
    let rule = "fps < 30 for 2s".unicodeScalars.map { Key.character($0) }
    type(try keys(to: "alert") + [.enter, .control("u")] + rule + [.enter], &hud)
    #expect(hud.settings.alerts.map(\.text) == ["fps < 30 for 2s"])
  }

  @Test func `S saves what differs from the start, and nothing else`() throws {
    var hud = try makeHUD()
    type([.character(",")], &hud)
    let nothing = type([.character("S")], &hud)
    #expect(nothing.isEmpty)
    #expect(hud.text.contains("nothing to save"))
    type(try keys(to: "graph") + [.right], &hud)
    type(try keys(to: "action-high") + [.right], &hud)
    let saved = type([.character("S")], &hud)
    #expect(
      saved == [
        .save([SettingChange("graph", "block"), SettingChange("action-high", "60/s")])
      ])
    hud.finishSaving(to: "/home/u/p.conf")
    hud.draw(threeMinutes.run, now: threeMinutes.now)
    #expect(hud.text.contains("saved to /home/u/p.conf"))
    for key in ["graph", "action-high"] { #expect(hud.settings.source(of: key) == .file) }
    // Esc does not undo what was saved.
    type([.escape], &hud)
    #expect(hud.settings.text(of: "graph") == "block")
  }

  @Test(arguments: ["events", "budgets"])
  func `a file of one run is neither listed nor saved`(key: String) throws {
    for family in [HUDFamily.pane, .overlay] {
      #expect(!SettingDefinition.of(family, isReplay: false).contains { $0.key == key })
    }
    var hud = try makeHUD()
    type([.character(",")], &hud)
    hud.note(setting: key, "/tmp/file")
    #expect(hud.settings.text(of: key) == "/tmp/file")
    let saved = type([.character("S")], &hud)
    #expect(saved.isEmpty)
  }

  @Test func `what failed to be saved can still be undone`() throws {
    var hud = try makeHUD()
    type([.character(",")] + (try keys(to: "graph")) + [.right, .character("S")], &hud)
    hud.finishSaving(to: nil, error: "cannot write p.conf: no space")
    hud.draw(threeMinutes.run, now: threeMinutes.now)
    #expect(hud.text.contains("cannot write p.conf: no space"))
    type([.escape], &hud)
    #expect(hud.settings.text(of: "graph") == "braille")
  }

  @Test func `keys of the HUD show in the sheet, and can be saved`() throws {
    var hud = try makeHUD()
    type([.character("g"), .character("+"), .character(",")], &hud)
    let saved = type([.character("S")], &hud)
    #expect(
      saved == [
        .save([SettingChange("interval", "100ms"), SettingChange("graph", "block")])
      ])
  }

  @Test func `in the sheet the keys of the HUD have no meaning, but Ctrl-C and Ctrl-Z have`() throws
  {
    var hud = try makeHUD()
    type([.character(",")], &hud)
    let none = type([.character("r"), .character("m"), .character("P")], &hud)
    #expect(none.isEmpty)
    let requests = type([.control("z"), .control("c")], &hud)
    #expect(requests == [.suspend, .quit])
  }

  @Test func `over a program the keys that were released close the sheet`() throws {
    var hud = try makeHUD(36, 9, family: .overlay)
    hud.hasKeys = true
    type([.character(","), .enter, .character("1")], &hud)
    hud.endKeys()
    #expect(hud.stack[.settings] == nil && hud.focus.target == .hud)
  }

  @Test func `what is typed replaces the old value; Right and Backspace keep it`() throws {
    var hud = try makeHUD()
    type([.character(",")] + (try keys(to: "tick")) + [.enter], &hud)
    type([.character("2"), .character("4"), .enter], &hud)
    #expect(hud.settings.tick == 24)
    type([.enter, .right, .character("0"), .enter], &hud)
    #expect(hud.settings.tick == 240)
    type([.enter, .backspace, .enter], &hud)
    #expect(hud.settings.tick == 24)
    type([.enter, .enter], &hud)
    #expect(hud.settings.tick == 24, "the old value alone is accepted as it is")
  }

  @Test func `a click selects, a wheel moves`() throws {
    var hud = try makeHUD(80, 30)
    type([.character(",")], &hud)
    let frame = try #require(hud.stack[.settings]?.frame)
    let place = Point(row: frame.row + 1 + 3, column: frame.column + 4)
    hud.handle(
      MouseEvent(.press(button: 1), at: place), run: threeMinutes.run)
    hud.handle(MouseEvent(.wheelDown, at: place), run: threeMinutes.run)
    type([.right], &hud)
    #expect(hud.settings.source(of: SettingDefinition.of(.pane, isReplay: false)[4].key) == .keys)
  }

  @Test func `what is being typed stays with its setting, whatever the mouse does`() throws {
    var hud = try makeHUD(80, 30)
    type([.character(",")] + (try keys(to: "tick")) + [.enter], &hud)
    let frame = try #require(hud.stack[.settings]?.frame)
    let place = Point(row: frame.row + 6, column: frame.column + 4)
    for action in [MouseAction.wheelDown, .press(button: 1)] {
      hud.handle(MouseEvent(action, at: place), run: threeMinutes.run)
    }
    type([.control("u"), .character("7"), .enter], &hud)
    #expect(hud.settings.tick == 7)
  }

  /// Random keys, from a printed seed, in and out of the sheet.
  @Test(arguments: [1, 2, 3])
  func `random keys leave a HUD that draws, and settings that can be set`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let keys: [Key] = [
      .up, .down, .left, .right, .enter, .escape, .tab, .home, .end, .pageUp, .pageDown,
      .backspace, .character(","), .character("S"), .character("q"), .character("?"),
      .character("l"), .character("!"), .character("/"), .character("1"), .character("x"),
      .character("日"), .control("u"), .control("g"), .character("f"),
    ]
    for family in [HUDFamily.pane, .overlay] {
      var hud = try makeHUD(44, 15, family: family)
      hud.hasKeys = true
      for _ in 0..<4_000 {
        let key = keys[Int.random(in: 0..<keys.count, using: &random)]
        _ = hud.handle(key, run: threeMinutes.run)
        if Int.random(in: 0..<8, using: &random) == 0 {
          hud.draw(threeMinutes.run, now: threeMinutes.now)
        }
      }
      for key in Settings.keys {
        var settings = Settings()
        guard let value = hud.settings.text(of: key) else { continue }
        try settings.set(key, value, from: .file)
      }
      for key in [Key.escape, .escape, .escape] { _ = hud.handle(key, run: threeMinutes.run) }
      #expect(hud.focus.target == .hud)
    }
  }

  @Test func `the title says which settings are visible`() throws {
    var hud = try makeHUD(80, 15)
    type([.character(",")], &hud)
    let count = SettingDefinition.of(.pane, isReplay: false).count
    #expect(hud.text.contains("1-11/\(count)"))
    type([.end], &hud)
    #expect(hud.text.contains("\(count - 10)-\(count)/\(count)"))
  }
}
