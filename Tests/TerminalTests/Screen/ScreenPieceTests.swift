import PerfHUDBase
import Testing

@testable import Terminal

/// It does not matter how the output of a program is cut into reads.
@Suite struct ScreenPieceTests {
  /// What goes to the terminal for an input, with a HUD that was drawn before it and is drawn again
  /// when all has passed.
  private static func output(
    _ input: [UInt8], quirks: TerminalQuirks, hasUpdates: Bool, cut: (Int) -> Int
  ) -> (bytes: [UInt8], lateErases: Int) {
    var options = Screen.Options()
    options.quirks = quirks
    let place = Rect(row: 1, column: 11, rows: 3, columns: 7)
    var grid = CellGrid(Size(rows: 3, columns: 7))
    grid.fill(Cell("#", style: StyleID(1)))
    var compositor = Compositor(
      size: Size(rows: 6, columns: 20), options: options,
      styles: [.plain, Style(attributes: .bold)])
    compositor.hasSynchronizedUpdates = hasUpdates
    var queue = OutputQueue()
    let now = Instant(nanoseconds: 1_000_000_000)
    compositor.show(grid, at: place)
    compositor.settle(now: now, isIdle: true, to: &queue)
    var from = 0
    while from < input.count {
      let end = min(input.count, from + max(1, cut(from)))
      unsafe compositor.space.copyBytes(from: input[from..<end])
      compositor.pass(end - from, now: now, to: &queue)
      from = end
    }
    let later = now.advanced(byNanoseconds: 1_000_000_000)
    compositor.settle(now: later, isIdle: true, to: &queue)
    compositor.hide()
    compositor.settle(now: later.advanced(byNanoseconds: 1_000_000_000), isIdle: true, to: &queue)
    return (queue.bytes, compositor.lateErases)
  }

  private static let kinds: [(TerminalQuirks, Bool)] = [
    (.xterm, false), (.tmux, false), ([], true), (.noSideMargins, false),
  ]

  @Test(arguments: 1...80, 0...3)
  func `one piece and random pieces send the same bytes`(seed: Int, kind: Int) {
    let (quirks, hasUpdates) = ScreenPieceTests.kinds[kind]
    // A control within a sequence is carried out at once: what is cut after it goes out without an erase.
    let input = ScreenRandomTests.stream(UInt64(seed), steps: 150, omitted: ["CSI 1\nC"])
    let whole = ScreenPieceTests.output(input, quirks: quirks, hasUpdates: hasUpdates) { _ in
      input.count
    }
    var numbers = SeededRandom(seed: UInt64(seed) + 3000)
    let pieces = ScreenPieceTests.output(input, quirks: quirks, hasUpdates: hasUpdates) { _ in
      Int.random(in: 1...9, using: &numbers)
    }
    if let place = zip(whole.bytes, pieces.bytes).enumerated().first(where: { $1.0 != $1.1 })?
      .offset
    {
      let range = max(0, place - 40)..<place + 40
      Issue.record(
        """
        seed \(seed), at \(place):
        \(String(decoding: whole.bytes[range.clamped(to: whole.bytes.indices)], as: UTF8.self).debugDescription)
        \(String(decoding: pieces.bytes[range.clamped(to: pieces.bytes.indices)], as: UTF8.self).debugDescription)
        """)
    }
    #expect(whole.bytes.count == pieces.bytes.count)
    #expect(whole.lateErases == pieces.lateErases)
    #expect(whole.bytes.count > input.count / 2)
  }
}
