import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal
import TestSupport
import Testing

@testable import HUD

/// What the sparklines of a HUD over a command look like.
@Suite struct SparklineTests {
  /// The cells of the sparkline in a row of a HUD of medium size, after a number of seconds.
  private func sparkline(
    row: Int, seconds: Double = 20, graph: GraphStyle = .braille,
    change: @escaping @Sendable (inout Sample) -> Void
  ) -> [Cell] {
    var process = MadeUpProcess(tick: false)
    process.change = change
    process.pass(seconds: seconds)
    var hud = HUD(
      size: Size(rows: 5, columns: 38),
      state: HUDState(language: .english, graphStyle: graph, family: .overlay))
    hud.draw(process.run, now: process.now)
    return (13..<25).map { hud.canvas.grid[row, $0] }
  }

  private func text(_ cells: [Cell]) -> String {
    String(String.UnicodeScalarView(cells.compactMap { Unicode.Scalar($0.scalarValue) }))
  }

  @Test(arguments: [
    (GraphStyle.braille, "⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀"), (.block, "............"), (.ascii, "............"),
  ])
  func `without any CPU time it is a dotted line in the color of a track`(
    graph: GraphStyle, line: String
  ) {
    let cells = sparkline(row: 1, graph: graph) { $0.cpuNanoseconds = .value(0) }
    #expect(text(cells) == line)
    #expect(cells.allSatisfy { $0.style == Role.track.style })
  }

  @Test func `the full height of CPU is the peak, and seven eighths of a cell`() {
    // 80 % of a core for ten seconds, then 40 %.
    let cells = sparkline(row: 1) { sample in
      let sequence = UInt64(sample.sequence)
      sample.cpuNanoseconds = .value(
        min(sequence, 100) * 80_000_000 + (max(sequence, 100) - 100) * 40_000_000)
    }
    let line = text(cells)
    #expect(line.hasPrefix("▇▇") && line.hasSuffix("▄▄▄▄▄▄▄▄▄"), "\(line)")
  }

  @Test func `CPU of less than 20 % does not fill the row`() {
    let line = text(
      sparkline(row: 1) { $0.cpuNanoseconds = .value(UInt64($0.sequence) * 7_000_000) })
    #expect(line == "▂▂▂▂▂▂▂▂▂▂▂▂", "7 %")
  }

  @Test(arguments: [GraphStyle.braille, .block, .ascii])
  func `memory that changes by a few percent is a line`(graph: GraphStyle) {
    let cells = sparkline(row: 2, graph: graph) {
      $0.anonymousBytes = .value(100 << 20 + UInt64($0.sequence) << 15)
    }
    let filled = Set("▁▂▃▄▅▆▇:=+*%#".unicodeScalars.map(\.value))
    #expect(cells.allSatisfy { !filled.contains($0.scalarValue) }, "\(text(cells))")
    #expect(cells.allSatisfy { $0.style == Role.memory.style })
  }

  @Test func `memory that stays the same is drawn from 0`() {
    let line = text(sparkline(row: 2) { $0.anonymousBytes = .value(100 << 20) })
    #expect(line == "▇▇▇▇▇▇▇▇▇▇▇▇")
  }

  @Test func `memory has the color of the phase that each cell was in`() {
    var process = MadeUpProcess(tick: false)
    process.change = { $0.anonymousBytes = .value(100 << 20) }
    for name in ["gallery", "canvas"] {
      var phase = Event(.phase)
      phase.name = Event.Name(name)
      process.apply(.event(phase, process.now))
      process.pass(seconds: 6)
    }
    var hud = HUD(
      size: Size(rows: 5, columns: 38), state: HUDState(language: .english, family: .overlay))
    hud.draw(process.run, now: process.now)
    let cells = (13..<25).map { hud.canvas.grid[2, $0] }
    #expect(text(cells) == "▇▇▇▇▇▇▇▇▇▇▇▇")
    #expect(Set(cells.prefix(5).map(\.style)).count == 1)
    #expect(Set(cells.suffix(5).map(\.style)).count == 1)
    #expect(cells[0].style != cells[11].style)
  }

  @Test func `memory that hardly changes, but is far below the peak, is drawn from 0`() {
    let line = text(
      sparkline(row: 2) { sample in
        sample.anonymousBytes = .value(sample.sequence <= 50 ? 400 << 20 : 200 << 20)
      })
    #expect(line == "▄▄▄▄▄▄▄▄▄▄▄▄")
  }

  @Test func `memory that changes is drawn from 0, up to the peak`() {
    let cells = sparkline(row: 2) { sample in
      sample.anonymousBytes = .value(sample.sequence <= 150 ? 400 << 20 : 100 << 20)
    }
    let line = text(cells)
    #expect(line.hasPrefix("▇▇▇▇▇▇") && line.hasSuffix("▂▂▂▂"), "\(line)")
  }

  @Test func `the beginning of a phase hides no value`() {
    var process = MadeUpProcess(tick: false)
    process.pass(seconds: 10)
    var event = Event(.phase)
    event.name = Event.Name("canvas")
    process.apply(.event(event, process.now))
    process.pass(seconds: 6)
    var hud = HUD(
      size: Size(rows: 5, columns: 38), state: HUDState(language: .english, family: .overlay))
    hud.draw(process.run, now: process.now)
    #expect(hud.text.contains("A canvas"))
    let row = text((13..<25).map { hud.canvas.grid[2, $0] })
    #expect(!row.contains("A") && !row.contains(" "), "\(row)")
  }
}
