import PerfHUDBase

/// Decides whether a program draws only in answer to keys, as an editor does: then its frame rate is the rate at which
/// somebody types, and the time from a key to its frame says how fast the program is.
struct KeyedFrames: BitwiseCopyable, Sendable {
  /// The greatest number of frames per key; the second one applies once frames are found to be answers.
  private static let framesPerKey = 2
  private static let framesPerKeyOnceKeyed = 3
  /// Nanoseconds. Frames and keys of the current span and of the one before it are compared.
  private static let span: UInt64 = 500_000_000

  /// Nobody types more keys in two spans. A key that is held down repeats about 30 times a second, which may be as
  /// often as a game draws.
  private static let mostKeys = 15

  private struct Counts: BitwiseCopyable {
    var frames = 0
    var answers = 0
  }

  private var current = Counts()
  private var previous = Counts()
  /// The number of the current span, counted from the zero of the clock.
  private var number: UInt64 = 0
  /// Whether the last frames are answers to keys.
  private(set) var drawsOnlyAfterKeys = false

  mutating func addFrame(at time: Instant) {
    advance(to: time)
    current.frames += 1
  }

  /// Notes that a frame has answered a key.
  mutating func addAnswer(at time: Instant) {
    advance(to: time)
    current.answers += 1
  }

  mutating func update(asOf now: Instant) {
    advance(to: now)
    let frames = current.frames + previous.frames
    guard frames > 0 else { return }
    let most = drawsOnlyAfterKeys ? KeyedFrames.framesPerKeyOnceKeyed : KeyedFrames.framesPerKey
    let keys = current.answers + previous.answers
    drawsOnlyAfterKeys = keys <= KeyedFrames.mostKeys && frames <= most * keys
  }

  /// Begins a new span if the time is after the current one.
  private mutating func advance(to time: Instant) {
    let next = time.nanoseconds / KeyedFrames.span
    guard next > number else { return }
    previous = next == number + 1 ? current : Counts()
    current = Counts()
    number = next
  }
}
