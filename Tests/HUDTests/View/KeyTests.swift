import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal
import Testing

@testable import HUD

/// What the keys of the HUD do.
@Suite struct KeyTests {
  @Test(arguments: KeySet.allCases)
  func `no key represents two commands, and no command is twice`(keys: KeySet) {
    let all = KeyBinding.all(keys).flatMap(\.commands)
    #expect(Set(all.map(\.key)).count == all.count)
    for binding in KeyBinding.all(keys) {
      for (key, command) in binding.commands {
        #expect(KeyBinding.command(for: key, in: keys) == command)
        let others = KeyBinding.all(keys).filter { other in
          other.commands.contains { $0.command == command }
        }
        #expect(others.count == 1)
      }
    }
  }

  @Test(arguments: KeySet.allCases)
  func `the key that a page names opens that page`(keys: KeySet) {
    for page in ListPage.allCases {
      #expect(KeyBinding.command(for: .character(page.key), in: keys) == .page(page))
    }
  }

  @Test func `on top of a program the keys move it, and none ends perfhud`() {
    let requests: [(Key, HUDRequest?)] = [
      (.character("h"), .hide), (.character("1"), .corner(.to(.topLeft))),
      (.character("4"), .corner(.to(.bottomRight))), (.up, .corner(.up)), (.down, .corner(.down)),
      (.left, .corner(.left)), (.right, .corner(.right)), (.character("s"), .nextSize),
      (.escape, .back), (.character("q"), .back), (.control("c"), .back), (.control("z"), nil),
      (.character("m"), .mark), (.character("x"), nil), (.enter, nil),
    ]
    for (key, request) in requests {
      var watcher = Watcher(state: HUDState(family: .overlay))
      #expect(watcher.press(key) == request, "\(key)")
    }
  }

  @Test func `each command is reached by its key`() {
    let requests: [(Key, HUDRequest)] = [
      (.character("q"), .quit), (.control("c"), .quit), (.character("m"), .mark),
      (.character("r"), .resetPeaks), (.control("z"), .suspend), (.control("l"), .redraw),
      (.character("+"), .interval(40_000_000)), (.character("-"), .interval(200_000_000)),
    ]
    for (key, request) in requests {
      var watcher = Watcher()
      #expect(watcher.press(key) == request)
    }
  }

