import PerfHUDBase
import TestSupport
import Testing

@testable import Terminal

/// Output that passes before it is known where the cursor was at the start.
@Suite struct CompositorStartTests {
  private static let hud = Rect(row: 0, column: 10, rows: 2, columns: 8)

  /// A terminal in use, whose cursor is at a place that the compositor is not told.
  private func start(at place: Point, quirks: TerminalQuirks = .xterm) -> Overlay {
    let overlay = Overlay(quirks: quirks, isUnknown: true)
    overlay.terminal.setCursor(place)
    return overlay
  }

  @Test func `text before the late answer is known afterwards, and comes back from beneath`() {
    let overlay = start(at: Point(row: 1, column: 0))
    overlay.pass("one two three four\r\nfive")
    overlay.show(CompositorStartTests.hud)
    overlay.settle()
    #expect(!overlay.isPainted)
    overlay.compositor.placeStart(Point(row: 1, column: 0))
    overlay.settle()
    #expect(overlay.isPainted)
    #expect(overlay.line(2) == "one two th########")
    overlay.pass(" six")
    overlay.compositor.hide()
    overlay.settle()
    #expect(overlay.line(2) == "one two three four" && overlay.line(3) == "five six")
  }

  @Test func `without an answer text at an unknown place is never covered`() {
    let overlay = start(at: Point(row: 0, column: 0))
    overlay.pass("one two three four")
    overlay.show(CompositorStartTests.hud)
    // The answer to a later question.
    overlay.tellCursor(overlay.cursor)
    overlay.settle()
    #expect(!overlay.isPainted)
    #expect(overlay.line(1) == "one two three four")
  }

  @Test(arguments: 1...120)
  func `after random output the model equals the terminal, whenever the answer comes`(seed: Int) {
    var numbers = SeededRandom(seed: UInt64(seed))
    let input = ScreenRandomTests.stream(UInt64(seed), steps: 60, omitted: ["ESC V", "ESC W"])
    let place = Point(row: seed % 6, column: seed % 19)
    let quirks: TerminalQuirks = seed % 3 == 0 ? .tmux : .xterm
    let overlay = start(at: place, quirks: quirks)
    overlay.compositor.hasSynchronizedUpdates = seed % 2 == 0
    overlay.show(CompositorStartTests.hud)
    let answer = Int.random(in: 1...input.count, using: &numbers)
    var from = 0
    while from < input.count {
      let isDue = from < answer
      let end = isDue ? answer : input.count
      let count = min(end - from, Int.random(in: 1...12, using: &numbers))
      overlay.pass(Array(input[from..<from + count]))
      from += count
      if Int.random(in: 0..<3, using: &numbers) == 0 { overlay.settle() }
      if isDue, from == answer {
        let ends = overlay.compositor.screen.updateEnds
        let questions = overlay.compositor.screen.cursorQuestions
        overlay.compositor.placeStart(place)
        let newEnds = overlay.compositor.screen.updateEnds
        let newQuestions = overlay.compositor.screen.cursorQuestions
        #expect(newEnds == ends && newQuestions == questions)
        if Int.random(in: 0..<2, using: &numbers) == 0 { overlay.settle() }
      }
      guard from >= answer, overlay.compositor.screen.isAtGround, !overlay.isUpdating else {
        continue
      }
      if let text = overlay.modelDifference() {
        let recent = String(decoding: input[..<from].suffix(120), as: UTF8.self)
        Issue.record(
          "seed \(seed), answer at \(answer), after \(from): \(text) \(recent.debugDescription)")
        return
      }
    }
  }

  // MARK: Without an answer

  @Test(arguments: 0..<6)
  func `lines that have pushed all others off make the start unimportant`(row: Int) {
    let overlay = start(at: Point(row: row, column: 7))
    overlay.show(CompositorStartTests.hud)
    for number in 0..<12 {
      overlay.pass("line \(number) to the end\r\n")
      #expect(overlay.canPlaceStart == (number < 11))
    }
    overlay.settle()
    #expect(overlay.isPainted)
    overlay.compositor.hide()
    overlay.settle()
    #expect(overlay.modelDifference() == nil)
    #expect(overlay.line(1) == "line 7 to the end")
  }

  @Test func `lines that begin in an unknown column do not count, nor do those after a sequence`() {
    let overlay = start(at: Point(row: 0, column: 3))
    overlay.pass(String(repeating: "x\n", count: 30))
    #expect(overlay.canPlaceStart)
    overlay.pass("CSI 2A")
    overlay.pass(String(repeating: "x\r\n", count: 30))
    #expect(overlay.canPlaceStart)
    #expect(!overlay.isModelCursorKnown)
  }

  @Test func `a line end that comes in two pieces counts once`() {
    let overlay = start(at: Point(row: 0, column: 0))
    for _ in 0..<11 {
      overlay.pass("x CSI 3")
      overlay.pass("1my\r")
      overlay.pass("\n")
    }
    #expect(overlay.canPlaceStart)
    overlay.pass("x\r\n")
    #expect(!overlay.canPlaceStart)
  }

  // MARK: No longer

  @Test func `after a resize, a stop or more output than is kept the answer is of no use`() {
    var overlay = start(at: Point(row: 0, column: 0))
    overlay.pass("abc")
    overlay.resize(to: Size(rows: 6, columns: 30))
    #expect(!overlay.canPlaceStart)
    overlay = start(at: Point(row: 0, column: 0))
    overlay.pass("abc")
    overlay.forgetTerminal()
    #expect(!overlay.canPlaceStart)
    overlay = start(at: Point(row: 0, column: 0))
    overlay.pass(String(repeating: "abc CSI A", count: StartupOutput.limit / 7))
    #expect(overlay.canPlaceStart)
    overlay.pass(String(repeating: "abcd", count: StartupOutput.limit / 28))
    #expect(!overlay.canPlaceStart)
  }

  @Test func `what a program says to perfhud is taken once`() {
    let overlay = start(at: Point(row: 0, column: 0))
    overlay.pass("abcOSC 7337;perfhud;frame STdef")
    #expect(overlay.takeOwnSequences() == ["frame\n"])
    overlay.compositor.placeStart(Point(row: 0, column: 0))
    #expect(overlay.takeOwnSequences().isEmpty && overlay.ownSequences == 1)
    #expect(overlay.modelLine(1).hasPrefix("abcdef?"))
  }

  @Test func `half of a sequence is finished after the answer`() {
    let overlay = start(at: Point(row: 2, column: 0))
    overlay.pass("ab CSI 3")
    overlay.compositor.placeStart(Point(row: 2, column: 0))
    overlay.pass("1mc")
    #expect(overlay.style == Style(foreground: .ansi(1)))
    #expect(overlay.modelDifference() == nil)
  }
}
