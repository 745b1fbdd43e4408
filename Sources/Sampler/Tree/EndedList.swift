import PerfHUDBase

/// The processes that ended last, as last seen. When the list is full, the oldest one is dropped.
struct EndedList: Sendable {
  private var rows: [ProcessRow] = []
  private var next = 0
  /// The sums of all of them since the list was opened, as last seen.
  private var totals = EndedProcesses()
  /// When the list was opened: the CPU time of all ended processes of the tree, seen or not, and the number of them
  /// whose CPU time is partly unknown.
  private var before: (nanoseconds: UInt64, losses: UInt32)?

  init() { rows.reserveCapacity(ProcessTable.endedCapacity) }

  mutating func removeAll() {
    rows.removeAll(keepingCapacity: true)
    next = 0
    totals = EndedProcesses()
    before = nil
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

  /// Adds to the table the processes that ended shortly before it was made, and the sums over all ended processes.
  ///
  /// - Parameters:
  ///   - nanoseconds: the CPU time of all processes of the tree that have ended, whether or not a sample saw them.
  ///   - losses: the number of them whose CPU time is partly unknown.
  ///   - slack: the error of `nanoseconds`.
  mutating func list(
    into table: inout ProcessTableBuffer, nanoseconds: UInt64, losses: UInt32, slack: UInt64
  ) {
    // By index: without optimization, an array's iterator allocates.
    for index in rows.indices
    where table.time.nanoseconds(since: rows[index].endTime) < ProcessTable.endedLifetime {
      table.add(ended: rows[index])
    }
    let before = self.before ?? (nanoseconds, losses)
    self.before = before
    let seen = totals.cpuNanoseconds
    let used = nanoseconds &- min(before.nanoseconds, nanoseconds)
    table.ended = totals
    table.ended.cpuNanoseconds = max(seen, used)
    table.ended.isCPULowerBound = losses > before.losses
    guard used > seen &+ slack else { return }
    // Others may have begun and ended between two samples.
    table.ended.isCountLowerBound = true
    table.ended.count = max(1, totals.count)
  }
}
