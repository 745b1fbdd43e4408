import PerfHUDBase
import Testing

@testable import Terminal

/// Where terminals were seen to differ, the screen of one that was not measured does not claim to know.
@Suite struct ScreenUnknownTerminalTests {
  private static let line = "abcdefghijklmnopqrst"

  /// What leaves it open whether the wrap is still pending.
  @Test(arguments: [
    "CSI K", "CSI J", "CSI 1K", "CSI X", "CSI @", "CSI P", "\t", "CSI I", "ESC 7ESC 8",
  ])
  func `at a pending wrap: where the next character goes is not known, until CR or CUP`(
    sequence: String
  ) {
    for end in ["", "\r", "CSI 4;1H"] {
      let screen = makeScreen(quirks: [])
      screen.feed(ScreenUnknownTerminalTests.line + sequence)
      #expect(!screen.isRestorable)
      screen.feed(end + "x")
      #expect(screen.isCursorKnown == !end.isEmpty)
    }
    let measured = makeScreen(quirks: .xterm)
    measured.feed(ScreenUnknownTerminalTests.line + sequence + "x")
    #expect(measured.isCursorKnown && !measured.isColumnUncertain)
  }

  @Test(arguments: [
    // BS at a pending wrap, IL and DL away from the first column, LNM.
    ScreenUnknownTerminalTests.line + "\u{8}", "abCSI L", "abCSI M", "CSI 20hab\n",
    // Bytes that are no UTF-8, and characters whose width differs.
    "❤\u{FE0F}", "⌚\u{FE0E}", "\u{1112}\u{1161}",
  ]) func `the column is uncertain`(text: String) {
    let screen = makeScreen(quirks: [])
    screen.feed(text)
    #expect(screen.isColumnUncertain)
    screen.feed("\r")
    #expect(!screen.isColumnUncertain && screen.isCursorKnown)
    let measured = makeScreen(quirks: .xterm)
    measured.feed(text)
    #expect(!measured.isColumnUncertain)
  }

  /// Characters beyond ASCII and erasing have ways of their own through a piece.
  @Test(arguments: [
    ["CSI K", "ab ", "é", "è", "ê"], ["CSI K", "ab", "日", "本"], ["CSI K", "ab", "CSI K", "c"],
    ["CSI 20h", "abc\n", "é", "x"],
  ])
  func `what is printed where the place is not known is as unknown in one piece as in many`(
    parts: [String]
  ) {
    let whole = makeScreen(quirks: [])
    whole.feed(ScreenUnknownTerminalTests.line + parts.joined())
    let single = makeScreen(quirks: [])
    single.feed(ScreenUnknownTerminalTests.line)
    for part in parts { single.feed(part) }
    for row in 0..<whole.size.rows {
      for column in 0..<whole.size.columns {
        let cells = (
          whole.screen.cell(row: row, column: column), single.screen.cell(row: row, column: column)
        )
        #expect(cells.0 == cells.1, "row \(row), column \(column)")
      }
    }
    #expect(whole.isCursorKnown == single.isCursorKnown)
  }

  /// A flag has two columns or four, an emoji selector adds one or none: the rest of the line may be in
  /// the next.
  @Test(arguments: [
    ("🇩🇪abcdefghijklmnop", true), ("🇩🇪abcdefghijklmnopq", false),
    ("❤\u{FE0F}abcdefghijklmnopqr", true),
    ("❤\u{FE0F}abcdefghijklmnopqrs", false), ("🇩🇪\t\tabcd", true), ("🇩🇪abcde\t\tx", true),
    ("🇩🇪abcde\t\txy", false),
  ])
  func `text after a character of uncertain width reaches the end of the line, or does not`(
    text: String, isKnown: Bool
  ) {
    let screen = makeScreen(quirks: [])
    screen.feed("CSI 3;1HxyzCSI 2;1H" + text)
    #expect(screen.isCursorKnown == isKnown)
    #expect(screen.cell(3, 1).isUnknown == !isKnown)
    screen.feed("CSI 3;1Hxyz")
    #expect(screen.isCursorKnown && !screen.cell(3, 1).isUnknown)
  }

