import Testing

@testable import Terminal

@Suite struct ScreenModeTests {
  // MARK: Screens

  @Test func `1049 saves, clears and comes back`() {
    let screen = makeScreen()
    screen.feed("oldCSI 31mCSI ?1049h")
    #expect(screen.isAlternate)
    screen.expectLine(1, "")
    screen.expectCursor(1, 4)
    screen.feed("CSI 3;3HCSI 32mnewCSI ?1049l")
    screen.expectLine(1, "old")
    screen.expectCursor(1, 4)
    #expect(screen.pen.style == Style(foreground: .ansi(1)))
    screen.feed("CSI ?1049h")
    screen.expectLine(3, "")
  }

  @Test func `47 clears neither way`() {
    let screen = makeScreen()
    screen.feed("oldCSI ?47hCSI 2;1HaltCSI ?47l")
    screen.expectLines("old", "")
    screen.expectCursor(2, 4)
    screen.feed("CSI ?47h")
    screen.expectLines("", "alt")
  }

  @Test func `1047 clears on leaving`() {
    let screen = makeScreen()
    screen.feed("CSI ?1047haltCSI ?1047lCSI ?1047h")
    screen.expectLine(1, "")
  }

  @Test func `1048 saves and restores the cursor`() {
    let screen = makeScreen()
    screen.feed("CSI 3;4HCSI ?1048hCSI HCSI ?1048l")
    screen.expectCursor(3, 4)
  }

  @Test func `each screen has a saved cursor of its own`() {
    let screen = makeScreen()
    screen.feed("CSI 2;2HESC 7CSI ?47hCSI 3;3HESC 7CSI ?47lESC 8")
    screen.expectCursor(2, 2)
    screen.feed("CSI ?47hESC 8")
    screen.expectCursor(3, 3)
  }

  @Test func `the alternate screen scrolls for itself`() {
    let screen = makeScreen(columns: 5, rows: 2)
    screen.feed("a\r\nb\r\ncCSI ?1049hx\r\ny\r\nz\r\nwCSI ?1049l")
    screen.expectLines("b", "c")
  }

  // MARK: Saved cursor

  @Test func `DECRC restores pen, charsets, origin and the pending wrap`() {
    let screen = makeScreen(columns: 3)
    screen.feed("CSI 1mESC )0\u{E}abcESC 7CSI m\u{F}CSI HESC 8")
    screen.expectCursor(1, 3, pending: true)
    #expect(screen.pen.style.attributes == .bold)
    #expect(screen.characterSets.left == 1)
    screen.feed("q")
    screen.expectLine(2, "─")
  }

  @Test func `DECRC without DECSC goes home with a plain pen`() {
    let screen = makeScreen()
    screen.feed("CSI 2;4rCSI ?6hCSI 1mCSI 2;2HESC 8")
    screen.expectCursor(1, 1)
    #expect(screen.pen.style == .plain)
    #expect(!screen.modes.contains(.origin))
  }

  @Test func `CSI s and u save and restore without side margins`() {
    let screen = makeScreen()
    screen.feed("CSI 2;3HCSI sCSI HCSI u")
    screen.expectCursor(2, 3)
  }

  // MARK: Resets

  @Test func `RIS resets all`() {
    let screen = makeScreen()
    screen.feed("xCSI ?1049hCSI 2;4rCSI 1;31mCSI 4hCSI ?6;2026hESC (0CSI 3gyESC c")
    #expect(!screen.isAlternate)
    #expect(screen.modes == .initial)
    #expect(screen.pen == Pen())
    screen.expectLine(1, "")
    screen.expectCursor(1, 1)
    screen.feed("\tq")
    screen.expectLine(1, "        q")
  }

