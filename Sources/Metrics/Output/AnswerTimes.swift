import PerfHUDBase
import Sampler

/// Times from a key to the frame that answered it: at most the last 64, within the last minute.
struct AnswerTimes: Sendable {
  private static let capacity = 64
  private static let span: Int64 = 60_000_000_000

  private var times = InlineArray<64, Instant>(repeating: Instant(nanoseconds: 0))
  private var milliseconds = InlineArray<64, Float>(repeating: 0)
  private var ring = RingIndex<64>()
  /// Keys for which it is unclear which frame answered them: the last 64.
  private var unclear = InlineArray<64, Instant>(repeating: Instant(nanoseconds: 0))
  private(set) var unclearCount = 0
  /// The times of the whole run; `nil` if no budget needs them.
  private(set) var total: FrameHistogram?
  private let anchor = Anchor()

  /// - Parameter keepsAll: whether the times of the whole run are kept.
  init(keepsAll: Bool = false) { if keepsAll { total = FrameHistogram() } }

  mutating func add(nanoseconds: Int64, at time: Instant) {
    total?.add(nanoseconds)
    let slot = ring.advance()
    times[slot] = time
    milliseconds[slot] = Float(Double(nanoseconds) * 1e-6)
  }

  mutating func addUnclear(at time: Instant) {
    unclear[unclearCount % AnswerTimes.capacity] = time
    unclearCount += 1
  }

  /// The median and the 99th percentile of the answer times (nearest rank).
  ///
  /// Absent while more keys of the last minute are unclear than clear.
  ///
  /// Complexity: at most quadratic in the number of answers, which is small.
  func percentiles(asOf now: Instant) -> (median: Reading<Double>, p99: Reading<Double>) {
    var total = 0
    var sorted = InlineArray<64, Float>(repeating: 0)
    // Spans, because a subscript into a stored inline array would copy all of it.
    let times = times.span
    let milliseconds = milliseconds.span
    let unclear = unclear.span
    for age in 0..<ring.count {
      let slot = ring.slot(age: age)
      guard now.nanoseconds(since: times[slot]) < AnswerTimes.span else { continue }
      let value = milliseconds[slot]
      var index = total
      while index > 0, sorted[index - 1] > value {
        sorted[index] = sorted[index - 1]
        index -= 1
      }
      sorted[index] = value
      total += 1
    }
    var recentUnclear = 0
    for index in 0..<min(unclearCount, AnswerTimes.capacity)
    where now.nanoseconds(since: unclear[index]) < AnswerTimes.span {
      recentUnclear += 1
    }
    guard total > 0, recentUnclear <= total else {
      let absence = Reading<Double>.absent(recentUnclear > 0 ? .unclear : .pending)
      return (absence, absence)
    }
    func value(_ percent: Int) -> Reading<Double> {
      .value(Double(sorted[min(total - 1, total * percent / 100)]))
    }
    return (value(50), value(99))
  }
}
