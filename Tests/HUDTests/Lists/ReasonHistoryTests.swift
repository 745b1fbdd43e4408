import Metrics
import PerfHUDBase
import Testing

@testable import HUD

/// What the page of bottlenecks remembers of each reason.
@Suite struct ReasonHistoryTests {
  private let wait = 0

  /// A row at a time with a wait for a core, in percent.
  private func row(_ second: Double, wait: Double?) -> Row {
    var row = Row()
    row.time = Instant(nanoseconds: 9_000_000_000).advanced(bySeconds: second)
    row[.cpuWait] = wait.map { .value($0) } ?? .absent(.unsupported)
    return row
  }

  @Test func `a second keeps its last value, and the newest has age 0`() {
    #expect(Bottlenecks.metrics[wait] == .cpuWait)
    var history = ReasonHistory()
    #expect(history.value(wait, age: 0) == nil && !history.isRecent(wait))
    for (second, value) in [(0.0, 5.0), (0.5, 7.0), (1.0, 9.0)] {
      history.add(row(second, wait: value))
    }
    #expect(history.value(wait, age: 0) == 9 && history.value(wait, age: 1) == 7)
    #expect(history.value(wait, age: 2) == nil)
    history.add(row(2, wait: nil))
    #expect(history.value(wait, age: 0) == nil && history.value(wait, age: 1) == 9)
  }

  @Test func `seconds between two values have the later one`() {
    var history = ReasonHistory()
    history.add(row(0, wait: 5))
    history.add(row(5, wait: 8))
    #expect((0..<6).map { history.value(wait, age: $0) } == [8, 8, 8, 8, 8, 5])
    // More than ten seconds are not between two samples.
    history.add(row(20, wait: 3))
    #expect(history.value(wait, age: 9) == 3 && history.value(wait, age: 15) == 8)
    for age in 10..<15 { #expect(history.value(wait, age: age) == nil) }
  }

  @Test func `a value is recent for a minute`() {
    var history = ReasonHistory()
    history.add(row(0, wait: 5))
    for second in 1..<60 { history.add(row(Double(second), wait: 0.01)) }
    #expect(history.isRecent(wait) && history.value(wait, age: 59) == 5)
    history.add(row(60, wait: 0))
    #expect(!history.isRecent(wait) && history.value(wait, age: 60) == nil)
    history.add(row(61, wait: 0.06))
    #expect(history.isRecent(wait))
  }

  @Test(arguments: [-3.0, 70])
  func `after a step back, or a long one ahead, it begins anew`(second: Double) {
    var history = ReasonHistory()
    for second in 0..<10 { history.add(row(Double(second), wait: 5)) }
    history.add(row(second, wait: 0))
    #expect(!history.isRecent(wait))
    #expect(history.value(wait, age: 0) == 0 && history.value(wait, age: 1) == nil)
  }
}
