import PerfHUDBase
import Synchronization

/// Room for one table, filled without an allocation: the rows with the greatest keys stay.
@safe struct ProcessTableBuffer: ~Copyable, @unchecked Sendable {
  private(set) var request = ProcessTableRequest(.processes)
  private(set) var time = Instant(nanoseconds: 0)
  private(set) var count = 0
  private(set) var endedCount = 0
  /// Rows that had to stay out.
  var others = 0
  // Owned by this value alone, hence the unchecked Sendable. Not touched before a list is shown, so that it
  // costs nothing until then. A heap whose first row has the least key;
  // after it those that have ended.
  private let rows: UnsafeMutablePointer<ProcessRow>
  private let keys: UnsafeMutablePointer<Double>

  init() {
    let all = ProcessTable.capacity + ProcessTable.endedCapacity
    unsafe rows = .allocate(capacity: all)
    unsafe keys = .allocate(capacity: ProcessTable.capacity)
  }

  deinit {
    unsafe rows.deallocate()
    unsafe keys.deallocate()
  }

  mutating func begin(_ request: ProcessTableRequest, at time: Instant) {
    self.request = request
    self.time = time
    count = 0
    endedCount = 0
    others = 0
  }

  /// Takes a row that lives, and drops the one with the least key if there are too many.
  ///
  /// - Parameter isKept: it stays, whatever its key.
  mutating func add(_ row: ProcessRow, isKept: Bool = false) {
    let key = isKept ? .infinity : row.key(request.order)
    guard count == ProcessTable.capacity else {
      unsafe rows[count] = row
      unsafe keys[count] = key
      count += 1
      rise(from: count - 1)
      return
    }
    others += 1
    guard unsafe key > keys[0] else { return }
    unsafe rows[0] = row
    unsafe keys[0] = key
    sink(from: 0)
  }

  /// Takes a row that has ended.
  mutating func add(ended row: ProcessRow) {
    guard endedCount < ProcessTable.endedCapacity else { return }
    unsafe rows[ProcessTable.capacity + endedCount] = row
    endedCount += 1
  }

  /// The table; allocates.
  func table() -> ProcessTable {
    var all: [ProcessRow] = []
    all.reserveCapacity(count + endedCount)
    for index in 0..<count { unsafe all.append(rows[index]) }
    for index in 0..<endedCount { unsafe all.append(rows[ProcessTable.capacity + index]) }
    return ProcessTable(request: request, time: time, rows: all, others: others)
  }

  private mutating func rise(from index: Int) {
    var index = index
    while index > 0, case let parent = (index - 1) / 2, unsafe keys[index] < keys[parent] {
      exchange(index, parent)
      index = parent
    }
  }

  private mutating func sink(from index: Int) {
    var index = index
    while true {
      var least = index
      for child in 2 * index + 1...2 * index + 2 {
        if child < count, unsafe keys[child] < keys[least] { least = child }
      }
      guard least != index else { return }
      exchange(index, least)
      index = least
    }
  }

  private mutating func exchange(_ a: Int, _ b: Int) {
    unsafe swap(&rows[a], &rows[b])
    unsafe swap(&keys[a], &keys[b])
  }
}

/// Passes tables from one thread to another through three buffers. The lock is held only to swap two of them.
final class ProcessTableExchange: Sendable {
  private struct Shared: ~Copyable {
    var buffer = ProcessTableBuffer()
    var isNew = false
  }

  private let shared = Mutex(Shared())
  private let reader = Mutex(ProcessTableBuffer())

  /// Leaves a table for the reader, and takes another buffer instead of it.
  func publish(_ buffer: inout ProcessTableBuffer) {
    shared.withLock { shared in
      swap(&shared.buffer, &buffer)
      shared.isNew = true
    }
  }

  /// The newest table, if there is one that was not taken yet. Allocates.
  func take() -> ProcessTable? {
    reader.withLock { buffer in
      let isNew = shared.withLock { shared in
        guard shared.isNew else { return false }
        swap(&shared.buffer, &buffer)
        shared.isNew = false
        return true
      }
      return isNew ? buffer.table() : nil
    }
  }
}
