import PerfHUDBase
import TestSupport
import Testing

@testable import Terminal

/// Which output draws.
@Suite struct DrawingTests {
  /// A screen that got the text in one piece, and one that got it byte by byte.
  private func screens(after text: String) -> [TestScreen] {
    let (whole, divided) = (makeScreen(), makeScreen())
    whole.feed(text)
    for byte in text.replacing("CSI ", with: "\u{1B}[").utf8 { divided.feed([byte]) }
    return [whole, divided]
  }

  @Test(
    arguments: [
      ("hello\r\n", false), ("CSI 31mred CSI m\r\n", false), ("12 %\r13 %", false),
      ("a\tb\u{8}", false),
      // Compilers and grep erase after their colors, where nothing is.
      ("CSI 01;31mCSI Kerror:CSI mCSI K text\r\n", false),
      ("CSI 5n", false), ("CSI ?25l", false),
      ("CSI H", true), ("CSI 3;4H", true), ("CSI 4f", true), ("CSI A", true), ("CSI 2C", true),
      ("CSI 5G", true), ("CSI J", true), ("CSI 2J", true), ("CSI 3X", true), ("CSI P", true),
      ("CSI @", true), ("CSI L", true), ("CSI S", true), ("CSI 7d", true),
      ("12345\rCSI K", true), ("12345CSI 2K", true), ("CSI ?1049h", true),
    ])
  func `text, line ends and colors do not draw; moving, erasing and other screens do`(
    text: String, draws: Bool
  ) {
    for screen in screens(after: text) {
      let first = screen.screen.takeDrawing()
      let second = screen.screen.takeDrawing()
      #expect(first == draws && second == text.contains("1049"))
    }
  }

  @Test(
    arguments: [
      ("a\r\nb\r\nCSI Hc", true), ("a\r\nb\r\nCSI 2;1Hc", true), ("CSI 1;5f", true),
      ("a\r\nb\r\nCSI 02;001Hc", true),
      // Lines, a line that is written again, a bar in the last row, and programs that move row by row.
      ("a\r\nb\r\n", false), ("\n12 %\r13 %CSI K", false), ("CSI 9;1fx", false),
      ("a\r\nb\r\nCSI 2Ac", false), ("a\r\nb\r\nCSI 3;1Hc", false), ("CSI ?1049hCSI H", false),
    ])
  func `placing the cursor further up is a redraw of the primary screen`(
    text: String, redraws: Bool
  ) {
    for screen in screens(after: text) {
      let first = screen.screen.takeRedraw()
      let second = screen.screen.takeRedraw()
      #expect(first == redraws && !second)
    }
  }

  @Test func `on the alternate screen everything draws`() {
    let screen = makeScreen()
    screen.feed("CSI ?1049h")
    _ = screen.screen.takeDrawing()
    screen.feed("x")
    let draws = screen.screen.takeDrawing()
    #expect(draws)
  }
}
