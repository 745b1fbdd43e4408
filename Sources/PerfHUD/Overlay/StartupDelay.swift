import PerfHUDBase
import Terminal

/// How long the HUD stays away although it is wanted.
///
/// At the start it waits until the terminal's features are known, and until the command has drawn its first picture:
/// many commands switch to the alternate screen first, and then the primary screen stays intact. A command that leaves
/// the alternate screen usually ends or stops soon, and the HUD would only damage what was on the primary screen
/// before.
struct StartupDelay: Sendable {
  /// The latest end of the delay; `nil` if there is none.
  private var until: Instant?
  /// Once the command has written more bytes than this, its first picture has begun.
  private var bytes: UInt64 = 0

  /// After this much silence a picture counts as complete; nanoseconds.
  private static let silence: Int64 = 40_000_000
  private static let alternatePause: Int64 = 100_000_000

  init(passedBytes: UInt64, now: Instant) {
    bytes = passedBytes
    until = now.advanced(byNanoseconds: TerminalFeatures.patience)
  }

  /// Notes that the command has left the alternate screen.
  mutating func noteAlternateEnd(now: Instant) {
    guard until == nil else { return }
    bytes = .max
    until = now.advanced(byNanoseconds: StartupDelay.alternatePause)
  }

  /// When the delay ends if nothing happens; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - isProbed: whether the terminal has reported its features.
  ///   - lastOutput: when the command last wrote.
  func end(isProbed: Bool, passedBytes: UInt64, lastOutput: Instant?) -> Instant? {
    guard let until else { return nil }
    guard isProbed, passedBytes > bytes, let lastOutput else { return until }
    return min(until, lastOutput.advanced(byNanoseconds: StartupDelay.silence))
  }

  mutating func finish() { until = nil }
}
