import HUD
import Metrics
import PerfHUDBase
import Terminal
import Testing

/// Graphs of a process at rest.
@Suite struct QuietGraphTests {
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

  /// Columns in which the graph shows something: how far back it reaches. Its axis does not begin at 0, so it is a line.
  private func filled(_ hud: HUD) -> Int {
    let size = hud.canvas.grid.size
    return (0..<size.columns).count { column in
      (5..<size.rows - 1).contains { row in
        (0x2801...0x28FF).contains(hud.canvas.grid[row, column].scalarValue)
      }
    }
  }

  @Test func `at rest the graph is drawn as time passes, and lags by seven cells at most`() {
    var process = process(bytes: 5 << 20)
    var hud = HUD(
      size: Size(rows: 9, columns: 36), state: HUDState(interval: 100_000_000, family: .overlay))
    for second in 1...25 {
      process.pass(seconds: 1)
      draw(&hud, process)
      let cell = Double(hud.state.graph.cellDuration) * 1e-9
      let shown = Double(filled(hud)) * cell
      #expect(shown < Double(second) + cell)
      #expect(shown >= min(Double(second) - 7 * cell, 26 * cell))
    }
  }

  @Test func `once it has ended the graph is whole, and rests`() {
    var process = process(bytes: 5 << 20)
    var hud = HUD(
      size: Size(rows: 9, columns: 36), state: HUDState(interval: 100_000_000, family: .overlay))
    process.pass(seconds: 26)
    process.change = { $0.hasEnded = true }
    for _ in 0..<50 {
      process.step()
      draw(&hud, process)
      #expect(filled(hud) == 26)
    }
  }

  @Test func `a mark leaves a graph that reaches the top as it is`() {
    var process = process(bytes: 4 << 20)
    var hud = HUD(
      size: Size(rows: 9, columns: 36), state: HUDState(interval: 100_000_000, family: .overlay))
    process.pass(seconds: 10)
    draw(&hud, process)
    let before = (0..<36).map { hud.canvas.grid[5, $0].scalarValue }
    process.apply(.mark(MadeUpProcess.time(5)))
    hud.invalidateAll()
    draw(&hud, process)
    let after = (0..<36).map { hud.canvas.grid[5, $0].scalarValue }
    #expect(before == after)
    let marked = (0..<36).filter { hud.canvas.grid[5, $0].style == Role.mark.style }
    #expect(marked.count == 1)
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
    #expect((0..<36).contains { hud.canvas.grid[5, $0].style == Role.mark.style })
  }
}
