import PerfHUDBase
import Terminal

/// How long the HUD keeps away although it is wanted.
///
/// At the start it waits until it is known what the terminal has, and until the command has drawn its
/// first picture: many switch to the alternate screen first, and then the other one stays whole.
/// A command that leaves the alternate screen mostly ends or stops at once, and the HUD would only harm what was on
/// the other one before.
struct StartupDelay: Sendable {
  /// At the latest then it is over; `nil` while there is none.
  private var until: Instant?
  /// More than these bytes of the command are its first picture.
  private var bytes: UInt64 = 0

  /// After a silence of this length a picture counts as whole; nanoseconds.
  private static let silence: Int64 = 40_000_000
  private static let alternatePause: Int64 = 100_000_000

  init(passedBytes: UInt64, now: Instant) {
    bytes = passedBytes
    until = now.advanced(byNanoseconds: TerminalFeatures.patience)
  }

  /// The command has left the alternate screen.
  mutating func noteAlternateEnd(now: Instant) {
    guard until == nil else { return }
    bytes = .max
    until = now.advanced(byNanoseconds: StartupDelay.alternatePause)
  }

  /// When it is over if nothing happens; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - isProbed: whether the terminal has answered what it can do.
  ///   - lastOutput: when the command has written last.
  func end(isProbed: Bool, passedBytes: UInt64, lastOutput: Instant?) -> Instant? {
    guard let until else { return nil }
    guard isProbed, passedBytes > bytes, let lastOutput else { return until }
    return min(until, lastOutput.advanced(byNanoseconds: StartupDelay.silence))
  }

  mutating func finish() { until = nil }
}
