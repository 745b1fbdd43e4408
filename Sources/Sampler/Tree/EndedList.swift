import PerfHUDBase

/// The processes that ended last, as they were last seen; the oldest goes first.
struct EndedList: Sendable {
  private var rows: [ProcessRow] = []
  private var next = 0
  /// All since the list is kept.
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

  /// Puts those into the table that ended not long before it.
  func list(into table: inout ProcessTableBuffer) {
    // By index: without optimisation an iterator of an array allocates.
    for index in rows.indices
    where table.time.nanoseconds(since: rows[index].endTime) < ProcessTable.endedLifetime {
      table.add(ended: rows[index])
    }
    table.ended = totals
  }
}
