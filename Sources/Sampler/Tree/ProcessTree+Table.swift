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
    ended.list(into: &table)
  }

  func row(of member: TreeMember, interval: UInt64) -> ProcessRow {
    var row = ProcessRow()
    row.pid = member.pid
    row.parent = member.parent
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
