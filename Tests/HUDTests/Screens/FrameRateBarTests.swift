import Metrics
import PerfHUDBase
import PerfHUDEvents
import Testing

@testable import HUD

/// The bar beside the frame rate.
@Suite struct FrameRateBarTests {
  /// The row of the frame rate of a program that reports a number of frames each 0.1 s.
  private func row(_ frames: Int, columns: Int = 120) -> String? {
    var process = MadeUpProcess()
    for _ in 0..<30 {
      for number in 0..<frames {
        let time = process.now.advanced(byNanoseconds: Int64(number * 100_000_000 / frames))
        process.apply(.event(Event(.frame), time))
      }
      process.step()
    }
    return screen(columns, 40, process.run).lines.first { $0.hasPrefix("FPS") }
  }

  @Test(arguments: [(3, 60), (6, 60), (9, 120), (12, 120), (20, 240)])
  func `a full bar is 60 FPS, or twice that again and again, and says so`(
    frames: Int, full: Int
  ) throws {
    let row = try #require(self.row(frames))
    #expect(row.contains(#/[█·] of \d+ FPS {2}/#) && row.contains(" of \(full) FPS  "), "\(row)")
    let cells = row.filter { "█▏▎▍▌▋▊▉·".contains($0) }
    let whole = row.filter { $0 == "█" }.count
    #expect((whole - cells.count * frames * 10 / full).magnitude <= 1, "\(row)")
  }

  @Test func `what a full bar is has no room in a narrow pane`() {
    #expect(row(6, columns: 60)?.contains("of 60") == false)
  }
}
