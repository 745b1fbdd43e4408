import PerfHUDBase

/// How a recording is played: paused or not, and how fast. Pure: the current time is an argument.
package struct PlayClock: Equatable, Sendable {
  /// The speeds that keys select.
  package static let speeds: [Double] = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]
  /// How many seconds of the recording pass per second of real time.
  package private(set) var speed: Double
  package private(set) var isPaused: Bool
  private var last: Instant

  package init(speed: Double = 1, isPaused: Bool = false, now: Instant) {
    self.isPaused = isPaused
    self.speed = speed
    last = now
  }

  /// The time of the recording that has passed since the last call, in nanoseconds; 0 while paused.
  package mutating func elapsed(now: Instant) -> Int64 {
    defer { last = max(last, now) }
    guard !isPaused, now > last else { return 0 }
    // After a long stop, playback continues where it was.
    let passed = now.nanoseconds(since: last)
    guard passed <= PlayClock.longestTurn else { return 0 }
    return Int64(Double(passed) * speed)
  }

  package mutating func pause(_ value: Bool) { isPaused = value }

  /// Selects the next greater speed, or with -1 the next lower one.
  package mutating func changeSpeed(_ direction: Int) {
    let next =
      direction > 0
      ? PlayClock.speeds.first { $0 > speed } : PlayClock.speeds.last { $0 < speed }
    speed = next ?? speed
  }

  package mutating func setNormalSpeed() { speed = 1 }

  /// The maximum time that counts between two calls: one second, in nanoseconds.
  private static let longestTurn: Int64 = 1_000_000_000
}
