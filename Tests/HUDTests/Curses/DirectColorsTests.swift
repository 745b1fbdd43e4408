import TestSupport
import Testing

@testable import HUD
@testable import Terminal

@Suite struct DirectColorsTests {
  private func colors() -> DirectColors {
    var colors = DirectColors()
    #expect(colors.number(of: 0x4AA8FF) == 16)
    #expect(colors.number(of: 0x000A63) == 17)
    #expect(colors.number(of: 0x4AA8FF) == 16)
    return colors
  }

  private func pass(_ pieces: [ArraySlice<UInt8>]) -> String {
    var colors = colors()
    var queue = OutputQueue()
    for piece in pieces {
      unsafe Array(piece).withUnsafeBytes { unsafe colors.pass($0, to: &queue) }
    }
    return String(decoding: queue.bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("a\u{1B}[38;5;16mb", "a\u{1B}[38;2;74;168;255mb"),
    ("\u{1B}[48;5;17m", "\u{1B}[48;2;0;10;99m"),
    ("\u{1B}[38;5;16m\u{1B}[48;5;16m", "\u{1B}[38;2;74;168;255m\u{1B}[48;2;74;168;255m"),
    // No color of the HUD, and other sequences.
    ("\u{1B}[38;5;18mx", "\u{1B}[38;5;18mx"), ("\u{1B}[38;5;1mx", "\u{1B}[38;5;1mx"),
    ("\u{1B}[38;5;1600mx", "\u{1B}[38;5;1600mx"), ("\u{1B}[38;5;mx", "\u{1B}[38;5;mx"),
    ("\u{1B}[3;8H日本\u{1B}(B\u{1B}[m", "\u{1B}[3;8H日本\u{1B}(B\u{1B}[m"),
    ("\u{1B}[38;\u{1B}[38;5;16m", "\u{1B}[38;\u{1B}[38;2;74;168;255m"),
    ("\u{1B}\u{1B}[38;5;16m", "\u{1B}\u{1B}[38;2;74;168;255m"),
    ("\u{1B}[38;5;16;1mx", "\u{1B}[38;5;16;1mx"), ("plain", "plain"), ("", ""),
  ])
  func `numbers of colors become the colors, wherever the bytes are cut`(
    text: String, wanted: String
  ) {
    let bytes = Array(text.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let passed = pass([bytes[..<first], bytes[first..<second], bytes[second...]])
        #expect(passed == wanted, "cut at \(first), \(second)")
      }
    }
  }

  @Test func `there are 240 numbers`() {
    var colors = DirectColors()
    for value in 0..<240 { #expect(colors.number(of: UInt32(value)) == 16 + value) }
    #expect(colors.number(of: 240) == nil)
    colors.removeAll()
    #expect(colors.number(of: 240) == 16)
  }
}
