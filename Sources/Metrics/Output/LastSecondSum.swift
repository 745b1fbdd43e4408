import PerfHUDBase

/// The bytes that a program has written in the last second, in 64 buckets.
struct LastSecondSum: Sendable {
  private static let buckets = 64
  private static let width: UInt64 = 1_000_000_000 / 64

  private var bytes = InlineArray<64, UInt64>(repeating: 0)
  private var total: UInt64 = 0
  /// The number of the newest bucket, counted from the zero of the clock.
  private var newest: UInt64 = 0
  /// Whether anything was ever reported.
  private(set) var isUsed = false

  mutating func add(_ count: UInt64, at time: Instant) {
    isUsed = true
    advance(to: time)
    bytes[Int(newest % UInt64(LastSecondSum.buckets))] &+= count
    total &+= count
  }

  /// Complexity: constant.
  mutating func sum(asOf now: Instant) -> UInt64 {
    advance(to: now)
    return total
  }

  /// Empties the buckets that are older than a second. A time before the newest bucket counts as in it.
  private mutating func advance(to time: Instant) {
    let number = time.nanoseconds / LastSecondSum.width
    guard number > newest else { return }
    for step in 1...min(number - newest, UInt64(LastSecondSum.buckets)) {
      let index = Int((newest + step) % UInt64(LastSecondSum.buckets))
      total &-= bytes[index]
      bytes[index] = 0
    }
    newest = number
  }
}
