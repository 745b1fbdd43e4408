import PerfHUDBase
import Sampler

/// Rates of the last seconds, for a screen: those of a single sample of 100 ms jump between 0 and twice their mean where
/// a program works in steps, and cannot be read.
package struct RecentRates: BitwiseCopyable, Sendable {
  /// The least time that the means cover, unless the target is younger; twice that is the most.
  private static let span = 1.0
  private static let metrics: InlineArray<7, Metric> = [
    .minorFaults, .majorFaults, .readRate, .writeRate, .cpuWait, .voluntarySwitches,
    .involuntarySwitches,
  ]

  private struct Period: BitwiseCopyable {
    /// For each metric its rate times the seconds for which it held, and these seconds.
    var amounts = InlineArray<7, Double>(repeating: 0)
    var seconds = InlineArray<7, Double>(repeating: 0)
    var length = 0.0
  }

  private var current = Period()
  private var former = Period()
  private var time: Instant?

  /// Starts without any rate.
  package init() {}

  /// Takes the rates of a sample.
  mutating func add(_ row: borrowing Row) {
    defer { time = row.time }
    guard let time, !row.hasEnded else { return }
    let seconds = row.time.seconds(since: time)
    guard seconds > 0 else { return }
    var index = 0
    while index < RecentRates.metrics.count {
      if let rate = row[RecentRates.metrics[index]].value {
        current.amounts[index] += rate * seconds
        current.seconds[index] += seconds
      }
      index += 1
    }
    current.length += seconds
    if current.length >= RecentRates.span {
      former = current
      current = Period()
    }
  }

  /// Replaces the rates of a row by their means over the last one to two seconds. A rate that the row does not have
  /// stays absent.
  package func smooth(_ row: inout Row) {
    guard !row.hasEnded else { return }
    var index = 0
    while index < RecentRates.metrics.count {
      let metric = RecentRates.metrics[index]
      let seconds = former.seconds[index] + current.seconds[index]
      if row[metric].value != nil, seconds > 0 {
        row[metric] = .value((former.amounts[index] + current.amounts[index]) / seconds)
      }
      index += 1
    }
  }
}
