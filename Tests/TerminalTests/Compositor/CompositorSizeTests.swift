import PerfHUDBase
import Testing

@testable import Terminal

private let hud = Rect(row: 1, column: 12, rows: 2, columns: 7)

/// A window that takes another size, before and after what the terminal is sent.
@Suite struct CompositorSizeTests {
  @Test(arguments: [0, 1, 2, 4])
  func `a taller window: the old HUD is painted over where the terminal has moved it`(
    history: Int
  ) {
    let overlay = Overlay()
    overlay.show(hud)
    overlay.pass("first\r\nabcdefghijklmnopqrs\r\nthird")
    overlay.settle()
    #expect(overlay.text(2) == "abcdefghijkl#######")
    // In two steps, as while a window is dragged.
    overlay.grow(by: 2, history: history / 2)
    overlay.grow(by: 2, history: history - history / 2)
    overlay.settle()
    #expect(overlay.text(2 + history) == "abcdefghijkl#######", "not before it is told where")
    overlay.tellCursor(Point(row: 2 + history, column: 5))
    overlay.settle()
    #expect(shown(overlay) == expected(below: history))
    overlay.pass("X\u{1B}[1;1HY")
    #expect(overlay.text(3 + history) == "thirdX" || history == 0)
  }

  /// The three lines of the tests of taller windows, below lines out of the history, with the HUD.
  private func expected(below history: Int) -> [String] {
    var expected = [String](repeating: "", count: 10)
    expected[history] = "first"
    expected[history + 1] = "abcdefghijklmnopqrs"
    expected[history + 2] = "third"
    for row in [1, 2] {
      let beneath = expected[row].padding(to: 12)
      expected[row] = beneath + "#######"
    }
    return expected
  }

  /// What stands in the lines out of the history is not known to the terminal that is played here.
  private func shown(_ overlay: Overlay) -> [String] {
    (1...10).map { row in
      let text = String(overlay.text(row).map { $0 == "?" ? " " : $0 })
      return String(text.reversed().drop { $0 == " " }.reversed())
    }
  }

  @Test(arguments: [0, 1, 2, 4], [false, true])
  func `what a terminal reads when it is taller already is painted where its lines are then`(
    history: Int, isHidden: Bool
  ) {
    let overlay = Overlay()
    overlay.show(hud)
    overlay.pass("first\r\nabcdefghijklmnopqrs\r\nthird")
    if isHidden {
      overlay.settle()
      overlay.compositor.hide()
    }
    overlay.settle(isRead: false)
    overlay.grow(by: 4, history: history)
    #expect(overlay.cursor == Point(row: 2 + history, column: 5))
    overlay.tellCursor(overlay.cursor)
    if isHidden {
      #expect(shown(overlay)[history...].prefix(3) == ["first", "abcdefghijklmnopqrs", "third"])
      overlay.show(hud)
    }
    overlay.settle()
    #expect(shown(overlay) == expected(below: history))
    #expect(overlay.cursor == Point(row: 2 + history, column: 5))
  }

  @Test(arguments: [0, 1, 2, 3, 4])
  func `what a terminal reads when it is lower already leaves no residue`(row: Int) {
    let overlay = Overlay()
    overlay.pass((1...6).map { "line \($0) to the end" }.joined(separator: "\r\n"))
    overlay.show(Rect(row: row, column: 12, rows: 2, columns: 7))
    overlay.settle(isRead: false)
    overlay.resize(to: Size(rows: 4, columns: 20))
    #expect(overlay.cursor == Point(row: 3, column: 17))
    overlay.show(Rect(row: min(row, 2), column: 12, rows: 2, columns: 7))
    overlay.settle()
    overlay.compositor.hide()
    overlay.settle()
    #expect((1...4).map(overlay.text) == (3...6).map { "line \($0) to the end" })
    #expect(overlay.cursor == Point(row: 3, column: 17))
  }

  @Test func `where rows stay or cannot be crossed, they are counted from the top`() {
    for text in ["CSI ?1049h", "CSI 2;4r", "CSI ?6h", "CSI 3;5rCSI ?6h"] {
      let overlay = Overlay()
      overlay.pass(text + "CSI 4;5H")
      overlay.show(hud)
      overlay.settle()
      #expect(overlay.text.contains("\u{1B}[2;13H"), "\(text)")
      #expect(overlay.difference(overlay.passed, mask: hud) == nil, "\(text)")
    }
  }

  @Test func `a taller window of which the terminal tells something else is not known`() {
    for cursor in [Point(row: 1, column: 5), Point(row: 2, column: 4), Point(row: 9, column: 5)] {
      let overlay = Overlay()
      overlay.pass("first\r\nabcdefghijklmnopqrs\r\nthird")
      overlay.grow(by: 2, history: 0)
      overlay.tellCursor(cursor)
      #expect(overlay.compositor.screen.cell(row: 0, column: 0).isUnknown, "\(cursor)")
    }
    // What the program writes before the answer may be anywhere.
    let overlay = Overlay()
    overlay.pass("first")
    overlay.grow(by: 2, history: 1)
    overlay.pass("x")
    #expect(overlay.compositor.screen.cell(row: 0, column: 0).isUnknown)
  }
}
