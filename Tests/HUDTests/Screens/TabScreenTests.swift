import Glibc
import Metrics
import PerfHUDBase
import Terminal
import TestSupport
import Testing

@testable import HUD

/// The sizes that every tab is looked at in.
private let sizes: [(columns: Int, rows: Int)] = [
  (200, 60), (160, 50), (120, 40), (80, 24), (44, 15), (36, 9), (24, 5), (20, 1),
]

@Suite struct TabScreenTests {
  /// Each tab below the one before.
  private func tabs(_ draw: (PaneTab) -> PaneScreen) -> String {
    PaneTab.allCases.map { "\($0)\n\(draw($0).text)\n" }.joined()
  }

  private func pane(
    _ tab: PaneTab, _ size: (columns: Int, rows: Int), _ language: Language = .english,
    isASCII: Bool = false
  ) -> PaneScreen {
    var pane = PaneScreen(size.columns, size.rows, language: language, isASCII: isASCII)
    pane.hud.choose(tab)
    pane.draw()
    return pane
  }

  @Test(arguments: Language.allCases, sizes)
  func `every tab`(language: Language, size: (columns: Int, rows: Int)) {
    expectGolden(
      tabs { pane($0, size, language) },
      file: "Golden/Tabs/\(size.columns)x\(size.rows)-\(language.rawValue).txt")
  }

  @Test(arguments: [(80, 24), (44, 15)])
  func `every tab in ASCII`(size: (columns: Int, rows: Int)) {
    let text = tabs { pane($0, size, isASCII: true) }
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    expectGolden(text, file: "Golden/Tabs/\(size.columns)x\(size.rows)-ascii.txt")
  }

  @Test(arguments: [(80, 24), (44, 15)])
  func `the role of each cell, with the keys in list and graph`(size: (columns: Int, rows: Int)) {
    var list = pane(.actions, size)
    list.press(.character("f"), .down, .character("/"))
    list.type("on")
    list.press(.enter)
    var graph = pane(.overview, size)
    graph.press(.tab, .left, .left, .left)
    let text = [list, graph].map { "\($0.text)\n\($0.hud.roles)\n" }.joined()
    expectGolden(text, file: "Golden/Tabs/\(size.columns)x\(size.rows)-roles.txt")
  }

  @Test(arguments: Language.allCases)
  func `on every tab at every size no value is cut from its unit, and no row too long`(
    language: Language
  ) {
    let check = SteadyColumnsCheck()
    for tab in PaneTab.allCases {
      for columns in stride(from: 17, through: 129, by: 8) {
        for rows in [1, 2, 3, 4, 5, 9, 10, 14, 15, 20, 24, 31, 50] {
          let pane = pane(tab, (columns, rows), language)
          for line in pane.hud.lines {
            #expect(Canvas.columns(of: line) <= columns)
            #expect(!check.isCut(line), "\(tab) \(columns)x\(rows): \(line)")
          }
        }
      }
    }
  }

  @Test func `every widget is given the rows that it needs`() {
    for tab in PaneTab.allCases {
      for isCollapsed in [false, true] {
        let view = PaneView(tab, isCollapsed: isCollapsed)
        for rows in 1...80 {
          let placed = Layout.place(in: Size(rows: rows, columns: 80), view: view)
          let size = Size(rows: rows, columns: 80)
          #expect(areTiled(placed.map(\.frame), size), "\(view) \(rows)")
          for widget in placed {
            let record = Widget.all[widget.id.rawValue]
            #expect(widget.frame.rows >= record.leastRows, "\(record.name) of \(rows)")
          }
        }
      }
    }
  }

  @Test(arguments: Language.allCases)
  func `the gallery shows every widget in each family and state`(language: Language) {
    let text = Gallery.text(language, isASCII: false)
    for widget in Widget.all where widget.id != .list {
      #expect(text.contains("\(widget.name)"), "\(widget.name)")
    }
    expectGolden(text, file: "Golden/Gallery/\(language.rawValue).txt")
  }

