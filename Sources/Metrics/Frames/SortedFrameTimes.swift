/// The frame times of the frames in a window, in ascending order. The window moves forward with the frames, so the cost
/// of an update depends on how many frames have come and gone, not on how many there are.
struct SortedFrameTimes: Sendable {
  /// In nanoseconds.
  private(set) var values: [Float] = []
  /// The range of frame numbers in the window: from `first` up to but not including `end`.
  private(set) var first: UInt64 = 0
  private(set) var end: UInt64 = 0

  init() { values.reserveCapacity(FrameStatistics.capacity + 1) }

  /// Moves the window.
  ///
  /// - Parameters:
  ///   - oldest: the oldest frame that `duration` still knows.
  ///   - duration: the frame time of a frame by its number; NaN if it has none.
  mutating func move(
    first newFirst: UInt64, end newEnd: UInt64, oldest: UInt64, duration: (UInt64) -> Float
  ) {
    if newFirst < first || first < oldest || newFirst >= end {
      values.removeAll(keepingCapacity: true)
      first = newFirst
      end = newFirst
    }
    // Usually as many frames arrive as leave. As a pair they move only the values between their two positions, instead
    // of all values behind each.
    while first < newFirst, end < newEnd {
      replace(duration(first), by: duration(end))
      first += 1
      end += 1
    }
    while first < newFirst {
      remove(duration(first))
      first += 1
    }
    while end < newEnd {
      insert(duration(end))
      end += 1
    }
  }

  /// The number of values that are at most `value`. Complexity: logarithmic.
  func count(upTo value: Float) -> Int { position(of: value.nextUp) }

  private mutating func replace(_ old: Float, by new: Float) {
    guard !old.isNaN, !new.isNaN else {
      remove(old)
      insert(new)
      return
    }
    unsafe values.withUnsafeMutableBufferPointer { values in
      let (from, to) = unsafe SortedFrameTimes.positions(
        of: old, new, UnsafeBufferPointer(values))
      guard from < values.count, let base = values.baseAddress else { return }
      if from < to {
        unsafe base.advanced(by: from).update(
          from: base.advanced(by: from + 1), count: to - from - 1)
        unsafe values[to - 1] = new
      } else {
        unsafe base.advanced(by: to + 1).update(from: base.advanced(by: to), count: from - to)
        unsafe values[to] = new
      }
    }
  }

  private mutating func insert(_ value: Float) {
    guard !value.isNaN else { return }
    let index = position(of: value)
    // Not `insert`, which allocates in debug builds.
    values.append(value)
    let moved = values.count - 1 - index
    unsafe values.withUnsafeMutableBufferPointer { values in
      guard moved > 0, let place = unsafe values.baseAddress?.advanced(by: index) else { return }
      unsafe place.advanced(by: 1).update(from: place, count: moved)
      unsafe place.pointee = value
    }
  }

  private mutating func remove(_ value: Float) {
    guard !value.isNaN else { return }
    let index = position(of: value)
    guard index < values.count else { return }
    values.remove(at: index)
  }

  /// The index of the first value that is not less than `value`.
  private func position(of value: Float) -> Int {
    unsafe values.withUnsafeBufferPointer { values in
      unsafe SortedFrameTimes.positions(of: value, value, values).0
    }
  }

  /// The indices of the first values that are not less than `first` and `second`. Both searches together take hardly
  /// longer than one, since neither waits for the other.
  @inline(__always)
  private static func positions(
    of first: Float, _ second: Float, _ values: UnsafeBufferPointer<Float>
  ) -> (Int, Int) {
    guard !values.isEmpty else { return (0, 0) }
    var shift = Int.bitWidth - 1 - values.count.leadingZeroBitCount
    // Search a range whose length is a power of two: the last one or the first one of that length.
    let rest = values.count - 1 << shift
    var one = unsafe values[rest] < first ? rest : 0
    var other = unsafe values[rest] < second ? rest : 0
    // The values are random, so a branch would be mispredicted half of the time. The compiler does not turn a shift by
    // a variable into a branch: a pair took 107 ns with branches, and takes 29 ns without.
    while shift > 0 {
      shift &-= 1
      let half = 1 &<< shift
      one &+= unsafe (values[one &+ half &- 1] < first ? 1 : 0) &<< shift
      other &+= unsafe (values[other &+ half &- 1] < second ? 1 : 0) &<< shift
    }
    one &+= unsafe values[one] < first ? 1 : 0
    other &+= unsafe values[other] < second ? 1 : 0
    return (one, other)
  }
}
