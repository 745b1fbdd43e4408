import Metrics
import PerfHUDBase
import Terminal
import TestSupport
import Testing

@testable import HUD

@Suite struct PaneTabTests {
  @Test func `digits, arrows and the keys of the pages choose a tab`() {
    var pane = PaneScreen()
    let steps: [(Key, PaneTab)] = [
      (.character("2"), .memory), (.right, .processes), (.left, .memory), (.left, .overview),
      (.character("a"), .actions), (.character("p"), .memory), (.character("F"), .frames),
      (.right, .overview), (.character("T"), .threads), (.character("y"), .whySlow),
      (.character("!"), .actions), (.character("l"), .actions),
    ]
    for (key, tab) in steps {
      pane.press(key)
      #expect(pane.hud.state.view.tab == tab, "\(key)")
    }
    #expect(pane.hud.state.page == .log && pane.hud.stack.isOpen(.list))
  }

  @Test func `the key of a page leads back to the overview`() {
    var pane = PaneScreen()
    pane.press(.character("l"), .character("a"))
    #expect(pane.hud.state.page == .actions)
    pane.press(.character("a"))
    #expect(pane.hud.state.view.tab == .overview && !pane.hud.stack.isOpen(.list))
  }

  @Test func `tabs that have nothing to show yet are dim`() {
    var pane = PaneScreen(100, 30)
    func isDim(_ tab: PaneTab) -> Bool {
      let columns = TabBar(.overview, width: 100, .english)[tab.rawValue]
      return pane.hud.picture[0, columns.lowerBound].style == Role.dim.style
    }
    #expect(!isDim(.actions) && !isDim(.whySlow))
    pane.process = MadeUpProcess()
    pane.draw()
    #expect(isDim(.frames) && isDim(.actions) && !isDim(.whySlow) && !isDim(.threads))
  }

