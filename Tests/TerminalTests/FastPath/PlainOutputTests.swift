import PerfHUDBase
import TestSupport
import Testing

@testable import Terminal

/// Where plain output ends, which is looked for in blocks of 64 bytes: wherever a block begins within it.
@Suite struct PlainOutputTests {
  private static let sequences = [
    "CSI m", "CSI 0m", "CSI K", "CSI 1K", "CSI 38;5;196m", "CSI 4:3m", "CSI 38:2::1:22:133m",
    "CSI 1;38;2;100;150;200;48;2;10;20;30m",
    "CSI 0;1;2;3;4;5;7;8;9;21;22;23;24;25;27;28;29;38;5;1m",
  ]
  private static let characters = [
    "é", "日", "🎨", "[", "m", "K", "0;1m", "\r\n", "\t", "\u{7}", "©",
  ]
  /// What is not plain, with its first byte.
  private static let others: [[UInt8]] = [
    bytes("CSI H"), bytes("CSI 2;5H"), bytes("CSI ?25h"), bytes("CSI 1$m"), bytes("CSI >4;1m"),
    bytes("CSI 1;2x"), bytes("CSI 12\u{18}m"), [0x1B, 0x5B, 0x0A, 0x6D], [0x1B, 0x1B, 0x5B, 0x6D],
    [0x1B, 0x4D], [0x1B, 0x6D], [0x08], [0x0B], [0x0C], [0x0E], [0x00], [0xC2, 0x85],
    [0xC2, 0x9B, 0x6D],
    bytes("OSC 2;mST"),
  ]

  private static func look(_ bytes: [UInt8], from start: Int = 0) -> (end: Int, isUnfinished: Bool)?
  {
    unsafe bytes.withUnsafeBytes { buffer in
      unsafe UncheckedBytes(buffer)?.plainOutput(from: start, to: buffer.count)
    }
  }

  private static func plain(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
    var text: [UInt8] = []
    while text.count < count {
      switch Int.random(in: 0...5, using: &random) {
      case 0, 1: text += bytes(sequences[Int.random(in: 0..<sequences.count, using: &random)])
      case 2: text += Array(characters[Int.random(in: 0..<characters.count, using: &random)].utf8)
      default:
        text += Array(repeating: 0x61, count: Int.random(in: 1...80, using: &random))
      }
    }
    return text
  }

  @Test(arguments: 1...40)
  func `it ends at what is not plain, and nowhere before`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<100 {
      let text = PlainOutputTests.plain(Int.random(in: 0...400, using: &random), &random)
      let after = PlainOutputTests.plain(Int.random(in: 0...200, using: &random), &random)
      for other in PlainOutputTests.others {
        let found = PlainOutputTests.look(text + other + after)
        #expect(found?.end == text.count, "\(text) \(other)")
      }
      let all = text + after
      #expect(PlainOutputTests.look(all)?.end == all.count, "\(all)")
    }
  }

  @Test(arguments: 1...10)
  func `what has not ended is not part of it`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<100 {
      let text = PlainOutputTests.plain(Int.random(in: 0...400, using: &random), &random)
      for last in PlainOutputTests.sequences.map(bytes) + [
        Array("日".utf8), Array("🎨".utf8), [0xC2, 0xA9],
      ] {
        for count in 1..<last.count {
          let found = PlainOutputTests.look(text + last.prefix(count))
          #expect(
            found?.end == text.count && found?.isUnfinished == true, "\(text) \(last) \(count)")
        }
      }
    }
  }

  @Test func `a sequence may begin at each byte of a block and end at each byte of the next`() {
    for place in 0..<130 {
      for length in 0...70 {
        let parameters = (0..<length).map { Array("0123456789:;".utf8)[$0 % 12] }
        let start = [UInt8](repeating: 0x61, count: place) + [0x1B, 0x5B] + parameters
        let rest = [UInt8](repeating: 0x62, count: 130)
        for (final, isPlain) in [
          ("m", true), ("K", true), ("H", false), ("[", false), (" ", false),
        ] {
          let all = start + Array(final.utf8) + rest
          #expect(PlainOutputTests.look(all)?.end == (isPlain ? all.count : place))
        }
      }
    }
  }
}
