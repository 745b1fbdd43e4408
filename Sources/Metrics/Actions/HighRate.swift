import PerfHUDBase
import PerfHUDEvents

/// A rate, and whether it has been high for long enough.
///
/// HIGH: the rate has been above the threshold for 0.5 s. It ends when the rate is no longer
/// above the threshold.
struct HighRate: BitwiseCopyable, Sendable {
  static let patience: Int64 = 500_000_000

  private var window = ActionRateWindow()
  private var burst = Burst()
  private var over: Instant?
  private var isCounted = false
  /// When events were last added, and how many were in the window then.
  private var last = Instant(nanoseconds: 0)
  private var lastCount = 0.0
  private(set) var peak = 0.0
  private(set) var timesHigh: UInt32 = 0

  mutating func add(_ count: UInt32, at time: Instant, threshold: Double) {
    advance(to: time, threshold: threshold)
    window.add(count, at: time)
    let rate = window.rate(asOf: time)
    burst.add(count, at: time)
    peak = max(peak, rate, burst.rate ?? 0)
    if rate > threshold, over == nil { over = time }
    last = max(last, time)
    lastCount = rate * Double(ActionRateWindow.seconds)
  }

  /// Adds a burst of events that is reported only now.
  mutating func addLate(
    _ count: UInt32, at time: Instant, asOf now: Instant, threshold: Double
  ) {
    let seconds = Double(ActionRateWindow.seconds)
    if now.seconds(since: time) < seconds {
      if time >= last {
        add(count, at: time, threshold: threshold)
        return advance(to: now, threshold: threshold)
      }
      window.add(count, at: time)
    }
    // The window has moved on. The burst goes on from the events that came just before it.
    let isOneBurst = abs(time.nanoseconds(since: last)) <= Burst.pause
    let before = isOneBurst ? lastCount : 0
    let rate = (before + Double(count)) / seconds
    peak = max(peak, rate)
    // A rate that was above the threshold already has been HIGH for what came before.
    if rate > threshold, before / seconds <= threshold { timesHigh += 1 }
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

  /// The rate of a burst that does not fill the 2 s of `rate` yet, over whole intervals; `nil` if it is too short or too
  /// long for that.
  func burstRate(asOf time: Instant) -> Double? {
    let longest = Int64(ActionRateWindow.seconds) * 1_000_000_000 + HighRate.patience
    return time.nanoseconds(since: burst.first) <= longest ? burst.rate : nil
  }

  /// Whether it is HIGH at the time that it was advanced to.
  var isHigh: Bool { isCounted }

  mutating func rate(asOf time: Instant) -> Double { window.rate(asOf: time) }
}

/// Events without a pause: their rate is known although they do not fill the window of 2 s.
private struct Burst: BitwiseCopyable, Sendable {
  /// A longer pause ends a burst; nanoseconds.
  static let pause: Int64 = 250_000_000
  /// A shorter burst has no rate: a few events at once say nothing about a second.
  private static let leastSeconds = 0.5

  private(set) var first = Instant(nanoseconds: 0)
  private var last = Instant(nanoseconds: 0)
  /// Events after the first time.
  private var count: UInt64 = 0

  mutating func add(_ count: UInt32, at time: Instant) {
    guard time.nanoseconds(since: last) <= Burst.pause else {
      self = Burst(first: time, last: time)
      return
    }
    // Events at `first` itself do not belong to an interval.
    if time > first { self.count += UInt64(count) }
    last = max(last, time)
  }

  /// The rate so far, over whole intervals; `nil` if it is too short.
  var rate: Double? {
    let seconds = last.seconds(since: first)
    return seconds >= Burst.leastSeconds ? Double(count) / seconds : nil
  }
}
