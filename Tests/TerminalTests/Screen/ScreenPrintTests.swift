import Testing

@testable import Terminal

@Suite struct ScreenPrintTests {
  @Test func `text lands at the cursor`() {
    let screen = makeScreen()
    screen.feed("hello CR  LF world")
    screen.expectLines("hello", "world")
    screen.expectCursor(2, 6)
  }

  // MARK: Pending wrap

  @Test func `the 20th of 20 columns leaves the wrap pending`() {
    let screen = makeScreen()
    screen.feed("12345678901234567890")
    screen.expectCursor(1, 20, pending: true)
    screen.feed("x")
    screen.expectCursor(2, 2)
    screen.expectLines("12345678901234567890", "x")
    #expect(screen.isWrapped(row: 0))
  }

  @Test func `CR, LF, BS, CUP, EL 0 and ECH clear the pending wrap`() {
    for sequence in [
      "\r", "\n", "\u{8}", "CSI H", "CSI K", "CSI X", "CSI A", "CSI B", "CSI C", "CSI D", "CSI @",
      "CSI P", "CSI J", "CSI L", "CSI M", "ESC M", "ESC D", "CSI r", "CSI G", "CSI d",
    ] {
      let screen = makeScreen()
      screen.feed("CSI 3HCSI 20Gx" + sequence)
      #expect(!screen.isWrapPending, "\(sequence)")
    }
  }

  @Test(arguments: ["CSI K", "CSI 1K", "CSI 2K", "CSI J", "CSI 1J", "CSI 2J", "CSI ?K", "CSI ?2J"])
  func `erasing clears the pending wrap, in tmux keeps it`(sequence: String) {
    let xterm = makeScreen()
    xterm.feed("CSI 3HCSI 20Gx" + sequence)
    #expect(!xterm.isWrapPending)
    let tmux = makeScreen(quirks: .tmux)
    tmux.feed("CSI 3HCSI 20Gx" + sequence)
    #expect(tmux.isWrapPending)
  }

  @Test func `the end of the alternate screen by 1047 clears the pending wrap, by 47 keeps it`() {
    for (mode, isPending) in [("1047", false), ("47", true)] {
      let screen = makeScreen()
      screen.feed("CSI ?\(mode)hCSI 3HCSI 20GxCSI ?\(mode)l")
      #expect(screen.isWrapPending == isPending)
    }
  }

  @Test func `HT, SU, SD, SGR and autowrap keep the pending wrap`() {
    for sequence in [
      "\t", "CSI Z", "CSI S", "CSI T", "CSI 1m", "CSI ?7l",
      "CSI ?7h", "CSI ?47h", "ESC 7", "CSI !p",
    ] {
      let screen = makeScreen()
      screen.feed("CSI 3HCSI 20Gx" + sequence)
      #expect(screen.isWrapPending, "\(sequence)")
    }
  }

  @Test func `BS at the pending wrap goes to the column before the last, in tmux to the last`() {
    let xterm = makeScreen(columns: 5)
    xterm.feed("12345\u{8}x")
    xterm.expectLine(1, "123x5")
    let tmux = makeScreen(columns: 5, quirks: .tmux)
    tmux.feed("12345\u{8}x")
    tmux.expectLine(1, "1234x")
  }

  @Test func `LF at the pending wrap clears it, in tmux keeps it`() {
    let xterm = makeScreen(columns: 5)
    xterm.feed("12345\nx")
    xterm.expectLines("12345", "    x")
    let tmux = makeScreen(columns: 5, quirks: .tmux)
    tmux.feed("12345\nx")
    tmux.expectLines("12345", "", "x")
  }

  @Test func `without autowrap the last column is overwritten`() {
    let screen = makeScreen(columns: 5)
    screen.feed("CSI ?7l1234567")
    screen.expectLine(1, "12347")
    screen.feed("CSI ?7hx")
    screen.expectLine(2, "x")
  }

  @Test func `the wrap at the bottom scrolls`() {
    let screen = makeScreen(columns: 3, rows: 2)
    screen.feed("abcdefg")
    screen.expectLines("def", "g")
  }

  // MARK: Wide

  @Test func `a wide character takes two cells`() {
    let screen = makeScreen()
    screen.feed("日x")
    #expect(screen.cell(1, 1).width == 2)
    #expect(screen.cell(1, 2).isContinuation)
    screen.expectCursor(1, 4)
    screen.expectLine(1, "日x")
  }

