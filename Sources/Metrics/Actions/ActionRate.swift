import PerfHUDBase

/// The rate of events per second over the last 2 s, by their own times.
///
/// The window is divided into 64 parts. The oldest part counts with the share of it that is still in the window, so
/// the error is at most half of what happened in 1/32 s.
struct ActionRateWindow: BitwiseCopyable, Sendable {
  /// The length of the window in seconds.
  static let seconds: UInt64 = 2
  /// The length of a part in nanoseconds.
  static let width: UInt64 = seconds * 1_000_000_000 / 64
  private static let parts = 64

  private var counts = InlineArray<65, UInt32>(repeating: 0)
  /// In the newest 64 parts.
  private var total: UInt64 = 0
  /// The number of the newest part on the clock.
  private(set) var newest: UInt64 = 0

  private static func slot(_ number: UInt64) -> Int { Int(number % 65) }

  /// Counts what happened at a time that may be before the newest.
  mutating func add(_ count: UInt32, at time: Instant) {
    let number = time.nanoseconds / ActionRateWindow.width
    if number > newest { advance(to: number) }
    guard number + UInt64(ActionRateWindow.parts) > newest else { return }
    let slot = ActionRateWindow.slot(number)
    let (sum, overflow) = counts[slot].addingReportingOverflow(count)
    guard !overflow else { return }
    counts[slot] = sum
    total += UInt64(count)
  }

  mutating func advance(to number: UInt64) {
    guard number > newest else { return }
    if number - newest > UInt64(ActionRateWindow.parts) {
      counts = InlineArray(repeating: 0)
      total = 0
      newest = number
      return
    }
    while newest < number { step() }
  }

  /// Goes to the next part.
  mutating func step() {
    newest += 1
    counts[ActionRateWindow.slot(newest)] = 0
    if newest >= UInt64(ActionRateWindow.parts) {
      total -= UInt64(counts[ActionRateWindow.slot(newest - UInt64(ActionRateWindow.parts))])
    }
  }

  /// At a moment in the newest part.
  private func rate(within time: Instant) -> Double {
    let start = newest * ActionRateWindow.width
    var count = Double(total)
    if newest >= UInt64(ActionRateWindow.parts), time.nanoseconds >= start {
      let passed = Double(time.nanoseconds - start) / Double(ActionRateWindow.width)
      let oldest = counts[ActionRateWindow.slot(newest - UInt64(ActionRateWindow.parts))]
      count += Double(oldest) * max(0, 1 - passed)
    }
    return count / Double(ActionRateWindow.seconds)
  }

  /// Events a second in the window before a moment.
  mutating func rate(asOf time: Instant) -> Double {
    advance(to: time.nanoseconds / ActionRateWindow.width)
    return rate(within: time)
  }
}

/// A rate, and whether it has been high for long enough.
///
/// HIGH: the rate has been above the threshold for 0.5 s. It ends when the rate is no longer above it.
struct HighRate: BitwiseCopyable, Sendable {
  static let patience: Int64 = 500_000_000

  private var window = ActionRateWindow()
  private var over: Instant?
  private var isCounted = false
  private(set) var peak = 0.0
  private(set) var timesHigh: UInt32 = 0

  mutating func add(_ count: UInt32, at time: Instant, threshold: Double) {
    advance(to: time, threshold: threshold)
    window.add(count, at: time)
    let rate = window.rate(asOf: time)
    peak = max(peak, rate)
    if rate > threshold, over == nil { over = time }
  }

  /// Advances the time. Complexity: at most 66 steps, none while the rate is low.
  mutating func advance(to time: Instant, threshold: Double) {
    let number = time.nanoseconds / ActionRateWindow.width
    while over != nil, window.newest < number {
      window.step()
      check(Instant(nanoseconds: window.newest * ActionRateWindow.width), threshold)
    }
    window.advance(to: number)
    check(time, threshold)
  }

  private mutating func check(_ time: Instant, _ threshold: Double) {
    guard let over else { return }
    if window.rate(asOf: time) <= threshold {
      self.over = nil
      isCounted = false
    } else if !isCounted, time.nanoseconds(since: over) >= HighRate.patience {
      isCounted = true
      timesHigh += 1
    }
  }

  /// Whether it is HIGH at the time that it was advanced to.
  var isHigh: Bool { isCounted }

  mutating func rate(asOf time: Instant) -> Double { window.rate(asOf: time) }
}
