import PerfHUDBase
import Testing

@testable import Terminal

/// Lines that come and go within the same bytes are passed over; the screen is as if they had been printed.
@Suite struct ScreenScrolledTests {
  /// Lines of text, most of them ended by CR LF, with colors, tabs and characters beyond ASCII; between
  /// them now and then something else.
  private static func stream(_ seed: UInt64, lines: Int, special: Int) -> [UInt8] {
    var numbers = SeededRandom(seed: seed)
    var result: [UInt8] = []
    for _ in 0..<lines {
      for _ in 0..<Int.random(in: 0...4, using: &numbers) { result += part(&numbers) }
      if Int.random(in: 0..<1000, using: &numbers) < special { result += other(&numbers) }
      let isBare = Int.random(in: 0..<12, using: &numbers) == 0
      result += isBare ? [0x0A] : [0x0D, 0x0A]
    }
    return result
  }

  private static func part(_ numbers: inout SeededRandom) -> [UInt8] {
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }
    switch number(0...9) {
    case 0...3:
      return (0..<number(1...30)).map { _ in UInt8.random(in: 0x20...0x7E, using: &numbers) }
    case 4:
      return bytes("CSI \(["0", "", "1", "31", "42", "1;33", "22", "49", "07"].pick(&numbers))m")
    case 5: return bytes("CSI \([38, 48].pick(&numbers));5;\(number(0...255))m")
    case 6:
      return bytes(
        "CSI \([38, 48].pick(&numbers));2;\(number(0...255));\(number(0...255));\(number(0...255))m"
      )
    case 7:
      return Array(["日本語", "é", "e\u{301}", "\u{302}", "ｆｕｌｌ", "\u{85}", "→·"].pick(&numbers).utf8)
    case 8:
      return Array(
        ["😀", "🐢", "\u{1F1EF}\u{1F1F5}", "👍\u{1F3FD}", "a\u{200D}b", "❤\u{FE0F}"].pick(&numbers)
          .utf8)
    default: return [0x09]
    }
  }

  /// What ends the look ahead.
  private static func other(_ numbers: inout SeededRandom) -> [UInt8] {
    [
      bytes("CSI 2;5r"), bytes("CSI r"), bytes("CSI H"), bytes("CSI K"), bytes("CSI 7m"),
      bytes("CSI 8m"), bytes("CSI 28m"), bytes("CSI 4:3m"), bytes("CSI 38;5;300m"),
      bytes("CSI 1;2;3m"),
      bytes("CSI ?7l"), bytes("CSI ?7h"), bytes("CSI ?45h"), bytes("CSI ?45l"), [0x0D, 0x08, 0x08],
      bytes("CSI 3b"), bytes("ESC M"), bytes("CSI 99;1H"),
      bytes("OSC 2;t ST"), bytes("CSI ?1049h"), bytes("CSI ?1049l"), [0x08], [0x0B], [0x0C], [0xC3],
      [0xFF], [0xED, 0xA0, 0x80], [0x7F], [0xC2], [0xC2, 0xC2, 0x85], [0xC2, 0x0E, 0x0F],
      [0xC2] + bytes("CSI ?25l"), [0xC2] + bytes("CSI 2;4r"), [0xFC, 0x80], [0xFE],
      [0x1B],
    ].pick(&numbers)
  }

  private static let quirks: [TerminalQuirks] = [.xterm, .tmux, [], .noSideMargins]

  private func compare(_ input: [UInt8], _ seed: Int, _ kind: Int) {
    let columns = [20, 23, 80][seed % 3]
    let rows = 3 + seed % 9
    let whole = makeScreen(columns: columns, rows: rows, quirks: ScreenScrolledTests.quirks[kind])
    let single = makeScreen(columns: columns, rows: rows, quirks: ScreenScrolledTests.quirks[kind])
    whole.feed("CSI \(rows);1H")
    single.feed("CSI \(rows);1H")
    whole.feed(input)
    for byte in input { single.feed([byte]) }
    expectSame(whole.picture, single.picture, "seed \(seed)")
    // What comes next shows the pen, the colors of erased cells, what REP repeats, and what combines.
    for text in ["\u{301}", "CSI 3b", "\r\n\u{301}", "CSI 7mxCSI 27my", "CSI K", "日"] {
      whole.feed(text)
      for byte in bytes(text) { single.feed([byte]) }
      expectSame(whole.picture, single.picture, "seed \(seed), \(text)")
    }
  }

  @Test(arguments: 1...60, 0...3)
  func `lines in one piece and in single bytes give the same screen`(seed: Int, kind: Int) {
    compare(ScreenScrolledTests.stream(UInt64(seed), lines: 150, special: 0), seed, kind)
  }

  @Test(arguments: 1...60, 0...3)
  func `lines with other sequences between them give the same screen`(seed: Int, kind: Int) {
    compare(ScreenScrolledTests.stream(UInt64(seed) + 900, lines: 150, special: 25), seed, kind)
  }

  @Test(arguments: 1...60, 0...2)
  func `lines that scroll between margins in one piece and in single bytes give the same screen`(
    seed: Int, kind: Int
  ) {
    var input: [UInt8] = []
    for part in 0..<6 {
      let rows = 3 + seed % 9
      let top = 1 + (seed + part) % (rows - 1)
      let bottom = top + 1 + (seed / 7 + part) % (rows - top)
      input += bytes("CSI \(top);\(bottom)rCSI \(bottom);1H")
      let seed = UInt64(seed * 10 + part) + 5000
      input += ScreenScrolledTests.stream(seed, lines: 40, special: part % 3 * 10)
    }
    compare(input, seed, kind)
  }

  @Test
  func `a line that scrolls off between margins in the same piece is not printed`() {
    let lines = (0..<500).map { "CSI 38;2;\($0 / 250);\($0 % 250);7mline \($0)\r\n" }
    let whole = makeScreen()
    let single = makeScreen()
    for screen in [whole, single] { screen.feed("stays\r\nCSI 2;4rCSI 4;1H") }
    whole.feed(lines.joined())
    for line in lines { single.feed(line) }
    expectSame(whole.picture, single.picture, "500 lines")
    #expect(single.screen.tables.styles.count >= 500)
    #expect(whole.screen.tables.styles.count < 100)
  }

  @Test(arguments: 1...40)
  func `cut at random places the lines give the same screen`(seed: Int) {
    let input = ScreenScrolledTests.stream(UInt64(seed) + 2000, lines: 200, special: 8)
    let whole = makeScreen(columns: 40, rows: 6)
    let pieces = makeScreen(columns: 40, rows: 6)
    whole.feed(input)
    var numbers = SeededRandom(seed: UInt64(seed))
    var from = 0
    while from < input.count {
      let end = min(input.count, from + Int.random(in: 1...900, using: &numbers))
      let start = from - pieces.pendingBytes
      pieces.feed(Array(input[start..<end]), from: from - start)
      from = end
    }
    expectSame(whole.picture, pieces.picture, "seed \(seed)")
  }

  @Test
  func `a line that scrolls off in the same piece is not printed, and no color of it is kept`() {
    let lines = (0..<500).map { "CSI 38;2;\($0 / 250);\($0 % 250);7mline \($0)\r\n" }
    let whole = makeScreen()
    let single = makeScreen()
    whole.feed(lines.joined())
    for line in lines { single.feed(line) }
    expectSame(whole.picture, single.picture, "500 lines")
    let (all, kept) = (single.screen.tables.styles.count, whole.screen.tables.styles.count)
    #expect(all >= 500)
    #expect(kept < 100)
  }

  @Test
  func
    `below a HUD the first line end stops, and what is passed over after the eraseHUD is no damage`()
  {
    let screen = makeScreen()
    screen.feed("CSI 6;1H")
    let input = bytes((0..<200).map { "line \($0)\r\n" }.joined())
    let hud = hudRegion(rows: 2...4, columns: 10...15)
    let stop = screen.feed(input, hudRegion: hud)
    #expect(stop.reason == .willMoveCovered)
    #expect(stop.offset == 7)
    let rest = screen.feed(input, from: stop.resume)
    #expect(rest.reason == .end)
    #expect(!screen.hasDamage)
    screen.expectLine(1, "line 195")
    screen.expectLine(5, "line 199")
  }

  @Test
  func `a screen of another height than the ring of line ends was used for shows the same lines`() {
    let screen = makeScreen(rows: 4)
    let input = (0..<300).map { "number \($0)\r\n" }.joined()
    for rows in [4, 40, 7, 3] {
      screen.resize(to: Size(rows: rows, columns: 20), isKnown: true)
      screen.feed("CSI \(rows);1H")
      screen.feed(input)
      screen.expectLine(1, "number \(301 - rows)")
      screen.expectLine(rows - 1, "number 299")
    }
  }
}
