/// The frame times of a whole run in fixed memory: their number, their mean, and percentiles with an error of at most
/// 1.6 %.
///
/// A logarithmic histogram: 32 buckets for each doubling, from 16 µs to 137 s.
package struct FrameHistogram: Sendable {
  private static let steps = 32
  private static let lowestPower = 14
  private static let powers = 23

  /// The number of frames, including those without a frame time because they end an idle gap or may be several.
  package private(set) var frames: UInt64 = 0
  /// The number of frames with a frame time.
  package private(set) var timed: UInt64 = 0
  private var sum = 0.0
  private var longest: Int64 = 0
  private var buckets = [UInt32](repeating: 0, count: steps * powers)

  package init() {}

  mutating func addFrame() { frames += 1 }

  /// - Parameter nanoseconds: from one frame to the next.
  package mutating func add(_ nanoseconds: Int64) {
    timed += 1
    sum += Double(nanoseconds)
    longest = max(longest, nanoseconds)
    let index = FrameHistogram.index(of: nanoseconds)
    if buckets[index] < .max { buckets[index] += 1 }
  }

  /// 1000 / mean frame time, in frames a second; `nil` without a frame time.
  package var meanRate: Double? { timed > 0 && sum > 0 ? 1e9 * Double(timed) / sum : nil }

  /// The sum of all frame times, in seconds.
  package var seconds: Double { sum * 1e-9 }

  /// The mean frame time, in milliseconds; `nil` without one.
  package var meanMilliseconds: Double? { timed > 0 ? sum * 1e-6 / Double(timed) : nil }

  /// The frame time that this percentage of the frame times does not exceed, in milliseconds.
  ///
  /// - Parameter percent: 0 to 100.
  /// - Returns: the middle of its bucket; `nil` without a frame time.
  package func milliseconds(percentile percent: Double) -> Double? {
    guard timed > 0 else { return nil }
    let rank = min(timed - 1, UInt64(Double(timed) * percent / 100))
    var before: UInt64 = 0
    for index in buckets.indices {
      before += UInt64(buckets[index])
      if before > rank { return FrameHistogram.middle(of: index) * 1e-6 }
    }
    return nil
  }

  /// The mean rate of the slowest 1 % of the frame times (at least one), in frames a second; `nil` without a frame
  /// time.
  package var onePercentLow: Double? { low(of: 100) }

  /// The mean rate of the slowest part of the frame times, in frames a second; `nil` without a frame time.
  ///
  /// - Parameter part: 100 for the slowest 1 %; at least one frame time.
  package func low(of part: UInt64) -> Double? {
    guard timed > 0 else { return nil }
    let slowest = max(1, timed / part)
    var missing = slowest
    var sum = 0.0
    var index = buckets.count
    while index > 0, missing > 0 {
      index -= 1
      let taken = min(missing, UInt64(buckets[index]))
      sum += Double(taken) * FrameHistogram.middle(of: index)
      missing -= taken
    }
    return sum > 0 ? 1e9 * Double(slowest) / sum : nil
  }

  /// The longest frame time, in milliseconds; 0 without one.
  package var longestMilliseconds: Double { Double(longest) * 1e-6 }

  /// The number of frame times in each of a series of consecutive ranges, without the empty ranges at both ends.
  ///
  /// - Parameter count: the number of ranges for each doubling: a power of 2, at most 32.
  package func ranges(
    perDoubling count: Int
  ) -> [(fromMilliseconds: Double, toMilliseconds: Double, count: UInt64)] {
    let width = max(1, FrameHistogram.steps / count)
    var found: [(fromMilliseconds: Double, toMilliseconds: Double, count: UInt64)] = []
    for start in stride(from: 0, to: buckets.count, by: width) {
      let sum = buckets[start..<start + width].reduce(UInt64(0)) { $0 + UInt64($1) }
      let end = FrameHistogram.start(of: start + width)
      found.append((FrameHistogram.start(of: start) * 1e-6, end * 1e-6, sum))
    }
    guard let first = found.firstIndex(where: { $0.count > 0 }),
      let last = found.lastIndex(where: { $0.count > 0 })
    else { return [] }
    return Array(found[first...last])
  }

  /// Where a bucket begins, in nanoseconds.
  private static func start(of index: Int) -> Double {
    let width = Double(UInt64(1) << UInt64(lowestPower + index / steps - 5))
    return width * Double(steps + index % steps)
  }

  private static func index(of nanoseconds: Int64) -> Int {
    guard nanoseconds >= 1 << lowestPower else { return 0 }
    let power = 63 - nanoseconds.leadingZeroBitCount
    guard power < lowestPower + powers else { return steps * powers - 1 }
    // The five bits after the first one.
    return (power - lowestPower) * steps + Int(nanoseconds >> (power - 5)) & (steps - 1)
  }

  private static func middle(of index: Int) -> Double {
    let width = Double(UInt64(1) << UInt64(lowestPower + index / steps - 5))
    return width * (Double(steps + index % steps) + 0.5)
  }
}
