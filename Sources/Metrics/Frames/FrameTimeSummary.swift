import PerfHUDBase

/// Statistics of frame times, of the last 5 s or of the whole run.
package struct FrameTimeSummary: BitwiseCopyable, Sendable, Equatable {
  /// The least numbers of frame times for the slowest 1 % and 0.1 % to be at least one frame.
  package static let leastForOnePercent: UInt64 = 100
  package static let leastForPointOnePercent: UInt64 = 1000

  /// The number of frame times; none of the other values exists without one.
  package internal(set) var count: UInt64 = 0
  /// 1000 / mean frame time, in frames a second.
  package internal(set) var meanRate = 0.0
  /// The mean rates of the slowest 1 % and 0.1 % of the frames; `nil` with too few frames.
  package internal(set) var onePercentLow: Double?
  package internal(set) var pointOnePercentLow: Double?
  /// In milliseconds.
  package internal(set) var median = 0.0
  package internal(set) var p95 = 0.0
  package internal(set) var p99 = 0.0
  package internal(set) var longest = 0.0
  /// Whether frames that may be several make the rates lower bounds and the times upper bounds.
  package internal(set) var isLowerBound = false
  /// The number of slow frames (`SlowFrame`).
  package internal(set) var slowFrames: UInt64 = 0

  /// The share of the frames that were slow, in percent.
  package var slowPercent: Double { count > 0 ? Double(slowFrames) * 100 / Double(count) : 0 }
}

extension FrameStatistics {
  /// The statistics of the last 5 s, as of the latest `summary`; `nil` without a frame time.
  ///
  /// Complexity: linear in the frames of the last 5 s.
  package var recentSummary: FrameTimeSummary? {
    let known = sorted.values.count
    guard known > 0 else { return nil }
    var result = FrameTimeSummary()
    result.count = UInt64(known)
    var sum = 0.0
    for index in 0..<known { sum += Double(sorted.values[index]) }
    result.meanRate = sum > 0 ? 1e9 * Double(known) / sum : 0
    if result.count >= FrameTimeSummary.leastForOnePercent { result.onePercentLow = low(of: 100) }
    if result.count >= FrameTimeSummary.leastForPointOnePercent {
      result.pointOnePercentLow = low(of: 1000)
    }
    result.median = Double(sorted.values[(known - 1) / 2]) * 1e-6
    result.p95 = Double(sorted.values[min(known - 1, known * 95 / 100)]) * 1e-6
    result.p99 = Double(sorted.values[min(known - 1, known * 99 / 100)]) * 1e-6
    result.longest = Double(sorted.values[known - 1]) * 1e-6
    result.slowFrames = UInt64(slowFramesInWindow)
    result.isLowerBound = isWindowLowerBound
    return result
  }

  /// The statistics of the whole run; `nil` without a frame time.
  ///
  /// Percentiles and lows have the error of `FrameHistogram`, but none is beyond the longest frame time.
  package var totalSummary: FrameTimeSummary? {
    guard let rate = total.meanRate, let median = total.milliseconds(percentile: 50),
      let p95 = total.milliseconds(percentile: 95), let p99 = total.milliseconds(percentile: 99)
    else { return nil }
    let longest = total.longestMilliseconds
    var result = FrameTimeSummary()
    result.count = total.timed
    result.meanRate = rate
    if total.timed >= FrameTimeSummary.leastForOnePercent {
      result.onePercentLow = total.low(of: 100).map { max($0, 1000 / longest) }
    }
    if total.timed >= FrameTimeSummary.leastForPointOnePercent {
      result.pointOnePercentLow = total.low(of: 1000).map { max($0, 1000 / longest) }
    }
    result.median = min(median, longest)
    result.p95 = min(p95, longest)
    result.p99 = min(p99, longest)
    result.longest = longest
    result.slowFrames = slowFrames.total
    result.isLowerBound = isLowerBound
    return result
  }

  /// The number of frame times of the last 5 s, as of the latest `summary`, that are at most as long as a time.
  ///
  /// Complexity: logarithmic.
  package func recentCount(upTo milliseconds: Double) -> Int {
    sorted.count(upTo: Float(milliseconds * 1e6))
  }
}
