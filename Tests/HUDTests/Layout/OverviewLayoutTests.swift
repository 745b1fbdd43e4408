import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

@testable import HUD

/// What the overview of a pane shows: `layout`.
@Suite struct OverviewLayoutTests {
  private func placed(
    _ text: String, _ columns: Int, _ rows: Int
  ) throws -> [PlacedWidget] {
    let view = PaneView(overview: try OverviewLayout(text))
    return Layout.place(in: Size(rows: rows, columns: columns), view: view)
  }

  @Test(arguments: [
    ("memory-graph,why-slow", "memory-graph, why-slow"),
    ("  processes ,memory-graph", "processes, memory-graph"), ("log", "log"),
    ("details, memory-graph, cpu-graph", "details, memory-graph, cpu-graph"),
  ])
  func `parts are named with commas between them`(text: String, canonical: String) throws {
    #expect(try OverviewLayout(text).text == canonical)
  }

  @Test(arguments: [
    ("graph", "layout: unknown part 'graph'"), ("", "layout: unknown part ''"),
    ("processs", "layout: unknown part 'processs'; did you mean processes?"),
    ("log,", "layout: unknown part ''"), ("log, log", "layout: log is there twice"),
    ("threads,processes", "layout: processes and threads cannot be shown at once"),
    ("tabs", "layout: unknown part 'tabs'"), ("\u{1B}[2J", "layout: unknown part '\u{241B}[2J'"),
  ])
  func `what cannot be shown is said`(text: String, error: String) {
    let found = #expect(throws: SettingError.self) { try OverviewLayout(text) }
    #expect(found?.description.hasPrefix(error) == true, "\(found?.description ?? "")")
  }

  @Test func `at every size the parts lie inside and fill all rows`() throws {
    let layouts =
      OverviewLayout.examples
      + OverviewLayout.choices.compactMap {
        try? OverviewLayout(OverviewLayout.name(of: $0))
      }
    for layout in layouts {
      for rows in 1...70 {
        for columns in [1, 10, 20, 44, 80, 200] {
          let view = PaneView(overview: layout)
          let size = Size(rows: rows, columns: columns)
          let frames = Layout.place(in: size, view: view).map(\.frame)
          #expect(areTiled(frames, size), "\(layout.text) \(columns)x\(rows)")
        }
      }
    }
  }

  @Test func `parts keep their order, and the last ones go first`() throws {
    let parts: [WidgetID] = [.bottlenecks, .memoryGraph, .processes]
    var before = 0
    for rows in 5...60 {
      let ids = try placed("why-slow, memory-graph, processes", 80, rows).map(\.id)
      let shown = ids.filter { parts.contains($0) }
      guard shown != [.memoryGraph] || rows > 12 else { continue }
      #expect(shown == Array(parts.prefix(shown.count)), "\(rows)")
      #expect(shown.count >= before, "\(rows)")
      before = shown.count
    }
    #expect(before == 3)
  }

  @Test func `processes are read for a layout that shows them, and no longer than that`() throws {
    var pane = PaneScreen(100, 40)
    var settings = Settings()
    try settings.set("layout", "memory-graph", from: .file)
    pane.hud.begin(with: settings)
    #expect(pane.hud.wantedTable == nil)
    try settings.set("layout", "memory-graph, threads", from: .file)
    pane.hud.begin(with: settings)
    #expect(pane.hud.wantedTable == ProcessTableRequest(.threads))
    pane.press(.character("6"))
    #expect(pane.hud.wantedTable == nil)
    pane.press(.character("1"))
    #expect(pane.hud.wantedTable == ProcessTableRequest(.threads))
    pane.press(.character("t"))
    #expect(pane.hud.wantedTable == ProcessTableRequest(.processes))
  }

  @Test func `a click on a page of the overview opens it`() throws {
    var pane = PaneScreen(100, 40)
    var settings = Settings()
    try settings.set("layout", "memory-graph, actions", from: .file)
    pane.hud.begin(with: settings)
    pane.draw()
    let frame = try #require(pane.frame(.actions))
    #expect(pane.text.contains("action.") && pane.hud.stack[.list] == nil)
    pane.click(row: frame.row + 1, column: 3)
    #expect(pane.hud.state.view.tab == .actions && pane.hud.stack[.list] != nil)
  }

