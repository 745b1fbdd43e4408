import Base

/// A frame that took too long: a mark on a graph.
public struct SlowFrame: BitwiseCopyable, Sendable, Equatable {
  /// When it ended.
  public var time: Instant
  public var milliseconds: Float
}

/// The last 128 slow frames, and how many there were.
public struct SlowFrames: Sendable {
  public static let capacity = 128

  private var frames = [SlowFrame](
    repeating: SlowFrame(time: Instant(nanoseconds: 0), milliseconds: 0), count: capacity)
  private var next = 0
  public private(set) var count = 0
  /// All of the run.
  public private(set) var total: UInt64 = 0

  /// The slow frame `age` slow frames ago; 0 is the newest.
  public subscript(age: Int) -> SlowFrame {
    frames[(next - 1 - age + SlowFrames.capacity) % SlowFrames.capacity]
  }

  mutating func add(_ frame: SlowFrame) {
    frames[next] = frame
    next = (next + 1) % SlowFrames.capacity
    count = min(count + 1, SlowFrames.capacity)
    total += 1
  }
}
