import PerfHUDBase
import Testing

@testable import PerfHUD

@Suite struct TickScheduleTests {
  private static let start = Instant(nanoseconds: 7_000_000_000)
  private static let period: UInt64 = 20_000_000

  private static func time(_ milliseconds: Double) -> Instant {
    start.advanced(byNanoseconds: Int64(milliseconds * 1e6))
  }

  /// The times in ms at which it ticks when it is served as soon as it is due.
  private static func ticks(
    of schedule: inout TickSchedule, until end: Double, isShown: Bool = false
  ) -> [Double] {
    var found: [Double] = []
    while let due = schedule.due, due < time(end) {
      if schedule.serve(now: due, isShown: isShown) != nil {
        found.append(Double(due.nanoseconds(since: start)) / 1e6)
      }
    }
    return found
  }

  @Test func `it runs for a fifth of each second, at least for twelve periods`() {
    var schedule = TickSchedule(period: Self.period)
    #expect(schedule.due == nil)
    schedule.start(now: Self.start)
    schedule.start(now: Self.time(5))
    let burst = (0...12).map { Double($0) * 20 }
    let expected = burst + burst.map { $0 + 1000 } + burst.map { $0 + 2000 }
    #expect(Self.ticks(of: &schedule, until: 2999) == expected)
    var fast = TickSchedule(period: 5_000_000)
    fast.start(now: Self.start)
    #expect(Self.ticks(of: &fast, until: 999).last == 200)
    var slow = TickSchedule(period: 100_000_000)
    slow.start(now: Self.start)
    #expect(Self.ticks(of: &slow, until: 5000).count == 50)
  }

  @Test func `it does not pause while each tick is shown`() {
    var schedule = TickSchedule(period: Self.period)
    schedule.start(now: Self.start)
    #expect(Self.ticks(of: &schedule, until: 3000, isShown: true).count == 150)
    // In the middle of a pause it begins at once.
    _ = Self.ticks(of: &schedule, until: 3500)
    #expect(!schedule.isRunning)
    #expect(schedule.serve(now: Self.time(3600), isShown: true) == 0)
    #expect(schedule.isRunning && schedule.due == Self.time(3620))
  }

  @Test func `ticks that nobody serves are missed, pauses are not`() {
    var schedule = TickSchedule(period: Self.period)
    schedule.start(now: Self.start)
    #expect(schedule.serve(now: Self.start, isShown: false) == 0)
    #expect(schedule.serve(now: Self.time(19), isShown: false) == nil)
    #expect(schedule.serve(now: Self.time(25), isShown: false) == 0)
    // The grid has not moved.
    #expect(schedule.due == Self.time(40))
    #expect(schedule.serve(now: Self.time(141), isShown: false) == 5)
    #expect(schedule.serve(now: Self.time(1700), isShown: false) == 77)
    #expect(schedule.due == Self.time(2000))
    #expect(schedule.serve(now: Self.time(2300), isShown: false) == 0)
    // A late burst has as many ticks as one in time, and does not delay the next.
    #expect(Self.ticks(of: &schedule, until: 2999).count == 12)
    #expect(schedule.due == Self.time(3000))
    // Hours later it begins anew.
    #expect(schedule.serve(now: Self.time(9_000_400), isShown: false) == 0)
    #expect(schedule.due == Self.time(9_000_420))
    schedule.stop()
    #expect(schedule.due == nil && schedule.serve(now: Self.time(9_100_000), isShown: true) == nil)
  }
}
