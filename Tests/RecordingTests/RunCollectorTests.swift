import Metrics
import PerfHUDBase
import Testing

@testable import Recording

/// What a collector leaves out changes nothing else.
struct RunCollectorTests {
  private static let leftOut: [Metric] = [.frameMedian, .frameP99, .hitches]

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `everything but the values that only a HUD shows is as in a whole run`(seed: UInt64) {
    var whole = Run(RecordingFile.header)
    var run = Run(RecordingFile.header)
    run.leaveOutRecentValues()
    var withTimes = 0
    for record in MadeUpRun.records(seconds: 60, seed: seed) {
      whole.apply(record)
      run.apply(record)
      guard case .sample = record, let expected = whole.latest, let row = run.latest else {
        continue
      }
      for metric in Metric.allCases where !RunCollectorTests.leftOut.contains(metric) {
        #expect(row[metric] == expected[metric], "\(metric)")
      }
      if expected[.frameP99].value != nil { withTimes += 1 }
      #expect(row[.frameP99].value == nil && row[.hitches].value == nil)
      #expect(row.phase == expected.phase)
    }
    #expect(withTimes > 100)
    let (total, expected) = (run.totalFrames?.times, whole.totalFrames?.times)
    for percent in [1.0, 50, 99] {
      #expect(
        total?.milliseconds(percentile: percent) == expected?.milliseconds(percentile: percent))
    }
    #expect(run.frames?.slowFrames.total == whole.frames?.slowFrames.total)
    let end = MadeUpRun.records(seconds: 60, seed: seed).last?.time ?? RecordingFile.start
    #expect(
      RunSummary(run, asOf: end, end: nil).text(language: .english)
        == RunSummary(whole, asOf: end, end: nil).text(language: .english))
  }

  @Test(arguments: ["frame-p99.peak <= 1ms", "hitches.peak <= 1ms/s"])
  func `a budget keeps the frame times that it needs`(rule: String) throws {
    var header = RecordingFile.header
    header.budgets = [try Budget(rule)]
    var whole = Run(header)
    var run = Run(header)
    run.leaveOutRecentValues()
    for record in MadeUpRun.records(seconds: 10, seed: 3) {
      whole.apply(record)
      run.apply(record)
    }
    for metric in RunCollectorTests.leftOut {
      #expect(run.latest?[metric] == whole.latest?[metric], "\(metric)")
    }
    #expect(run.latest?[.frameP99].value != nil)
  }
}
