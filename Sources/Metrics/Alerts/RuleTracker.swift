import PerfHUDBase

/// The state of a rule: its statistic, and whether the alert is raised. Pure: time comes with the values.
///
/// An alert is raised when the rule has held for its duration. It ends when the value has been clear of the threshold
/// for a while, so that a value that oscillates around the threshold does not raise an alert each time.
package struct RuleTracker: Sendable {
  package let rule: Rule
  /// The last value that the rule compares; `nil` while there is none.
  package private(set) var value: Double?
  package private(set) var isRaised = false
  /// How often it was raised.
  package private(set) var count: UInt32 = 0
  /// When it was first raised, and when it was last raised.
  package private(set) var first: Instant?
  package private(set) var last: Instant?
  /// When it last ended.
  package private(set) var over: Instant?
  /// The value that was furthest beyond the threshold while it was raised.
  package private(set) var worst: Double?

  /// When it began to hold without interruption.
  private var since: Instant?
  private var clearSince: Instant?
  private var previous: Instant?
  private var slope: GrowthSlope?
  private var statistics = RunningStatistics()
  private var histogram: ValueHistogram?

  /// A pause longer than this, in nanoseconds, and longer than three intervals, is a gap: the values within it are
  /// unknown.
  private static let gap: Int64 = 5_000_000_000
  private static let leastRest: UInt64 = 2_000_000_000
  private static let greatestRest: UInt64 = 15_000_000_000

  package init(_ rule: Rule) {
    self.rule = rule
    if rule.statistic == .growth { slope = GrowthSlope(nanoseconds: rule.duration) }
    if case .percentile = rule.statistic { histogram = ValueHistogram() }
  }

  /// Takes the value of a sample; `nil` if it is unknown.
  ///
  /// - Parameter interval: between samples, in nanoseconds.
  /// - Returns: whether the value has raised the alert.
  @discardableResult
  package mutating func take(_ metricValue: Double?, at time: Instant, interval: UInt64) -> Bool {
    if let previous {
      let pause = time.nanoseconds(since: previous)
      if pause > RuleTracker.gap, pause > 3 * Int64(clamping: interval) { forget() }
    }
    previous = time
    guard let metricValue, metricValue.isFinite else {
      // An unknown value ends the time for which the rule has held.
      since = nil
      clearSince = nil
      return false
    }
    widenSlope(to: interval)
    value = reduced(metricValue, at: time)
    guard let value else { return false }
    return judge(value, at: time)
  }

  /// Starts over for another process, for which earlier values do not count.
  package mutating func restart() {
    forget()
    value = nil
    statistics = RunningStatistics()
    if histogram != nil { histogram = ValueHistogram() }
    if isRaised, let previous { end(at: previous) }
  }

  /// Ends the alert because the process has ended.
  package mutating func finish(at time: Instant) {
    forget()
    if isRaised { end(at: time) }
  }

  /// A slope needs several samples in its window.
  private mutating func widenSlope(to interval: UInt64) {
    let least = 4 * min(interval, UInt64(Int64.max) / 4)
    guard let slope, slope.length < least else { return }
    self.slope = GrowthSlope(nanoseconds: least)
  }

  private mutating func forget() {
    since = nil
    clearSince = nil
    slope?.removeAll()
  }

  /// The statistic that the rule compares.
  private mutating func reduced(_ metricValue: Double, at time: Instant) -> Double? {
    switch rule.statistic {
    case .value: return metricValue
    case .growth:
      slope?.add(metricValue, at: time)
      return slope?.sustainedSlope(beyond: rule)
    case .peak, .least, .mean:
      statistics.add(metricValue)
      switch rule.statistic {
      case .peak: return statistics.greatest
      case .least: return statistics.least
      default: return statistics.count >= rule.leastSamples ? statistics.mean : nil
      }
    case .percentile(let percent):
      histogram?.add(metricValue)
      guard let histogram, histogram.count >= UInt64(rule.leastSamples) else { return nil }
      return histogram.value(percentile: percent)
    }
  }

  private mutating func judge(_ value: Double, at time: Instant) -> Bool {
    if rule.holds(value) {
      clearSince = nil
      let begin = since ?? time
      since = begin
      if isRaised {
        note(value)
        return false
      }
      // The duration of a growth rule is its window.
      let wait = rule.statistic == .growth ? 0 : Int64(rule.duration)
      guard time.nanoseconds(since: begin) >= wait else { return false }
      isRaised = true
      count &+= 1
      if first == nil { first = time }
      last = time
      note(value)
      return true
    }
    since = nil
    guard isRaised else { return false }
    guard rule.isClear(value) else {
      clearSince = nil
      return false
    }
    let begin = clearSince ?? time
    clearSince = begin
    let rest = min(max(RuleTracker.leastRest, rule.duration / 2), RuleTracker.greatestRest)
    if time.nanoseconds(since: begin) >= Int64(rest) { end(at: time) }
    return false
  }

  private mutating func end(at time: Instant) {
    isRaised = false
    over = time
    clearSince = nil
  }

  private mutating func note(_ value: Double) {
    guard let before = worst else {
      worst = value
      return
    }
    worst = rule.comparison.isUpward ? max(before, value) : min(before, value)
  }
}

/// Least, greatest and mean of all values so far.
struct RunningStatistics: BitwiseCopyable, Sendable {
  private(set) var least = Double.infinity
  private(set) var greatest = -Double.infinity
  private var sum = 0.0
  private(set) var count = 0

  var mean: Double { sum / Double(max(count, 1)) }

  mutating func add(_ value: Double) {
    least = min(least, value)
    greatest = max(greatest, value)
    sum += value
    count += 1
  }
}

/// Percentiles of positive values with an error of at most 3 %, in fixed memory: 16 buckets for each doubling.
struct ValueHistogram: Sendable {
  private static let steps = 16.0
  private static let lowestPower = -10.0
  private static let bucketCount = 60 * 16

  private var buckets = [UInt32](repeating: 0, count: bucketCount)
  private(set) var count: UInt64 = 0
  private var zeros: UInt64 = 0

  mutating func add(_ value: Double) {
    count += 1
    guard value > 0 else {
      zeros += 1
      return
    }
    let position = (ValueHistogram.power(value) - ValueHistogram.lowestPower) * ValueHistogram.steps
    let index = max(0, min(ValueHistogram.bucketCount - 1, Int(position)))
    if buckets[index] < .max { buckets[index] += 1 }
  }

  /// The value that `percent` of all values do not exceed (nearest rank): the middle of its bucket.
  func value(percentile percent: Double) -> Double? {
    guard count > 0 else { return nil }
    let rank = min(count, max(1, UInt64((Double(count) * percent / 100).rounded(.up)))) - 1
    var before = zeros
    if before > rank { return 0 }
    for index in buckets.indices {
      before += UInt64(buckets[index])
      if before > rank { return ValueHistogram.middle(of: index) }
    }
    return nil
  }

  /// The logarithm to base 2, interpolated linearly within each doubling.
  private static func power(_ value: Double) -> Double {
    Double(value.exponent) + (value.significand - 1)
  }

  private static func middle(of index: Int) -> Double {
    let position = (Double(index) + 0.5) / steps + lowestPower
    let whole = position.rounded(.down)
    return Double(sign: .plus, exponent: Int(whole), significand: 1 + position - whole)
  }
}