  @Test func `the gallery in ASCII`() {
    let text = Gallery.text(.japanese, isASCII: true)
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    expectGolden(text, file: "Golden/Gallery/ascii.txt")
  }

  /// The first of the seeds, so that others can be tried.
  private static let firstSeed =
    unsafe getenv("PERFHUD_SEED").flatMap { unsafe Int(String(cString: $0)) } ?? 1

  /// 100 000 keys, mouse reports, sizes and samples from printed seeds.
  @Test(arguments: TabScreenTests.firstSeed..<TabScreenTests.firstSeed + 20)
  func `whatever is typed and clicked, a pane stays whole and q ends it`(seed: Int) {
    var numbers = SeededRandom(seed: UInt64(seed) &* 7919)
    let languages: [Language] = [.english, .japanese]
    var pane = PaneScreen(
      80, 24, language: languages[seed % 2], isASCII: seed.isMultiple(of: 5),
      isAnimated: seed.isMultiple(of: 3))
    let keys: [Key] =
      KeyBinding.pane.flatMap(\.commands).filter { $0.command != .quit }.map(\.key)
      + "jkgGnN/&xo日".unicodeScalars.map { .character($0) }
      + [.escape, .enter, .home, .end, .pageUp, .pageDown, .backspace, .control("u")]
    let actions: [MouseAction] = [
      .press(button: 1), .press(button: 3), .release(button: 1), .drag(button: 1), .wheelUp,
      .wheelDown, .wheelLeft,
    ]
    for step in 0..<5000 {
      switch Int.random(in: 0..<20, using: &numbers) {
      case 0..<12:
        let key = keys.randomElement(using: &numbers) ?? .escape
        _ = pane.hud.handle(key, run: pane.process.run)
      case 12..<17:
        let point = Point(
          row: .random(in: -1..<60, using: &numbers), column: .random(in: -1..<140, using: &numbers)
        )
        let action = actions.randomElement(using: &numbers) ?? .wheelUp
        pane.hud.handle(MouseEvent(action, at: point), run: pane.process.run)
      case 17:
        pane.hud.resize(
          to: Size(
            rows: .random(in: 1...60, using: &numbers),
            columns: .random(in: 1...130, using: &numbers)))
      case 18: _ = pane.wait(milliseconds: 20)
      default:
        pane.process.step()
        pane.hud.invalidate()
      }
      guard Int.random(in: 0..<25, using: &numbers) == 0 else { continue }
      pane.draw()
      if let problem = problem(pane) {
        Issue.record("seed \(seed), step \(step): \(problem)")
        return
      }
    }
  }

  /// What is wrong with a picture, or with the way out of it.
  private func problem(_ pane: PaneScreen) -> String? {
    let picture = pane.hud.picture
    for row in 0..<picture.size.rows {
      for column in 0..<picture.size.columns {
        let next = column + 1 < picture.size.columns ? picture[row, column + 1] : .clear
        if picture[row, column].isClear { return "nothing at \(row), \(column)" }
        if (picture[row, column].width == 2) != next.isContinuation {
          return "half of a character at \(row), \(column)"
        }
      }
    }
    if pane.hud.focus.target == .list || pane.hud.focus.target == .prompt,
      !pane.hud.stack.isOpen(.list)
    {
      return "the keys are with a list that is not there"
    }
    var way = pane
    if way.hud.list.isTyping || way.hud.focus.target == .settingsPrompt {
      _ = way.hud.handle(.escape, run: way.process.run)
    }
    // The first one closes the settings or the help.
    if [.settings, .help].contains(way.hud.focus.target) {
      guard way.hud.handle(.character("q"), run: way.process.run) != .quit else {
        return "q in the settings or the help ends perfhud"
      }
    }
    guard way.hud.handle(.character("q"), run: way.process.run) == .quit else {
      return "q does not end it at \(pane.hud.focus.target)"
    }
    return nil
  }
}
