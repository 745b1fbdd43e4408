import Base

/// The last 512 readings of the leading memory figure, by which borders are settled whose events came
/// later than the samples around them. At 20 ms these are 10 s.
struct MemoryTrail: Sendable {
  struct Point: BitwiseCopyable, Sendable {
    var time: Instant
    var bytes: Double
  }

  static let capacity = 512

  private var points = [Point](
    repeating: Point(time: Instant(nanoseconds: 0), bytes: 0), count: capacity)
  private(set) var count = 0
  private var next = 0

  /// The reading `index` of those that are kept, oldest first.
  subscript(index: Int) -> Point {
    points[(next - count + index + MemoryTrail.capacity) % MemoryTrail.capacity]
  }

  var newest: Instant? { count > 0 ? self[count - 1].time : nil }

  /// Takes a reading; one that is older than the newest is dropped.
  ///
  /// - Returns: the reading that had to give way.
  mutating func add(_ point: Point) -> Point? {
    if let newest, point.time < newest { return nil }
    let evicted = count == MemoryTrail.capacity ? points[next] : nil
    points[next] = point
    next = (next + 1) % MemoryTrail.capacity
    count = min(count + 1, MemoryTrail.capacity)
    return evicted
  }

  mutating func removeAll() {
    count = 0
  }

  /// The last reading at or before a moment, else the oldest one; `nil` if there is none at all.
  ///
  /// Complexity: logarithmic.
  func bytes(asOf time: Instant) -> Double? {
    guard count > 0 else { return nil }
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return self[max(0, low - 1)].bytes
  }
}
