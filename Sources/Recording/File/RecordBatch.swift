import Metrics
import PerfHUDBase

/// Decoded records in their order. The memory of a batch is used for one batch after another.
struct RecordBatch {
  private var activities: [Activity] = []
  /// The other records: the first `count` elements.
  private var records = [NextRecord](repeating: NextRecord(), count: RecordBatch.capacity)
  /// For each of them, the number of activities before it.
  private var positions = [Int](repeating: 0, count: RecordBatch.capacity)
  /// The number of records that are not frames or output.
  private var count = 0

  private static let capacity = 64
  /// A damaged block may contain millions of entries.
  private static let activityCapacity = 4096

  var isFull: Bool {
    count == RecordBatch.capacity || activities.count == RecordBatch.activityCapacity
  }

  /// Passes everything to a collector.
  func pass(to collector: inout some RecordCollector) {
    let entries = activities.span
    var start = 0
    for index in 0..<count {
      collector.take(entries.extracting(start..<positions[index]))
      collector.take(records[index])
      start = positions[index]
    }
    collector.take(entries.extracting(start..<entries.count))
  }

  mutating func removeAll() {
    activities.removeAll(keepingCapacity: true)
    count = 0
  }

  /// Adds the frames and output up to the next record of a block, and that record. The batch must not be full.
  ///
  /// - Returns: whether the block may have more.
  mutating func add(from decoder: inout RecordDecoder) throws(DamagedBlock) -> Bool {
    records[count].clear()
    while activities.count < RecordBatch.activityCapacity,
      let activity = try decoder.next(&records[count])
    {
      activities.append(activity)
    }
    guard records[count].isThere else { return isFull }
    positions[count] = activities.count
    count += 1
    return true
  }
}
