import PerfHUDBase
import Sampler
import TestSupport
import Testing

@testable import HUD

/// Histories to which a table is added every half second.
private struct TimedHistories {
  private var histories = ShareHistories()
  private var now = Instant(nanoseconds: 1_000_000_000_000)

  mutating func add(_ rows: [ProcessRow], after seconds: Double = 0.5) {
    now = now.advanced(bySeconds: seconds)
    histories.add(rows, at: now)
  }
  func share(row: Int, age: Int) -> Double? { histories.share(row: row, age: age) }
  func mean(row: Int) -> Double? { histories.mean(row: row) }
  func meanWait(row: Int) -> Double? { histories.meanWait(row: row) }
  func scale(cells: Int) -> Double { histories.scale(cells: cells) }
}

@Suite struct ShareHistoriesTests {
  private func row(_ pid: Int32, _ percent: Double, start: UInt64 = 1) -> ProcessRow {
    var row = ProcessRow()
    row.pid = pid
    row.startTicks = start
    row.intervalNanoseconds = 500_000_000
    row.cpuNanosecondsBefore = 5
    row.cpuNanoseconds = 5 + UInt64(percent * 5e6)
    return row
  }

  private func shares(_ histories: TimedHistories, row: Int) -> [Double?] {
    (0..<3).map { age in histories.share(row: row, age: age)?.rounded() }
  }

  @Test func `a row keeps its shares when rows come, go and change places`() {
    var histories = TimedHistories()
    histories.add([row(1, 10), row(2, 20), row(3, 30)])
    histories.add([row(3, 31), row(4, 40), row(1, 11)])
    #expect(shares(histories, row: 0) == [31, 30, nil])
    #expect(shares(histories, row: 1) == [40, nil, nil])
    #expect(shares(histories, row: 2) == [11, 10, nil])
    #expect(histories.share(row: 3, age: 0) == nil)
  }

  @Test func `a process with the pid of another one has no share of it`() {
    var histories = TimedHistories()
    histories.add([row(1, 10)])
    histories.add([row(1, 50, start: 2)])
    #expect(shares(histories, row: 0) == [50, nil, nil])
  }

  @Test func `it scales sparklines by what they show`() {
    var histories = TimedHistories()
    let short = ShareHistories.shortCapacity
    let long = ShareHistories.capacity
    histories.add([row(1, 80)])
    for _ in 1..<short { histories.add([row(1, 10)]) }
    #expect(histories.scale(cells: short).rounded() == 80)
    histories.add([row(1, 10)])
    #expect(histories.scale(cells: short).rounded() == 10)
    #expect(histories.scale(cells: short + 1).rounded() == 80)
    for _ in short + 1..<long { histories.add([row(1, 10)]) }
    #expect(histories.share(row: 0, age: long - 1)?.rounded() == 80)
    histories.add([row(1, 10)])
    #expect(histories.scale(cells: long).rounded() == 10)
    #expect(histories.share(row: 0, age: long) == nil)
    histories = TimedHistories()
    histories.add([row(1, 1)])
    #expect(histories.scale(cells: long) == 5)
  }

  @Test func `waits are means of the last four, as the shares beside them`() {
    var histories = TimedHistories()
    for percent in [90.0, 10, 20, 30, 40] {
      var waiting = row(1, percent)
      waiting.waitNanoseconds = UInt64(percent * 1e7)
      histories.add([waiting, row(2, 0)])
    }
    #expect(histories.mean(row: 0)?.rounded() == 25)
    #expect(histories.meanWait(row: 0)?.rounded() == 50)
    #expect(histories.meanWait(row: 1) == 0)
    #expect(histories.meanWait(row: 2) == nil)
  }

  @Test func `after a pause a trend goes on where it was, with a gap`() {
    var histories = TimedHistories()
    histories.add([row(1, 5)])
    histories.add([row(1, 10)])
    var first = row(1, 0)
    first.intervalNanoseconds = 0
    histories.add([first], after: 2.6)
    #expect(histories.mean(row: 0) == nil, "those before are not of the last two seconds")
    histories.add([row(1, 30)])
    #expect(
      (0..<9).map { histories.share(row: 0, age: $0)?.rounded() }
        == [30, nil, nil, nil, nil, nil, 10, 5, nil])
    #expect(histories.mean(row: 0)?.rounded() == 30)
    histories.add([first], after: 1e6)
    histories.add([row(1, 40)])
    #expect(shares(histories, row: 0) == [40, nil, nil])
    #expect(histories.share(row: 0, age: ShareHistories.capacity - 1) == nil)
  }

  @Test func `a paused picture leaves a gap too, where the list was read all the time`() {
    var histories = TimedHistories()
    histories.add([row(1, 10)])
    histories.add([row(1, 20)], after: 2)
    #expect(
      (0..<6).map { histories.share(row: 0, age: $0)?.rounded() }
        == [20, nil, nil, nil, 10, nil])
  }

  @Test func `the same table counts once, and an earlier one begins anew`() {
    var histories = TimedHistories()
    histories.add([row(1, 10)])
    histories.add([row(1, 20)])
    histories.add([row(1, 20)], after: 0)
    #expect(shares(histories, row: 0) == [20, 10, nil])
    histories.add([row(1, 5)], after: -10)
    #expect(shares(histories, row: 0) == [5, nil, nil])
  }

  @Test func `a process that has ended has no share`() {
    var histories = TimedHistories()
    histories.add([row(1, 10)])
    var ended = row(1, 10)
    ended.end = .exited(0)
    histories.add([ended])
    #expect(shares(histories, row: 0) == [nil, 10, nil])
  }
}
