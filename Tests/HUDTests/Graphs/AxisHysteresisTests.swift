import HUD
import Metrics
import PerfHUDBase
import Terminal
import Testing

/// Graphs of a process at rest.
@Suite struct AxisHysteresisTests {
  /// A process whose memory is `bytes` and that uses nothing.
  private func process(bytes: UInt64) -> MadeUpProcess {
    var process = MadeUpProcess(tick: false)
    process.change = { sample in
      sample.anonymousBytes = .value(bytes)
      sample.swapBytes = .value(0)
      sample.pageTableBytes = .value(0)
      sample.cpuNanoseconds = .value(0)
    }
    return process
  }

  private func draw(_ hud: inout HUD, _ process: MadeUpProcess) {
    hud.invalidate()
    hud.draw(process.run, now: process.now)
  }

  /// Columns in which the graph shows something, in its lowest row: how far back it reaches.
  private func filled(_ hud: HUD) -> Int {
    let size = hud.canvas.grid.size
    return (0..<size.columns).count { column in
      (0x2801...0x28FF).contains(hud.canvas.grid[size.rows - 2, column].scalarValue)
    }
  }

  @Test func `at rest the graph moves by several cells at once, and never lags by more than three`()
  {
    var process = process(bytes: 5 << 20)
    var hud = HUD(
      size: Size(rows: 9, columns: 36), state: HUDState(interval: 100_000_000, family: .overlay))
    process.pass(seconds: 5)
    draw(&hud, process)
    var seen: Set<Int> = []
    var lastFilled = filled(hud)
    for second in 6...25 {
      process.pass(seconds: 1)
      draw(&hud, process)
      let filled = filled(hud)
      #expect(filled <= second)
      #expect(filled >= second - 3)
      if filled != lastFilled { seen.insert(filled - lastFilled) }
      lastFilled = filled
    }
    #expect(seen.allSatisfy { $0 > 1 }, "\(seen)")
  }

  @Test func `what changes is drawn with the next picture, at the end of the graph`() {
    var process = process(bytes: 5 << 20)
    var hud = HUD(
      size: Size(rows: 9, columns: 36), state: HUDState(interval: 100_000_000, family: .overlay))
    process.pass(seconds: 10)
    draw(&hud, process)
    process.pass(seconds: 1.5)
    draw(&hud, process)
    process.change = { sample in
      sample.anonymousBytes = .value(2 << 20)
      sample.swapBytes = .value(0)
      sample.pageTableBytes = .value(0)
      sample.cpuNanoseconds = .value(0)
    }
    process.pass(seconds: 2)
    draw(&hud, process)
    #expect(filled(hud) == 14)
    var fresh = HUD(
      size: Size(rows: 9, columns: 36), state: HUDState(interval: 100_000_000, family: .overlay))
    draw(&fresh, process)
    let graphs = [hud, fresh].map { hud in
      (5..<8).map { row in (0..<36).map { hud.canvas.grid[row, $0].scalarValue } }
    }
    #expect(graphs[0] == graphs[1])
  }

  @Test func `a mark is drawn at once`() {
    var process = process(bytes: 5 << 20)
    var hud = HUD(
      size: Size(rows: 9, columns: 36), state: HUDState(interval: 100_000_000, family: .overlay))
    process.pass(seconds: 10)
    draw(&hud, process)
    process.pass(seconds: 1.5)
    draw(&hud, process)
    process.apply(.mark(process.now))
    process.pass(seconds: 0.5)
    hud.invalidateAll()
    draw(&hud, process)
    let row = (0..<36).map { hud.canvas.grid[5, $0].scalarValue }
    #expect(row.contains(0x25BC))
  }
}
