import PerfHUDBase

/// The descendants as rows of the list.
extension ProcessTree {
  /// Puts all members into the table, and those that ended recently.
  ///
  /// - Parameter interval: nanoseconds since the last list; 0 for the first list.
  mutating func list(into table: inout ProcessTableBuffer, interval: UInt64) {
    for index in members.indices {
      table.add(row(of: members[index], interval: interval))
      members[index].listedNanoseconds = members[index].account.own
    }
    // Each of the counters that are added up lacks up to two ticks.
    var counters: UInt64 = 1
    for index in members.indices where members[index].account.reaped > 0 { counters += 1 }
    ended.list(
      into: &table, nanoseconds: endedNanoseconds, losses: ledger.losses,
      slack: counters &* ledger.slack)
  }

  /// The CPU time of all processes of the tree that have ended: what no living process has used itself.
  private var endedNanoseconds: UInt64 {
    var living = root.own
    for index in members.indices { living &+= members[index].account.own }
    let all = ledger.total &+ ledger.excludedOwnThreads
    return all &- min(living, all)
  }

  func row(of member: TreeMember, interval: UInt64) -> ProcessRow {
    var row = ProcessRow()
    row.pid = member.pid
    row.parent = member.parent
    row.isOrphan = member.isOrphan
    row.startTicks = member.startTicks
    row.name = member.name
    row.state = member.state
    row.end = member.end
    row.cpuNanoseconds = member.account.own
    row.cpuNanosecondsBefore = member.listedNanoseconds
    row.intervalNanoseconds = interval
    row.footprintBytes = member.footprint(pageBytes: units.pageBytes)
    row.firstFootprintBytes = member.firstBytes ?? row.footprintBytes
    row.threads = member.threads
    return row
  }
}