  @Test func `the overview, chosen again, has its parts back`() throws {
    for byKey in [true, false] {
      var pane = PaneScreen(100, 40)
      var settings = Settings()
      try settings.set("layout", "memory-graph, why-slow, log", from: .file)
      pane.hud.begin(with: settings)
      pane.draw()
      let part = try #require(pane.frame(.bottlenecks))
      pane.click(row: part.row + 1, column: 3)
      #expect(pane.hud.state.page == .bottlenecks && pane.frame(.bottlenecks) == nil)
      // The list shows no less than the part did.
      let list = try #require(pane.frame(.list))
      #expect(list.rows >= part.rows)
      if byKey { pane.press(.character("1")) } else { pane.click(row: 0, column: 3) }
      #expect(pane.frame(.bottlenecks) == part && pane.hud.stack[.list] == nil)
    }
  }

  @Test func `a part that has more rows than it shows says which are seen`() throws {
    var pane = PaneScreen(100, 40)
    var settings = Settings()
    try settings.set("layout", "memory-graph, actions, log", from: .file)
    pane.hud.begin(with: settings)
    pane.draw()
    // The first rows of the actions, below their headings, and the last ones of the log.
    let actions = try #require(pane.frame(.actions))
    #expect(pane.line(actions.row).hasSuffix(" 1-\(actions.rows - 3)/60 ╮"))
    let log = try #require(pane.frame(.log))
    let count = pane.hud.order.entries.count
    #expect(pane.line(log.row).hasSuffix(" \(count - log.rows + 3)-\(count)/\(count) ╮"))
    // With room for all of them there is nothing to say.
    pane.hud.resize(to: Size(rows: 220, columns: 100))
    pane.draw()
    #expect(pane.frame(.actions).map { pane.line($0.row).hasSuffix("───╮") } == true)
  }

  @Test func `a list says which of its rows are seen, and with a filter how many there are`() throws
  {
    var pane = PaneScreen(80, 24)
    pane.press(.character("6"))
    let list = try #require(pane.frame(.list))
    #expect(pane.line(list.row).hasSuffix(" 1-\(list.rows - 3)/60 ╮"))
    pane.press(.character("f"), .character("j"))
    for _ in 0..<100 { pane.press(.character("j")) }
    let place = try #require(pane.frame(.list))
    #expect(pane.line(place.row).hasSuffix(" \(64 - place.rows)-60/60 ┓"))
    pane.press(.character("&"))
    pane.type("action.1")
    pane.press(.enter)
    let filtered = try #require(pane.frame(.list))
    #expect(pane.line(filtered.row).contains("only with: \"action.1\" · 11"))
    #expect(!pane.line(filtered.row).contains("/60"))
  }

  @Test func `processes of the overview are sorted in place`() throws {
    var pane = PaneScreen(100, 40)
    var settings = Settings()
    try settings.set("layout", "memory-graph, processes", from: .file)
    pane.hud.begin(with: settings)
    pane.draw()
    let order = pane.hud.state.processList.order
    pane.press(.character("o"))
    #expect(pane.hud.state.processList.order == order.next)
    let isTree = pane.hud.state.processList.isTree
    pane.press(.character("v"))
    #expect(pane.hud.state.processList.isTree != isTree)
  }

  @Test(arguments: [(120, 40), (80, 24), (44, 15)], Language.allCases)
  func `an overview of another layout`(size: (columns: Int, rows: Int), language: Language) throws {
    var pane = PaneScreen(size.columns, size.rows, language: language)
    var settings = Settings()
    try settings.set("layout", "memory-graph, why-slow, actions", from: .file)
    try settings.set("lang", language.rawValue, from: .file)
    pane.hud.begin(with: settings)
    pane.draw()
    let name = "\(size.columns)x\(size.rows)-\(language.rawValue)"
    expectGolden(pane.text, file: "Golden/Tabs/layout-\(name).txt")
  }

  @Test func `another layout shows as soon as the sheet of settings has it`() throws {
    var pane = PaneScreen(100, 40)
    pane.hud.begin(with: Settings())
    let place = try #require(
      SettingDefinition.of(.pane, isReplay: false).firstIndex { $0.key == "layout" })
    pane.press(.character(","))
    for _ in 0..<place { pane.press(.down) }
    pane.press(.right)
    #expect(pane.hud.state.view.overview == OverviewLayout.examples[1])
    pane.press(.character(","))
    #expect(pane.frame(.details) != nil && pane.frame(.bottlenecks) == nil)
  }
}
