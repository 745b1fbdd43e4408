import PerfHUDBase

/// The newest blocks of a run in memory, as they would be in a file.
struct BlockRing {
  /// A state that several blocks have in common.
  private final class SharedState: Sendable {
    let value: CarriedState

    init(_ value: CarriedState) { self.value = value }
  }

  private struct Entry {
    var bytes: [UInt8]
    /// The time of the first record.
    var time: Instant
    /// The state before the first record.
    var state: SharedState
  }

  private var entries: [Entry] = []
  /// The first entry that is kept; earlier ones have no bytes any more.
  private var first = 0
  private var byteCount = 0
  /// Whether no block has been dropped.
  private(set) var isWhole = true
  /// The span in nanoseconds.
  private let span: Int64
  private let capacity: Int

  /// - Parameters:
  ///   - span: how far back it reaches, in nanoseconds.
  ///   - capacity: the maximum number of bytes in blocks; if reached, it reaches less far back.
  init(span: Int64, capacity: Int) {
    self.span = span
    self.capacity = capacity
  }

  /// The blocks, oldest first.
  var blocks: some Sequence<(bytes: [UInt8], time: Instant)> {
    entries[first...].lazy.map { ($0.bytes, $0.time) }
  }

  /// The state before the first block, and the block's time; `nil` without a block.
  var beginning: (state: CarriedState, time: Instant)? {
    first < entries.count ? (entries[first].state.value, entries[first].time) : nil
  }

  /// Adds a block, and drops blocks that are too old.
  ///
  /// - Parameters:
  ///   - time: the time of its first record.
  ///   - state: the state before that record.
  mutating func add(_ bytes: [UInt8], time: Instant, state: CarriedState) {
    let last = entries.last?.state
    let shared = last.flatMap { $0.value.changes == state.changes ? $0 : nil } ?? SharedState(state)
    // A copy does not include the capacity that the encoder has reserved.
    var copy: [UInt8] = []
    copy.reserveCapacity(bytes.count)
    copy.append(contentsOf: bytes)
    entries.append(Entry(bytes: copy, time: time, state: shared))
    byteCount += bytes.count
    while first + 1 < entries.count, byteCount > capacity || isOld(entries[first + 1].time, time) {
      byteCount -= entries[first].bytes.count
      entries[first].bytes = []
      first += 1
      isWhole = false
    }
    if first > 64, first > entries.count / 2 {
      entries.removeFirst(first)
      first = 0
    }
  }

  /// A block is dropped when the next one covers the whole span.
  private func isOld(_ next: Instant, _ now: Instant) -> Bool {
    now.nanoseconds(since: next) >= span
  }
}
