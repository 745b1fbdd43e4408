import PerfHUDBase
import Sampler

/// Adds facts about a process to the list in which it is alone. They hardly ever change, so they are read now and then.
struct DetailsReader: ~Copyable {
  /// How long facts are shown before they are read again, in nanoseconds.
  private static let period: Int64 = 2_000_000_000

  private var details: ProcessDetails?
  private var target: Target?
  private var time = Instant(nanoseconds: 0)
  private var users: UserNames?

  /// - Returns: the table with the facts, or as it is if it has several processes.
  mutating func complete(_ table: ProcessTable) -> ProcessTable {
    guard table.request.kind == .processes, table.others == 0, table.rows.count == 1,
      let row = table.rows.first
    else { return table }
    let target = Target(pid: row.pid, startTicks: row.startTicks)
    if target != self.target {
      self.target = target
      details = nil
      time = Instant(nanoseconds: 0)
    }
    // What was known of a process remains after its end.
    if !row.hasEnded, table.time.nanoseconds(since: time) >= DetailsReader.period {
      time = table.time
      if let details = read(target) { self.details = details }
    }
    return details.map(table.adding) ?? table
  }

  private mutating func read(_ target: Target) -> ProcessDetails? {
    guard var details = ProcessDetails(target) else { return nil }
    if let user = details.user {
      if details.user == self.details?.user {
        details.userName = self.details?.userName
      } else {
        if users == nil { users = UserNames() }
        details.userName = users?[user]
      }
    }
    return details
  }
}
