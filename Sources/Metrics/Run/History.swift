import PerfHUDBase
import Sampler

/// Min, mean and max of one metric over a stretch of time.
@frozen package struct Extent: BitwiseCopyable, Sendable, Equatable {
  package var min: Float
  package var max: Float
  var sum: Float
  var count: Float

  package init(_ value: Float) {
    min = value
    max = value
    sum = value
    count = 1
  }

  /// No value at all.
  package static let none = Extent()

  private init() {
    min = .infinity
    max = -.infinity
    sum = 0
    count = 0
  }

  package var isEmpty: Bool { count == 0 }
  package var mean: Float { sum / count }

  package mutating func merge(_ other: Extent) {
    if other.min < min { min = other.min }
    if other.max > max { max = other.max }
    sum += other.sum
    count += other.count
  }
}

/// The metrics that have a history.
package enum Series: Int, CaseIterable, Sendable {
  case cpu
  /// The leading memory metric (`RunHeader.memory`).
  case memory
  /// Bytes per second read from storage and written to it.
  case io
  case fps
}

/// 24 hours of the metrics in fixed memory.
///
/// It is a pyramid of levels with 1024 buckets each. A bucket of level 0 is one sampling interval long, a bucket of
/// each further level four times as long as one of the level before. So the recent past is fine and the distant past is
/// coarse, but min, mean and max are never lost. Every sample is folded into one bucket of each level, so nothing is
/// moved or merged later. The buckets are on a fixed grid from the start of the run, so a graph made of them does not
/// shimmer when it scrolls.
package struct History: Sendable {
  package static let bucketsPerLevel = 1024
  /// Each level is coarser than the previous one by this factor.
  package static let ratio = 4
  private static let day: UInt64 = 86_400_000_000_000

  struct Bucket: BitwiseCopyable, Sendable {
    /// The number of the bucket since the start; -1 if never used.
    var index: Int64 = -1
    var extents = InlineArray<4, Extent>(repeating: .none)

    /// Merges values; those that are NaN are missing.
    mutating func merge(_ values: InlineArray<4, Float>) {
      for series in 0..<4 where !values[series].isNaN {
        extents[series].merge(Extent(values[series]))
      }
    }
  }

  /// Duration of a bucket of level 0.
  package let base: UInt64
  package let start: Instant
  package let levels: Int
  private var buckets: [Bucket]
  /// The longest slow frame in each bucket, in milliseconds, at least 1; 0 without any.
  private var slowestFrames: [UInt16]
  private var lastIndex: Int64 = -1
  /// The time of the newest value.
  package private(set) var end: Instant

  /// - Parameter base: nanoseconds of the finest bucket; at least 1 ms.
  package init(start: Instant, base: UInt64) {
    self.start = start
    self.base = max(base, 1_000_000)
    var levels = 1
    var span = self.base * UInt64(History.bucketsPerLevel)
    while span < History.day {
      span *= UInt64(History.ratio)
      levels += 1
    }
    self.levels = levels
    buckets = Array(repeating: Bucket(), count: levels * History.bucketsPerLevel)
    slowestFrames = Array(repeating: 0, count: buckets.count)
    end = start
  }

  /// Adds the values of one moment. A value that is missing is NaN.
  ///
  /// - Parameter continues: whether the values hold for the whole time since the last ones. Then the buckets in between
  ///   are filled with them; otherwise they stay empty and the graph shows a gap.
  /// - Parameter slowestFrame: the longest slow frame since the last values, in milliseconds; 0 without any.
  package mutating func add(
    _ values: InlineArray<4, Float>, at time: Instant, continues: Bool, slowestFrame: Float = 0
  ) {
    guard time >= start else { return }
    end = time
    // A value read on a grid point belongs to the interval that ends there.
    var index = Int64((max(time.nanoseconds - start.nanoseconds, 1) - 1) / base)
    var first = continues && lastIndex >= 0 ? min(lastIndex + 1, index) : index
    lastIndex = index
    for level in 0..<levels {
      var bucket = max(first, index - Int64(History.bucketsPerLevel) + 1)
      while bucket <= index {
        fold(values, level: level, index: bucket)
        bucket += 1
      }
      let newest = level * History.bucketsPerLevel + Int(index) % History.bucketsPerLevel
      if slowestFrame > 0 {
        let milliseconds = UInt16(min(max(slowestFrame.rounded(), 1), Float(UInt16.max)))
        slowestFrames[newest] = max(slowestFrames[newest], milliseconds)
      }
      index /= Int64(History.ratio)
      first /= Int64(History.ratio)
    }
  }

  private mutating func fold(_ values: InlineArray<4, Float>, level: Int, index: Int64) {
    let slot = level * History.bucketsPerLevel + Int(index) % History.bucketsPerLevel
    if buckets[slot].index != index {
      buckets[slot] = Bucket()
      buckets[slot].index = index
      slowestFrames[slot] = 0
    }
    buckets[slot].merge(values)
  }

  /// The extremes of a metric from `from` up to `to`, from the finest level that still has it.
  ///
  /// A bucket that is only partly in the range counts as a whole; an empty range gives `Extent.none`. Complexity: at
  /// most 1024 buckets, 4 to 8 for a column of a graph.
  package func extent(_ series: Series, from: Instant, to: Instant) -> Extent {
    var result = Extent.none
    forEachBucket(from: from, to: to) { result.merge(buckets[$0].extents[series.rawValue]) }
    return result
  }

  /// The longest slow frame from `from` up to `to`, in whole milliseconds, at most 65535; 0 without any. A slow frame
  /// belongs to the sample after it.
  package func slowestFrame(from: Instant, to: Instant) -> Float {
    var result: UInt16 = 0
    forEachBucket(from: from, to: to) { result = max(result, slowestFrames[$0]) }
    return Float(result)
  }

  @inline(__always)
  private func forEachBucket(from: Instant, to: Instant, _ body: (_ slot: Int) -> Void) {
    // Relative to the start, because a graph may begin before the machine was booted.
    let first = max(0, from.nanoseconds(since: start))
    let last = min(to.nanoseconds(since: start), end.nanoseconds(since: start))
    guard last > first else { return }
    let begin = UInt64(first)
    let finish = UInt64(last)
    var width = base
    var level = 0
    let newest = end.nanoseconds - start.nanoseconds
    while level < levels - 1 {
      let isKept = newest - begin < width * UInt64(History.bucketsPerLevel - 1)
      if isKept && (finish - begin) / width < 16 { break }
      width *= UInt64(History.ratio)
      level += 1
    }
    var index = Int64(begin / width)
    let lastIndex = Int64((finish - 1) / width)
    while index <= lastIndex {
      let slot = level * History.bucketsPerLevel + Int(index) % History.bucketsPerLevel
      if buckets[slot].index == index {
        body(slot)
      }
      index += 1
    }
  }
}
