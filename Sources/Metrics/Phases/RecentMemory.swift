import PerfHUDBase

/// The last 512 readings of the leading memory metric. They settle borders whose events came later than the samples
/// around them. At 20 ms these are 10 s.
struct RecentMemory: Sendable {
  struct Point: BitwiseCopyable, Sendable {
    var time: Instant
    var bytes: Double
  }

  static let capacity = 512

  private var points = [Point](
    repeating: Point(time: Instant(nanoseconds: 0), bytes: 0), count: capacity)
  private var ring = RingIndex<512>()
  var count: Int { ring.count }

  /// The kept reading at `index`, oldest first.
  subscript(index: Int) -> Point { points[slot(index)] }

  var newest: Instant? { count > 0 ? self[count - 1].time : nil }

  /// Inserts a reading by its time, because a reading for a border may come after later samples. A reading older than
  /// all kept ones is dropped.
  ///
  /// - Returns: the reading that was pushed out.
  mutating func add(_ point: Point) -> Point? {
    let isFull = count == RecentMemory.capacity
    if isFull, point.time < self[0].time { return nil }
    let evicted = isFull ? self[0] : nil
    points[ring.advance()] = point
    var place = count - 1
    while place > 0, self[place - 1].time > point.time {
      points[slot(place)] = self[place - 1]
      place -= 1
    }
    points[slot(place)] = point
    return evicted
  }

  /// Lowers the readings after a moment.
  mutating func lower(after time: Instant, by bytes: Double) {
    for index in self.index(after: time)..<count {
      points[slot(index)].bytes = max(0, points[slot(index)].bytes - bytes)
    }
  }

  private func slot(_ index: Int) -> Int { ring.slot(age: count - 1 - index) }

  mutating func removeAll() { ring.removeAll() }

  /// The last reading at or before a moment, or else the oldest one; `nil` if there are no readings.
  ///
  /// Complexity: logarithmic.
  func bytes(asOf time: Instant) -> Double? {
    count > 0 ? self[max(0, index(after: time) - 1)].bytes : nil
  }

  /// The least reading after a moment, up to another one; `nil` if there is none.
  func least(after start: Instant, to end: Instant) -> Double? {
    var least: Double?
    let first = index(after: start)
    for index in first..<max(first, index(after: end)) {
      least = min(least ?? self[index].bytes, self[index].bytes)
    }
    return least
  }

  /// The last reading at or before a moment; `nil` if there is none. Complexity: logarithmic.
  func last(asOf time: Instant) -> Point? {
    let index = index(after: time)
    return index > 0 ? self[index - 1] : nil
  }

  /// The number of readings at or before a moment.
  private func index(after time: Instant) -> Int {
    partitionPoint(count) { self[$0].time <= time }
  }
}
