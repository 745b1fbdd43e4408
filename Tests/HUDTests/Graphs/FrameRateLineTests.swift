import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal
import Testing

@testable import HUD

/// The lines of 60 and 30 FPS on the graph of the frame times.
@Suite struct FrameRateLineTests {
  /// The graph of a program whose frames have the given lengths, at a size in rows and columns.
  private func graph(
    _ milliseconds: [Double], rows: Int, columns: Int = 40, state: HUDState = HUDState()
  ) -> [String] {
    var process = MadeUpProcess(tick: false)
    process.pass(seconds: 2)
    for index in 0..<240 {
      var event = Event(.frame)
      event.number = milliseconds[index % milliseconds.count]
      process.apply(.event(event, process.now))
      if index % 6 == 5 { process.step() }
    }
    var canvas = Canvas(Size(rows: rows + 1, columns: columns + 6), isASCII: state.isASCII)
    let context = DrawContext(run: process.run, row: process.run.latest, state: state)
    drawFrameTimes(&canvas, Rect(canvas.grid.size), context)
    return (1...rows).map { canvas.grid.text(row: $0) }
  }

  @Test(arguments: GraphStyle.allCases)
  func `the line is just above frames that keep the rate`(style: GraphStyle) {
    var state = HUDState()
    state.graphStyle = style
    for rows in 6...20 {
      let lines = graph([1000.0 / 60], rows: rows, state: state)
      let line = lines.firstIndex { $0.contains(" 60 FPS ┄┄┄") }
      #expect(
        lines.firstIndex { !$0.dropFirst(6).allSatisfy { " ┄60FPS".contains($0) } }
          == line.map { $0 + 1 }, "\(rows): \(lines)")
      #expect(!lines.joined().contains("30 FPS"))
    }
  }

  @Test func `frames that are too slow cross the line and move its label`() {
    let lines = graph(
      [
        16.6, 16.6, 16.6, 16.6, 16.6, 16.6, 16.6, 16.6, 16.6, 16.6, 16.6, 16.6, 16.6,
        16.6, 16.6, 16.6, 16.6, 16.6, 16.6, 45,
      ], rows: 12)
    #expect(lines.contains { $0.contains(" 60 FPS ") && $0.contains(/[⡇⢸]/) })
    #expect(lines.contains { $0.contains(" 30 FPS ") && $0.contains(/[⡇⢸]/) })
    // Frames that are all too slow cover it.
    #expect(!graph([24, 24], rows: 12).joined().contains("60 FPS"))
    #expect(graph([24, 24], rows: 12).joined().contains("30 FPS"))
  }

  @Test func `there is no line below six rows, off the axis, within one row, or without room`() {
    #expect(!graph([16.6], rows: 5).joined().contains("┄"))
    #expect(!graph([4], rows: 12).joined().contains("┄"))
    #expect(!graph([900], rows: 12, columns: 80).joined().contains("┄"))
    // Without room for its label it would mean nothing.
    #expect(!graph([16.6], rows: 6, columns: 7).joined().contains("┄"))
    #expect(graph([16.6], rows: 6, columns: 8).joined().contains(" 60 FPS "))
  }

  @Test func `in ASCII the line is of hyphens`() {
    let lines = graph([16.6], rows: 8, state: HUDState(isASCII: true))
    #expect(lines.contains { $0.contains(" 60 FPS ---") })
  }
}
