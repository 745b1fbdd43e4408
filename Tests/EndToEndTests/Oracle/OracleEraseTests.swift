import PerfHUDBase
import Testing

@testable import Terminal

/// Below a HUD no stream leads to a state that no sequence restores before the HUD has been erased: else the
/// cursor that the program has saved would be lost with the erase.
@Suite struct OracleEraseTests {
  enum Kind: CaseIterable { case plain, all, rare, other }

  static var seeds: [Int] {
    Array(Overlay.seeds(1...(Overlay.isLong ? 400 : 25))).flatMap { [$0, $0 + 1000] }
  }

  @Test(arguments: seeds, Kind.allCases)
  func `a random stream never has the HUD erased too late`(seed: Int, kind: Kind) {
    let size = Size(rows: 24, columns: 80)
    var options = Screen.Options()
    options.quirks = kind == .other ? .noSideMargins : .xterm
    var compositor = Compositor(size: size, options: options, styles: [.plain])
    var queue = OutputQueue()
    var stream = OracleStream(
      seed: seed, columns: size.columns, rows: size.rows,
      isPlain: [.plain, .other].contains(kind),
      hasRareModes: kind == .rare)
    var now = Instant(nanoseconds: 1_000_000_000)
    // On the right, at the top and at the bottom, so that most of what scrolls meets it.
    let places = [
      Rect(row: 0, column: 43, rows: 9, columns: 36),
      Rect(row: 6, column: 20, rows: 18, columns: 59),
    ]
    var steps = 0
    var drawn = 0
    while steps < 300 {
      let place = places[steps / 50 % 2]
      var grid = CellGrid(Size(rows: place.rows, columns: place.columns))
      grid.fill(Cell("#"))
      compositor.show(grid, at: place)
      // In one state after the other the HUD does not come back; what follows it is another stream.
      if steps % 50 == 0 { pass(OracleStream.reset, &compositor, &queue, now) }
      now = now.advanced(byNanoseconds: 20_000_000)
      compositor.settle(now: now, isIdle: true, to: &queue)
      if compositor.isPainted { drawn += 1 }
      let bytes = stream.next(compositor.screen.modes)
      pass(bytes, &compositor, &queue, now)
      guard compositor.lateErases == 0, !compositor.isPainted || compositor.screen.isRestorable
      else {
        let text = String(decoding: bytes, as: UTF8.self)
        Issue.record(
          """
          seed \(seed), \(kind), step \(steps): \(text.debugDescription), cursor \(compositor.screen.cursor), \
          pending \(compositor.screen.isWrapPending), margins \(compositor.screen.margins), \
          modes \(compositor.screen.modes.rawValue)
          """)
        return
      }
      steps += 1
    }
    #expect(drawn > 0)
  }

  private func pass(
    _ bytes: [UInt8], _ compositor: inout Compositor, _ queue: inout OutputQueue, _ now: Instant
  ) {
    unsafe compositor.space.copyBytes(from: bytes)
    compositor.pass(bytes.count, now: now, to: &queue)
    queue.removeAll()
  }
}
