import Testing

@testable import Terminal

@Suite struct ScreenControlTests {
  @Test(arguments: [
    ("CSI 3;4H", 3, 4), ("CSI 3;4f", 3, 4), ("CSI H", 1, 1), ("CSI ;5H", 1, 5),
    ("CSI 99;99H", 6, 20),
    ("CSI 3;4HCSI A", 2, 4), ("CSI 3;4HCSI 9A", 1, 4), ("CSI 3;4HCSI 2B", 5, 4),
    ("CSI 3;4HCSI 9B", 6, 4), ("CSI 3;4HCSI 2C", 3, 6), ("CSI 3;4HCSI 99C", 3, 20),
    ("CSI 3;4HCSI 2D", 3, 2), ("CSI 3;4HCSI 9D", 3, 1), ("CSI 3;4HCSI 2E", 5, 1),
    ("CSI 3;4HCSI F", 2, 1), ("CSI 3;4HCSI 9G", 3, 9), ("CSI 3;4HCSI 9`", 3, 9),
    ("CSI 3;4HCSI 2a", 3, 6), ("CSI 3;4HCSI 5d", 5, 4), ("CSI 3;4HCSI 2e", 5, 4),
    ("CSI 3;4H\t", 3, 9), ("CSI 3;4HCSI 2I", 3, 17), ("CSI 3;18HCSI Z", 3, 17),
    ("CSI 3;18HCSI 2Z", 3, 9), ("CSI 3;18H\t", 3, 20), ("CSI 3;4H\u{8}", 3, 3),
    ("\u{8}", 1, 1), ("CSI 3;4HESC D", 4, 4), ("CSI 3;4HESC M", 2, 4), ("CSI 3;4HESC E", 4, 1),
    ("CSI 3;4H\u{B}", 4, 4), ("CSI 3;4H\u{C}", 4, 4), ("CSI 20hCSI 3;4H\n", 4, 1),
    ("CSI 0;0H", 1, 1), ("CSI 3;4HCSI 0C", 3, 5),
  ]) func `cursor movements`(sequence: String, row: Int, column: Int) {
    let screen = makeScreen()
    screen.feed(sequence)
    screen.expectCursor(row, column)
  }

  @Test func `tabs are set by HTS and cleared by TBC`() {
    let screen = makeScreen()
    screen.feed("CSI 4GESC H\r\tx")
    screen.expectCursor(1, 5)
    screen.feed("CSI 4GCSI g\r\t")
    screen.expectCursor(1, 9)
    screen.feed("CSI 3g\r\t")
    screen.expectCursor(1, 20)
    screen.feed("CSI ?5W\r\t")
    screen.expectCursor(1, 20)
  }

  @Test func `DECST8C sets the default tabs, but not in xterm 379`() {
    let screen = makeScreen(quirks: [])
    screen.feed("CSI 3gCSI ?5W\r\t")
    screen.expectCursor(1, 9)
  }

  // MARK: Regions

  @Test func `LF at the bottom margin scrolls the region only`() {
    let screen = makeScreen()
    screen.feed("1\r\n2\r\n3\r\n4\r\n5\r\n6CSI 2;4rCSI 4;1H\n")
    screen.expectLines("1", "3", "4", "", "5", "6")
    screen.expectCursor(4, 1)
  }

  @Test func `RI at the top margin scrolls down`() {
    let screen = makeScreen()
    screen.feed("1\r\n2\r\n3\r\n4\r\n5\r\n6CSI 2;4rCSI 2;1HESC M")
    screen.expectLines("1", "", "2", "3", "5", "6")
  }

  @Test func `below the region LF stops at the last row`() {
    let screen = makeScreen()
    screen.feed("CSI 2;3rCSI 6;1Hx\ny")
    screen.expectLine(6, "xy")
  }

  @Test func `SU and SD scroll the region`() {
    let screen = makeScreen()
    screen.feed("1\r\n2\r\n3\r\n4\r\n5\r\n6CSI 2;5rCSI 2S")
    screen.expectLines("1", "4", "5", "", "", "6")
    screen.feed("CSI T")
    screen.expectLines("1", "", "4", "5", "", "6")
    screen.feed("CSI 99^")
    screen.expectLines("1", "", "", "", "", "6")
  }

