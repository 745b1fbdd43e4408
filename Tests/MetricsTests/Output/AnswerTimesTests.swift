import PerfHUDBase
import Testing

@testable import Metrics

/// The percentiles of the time from a key to its frame are kept until one of the times is new or too old.
struct AnswerTimesTests {
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `percentiles that were kept are those that are computed anew`(seed: UInt64) {
    var numbers = SeededRandom(seed: seed)
    var asked = AnswerTimes()
    var changes: [(isClear: Bool, nanoseconds: Int64, time: Instant)] = []
    var now = Instant(nanoseconds: 100_000_000_000)
    for _ in 0..<400 {
      // Some times are earlier than the ones before.
      now = now.advanced(bySeconds: Double.random(in: -0.5...3, using: &numbers))
      if Int.random(in: 0..<5, using: &numbers) == 0 {
        let change = (
          isClear: Bool.random(using: &numbers),
          nanoseconds: Int64.random(in: 1...400_000_000, using: &numbers),
          time: now.advanced(bySeconds: Double.random(in: -2...1, using: &numbers))
        )
        changes.append(change)
        add(change.isClear, change.nanoseconds, change.time, to: &asked)
      }
      var fresh = AnswerTimes()
      for change in changes { add(change.isClear, change.nanoseconds, change.time, to: &fresh) }
      let (kept, expected) = (asked.percentiles(asOf: now), fresh.percentiles(asOf: now))
      #expect(kept.median == expected.median && kept.p99 == expected.p99)
    }
  }

  private func add(
    _ isClear: Bool, _ nanoseconds: Int64, _ time: Instant, to answers: inout AnswerTimes
  ) {
    if isClear {
      answers.add(nanoseconds: nanoseconds, at: time)
    } else {
      answers.addUnclear(at: time)
    }
  }
}
