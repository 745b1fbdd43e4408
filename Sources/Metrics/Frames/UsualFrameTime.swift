/// The median of the last 32 frame times, computed anew with every 16th, so that it costs little for each frame.
struct UsualFrameTime: Sendable {
  private static let half = 16

  /// In nanoseconds; `nil` before the 16th frame time.
  private(set) var nanoseconds: Double?
  // Arrays, because a subscript into a stored inline array would copy all of it.
  /// The newest frame times, up to half of them: `count` elements.
  private var newer = [Float](repeating: 0, count: half)
  private var count = 0
  /// The frame times before those, in ascending order; none before the 16th.
  private var older = [Float](repeating: 0, count: half)

  mutating func add(_ nanoseconds: Float) {
    newer[count] = nanoseconds
    count += 1
    guard count == UsualFrameTime.half else { return }
    count = 0
    unsafe newer.withUnsafeMutableBufferPointer { unsafe UsualFrameTime.sort($0) }
    let median = self.nanoseconds == nil ? newer[(UsualFrameTime.half - 1) / 2] : medianOfBoth()
    self.nanoseconds = Double(median)
    swap(&newer, &older)
  }

  /// The lower median of both halves, which are in order.
  private func medianOfBoth() -> Float {
    var (first, second) = (0, 0)
    // As many are before the lower median as are in one half, less one.
    while first + second < UsualFrameTime.half - 1 {
      if newer[first] < older[second] { first += 1 } else { second += 1 }
    }
    return min(newer[first], older[second])
  }

  /// An insertion sort: it allocates nothing, and the times are few.
  private static func sort(_ values: UnsafeMutableBufferPointer<Float>) {
    for index in 1..<values.count {
      let value = unsafe values[index]
      var place = index
      while place > 0, unsafe values[place - 1] > value {
        unsafe values[place] = values[place - 1]
        place -= 1
      }
      unsafe values[place] = value
    }
  }
}
