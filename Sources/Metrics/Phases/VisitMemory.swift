import PerfHUDBase

/// The readings of a visit, added in the order of their times.
struct VisitMemory: BitwiseCopyable, Sendable {
  private var before: Double?
  private var first: Double?
  private var greatest: Double?
  private var last: Double?
  private var least: Double?
  private var lowest: Double?
  /// The least reading from one border to the other.
  private var leastInside: Double?
  private(set) var rise = 0.0

  /// - Parameters:
  ///   - left: when the visit ends, or `nil` if unknown so far.
  ///   - settleEnd: until when it is watched after that.
  mutating func take(
    _ point: RecentMemory.Point, entered: Instant, left: Instant?, settleEnd: Instant
  ) {
    if point.time <= entered {
      before = point.bytes
      lowest = point.bytes
    } else if point.time <= left ?? point.time {
      if first == nil { first = point.bytes }
      greatest = max(greatest ?? point.bytes, point.bytes)
      last = point.bytes
      leastInside = min(leastInside ?? point.bytes, point.bytes)
      lowest = min(lowest ?? point.bytes, point.bytes)
      rise = max(rise, point.bytes - (lowest ?? point.bytes))
    } else if point.time <= settleEnd {
      least = min(least ?? point.bytes, point.bytes)
    }
  }

  var hasReadingAfter: Bool { least != nil }
  /// How much memory fell below the level at entry.
  var drop: Double {
    guard let entered, let leastInside else { return 0 }
    return max(0, entered - leastInside)
  }
  /// A program that names its phase before its first reading only has the one after.
  var entered: Double? { before ?? first ?? least }
  var peak: Double? { entered.map { max($0, greatest ?? $0) } }
  var left: Double? { last ?? entered }
  var settled: Double? { left.map { min($0, least ?? $0) } }
}

/// What the allocator holds around a visit, as the program reports it (`allocator.retained`).
struct AllocatorRetainedMemory: BitwiseCopyable, Sendable {
  private struct Report: BitwiseCopyable {
    let bytes: Double
    let time: Instant
  }

  /// A report that is older than this at the end of the visit does not count for its end, in nanoseconds.
  private static let patience: Int64 = 1_000_000_000

  /// The last report before the visit, in bytes.
  var before: Double?
  /// The last report in the visit.
  private var last: Report?
  /// The first report after it.
  private var following: Report?

  /// - Parameter left: when the visit ended; `nil` while it lasts.
  mutating func note(_ bytes: Double, at time: Instant, left: Instant?) {
    let report = Report(bytes: bytes, time: time)
    if let left, time > left {
      if following.map({ time < $0.time }) ?? true { following = report }
    } else if last.map({ time >= $0.time }) ?? true {
      last = report
    }
  }

  /// What the allocator holds at the end of the visit, in bytes: as reported just before the end, else as first
  /// reported afterwards; `nil` without a report. A report from the next visit also reflects that visit, so it does not
  /// replace one that was made before the end.
  func atEnd(_ left: Instant?) -> Double? {
    guard let left else { return nil }
    if let last,
      last.time > left || left.nanoseconds(since: last.time) <= AllocatorRetainedMemory.patience
    {
      return last.bytes
    }
    return following?.bytes
  }
}
