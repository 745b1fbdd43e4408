import PerfHUDBase

extension InlineText {
  /// A hash for comparing names quickly; equal names have equal hashes. Source: FNV-1a, 64 bits.
  var fingerprint: UInt64 {
    var hash = FNV1a()
    for index in 0..<count { hash.combine(self[index]) }
    return hash.value
  }
}

/// Counts different fingerprints in fixed memory.
struct DistinctNames: Sendable {
  /// At most this many names are counted.
  static let capacity = 1024
  private static let slots = 2 * capacity

  /// Open addressing; 0 is an empty slot.
  private var table = [UInt32](repeating: 0, count: slots)
  private(set) var count = 0

  /// Complexity: constant, since at least half of the slots are empty.
  mutating func insert(_ fingerprint: UInt64) {
    guard count < DistinctNames.capacity else { return }
    let folded = UInt32(truncatingIfNeeded: fingerprint ^ fingerprint >> 32)
    let value = folded == 0 ? 1 : folded
    var slot = Int(value) % DistinctNames.slots
    while table[slot] != 0 {
      if table[slot] == value { return }
      slot = (slot + 1) % DistinctNames.slots
    }
    table[slot] = value
    count += 1
  }
}
