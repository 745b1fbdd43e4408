import Testing

@testable import Terminal

/// What xterm 379 does in its own way; each was found by comparing with it (`OracleTests`).
@Suite struct ScreenXtermTests {
  // MARK: Rendition

  @Test(arguments: [
    // Another form with sub-parameters than a color's is taken for SGR 30.
    ("4:3", Style(foreground: .ansi(0))), ("58:5:9", Style(foreground: .ansi(0))),
    // 58 is not known, so that what follows stands for itself.
    ("58;5;3", Style(attributes: [.blink, .italic])), ("53", .plain),
    ("6", Style(attributes: .blink)),
    ("38;7;31", Style(foreground: .ansi(1))), ("38;2;1;2", .plain),
    ("38:2::1:2:3", Style(foreground: .rgb(1, 2, 3))),
    ("38:2:1:2:3", Style(foreground: .rgb(1, 2, 3))),
    ("38;5:9", Style(foreground: .indexed(9))),
    // Only the first group of sub-parameters is found.
    ("38:2:1:2:214;107;38:2::6:217:92", Style(foreground: .ansi(10), background: .ansi(15))),
  ]) func `SGR in xterm`(parameters: String, style: Style) {
    let screen = makeScreen()
    screen.feed("CSI \(parameters)mx")
    #expect(screen.style(1, 1) == style)
  }

  @Test
  func
    `SGR 7 after DECRC with an index for a direct color, or the other way round, is not known`()
  {
    for (saved, last, isUnknown) in [
      ("48;2;1;2;3", "41", true), ("41", "48;2;1;2;3", true), ("41", "42", false),
      ("48;2;1;2;3", "48;2;4;5;6", false), ("48;2;1;2;3", "49", false), ("49", "48;2;1;2;3", true),
    ] {
      let screen = makeScreen()
      screen.feed("CSI \(saved)mESC 7CSI 0;\(last)mESC 8CSI 7mxCSI my")
      #expect(screen.cell(1, 1).isUnknown == isUnknown, "\(saved), \(last)")
      #expect(!screen.cell(1, 2).isUnknown)
    }
  }

  @Test func `SGR 4 and 21 are two attributes, 24 ends both`() {
    let screen = makeScreen()
    screen.feed("CSI 21;4mxCSI 24mx")
    #expect(screen.style(1, 1).attributes.underlineStyle == .double)
    #expect(screen.style(1, 1).attributes.contains(.singleBesideDouble))
    #expect(screen.style(1, 2) == .plain)
  }

  @Test func `text with SGR 8 is kept as blanks, of a wide one the row is not known`() {
    let screen = makeScreen()
    screen.feed("CSI 8mabCSI 2;1H日CSI 0mx")
    screen.expectLine(1, "")
    #expect(screen.style(1, 1) == .plain)
    #expect(screen.cell(2, 1).isUnknown && screen.cell(2, 20).isUnknown)
  }

  @Test func `a bold pen erases in the bright color`() {
    let screen = makeScreen()
    screen.feed("CSI 1;31mCSI K")
    #expect(screen.style(1, 1) == Style(foreground: .ansi(9)))
  }

  @Test func `ESC ( A is the right half of Latin-1`() {
    let screen = makeScreen()
    screen.feed("ESC (Aa#CSI H")
    screen.expectLine(1, "á£")
  }

  // MARK: Cursor

  @Test func `DECRC with DECOM is clamped to the bottom and right margins`() {
    let screen = makeScreen()
    screen.feed("CSI ?69hCSI ?6hCSI 6;20HESC 7CSI 2;4rCSI 3;9sESC 8")
    screen.expectCursor(4, 9)
  }

