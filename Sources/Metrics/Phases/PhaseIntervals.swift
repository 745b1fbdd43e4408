import PerfHUDBase

/// The phases over time, for the graph: the last 1024 borders.
///
/// When they are full, neighbors in the older half are merged in pairs, each with the phase of the longer one. So 24 h
/// fit, with less detail in the distant past.
struct PhaseIntervals: Sendable {
  static let capacity = 1024

  struct Border: BitwiseCopyable, Sendable {
    var time: Instant
    /// `nil` if no phase begins here.
    var phase: PhaseIndex?
    var generation: UInt32
  }

  private var borders = [Border](
    repeating: Border(time: Instant(nanoseconds: 0), phase: nil, generation: 0), count: capacity)
  private(set) var count = 0

  subscript(index: Int) -> Border { borders[index] }

  /// The time must not be before the last border.
  mutating func append(_ border: Border) {
    if count == PhaseIntervals.capacity { mergeOldest() }
    borders[count] = border
    count += 1
  }

  private mutating func mergeOldest() {
    let half = PhaseIntervals.capacity / 2
    for pair in 0..<half / 2 {
      let first = borders[2 * pair]
      let second = borders[2 * pair + 1]
      let end = borders[2 * pair + 2].time
      let isSecondLonger =
        end.nanoseconds(since: second.time) > second.time.nanoseconds(since: first.time)
      borders[pair] = isSecondLonger ? second : first
      borders[pair].time = first.time
    }
    for index in half..<count { borders[index - half / 2] = borders[index] }
    count -= half / 2
  }

  /// The interval that contains a moment; `nil` before the first one. Complexity: logarithmic.
  func index(at time: Instant) -> Int? {
    let end = partitionPoint(count) { borders[$0].time <= time }
    return end > 0 ? end - 1 : nil
  }
}
