import Testing

@testable import Terminal

/// Rectangles of cells (DECERA, DECSERA, DECFRA, DECCRA, DECCARA, DECRARA), as xterm 379 has them.
@Suite struct ScreenRectangleTests {
  private func filled(_ quirks: TerminalQuirks = .xterm) -> TestScreen {
    let screen = makeScreen(columns: 8, rows: 4, quirks: quirks)
    screen.feed("abcdefgh\r\nijklmnop\r\nqrstuvwx\r\nyz012345CSI H")
    return screen
  }

  @Test(arguments: [
    ("CSI 2;3;3;5$z", "ij   nop", "qr   vwx"), ("CSI 2;3;3;5${", "ij   nop", "qr   vwx"),
    ("CSI 42;2;3;3;5$x", "ij***nop", "qr***vwx"), ("CSI 2;3$z", "ij", "qr"),
    ("CSI 2;3;99;99$z", "ij", "qr"), ("CSI 3;3;2;5$z", "ijklmnop", "qrstuvwx"),
    ("CSI 9;9$z", "ijklmnop", "qrstuvwx"), ("CSI 5;2;3;3;5$x", "ijklmnop", "qrstuvwx"),
    ("CSI 133;2;3;3;5$x", "ijklmnop", "qrstuvwx"),
    ("CSI 1;1;2;3;1;2;4;1$v", "ijkabcop", "qrsijkwx"),
    ("CSI 1;1;1;3;1;2;7;1$v", "?jklmnab", "qrstuvwx"),
    ("CSI 2;1;2;8;1;3;1;1$v", "ijklmnop", "ijklmnop"),
    ("CSI ?6hCSI 2;3rCSI ?6hCSI 1;1;1;2$z", "  klmnop", "qrstuvwx"),
  ]) func `rectangles change the cells in them`(sequence: String, second: String, third: String) {
    let screen = filled()
    screen.feed(sequence)
    screen.expectLine(2, second)
    screen.expectLine(3, third)
  }

  @Test func `DECCRA copies what lies over itself`() {
    let screen = filled()
    screen.feed("CSI 1;1;3;8;1;2;1;1$v")
    screen.expectLines("abcdefgh", "abcdefgh", "ijklmnop", "qrstuvwx")
    let right = filled()
    right.feed("CSI 1;1;1;6;1;1;3;1$v")
    right.expectLine(1, "ababcdef")
  }

  @Test func `DECERA and DECFRA take the pen's look, and its colours if it has any`() {
    let screen = filled()
    screen.feed("CSI 1;31;44mCSI 1;1HaCSI 0;7mCSI 46;1;1;1;2$x")
    #expect(
      screen.style(1, 1) == Style(foreground: .ansi(9), background: .ansi(4), attributes: .reverse))
    #expect(screen.style(1, 2) == Style(attributes: .reverse))
    screen.feed("CSI 0;32;45mCSI 1;1;1;1$z")
    #expect(screen.style(1, 1) == Style(foreground: .ansi(2), background: .ansi(5)))
    screen.expectLine(1, " .cdefgh")
  }

  @Test func `a direct colour under DECERA with a pen without colours is not known`() {
    let screen = filled()
    screen.feed("CSI 38;2;1;2;3maCSI mCSI 1;1;1;1$z")
    #expect(screen.cell(1, 1).isUnknown)
  }

  @Test func `DECSERA spares what DECSCA protects and keeps the look`() {
    let screen = filled()
    screen.feed("CSI 31maCSI 1\"qbCSI 0\"qcCSI mCSI 1;1;1;4${")
    screen.expectLine(1, " b  efgh")
    #expect(screen.style(1, 1) == Style(foreground: .ansi(1)))
  }

  @Test func `DECCARA changes rows as a whole between its corners, with DECSACE 2 the rectangle`() {
    let screen = filled()
    screen.feed("CSI 1;3;2;5;1;4$r")
    #expect(screen.style(1, 2) == .plain)
    #expect(screen.style(1, 8).attributes == [.bold, .underline])
    #expect(screen.style(2, 1).attributes == [.bold, .underline])
    #expect(screen.style(2, 6) == .plain)
    let exact = filled()
    exact.feed("CSI 2*xCSI 1;3;2;5;7$r")
    #expect(exact.style(1, 8) == .plain && exact.style(2, 1) == .plain)
    #expect(exact.style(2, 3).attributes == .reverse)
    exact.feed("CSI 1;3;2;4;7$tCSI 1;5;1;5;0$r")
    #expect(exact.style(2, 4) == .plain && exact.style(1, 5) == .plain)
    #expect(exact.style(2, 5).attributes == .reverse)
  }

  @Test func `bold that DECCARA takes or gives changes no colour`() {
    let screen = filled()
    screen.feed("CSI 1;31maCSI 22mbCSI 2*xCSI 1;1;1;1;22$rCSI 1;2;1;2;1$r")
    #expect(screen.style(1, 1) == Style(foreground: .ansi(9)))
    #expect(screen.style(1, 2) == Style(foreground: .indexed(1), attributes: .bold))
  }

  @Test func `wide characters across an edge are cut, each half keeping its look`() {
    let screen = makeScreen(columns: 8, rows: 2)
    screen.feed("CSI 44ma日b日cCSI 0;42mCSI 46;1;3;1;5$x")
    screen.expectLine(1, "a ... c")
    #expect(screen.style(1, 2) == Style(background: .ansi(4)))
    #expect(screen.style(1, 3) == Style(background: .ansi(2)))
    #expect(screen.style(1, 6) == Style(background: .ansi(4)))
  }

  @Test func `DECCRA of half a character copies a blank`() {
    let screen = makeScreen(columns: 8, rows: 2)
    screen.feed("a日b日cCSI 1;3;1;5;1;2;1;1$v")
    screen.expectLine(2, " b")
  }

  @Test func `tmux has no rectangles`() {
    let screen = filled(.tmux)
    screen.feed("CSI 2;3;3;5$zCSI 42;1;1;4;8$x")
    screen.expectLine(1, "abcdefgh")
  }
}
