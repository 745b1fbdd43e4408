import PerfHUDBase

/// When the main loop's tick is due.
///
/// Because each tick wakes the thread, the tick runs only for one fifth of each second, in one burst. It runs without a
/// pause if each tick is shown, or if a fifth of a second has too few ticks.
struct TickSchedule {
  private enum State {
    case off
    case paused(until: Instant)
    /// - Parameters:
    ///   - second: the second to which it belongs, on the grid of seconds.
    ///   - end: the earliest time for a pause.
    case running(due: Instant, second: Instant, end: Instant)
  }

  /// The time between two ticks, in nanoseconds.
  private let period: UInt64
  private var state = State.off

  private static let second: Int64 = 1_000_000_000
  private static let burst: Int64 = 200_000_000
  /// The minimum number of ticks for a rate.
  private static let leastTicks: UInt64 = 12

  init(period: UInt64) { self.period = period }

  /// The time of the next tick; `nil` while the tick is off.
  var due: Instant? {
    switch state {
    case .off: nil
    case .paused(let time), .running(let time, _, _): time
    }
  }

  /// Whether ticks currently follow one another without a pause.
  var isRunning: Bool {
    if case .running = state { true } else { false }
  }

  /// Starts with an immediate tick, unless the tick is already on.
  mutating func start(now: Instant) {
    if case .off = state { state = .paused(until: now) }
  }

  mutating func stop() { state = .off }

  /// Handles the tick if it is due. Ticks that have passed meanwhile within a burst are missed.
  ///
  /// The ticks of a burst are on an absolute grid, and so are the bursts, so a late one does not delay the next.
  ///
  /// - Parameter isShown: whether each tick is shown, so there must be no pause.
  /// - Returns: the number of missed ticks; `nil` if none is due.
  mutating func serve(now: Instant, isShown: Bool) -> UInt64? {
    switch state {
    case .off: return nil
    case .paused(let time):
      guard now >= time || isShown else { return nil }
      // After a long sleep the grid starts again.
      let isOnGrid = time <= now && now.nanoseconds(since: time) < TickSchedule.second
      let length = max(TickSchedule.burst, Int64(TickSchedule.leastTicks * period))
      state = .running(
        due: now.advanced(byNanoseconds: Int64(period)), second: isOnGrid ? time : now,
        end: now.advanced(byNanoseconds: length))
      return 0
    case .running(let due, let second, let end):
      guard now >= due else { return nil }
      let missed = UInt64(now.nanoseconds(since: due)) / period
      let next = due.advanced(byNanoseconds: Int64((missed + 1) * period))
      if isShown || now < end || end.nanoseconds(since: second) >= TickSchedule.second {
        state = .running(due: next, second: second, end: end)
      } else {
        let seconds = now.nanoseconds(since: second) / TickSchedule.second + 1
        state = .paused(until: second.advanced(byNanoseconds: seconds * TickSchedule.second))
      }
      return missed
    }
  }
}
