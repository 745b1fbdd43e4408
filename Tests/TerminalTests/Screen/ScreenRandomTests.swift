import PerfHUDBase
import Testing

@testable import Terminal

@Suite struct ScreenRandomTests {
  private static let parts: [String] = [
    "hello world", "日本語", "e\u{301}", "🎨x", "\r\n", "\n", "\r", "\t", "\u{8}", "CSI H",
    "CSI 3;7H", "CSI 6;18H", "CSI 1;31m", "CSI 38;5;200m", "CSI 48:2::1:2:3m", "CSI m", "CSI K",
    "CSI 1K", "CSI J", "CSI 2J", "CSI 3X", "CSI 2@", "CSI 2P", "CSI L", "CSI M", "CSI S", "CSI T",
    "CSI 2;5r", "CSI r", "CSI ?6h", "CSI ?6l", "CSI 4h", "CSI 4l", "CSI ?7l", "CSI ?7h",
    "CSI ?69h", "CSI 3;15s", "CSI ?69l", "ESC 7", "ESC 8", "ESC M", "ESC D", "ESC E",
    "CSI ?1049h", "CSI ?1049l", "CSI ?47h", "CSI ?47l", "CSI 5b", "ESC (0", "ESC (B", "\u{E}",
    "\u{F}", "ESC N", "ESC c", "CSI !p", "ESC #8", "OSC 2;title STx",
    "OSC 8;;http://a STlinkOSC 8;; ST", "CSI 6n", "CSI ?2026h", "CSI ?2026l",
    "OSC 7337;perfhud;frame\u{7}", "DCS q~~ ST", "DCS $qm ST", "CSI 1\nC", "CSI 1\"q", "CSI 0\"q",
    "CSI ?2J", "CSI ?K", "CSI 2'}", "CSI 2'~", "CSI 2 @", "ESC 6", "ESC 9", "CSI Z", "CSI 3I",
    "CSI ?1047h", "CSI ?1047l", "ESC V", "ESC W", "\u{18}", "CSI ?45h", "CSI ?45l", "CSI 12",
  ]

  /// - Parameter omitted: parts that are left out.
  static func stream(_ seed: UInt64, steps: Int, omitted: Set<String> = []) -> [UInt8] {
    var numbers = SeededRandom(seed: seed)
    var result: [UInt8] = []
    let parts = parts.filter { !omitted.contains($0) }
    for _ in 0..<steps { result += bytes(parts.randomElement(using: &numbers)!) }
    return result
  }

  /// Feeds as an overlay does: what is pending stays in front, and what was stopped at passes
  /// uncovered up to the next ground boundary, wherever the pieces are cut.
  private static func feed(
    _ input: [UInt8], _ screen: TestScreen, _ hudRegion: HUDRegion, cut: (Int) -> Int
  ) -> (stops: [String], output: [UInt8]) {
    var stops: [String] = []
    var output: [UInt8] = []
    var written = 0
    var isLifted = false
    var at = 0
    while at < input.count {
      let end = min(input.count, at + max(1, cut(at)))
      let start = at - screen.pendingBytes
      let piece = Array(input[start..<end])
      var from = at - start
      while from < piece.count {
        if isLifted {
          from = screen.feed(Array(piece[...from]), from: from).resume
          isLifted = !screen.isAtGround
          continue
        }
        let stop = screen.feed(piece, from: from, hudRegion: hudRegion)
        from = stop.resume
        if stop.reason == .end { break }
        stops.append("\(stop.reason) \(start + stop.offset)")
        output += input[written..<start + stop.offset]
        written = start + stop.resume
        isLifted = stop.reason != .ownSequence
      }
      at = end
    }
    return (stops, output + input[written...])
  }

