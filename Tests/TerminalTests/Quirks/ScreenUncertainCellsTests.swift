import PerfHUDBase
import Testing

@testable import Terminal

/// Cells in which terminals that were not measured differ are unknown, and what covers them is erased before.
///
/// Found in kitty, alacritty, VTE, rxvt-unicode, st and mlterm by `make test-terminals`.
@Suite struct ScreenUncertainCellsTests {
  private static let line = "abcdefghijklmnopqrst"

  /// The unknown cells of a row, as `?`; what is known is `.`.
  private func unknown(_ screen: TestScreen, row: Int = 1) -> String {
    var text = ""
    for column in 1...screen.size.columns {
      text += screen.cell(row, column).isUnknown ? "?" : "."
    }
    while text.last == "." { text.removeLast() }
    return text
  }

  @Test(arguments: [
    ("日本CSI 1;2Hx", "?"), ("日本CSI 1;3Hx", "...?"), ("日本CSI 1;2H日", "?..?"),
    ("日本CSI 1;2HCSI X", "?"), ("日本CSI 1;1HCSI X", ".?"), ("日本CSI 1;4HCSI K", "..?"),
    ("日本CSI 1;1HCSI 1K", ".?"), ("日本CSI 1;2HCSI @", "?.?"),
    ("日本CSI 1;2HCSI P", "?"), ("a日CSI 1;2HxCSI 1;2Hy", "..?"),
    // What may still be half a character takes its neighbor along.
    ("日CSI 1;2HCSI XCSI 1;2HxCSI 1;1Hy", ".?"),
  ])
  func `what is left of a wide character that is cut is unknown`(
    text: String, expected: String
  ) {
    let screen = makeScreen(quirks: .joinsBefore)
    screen.feed(text)
    #expect(unknown(screen) == expected)
    let measured = makeScreen(quirks: .tmux)
    measured.feed("日本CSI 1;3Hx")
    #expect(unknown(measured) == "")
  }

  @Test func `halves that were written again are known`() {
    let screen = makeScreen(quirks: [])
    screen.feed("日本語CSI 1;2Habcd")
    #expect(unknown(screen) == "?....?")
    screen.feed("CSI 1;1Hxyzuvw")
    #expect(unknown(screen) == "")
  }

  @Test(
    arguments: [
      ("e\u{301}", [], "???"), ("e\u{301}", .joinsBefore, ""), ("日\u{301}", [], "????"),
      ("日\u{301}", .joinsBefore, "????"), ("xe\u{301}ab", [], ".?"),
      ("q\u{301}z\u{30B}", [], "????"),
      ("🎨\u{301}本", [], "??"), ("eCSI m\u{301}", [], "???"),
      ("日CSI 1;2H\u{301}", .joinsBefore, "???"),
    ] as [(String, TerminalQuirks, String)])
  func `what combines joins the character before it, or is written at the cursor`(
    text: String, quirks: TerminalQuirks, expected: String
  ) {
    let screen = makeScreen(quirks: quirks)
    screen.feed(text)
    #expect(unknown(screen) == expected)
    let pieces = makeScreen(quirks: quirks)
    for byte in bytes(text) { pieces.feed([byte]) }
    expectSame(screen.picture, pieces.picture, "one by one")
    let measured = makeScreen(quirks: .tmux)
    measured.feed("e\u{301}日\u{301}")
    #expect(unknown(measured) == "")
  }

  @Test func `what combines at a pending wrap may go to the next line`() {
    let screen = makeScreen(quirks: [])
    screen.feed("CSI 2;1HxyzCSI 1;1H" + ScreenUncertainCellsTests.line + "\u{301}")
    #expect(!screen.isCursorKnown && screen.cell(2, 1).isUnknown)
    let joined = makeScreen(quirks: .joinsBefore)
    joined.feed(ScreenUncertainCellsTests.line + "\u{301}")
    #expect(joined.isRestorable)
  }

