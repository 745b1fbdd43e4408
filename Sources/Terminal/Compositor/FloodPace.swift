import PerfHUDBase

/// Decides when the HUD is drawn in a flood of output on a terminal without synchronized updates.
///
/// There each piece of output that scrolls erases the HUD, so a HUD painted after each piece would hardly be visible.
/// So when it has been erased at once a few times in a row, it is painted only twice a second, and the command then
/// rests for a moment in which the terminal shows it. When the output pauses, everything is normal again.
struct FloodPace: Sendable {
  /// A HUD that is erased within this time is hardly visible; nanoseconds.
  static let leastLife: Int64 = 8_000_000
  /// A flood begins after this many of them in a row.
  static let limit = 3
  /// The flood ends when there has been no output for this time; nanoseconds.
  static let calm: Int64 = 30_000_000
  /// How often the HUD is painted in a flood, in nanoseconds: slightly more than twice a second.
  static let period: Int64 = 450_000_000

  private var shortLived = 0
  private var lastOutput = Instant(nanoseconds: 0)
  private var paintedAt = Instant(nanoseconds: 0)
  /// Whether the HUD was painted in the flood, so that the command should rest.
  private(set) var wantsRest = false

  var isFlood: Bool { shortLived >= FloodPace.limit }

  /// When to paint the HUD in the flood.
  var due: Instant {
    min(
      lastOutput.advanced(byNanoseconds: FloodPace.calm),
      paintedAt.advanced(byNanoseconds: FloodPace.period))
  }

  mutating func noteOutput(now: Instant) { lastOutput = now }

  /// Notes that a HUD painted at `paintedAt` is erased.
  mutating func noteErase(paintedAt: Instant, now: Instant) {
    // In a flood the HUD is visible for a moment, which does not end the flood.
    guard !isFlood else { return }
    let isShort = now.nanoseconds(since: paintedAt) < FloodPace.leastLife
    shortLived = isShort ? shortLived + 1 : 0
    if isFlood { self.paintedAt = paintedAt }
  }

  mutating func notePaint(now: Instant) {
    guard isFlood else { return }
    if now.nanoseconds(since: lastOutput) >= FloodPace.calm {
      shortLived = 0
    } else {
      paintedAt = now
      wantsRest = true
    }
  }

  mutating func takeRest() -> Bool {
    defer { wantsRest = false }
    return wantsRest
  }
}

extension Compositor {
  /// How long the command rests so that the terminal shows the HUD, in nanoseconds: two frames of most terminals.
  package static let floodRest: Int64 = 33_000_000

  /// Whether the HUD is painted only rarely: see `FloodPace`.
  var isFlooded: Bool { pausesFloods && !hasSynchronizedUpdates && pace.isFlood }

  /// Whether the HUD was painted in a flood since the last call. If so, the command should rest once the terminal has
  /// taken everything.
  package mutating func takeFloodRest() -> Bool { pace.takeFloodRest() }
}
