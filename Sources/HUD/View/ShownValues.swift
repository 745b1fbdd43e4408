import Metrics
import PerfHUDBase

/// The values on the screen. They change only twice a second, so that they can be read.
package struct ShownValues: Sendable {
  /// For this long, in nanoseconds, a small change of perfhud's own cost is not shown.
  private static let ownPeriod: Int64 = 10_000_000_000

  /// `nil` before the first sample.
  package var row: Row?
  /// What the target waits for, shown in the edge of an overlay; `nil` if it waits for nothing.
  private(set) var wait: Metric?
  /// The name of the target, made harmless; updated only when it changes.
  private(set) var name = ""
  /// When the current values began to be due.
  private var time: Instant?
  /// When the cost of perfhud itself changed.
  private var ownCostTime: Instant?

  /// Takes new values, if the former ones have been shown long enough or are those of another state.
  ///
  /// - Parameter period: how long values stay, in nanoseconds.
  /// - Returns: whether the values have changed.
  mutating func update(to latest: Row, period: Int64) -> Bool {
    let isDue = time.map { latest.time.nanoseconds(since: $0) >= period } ?? true
    let isFirst = row.map { $0.isProvisional || $0[.cpuWindow].value == nil } ?? true
    let hasChanged =
      row?.hasEnded != latest.hasEnded || row?.isZombie != latest.isZombie
      || row?.pid != latest.pid
    guard isDue || isFirst || hasChanged else { return false }
    if row?.name != latest.name || name.isEmpty { name = latest.name.text }
    var new = latest
    keepOwnCost(in: &new)
    wait = Bottlenecks.wait(in: new, after: wait)
    row = new
    // Periods begin at whole multiples of the target's age, so that the seconds in the title change evenly.
    let age = (latest.ageSeconds * 1e9).truncatingRemainder(dividingBy: Double(period))
    time = latest.time.advanced(byNanoseconds: -Int64(age))
    return true
  }

  /// Keeps the displayed cost of perfhud as long as it stays about the same.
  private mutating func keepOwnCost(in new: inout Row) {
    if let before = row?.ownCPUPercent.value, let now = new.ownCPUPercent.value,
      let ownCostTime, new.time.nanoseconds(since: ownCostTime) < ShownValues.ownPeriod,
      abs(now - before) < 0.1 + 0.1 * before
    {
      new.ownCPUPercent = .value(before)
    } else {
      ownCostTime = new.time
    }
  }

  /// Makes new values due.
  mutating func expire() { time = nil }

  /// Forgets all values but the name.
  mutating func forget() {
    row = nil
    wait = nil
    time = nil
    ownCostTime = nil
  }
}