  @Test func `IL and DL shift lines below the cursor`() {
    let screen = makeScreen()
    screen.feed("1\r\n2\r\n3\r\n4\r\n5\r\n6CSI 2;5HCSI 2L")
    screen.expectLines("1", "", "", "2", "3", "4")
    screen.expectCursor(2, 1)
    screen.feed("CSI M")
    screen.expectLines("1", "", "2", "3", "4", "")
  }

  @Test func `IL outside the region does nothing`() {
    let screen = makeScreen()
    screen.feed("1\r\n2CSI 3;4rCSI 1;1HCSI L")
    screen.expectLines("1", "2")
  }

  @Test func `CSI 5;2 r and CSI 3;3 r are ignored`() {
    let screen = makeScreen()
    screen.feed("CSI 2;2HCSI 5;2rCSI 3;3r")
    screen.expectCursor(2, 2)
    #expect(screen.margins == Rect(row: 0, column: 0, rows: 6, columns: 20))
  }

  @Test func `DECOM counts from the margin and keeps the cursor in it`() {
    let screen = makeScreen()
    screen.feed("CSI 2;4rCSI ?6h")
    screen.expectCursor(2, 1)
    screen.feed("CSI 9;3H")
    screen.expectCursor(4, 3)
    screen.feed("CSI 2d")
    screen.expectCursor(3, 3)
    screen.feed("CSI ?6l")
    screen.expectCursor(1, 1)
  }

  @Test func `side margins hold wrap, CR and scrolling`() {
    let screen = makeScreen(columns: 10, rows: 4)
    screen.feed("CSI ?69hCSI 3;6sCSI 1;3Habcdef")
    screen.expectLines("  abcd", "  ef")
    screen.feed("\rX")
    screen.expectLine(2, "  Xf")
    screen.feed("CSI 4;1H--CSI 4;7H----CSI 4;3H\n")
    screen.expectLines("  Xf", "", "", "--    ----")
  }

  @Test func `ICH and DCH stop at the right margin`() {
    let screen = makeScreen(columns: 10, rows: 2)
    screen.feed("0123456789CSI ?69hCSI 3;6sCSI 1;4HCSI @")
    screen.expectLine(1, "012 346789")
    screen.feed("CSI 1;4HCSI 2P")
    screen.expectLine(1, "0124" + "  6789")
  }

  // MARK: Erase and edit

  @Test(arguments: [
    ("CSI K", "abcd"), ("CSI 1K", "     fghij"), ("CSI 2K", ""), ("CSI X", "abcd fghij"),
    ("CSI 3X", "abcd   hij"), ("CSI @", "abcd efghi"), ("CSI 3@", "abcd   efg"),
    ("CSI P", "abcdfghij"), ("CSI 3P", "abcdhij"), ("CSI 99P", "abcd"), ("CSI 99@", "abcd"),
    ("CSI 99X", "abcd"),
  ]) func `editing a line at column 5`(sequence: String, line: String) {
    let screen = makeScreen(columns: 10, rows: 2)
    screen.feed("abcdefghijCSI 1;5H" + sequence)
    screen.expectLine(1, line)
  }

  @Test func `ED 0, 1 and 2 erase parts of the screen`() {
    let screen = makeScreen(columns: 3, rows: 3)
    screen.feed("abc\r\ndef\r\nghiCSI 2;2HCSI J")
    screen.expectLines("abc", "d", "")
    screen.feed("CSI 1;1Habc\r\ndef\r\nghiCSI 2;2HCSI 1J")
    screen.expectLines("", "  f", "ghi")
    screen.feed("CSI 2J")
    screen.expectLines("", "", "")
    screen.expectCursor(2, 2)
  }

  @Test func `erased cells are told from written spaces`() {
    let screen = makeScreen()
    screen.feed("a bCSI 1;1HCSI X")
    #expect(screen.cell(1, 1).isErased)
    #expect(!screen.cell(1, 2).isErased)
    #expect(screen.cell(1, 9).isErased)
  }

  @Test func `erasing takes the pen's background, not its attributes`() {
    let screen = makeScreen()
    screen.feed("xCSI 1;4;44mCSI K")
    #expect(screen.style(1, 2) == Style(background: .ansi(4)))
    screen.feed("CSI 6;1H\n")
    #expect(screen.style(6, 20) == Style(background: .ansi(4)))
    screen.feed("CSI m\n")
    #expect(screen.style(6, 20) == .plain)
    #expect(screen.style(5, 20) == Style(background: .ansi(4)))
  }