  @Test(arguments: [
    ("CSI ?45hCSI 2;1HCSI D", 1, 20), ("CSI ?45hCSI 1;1H\u{8}", 6, 20),
    ("CSI ?45hCSI 3;1HCSI 25D", 1, 16),
    ("CSI ?45hCSI 1;20HxCSI D", 1, 20), ("CSI ?45hCSI 2;4rCSI 2;1HCSI D", 4, 20),
    // From left of the margin it does not begin at the last row.
    ("CSI ?45hCSI ?69hCSI 5;20sCSI 1;1HCSI 30D", 5, 11), ("CSI ?45hCSI ?7lCSI 2;1HCSI D", 2, 1),
    ("CSI ?45hCSI !pCSI 2;1HCSI D", 2, 1),
  ]) func `reverse wrap`(sequence: String, row: Int, column: Int) {
    let screen = makeScreen()
    screen.feed(sequence)
    screen.expectCursor(row, column)
  }

  @Test func `DECBI at the left margin outside the rows does nothing`() {
    let screen = makeScreen()
    screen.feed("abCSI ?45hCSI 3;5rCSI 1;1HESC 6")
    screen.expectCursor(1, 1)
    screen.expectLine(1, "ab")
  }

  @Test func `without autowrap a wide character that does not fit ends the pending wrap`() {
    let screen = makeScreen(columns: 4)
    screen.feed("CSI ?7labcd")
    screen.expectCursor(1, 4, pending: true)
    screen.feed("日")
    screen.expectCursor(1, 4)
    screen.expectLine(1, "abcd")
  }

  @Test func `ICH outside the side margins ends the pending wrap, DCH does not`() {
    let screen = makeScreen(columns: 8)
    screen.feed("CSI ?69hCSI 2;4sCSI 1;8HxCSI P")
    screen.expectCursor(1, 8, pending: true)
    screen.feed("CSI @")
    screen.expectCursor(1, 8)
    screen.expectLine(1, "       x")
  }

  @Test func `CSI 0 T is for the mouse, CSI T scrolls`() {
    let screen = makeScreen()
    screen.feed("aCSI 0T")
    screen.expectLine(1, "a")
    screen.feed("CSI T")
    screen.expectLines("", "a")
  }

  @Test func `XTSAVE saves DECLRMM as set, and RIS keeps what is saved`() {
    let screen = makeScreen()
    screen.feed("CSI ?69sCSI ?7lCSI ?7sESC cCSI ?69;7r")
    #expect(screen.modes.contains(.sideMargins))
    #expect(!screen.modes.contains(.autowrap))
  }

  @Test func `with ?41 a tab at the pending wrap goes on in the next line`() {
    let screen = makeScreen()
    let line = "abcdefghijklmnopqrst"
    screen.feed(line + "\tx")
    screen.expectCursor(2, 2)
    screen.feed("CSI ?41hCSI H" + line + "\t")
    screen.expectCursor(2, 9)
    screen.feed("CSI H" + line + "CSI 2I")
    screen.expectCursor(2, 9)
    screen.feed("CSI 6;20Hx\tCSI ?7lCSI 2;20Hx\t")
    screen.expectLine(5, String(repeating: " ", count: 19) + "x")
    screen.expectCursor(2, 20, pending: true)
  }

  @Test func `ESC l makes the cursor's row the top margin, ESC m the first row`() {
    let screen = makeScreen()
    screen.feed("CSI 2;5rCSI 3;4HESC l")
    #expect(screen.margins == Rect(row: 2, column: 0, rows: 3, columns: 20))
    screen.expectCursor(3, 4)
    screen.feed("CSI 6;1HESC l")
    #expect(screen.margins.row == 2)
    screen.feed("ESC m")
    #expect(screen.margins == Rect(row: 0, column: 0, rows: 5, columns: 20))
  }

  @Test func `ESC SP L, M and N designate ASCII`() {
    for (level, right) in [("L", 1), ("M", 1), ("N", 2)] {
      let screen = makeScreen()
      screen.feed("ESC (0ESC )0\u{E}ESC  \(level)q")
      screen.expectLine(1, "q")
      #expect(screen.characterSets[0] == .ascii && screen.characterSets.right == right)
      #expect(screen.characterSets[1] == (right == 1 ? .ascii : .specialGraphics))
    }
  }

