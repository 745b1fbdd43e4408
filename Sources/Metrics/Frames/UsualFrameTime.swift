/// The median of the last 32 frame times, computed anew with every 16th, so that it costs little for each frame.
struct UsualFrameTime: Sendable {
  private static let length = 32
  private static let spacing = 16

  /// In nanoseconds; `nil` before the 16th frame time.
  private(set) var nanoseconds: Double?
  // Arrays, because a subscript into a stored inline array would copy all of it.
  private var times = [Float](repeating: 0, count: length)
  private var sorted = [Float](repeating: 0, count: length)
  private var known = 0
  private var next = 0

  mutating func add(_ nanoseconds: Float) {
    times[next] = nanoseconds
    next = (next + 1) % UsualFrameTime.length
    known = min(known + 1, UsualFrameTime.length)
    guard next % UsualFrameTime.spacing == 0 else { return }
    for index in 0..<known { sorted[index] = times[index] }
    unsafe sorted.withUnsafeMutableBufferPointer { unsafe UsualFrameTime.sort($0, known) }
    self.nanoseconds = Double(sorted[(known - 1) / 2])
  }

  /// An insertion sort: it allocates nothing, and the times are few.
  private static func sort(_ values: UnsafeMutableBufferPointer<Float>, _ count: Int) {
    for index in 1..<count {
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