  @Test(arguments: ["CSI ?K", "CSI ?1K", "CSI ?2K", "CSI ?J", "CSI ?1J", "CSI ?2J"])
  func `DECSEL and DECSED erase or not`(sequence: String) {
    let screen = makeScreen(quirks: [])
    screen.feed("abcCSI 1;2H" + sequence)
    #expect(screen.cell(1, 1).isUnknown)
    screen.feed("CSI 1;1H" + ScreenUncertainCellsTests.line + sequence)
    #expect(!screen.isRestorable)
  }

  @Test func `what is protected is erased or not, and such a pen is not drawn over`() {
    let screen = makeScreen(quirks: [])
    screen.feed("ESC Vab")
    #expect(!screen.isRestorable)
    screen.feed("ESC WcdCSI 2K")
    #expect(unknown(screen) == "??" && screen.isRestorable)
  }

  @Test func `what comes in by scrolling has the color of the background or not`() {
    for (text, isUnknown) in [("CSI 44mCSI 6;1H\n", true), ("CSI 6;1H\n", false)] {
      let screen = makeScreen(quirks: .scrollsInAnyColor)
      screen.feed(text)
      #expect(screen.cell(6, 1).isUnknown == isUnknown)
      let other = makeScreen(quirks: [])
      other.feed(text)
      #expect(!other.cell(6, 1).isUnknown)
    }
  }

  @Test func `ED to the right colors the blanks before the cursor or not`() {
    for (text, expected) in [
      ("CSI 44mCSI 1;4HCSI J", "???"), ("CSI 1;4HCSI J", ""), ("CSI 44mabcCSI J", ""),
      ("CSI 44mabCSI 1;4HCSI J", "..?"),
    ] {
      let screen = makeScreen(quirks: [])
      screen.feed(text)
      #expect(unknown(screen) == expected)
    }
  }

  @Test func `a wide character without room leaves the last column in one look or another`() {
    for (text, quirks, expected) in [
      ("CSI 44m", [], "?"), ("", [], "?"), ("CSI 44m", .joinsBefore, "."),
    ] as [(String, TerminalQuirks, String)] {
      let screen = makeScreen(quirks: quirks)
      screen.feed(text + "CSI 1;18H日本")
      #expect(screen.cell(1, 20).isUnknown == (expected == "?"))
      #expect(screen.cell(1, 18).isUnknown == (expected == "?") && !screen.cell(2, 1).isUnknown)
    }
  }

  @Test
  func `REP within a line leaves its cells and the cursor unknown, unless the terminal knows it`() {
    for (quirks, isKnown) in [(TerminalQuirks(), false), (.repeats, true)] {
      let screen = makeScreen(quirks: quirks)
      screen.feed("xaCSI 3b")
      #expect(screen.isCursorKnown == isKnown && screen.cell(1, 3).isUnknown != isKnown)
      #expect(!screen.cell(1, 2).isUnknown && !screen.cell(2, 1).isUnknown)
    }
  }

  @Test(arguments: [
    // Half a character under the HUD, and beside it.
    "CSI 5;11H日|CSI 5;12Hx", "CSI 5;11H日|CSI 5;11HCSI X", "CSI 5;10H日|CSI 5;10Hx",
    "CSI 5;12H日|CSI 5;13HCSI K", "CSI 5;12H日CSI 5;1H|CSI 5;12HCSI 1K",
    "CSI 5;12H日CSI 5;11H|ab", "CSI 5;12H日CSI 5;11H|本",
    "CSI 5;11He|\u{301}", "CSI 5;9He|\u{301}", "CSI 5;11H日|\u{301}",
    ScreenUncertainCellsTests.line + "|\u{301}", "CSI 6;5H|CSI ?1J", "CSI 5;1H|CSI ?K",
    "CSI 5;12HESC VxESC W|CSI 2K", "|ESC V", "|CSI 1\"q", "CSI 44mCSI 5;3H|CSI J",
    "CSI 2;4rCSI ?6hCSI H|CSI 4H", "CSI 2;4rCSI ?6hCSI H|CSI 9;3H",
  ]) func `what covers it is erased before`(text: String) {
    // What combines would join the separator as a character.
    let parts = text.unicodeScalars.split(separator: "|", omittingEmptySubsequences: false)
      .map { String($0) }
    let hud = hudRegion(rows: 5...6, columns: 11...19)
    let screen = makeScreen(quirks: [])
    screen.feed(parts[0])
    #expect(screen.isRestorable)
    #expect(screen.feed(parts[1], hudRegion: hud).reason != .end)
    let measured = makeScreen(quirks: .tmux)
    measured.feed(parts[0])
    #expect(measured.feed(parts[1], hudRegion: hud).reason == .end)
  }

