import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

@testable import HUD

/// A process whose memory is as many MiB as seconds have passed.
private let rising: MadeUpProcess = {
  var process = MadeUpProcess()
  process.change = { sample in
    let seconds = sample.time.seconds(since: MadeUpProcess.start)
    sample.anonymousBytes = .value(UInt64(seconds.rounded() * 1_048_576))
    sample.pageTableBytes = .value(0)
  }
  process.pass(seconds: 200)
  return process
}()

@Suite struct GraphCursorTests {
  private func pane(_ columns: Int = 80) -> PaneScreen { PaneScreen(columns, 24, process: rising) }

  /// The heading of the graph.
  private func heading(_ pane: PaneScreen) -> String {
    pane.hud.lines.first { $0.contains("MEM footprint") } ?? ""
  }

  @Test func `in a frozen picture the cursor begins at its newest cell`() {
    var pane = pane()
    pane.press(.character(" "))
    pane.process.pass(seconds: 60)
    pane.press(.tab, .left)
    #expect(heading(pane).contains("199.0 MiB") && heading(pane).contains("08:38:14"))
  }

  @Test func `the cursor begins at the newest cell and shows its value and time`() {
    var pane = pane()
    pane.press(.tab)
    #expect(heading(pane).contains("200.0 MiB"))
    #expect(heading(pane).contains("08:38:15"))
    pane.press(.left)
    #expect(heading(pane).contains("199.0 MiB") && heading(pane).contains("08:38:14"))
    pane.press(.character("h"), .character("h"), .character("l"))
    #expect(heading(pane).contains("198.0 MiB"))
    #expect(pane.text.contains("▲"))
  }

  @Test func `while the cursor is based on a moment the graph stays where it is`() {
    var pane = pane()
    pane.press(.tab, .left, .left)
    let before = heading(pane)
    pane.process.pass(seconds: 5)
    pane.hud.invalidate()
    pane.hud.draw(pane.process.run, now: pane.process.now)
    #expect(heading(pane) == before)
    _ = pane.hud.handle(.end, run: pane.process.run)
    pane.hud.draw(pane.process.run, now: pane.process.now)
    #expect(heading(pane).contains("205.0 MiB"))
  }

  @Test func `at its left edge the graph goes back, but not beyond its beginning`() throws {
    var pane = pane()
    pane.press(.tab)
    let columns = try #require(pane.frame(.memoryGraph)?.columns) - 6
    for _ in 0..<columns { pane.press(.left) }
    #expect(heading(pane).contains("\(200 - columns).0 MiB"))
    for _ in 0..<500 { pane.press(.left) }
    #expect(heading(pane).contains("1.000 MiB") && heading(pane).contains("08:34:56"))
    pane.press(.end)
    #expect(heading(pane).contains("200.0 MiB"))
    pane.press(.home)
    #expect(heading(pane).contains("1.000 MiB"))
    pane.press(.escape)
    #expect(heading(pane).contains("max 200.0 MiB") && !pane.text.contains("▲"))
  }

  @Test func `a click puts the cursor into its column`() throws {
    var pane = pane()
    let frame = try #require(pane.frame(.memoryGraph))
    pane.click(row: frame.row + 3, column: frame.endColumn - 11)
    #expect(heading(pane).contains("190.0 MiB"))
    #expect(pane.hud.state.graph.focus == .memoryGraph)
  }

  @Test func `the wheel goes back in time, and with no way on to now again`() throws {
    var pane = pane()
    let frame = try #require(pane.frame(.memoryGraph))
    pane.mouse(.wheelUp, row: frame.row + 3, column: 30)
    #expect(heading(pane).contains("max 197.0 MiB"))
    #expect(pane.text.contains("08:3"), "the axis shows the time of the day")
    pane.mouse(.wheelDown, row: frame.row + 3, column: 30)
    #expect(heading(pane).contains("max 200.0 MiB"))
    #expect(pane.hud.state.graph.chosenEnd == nil)
  }

  @Test func `zoom gives a cell more time or less, and stops at both ends`() {
    var pane = pane()
    pane.press(.character("Z"))
    #expect(pane.hud.state.graph.cellDuration == 2_000_000_000)
    _ = pane.wait(milliseconds: 2100)
    #expect(pane.text.contains("-40s"))
    for _ in 0..<30 { pane.press(.character("Z")) }
    #expect(pane.hud.state.graph.cellDuration == 1_800_000_000_000)
    for _ in 0..<30 { pane.press(.character("z")) }
    #expect(pane.hud.state.graph.cellDuration == 100_000_000)
    #expect(heading(pane).contains("max 200.0 MiB"))
  }

