import PerfHUDBase

/// When the HUD was last redrawn and erased, and so when it is due again.
struct RepaintPace {
  /// How often streaming output is interrupted to draw the HUD, in nanoseconds.
  static let streamPeriod: Int64 = 8_000_000
  /// The same if the HUD is erased within an update, so that the terminal shows nothing in between.
  static let updatePeriod: Int64 = 16_000_000

  /// When the HUD was last brought up to date, even if nothing had to be painted.
  private var redrawnAt = Instant(nanoseconds: 0)
  /// When the HUD was last erased, or the whole screen painted without it.
  private var erasedAt = Instant(nanoseconds: 0)
  private var flood = FloodPace()

  var isFlood: Bool { flood.isFlood }

  /// Notes output of the program.
  mutating func noteOutput(now: Instant) { flood.noteOutput(now: now) }

  mutating func noteErase(now: Instant) {
    flood.noteErase(paintedAt: redrawnAt, now: now)
    erasedAt = now
  }

  /// Notes that the whole screen is painted, without the HUD.
  mutating func noteScreen(now: Instant) { erasedAt = now }

  /// - Parameter isFloodPaint: whether the HUD is on the terminal now, in a flood.
  mutating func noteRedraw(isFloodPaint: Bool, now: Instant) {
    redrawnAt = now
    if isFloodPaint { flood.notePaint(now: now) }
  }

  /// See `Compositor.takeFloodRest`.
  mutating func takeFloodRest() -> Bool { flood.takeRest() }

  /// Whether the HUD was brought up to date less than `period` ago, in nanoseconds.
  func isRecent(within period: Int64, now: Instant) -> Bool {
    now.nanoseconds(since: redrawnAt) < period
  }

  /// When to bring the HUD up to date.
  ///
  /// - Parameters:
  ///   - isFlooded: whether it is painted only rarely: see `FloodPace`.
  ///   - isUpdateOpen: whether it was erased within an update of our own.
  ///   - isIdle: whether the program has no more output for now.
  func due(isPainted: Bool, isFlooded: Bool, isUpdateOpen: Bool, isIdle: Bool, now: Instant)
    -> Instant
  {
    if !isPainted, isFlooded { return max(now, flood.due) }
    if isPainted || !isUpdateOpen, isIdle { return now }
    let since = isIdle || isPainted ? redrawnAt : max(erasedAt, redrawnAt)
    let period = isUpdateOpen ? RepaintPace.updatePeriod : RepaintPace.streamPeriod
    return max(now, since.advanced(byNanoseconds: period))
  }
}