  @Test(arguments: [
    "CSI 3a", "CSI 2e", "CSI 2;4rCSI 1;1HCSI 6B", "CSI 2;4rCSI 6;1HCSI 6A",
    "CSI 2;4rCSI 3;1HCSI 9F",
    "abCSI 30b", "aCSI mCSI 3b", "CSI ?1049h", "CSI ?47h", "ESC #8", "ESC 8", "\u{84}",
    "CSI ?7lCSI 1;20H日", "CSI 3;1H\u{8}", "CSI ?6h", "CSI ?6l", "CSI ?1049l", "CSI ?1048l",
    ScreenUnknownTerminalTests.line + "\u{301}",
  ]) func `the cursor is not known`(text: String) {
    let screen = makeScreen(quirks: [])
    screen.feed(text)
    #expect(!screen.isCursorKnown)
    screen.feed("CSI 2;2H")
    #expect(screen.isCursorKnown)
    let measured = makeScreen(quirks: .xterm)
    measured.feed(text)
    #expect(measured.isCursorKnown)
  }

  @Test(arguments: [
    ScreenUnknownTerminalTests.line + "|CSI K", ScreenUnknownTerminalTests.line + "|CSI P",
    ScreenUnknownTerminalTests.line + "|\t", ScreenUnknownTerminalTests.line + "|\u{8}",
    ScreenUnknownTerminalTests.line + "ESC 7CSI H|ESC 8", "CSI 1;3rCSI 1;3H|CSI L", "|CSI 3a",
    "a|CSI 30b", "|ESC 8", "CSI 3;1H|\u{8}", "CSI ?1045hCSI 3;3H|CSI 3D",
    "CSI 2;4rCSI 3;1H|CSI 9A",
  ]) func `what covers it is erased before`(text: String) {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    let hud = hudRegion(rows: 5...6, columns: 11...19)
    let screen = makeScreen(quirks: [])
    screen.feed(parts[0])
    let stop = screen.feed(parts[1], hudRegion: hud)
    #expect(stop.reason == .willBecomeUnrestorable)
    #expect(stop.offset == 0)
    let measured = makeScreen(quirks: .xterm)
    measured.feed(parts[0])
    #expect(measured.feed(parts[1], hudRegion: hud).reason == .end)
  }

  @Test func `REP beyond the line at the bottom of the region leaves all rows uncertain`() {
    let screen = makeScreen(quirks: [])
    screen.feed("xyzCSI 1;4rCSI 4;10HaCSI 15b")
    #expect(screen.cell(1, 1).isUnknown && screen.cell(3, 12).isUnknown)
    let other = makeScreen(quirks: [])
    other.feed("xyzCSI 1;4rCSI 2;10HaCSI 15b")
    #expect(!other.cell(1, 1).isUnknown && other.cell(3, 1).isUnknown)
  }

  @Test func `LNM at an uncertain column: the text after it may reach the end of the line`() {
    let screen = makeScreen(quirks: [])
    screen.feed("CSI 3;1HxyzCSI 1;15HCSI LCSI 20h\nCSI 20labcdefg")
    #expect(!screen.isCursorKnown && screen.cell(3, 1).isUnknown)
  }

  @Test func `bytes that are no UTF-8 leave the column uncertain`() {
    for (quirks, isUncertain, column) in [
      (TerminalQuirks(), true, 3), (.xterm, false, 3), (.tmux, false, 2),
    ] {
      let screen = makeScreen(quirks: quirks)
      screen.feed([0x61, 0x84])
      #expect(screen.isColumnUncertain == isUncertain)
      screen.expectCursor(1, column)
    }
  }

  @Test func `what all do alike leaves the cursor known`() {
    let screen = makeScreen(quirks: [])
    screen.feed("ab\r\nCSI 3;5HxCSI KCSI ACSI 2BCSI CCSI D\tyCSI 1;1HCSI LCSI ?25l日本")
    screen.feed("CSI 4;1H" + ScreenUnknownTerminalTests.line + "CSI mz")
    #expect(screen.isCursorKnown && !screen.isColumnUncertain && screen.isRestorable)
    screen.expectCursor(5, 2)
  }
}