  @Test func `Esc leads from a tab or a page to the overview, and does nothing there`() {
    let overview = PaneScreen(120, 40).text
    for keys in ["2", "7", "l", "y", "!", "t", "6f", "l/", "2?"] {
      var pane = PaneScreen(120, 40)
      for key in keys.unicodeScalars { pane.press(.character(key)) }
      // What is typed, a window and the focus are left first.
      var count = 0
      while pane.hud.state.view.tab != .overview, count < 5 {
        let wasInList = pane.hud.focus.target != .hud
        let tab = pane.hud.state.view.tab
        #expect(pane.press(.escape) == nil)
        if wasInList { #expect(pane.hud.state.view.tab == tab, "\(keys)") }
        count += 1
      }
      #expect(count < 5, "\(keys)")
      #expect(pane.text == overview, "\(keys)")
      #expect(pane.press(.escape) == nil)
      #expect(pane.text == overview, "\(keys)")
    }
  }

  @Test func `Esc leaves the focused graph first, then the tab`() {
    var pane = PaneScreen(120, 40)
    pane.press(.character("2"), .tab, .tab)
    #expect(pane.hud.state.graph.focus == .memoryGraph)
    pane.press(.escape)
    #expect(pane.hud.state.graph.focus == nil && pane.hud.state.view.tab == .memory)
    pane.press(.escape)
    #expect(pane.hud.state.view.tab == .overview && !pane.hud.stack.isOpen(.list))
  }

  @Test(arguments: [(20, 1), (20, 3), (24, 5)])
  func `in a low pane Esc leads from a page back to the values`(columns: Int, rows: Int) {
    for key in [Key.character("l"), .character("a"), .character("t")] {
      var pane = PaneScreen(columns, rows)
      let before = pane.text
      pane.press(key)
      #expect(pane.hud.stack.isOpen(.list))
      pane.press(.escape)
      #expect(pane.text == before)
    }
  }

  @Test(arguments: [(Language.english, "Esc back"), (.japanese, "Esc 戻る")])
  func `the row of keys names Esc where it leads back`(language: Language, hint: String) {
    var pane = PaneScreen(80, 24, language: language)
    #expect(!pane.line(23).contains(hint))
    for key in [Key.character("2"), .character("7"), .character("l")] {
      pane.press(key)
      #expect(pane.line(23).contains(hint))
      pane.press(.character("1"), .escape)
      #expect(!pane.line(23).contains(hint))
    }
  }

  @Test func `a click chooses the tab below it, and between two of them nothing`() {
    var pane = PaneScreen()
    #expect(pane.line(0).hasPrefix("1 Overview  2 Memory"))
    pane.click(row: 0, column: 14)
    #expect(pane.hud.state.view.tab == .memory)
    pane.click(row: 0, column: 11)
    #expect(pane.hud.state.view.tab == .memory)
    pane.mouse(.press(button: 3), row: 0, column: 0)
    #expect(pane.hud.state.view.tab == .memory)
    pane.click(row: 0, column: 0)
    #expect(pane.hud.state.view.tab == .overview)
  }

  @Test func `the underline slides in 160 ms, slowly at both ends, at most 30 times a second`() {
    var pane = PaneScreen(isAnimated: true)
    _ = pane.wait(milliseconds: 1000)
    let first = pane.underline
    _ = pane.hud.handle(.character("6"), run: pane.process.run)
    var places: [Int] = []
    var times: [Instant] = []
    var now = pane.now
    while let due = pane.hud.deadline(now: now) {
      now = due
      pane.hud.draw(pane.process.run, now: now)
      places.append(pane.underline.lowerBound)
      times.append(now)
    }
    let bar = TabBar(.actions, width: 80, .english)
    #expect(first == 0..<10 && pane.underline == bar[PaneTab.actions.rawValue])
    #expect(places == places.sorted() && Set(places).count >= 4)
    #expect(places.first == 0)
    for (earlier, later) in zip(times, times.dropFirst()) {
      #expect(later.nanoseconds(since: earlier) >= 33_333_333)
    }
    #expect(now.nanoseconds(since: times[0]) >= 160_000_000)
    #expect(now.nanoseconds(since: times[0]) < 240_000_000)
    #expect(pane.hud.deadline(now: now) == nil, "nothing is due at rest")
  }

  @Test func `without animation the underline is there with the next picture`() {
    var pane = PaneScreen()
    pane.press(.character("6"))
    #expect(pane.underline == TabBar(.actions, width: 80, .english)[PaneTab.actions.rawValue])
    #expect(pane.hud.deadline(now: pane.now) == nil)
  }

  @Test func `a sample in the middle of a slide is drawn, and the slide goes on`() {
    var pane = PaneScreen(isAnimated: true)
    _ = pane.wait(milliseconds: 1000)
    _ = pane.hud.handle(.character("7"), run: pane.process.run)
    _ = pane.wait(milliseconds: 50)
    pane.process.step()
    pane.hud.invalidate()
    _ = pane.wait(milliseconds: 400)
    #expect(pane.underline == TabBar(.frames, width: 80, .english)[PaneTab.frames.rawValue])
    #expect(pane.hud.deadline(now: pane.now) == nil)
  }

  @Test(arguments: [(44, 15), (36, 9), (24, 5), (20, 1)])
  func `small panes keep CPU and memory on every tab`(columns: Int, rows: Int) {
    for tab in PaneTab.allCases {
      var pane = PaneScreen(columns, rows)
      pane.hud.choose(tab)
      pane.draw()
      #expect(pane.text.contains(/[0-9] ?%/) && pane.text.contains(/[0-9](M| MiB)/), "\(tab)")
    }
  }

  @Test func `on its own tab the arrow down enters the list, on the overview the graph`() {
    for (key, isList) in [(Key.character("3"), true), (.character("1"), false)] {
      var pane = PaneScreen(80, 24)
      pane.press(key)
      pane.press(.down)
      #expect(pane.hud.focus.isInList == isList)
      #expect((pane.hud.state.graph.focus == nil) == isList)
    }
  }

  @Test func `on its own tab the list has the focus before the graphs`() {
    var pane = PaneScreen(120, 40)
    pane.press(.character("3"), .tab)
    #expect(pane.hud.focus.isInList)
    pane.press(.tab)
    #expect(!pane.hud.focus.isInList && pane.hud.state.graph.focus == .cpuGraph)
  }

  @Test func `o on the tab of threads stays there`() {
    var pane = PaneScreen(100, 30)
    pane.press(.character("4"), .character("o"))
    #expect(pane.hud.state.view.tab == .threads && pane.text.contains("CPU"))
    pane.press(.character("v"))
    #expect(pane.hud.state.view.tab == .processes)
  }

  @Test func `in a pane of three rows, a chosen tab has all of them`() {
    for (key, page) in [(Key.character("2"), ListPage.phases), (.character("3"), .processes)] {
      var pane = PaneScreen(20, 3)
      pane.press(key)
      #expect(pane.hud.state.page == page && pane.hud.stack.isOpen(.list), "\(key)")
      pane.press(.character("1"))
      #expect(pane.text.contains(/[0-9] %/) && !pane.hud.stack.isOpen(.list), "\(pane.text)")
    }
  }

  @Test func `a tab of a larger pane is shown in the smallest one once it is chosen again`() {
    var pane = PaneScreen(80, 24)
    pane.press(.character("2"))
    pane.hud.resize(to: Size(rows: 3, columns: 20))
    pane.draw()
    #expect(!pane.hud.stack.isOpen(.list) && pane.text.contains(/[0-9] %/))
    pane.press(.character("2"))
    #expect(pane.hud.stack.isOpen(.list))
  }
}

@Suite struct PaneListTests {
  @Test func `the header becomes one row as the list scrolls, and comes back at its top`() throws {
    var pane = PaneScreen()
    pane.press(.character("6"), .character("f"))
    let rows = try #require(pane.frame(.list)?.rows)
    let graph = try #require(pane.frame(.cpuGraph)?.rows)
    #expect(pane.frame(.line) == nil && pane.frame(.cpu) != nil)
    pane.press(.pageDown)
    #expect(pane.frame(.line) != nil && pane.frame(.cpu) == nil)
    #expect(try #require(pane.frame(.list)?.rows) == rows + graph + 3)
    #expect(pane.line(2).contains("CPU") && pane.line(2).contains("MEM"))
    pane.press(.up)
    #expect(pane.frame(.line) != nil, "it does not come and go with each row")
    pane.press(.home)
    #expect(pane.frame(.line) == nil)
  }

