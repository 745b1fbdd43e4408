import Base

/// The time from a key to the frame that answers it. It reads no clock.
public struct AnswerMeter: Sendable {
  /// A key that was not answered for so long had nothing to be answered, in nanoseconds.
  public static let limit: Int64 = 5_000_000_000

  /// The oldest key that no frame has answered.
  private var key: Instant?
  private var answers: [Int64] = []

  public init() {}

  /// Takes note of a key that the program was given. The next frame answers it and all behind it.
  public mutating func noteKey(at now: Instant) {
    if let key, now.nanoseconds(since: key) < AnswerMeter.limit { return }
    key = now
  }

  /// Takes note of the end of a frame.
  public mutating func noteFrame(at time: Instant) {
    guard let key, time >= key else { return }
    let nanoseconds = time.nanoseconds(since: key)
    if nanoseconds < AnswerMeter.limit { answers.append(nanoseconds) }
    self.key = nil
  }

  /// Hands over the times from a key to its answer since the last call, in nanoseconds.
  public mutating func take(_ body: (Int64) -> Void) {
    for answer in answers { body(answer) }
    answers.removeAll(keepingCapacity: true)
  }
}
