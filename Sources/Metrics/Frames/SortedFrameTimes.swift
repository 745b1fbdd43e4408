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
    while first < newFirst {
      remove(duration(first))
      first += 1
    }
    while end < newEnd {
      insert(duration(end))
      end += 1
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
      var (start, count) = (0, values.count)
      guard count > 0 else { return 0 }
      // Without a branch that depends on the values: they are random, so it would be mispredicted half of the time.
      while count > 1 {
        let half = count >> 1
        start &+= unsafe values[start &+ half &- 1] < value ? half : 0
        count &-= half
      }
      return unsafe values[start] < value ? start + 1 : start
    }
  }
}