  @Test func `?1046 reset leaves the alternate screen, and RIS does not allow it again`() {
    let screen = makeScreen()
    screen.feed("aCSI ?1049hbCSI ?1046l")
    #expect(!screen.isAlternate)
    screen.feed("ESC cCSI ?1049hCSI ?47hCSI 3;3HCSI ?1048hCSI HCSI ?1048l")
    #expect(!screen.isAlternate)
    screen.expectCursor(1, 1)
    screen.feed("CSI ?1046hCSI ?1047h")
    #expect(screen.isAlternate)
  }

  @Test func `XTRESTORE of ?1049 switches the screens alone, of ?1048 restores the cursor`() {
    let screen = makeScreen()
    screen.feed("aCSI ?1049sCSI 3;3HCSI ?1048sCSI ?1049hbCSI ?47r")
    #expect(!screen.isAlternate)
    screen.expectLine(1, "a")
    screen.expectCursor(3, 4)
    screen.feed("CSI HCSI ?1048r")
    screen.expectCursor(3, 3)
    screen.feed("CSI ?1046sCSI ?1046lCSI ?1046rCSI ?47h")
    screen.expectLine(3, "  b")
  }

  @Test func `with reverse wrap BS in an uncertain column leaves the cursor unknown`() {
    let screen = makeScreen()
    screen.feed("CSI ?45hCSI 3;1HESC Na\u{8}")
    #expect(!screen.isCursorKnown)
  }

  @Test
  func `reverse wrap by a whole number of screens leaves xterm below its last row: not known`() {
    for (sequence, isKnown) in [("CSI 2;1HCSI 140D", false), ("CSI 2;1HCSI 141D", true)] {
      let screen = makeScreen()
      screen.feed("CSI ?45h" + sequence)
      #expect(screen.isCursorKnown == isKnown)
    }
  }

  @Test func `?1049 and ?1047 clear what SPA protects`() {
    let screen = makeScreen()
    screen.feed("CSI ?1047hESC VabcESC WCSI ?1049h")
    screen.expectLine(1, "")
    screen.feed("ESC VabcCSI ?1047lCSI ?47h")
    screen.expectLine(1, "")
    screen.feed("CSI 1;1HabcCSI 2K")
    screen.expectLine(1, "abc")
  }

  // MARK: Erasing

  @Test func `DECSEL of nothing but protected cells keeps the pending wrap`() {
    let screen = makeScreen(columns: 4)
    screen.feed("CSI 1\"qabcdCSI ?2K")
    screen.expectCursor(1, 4, pending: true)
    screen.expectLine(1, "abcd")
  }

  @Test func `DECSED 0 at home ends the protection as DECSED 2 does`() {
    let screen = makeScreen()
    screen.feed("CSI 1\"qCSI ?JabCSI HCSI ?J")
    screen.expectLine(1, "")
  }

  @Test func `DECALN is plain whatever the pen is`() {
    let screen = makeScreen(columns: 3, rows: 2)
    screen.feed("CSI 31;44mESC #8")
    screen.expectLines("EEE", "EEE")
    #expect(screen.style(2, 2) == .plain)
    screen.feed("x")
    #expect(screen.style(1, 1) == Style(foreground: .ansi(1), background: .ansi(4)))
  }

  // MARK: Wide characters that are cut

  @Test func `cut in the last column of eight, the left half keeps its look`() {
    let screen = makeScreen(columns: 8)
    screen.feed("CSI 44mCSI 1;7H日CSI 42mCSI 1;8Hx")
    #expect(screen.style(1, 7).background == .ansi(4))
    let odd = makeScreen(columns: 7)
    odd.feed("CSI 44mCSI 1;6H日CSI 42mCSI 1;7Hx")
    #expect(odd.style(1, 6).background == .ansi(2))
  }