  @Test func `a wide character that does not fit goes to the next line`() {
    let screen = makeScreen(columns: 5)
    screen.feed("abcd日")
    screen.expectLines("abcd", "日")
    #expect(screen.cell(1, 5).isErased)
  }

  @Test func `a wide character is dropped without autowrap`() {
    let screen = makeScreen(columns: 5)
    screen.feed("CSI ?7labcd日")
    screen.expectLine(1, "abcd")
  }

  @Test func `overwriting the left half blanks the right, and the other way round`() {
    let screen = makeScreen()
    screen.feed("日本CSI 1;1HxCSI 1;4Hy")
    screen.expectLine(1, "x  y")
    #expect(!screen.cell(1, 2).isContinuation)
    #expect(screen.cell(1, 3).width == 1)
  }

  @Test func `a wide character over two others cuts both`() {
    let screen = makeScreen()
    screen.feed("日本CSI 1;2H語")
    screen.expectLine(1, " 語")
    #expect(screen.cell(1, 4).isErased)
  }

  @Test func `erasing half of a wide character blanks the other`() {
    let screen = makeScreen()
    screen.feed("日本語CSI 1;2HCSI XCSI 1;5HCSI K")
    screen.expectLine(1, "  本")
    #expect(screen.cell(1, 1).isErased)
  }

  @Test func `inserting into a wide character blanks its halves`() {
    let screen = makeScreen()
    screen.feed("日本CSI 1;2HCSI @")
    screen.expectLine(1, "   本")
    screen.feed("CSI 2;1H日本CSI 2;2HCSI P")
    screen.expectLine(2, " 本")
  }

  @Test func `a wide character pushed over the margin is cut`() {
    let screen = makeScreen(columns: 8)
    screen.feed("abcdef日CSI 1;1HCSI @")
    // xterm keeps the left half in the last column, if that is a multiple of eight.
    screen.expectLine(1, " abcdef?")
    #expect(screen.cell(1, 8).width == 1)
    let other = makeScreen(columns: 6, quirks: [])
    other.feed("abcd日CSI 1;1HCSI @")
    // What others leave is not known.
    other.expectLine(1, " abcd?")
  }

  // MARK: Combining

  @Test func `an accent joins the character before it`() {
    let screen = makeScreen()
    screen.feed("e\u{301}x")
    #expect(screen.scalars(of: screen.cell(1, 1)) == ["e", "\u{301}"])
    screen.expectCursor(1, 3)
    screen.feed("日\u{3099}\u{301}y")
    #expect(screen.scalars(of: screen.cell(1, 3)) == ["日", "\u{3099}", "\u{301}"])
    #expect(screen.cell(1, 4).isContinuation)
    screen.expectLine(1, "e\u{301}x日\u{3099}\u{301}y")
  }

  @Test func `an accent at the pending wrap joins the last column`() {
    let screen = makeScreen(columns: 3)
    screen.feed("abc\u{301}")
    screen.expectCursor(1, 3, pending: true)
    #expect(screen.cell(1, 3).isCluster)
  }

  @Test func `the same cluster has the same cell`() {
    let screen = makeScreen()
    screen.feed("e\u{301}e\u{301}")
    #expect(screen.cell(1, 1) == screen.cell(1, 2))
  }

  @Test func `nine scalars in one cell are unknown`() {
    let screen = makeScreen()
    screen.feed("e" + String(repeating: "\u{301}", count: 7))
    #expect(!screen.cell(1, 1).isUnknown)
    screen.feed("\u{301}")
    #expect(screen.cell(1, 1).isUnknown)
  }

  @Test func `an accent after a cursor move leaves both cells that may have it unknown`() {
    let screen = makeScreen()
    screen.feed("abCSI 1;2H\u{301}")
    #expect(screen.cell(1, 1).isUnknown)
    #expect(screen.cell(1, 2).isUnknown)
  }

