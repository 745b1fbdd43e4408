import PerfHUDBase
import PerfHUDEvents

/// A rate, and whether it has been high for long enough.
///
/// HIGH: the rate has been above the threshold for 0.5 s. It ends when the rate is no longer
/// above the threshold.
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
