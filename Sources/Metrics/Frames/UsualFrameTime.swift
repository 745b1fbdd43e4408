/// The median of the last 32 frame times, computed anew with every 16th, so that it costs little for each frame.
struct UsualFrameTime: Sendable {
  private static let length = 32
  private static let spacing: UInt64 = 16

  /// In nanoseconds; `nil` before the 16th frame time.
  private(set) var nanoseconds: Double?
  private var times = InlineArray<32, Float>(repeating: 0)
  private var count: UInt64 = 0

  mutating func add(_ nanoseconds: Float) {
    times[Int(count % UInt64(UsualFrameTime.length))] = nanoseconds
    count += 1
    guard count % UsualFrameTime.spacing == 0 else { return }
    self.nanoseconds = Double(median(of: Int(min(count, UInt64(UsualFrameTime.length)))))
  }

  private func median(of known: Int) -> Float {
    // An insertion sort: it allocates nothing, and the times are few.
    var sorted = times
    for index in 1..<known {
      let value = sorted[index]
      var place = index
      while place > 0, sorted[place - 1] > value {
        sorted[place] = sorted[place - 1]
        place -= 1
      }
      sorted[place] = value
    }
    return sorted[(known - 1) / 2]
  }
}
