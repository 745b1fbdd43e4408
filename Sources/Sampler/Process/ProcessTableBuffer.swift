import PerfHUDBase
import Synchronization

/// Room for one table, filled without an allocation: it keeps the rows with the greatest keys.
@safe struct ProcessTableBuffer: ~Copyable, @unchecked Sendable {
  private(set) var request = ProcessTableRequest(.processes)
  private(set) var time = Instant(nanoseconds: 0)
  private(set) var count = 0
  private(set) var endedCount = 0
  /// The number of rows that did not fit.
  var others = 0
  /// The processes that have ended since the list was opened.
  var ended = EndedProcesses()
  private var hasLines = false
  private var groupCount = 0
  private var otherMappings = MappingGroup()
  private var mappingsTime = Instant(nanoseconds: 0)
  private var isPartial = false
  private var absence: Absence?
  /// Whether there is anything to publish.
  private(set) var hasNews = true
  // Owned by this value alone, hence the unchecked Sendable. Untouched until a list is shown, so it costs nothing
  // before. It holds a heap whose first row has the least key, followed by the rows that have ended.
  private let rows: UnsafeMutablePointer<ProcessRow>
  private let keys: UnsafeMutablePointer<Double>
  /// The command line of each row, at its index.
  private let lines: UnsafeMutablePointer<ProcessArguments>
  private let groups: UnsafeMutablePointer<MappingGroup>

  init() {
    let all = ProcessTable.capacity + ProcessTable.endedCapacity
    unsafe rows = .allocate(capacity: all)
    unsafe keys = .allocate(capacity: ProcessTable.capacity)
    unsafe lines = .allocate(capacity: all)
    unsafe groups = .allocate(capacity: SmapsParser.capacity)
  }

  deinit {
    unsafe rows.deallocate()
    unsafe keys.deallocate()
    unsafe lines.deallocate()
    unsafe groups.deallocate()
  }

  mutating func begin(_ request: ProcessTableRequest, at time: Instant) {
    self.request = request
    self.time = time
    count = 0
    endedCount = 0
    others = 0
    ended = EndedProcesses()
    hasLines = false
    groupCount = 0
    absence = nil
    // Mappings are read rarely: if there are no new ones, the previous ones stay.
    hasNews = request.kind != .mappings
  }

  /// Stores the mappings that were read.
  mutating func setMappings(_ parser: borrowing SmapsParser, at time: Instant, isPartial: Bool) {
    groupCount = parser.groups.count
    for index in 0..<groupCount { unsafe (groups + index).initialize(to: parser.groups[index]) }
    otherMappings = parser.others
    mappingsTime = time
    self.isPartial = isPartial
    hasNews = true
  }

  /// Records why there are no mappings.
  mutating func setMappings(absence: Absence, at time: Instant) {
    self.absence = absence
    groupCount = 0
    otherMappings = MappingGroup()
    mappingsTime = time
    hasNews = true
  }

  /// Adds a living row, and drops the one with the least key if there are too many.
  ///
  /// - Parameter isKept: whether the row stays, whatever its key.
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

  /// Adds a row that has ended.
  mutating func add(ended row: ProcessRow) {
    guard endedCount < ProcessTable.endedCapacity else { return }
    unsafe rows[ProcessTable.capacity + endedCount] = row
    endedCount += 1
  }

  /// Fills in the command lines of all rows.
  mutating func takeLines(_ line: (ProcessRow) -> ProcessArguments) {
    for index in 0..<count { unsafe (lines + index).initialize(to: line(rows[index])) }
    for index in ProcessTable.capacity..<ProcessTable.capacity + endedCount {
      unsafe (lines + index).initialize(to: line(rows[index]))
    }
    hasLines = true
  }

  /// Makes the table. Allocates.
  func table() -> ProcessTable {
    var all: [ProcessRow] = []
    all.reserveCapacity(count + endedCount)
    for index in 0..<count { unsafe all.append(rows[index]) }
    for index in 0..<endedCount { unsafe all.append(rows[ProcessTable.capacity + index]) }
    var commandLines: [ProcessArguments] = []
    if hasLines {
      commandLines.reserveCapacity(all.count)
      for index in 0..<count { unsafe commandLines.append(lines[index]) }
      for index in 0..<endedCount {
        unsafe commandLines.append(lines[ProcessTable.capacity + index])
      }
    }
    return ProcessTable(
      request: request, time: time, rows: all, others: others, ended: ended,
      commandLines: commandLines, mappings: mappings)
  }

  private var mappings: MappingTable {
    var table = MappingTable()
    guard request.kind == .mappings else { return table }
    table.groups.reserveCapacity(groupCount)
    for index in 0..<groupCount { unsafe table.groups.append(groups[index]) }
    table.groups.sort {
      ($0.pssBytes, $0.residentBytes, $0.sizeBytes) > ($1.pssBytes, $1.residentBytes, $1.sizeBytes)
    }
    table.others = otherMappings
    table.time = mappingsTime
    table.isPartial = isPartial
    table.absence = absence
    return table
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

  /// Publishes a table for the reader, and returns another buffer in its place.
  func publish(_ buffer: inout ProcessTableBuffer) {
    shared.withLock { shared in
      swap(&shared.buffer, &buffer)
      shared.isNew = true
    }
  }

  /// The newest table, if it has not been taken yet. Allocates.
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