  @Test func `DCH of the cells before one that ends the line takes one more`() {
    let screen = makeScreen(columns: 8)
    screen.feed("abcde日xCSI H")
    screen.feed("CSI P")
    screen.expectLine(1, "bcde日x")
    screen.feed("CSI 2;1Habcdef日CSI 2;1HCSI P")
    screen.expectLine(2, "bcdef?")
  }

  @Test func `scrolling within margins cuts the lines that far from the region too`() {
    let screen = makeScreen(columns: 10, rows: 6)
    screen.feed("CSI 5;6H日CSI ?69hCSI 3;6sCSI 2;4rCSI S")
    screen.expectLine(5, "")
    #expect(screen.cell(5, 6).width == 1)
  }

  @Test func `what combines is not told after scrolling within margins`() {
    let screen = makeScreen(columns: 10, rows: 4)
    screen.feed("CSI 2;4Hq\u{301}CSI ?69hCSI 3;6sCSI S")
    #expect(screen.cell(1, 4).isUnknown)
  }

  @Test func `single shifts after a character of another width leave all unknown`() {
    let screen = makeScreen()
    screen.feed("ESC *0日ESC NqCSI 3;1H")
    #expect(screen.cell(1, 1).isUnknown && screen.cell(6, 20).isUnknown)
    let same = makeScreen()
    same.feed("ESC *0aESC NqCSI 3;1H")
    #expect(same.cell(1, 1).isUnknown && !same.cell(6, 20).isUnknown)
  }

  @Test func `an erase from an uncertain column leaves its line unknown`() {
    let screen = makeScreen()
    screen.feed("abCSI 2;1HESC *0aESC NqCSI K")
    #expect(screen.cell(2, 20).isUnknown)
    screen.expectLine(1, "ab")
  }

  @Test func `DECRC brings the saved uncertainty of the column back`() {
    let screen = makeScreen()
    screen.feed("ESC *0aESC NqESC 7CSI HESC 8")
    #expect(screen.isColumnUncertain)
  }

  @Test func `a tab stop set in an uncertain column makes the next tab uncertain`() {
    let screen = makeScreen()
    screen.feed("ESC *0aESC NqESC HCSI 2;1H\t")
    #expect(screen.isColumnUncertain)
    screen.feed("CSI 3gCSI 2;1H\t")
    #expect(!screen.isColumnUncertain)
    screen.expectCursor(2, 20)
  }

  @Test func `G2 with line drawing is in GR: nothing is drawn then`() {
    let screen = makeScreen()
    screen.feed("ESC *0")
    let isRestorable = screen.screen.isRestorable
    #expect(!isRestorable)
    screen.feed("ESC *B")
    let isRestorableAgain = screen.screen.isRestorable
    #expect(isRestorableAgain)
  }

  // MARK: Harmless

  @Test(arguments: [
    "CSI >1u", "CSI <u", "CSI <1u", "CSI =1;1u", "CSI ?u", "CSI >4;2m", "CSI >4m", "CSI ?4m",
    "CSI ?1000;1002;1006;1015;1016h", "CSI ?2004h", "CSI ?1004h", "CSI 2 q", "CSI >0s", "CSI >2T",
    "CSI 1;2;3;4;5T", "OSC 4;1;?\u{7}", "OSC 10;? ST", "OSC 52;c;aGk=\u{7}", "ESC =", "ESC >",
    "DCS +q544e ST", "CSI 22;0;0t", "CSI 23;0;0t", "CSI #P", "CSI #Q",
  ])
  func `what is for keys, mouse, colors and titles changes neither cells nor cursor`(
    sequence: String
  ) {
    let screen = makeScreen()
    screen.feed("CSI 31mabCSI 3;4HxCSI 2;2HESC 7CSI 3;5H")
    let before = screen.picture
    screen.feed(sequence)
    let after = screen.picture
    // The first line holds the modes that are only watched.
    expectSame(Array(before.dropFirst()), Array(after.dropFirst()), sequence)
    screen.expectCursor(3, 5)
    #expect(screen.isCursorKnown)
  }
}