  @Test func `at the end of the list the header stays one row`() throws {
    var pane = PaneScreen()
    pane.press(.character("6"), .character("f"))
    pane.press(.end)
    #expect(pane.frame(.line) != nil && pane.frame(.cpu) == nil)
    pane.press(.down)
    #expect(pane.frame(.line) != nil)
  }

  @Test func `a click beside the help or the sheet of settings takes no keys from them`() throws {
    for key in [Key.character("?"), .character(",")] {
      var pane = PaneScreen(160, 50)
      pane.press(.character("6"))
      let frame = try #require(pane.frame(.list))
      pane.press(key)
      pane.click(row: frame.endRow - 1, column: 1)
      #expect(!pane.hud.focus.isInList && pane.hud.focus.target != .hud)
    }
  }

  @Test func `f on the overview focuses the log on its tab`() {
    var pane = PaneScreen()
    pane.press(.character("7"), .character("1"), .character("f"))
    #expect(pane.hud.state.page == .log && pane.hud.state.view.tab == .actions)
    #expect(pane.hud.focus.isInList)
  }

  @Test func `the wheel scrolls the list, a click selects a row and focuses it`() throws {
    var pane = PaneScreen()
    pane.press(.character("6"))
    let frame = try #require(pane.frame(.list))
    pane.mouse(.wheelDown, row: frame.row + 2, column: 10)
    #expect(pane.hud.list.selectedRow == 3)
    #expect(!pane.hud.focus.isInList)
    // The edge and the headings are above the first row.
    pane.click(row: frame.row + 4, column: 10)
    #expect(pane.hud.list.selectedRow == 2 && pane.hud.focus.isInList)
    #expect(pane.line(frame.row).contains("━━"))
    #expect(pane.hud.rows[frame.row + 4].hasPrefix(">"))
  }

