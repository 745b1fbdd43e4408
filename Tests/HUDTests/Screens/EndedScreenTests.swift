import Metrics
import Sampler
import Terminal
import Testing

@testable import HUD

/// What a full-screen view says of a program that has ended.
@Suite struct EndedScreenTests {
  /// A program that has waited for a core all the time.
  private func waiting(hasEnded: Bool) -> MadeUpProcess {
    var process = MadeUpProcess()
    process.change = { $0.cpuWaitNanoseconds = .value($0.time.nanoseconds) }
    process.pass(seconds: 5)
    guard hasEnded else { return process }
    process.change = { sample in
      sample.cpuWaitNanoseconds = .value(sample.time.nanoseconds)
      sample.hasEnded = true
    }
    process.step()
    return process
  }

  private func urgentCells(_ hud: HUD) -> Int {
    let grid = hud.picture
    var count = 0
    for row in 0..<grid.size.rows {
      for column in 0..<grid.size.columns where grid[row, column].style == Role.alert.style {
        count += 1
      }
    }
    return count
  }

  @Test func `what it waited for is no longer urgent`() {
    for (hasEnded, isUrgent) in [(false, true), (true, false)] {
      let hud = screen(80, 24, waiting(hasEnded: hasEnded).run, keys: [.character("5")])
      #expect(hud.text.contains("waits for a free core"), "\(hud.text)")
      #expect((urgentCells(hud) > 0) == isUrgent, "\(hasEnded)")
    }
  }

  @Test func `the tab of actions shows the log, not how to send an action`() {
    let process = waiting(hasEnded: true)
    var hud = screen(80, 24, process.run)
    _ = hud.handle(.character("6"), run: process.run)
    hud.draw(process.run, now: process.now)
    #expect(!hud.text.contains("perfhud emit"), "\(hud.text)")
    #expect(hud.lines.contains { $0.contains("ENDED") && !$0.contains("pid") }, "\(hud.text)")
  }
}