  @Test(arguments: Language.allCases)
  func `the help lists every key with its words`(language: Language) {
    var watcher = Watcher(state: HUDState(language: language))
    watcher.show(.character("?"))
    for binding in KeyBinding.pane {
      let line = "\(binding.label) "
      #expect(
        watcher.hud.lines.contains {
          $0.contains(line) && $0.contains("\(binding.word.text(language))")
        }, "\(binding.label)")
    }
  }

  @Test(arguments: Language.allCases, [HUDFamily.pane, .overlay])
  func `from 100 columns on the help has two columns, and at 120x40 it has all keys`(
    language: Language, family: HUDFamily
  ) throws {
    for (columns, rows) in [(99, 60), (100, 60), (120, 40)] {
      var screen = OnProgram(language: language, family: family)
      screen.room = Rect(Size(rows: rows, columns: columns))
      screen.frame = family == .pane ? screen.room : Rect(Size(rows: 9, columns: 36))
      screen.press(.character("?"))
      let lines = HelpLines.of(screen.hud.state.keys)
      let help = try #require(screen.frame(.help))
      let blanks = columns < 100 ? 0 : lines.blankRows
      #expect(help.rows == lines.rows(columns: columns < 100 ? 1 : 2) + 3 + blanks)
      for binding in KeyBinding.all(screen.hud.state.keys) {
        #expect(screen.hud.text.contains("\(binding.word.text(language))"), "\(binding.label)")
      }
    }
  }

  @Test(arguments: [
    (0.0, "0%"), (0.05, "0.05%"), (0.5, "0.5%"), (1, "1%"), (1.5, "1.5%"), (2.5, "2.5%"),
    (20, "20%"), (37.5, "37.5%"),
    (150, "150%"), (166.7, "167%"),
  ])
  func `a label of a percentage has a decimal if it needs one`(percent: Double, text: String) {
    #expect(percentLabel(percent).description == text)
  }

  @Test func `over a program the help says that its keys come after the prefix key`() {
    var screen = OnProgram()
    screen.hud.endKeys()
    screen.hud.state.prefixKey = "F12"
    screen.press(.character("?"))
    #expect(screen.hud.text.contains("─ keys after F12 ─"), "\(screen.hud.text)")
    #expect(screen.hud.text.contains("Lists ") && !screen.hud.text.contains("Tabs"))
    screen.press(.escape, .character("f"), .character("?"))
    #expect(screen.hud.text.contains("─ keys ─"), "\(screen.hud.text)")
  }

  @Test func `in two columns groups of keys stand apart where there is room`() throws {
    for (rows, isApart) in [(40, true), (24, false)] {
      let lines = screen(120, rows, threeMinutes.run, keys: [.character("?")]).rows.map(Array.init)
      let row = try #require(lines.firstIndex { String($0).contains(" Graphs ") })
      let text = String(lines[row])
      let start = text.distance(
        from: text.startIndex, to: try #require(text.firstRange(of: "Graphs")).lowerBound)
      let above = lines[row - 1][start..<(start + 20)]
      #expect(above.allSatisfy { $0 == " " } == isApart, "\(String(lines[row - 1]))")
    }
  }

  @Test func `a key of lists says how the list of the tab gets it`() {
    let hud = screen(80, 24, threeMinutes.run, keys: [.character("5"), .character("n")])
    #expect(hud.text.contains("Tab focuses the list"), "\(hud.text)")
  }

  @Test func `settings that are nearly as wide as the screen leave no strips beside them`() throws {
    for (columns, family) in [(120, HUDFamily.pane), (80, .pane), (79, .overlay), (100, .pane)] {
      var screen = OnProgram(family: family)
      screen.room = Rect(Size(rows: 40, columns: columns))
      screen.frame = family == .pane ? screen.room : Rect(Size(rows: 9, columns: 36))
      screen.press(.character(","))
      let frame = try #require(screen.frame(.settings))
      #expect(frame.column == 0 || columns == 100)
      #expect((frame.columns == columns) == (columns != 100), "\(columns)")
    }
  }

  @Test func `a pane too low for the box of the help has two columns where they fit`() {
    let hud = screen(120, 21, threeMinutes.run, keys: [.character("?")])
    #expect(hud.lines[0].hasPrefix("HUD "))
    #expect(!hud.text.contains("─ keys "))
    for binding in KeyBinding.pane { #expect(hud.text.contains("\(binding.word.text(.english))")) }
  }

  @Test(arguments: [KeySet.pane, .overlay, .replay, .replayOverlay])
  func `the help has each key once, below the heading of its group`(keys: KeySet) {
    let help = HelpLines.of(keys)
    #expect(help.lines.first?.isHeading == true && help.lines.last?.isHeading == false)
    var heading: KeyGroup?
    var words: [Word] = []
    for line in help.lines {
      switch line {
      case .heading(let group): heading = group
      case .key(let binding):
        #expect(binding.group == heading)
        words.append(binding.word)
      }
    }
    let all = KeyBinding.all(keys).map(\.word)
    #expect(words.count == all.count && all.allSatisfy(words.contains))
    // A heading has keys below it in its column.
    #expect(!help.paired[help.secondColumn - 1].isHeading)
    #expect(help.paired.count == help.lines.count)
    if keys == .pane || keys == .overlay { #expect(help.paired[help.secondColumn].isHeading) }
    #expect(help.rows(columns: 2) <= (help.lines.count + 1) / 2 + 1)
  }

  @Test(arguments: Language.allCases)
  func `at 80x24 the help shows all keys with their headings`(language: Language) {
    let hud = screen(
      80, 24, threeMinutes.run, state: HUDState(language: language), keys: [.character("?")])
    for group in KeyGroup.allCases where group != .replay {
      #expect(hud.text.contains("\(group.word(.pane).text(language))"), "\(hud.text)")
    }
    for binding in KeyBinding.pane { #expect(hud.text.contains("\(binding.word.text(language))")) }
  }

  @Test func `any key closes the help and does nothing else, ctrl-c quits`() {
    var watcher = Watcher()
    let before = watcher.hud.text
    watcher.show(.character("?"))
    #expect(watcher.hud.text != before)
    #expect(watcher.press(.character("m")) == nil)
    watcher.hud.draw(watcher.process.run, now: watcher.process.now)
    #expect(watcher.hud.text == before)
    watcher.show(.character("h"))
    #expect(watcher.press(.control("c")) == .quit)
  }

  @Test func `a key without a meaning, or with one in lists alone, says so`() {
    var watcher = Watcher()
    for (key, line) in [
      (Key.character("x"), "no such key: ? for help"), (.insert, "no such key: ? for help"),
      (.character("k"), "only in the processes: tab 3"),
      (.character("/"), "only in lists: tabs 2 to 6"),
    ] {
      #expect(watcher.press(key) == nil)
      watcher.hud.draw(watcher.process.run, now: watcher.process.now)
      #expect(watcher.hud.text.contains(line), "\(watcher.hud.text)")
    }
  }

  @Test func `+ and - go through the intervals and stop at the ends`() {
    var watcher = Watcher(state: HUDState(interval: 20_000_000))
    #expect(watcher.press(.character("+")) == nil)
    var seen: [UInt64] = [20_000_000]
    while case .interval(let next) = watcher.press(.character("-")) { seen.append(next) }
    #expect(seen == HUD.intervals)
    while case .interval(let next) = watcher.press(.character("+")) {
      #expect(next == seen[seen.count - 2])
      seen.removeLast()
    }
    #expect(seen == [20_000_000])
  }

  @Test func `from between two intervals + and - go to the next ones`() {
    for (key, next) in [(Key.character("+"), 40_000_000), (.character("-"), 100_000_000)] {
      var watcher = Watcher(state: HUDState(interval: 60_000_000))
      #expect(watcher.press(key) == .interval(UInt64(next)))
    }
    var slow = Watcher(state: HUDState(interval: 60_000_000_000))
    #expect(slow.press(.character("-")) == nil)
    #expect(slow.press(.character("+")) == .interval(10_000_000_000))
  }

  @Test func `I shows CPU as a share of the processors and back`() {
    var watcher = Watcher()
    let ofOne = watcher.cpu
    watcher.show(.character("I"))
    #expect(watcher.cpu != ofOne)
    #expect(watcher.hud.lines[3].contains("100% = 4 cores"))
    watcher.show(.character("i"))
    #expect(watcher.cpu == ofOne)
  }

  @Test func `g goes through the graphs, but ASCII stays where nothing else may be drawn`() {
    var watcher = Watcher()
    var styles: [GraphStyle] = []
    for _ in 0..<4 {
      styles.append(watcher.hud.state.graphStyle)
      watcher.show(.character("g"))
    }
    #expect(styles == [.braille, .block, .ascii, .braille])
    var plain = Watcher(state: HUDState(isASCII: true))
    plain.show(.character("g"))
    #expect(plain.hud.state.graphStyle == .ascii)
  }
}
