import Base

/// Frames of a program, told from its output.
///
/// A synchronized update is a frame; else a burst that ends with 4 ms of silence is one. There is at
/// most one in 1/120 s. It reads no clock: the times come with the bytes, and `deadline` tells when
/// `nextFrame` may have one although nothing came.
public struct OutputMeter: Sendable {
  /// Silence that ends a burst, in nanoseconds.
  public static let silence: Int64 = 4_000_000
  /// A key that was not answered for so long had nothing to be answered.
  public static let answerLimit: Int64 = 5_000_000_000
  /// The least time between two frames, in nanoseconds.
  public static let leastPeriod: Int64 = 1_000_000_000 / 120

  private var burstEnd: Instant?
  private var updateEnds = 0
  private var lastFrame: Instant?
  /// The oldest key that no frame has answered.
  private var key: Instant?
  /// What `takeAnswer` has not fetched yet.
  private var answer: Int64?
  /// Bytes that no `takeBytes` has fetched yet.
  private var bytes = 0

  public init() {}

  /// Takes note of output.
  ///
  /// - Parameters:
  ///   - updateEnds: how many synchronized updates have ended since the start.
  /// - Returns: whether a frame ended with it.
  public mutating func add(bytes count: Int, updateEnds: Int, at now: Instant) -> Bool {
    bytes += count
    if updateEnds != self.updateEnds {
      self.updateEnds = updateEnds
      burstEnd = nil
      return addFrame(at: now)
    }
    burstEnd = now
    return false
  }

  /// When a burst will have ended if nothing more comes.
  public var deadline: Instant? { burstEnd?.advanced(byNanoseconds: OutputMeter.silence) }

  /// The time of the frame that has ended by silence, if one has.
  public mutating func nextFrame(now: Instant) -> Instant? {
    guard let end = burstEnd, now.nanoseconds(since: end) >= OutputMeter.silence else { return nil }
    burstEnd = nil
    return addFrame(at: end) ? end : nil
  }

  /// Takes note of a key that the program was given. The next frame answers it and all behind it.
  public mutating func noteKey(at now: Instant) {
    if let key, now.nanoseconds(since: key) < OutputMeter.answerLimit { return }
    key = now
  }

  /// Nanoseconds from a key to the frame that has answered it, if one has since the last call.
  public mutating func takeAnswer() -> Int64? {
    defer { answer = nil }
    return answer
  }

  private mutating func addFrame(at time: Instant) -> Bool {
    if let key, time >= key {
      let nanoseconds = time.nanoseconds(since: key)
      if nanoseconds < OutputMeter.answerLimit { answer = nanoseconds }
      self.key = nil
    }
    if let lastFrame, time.nanoseconds(since: lastFrame) < OutputMeter.leastPeriod { return false }
    lastFrame = time
    return true
  }

  /// How many bytes have come since the last call.
  public mutating func takeBytes() -> Int {
    defer { bytes = 0 }
    return bytes
  }
}
