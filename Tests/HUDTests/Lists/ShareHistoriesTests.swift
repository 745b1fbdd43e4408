import Sampler
import Testing

@testable import HUD

@Suite struct ShareHistoriesTests {
  private func row(_ pid: Int32, _ percent: Double, start: UInt64 = 1) -> ProcessRow {
    var row = ProcessRow()
    row.pid = pid
    row.startTicks = start
    row.intervalNanoseconds = 1_000_000_000
    row.cpuNanosecondsBefore = 5
    row.cpuNanoseconds = 5 + UInt64(percent * 1e7)
    return row
  }

  private func shares(_ histories: ShareHistories, row: Int) -> [Double?] {
    (0..<3).map { age in histories.share(row: row, age: age)?.rounded() }
  }

  @Test func `a row keeps its shares when rows come, go and change places`() {
    var histories = ShareHistories()
    histories.add([row(1, 10), row(2, 20), row(3, 30)])
    histories.add([row(3, 31), row(4, 40), row(1, 11)])
    #expect(shares(histories, row: 0) == [31, 30, nil])
    #expect(shares(histories, row: 1) == [40, nil, nil])
    #expect(shares(histories, row: 2) == [11, 10, nil])
    #expect(histories.share(row: 3, age: 0) == nil)
  }

  @Test func `a process with the pid of another one has no share of it`() {
    var histories = ShareHistories()
    histories.add([row(1, 10)])
    histories.add([row(1, 50, start: 2)])
    #expect(shares(histories, row: 0) == [50, nil, nil])
  }

  @Test func `it scales short sparklines by what they show and long ones by all`() {
    var histories = ShareHistories()
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
    histories.removeAll()
    histories.add([row(1, 1)])
    #expect(histories.scale(cells: long) == 5)
  }

  @Test func `waits are means of the last four, as the shares beside them`() {
    var histories = ShareHistories()
    for percent in [90.0, 10, 20, 30, 40] {
      var waiting = row(1, percent)
      waiting.waitNanoseconds = UInt64(percent * 2e7)
      histories.add([waiting, row(2, 0)])
    }
    #expect(histories.mean(row: 0)?.rounded() == 25)
    #expect(histories.meanWait(row: 0)?.rounded() == 50)
    #expect(histories.meanWait(row: 1) == 0)
    #expect(histories.meanWait(row: 2) == nil)
  }

  @Test func `after a pause, when a table has no shares, a trend begins anew`() {
    var histories = ShareHistories()
    histories.add([row(1, 10)])
    var first = row(1, 0)
    first.intervalNanoseconds = 0
    histories.add([first])
    #expect(histories.mean(row: 0) == nil)
    histories.add([row(1, 30)])
    #expect(shares(histories, row: 0) == [30, nil, nil])
    #expect(histories.mean(row: 0)?.rounded() == 30)
  }

  @Test func `a process that has ended has no share`() {
    var histories = ShareHistories()
    histories.add([row(1, 10)])
    var ended = row(1, 10)
    ended.end = .exited(0)
    histories.add([ended])
    #expect(shares(histories, row: 0) == [nil, 10, nil])
  }
}
