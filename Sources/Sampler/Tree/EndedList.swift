import PerfHUDBase

/// The processes that ended last, as last seen. When the list is full, the oldest one is dropped.
struct EndedList: Sendable {
  private var rows: [ProcessRow] = []
  private var next = 0
  /// The sums of all of them since the list was opened.
  private(set) var totals = EndedProcesses()

  init() { rows.reserveCapacity(ProcessTable.endedCapacity) }

  mutating func removeAll() {
    rows.removeAll(keepingCapacity: true)
    next = 0
    totals = EndedProcesses()
  }

  mutating func add(_ row: ProcessRow, end: ProcessEnd, at time: Instant) {
    var row = row
    row.end = end
    row.endTime = time
    row.state = .dead
    totals.add(row)
    if rows.count < ProcessTable.endedCapacity {
      rows.append(row)
    } else {
      rows[next] = row
    }
    next = (next + 1) % ProcessTable.endedCapacity
  }

  /// Puts the processes that ended shortly before the table was made into it.
  func list(into table: inout ProcessTableBuffer) {
    // By index: without optimization, an array's iterator allocates.
    for index in rows.indices
    where table.time.nanoseconds(since: rows[index].endTime) < ProcessTable.endedLifetime {
      table.add(ended: rows[index])
    }
    table.ended = totals
  }
}
