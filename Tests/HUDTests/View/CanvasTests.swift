import HUD
import PerfHUDBase
import Terminal
import Testing

private func makeCanvas(_ columns: Int = 8, _ rows: Int = 2, isASCII: Bool = false) -> Canvas {
  Canvas(Size(rows: rows, columns: columns), isASCII: isASCII)
}

@Suite struct CanvasTests {
  @Test func `text ends at the edge and returns the column after it`() {
    var canvas = makeCanvas()
    #expect(canvas.text("abc" as StaticString, row: 0, column: 6) == 9)
    #expect(canvas.grid.text(row: 0) == "      ab")
    #expect(canvas.text("xyz" as StaticString, row: 1, column: -2) == 1)
    #expect(canvas.grid.text(row: 1) == "z")
  }

  @Test func `a short text may have characters beyond ASCII`() {
    var canvas = makeCanvas()
    #expect(canvas.text(ShortText("≥ 4–"), row: 0, column: 0) == 4)
    #expect(canvas.grid.text(row: 0) == "≥ 4–")
    var plain = makeCanvas(isASCII: true)
    #expect(plain.text(ShortText("–"), row: 0, column: 0) == 1)
  }

  @Test func `nothing is drawn outside the clip`() {
    var canvas = makeCanvas(8, 3)
    canvas.clip = Rect(row: 1, column: 2, rows: 1, columns: 3)
    for row in -1...4 {
      canvas.text("abcdefgh" as StaticString, row: row, column: 0)
      canvas.fill("#", row: row, column: -5, count: 8)
      canvas.put("@", row: row, column: 7)
    }
    #expect((0..<3).map { canvas.grid.text(row: $0) } == ["", "  #de", ""])
  }

  @Test func `a wide character that does not fit is left out whole`() {
    let text: StaticString = "日本語"
    var canvas = makeCanvas(5, 1)
    #expect(canvas.text(text, row: 0, column: 0) == 6)
    #expect(canvas.grid.text(row: 0) == "日本")
    #expect(canvas.grid[0, 1].isContinuation && !canvas.grid[0, 4].isContinuation)
    var cut = makeCanvas(5, 1)
    cut.text(text, row: 0, column: -1)
    #expect(cut.grid[0, 0] == Cell(" "))
    #expect(cut.grid.text(row: 0) == " 本語")
  }

  @Test func `what is drawn over half of a wide character takes the other half away`() {
    let draws: [(inout Canvas) -> Void] = [
      { $0.put("x", row: 0, column: 1) }, { $0.fill("x", row: 0, column: 1, count: 1) },
      { $0.text("x" as StaticString, row: 0, column: 1) },
    ]
    for draw in draws {
      var canvas = makeCanvas(6, 1)
      canvas.text("日本語" as StaticString, row: 0, column: 0)
      draw(&canvas)
      #expect(canvas.grid.text(row: 0) == " x本語")
    }
    var canvas = makeCanvas(6, 1)
    canvas.text("日本語" as StaticString, row: 0, column: 0)
    canvas.text("字" as StaticString, row: 0, column: 1)
    #expect(canvas.grid.text(row: 0) == " 字 語")
    canvas.put("y", row: 0, column: 4)
    #expect(canvas.grid.text(row: 0) == " 字 y")
  }

  @Test(arguments: [
    ("abcdefgh", 8, "abcdefgh"), ("abcdefgh", 5, "abcd…"), ("日本語", 6, "日本語"),
    ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("ab", 1, "…"), ("ab", 0, ""), ("ab", -4, ""),
  ])
  func `a cut text ends with an ellipsis within its width`(text: String, width: Int, shown: String)
  {
    var canvas = makeCanvas()
    canvas.text(text, row: 0, column: 0, width: width)
    #expect(canvas.grid.text(row: 0) == shown)
  }

  @Test func `a combining mark does not join what is beside it`() {
    var canvas = makeCanvas()
    canvas.text("e\u{301}x", row: 0, column: 0)
    #expect(canvas.grid.text(row: 0) == "ex")
  }

  @Test func `where only ASCII may be drawn, marks are in for the rest`() {
    var canvas = makeCanvas(12, 1, isASCII: true)
    canvas.text("日é…x", row: 0, column: 0)
    #expect(canvas.grid.text(row: 0) == "???~x")
  }

  @Test func `erasing and resizing leave blanks`() {
    var canvas = makeCanvas(4, 1)
    canvas.text("abcd", row: 0, column: 0)
    canvas.erase()
    #expect(canvas.grid.text(row: 0) == "")
    canvas.clip = Rect.empty
    canvas.resize(to: Size(rows: 3, columns: 9))
    #expect(canvas.clip == Rect(row: 0, column: 0, rows: 3, columns: 9))
    #expect(canvas.grid[2, 8] == Cell(" "))
  }

  @Test func `the width of a text counts columns`() {
    #expect(Canvas.width("abc") == 3)
    #expect(Canvas.width("日本 x") == 6)
    #expect(Canvas.width("…") == 1)
  }

  @Test func `a short text keeps its characters`() {
    var text = ShortText()
    text.append("12.5 %")
    var canvas = makeCanvas()
    #expect(canvas.text(text, row: 0, column: 1, role: .cpu) == 7)
    #expect(canvas.grid.text(row: 0) == " 12.5 %")
    #expect(canvas.grid[0, 1].style == Role.cpu.style)
  }
}