  @Test func `clusters in ever new cells do not run out`() {
    let screen = makeScreen(columns: 40, rows: 10)
    var text = ""
    for value in 0..<9000 {
      text.unicodeScalars.append(Unicode.Scalar(0x4E00 + UInt32(value))!)
      text.unicodeScalars.append(Unicode.Scalar(0x300 + UInt32(value % 60))!)
    }
    screen.feed(text)
    for row in 1...10 { #expect(!screen.cell(row, 1).isUnknown) }
    let first = screen.scalars(of: screen.cell(10, 1))
    #expect(first.count == 2 && first[0].value >= 0x4E00)
  }

  @Test func `joiners and flags make the columns uncertain where widths differ`() {
    let uncertain = makeScreen(quirks: [])
    uncertain.feed("ab👩\u{200D}🔬x")
    #expect(uncertain.isColumnUncertain)
    #expect(uncertain.cell(1, 8).isUnknown)
    uncertain.feed("CSI 2;1Hy")
    #expect(!uncertain.isColumnUncertain)
    #expect(!uncertain.cell(2, 1).isUnknown)
    let sure = makeScreen()
    sure.feed("👩\u{200D}🔬x🇯🇵")
    #expect(!sure.isColumnUncertain)
  }

  // MARK: Insert, repeat

  @Test func `IRM pushes the rest of the line`() {
    let screen = makeScreen(columns: 6)
    screen.feed("abcdefCSI 1;2HCSI 4hXYCSI 4lZ")
    screen.expectLine(1, "aXYZcd")
  }

  @Test func `REP repeats the last character right after it only`() {
    let screen = makeScreen()
    screen.feed("abCSI 3b")
    screen.expectLine(1, "abbbb")
    screen.feed("CSI 2bxCSI mCSI 2b")
    screen.expectLine(1, "abbbbx")
    screen.feed("日CSI b")
    screen.expectLine(1, "abbbbx日日")
  }

  @Test func `REP wraps`() {
    let screen = makeScreen(columns: 4)
    screen.feed("xCSI 5b")
    screen.expectLines("xxxx", "xx")
  }

  @Test func `REP 65535 fills the screen and ends`() {
    let screen = makeScreen(columns: 4, rows: 2)
    screen.feed("xCSI 99999b")
    screen.expectLines("xxxx", "xxxx")
  }

  // MARK: Charsets

  @Test func `ESC ( 0 draws lines, SO and SI switch`() {
    let screen = makeScreen()
    screen.feed("ESC (0lqkESC (Bq")
    screen.expectLine(1, "┌─┐q")
    #expect(screen.cell(1, 1).scalarValue == 0x6C)
    #expect(screen.cell(1, 1).characterSet == .specialGraphics)
    #expect(screen.cell(1, 4).characterSet == .ascii)
    screen.feed("CSI 2;1HESC )0x\u{E}x\u{F}x")
    screen.expectLine(2, "x│x")
  }

  @Test func `LS2 and LS3 use G2 and G3`() {
    let screen = makeScreen()
    screen.feed("ESC *0ESC +AESC nqESC o#\u{F}q")
    screen.expectLine(1, "─£q")
  }

  @Test func `SS2 and SS3 hold for one character and leave the row uncertain`() {
    let screen = makeScreen()
    screen.feed("ESC *0ESC +AESC O#ESC Nqq")
    let sets = (1...3).map { screen.cell(1, $0).characterSet }
    #expect(sets == [.unitedKingdom, .specialGraphics, .ascii])
    #expect(screen.isColumnUncertain)
    screen.feed("\rx")
    #expect(!screen.cell(1, 1).isUnknown)
  }

  @Test func `other sets make what is printed unknown`() {
    let screen = makeScreen()
    screen.feed("ESC (K[ESC (B[")
    #expect(screen.cell(1, 1).isUnknown)
    #expect(!screen.cell(1, 2).isUnknown)
  }

  // MARK: Links

  @Test func `OSC 8 gives cells a link until it is closed`() {
    let screen = makeScreen()
    screen.feed("OSC 8;id=1;http://a ST\("ab")OSC 8;; STc")
    let link = screen.cell(1, 1).link
    #expect(link != 0 && screen.cell(1, 2).link == link && screen.cell(1, 3).link == 0)
    #expect(screen.link(link) == Array("id=1;http://a".utf8))
  }

  @Test func `5000 links one after another do not run out`() {
    let screen = makeScreen()
    for index in 0..<5000 {
      screen.feed("CSI HOSC 8;;http://host/\(index)\u{7}x")
      #expect(!screen.cell(1, 1).isUnknown)
    }
    #expect(screen.link(screen.cell(1, 1).link) == Array(";http://host/4999".utf8))
  }
}
