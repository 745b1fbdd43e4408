import Base

/// What the allocator holds around a visit, as the program says of itself (`allocator.retained`).
struct AllocatorRetainedMemory: BitwiseCopyable, Sendable {
  /// What was said before it was left by more than this says nothing of its end.
  private static let patience: Int64 = 1_000_000_000

  /// The last word before the visit.
  var before: Double?
  private var newest: Double?
  private var time = Instant(nanoseconds: 0)

  mutating func note(_ bytes: Double, at time: Instant) {
    guard newest == nil || time >= self.time else { return }
    newest = bytes
    self.time = time
  }

  /// What was said last as the visit ended or after it; `nil` if nothing was.
  func after(_ left: Instant?) -> Double? {
    guard let left, left.nanoseconds(since: time) <= AllocatorRetainedMemory.patience else {
      return nil
    }
    return newest
  }
}
