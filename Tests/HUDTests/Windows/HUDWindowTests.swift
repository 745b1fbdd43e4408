import Metrics
import PerfHUDBase
import PerfHUDEvents
import Terminal
import TestSupport
import Testing

@testable import HUD

/// A HUD of 36 by 9 in a corner of a program's screen of 80 by 24, with three marks.
struct OnProgram: KeyedScreen {
  var hud: HUD
  var process = MadeUpProcess()
  var frame = Rect(row: 0, column: 43, rows: 9, columns: 36)
  var room = Rect(Size(rows: 24, columns: 79))

  init(language: Language = .english, family: HUDFamily = .overlay, isASCII: Bool = false) {
    let state = HUDState(language: language, isASCII: isASCII, family: family)
    hud = HUD(size: frame.size, state: state)
    for _ in 0..<3 {
      process.pass(seconds: 2)
      process.apply(.mark(process.now))
    }
    process.pass(seconds: 2)
    hud.hasKeys = true
    // The HUD keeps the focus.
    if family == .overlay { press(.enter) }
    draw()
  }

  mutating func draw() {
    hud.place(at: frame, in: room)
    hud.draw(process.run, now: process.now)
  }

  /// The program says something, and the picture follows.
  mutating func report(
    _ kind: Event.Kind, _ text: String, _ number: Double = .nan, coversScreen: Bool = false
  ) {
    var event = Event(kind)
    event.name = Event.Name(text)
    event.number = number
    event.coversScreen = coversScreen
    process.apply(.event(event, process.now))
    draw()
  }

  func frame(_ id: WindowID) -> Rect? { hud.stack[id]?.frame }

  /// The cell of the picture at a place of the screen.
  func cell(_ row: Int, _ column: Int) -> Cell {
    hud.picture[row - hud.bounds.row, column - hud.bounds.column]
  }
}

@Suite struct HUDWindowTests {
  @Test(arguments: Language.allCases)
  func `the log below the HUD, with the keys, searched`(language: Language) {
    var screen = OnProgram(language: language)
    screen.press(.character("l"))
    var text = "l\n\(screen.hud.text)\n"
    screen.press(.character("f"), .up)
    text += "f Up\n\(screen.hud.text)\n"
    screen.press(.character("/"))
    screen.type("06")
    text += "/06\n\(screen.hud.text)\n"
    screen.press(.enter)
    text += "Enter\n\(screen.hud.text)\n\(screen.hud.roles)\n"
    screen.press(.character("&"))
    screen.type("5:02")
    screen.press(.enter, .escape)
    text += "&5:02 Enter Esc\n\(screen.hud.text)\n"
    expectGolden(text, file: "Golden/Overlay/log-\(language.rawValue).txt")
  }

  @Test func `the log of a pane`() {
    var text = ""
    for isASCII in [false, true] {
      var screen = OnProgram(family: .pane, isASCII: isASCII)
      screen.frame = Rect(Size(rows: 24, columns: 60))
      screen.room = screen.frame
      screen.press(.tab)
      text += screen.hud.text + "\n"
    }
    expectGolden(text, file: "Golden/60x24-log.txt")
  }

  @Test func `Esc goes back from prompt, log and HUD, one at a time`() {
    var screen = OnProgram()
    screen.press(.character("f"), .character("/"), .character("x"))
    #expect(screen.hud.focus.target == .prompt)
    #expect(screen.press(.escape) == nil)
    #expect(screen.hud.focus.target == .list)
    #expect(screen.press(.escape) == nil)
    #expect(screen.hud.focus.target == .hud)
    #expect(!screen.hud.stack.isOpen(.list), "the focus had opened it")
    #expect(screen.press(.escape) == .back)
    screen.press(.character("l"), .character("f"), .escape)
    #expect(screen.hud.stack.isOpen(.list), "it was there before")
    screen.press(.character("f"), .character("/"))
    screen.hud.endKeys()
    #expect(!screen.hud.list.isTyping)
    #expect(screen.hud.stack.isOpen(.list) && screen.hud.focus.target == .hud)
    screen.press(.character("l"))
    #expect(!screen.hud.stack.isOpen(.list))
  }

  @Test func `a key of lists says how to get there`() {
    var screen = OnProgram()
    func said(_ keys: Key...) -> String? {
      for key in keys { screen.press(key) }
      return screen.hud.messages.keyResult?.text ?? screen.hud.messages.note?.text
    }
    let unknown = said(.character("/"))
    #expect(unknown?.hasPrefix("no such key") == true && unknown == said(.character("k")))
    #expect(said(.character("t"), .character("/")) == "Tab focuses the list")
    #expect(said(.character("k")) == "Tab focuses the list")
  }

