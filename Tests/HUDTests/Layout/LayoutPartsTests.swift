import Metrics
import PerfHUDBase
import Terminal
import TestSupport
import Testing

@testable import HUD

/// The list in which the parts of the layout are chosen, and values of one's own among those of the arrows.
@Suite struct LayoutPartsTests {
  /// A pane with the sheet open and a setting selected.
  private func sheet(
    _ columns: Int = 100, _ rows: Int = 40, on key: String = "layout",
    language: Language = .english, isASCII: Bool = false,
    with values: [(key: String, text: String)] = []
  ) throws -> PaneScreen {
    var pane = PaneScreen(columns, rows, language: language, isASCII: isASCII)
    var settings = Settings()
    try settings.set("lang", language.rawValue, from: .file)
    for value in values { try settings.set(value.key, value.text, from: .file) }
    pane.hud.begin(with: settings)
    pane.hud.state.interval = settings.interval
    pane.press(.character(","))
    let position = try #require(
      SettingDefinition.of(.pane, isReplay: false).firstIndex { $0.key == key })
    for _ in 0..<position { pane.press(.down) }
    return pane
  }

  private func value(_ pane: PaneScreen, _ key: String = "layout") -> String? {
    pane.hud.settings.text(of: key)
  }

  @Test(arguments: [(100, 30), (80, 24), (44, 15), (24, 5), (20, 3)], Language.allCases)
  func `the parts of the layout`(size: (columns: Int, rows: Int), language: Language) throws {
    var pane = try sheet(size.columns, size.rows, language: language)
    pane.press(.enter, .down, .down, .down, .character(" "))
    let name = "\(size.columns)x\(size.rows)-\(language.rawValue)"
    expectGolden(pane.text, file: "Golden/Settings/layout-\(name).txt")
  }

  @Test func `the parts of the layout in ASCII`() throws {
    var pane = try sheet(44, 15, isASCII: true)
    pane.press(.enter)
    #expect(pane.text.utf8.allSatisfy { $0 < 0x80 })
    #expect(pane.text.contains("> 1 cpu-graph"))
  }

  @Test func `space shows a part below the others, and hides it again`() throws {
    var pane = try sheet()
    pane.press(.enter, .end, .character(" "))
    #expect(value(pane) == "cpu-graph, memory-graph, memory-parts, threads, why-slow, alerts")
    #expect(pane.frame(.alerts) != nil, "it is seen at once")
    pane.press(.character(" "))
    #expect(value(pane) == "cpu-graph, memory-graph, memory-parts, threads, why-slow")
    pane.press(.home, .character(" "))
    #expect(value(pane) == "memory-graph, memory-parts, threads, why-slow")
  }

  @Test func `left and right move a part up and down, not beyond those that are shown`() throws {
    var pane = try sheet(with: [("layout", "details, memory-graph, cpu-graph")])
    pane.press(.enter, .right)
    #expect(value(pane) == "memory-graph, details, cpu-graph")
    pane.press(.right, .right)
    #expect(value(pane) == "memory-graph, cpu-graph, details")
    pane.press(.left, .left, .left)
    #expect(value(pane) == "details, memory-graph, cpu-graph")
    pane.press(.end, .left)
    #expect(value(pane) == "details, memory-graph, cpu-graph")
  }

  @Test func `processes and threads take each other's position`() throws {
    var pane = try sheet(with: [("layout", "processes, log")])
    let threads = OverviewLayout.choices.filter { $0 != .processes && $0 != .log }
    let position = try #require(threads.firstIndex(of: .threads))
    pane.press(.enter)
    for _ in 0..<(2 + position) { pane.press(.down) }
    pane.press(.character(" "))
    #expect(value(pane) == "log, threads")
  }

  @Test(arguments: Language.allCases)
  func `the last part stays, and that is said`(language: Language) throws {
    var pane = try sheet(language: language, with: [("layout", "log")])
    pane.press(.enter, .character(" "))
    #expect(value(pane) == "log")
    #expect(pane.text.contains("\(SettingWord.lastPart.text(language))"))
    pane.press(.down)
    #expect(!pane.text.contains("\(SettingWord.lastPart.text(language))"))
  }

  @Test func `Enter keeps the parts, Esc brings back those from before, and the sheet stays`()
    throws
  {
    var pane = try sheet(with: [("layout", "log, alerts")])
    pane.press(.enter, .right, .escape)
    #expect(value(pane) == "log, alerts" && pane.hud.stack[.settings] != nil)
    #expect(pane.hud.settings.source(of: "layout") == .file)
    pane.press(.enter, .right, .enter)
    #expect(value(pane) == "alerts, log" && pane.hud.stack[.settings] != nil)
    // Esc in the sheet takes back all of it.
    pane.press(.escape)
    #expect(value(pane) == "log, alerts" && pane.hud.stack[.settings] == nil)
  }

  @Test func `a click shows a part, and the wheel moves the selection`() throws {
    var pane = try sheet(with: [("layout", "details, memory-graph, cpu-graph")])
    pane.press(.enter)
    let box = try #require(pane.hud.stack[.settings]?.frame)
    pane.click(row: box.row + 4, column: box.column + 6)
    #expect(value(pane) == "details, memory-graph, cpu-graph, memory-parts")
    pane.mouse(.wheelUp, row: box.row + 4, column: box.column + 6)
    pane.press(.character(" "))
    #expect(value(pane) == "details, memory-graph, memory-parts")
  }

  @Test func `beside the parts there is something to see of what they change`() throws {
    var pane = try sheet(80, 24)
    pane.press(.enter)
    let box = try #require(pane.hud.stack[.settings]?.frame)
    #expect(box.column >= 24 && box.endColumn == 80)
    pane.press(.enter)
    #expect(pane.hud.stack[.settings]?.frame.column == 0)
  }

  // MARK: Values of one's own

  @Test func `a layout of one's own is not lost to the arrows`() throws {
    let own = "log, cpu-graph, frames"
    var pane = try sheet(with: [("layout", own)])
    pane.press(.right)
    #expect(value(pane) == OverviewLayout.examples[0].text)
    pane.press(.left)
    #expect(value(pane) == own)
    for _ in 0...OverviewLayout.examples.count { pane.press(.right) }
    #expect(value(pane) == own)
  }

  @Test(arguments: [
    ("tick", "75", "60", "120"), ("interval", "60ms", "40ms", "100ms"),
    ("action-high", "45/s", "30/s", "60/s"),
  ])
  func `a value of one's own has its position among the others`(
    key: String, own: String, before: String, after: String
  ) throws {
    var pane = try sheet(on: key, with: [(key, own)])
    for (step, expected) in [
      (Key.right, after), (.left, own), (.left, before), (.right, own),
    ] {
      pane.press(step)
      #expect(value(pane, key) == expected)
    }
  }
}