  @Test func `DECSCA protects from selective erasing only`() {
    let screen = makeScreen()
    screen.feed("aCSI 1\"qbCSI 0\"qcCSI ?2K")
    screen.expectLine(1, " b")
    screen.feed("CSI 2K")
    screen.expectLine(1, "")
  }

  @Test func `EL 2 spares what SPA protects, ED 2 of a screen without any ends that`() {
    let screen = makeScreen()
    screen.feed("aESC VbESC WcCSI 2K")
    screen.expectLine(1, " b")
    #expect(screen.cell(1, 2).isProtected)
    screen.feed("CSI 1;2HxCSI 2JESC VCSI 1;1HaCSI 2K")
    screen.expectLine(1, "a")
    screen.feed("CSI !pCSI 2K")
    screen.expectLine(1, "")
  }

  @Test func `EPA alone protects nothing from EL`() {
    let screen = makeScreen()
    screen.feed("CSI 1\"qaESC WbCSI 2K")
    screen.expectLine(1, "")
  }

  // MARK: SGR

  @Test(arguments: [
    ("31", Style(foreground: .ansi(1))), ("91", Style(foreground: .ansi(9))),
    ("38;5;1", Style(foreground: .indexed(1))), ("38:5:200", Style(foreground: .indexed(200))),
    ("38;2;1;2;3", Style(foreground: .rgb(1, 2, 3))),
    ("38:2::1:2:3", Style(foreground: .rgb(1, 2, 3))),
    ("38:2:1:2:3", Style(foreground: .rgb(1, 2, 3))),
    ("44", Style(background: .ansi(4))), ("104", Style(background: .ansi(12))),
    ("48;5;9;1", Style(background: .indexed(9), attributes: .bold)),
    ("48:2::9:8:7;3", Style(background: .rgb(9, 8, 7), attributes: .italic)),
    ("58;5;3;4", Style(attributes: .underline, underlineColor: .indexed(3))),
    ("58:2::1:1:1;59", .plain), ("1;2;22", .plain), ("3;23;4;24;5;25;7;27;8;28;9;29;53;55", .plain),
    ("1;2;3;5;6;7;8;9;53", Style(attributes: Attributes(rawValue: 0x3FB))),
    ("31;42;39;49", .plain), ("31;0", .plain), ("1;31;", .plain), ("38;5", .plain),
    ("38;2;1;2", .plain), ("38;5;256", .plain), ("999;1", Style(attributes: .bold)),
    ("4:0", .plain), ("4:9", .plain),
  ]) func `SGR`(parameters: String, style: Style) {
    let screen = makeScreen(quirks: [])
    screen.feed("CSI \(parameters)mx")
    #expect(screen.style(1, 1) == style)
  }

  @Test func `underline styles are kept apart`() {
    let screen = makeScreen(quirks: [])
    screen.feed("CSI 4mxCSI 4:2mxCSI 4:3mxCSI 4:4mxCSI 4:5mxCSI 21mxCSI 24mx")
    let styles = (1...7).map { screen.style(1, $0).attributes.underlineStyle }
    #expect(styles == [.single, .double, .curly, .dotted, .dashed, .double, .none])
  }

  @Test func `40000 colors one after another do not run out`() {
    let screen = makeScreen(columns: 40, rows: 10)
    for value in 0..<40_000 {
      screen.feed("CSI 38;2;\(value & 255);\(value >> 8 & 255);\(value >> 16)mx")
    }
    #expect(screen.style(10, 40).foreground == .rgb(0x3F, 0x9C, 0))
    #expect(!screen.cell(10, 40).isUnknown)
  }

  // MARK: Strings

  @Test func `a sixel picture makes the screen and the cursor unknown until CUP`() {
    let screen = makeScreen()
    screen.feed("aDCS q#0~~ ST")
    #expect(screen.cell(1, 1).isUnknown)
    #expect(!screen.isCursorKnown)
    screen.feed("CSI 2;2Hb")
    #expect(screen.isCursorKnown)
    #expect(!screen.cell(2, 2).isUnknown)
  }
}
