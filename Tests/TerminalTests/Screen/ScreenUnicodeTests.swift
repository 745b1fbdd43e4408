import PerfHUDBase
import Testing

@testable import Terminal

@Suite struct ScreenUnicodeTests {
  private static let parts: [String] = [
    "a", "ab", "plain ASCII that is long", " ", "é", "ß", "日", "本語", "漢字漢字漢字漢", "가", "─", "█", "⣿",
    "→",
    "e\u{301}", "\u{301}", "\u{200D}", "\u{FE0F}", "🎨", "🇩🇪", "👍🏽", "\u{85}", "\u{A0}", "\u{AD}",
    "\u{3099}",
    "\u{FFFD}", "\u{2FFFD}", "\u{E0041}", "\u{10FFFF}", "か\u{3099}", "𝒜", "\r\n", "\n", "\r", "\t",
    "\u{8}",
    "CSI 3;7H", "CSI 2;20H", "CSI 1;21H", "CSI 31m", "CSI 48;2;9;8;7m", "CSI m", "CSI K", "CSI 1K",
    "CSI J", "CSI 2@", "CSI 2P", "CSI 3X", "CSI L", "CSI M", "CSI 4h", "CSI 4l", "CSI ?7l",
    "CSI ?7h",
    "CSI ?69h", "CSI 3;15s", "CSI ?69l", "CSI 2;5r", "CSI r", "ESC N", "ESC (0", "ESC (B", "ESC -A",
    "ESC }", "ESC ~", "CSI 3b", "CSI 1\"q", "CSI 0\"q", "OSC 8;;http://a ST", "OSC 8;; ST",
  ]
  /// Sequences of bytes that make no character.
  private static let malformed: [[UInt8]] = [
    [0x80], [0xC1, 0x81], [0xC3], [0xE3, 0x81], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
    [0xEF, 0xBF, 0xBE], [0xEF, 0xBF, 0xBF], [0xF0, 0x9F], [0xF0, 0x80, 0x80, 0x80],
    [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFF],
  ]

  private static func stream(_ seed: UInt64, steps: Int) -> [UInt8] {
    var numbers = SeededRandom(seed: seed)
    var result: [UInt8] = []
    for _ in 0..<steps {
      if Int.random(in: 0..<12, using: &numbers) == 0 {
        result += malformed.randomElement(using: &numbers)!
      } else {
        result += bytes(parts.randomElement(using: &numbers)!)
      }
    }
    return result
  }

  /// What a byte at a time goes through never is a run.
  @Test(arguments: 1...60)
  func `runs of characters give the same screen as single bytes`(seed: Int) {
    let input = ScreenUnicodeTests.stream(UInt64(seed), steps: 200)
    for quirks: TerminalQuirks in [[], .xterm, .tmux] {
      let whole = makeScreen(quirks: quirks)
      let pieces = makeScreen(quirks: quirks)
      var at = 0
      for end in stride(from: 50, through: input.count + 49, by: 50) {
        let part = Array(input[at..<min(end, input.count)])
        whole.feed(part)
        for byte in part { pieces.feed([byte]) }
        expectSame(whole.picture, pieces.picture, "seed \(seed), up to byte \(end)")
        at += part.count
      }
    }
  }

  @Test(arguments: 1...60)
  func `runs of characters stop and damage where single characters do`(seed: Int) {
    let input = ScreenUnicodeTests.stream(UInt64(seed), steps: 100)
    let hud = hudRegion(rows: 2...3, columns: 11...20)
    for quirks: TerminalQuirks in [[], .xterm, .tmux] {
      let whole = makeScreen(quirks: quirks)
      let pieces = makeScreen(quirks: quirks)
      let first = whole.feed(input, hudRegion: hud)
      var last = 0
      var stop = first
      for index in input.indices {
        last = index
        stop = pieces.feed([input[index]], hudRegion: hud)
        if stop.reason != .end { break }
      }
      #expect(first.reason == stop.reason, "seed \(seed)")
      if stop.reason != .end { #expect(first.offset == last + stop.offset, "seed \(seed)") }
      expectSame(whole.picture, pieces.picture, "seed \(seed)")
      for row in 1...whole.size.rows {
        // What is noted beside the HUD counts for nothing.
        let damage = whole.damage(row: row).clamped(to: 10..<20)
        let other = pieces.damage(row: row).clamped(to: 10..<20)
        #expect(damage == other, "seed \(seed), row \(row)")
      }
    }
  }
}
