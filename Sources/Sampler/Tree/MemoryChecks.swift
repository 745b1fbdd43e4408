import PerfHUDBase

/// Decides whose statm is read again although the member does not run: each member's about once in an interval.
struct MemoryChecks: BitwiseCopyable, Sendable {
  /// In nanoseconds.
  static let interval: UInt64 = 3_000_000_000

  /// The member that is next.
  private var next = 0
  /// The reads that are due, in members times nanoseconds.
  private var debt: UInt64 = 0

  mutating func add(elapsed nanoseconds: UInt64, members: Int) {
    debt &+= UInt64(members) &* min(nanoseconds, MemoryChecks.interval)
  }

  /// The members whose statm is due although they may not have run.
  mutating func take(of members: Int) -> Range<Int> {
    let count = Int(debt / MemoryChecks.interval)
    debt %= MemoryChecks.interval
    let end = min(next + count, members)
    defer { next = end < members ? end : 0 }
    return min(next, end)..<end
  }
}
