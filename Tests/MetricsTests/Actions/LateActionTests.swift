import PerfHUDBase
import PerfHUDEvents
import TestSupport
import Testing

@testable import Metrics

/// Bursts whose rest is reported only after the kernel's queue had room again.
@Suite struct LateActionTests {
  private func total(_ process: MadeUpProcess, _ name: String, at seconds: Double) -> ActionTotal? {
    process.run.actions.index(of: Event.Name(name)).map {
      process.run.actions.totals($0, asOf: MadeUpProcess.time(seconds))
    }
  }

  @Test(arguments: [0.1, 0.9, 1.8, 4, 3600])
  func `a burst whose rest is reported late is HIGH when it happened, once`(wait: Double) {
    var process = MadeUpProcess()
    process.report(.action, "save", at: 1, count: 11)
    for step in 0..<40 { process.memory(1, at: 1 + Double(step) * min(wait, 4) / 40) }
    process.report(.action, "save", at: 1 + wait, count: 50) { $0.number = wait * 1000 - 1 }
    for step in 1..<40 { process.memory(1, at: 1 + wait + Double(step) / 10) }
    let total = total(process, "save", at: 5 + wait)
    #expect(total?.count == 61 && total?.timesHigh == 1 && total?.isHigh == false)
    #expect(total?.peakRate == 30.5)
    let last = total?.last.seconds(since: MadeUpProcess.time(1)) ?? 9
    #expect(abs(last) < 0.01)
  }

  @Test func `a few actions that are reported late are not HIGH`() {
    var process = MadeUpProcess()
    process.report(.action, "save", at: 1, count: 11)
    process.report(.action, "save", at: 5, count: 40) { $0.number = 3999 }
    process.report(.action, "save", at: 9, count: 40) { $0.number = 2000 }
    #expect(total(process, "save", at: 9)?.timesHigh == 0)
    #expect(total(process, "save", at: 9)?.peakRate == 25.5)
  }
}