  @Test func `blanks that ICH inserts have an unknown background, if the pen has one`() {
    let screen = makeScreen(quirks: [])
    screen.feed("abcdCSI 44mCSI 1;2HCSI 2@")
    #expect(unknown(screen) == ".??")
    screen.feed("CSI mCSI 2;1HabcCSI 2;2HCSI 2@")
    #expect(unknown(screen, row: 2) == "")
  }

  @Test(arguments: ["CSI 4H", "CSI 4;1H", "CSI 9f", "CSI 4d"])
  func `with DECOM a row below the bottom margin leaves the cursor unknown`(sequence: String) {
    let screen = makeScreen(quirks: [])
    screen.feed("CSI 2;4rCSI ?6h" + sequence)
    #expect(!screen.isCursorKnown)
    screen.feed("CSI 3;2H")
    #expect(screen.isCursorKnown)
    let measured = makeScreen(quirks: .xterm)
    measured.feed("CSI 2;4rCSI ?6h" + sequence)
    #expect(measured.isCursorKnown)
  }

  @Test func `REP after another sequence repeats the program's character, not the HUD's`() {
    for text in ["CSI 3;3HxyCSI 1;1H", "CSI 3;3HyCSI 3;3HzCSI 3;3HyCSI 3;3HCSI XCSI 1;1H"] {
      let overlay = Overlay(quirks: .repeats)
      overlay.show(Rect(row: 0, column: 10, rows: 2, columns: 8))
      overlay.pass(text)
      overlay.settle()
      let isPainted = overlay.compositor.isPainted
      #expect(isPainted)
      overlay.sent = []
      overlay.pass("CSI 3b")
      // The printed text of each sequence's rest; ECH, CHA and SGR print nothing.
      let sent = String(decoding: overlay.sent, as: UTF8.self)
      let printed = sent.split(separator: "\u{1B}").compactMap { part in
        part.drop { "[0123456789;:?".contains($0) }.dropFirst().last
      }
      #expect(sent.hasSuffix("\u{1B}[3b") && printed.last == "y")
      // It is written without a trace.
      #expect(overlay.text(3) == (text.hasSuffix("CSI XCSI 1;1H") ? "" : "  xy"))
    }
  }

  @Test
  func `REP after what was painted follows its character directly where terminals may not know it`()
  {
    let overlay = Overlay(quirks: [])
    overlay.show(Rect(row: 0, column: 10, rows: 2, columns: 8))
    overlay.pass("CSI 3;3Hx")
    overlay.settle()
    overlay.sent = []
    overlay.pass("CSI 3b")
    #expect(String(decoding: overlay.sent, as: UTF8.self).hasSuffix("x\u{1B}[3b"))
  }

  @Test func `two direct colors are two sequences`() {
    var queue = OutputQueue()
    queue.appendRendition(Style(foreground: .rgb(1, 2, 3), background: .rgb(4, 5, 6)))
    #expect(queue.bytes == Array("\u{1B}[0;38;2;1;2;3m\u{1B}[48;2;4;5;6m".utf8))
    queue.removeAll()
    queue.appendRendition(Style(foreground: .rgb(1, 2, 3), background: .ansi(4)))
    #expect(queue.bytes == Array("\u{1B}[0;38;2;1;2;3;44m".utf8))
  }
}