  @Test func `zoom keeps the moment below the cursor`() {
    var pane = pane()
    pane.press(.tab)
    for _ in 0..<21 { pane.press(.left) }
    #expect(heading(pane).contains("179.0 MiB"))
    pane.press(.character("Z"))
    #expect(heading(pane).contains("180.0 MiB"), "the greatest of two seconds")
    pane.press(.character("z"), .character("z"))
    #expect(heading(pane).contains("08:37:5"))
  }

  @Test func `a logarithmic scale has powers of two and of ten`() {
    var pane = PaneScreen(120, 60, process: rising)
    pane.press(.character("L"))
    _ = pane.wait(milliseconds: 2100)
    #expect(pane.text.contains("MEM footprint log"))
    for label in ["64M", "128M", "256M", "512M", "1G", "1000%", "10%", "0.1%"] {
      #expect(pane.text.contains(label), "\(label)")
    }
    pane.press(.character("L"))
    #expect(!pane.text.contains("MEM footprint log"))
    // A process that is never busier than one core has the whole height.
    #expect(Axis.logPercent(to: 101).low == 0.01 && Axis.logPercent(to: 150).low == 0.1)
  }

  @Test func `logarithmic shares are those of the logarithm`() {
    let axis = Axis.logBytes(from: 65536, to: 65536 * 256)
    for power in 0...8 {
      let value = axis.low * Double(1 << power)
      #expect(abs(axis.share(value) * 8 - Double(power) * 8 / log2Steps(axis)) < 1e-6)
    }
    #expect(axis.value(atPart: 0, of: 4) == axis.low && axis.value(atPart: 4, of: 4) == axis.high)
  }

  private func log2Steps(_ axis: Axis) -> Double {
    var steps = 0.0
    var value = axis.low
    while value < axis.high {
      value *= 2
      steps += 1
    }
    return steps
  }

  @Test func `a baseline is after what comes after, and can be forgotten`() {
    var pane = pane()
    let before = pane.text
    pane.press(.character("b"))
    #expect(pane.hud.state.graph.baseline != nil)
    pane.process.pass(seconds: 20)
    pane.hud.invalidate()
    pane.hud.draw(pane.process.run, now: pane.process.now)
    // 20 s after the press the first 20 s of the former stretch are seen: a line of single dots.
    let dots = Set("⡀⢀⣀⠄⠠⠤⠂⠐⠒⠁⠈⠉".unicodeScalars.map { $0.value })
    let columns = (60..<80).filter { column in
      (0..<24).contains { row in
        let cell = pane.hud.picture[row, column]
        return cell.style == Role.dim.style && dots.contains(cell.scalarValue)
      }
    }
    #expect(columns.count >= 18)
    _ = pane.hud.handle(.character("B"), run: pane.process.run)
    #expect(pane.hud.state.graph.baseline == nil)
    #expect(pane.text != before)
  }

  @Test func `a threshold is a line with its value, where its value is on the axis`() {
    var hud = HUD(size: Size(rows: 50, columns: 80), state: HUDState())
    hud.state.axes.thresholds = [
      GraphThreshold(.memory, 150 * 1_048_576),
      GraphThreshold(.memory, 9e12),
    ]
    hud.draw(rising.run, now: rising.now)
    // The columns stay: the line is drawn above them.
    #expect(hud.lines.filter { $0.contains("╌╌") && $0.contains(" 150.0 MiB") }.count == 1)
  }

  @Test func `what a sample changes leaves threshold, baseline and cursor as they are`() {
    var process = rising
    var hud = HUD(size: Size(rows: 40, columns: 100), state: HUDState())
    hud.state.axes.thresholds = [GraphThreshold(.memory, 230 * 1_048_576)]
    hud.draw(process.run, now: process.now)
    _ = hud.handle(.character("b"), run: process.run)
    _ = hud.handle(.tab, run: process.run)
    for _ in 0..<50 {
      process.step()
      hud.invalidate()
      hud.draw(process.run, now: process.now)
      let graph = hud.layout.first { $0.id == .memoryGraph }?.frame ?? Rect(hud.canvas.grid.size)
      let area = graph.row + 1..<graph.endRow - 1
      let partly = area.map { hud.canvas.grid.text(row: $0) }
      hud.invalidateAll()
      hud.draw(process.run, now: process.now)
      #expect(area.map { hud.canvas.grid.text(row: $0) } == partly)
    }
  }
}
