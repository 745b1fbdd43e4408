import Metrics
import PerfHUDBase
import PerfHUDEvents
import Terminal
import TestSupport
import Testing

@testable import HUD

/// What a toast says, for how long, and what it may cover.
extension HUDWindowTests {
  @Test(arguments: [
    (Rect(row: 0, column: 43, rows: 9, columns: 36), 9, 78),
    (Rect(row: 15, column: 43, rows: 9, columns: 36), 14, 78),
    (Rect(row: 0, column: 0, rows: 9, columns: 36), 9, 0),
    (Rect(row: 15, column: 0, rows: 9, columns: 36), 14, 0),
  ])
  func `a toast that does not fit in the edge is beside the HUD at its side, and goes with time`(
    frame: Rect, row: Int, column: Int
  ) throws {
    var screen = OnProgram()
    screen.frame = frame
    let until = screen.process.now.advanced(byNanoseconds: ToastQueue.lifetime)
    screen.report(.toast, "saved\u{1B}[31m the garden and the house in it")
    let toast = try #require(screen.frame(.toast))
    #expect(toast.rows == 1 && toast.row == row)
    #expect(column == 0 ? toast.column == 0 : toast.endColumn == column + 1)
    #expect(
      screen.cell(row, toast.column).scalarValue == 0x258C, "a mark in place of reverse video")
    #expect(screen.cell(row, toast.column + 1).style == Role.text.style)
    #expect(screen.hud.text.contains("saved␛[31m"))
    #expect(screen.hud.deadline(now: screen.process.now) == until)
    screen.process.pass(seconds: 5)
    screen.draw()
    #expect(screen.frame(.toast) == nil && screen.hud.bounds == frame)
    #expect(screen.hud.deadline(now: screen.process.now) == nil)
  }

  @Test func `a toast that fits is in the lower edge, and takes no cell of the program`() throws {
    var screen = OnProgram()
    let before = try #require(screen.hud.text.split(separator: "\n").last)
    screen.report(.toast, "saved")
    #expect(screen.frame(.toast) == nil && screen.hud.bounds == screen.frame)
    let edge = try #require(screen.hud.text.split(separator: "\n").last)
    #expect(edge.hasPrefix("╰─ \"saved\" ─"), "\(edge)")
    #expect(screen.cell(8, 43 + 4).style == Role.text.style)
    // Another one has a row of its own while the first one is there.
    screen.report(.toast, "again")
    #expect(screen.frame(.toast)?.rows == 1 && screen.hud.text.contains("▌\"again\""))
    screen.process.pass(seconds: 5)
    screen.draw()
    #expect(screen.frame(.toast) == nil)
    #expect(screen.hud.text.split(separator: "\n").last?.prefix(10) == before.prefix(10))
  }

  @Test func `while the HUD has the focus, its edge shows the way back instead of a notice`() throws
  {
    var screen = OnProgram()
    screen.process.apply(.listener(.otherHUD, screen.process.now))
    let notice = try #require(screen.process.run.noticeList.all.last)
    let line = ToastLine("notice", until: screen.process.now.advanced(bySeconds: 5), notice: notice)
    screen.hud.show(toasts: [line])
    #expect(screen.hud.state.edgeToast == nil && screen.hud.toastsInRows == [line])
    screen.hud.drawAll(screen.process.run)
    #expect(screen.hud.text.contains("Esc"), "\(screen.hud.text)")
    screen.hud.hasKeys = false
    screen.hud.show(toasts: [line])
    #expect(screen.hud.state.edgeToast == line)
  }

  @Test func `below a window that covers the edge a toast has a row of its own`() {
    var screen = OnProgram()
    screen.frame = Rect(row: 8, column: 22, rows: 9, columns: 36)
    screen.draw()
    screen.press(.character("?"))
    screen.report(.toast, "saved")
    #expect(screen.frame(.toast)?.rows == 1)
    screen.press(.escape)
    #expect(screen.frame(.toast) == nil && screen.hud.text.contains("╰─ \"saved\" ─"))
  }

  @Test(arguments: [
    ("pen.move", false), ("a.long.name.of.an", false),
    ("a.very.long.name.of.an.action.that.moves.a.pen", true),
  ])
  func `a HIGH action is shown once, in the color of alerts`(name: String, hasRow: Bool) {
    var screen = OnProgram()
    screen.hud.endKeys()
    screen.hud.hasKeys = false
    for _ in 0..<30 {
      for _ in 0..<10 {
        var event = Event(.action)
        event.name = Event.Name(name)
        screen.process.apply(.event(event, screen.process.now))
      }
      screen.process.step()
    }
    screen.draw()
    let text = screen.hud.text
    #expect(text.split(separator: "HIGH", omittingEmptySubsequences: false).count == 2, "\(text)")
    #expect((screen.frame(.toast) != nil) == hasRow, "\(text)")
    let cell = hasRow ? screen.cell(9, screen.frame(.toast)?.column ?? 0) : screen.cell(8, 46)
    #expect(cell.style == Role.alert.style)
  }

  @Test(arguments: [
    ("demo", 4242), ("other", 4242), ("demo", 77), ("", 0),
  ])
  func `the program's own words are quoted without its name, which the HUD shows anyway`(
    name: String, process: Int32
  ) {
    for kind in [Event.Kind.toast, .loading] {
      for family in [HUDFamily.overlay, .pane] {
        var screen = OnProgram(family: family)
        var event = Event(kind)
        event.name = Event.Name("hello")
        event.speaker = Speaker(name: name, process: process, group: process)
        screen.process.apply(.event(event, screen.process.now))
        screen.draw()
        #expect(screen.hud.text.contains("\"hello\""), "\(screen.hud.text)")
        #expect(!screen.hud.text.contains(": \"hello\""), "\(screen.hud.text)")
      }
    }
  }

  @Test func `what covers the screen has a name, also of the program itself`() {
    var screen = OnProgram()
    var event = Event(.loading)
    event.name = Event.Name("opening")
    event.coversScreen = true
    event.speaker = Speaker(name: "demo", process: 4242, group: 4242)
    screen.process.apply(.event(event, screen.process.now))
    screen.draw()
    #expect(screen.hud.text.contains("demo: \"opening\""))
    // Its text stays when it becomes a line, so that it stays closed once it was closed.
    let isDismissed = screen.hud.dismissLoading()
    screen.process.pass(seconds: 1)
    screen.draw()
    #expect(isDismissed && screen.frame(.loading) == nil)
  }

  @Test(arguments: [(20, 1), (40, 2), (40, 3)])
  func `a pane of values alone keeps them, whatever comes unasked`(columns: Int, rows: Int) {
    var screen = OnProgram(family: .pane)
    screen.room = Rect(Size(rows: rows, columns: columns))
    screen.frame = screen.room
    screen.process.apply(.listener(.otherHUD, screen.process.now))
    screen.report(.toast, "saved")
    #expect(screen.frame(.toast) == nil)
    #expect(screen.hud.text.contains("%") && screen.hud.text.contains(/[0-9](M| MiB)/))
  }

  @Test func `in a low pane a toast takes the row of the title`() throws {
    var screen = OnProgram(family: .pane)
    screen.room = Rect(Size(rows: 4, columns: 40))
    screen.frame = screen.room
    screen.process.apply(.listener(.otherHUD, screen.process.now))
    screen.draw()
    #expect(try #require(screen.frame(.toast)).rows == 1)
    #expect(screen.frame(.toast)?.row == 0)
    #expect(screen.hud.text.contains("another perfhud receives"))
    #expect(screen.hud.text.contains("CPU") && screen.hud.text.contains("DISK"))
  }

  @Test func `after a key without a meaning a line says which key shows the keys`() throws {
    var screen = OnProgram()
    screen.hud.state.prefixKey = "F12"
    screen.press(.character("x"))
    #expect(screen.hud.text.contains("no such key: ? for help"), "the HUD keeps the focus")
    // The next key goes to the program.
    screen.hud.endKeys()
    screen.press(.function(5))
    #expect(screen.hud.text.contains("no such key: F12 ? for help"), "\(screen.hud.text)")
    screen.process.pass(seconds: 3)
    screen.draw()
    #expect(!screen.hud.text.contains("no such key"))
    var pane = OnProgram(family: .pane)
    pane.press(.character("x"))
    #expect(pane.hud.text.contains("no such key: ? for help"))
  }

  @Test func `a toast names the interval that a key has chosen`() {
    var screen = OnProgram()
    screen.press(.character("+"))
    #expect(screen.hud.text.contains("interval 40 ms"))
    for _ in 0..<9 { screen.press(.character("-")) }
    // Of several keys the last result is shown.
    #expect(screen.frame(.toast) == nil && !screen.hud.text.contains("40 ms"))
    #expect(screen.hud.text.contains("interval 10 s"))
  }

  @Test(arguments: [
    (Key.character("-"), "interval 200 ms", "計測間隔 200 ms"),
    (.character("g"), "graph: block", "グラフ: block"),
    (.character("I"), "CPU of all cores", "CPU：全コア基準"),
    (.character("m"), "mark set", "印を付けました"), (.character("r"), "peaks reset", "最大値をリセット"),
    (.character("P"), "reading PSS", "PSSを読み取り中"),
  ])
  func `a key that changes something says so for two seconds`(
    key: Key, english: String, japanese: String
  ) {
    for (language, text) in [(Language.english, english), (.japanese, japanese)] {
      for family in [HUDFamily.overlay, .pane] {
        var screen = OnProgram(language: language, family: family)
        screen.press(key)
        #expect(screen.hud.text.contains(text))
        screen.process.pass(seconds: 1.8)
        screen.draw()
        #expect(screen.hud.text.contains(text))
        screen.process.pass(seconds: 0.4)
        screen.draw()
        #expect(!screen.hud.text.contains(text))
      }
    }
  }

  @Test func `the order of the processes is named where they are shown`() {
    for (language, texts) in [
      (Language.english, ["sorted by MEM", "processes in one list"]),
      (.japanese, ["MEM 順", "一覧表示"]),
    ] {
      var screen = OnProgram(language: language)
      screen.press(.character("o"))
      #expect(screen.frame(.toast) == nil, "it only shows the processes")
      screen.press(.character("o"))
      #expect(screen.hud.text.contains(texts[0]))
      screen.press(.character("v"))
      #expect(screen.hud.text.contains(texts[1]))
    }
  }

  @Test(arguments: [
    ("perfhud", true), ("PerfHUD", true), ("perfhud:", true), ("perfhud2", true),
    ("perfhud-hud", true), ("perfhud-holder", true), ("perfhud-demo", false), ("perf", false),
  ])
  func `only a name that is perfhud's own is replaced by a pid`(name: String, isOwn: Bool) {
    #expect(OwnName.isLike(name) == isOwn)
  }
}
