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
  /// The result of `percentiles`, and the range of times for which it holds.
  private var last = Percentiles()
  private let anchor = Anchor()

  private struct Percentiles: BitwiseCopyable {
    var median = Reading<Double>.absent(.pending)
    var p99 = Reading<Double>.absent(.pending)
    var from = Instant(nanoseconds: 0)
    var end = Instant(nanoseconds: 0)
  }

  /// - Parameter keepsAll: whether the times of the whole run are kept.
  init(keepsAll: Bool = false) { if keepsAll { total = FrameHistogram() } }

  mutating func add(nanoseconds: Int64, at time: Instant) {
    total?.add(nanoseconds)
    last.end = last.from
    let slot = ring.advance()
    times[slot] = time
    milliseconds[slot] = Float(Double(nanoseconds) * 1e-6)
  }

  mutating func addUnclear(at time: Instant) {
    last.end = last.from
    unclear[unclearCount % AnswerTimes.capacity] = time
    unclearCount += 1
  }

  /// The median and the 99th percentile of the answer times (nearest rank).
  ///
  /// Absent while more keys of the last minute are unclear than clear.
  ///
  /// Complexity: constant, unless an answer is new or has become too old; then at most quadratic in the number of
  /// answers, which is small.
  mutating func percentiles(asOf now: Instant) -> (median: Reading<Double>, p99: Reading<Double>) {
    if now < last.from || now >= last.end { last = computePercentiles(asOf: now) }
    return (last.median, last.p99)
  }

  private func computePercentiles(asOf now: Instant) -> Percentiles {
    var result = Percentiles(from: now, end: Instant(nanoseconds: .max))
    var total = 0
    var sorted = InlineArray<64, Float>(repeating: 0)
    // Spans, because a subscript into a stored inline array would copy all of it.
    let times = times.span
    let milliseconds = milliseconds.span
    let unclear = unclear.span
    for age in 0..<ring.count {
      let slot = ring.slot(age: age)
      guard now.nanoseconds(since: times[slot]) < AnswerTimes.span else { continue }
      result.end = min(result.end, times[slot].advanced(byNanoseconds: AnswerTimes.span))
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
      result.end = min(result.end, unclear[index].advanced(byNanoseconds: AnswerTimes.span))
      recentUnclear += 1
    }
    guard total > 0, recentUnclear <= total else {
      let absence = Reading<Double>.absent(recentUnclear > 0 ? .unclear : .pending)
      (result.median, result.p99) = (absence, absence)
      return result
    }
    func value(_ percent: Int) -> Reading<Double> {
      .value(Double(sorted[min(total - 1, total * percent / 100)]))
    }
    (result.median, result.p99) = (value(50), value(99))
    return result
  }
}