  @Test func `keys of the HUD do nothing while the log has them`() {
    var screen = OnProgram()
    screen.press(.character("f"))
    for key in [Key.character("m"), .character("r"), .character("h"), .character("s"), .left] {
      #expect(screen.press(key) == nil, "\(key)")
    }
    #expect(screen.press(.control("l")) == .redraw)
  }

  @Test func `the help over the list of an overlay gives the focus back to the list`() {
    var screen = OnProgram()
    screen.press(.character("t"), .character("f"), .character("?"))
    #expect(screen.hud.focus.target == .help && screen.hud.focus.isInList)
    #expect(screen.press(.character("q")) == nil)
    #expect(screen.frame(.help) == nil && screen.hud.focus.target == .list)
    screen.press(.character("?"))
    screen.hud.endKeys()
    #expect(screen.frame(.help) == nil)
    #expect(screen.hud.focus.target == .hud)
  }

  @Test func `the frame shows which window has the focus`() {
    var screen = OnProgram()
    #expect(screen.cell(0, 43).style == Role.mark.style)
    screen.press(.character("f"))
    #expect(screen.cell(0, 43).style == Role.edge.style)
    #expect(screen.cell(9, 43).scalarValue == 0x250F)
    screen.press(.escape, .character("l"))
    #expect(screen.cell(9, 43).scalarValue == 0x256D)
  }

  @Test func `waiting covers a line, or all where that is asked for, and Esc leads out`() {
    for family in [HUDFamily.overlay, .pane] {
      var screen = OnProgram(family: family)
      screen.report(.loading, "opening", 0.5)
      #expect(screen.frame(.loading)?.rows == 1)
      let isDismissed = screen.hud.dismissLoading()
      #expect(!isDismissed, "a line covers nothing")
      screen.report(.loading, "opening", 0.6, coversScreen: true)
      if family == .pane {
        #expect(screen.frame(.loading)?.rows == 1, "all of the pane is the HUD's")
        #expect(screen.press(.escape) == nil)
      } else {
        #expect(screen.frame(.loading) == screen.room)
        #expect(screen.hud.text.contains("Esc goes on without waiting"))
        #expect(screen.hud.text.contains("━━"))
        #expect(screen.press(.escape) == .back)
        let isDismissed = screen.hud.dismissLoading()
        #expect(isDismissed)
      }
      screen.draw()
      #expect(screen.frame(.loading) == nil)
      screen.report(.loading, "opening", 0.7, coversScreen: true)
      #expect(screen.frame(.loading) == nil, "it was closed")
      screen.report(.loading, "closing")
      #expect(screen.frame(.loading) != nil)
      screen.report(.loadingDone, "")
      #expect(screen.frame(.loading) == nil)
    }
  }

  @Test func `a cover names who says it, and the HUD stays in front of it`() {
    var screen = OnProgram()
    screen.hud.hasKeys = false
    var event = Event(.loading)
    event.name = Event.Name("SYSTEM UPDATE: type your password")
    event.coversScreen = true
    event.speaker = Speaker(name: "cat", process: 77, group: 77)
    screen.process.apply(.event(event, screen.process.now))
    screen.draw()
    #expect(screen.frame(.loading) == screen.room)
    #expect(screen.hud.text.contains("cat: \"SYSTEM UPDATE: type your password\""))
    #expect(screen.hud.text.contains("any key goes on without waiting"))
    #expect(screen.hud.text.contains("CPU") && screen.hud.text.contains("demo"))
    // Where it may not cover, as at a prompt, and without renewal it is a line.
    screen.hud.allowsCover = false
    screen.draw()
    #expect(screen.frame(.loading)?.rows == 1)
    screen.hud.allowsCover = true
    screen.draw()
    #expect(screen.frame(.loading) == screen.room)
    screen.process.pass(seconds: 10)
    screen.draw()
    #expect(screen.frame(.loading)?.rows == 1)
  }

  @Test func `once a cover was closed no other covers the program for 10 s`() {
    var screen = OnProgram()
    screen.report(.loading, "first", coversScreen: true)
    let isDismissed = screen.hud.dismissLoading()
    #expect(isDismissed)
    screen.report(.loading, "second", coversScreen: true)
    #expect(screen.frame(.loading)?.rows == 1)
    screen.process.pass(seconds: 10)
    screen.report(.loading, "third", coversScreen: true)
    #expect(screen.frame(.loading) == screen.room)
  }