  @Test(arguments: 1...60)
  func `one piece and random pieces give the same screen`(seed: Int) {
    let input = ScreenRandomTests.stream(UInt64(seed), steps: 150)
    let whole = makeScreen()
    var at = 0
    while at < input.count { at = whole.feed(input, from: at).resume }
    let pieces = makeScreen()
    var numbers = SeededRandom(seed: UInt64(seed) + 1000)
    _ = ScreenRandomTests.feed(input, pieces, HUDRegion()) { _ in
      Int.random(in: 1...9, using: &numbers)
    }
    expectSame(whole.picture, pieces.picture, "seed \(seed)")
  }

  @Test(arguments: 1...60)
  func `stops and their resumption change nothing`(seed: Int) {
    let input = ScreenRandomTests.stream(UInt64(seed), steps: 150)
    let hud = hudRegion(rows: 2...3, columns: 11...20)
    let bare = makeScreen()
    var at = 0
    while at < input.count { at = bare.feed(input, from: at).resume }
    let covered = makeScreen()
    let result = ScreenRandomTests.feed(input, covered, hud) { _ in input.count }
    expectSame(bare.picture, covered.picture, "seed \(seed)")
    #expect(!result.stops.isEmpty)

    let pieces = makeScreen()
    var numbers = SeededRandom(seed: UInt64(seed) + 2000)
    let second = ScreenRandomTests.feed(input, pieces, hud) { _ in
      Int.random(in: 1...9, using: &numbers)
    }
    expectSame(bare.picture, pieces.picture, "seed \(seed), in pieces")
    #expect(result.output == second.output, "seed \(seed): the same bytes pass")
    #expect(result.stops == second.stops, "seed \(seed): the same stops")
  }

  @Test(arguments: 1...8)
  func `random bytes never trap and keep the cursor on the screen`(seed: Int) {
    var numbers = SeededRandom(seed: UInt64(seed))
    let hud = hudRegion(rows: 2...3, columns: 5...9)
    let alphabet = Array(
      ("\u{1B}\u{1B}\u{1B}[[[]P_?>!$ '\"#;:0123456789ABCDHJKLMPSTX@`bdehlmrsu\n\r\t\u{8}"
        + "qx日\u{301}").utf8)
    let screen = makeScreen(
      columns: 13, rows: 7, quirks: seed % 2 == 0 ? [] : .xterm, isUTF8: seed % 3 != 0)
    var fed = 0
    while fed < 40_000 {
      var piece: [UInt8] = []
      for _ in 0..<Int.random(in: 1...200, using: &numbers) {
        piece.append(
          Int.random(in: 0..<4, using: &numbers) == 0
            ? UInt8.random(in: 0...255, using: &numbers) : alphabet.randomElement(using: &numbers)!)
      }
      fed += piece.count
      var from = 0
      var turn = 0
      while true {
        let stop = screen.feed(piece, from: from, hudRegion: turn % 2 == 0 ? hud : HUDRegion())
        if stop.reason == .end { break }
        from = max(0, stop.resume)
        turn += 1
      }
      let size = screen.size
      let cursor = screen.cursor
      guard (0..<size.rows).contains(cursor.row), (0..<size.columns).contains(cursor.column) else {
        Issue.record("seed \(seed): cursor \(cursor)")
        return
      }
      for row in 0..<size.rows {
        for column in 0..<size.columns {
          let cell = screen.cell(row + 1, column + 1)
          let next = column + 1 < size.columns ? screen.cell(row + 1, column + 2) : .clear
          guard (cell.width == 2) == next.isContinuation else {
            Issue.record("seed \(seed): half a wide character at \(row), \(column)")
            return
          }
        }
        guard !screen.cell(row + 1, 1).isContinuation else {
          Issue.record("seed \(seed): half a wide character at \(row), 0")
          return
        }
      }
      if Int.random(in: 0..<40, using: &numbers) == 0 {
        screen.resize(
          to: Size(
            rows: Int.random(in: 1...9, using: &numbers),
            columns: Int.random(in: 1...30, using: &numbers)),
          isKnown: Bool.random(using: &numbers))
      }
    }
  }
}
