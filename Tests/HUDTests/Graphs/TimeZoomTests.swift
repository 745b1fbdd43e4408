import Metrics
import PerfHUDBase
import Terminal
import Testing

@testable import HUD

/// How the graphs of a full-screen view zoom out as the history fills.
@Suite struct TimeZoomTests {
  /// The columns of a graph, and how many of them show something.
  private func columns(_ hud: HUD, _ id: WidgetID, _ run: Run) -> (filled: Int, all: Int) {
    guard let frame = hud.layout.first(where: { $0.id == id })?.frame else { return (0, 0) }
    let area = GraphTimeRange(frame, run.history, hud.state, hasBand: false).area
    let filled = (area.column..<area.endColumn).count { column in
      (area.row..<area.endRow).contains { row in
        (0x2801...0x28FF).contains(hud.canvas.grid[row, column].scalarValue)
      }
    }
    return (filled, area.columns)
  }

  @Test(arguments: [(200, 60), (160, 50), (44, 15)])
  func `ten seconds after the start 60 % of the columns of a graph have data`(
    columns: Int, rows: Int
  ) {
    var process = MadeUpProcess()
    var hud = HUD(size: Size(rows: rows, columns: columns), state: HUDState())
    for _ in 0..<100 {
      process.step()
      hud.invalidate()
      hud.draw(process.run, now: process.now)
    }
    for id in [WidgetID.cpuGraph, .memoryGraph] {
      let (filled, all) = self.columns(hud, id, process.run)
      #expect(all > 10 && filled * 10 >= all * 6, "\(id): \(filled) of \(all)")
    }
  }

  @Test func `from then on they have at any time, and a cell ends with a second`() {
    var process = MadeUpProcess()
    var hud = HUD(size: Size(rows: 60, columns: 200), state: HUDState())
    var cells: [UInt64] = []
    for step in 1...1500 {
      process.step()
      hud.invalidate()
      hud.draw(process.run, now: process.now)
      if cells.last != hud.state.graph.cellDuration { cells.append(hud.state.graph.cellDuration) }
      guard step >= 100, step.isMultiple(of: 10) else { continue }
      let (filled, all) = columns(hud, .memoryGraph, process.run)
      #expect(filled * 10 >= all * 6, "after \(step) samples: \(filled) of \(all)")
    }
    #expect(cells == [100, 200, 500, 1000].map { $0 * 1_000_000 })
  }

  @Test func `who has zoomed, or looks back, keeps the time of a cell`() {
    var process = MadeUpProcess()
    process.pass(seconds: 5)
    var hud = HUD(size: Size(rows: 60, columns: 200), state: HUDState())
    hud.draw(process.run, now: process.now)
    _ = hud.handle(.character("Z"), run: process.run)
    #expect(hud.state.graph.cellDuration == 200_000_000)
    process.pass(seconds: 200)
    hud.invalidateAll()
    hud.draw(process.run, now: process.now)
    #expect(hud.state.graph.cellDuration == 200_000_000)
  }

  @Test func `with rare samples a cell is no shorter than the interval`() {
    var process = MadeUpProcess()
    process.pass(seconds: 10)
    var hud = HUD(
      size: Size(rows: 24, columns: 80), state: HUDState(interval: 5_000_000_000))
    hud.draw(process.run, now: process.now)
    #expect(hud.state.graph.cellDuration == 5_000_000_000)
  }

  @Test func `a graph whose axis does not begin at 0 is a line, one that does is an area`() {
    for (mebibytes, isLine) in [(200.0, true), (0, false)] {
      var process = MadeUpProcess()
      process.change = { sample in
        let wave = Double(sample.sequence % 40)
        sample.anonymousBytes = .value(UInt64((mebibytes + wave / 4) * 1_048_576))
      }
      process.pass(seconds: 12)
      var hud = HUD(size: Size(rows: 60, columns: 200), state: HUDState())
      hud.draw(process.run, now: process.now)
      #expect((hud.state.axes.memory.low > 0) == isLine)
      guard let frame = hud.layout.first(where: { $0.id == .memoryGraph })?.frame else { continue }
      let area = GraphTimeRange(frame, process.run.history, hud.state, hasBand: false).area
      let column = area.endColumn - 4
      let lowest = hud.canvas.grid[area.endRow - 1, column].scalarValue
      let count = (area.row..<area.endRow).count {
        (0x2801...0x28FF).contains(hud.canvas.grid[$0, column].scalarValue)
      }
      #expect(count > 0)
      // An area is filled down to its foot.
      #expect(isLine ? count < area.rows / 2 : (0x2801...0x28FF).contains(lowest))
    }
  }

  @Test func `the line is joined where a value jumps`() {
    let joined = GraphRasterizer.span(left: 1...1, right: -3...2, style: .braille)
    #expect(joined == "\u{28E0}")
    #expect(GraphRasterizer.span(left: nil, right: 5...9, style: .braille) == " ")
    #expect(GraphRasterizer.span(left: 2...2, right: nil, style: .block) == "─")
    #expect(GraphRasterizer.span(left: 2...7, right: nil, style: .ascii) == "|")
  }
}
