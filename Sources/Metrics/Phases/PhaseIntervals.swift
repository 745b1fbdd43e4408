import PerfHUDBase

/// The phases over time, for the graph: the last 1024 borders.
///
/// When there is no more room, of the older half each two neighbors become one with the phase
/// of the longer; so 24 h find room, the distant past more coarsely.
struct PhaseIntervals: Sendable {
  static let capacity = 1024

  struct Border: BitwiseCopyable, Sendable {
    var time: Instant
    /// `nil`: no phase from here on.
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

  /// The interval that holds a moment; `nil` before the first one. Complexity: logarithmic.
  func index(at time: Instant) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if borders[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}
