import PerfHUDBase

/// A frame that took too long: a mark on a graph.
package struct SlowFrame: BitwiseCopyable, Sendable, Equatable {
  /// When it ended.
  package var time: Instant
  package var milliseconds: Float
}

/// The last 128 slow frames, and how many there were.
package struct SlowFrames: Sendable {
  package static let capacity = 128

  private var frames = [SlowFrame](
    repeating: SlowFrame(time: Instant(nanoseconds: 0), milliseconds: 0), count: capacity)
  private var ring = RingIndex<128>()
  package var count: Int { ring.count }
  /// The number of slow frames in the whole run.
  package private(set) var total: UInt64 = 0

  /// The slow frame `age` slow frames ago; 0 is the newest.
  package subscript(age: Int) -> SlowFrame {
    frames[ring.slot(age: age)]
  }

  mutating func add(_ frame: SlowFrame) {
    frames[ring.advance()] = frame
    total += 1
  }
}
