import PerfHUDBase

/// When the HUD is drawn in a flood on a terminal without synchronized updates.
///
/// There each piece of output that scrolls erases the HUD, and to paint it after each piece shows it for no time at
/// all. So when some paintings in a row have been erased at once, the HUD is painted twice a second, and the command
/// rests for a moment, in which the terminal shows it. When the output pauses all is as before.
struct FloodPace: Sendable {
  /// A painting that is erased within this time is hardly seen; nanoseconds.
  static let leastLife: Int64 = 8_000_000
  /// This number of them in a row is a flood.
  static let limit = 3
  /// The flood is over when nothing has come for this time; nanoseconds.
  static let calm: Int64 = 30_000_000
  /// In a flood the HUD is painted this often; nanoseconds. A little more often than twice a second.
  static let period: Int64 = 450_000_000

  private var shortLived = 0
  private var lastOutput = Instant(nanoseconds: 0)
  private var paintedAt = Instant(nanoseconds: 0)
  /// Whether the HUD was painted in the flood, so that the command is to rest.
  private(set) var wantsRest = false

  var isFlood: Bool { shortLived >= FloodPace.limit }

  /// When the HUD is to be painted in the flood.
  var due: Instant {
    min(
      lastOutput.advanced(byNanoseconds: FloodPace.calm),
      paintedAt.advanced(byNanoseconds: FloodPace.period))
  }

  mutating func noteOutput(now: Instant) { lastOutput = now }

  /// The HUD is erased, which was painted at a time.
  mutating func noteErase(paintedAt: Instant, now: Instant) {
    // That it was seen for a moment ends no flood.
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
  /// How long the command rests, so that the terminal shows the HUD: two pictures of most terminals; nanoseconds.
  package static let floodRest: Int64 = 33_000_000

  /// Whether the HUD is painted only now and then: see `FloodPace`.
  var isFlooded: Bool { pausesFloods && !hasSynchronizedUpdates && flood.isFlood }

  /// Whether the HUD was painted in a flood since the last call, so that the command is to rest once the terminal
  /// has taken all.
  package mutating func takeFloodRest() -> Bool { flood.takeRest() }
}