  @Test func `DECSTR resets modes, margins and pen, not the screen`() {
    let screen = makeScreen()
    screen.feed("xCSI 2;4rCSI 4hCSI ?6hCSI 31mCSI 2;2HCSI !p")
    #expect(screen.modes == .initial)
    #expect(screen.margins.rows == 6)
    #expect(screen.pen.style == .plain)
    screen.expectLine(1, "x")
    screen.expectCursor(3, 2)
    screen.feed("ESC 8")
    screen.expectCursor(1, 1)
  }

  @Test func `DECALN fills the screen with E`() {
    let screen = makeScreen(columns: 3, rows: 2)
    screen.feed("CSI 2;2rCSI 2;2HESC #8")
    screen.expectLines("EEE", "EEE")
    screen.expectCursor(1, 1)
  }

  // MARK: Modes

  @Test func `2026 is known as open until it ends`() {
    let screen = makeScreen()
    screen.feed("CSI ?2026h")
    #expect(screen.isUpdating)
    screen.feed("CSI ?2026l")
    #expect(!screen.isUpdating)
    screen.feed("DCS =1s ST")
    #expect(screen.isUpdating)
    screen.feed("DCS =2s ST")
    #expect(!screen.isUpdating)
  }

  @Test func `watched modes are seen`() {
    let screen = makeScreen()
    screen.feed("CSI ?25;1lCSI ?1004;2004;1002h")
    #expect(
      screen.modes == [.autowrap, .focusReports, .bracketedPaste, .mouseReports])
    screen.feed("CSI ?1016h")
    #expect(screen.modes.contains(.pixelMouse))
    screen.feed("CSI ?1006h")
    #expect(!screen.modes.contains(.pixelMouse), "the form that was set last holds")
    screen.feed("CSI ?1016hCSI ?1016l")
    #expect(!screen.modes.contains(.pixelMouse))
  }

  @Test func `XTSAVE and XTRESTORE keep a mode`() {
    let screen = makeScreen()
    screen.feed("CSI ?7lCSI ?7sCSI ?7hCSI ?7r")
    #expect(!screen.modes.contains(.autowrap))
  }

  @Test func `ESC % @ leaves UTF-8: nothing is drawn until ESC % G, in tmux it does nothing`() {
    for (quirks, end, isRestorable) in [
      (TerminalQuirks.xterm, "", false), (.xterm, "ESC %G", true), (.xterm, "ESC c", true),
      ([], "", false),
      (.tmux, "", true),
    ] {
      let screen = makeScreen(quirks: quirks)
      screen.feed("abESC %@CSI H\(end)CSI 2J")
      screen.feed("CSI 1;1Hx")
      #expect(screen.isRestorable == isRestorable)
      #expect(screen.cell(1, 1).isUnknown == !isRestorable)
    }
  }

  // MARK: Unknown

  @Test func `a screen of unknown cells becomes known where it is written or erased`() {
    let screen = makeScreen(columns: 4, rows: 3, isUnknown: true)
    screen.expectLine(1, "????")
    screen.feed("CSI 1;2HxCSI 2;3HCSI KCSI 3;1HCSI 2X")
    screen.expectLines("?x??", "??", "  ??")
    screen.feed("CSI 2J")
    screen.expectLine(1, "")
  }

  @Test func `what is written at an unknown place is unknown, CPR and CUP end that`() {
    let screen = makeScreen(columns: 4, rows: 3, isUnknown: true)
    screen.feed("ab\r\n")
    screen.expectLine(1, "????")
    #expect(!screen.isCursorKnown)
    screen.setCursor(Point(row: 1, column: 2))
    screen.feed("x")
    screen.expectLine(2, "??x?")
  }

  @Test func `an unknown place taints the whole screen once it is written`() {
    let screen = makeScreen(columns: 4, rows: 2, quirks: [])
    screen.feed("abCSI ?45h\r\u{8}")
    #expect(!screen.isCursorKnown)
    screen.expectLine(1, "ab")
    screen.feed("x")
    screen.expectLine(1, "????")
  }

  @Test func `lines scrolled in are known`() {
    let screen = makeScreen(columns: 4, rows: 2, isUnknown: true)
    screen.feed("CSI 2;1H\n")
    screen.expectLines("????", "")
  }

  @Test func `double-width lines leave cells unknown, in xterm beyond ED 2`() {
    for quirks in [TerminalQuirks.xterm, []] {
      let screen = makeScreen(columns: 4, rows: 2, quirks: quirks)
      screen.feed("ESC #6ab")
      screen.expectLine(1, "????")
      screen.feed("CSI 2JCSI Hab")
      screen.expectLine(1, quirks == .xterm ? "????" : "ab")
      screen.feed("ESC cab")
      screen.expectLine(1, "ab")
    }
  }

  // MARK: Size

  @Test func `fewer rows lose those below the cursor first`() {
    let screen = makeScreen(columns: 4, rows: 4)
    screen.feed("1\r\n2\r\n3\r\n4CSI 2;1H")
    screen.resize(to: Size(rows: 3, columns: 4), isKnown: true)
    screen.expectLines("1", "2", "3")
    screen.feed("CSI 3;2H")
    screen.resize(to: Size(rows: 2, columns: 4), isKnown: true)
    screen.expectLines("2", "3")
    screen.expectCursor(2, 2)
  }

  @Test func `more columns are blank, fewer cut wide characters`() {
    let screen = makeScreen(columns: 4, rows: 2)
    screen.feed("CSI 44mab日CSI m")
    screen.resize(to: Size(rows: 3, columns: 6), isKnown: true)
    screen.expectLine(1, "ab日")
    #expect(screen.style(1, 6) == .plain)
    #expect(screen.cell(1, 4).isContinuation)
    screen.resize(to: Size(rows: 3, columns: 3), isKnown: true)
    screen.expectLine(1, "ab")
    screen.feed("CSI 3;3Hxyz")
    screen.expectLines("", "  x", "yz")
  }

  @Test func `a resize that cannot be followed leaves everything unknown`() {
    let screen = makeScreen(columns: 4, rows: 2)
    screen.feed("ab")
    screen.resize(to: Size(rows: 3, columns: 5), isKnown: false)
    screen.expectLine(1, "?????")
    #expect(!screen.isCursorKnown)
  }

  @Test func `sizes of 0 and 100000 are clamped`() {
    let screen = makeScreen(columns: 0, rows: 0)
    screen.feed("abc\r\n日CSI 5;5HCSI 2LCSI S")
    #expect(screen.size == Size(rows: 1, columns: 1))
    screen.resize(to: Size(rows: 1, columns: 100_000), isKnown: true)
    #expect(screen.size.columns == Screen.sizeLimit)
  }

  @Test func `what erases the whole screen does so wherever the cursor is`() {
    for sequence in ["CSI ?1049h", "CSI 2J", "ESC c"] {
      let screen = makeScreen(isUnknown: true)
      screen.feed("text" + sequence)
      #expect(!screen.cell(1, 1).isUnknown && screen.cell(6, 20).isErased)
    }
  }

  @Test(arguments: [
    ("CSI >1u", true), ("CSI >1uCSI <u", false), ("CSI >1uCSI >3uCSI <u", true),
    ("CSI >1uCSI >3uCSI <2u", false), ("CSI =5u", true), ("CSI =5uCSI =0u", false),
    ("CSI =5;2u", true), ("CSI ?u", false), ("CSI <5u", false), ("CSI >4;2m", true),
    ("CSI >4;1mCSI >4;0m", false), ("CSI >4;2mCSI >4m", false), ("CSI >4;2mCSI >m", false),
    ("CSI >1;2m", false), ("CSI >1uESC c", false), ("CSI u", false),
  ])
  func `a keyboard of sequences is asked for`(input: String, isRich: Bool) {
    let screen = makeScreen()
    screen.feed(input)
    #expect(screen.screen.hasRichKeyboard == isRich)
  }
}
