import PerfHUDBase

/// The rate of events per second over the last 2 s, by their own times.
///
/// The window is divided into 64 parts. The oldest part counts in proportion to its share that is still in the window,
/// so the error is at most half of what happened in 1/32 s.
struct ActionRateWindow: BitwiseCopyable, Sendable {
  /// The length of the window in seconds.
  static let seconds: UInt64 = 2
  /// The length of a part in nanoseconds.
  static let width: UInt64 = seconds * 1_000_000_000 / 64
  private static let parts = 64

  private var counts = InlineArray<65, UInt32>(repeating: 0)
  /// The sum over the newest 64 parts.
  private var total: UInt64 = 0
  /// The number of the newest part, counted from the zero of the clock.
  private(set) var newest: UInt64 = 0

  private static func slot(_ number: UInt64) -> Int { Int(number % 65) }

  /// Counts events at a time that may be earlier than the newest part.
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

  /// Advances to the next part.
  mutating func step() {
    newest += 1
    let slot = ActionRateWindow.slot(newest)
    counts[slot] = 0
    if newest >= UInt64(ActionRateWindow.parts) {
      // The part that leaves the window is in the next slot.
      total -= UInt64(counts.span[slot == ActionRateWindow.parts ? 0 : slot + 1])
    }
  }

  /// The rate at a moment in the newest part.
  @inline(__always) private func rate(within time: Instant) -> Double {
    let start = newest * ActionRateWindow.width
    var count = Double(total)
    if newest >= UInt64(ActionRateWindow.parts), time.nanoseconds >= start {
      let passed = Double(time.nanoseconds - start) / Double(ActionRateWindow.width)
      // A span, because a subscript into a stored inline array would copy all of it.
      let oldest = counts.span[ActionRateWindow.slot(newest - UInt64(ActionRateWindow.parts))]
      count += Double(oldest) * max(0, 1 - passed)
    }
    return count / Double(ActionRateWindow.seconds)
  }

  /// Events a second in the window that ends at a moment.
  mutating func rate(asOf time: Instant) -> Double {
    advance(to: time.nanoseconds / ActionRateWindow.width)
    return rate(within: time)
  }
}