  @Test func `nobody speaks in the name of perfhud`() {
    for (name, shown) in [
      ("", "pid 77: \"hello\""), ("PerfHUD", "pid 77: \"hello\""),
      ("a\u{1B}[2J", "a␛[2J: \"hello\""),
    ] {
      var screen = OnProgram()
      var event = Event(.toast)
      event.name = Event.Name("hello")
      event.speaker = Speaker(name: name, process: 77, group: 77)
      screen.process.apply(.event(event, screen.process.now))
      screen.draw()
      #expect(screen.hud.text.contains(shown), "\(name): \(screen.hud.text)")
    }
  }

  @Test func `help is in the middle, covers the HUD on a small screen, and scrolls on a low one`() {
    var screen = OnProgram()
    screen.press(.character("?"))
    // Two keys a line, since the screen has no room for a line for each.
    let rows = HelpLines.of(.overlay).rows(columns: 2) + 3
    let middle = Rect(row: (24 - rows) / 2, column: 0, rows: rows, columns: 79)
    #expect(screen.frame(.help) == middle.union(screen.frame))
    #expect(screen.frame(.hud) == screen.frame)
    screen.frame = Rect(row: 0, column: 7, rows: 7, columns: 36)
    screen.room = Rect(Size(rows: 15, columns: 43))
    screen.draw()
    #expect(screen.frame(.help) == Rect(Size(rows: 15, columns: 43)))
    #expect(!screen.hud.text.contains("change the nice value"))
    screen.press(.pageDown)
    screen.press(.pageDown)
    #expect(screen.hud.text.contains("change the nice value"))
    screen.press(.home)
    #expect(screen.hud.text.contains("hide or show the HUD"))
    screen.press(.character("m"))
    #expect(screen.frame(.help) == nil)
  }

  @Test func `a window that may not lie where it wishes is over the gauges`() {
    var screen = OnProgram()
    screen.press(.character("l"))
    #expect(screen.hud.wishes(.list) == Rect(row: 9, column: 43, rows: 5, columns: 36))
    screen.hud.place(at: screen.frame, in: screen.room, blocked: [.list])
    #expect(screen.frame(.list) == Rect(row: 4, column: 43, rows: 5, columns: 36))
    screen.hud.place(at: screen.frame, in: screen.room)
    #expect(screen.frame(.list) == screen.hud.wishes(.list))
  }

  @Test func `wheel and click reach the list of the log and nothing else`() {
    var screen = OnProgram()
    for _ in 0..<20 {
      screen.process.pass(seconds: 0.1)
      screen.process.apply(.mark(screen.process.now))
    }
    screen.press(.character("l"))
    func at(_ row: Int, _ column: Int) -> Point { Point(row: row, column: column) }
    screen.hud.handle(MouseEvent(.wheelUp, at: at(3, 50)), run: screen.process.run)
    #expect(screen.hud.list.followsEnd)
    screen.hud.handle(MouseEvent(.wheelUp, at: at(12, 50)), run: screen.process.run)
    #expect(screen.hud.list.selectedRow == 19)
    // The second of six visible rows, below the edge.
    let second = (screen.frame(.list)?.row ?? 0) + 2
    screen.hud.handle(MouseEvent(.press(button: 1), at: at(second, 50)), run: screen.process.run)
    #expect(screen.hud.list.selectedRow == 18 && screen.hud.focus.isInList)
  }

