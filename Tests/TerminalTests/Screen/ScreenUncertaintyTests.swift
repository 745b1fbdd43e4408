import Testing

@testable import Terminal

/// What xterm leaves uncertain: halves of wide characters, protection, sets in GR, pens that were popped.
///
/// Found by `OracleTests`.
@Suite struct ScreenUncertaintyTests {
  @Test func `a protected half stays, and what is written beside it one by one may be gone`() {
    let screen = makeScreen()
    screen.feed("CSI 1\"q日CSI 0\"qCSI 1;1Ha")
    #expect(screen.cell(1, 2).isUnknown)
    screen.feed("b")
    #expect(screen.cell(1, 1).isUnknown && !screen.cell(1, 2).isUnknown)
  }

  @Test
  func `while protection is on, what is written over an unknown cell may take its neighbour along`()
  {
    for (pen, isUnknown) in [("CSI 1\"qCSI 0\"q", true), ("", false)] {
      let screen = makeScreen(columns: 8)
      screen.feed(pen)
      screen.screen.markUnknown(Rect(row: 0, column: 2, rows: 1, columns: 4))
      screen.screen.setCursor(Point(row: 0, column: 0))
      let cells = makeScreen(columns: 8, isUnknown: false)
      cells.feed(pen)
      cells.screen.markUnknown(Rect(row: 0, column: 2, rows: 1, columns: 4))
      for text in ["ab", "c", "日"] { screen.feed(text) }
      cells.feed("abc日")
      for column in 1...3 { #expect(screen.cell(1, column).isUnknown == (isUnknown && column > 1)) }
      expectSame(screen.picture, cells.picture, "in one piece")
    }
  }

  @Test func `after a wide character that is printed no half stays, be it protected`() {
    let screen = makeScreen()
    screen.feed("CSI 1;3HCSI 1\"q日CSI 0\"qCSI 1;2H本x")
    screen.expectLine(1, " 本x")
    #expect(!screen.cell(1, 2).isUnknown && !screen.cell(1, 4).isUnknown)
  }

  @Test func `REP prints one after the other, beside halves too`() {
    let screen = makeScreen()
    screen.feed("CSI 1\"q日本CSI 0\"qCSI 1;1HxCSI 2b")
    #expect(screen.cell(1, 1).isUnknown && !screen.cell(1, 3).isUnknown)
  }

  @Test func `IRM spares a protected character at the end of the line, if it is not pushed out`() {
    let screen = makeScreen()
    screen.feed("CSI 1;18HCSI 1\"q日CSI 0\"qCSI ?69hCSI 1;10sCSI 4hCSI 1;2H本")
    screen.expectLine(1, " 本              日")
  }

  @Test func `DCH and ICH next to what may be half a character: its neighbour is not known`() {
    for function in ["CSI P", "CSI @"] {
      let screen = makeScreen()
      screen.feed("x日CSI 1;2HCSI 1\"qCSI 1;2H本CSI 0\"qCSI 1;2HaCSI 1;3H\(function)")
      #expect(screen.cell(1, 2).isUnknown)
    }
  }

  @Test func `REP of the British set is mapped once more by a set in GR`() {
    let screen = makeScreen()
    screen.feed("ESC )0ESC (AESC ~yCSI 3b")
    #expect(!screen.cell(1, 1).isUnknown && !screen.cell(1, 2).isUnknown)
    #expect(screen.cell(1, 3).isUnknown && screen.cell(1, 4).isUnknown)
  }

  @Test
  func `text over protected wide characters is uncertain where xterm may write it in two pieces`() {
    let screen = makeScreen()
    screen.feed("CSI 1\"q日本CSI 0\"qCSI 1;1Habcd")
    #expect((1...4).map { screen.cell(1, $0).isUnknown } == [true, false, true, false])
  }

  @Test func `DECSEL of cells that may be protected leaves the pending wrap uncertain`() {
    let screen = makeScreen(columns: 4)
    screen.feed("CSI 1\"qCSI 0\"qabcd")
    screen.screen.markUnknown(Rect(row: 0, column: 0, rows: 1, columns: 4))
    screen.feed("CSI ?2K")
    #expect(screen.isColumnUncertain)
  }

  @Test
  func `a wide character with a pen that XTPOPSGR has brought may be hidden: the row is not known`()
  {
    let screen = makeScreen()
    screen.feed("aCSI #}日")
    #expect(screen.isColumnUncertain && screen.cell(1, 1).isUnknown)
  }

  @Test func `SGR 7 after XTPOPSGR brings a background that is not known`() {
    let screen = makeScreen()
    screen.feed("CSI 41mESC 7CSI #}CSI mESC 8CSI 7mx")
    #expect(!screen.cell(1, 1).isUnknown)
    screen.feed("CSI #}ESC 8")
    #expect(!screen.screen.isPenUnknown && !screen.isRestorable)
    screen.feed("CSI 7mx")
    #expect(screen.screen.isPenUnknown && screen.cell(1, 1).isUnknown)
    screen.feed("CSI 0;42;7mx")
    #expect(screen.isRestorable && !screen.cell(1, 2).isUnknown)
  }

  @Test
  func `beyond ASCII text is longer with another set in GR: the end of the line may come early`() {
    // In the last row all has scrolled, or not.
    let last = makeScreen(columns: 7, rows: 4)
    last.feed("xyzESC )0ESC ~CSI 4;1HＡＢ")
    #expect(!last.cell(1, 1).isUnknown && last.cell(4, 7).isUnknown)
    last.feed("Ｃ")
    #expect(last.isCursorKnown && (1...4).allSatisfy { last.cell($0, 1).isUnknown })
    // In another one the next may have been written to.
    let other = makeScreen(columns: 7, rows: 4)
    other.feed("xyzCSI 3;1Hxyz\n\rxyzESC )0ESC ~CSI 2;1HＡＢＣ")
    #expect(!other.isCursorKnown && !other.cell(1, 1).isUnknown && other.cell(3, 1).isUnknown)
    #expect(!other.cell(4, 1).isUnknown)
    other.feed("CSI 4;4Hx")
    #expect(other.isCursorKnown && !other.cell(4, 1).isUnknown)
  }

  @Test func `what is shifted beside cells that are not known may go with half of a character`() {
    let screen = makeScreen(columns: 7, rows: 4)
    screen.screen.markUnknown(Rect(row: 0, column: 0, rows: 4, columns: 7))
    screen.feed("CSI 3;2HcCSI 3;1HCSI P")
    #expect(!screen.cell(3, 1).isUnknown)
    // All that shows is unknown, as after text at an unknown place.
    screen.feed("ESC )0ESC ~CSI 4;1HＡＢＣESC |CSI 3;7HcCSI 5 @")
    #expect(screen.cell(3, 2).isUnknown)
  }

  @Test func `a late accent falls on both halves of a wide character that was written last`() {
    let screen = makeScreen(columns: 7, rows: 4)
    screen.feed("日ESC #8CSI 3;3H\u{301}")
    #expect(screen.cell(1, 1).isUnknown && screen.cell(1, 2).isUnknown)
    #expect(!screen.cell(1, 3).isUnknown)
  }

  @Test func `HPR from an uncertain column leaves it uncertain, HPA does not`() {
    let screen = makeScreen()
    screen.feed("ESC )0ESC ~ＡCSI 4a")
    #expect(screen.isColumnUncertain)
    screen.feed("CSI 7`")
    #expect(!screen.isColumnUncertain)
    screen.expectCursor(1, 7)
  }

  @Test func `DECDC over several characters leaves what is before the blanks`() {
    let screen = makeScreen(columns: 7)
    screen.feed("CSI 2;1HかaなbcCSI 2;1HCSI 5 @")
    screen.expectLine(2, "bc")
    screen.feed("CSI 3;1Hab日日cCSI 3;1HCSI 5 @")
    screen.expectLine(3, " c")
  }

  @Test(arguments: ["2S", "9S", "2T", "9^"])
  func `with DECSCLM the whole screen may be cleared where all lines of the region go`(end: String)
  {
    let screen = makeScreen()
    screen.feed("abcCSI 2;3rCSI ?4hCSI 1\(end.last!)")
    screen.expectLine(1, "abc")
    let stop = screen.feed("CSI \(end)", hudRegion: hudRegion(rows: 5...6, columns: 2...4))
    #expect(stop.reason == .willMoveCovered)
    screen.feed("CSI \(end)")
    #expect(screen.cell(1, 1).isUnknown)
    screen.feed("CSI HCSI 2JabcCSI ?4lCSI \(end)")
    screen.expectLine(1, "abc")
  }

  @Test func `a tab at a pending wrap ends CHT if it comes back to the left, else it goes on`() {
    let screen = makeScreen(columns: 20)
    screen.feed("CSI ?41hCSI 20GxCSI 2I")
    screen.expectCursor(2, 9)
    // With side margins the wrap is pending before the second stop.
    screen.feed("CSI ?69hCSI 1;5sCSI 1;5HxCSI ?69lCSI 2I")
    screen.expectCursor(2, 17)
  }

  @Test func `a C1 control in UTF-8 may be a character where GR is not ASCII`() {
    let screen = makeScreen()
    screen.feed("\u{9B}2A")
    screen.expectLine(1, "2A")
    #expect(screen.isCursorKnown)
    screen.feed("CSI 2;1HESC *AESC }\u{9B}2A")
    #expect(!screen.isCursorKnown && screen.cell(1, 1).isUnknown)
  }

  @Test func `a wide character without room leaves its row uncertain where its column is`() {
    let screen = makeScreen(columns: 7)
    screen.feed("CSI ?7labcdefg日")
    screen.expectLine(1, "abcdefg")
    screen.feed("CSI 2;1HESC *AESC }abcdefg日")
    #expect(screen.cell(2, 7).isUnknown && !screen.cell(1, 7).isUnknown)
  }

  @Test func `EPA leaves uncertain whether protection is respected`() {
    let screen = makeScreen()
    screen.screen.markUnknown(Rect(row: 0, column: 0, rows: 1, columns: 2))
    screen.feed("CSI 1\"qCSI ?2JESC W")
    let before = screen.screen.isProtectionKnown
    screen.feed("ESC V")
    let after = screen.screen.isProtectionKnown
    #expect(!before && after)
  }

  @Test func `a right half that may be erased makes its left half uncertain`() {
    let screen = makeScreen()
    screen.feed("日日ESC V")
    screen.screen.markUnknown(Rect(row: 0, column: 1, rows: 1, columns: 1))
    screen.feed("CSI 1;2HCSI ?K")
    #expect(screen.cell(1, 1).isUnknown)
  }

  @Test
  func `what scrolls beside half a character that is not known leaves the other half uncertain`() {
    let screen = makeScreen(columns: 10)
    screen.feed("CSI 1;3H日CSI 2;3H日")
    screen.screen.markUnknown(Rect(row: 0, column: 3, rows: 1, columns: 1))
    screen.feed("CSI ?69hCSI 4;6sCSI S")
    #expect(screen.cell(1, 3).isUnknown)
  }
}
