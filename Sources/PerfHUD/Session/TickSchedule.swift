import PerfHUDBase

/// When the tick of the main loop is due.
///
/// It runs for a fifth of each second, in one piece, because each tick wakes the thread up. It runs without a pause
/// where each tick is shown, and where a fifth of a second has too few ticks.
struct TickSchedule {
  private enum State {
    case off
    case paused(until: Instant)
    /// - Parameters:
    ///   - second: its place in the grid of seconds.
    ///   - end: when it may pause.
    case running(due: Instant, second: Instant, end: Instant)
  }

  /// From one tick to the next, in nanoseconds.
  private let period: UInt64
  private var state = State.off

  private static let second: Int64 = 1_000_000_000
  private static let burst: Int64 = 200_000_000
  /// What a rate needs at least.
  private static let leastTicks: UInt64 = 12

  init(period: UInt64) { self.period = period }

  /// The time of the next one; `nil` while the tick is off.
  var due: Instant? {
    switch state {
    case .off: nil
    case .paused(let time), .running(let time, _, _): time
    }
  }

  /// Whether ticks follow one another without a pause now.
  var isRunning: Bool {
    if case .running = state { true } else { false }
  }

  /// Begins with a tick at once, unless the tick is on already.
  mutating func start(now: Instant) {
    if case .off = state { state = .paused(until: now) }
  }

  mutating func stop() { state = .off }

  /// Serves the tick if it is due; those that have passed meanwhile within a burst are missed.
  ///
  /// The grid of ticks is absolute within a burst, and so is that of bursts: a late one does not shift the next.
  ///
  /// - Parameter isShown: whether each tick is shown, so that it must not pause.
  /// - Returns: how many were missed; `nil` if none is due.
  mutating func serve(now: Instant, isShown: Bool) -> UInt64? {
    switch state {
    case .off: return nil
    case .paused(let time):
      guard now >= time || isShown else { return nil }
      // After a long sleep the grid begins anew.
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
