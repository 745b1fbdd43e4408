import Metrics
import PerfHUDBase
import Sampler

/// What the reasons of the page of bottlenecks were in each second of the last minute.
///
/// A second keeps the last value that was shown in it, so that the newest one is the number beside the trend; up to ten
/// seconds between two values, the longest interval, have the later one. It uses its memory again, so adding a value
/// allocates nothing.
struct ReasonHistory: Sendable {
  /// The number of seconds that it keeps.
  static let capacity = 60
  /// The longest interval between samples, in seconds.
  private static let longestInterval = 10

  /// For each second those of all metrics, in a ring; negative where there was none.
  private var values = [Float](repeating: -1, count: capacity * Bottlenecks.metrics.count)
  private var start = Instant(nanoseconds: 0)
  /// The newest second since the start; `nil` if it is empty.
  private var second: Int?
  /// The last second in which each metric had a value that is worth a digit; before the first one without any.
  private var lastSeconds = InlineArray<10, Int>(repeating: -capacity)

  /// Adds the values of a row. If time goes back, as in a recording, what is later is forgotten.
  mutating func add(_ row: Row) {
    if second == nil { start = row.time }
    let elapsed = row.time.nanoseconds(since: start)
    let now = Int(elapsed / 1_000_000_000)
    guard let second, elapsed >= 0, now >= second, now - second < ReasonHistory.capacity else {
      removeAll()
      start = row.time
      second = 0
      return set(row, from: 0, to: 0)
    }
    self.second = now
    set(row, from: min(second + 1, now), to: now)
  }

  private mutating func set(_ row: Row, from first: Int, to last: Int) {
    var index = 0
    while index < Bottlenecks.metrics.count {
      let metric = Bottlenecks.metrics[index]
      let value = row[metric].value
      var second = first
      while second <= last {
        // A fast replay shows only some of the values.
        let isKnown = last - second < ReasonHistory.longestInterval
        values[place(second, index)] = isKnown ? value.map { Float($0) } ?? -1 : -1
        second += 1
      }
      if let value, Bottlenecks.hasDigit(value, of: metric) { lastSeconds[index] = last }
      index += 1
    }
  }

  mutating func removeAll() {
    second = nil
    lastSeconds = InlineArray(repeating: -ReasonHistory.capacity)
    var index = 0
    while index < values.count {
      values[index] = -1
      index += 1
    }
  }

  /// Whether a reason had a value that is worth a digit within the last minute.
  ///
  /// - Parameter reason: the index of its metric in `Bottlenecks.metrics`.
  func isRecent(_ reason: Int) -> Bool {
    second.map { $0 - lastSeconds[reason] < ReasonHistory.capacity } ?? false
  }

  /// The value of a reason some seconds ago, in units of its metric; `nil` if there was none.
  func value(_ reason: Int, age: Int) -> Double? {
    guard let second, age >= 0, age < ReasonHistory.capacity, age <= second else { return nil }
    let value = values[place(second - age, reason)]
    return value < 0 ? nil : Double(value)
  }

  private func place(_ second: Int, _ reason: Int) -> Int {
    second % ReasonHistory.capacity * Bottlenecks.metrics.count + reason
  }
}

extension Bottlenecks {
  /// The least value that is worth a digit: a share of the time of 0.05 %, or 0.05 a second.
  static func leastValue(of metric: Metric) -> Double {
    metric.unit == .millisecondsPerSecond ? 0.5 : 0.05
  }

  static func hasDigit(_ value: Double, of metric: Metric) -> Bool {
    value >= leastValue(of: metric)
  }
}

/// The rows of the reasons on the page of bottlenecks.
///
/// Those with a value within the last minute come first, in the order of the metrics: a row that changes places cannot
/// be read. Then those whose value is not known. Those at 0 share what is left, as names in a row: `at 0: …`. In a low
/// list, those with a value now come before the rest.
struct ReasonRows: Sendable {
  /// What a reason is sorted by.
  private enum Group: Int {
    case current, recent, unknown, zero
  }

  /// The reasons with a row of their own, then those at 0.
  private var order = InlineArray<10, UInt8>(repeating: 0)
  /// How many have a row of their own.
  private(set) var ownCount = 0
  /// How many share rows, because they are at 0.
  private(set) var zeroCount = 0

  /// No rows.
  init() {}

  /// - Parameter isLow: Whether so few rows are visible that those with a value now come first.
  init(_ bottlenecks: Bottlenecks, _ context: DrawContext, isLow: Bool) {
    var pass = Group.current.rawValue
    while pass <= Group.zero.rawValue {
      var index = 0
      while index < bottlenecks.reasons.count {
        let group = ReasonRows.group(index, bottlenecks, context, isLow: isLow)
        if group.rawValue == pass {
          order[ownCount + zeroCount] = UInt8(index)
          if group == .zero { zeroCount += 1 } else { ownCount += 1 }
        }
        index += 1
      }
      pass += 1
    }
    // A single one needs no fold.
    if zeroCount == 1 { (ownCount, zeroCount) = (ownCount + 1, 0) }
  }

  private static func group(
    _ index: Int, _ bottlenecks: Bottlenecks, _ context: DrawContext, isLow: Bool
  ) -> Group {
    let reason = bottlenecks.reasons[index]
    guard let value = reason.reading.value else { return .unknown }
    if Bottlenecks.hasDigit(value, of: reason.metric) { return .current }
    if context.state.values.reasons.isRecent(index) { return isLow ? .recent : .current }
    // 0 says nothing if processes are missing in it.
    return context.lacksProcesses(reason.metric) ? .unknown : .zero
  }

  /// The index of the reason at a place: first those with a row of their own, then those at 0.
  subscript(place: Int) -> Int { Int(order[place]) }

  /// The place of a reason.
  func place(of reason: Int) -> Int {
    var place = 0
    while place < ownCount + zeroCount, self[place] != reason { place += 1 }
    return place
  }
}