  /// 100 000 keys, mouse reports and sizes from printed seeds.
  @Test(arguments: 1...20)
  func `whatever is typed, every window is in its room and the picture holds them all`(
    seed: Int
  ) {
    var numbers = SeededRandom(seed: UInt64(seed))
    var screen = OnProgram(family: seed.isMultiple(of: 2) ? .pane : .overlay)
    let keys: [Key] = [
      .character("?"), .character("l"), .character("f"), .character("/"), .character("&"),
      .character("n"), .character("g"), .character("m"), .character("+"), .character("日"), .escape,
      .enter, .up, .down, .pageUp, .pageDown, .home, .end, .tab, .backspace, .character(" "),
      .character(","), .character("p"), .character("a"), .character("t"), .character("T"),
      .character("y"), .character("!"), .character("F"), .left, .right, .character("v"),
      .character("k"), .character("c"), .character("["), .function(9),
    ]
    var keeper = screen.hud.focus
    for step in 0..<5000 {
      switch Int.random(in: 0..<20, using: &numbers) {
      case 0..<15:
        let key = keys.randomElement(using: &numbers) ?? .escape
        // As the filter of the keys does.
        keeper = screen.hud.focus
        let run = screen.process.run
        _ = screen.hud.handle(key, run: run)
        _ = keeper.take(key)
        // Without a process there is no menu of signals.
        if keeper.target == .signals, screen.hud.signals == nil { keeper = screen.hud.focus }
        keeper.hasProcesses = screen.hud.focus.hasProcesses
      case 15:
        let point = Point(
          row: .random(in: 0..<60, using: &numbers), column: .random(in: 0..<130, using: &numbers))
        screen.hud.handle(MouseEvent(.wheelUp, at: point), run: screen.process.run)
      case 16:
        screen.room = Rect(
          Size(
            rows: .random(in: 1...60, using: &numbers),
            columns: .random(in: 1...130, using: &numbers)))
        let size = HUDSize.medium.cells(in: screen.room.size)
        screen.frame =
          screen.hud.state.family == .pane
          ? screen.room
          : Rect(
            row: Bool.random(using: &numbers) ? 0 : screen.room.rows - size.rows,
            column: Bool.random(using: &numbers) ? 0 : screen.room.columns - size.columns,
            rows: size.rows, columns: size.columns)
      case 17:
        let lines = (0..<Int.random(in: 0...4, using: &numbers)).map {
          ToastLine("toast 日 \($0)", until: screen.process.now.advanced(bySeconds: Double($0)))
        }
        screen.hud.show(toasts: lines)
      case 18:
        let covers = Bool.random(using: &numbers)
        screen.hud.show(
          loading: Bool.random(using: &numbers) ? nil : LoadingLine("日", coversScreen: covers))
      default:
        screen.process.step()
      }
      guard Int.random(in: 0..<40, using: &numbers) == 0 else { continue }
      screen.draw()
      let picture = screen.hud.picture
      let bounds = screen.hud.bounds
      // In a pane the mouse and the layout move the keys too, and nobody follows them.
      let isFollowed = screen.hud.state.family == .overlay
      guard !isFollowed || keeper == screen.hud.focus, picture.size == bounds.size,
        (screen.hud.focus.target == .prompt) == screen.hud.list.isTyping,
        screen.room.intersection(bounds) == bounds,
        screen.hud.stack.windows.allSatisfy({ !$0.frame.isEmpty })
      else {
        Issue.record("seed \(seed), step \(step): \(screen.hud.stack.windows)")
        return
      }
      for row in 0..<bounds.rows {
        for column in 0..<bounds.columns {
          let point = Point(row: bounds.row + row, column: bounds.column + column)
          let cell = picture[row, column]
          let next = column + 1 < bounds.columns ? picture[row, column + 1] : .clear
          guard cell.isClear == !screen.hud.parts.contains(point),
            (cell.width == 2) == next.isContinuation
          else {
            Issue.record("seed \(seed), step \(step): \(cell) at \(point)")
            return
          }
        }
      }
    }
  }

  @Test func `a page beside a large HUD covers its graphs, and leaves its values`() throws {
    var screen = OnProgram()
    screen.frame = Rect(row: 0, column: 26, rows: 16, columns: 53)
    screen.press(.character("p"))
    #expect(screen.frame(.list) == Rect(row: 6, column: 26, rows: 10, columns: 53))
    // At the bottom too.
    screen.frame.row = 8
    screen.draw()
    #expect(screen.frame(.list) == Rect(row: 14, column: 26, rows: 10, columns: 53))
    // Where there is room, it is beside the HUD.
    screen.room = Rect(Size(rows: 40, columns: 79))
    screen.frame.row = 0
    screen.draw()
    #expect(screen.frame(.list)?.row == 16)
  }

  @Test func `the line of the loading message leaves the title of a page alone`() throws {
    var screen = OnProgram()
    screen.press(.character("p"))
    screen.report(.loading, "opening", 0.5)
    let page = try #require(screen.frame(.list))
    #expect(screen.frame(.loading)?.row == page.endRow)
  }

  @Test func `the row of frames is there as soon as the program has the alternate screen`() {
    var screen = OnProgram()
    screen.frame.rows = 5
    screen.draw()
    #expect(screen.hud.text.contains("I/O"))
    screen.hud.noteProgramScreen(isAlternate: true)
    screen.draw()
    #expect(screen.hud.text.contains("FPS") && !screen.hud.text.contains("I/O"))
    screen.hud.noteProgramScreen(isAlternate: false)
    screen.draw()
    #expect(screen.hud.text.contains("I/O"))
  }
}
