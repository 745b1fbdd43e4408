import PerfHUDBase
import PerfHUDEvents

/// What the program is loading.
package struct Loading: BitwiseCopyable, Sendable, Equatable {
  package var text: Event.Name
  /// The part that is done, from 0 to 1; `nil` if the program does not say.
  package var progress: Double?
  /// Whether the message should cover the whole screen instead of a line.
  package var coversScreen: Bool
  /// When loading began.
  package var since: Instant
  /// When the program last reported it.
  package var updated: Instant
  /// Who sent it.
  package var speaker = Speaker()

  /// How long a message is valid unless it is renewed, in nanoseconds. Applies to all messages that cover the screen,
  /// and to those whose sender is unknown.
  package static let lifetime: Int64 = 10_000_000_000
  /// The least time from the start of one cover to the start of the next, in nanoseconds.
  static let coverPause: Int64 = 2_000_000_000

  /// Whether it covers the screen at a moment.
  package func covers(asOf now: Instant) -> Bool { coversScreen && isFresh(asOf: now) }

  /// Whether it has expired at a moment: its sender is unknown, so the end of no process can end it, and it was not
  /// renewed in time.
  package func isOver(asOf now: Instant) -> Bool { speaker.group <= 0 && !isFresh(asOf: now) }

  private func isFresh(asOf now: Instant) -> Bool {
    now.nanoseconds(since: updated) < Loading.lifetime
  }
}
