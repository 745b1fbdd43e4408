import PerfHUDBase

/// A run at the start of a block, from which records can be folded again.
struct Snapshot: Sendable {
  let state: FoldedRun
  let mark: RecordingBookmark
}

/// Copies of the run along a recording, at equal costs of folding. As the recording gets longer, every other one is
/// removed.
struct Snapshots: Sendable {
  private(set) var list: [Snapshot] = []
  private let capacity: Int
  /// The cost of folding from one snapshot to the next.
  private var stride: Int

  init(capacity: Int = 256, stride: Int = 1024) {
    self.capacity = capacity
    self.stride = stride
  }

  /// Whether to keep a run at this cost.
  func isDue(cost: Int) -> Bool {
    // Not `last`, which would copy the whole run.
    list.isEmpty || cost - list[list.count - 1].state.cost >= stride
  }

  mutating func add(_ snapshot: Snapshot) {
    if list.count == capacity {
      // The first one, at the start of the file, stays.
      list = list.indices.filter { $0.isMultiple(of: 2) }.map { list[$0] }
      stride *= 2
      guard isDue(cost: snapshot.state.cost) else { return }
    }
    list.append(snapshot)
  }

  /// The last snapshot at or before a time.
  ///
  /// Complexity: logarithmic in their number.
  func last(notAfter time: Instant) -> Snapshot? {
    let count = partitionPoint(list.count) { list[$0].state.clock <= time }
    return count > 0 ? list[count - 1] : nil
  }
}
