import PerfHUDBase
import Testing

@testable import Terminal

/// Text, line ends, CUP, EL and SGR go a way of their own where nothing else has to be thought of. Fed
/// byte by byte they go through the parser instead: both ways have to come to the same.
@Suite struct ScreenPlainTests {
  /// Output of which most goes the plain way, and some only nearly: numbers of every length, colors
  /// with too few, too many and too great numbers, characters that are cut, malformed or special.
  private static func stream(_ seed: UInt64, steps: Int) -> [UInt8] {
    var numbers = SeededRandom(seed: seed)
    var result: [UInt8] = []
    for _ in 0..<steps { result += part(&numbers) }
    return result
  }

  private static func part(_ numbers: inout SeededRandom) -> [UInt8] {
    switch Int.random(in: 0..<20, using: &numbers) {
    case 0...4:
      return (0..<Int.random(in: 1...40, using: &numbers)).map { _ in
        UInt8.random(in: 0x20...0x7E, using: &numbers)
      }
    case 5: return [0x0D]
    case 6: return [0x0A]
    case 7: return [0x0D, 0x0A]
    case 8, 9: return bytes("CSI \(list(0...2, &numbers))H")
    case 10: return bytes("CSI \(list(0...1, &numbers))K")
    case 11, 12: return bytes("CSI \(list(0...3, &numbers))m")
    case 13, 14: return bytes("CSI " + color(&numbers))
    case 15: return bytes(["CSI 7m", "CSI 27m", "CSI 0;1m", "CSI 4m", "CSI m"].pick(&numbers))
    case 16: return bytes(["CSI 8m", "CSI 28m", "CSI 4:3m", "CSI ?7l", "CSI ?7h"].pick(&numbers))
    case 17:
      return [
        [0xC3], [0xE6, 0x97], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xEF, 0xBF],
        [0xEF, 0xBF, 0xBE], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80], [0xFF],
        [0xC2, 0x85], [0xF0, 0xA0, 0x80, 0x80], [0x7F], [0xF8, 0x88, 0x80, 0x80, 0x80],
      ].pick(&numbers)
    default: return (0..<Int.random(in: 1...20, using: &numbers)).flatMap { _ in word(&numbers) }
    }
  }

  private static func word(_ numbers: inout SeededRandom) -> [UInt8] {
    let ranges: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0xA0...0x2FF, 0x300...0x36F, 0x2500...0x259F, 0x3041...0x3093, 0x4E00...0x9FA0,
      0xFFE0...0xFFFD, 0x1F300...0x1F64F, 0x80...0xD7FF, 0xE000...0x3_FFFF,
    ]
    let scalar = Unicode.Scalar(UInt32.random(in: ranges.pick(&numbers), using: &numbers))
    return Array(String(Character(scalar ?? "x")).utf8)
  }

  private static func list(_ count: ClosedRange<Int>, _ numbers: inout SeededRandom) -> String {
    (0..<Int.random(in: count, using: &numbers)).map { _ in number(&numbers) }
      .joined(separator: ";")
  }

  private static func number(_ numbers: inout SeededRandom) -> String {
    switch Int.random(in: 0..<10, using: &numbers) {
    case 0: ""
    case 1: ["0", "000", "007", "0001", "999", "1000", "65536"].pick(&numbers)
    case 2...4: "\(Int.random(in: 0...9, using: &numbers))"
    default: "\(Int.random(in: 0...130, using: &numbers))"
    }
  }

  private static func color(_ numbers: inout SeededRandom) -> String {
    let plane = ["38", "48", "58", "37", "038"].pick(&numbers)
    let form = ["5", "2", "5", "2", "3", "", "05"].pick(&numbers)
    let least = form == "2" ? 3 : 1
    var values: [String] = []
    let isExact = Bool.random(using: &numbers)
    let count = isExact ? least : Int.random(in: 0...4, using: &numbers)
    for _ in 0..<count {
      values.append(
        isExact
          ? "\(Int.random(in: 0...255, using: &numbers))"
          : ["", "0", "9", "77", "255", "256", "999", "0255"].pick(&numbers))
    }
    let final = Int.random(in: 0..<12, using: &numbers) == 0 ? ";1m" : "m"
    return ([plane, form] + values).joined(separator: ";") + final
  }

  private static let quirks: [TerminalQuirks] = [.xterm, .tmux, [], .noSideMargins]

  @Test(arguments: 1...60, 0...3)
  func `one piece and single bytes give the same screen`(seed: Int, kind: Int) {
    let input = ScreenPlainTests.stream(UInt64(seed), steps: 200)
    let quirks = ScreenPlainTests.quirks[kind]
    let columns = [20, 23, 131][seed % 3]
    let whole = makeScreen(columns: columns, rows: 7, quirks: quirks)
    let single = makeScreen(columns: columns, rows: 7, quirks: quirks)
    whole.feed(input)
    for byte in input { single.feed([byte]) }
    expectSame(whole.picture, single.picture, "seed \(seed)")
    // What comes next shows the pen, the colors of erased cells, and what REP repeats.
    for text in ["CSI 3b", "CSI 7mxCSI 27my", "CSI K", "\u{301}"] {
      whole.feed(text)
      for byte in bytes(text) { single.feed([byte]) }
      expectSame(whole.picture, single.picture, "seed \(seed), \(text)")
    }
  }

  @Test(arguments: 1...40)
  func `one piece and single bytes damage the same cells and stop at the same places`(seed: Int) {
    let input = ScreenPlainTests.stream(UInt64(seed) + 500, steps: 60)
    let place = Rect(row: 1, column: 11, rows: 3, columns: 6)
    func run(_ ends: [Int]) -> [String] {
      let screen = makeScreen(rows: 7)
      var log: [String] = []
      var from = 0
      var hudRegion = HUDRegion(place)
      for end in ends {
        while from < end || screen.pendingBytes > 0 {
          let start = from - screen.pendingBytes
          let stop = screen.feed(
            Array(input[start..<end]), from: from - start, hudRegion: hudRegion)
          from = start + stop.resume
          if stop.reason == .end { break }
          // Without a HUD the rest passes; the damage up to here is what it was.
          if !hudRegion.isEmpty { log.append("\(stop.reason) at \(from): \(damage(screen))") }
          hudRegion = HUDRegion()
        }
      }
      if !hudRegion.isEmpty { log.append(damage(screen)) }
      return log + screen.picture
    }
    func damage(_ screen: TestScreen) -> String {
      (place.row..<place.endRow).map { row in
        let range = screen.screen.damage(row: row)
        return "\(range.clamped(to: place.column..<place.endColumn))"
      }.joined(separator: " ")
    }
    expectSame(run([input.count]), run(Array(1...input.count)), "seed \(seed)")
  }

  @Test func `text in the middle of a line leaves what is after it, whatever its length`() {
    for length in 1...24 {
      for start in 1...8 {
        let screen = makeScreen(columns: 40)
        let text = String(repeating: "x", count: length)
        screen.feed(String(repeating: ".", count: 39) + "CSI 1;\(start)H" + text + "CSI 5;1Hend")
        let before = String(repeating: ".", count: start - 1)
        screen.expectLine(
          1, before + text + String(repeating: ".", count: 39 - start + 1 - length))
      }
    }
  }

  @Test func `text at the end of the last line writes nothing beyond it`() {
    for length in 1...9 {
      let screen = makeScreen(columns: 20, rows: 2)
      screen.feed("aaaaCSI 2;\(21 - length)H" + String(repeating: "x", count: length) + "CSI 1;1H")
      screen.expectLines(
        "aaaa", String(repeating: " ", count: 20 - length) + String(repeating: "x", count: length))
    }
  }

  @Test func `a narrow character beyond ASCII leaves the one after it`() {
    let screen = makeScreen()
    screen.feed("abcdefghijCSI 1;3Hä–öCSI 5;1Hend")
    screen.expectLine(1, "abä–öfghij")
  }

  @Test func `every character has the columns that the table of widths says`() {
    let tables = CharacterTables()
    for value in UInt32(0xA0)..<0x2_0000 {
      guard let scalar = Unicode.Scalar(value), value & 0xFFFF != 0xFFFE, value & 0xFFFF != 0xFFFF
      else { continue }
      var word: UInt32 = 0
      for (index, byte) in String(scalar).utf8.enumerated() { word |= UInt32(byte) << (index * 8) }
      let (found, length) = tables.decode(word)
      guard found == value, length == String(scalar).utf8.count,
        tables.width(found) == CharacterWidth.of(scalar)
      else {
        Issue.record("U+\(String(value, radix: 16)): \(found), \(length) bytes")
        return
      }
    }
  }
}

extension Array {
  func pick(_ numbers: inout SeededRandom) -> Element {
    randomElement(using: &numbers)!
  }
}
