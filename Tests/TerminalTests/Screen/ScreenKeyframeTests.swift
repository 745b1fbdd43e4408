import PerfHUDBase
import TestSupport
import Testing

@testable import Terminal

/// A screen that goes on from a keyframe equals the one that went on without.
@Suite struct ScreenKeyframeTests {
  /// Pieces that change all that a keyframe has to keep.
  private static let pieces: [String] = [
    "text ", "日本", "e\u{301}x", "\r\n", "\n\n", "\u{1B}[31m", "\u{1B}[1;38;2;1;2;3;48;5;77m",
    "\u{1B}[m", "\u{1B}[3;7H", "\u{1B}[2J", "\u{1B}[K", "\u{1B}[2;6r", "\u{1B}[r", "\u{1B}[?6h",
    "\u{1B}[?6l", "\u{1B}7", "\u{1B}8", "\u{1B}[?1049h", "\u{1B}[?1049l", "\u{1B}(0qx\u{1B}(B",
    "\u{1B}[4h", "\u{1B}[4l", "\u{1B}H", "\u{1B}[3g", "\t", "\u{1B}[5b", "\u{1B}M", "\u{1B}D",
    "\u{1B}]8;;http://x/\u{1B}\\link\u{1B}]8;;\u{1B}\\", "\u{1B}[?25l", "\u{1B}[?25h", "\u{1B}[L",
    "\u{1B}[2P", "\u{1B}[3@", "a long line that wraps at the end of the row", "\u{8}", "\u{1B}[?7l",
    "\u{1B}[?7h", "\u{1B}[?69h\u{1B}[4;15s", "\u{1B}[?69l", "\u{301}", "\u{E}lqk\u{F}", "\u{1B})0",
  ]

  private func feed(_ text: String, to screen: inout Screen) {
    let bytes = Array(text.utf8)
    var index = 0
    while index < bytes.count {
      index = unsafe bytes.withUnsafeBytes { unsafe screen.feed($0, from: index).resume }
    }
  }

  private func expectSame(_ a: borrowing Screen, _ b: borrowing Screen, _ note: String) {
    #expect(a.size == b.size && a.cursor == b.cursor && a.modes == b.modes, "\(note)")
    #expect(a.isAlternate == b.isAlternate && a.isWrapPending == b.isWrapPending, "\(note)")
    #expect(a.margins == b.margins && a.pen == b.pen, "\(note)")
    for row in 0..<a.size.rows {
      for column in 0..<a.size.columns {
        let (left, right) = (a.cell(row: row, column: column), b.cell(row: row, column: column))
        let isSame =
          a.shownScalars(of: left) == b.shownScalars(of: right)
          && a.style(left.style) == b.style(right.style) && left.width == right.width
          && left.isErased == right.isErased && left.isUnknown == right.isUnknown
          && a.link(left.link) == b.link(right.link)
        if !isSame {
          Issue.record("\(note): row \(row), column \(column)")
          return
        }
      }
    }
  }

  @Test(arguments: [TerminalQuirks.laterXterm, .xterm, .tmux])
  func `random output goes on from a keyframe as without one`(quirks: TerminalQuirks) {
    var random = SeededRandom(seed: 4711)
    var options = Screen.Options()
    options.quirks = quirks
    for round in 0..<150 {
      var screen = Screen(Size(rows: 8, columns: 20), options: options)
      func piece() -> String { ScreenKeyframeTests.pieces.randomElement(using: &random) ?? "" }
      for _ in 0..<40 { feed(piece(), to: &screen) }
      guard let keyframe = ScreenKeyframe(screen) else {
        Issue.record("not at ground")
        continue
      }
      var other = keyframe.screen()
      expectSame(screen, other, "round \(round), at the keyframe")
      for step in 0..<40 {
        let text = piece()
        feed(text, to: &screen)
        feed(text, to: &other)
        expectSame(screen, other, "round \(round), step \(step): \(text.debugDescription)")
      }
    }
  }

  @Test func `there is no keyframe within a sequence`() {
    var screen = Screen(Size(rows: 2, columns: 9))
    feed("a\u{1B}[3", to: &screen)
    #expect(ScreenKeyframe(screen) == nil)
    feed("1m", to: &screen)
    #expect(ScreenKeyframe(screen) != nil)
  }
}