  @Test(arguments: [Key.character("l"), .character("6"), .character("p")])
  func `search marks its matches in every list`(tab: Key) {
    var pane = PaneScreen(100, 30)
    pane.press(tab)
    pane.press(.character("f"), .character("/"))
    pane.type("a")
    #expect(pane.text.contains("find: a_"))
    pane.press(.enter)
    let marked = (0..<30).contains { row in
      (0..<100).contains { column in
        let cell = pane.hud.picture[row, column]
        return cell.scalarValue == 0x61 && cell.style == Role.notice.style
      }
    }
    #expect(marked)
  }

  @Test func `a filter says in the heading how many rows it leaves`() throws {
    var pane = PaneScreen()
    pane.press(.character("6"), .character("f"), .character("&"))
    pane.type("action.5")
    pane.press(.enter)
    let row = try #require(pane.frame(.list)?.row)
    #expect(pane.line(row).contains("only with: \"action.5\" · "))
    #expect(pane.hud.list.shownCount > 1)
  }

  @Test func `q closes the help, as any key does, and ctrl-c ends it`() {
    var pane = PaneScreen()
    pane.press(.character("?"))
    #expect(pane.press(.character("q")) == nil && !pane.hud.stack.isOpen(.help))
    pane.press(.character("?"))
    #expect(pane.press(.control("c")) == .quit)
  }

  @Test(arguments: [Key.character("?"), .character("h")])
  func `over a list with the focus the help opens, and the list has the focus again`(key: Key) {
    for keys in [
      [Key.character("3"), .character("f")], [.character("6"), .character("f"), .down],
    ] {
      var pane = PaneScreen()
      for key in keys { pane.press(key) }
      #expect(pane.hud.focus.target == .list, "\(keys)")
      let selected = pane.hud.list.selectedRow
      let before = pane.text
      pane.press(key)
      #expect(pane.hud.stack.isOpen(.help) && pane.hud.focus.target == .help, "\(keys)")
      #expect(pane.press(.character("x")) == nil)
      #expect(!pane.hud.stack.isOpen(.help) && pane.hud.focus.target == .list, "\(keys)")
      #expect(pane.text == before && pane.hud.list.selectedRow == selected)
      // A click closes it too.
      pane.press(key)
      pane.click(row: 10, column: 10)
      #expect(!pane.hud.stack.isOpen(.help) && pane.hud.focus.target == .list, "\(keys)")
    }
  }

  @Test func `a list that is gone when the help over it closes does not get the focus`() {
    var focus = KeyFocus(.pane)
    focus.enterList()
    _ = focus.take(.character("?"))
    #expect(focus.target == .help && focus.isInList)
    focus.loseList()
    #expect(focus.target == .help && !focus.isInList)
    _ = focus.take(.character("x"))
    #expect(focus.target == .hud)
  }

  @Test(arguments: ["l", "p", "a", "M", "t", "T", "y", "!"] as [Unicode.Scalar])
  func `the keys of the pages work while another one has the focus`(key: Unicode.Scalar) {
    var pane = PaneScreen()
    pane.press(.character(key == "t" ? "l" : "t"), .character("f"))
    let page = pane.hud.state.page
    pane.press(.character(key))
    #expect(pane.hud.state.page != page, "\(key)")
  }

  @Test func `q ends it from tabs, lists and graphs, and is a letter in a search`() {
    for keys in [[], [Key.character("6"), .character("f")], [.tab]] {
      var pane = PaneScreen()
      for key in keys { pane.press(key) }
      #expect(pane.press(.character("q")) == .quit, "\(keys)")
    }
    var pane = PaneScreen()
    pane.press(.character("6"), .character("f"), .character("/"))
    #expect(pane.press(.character("q")) == nil)
    #expect(pane.press(.control("c"), .character("q")) == .quit)
  }
}
