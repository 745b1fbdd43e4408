import PerfHUDBase
import Sampler

/// Adds facts about the watched process to the list of its tree or its threads. They hardly ever change, so they are read
/// now and then.
struct DetailsReader: ~Copyable {
  /// How long facts are shown before they are read again, in nanoseconds: on the tab of a single process, and beside a
  /// list, where they are one of many things.
  private static let period: Int64 = 2_000_000_000
  private static let longPeriod: Int64 = 10_000_000_000

  private var details: ProcessDetails?
  private var target: Target?
  private var time = Instant(nanoseconds: 0)
  private var users: UserNames?

  /// - Parameters:
  ///   - process: the process that the values are of.
  ///   - isBesideList: whether the facts have a place beside a list; otherwise they are shown only of a process that is
  ///     alone in it.
  /// - Returns: the table with the facts, or as it is if it does not list the process.
  mutating func complete(
    _ table: ProcessTable, of process: Int32?, isBesideList: Bool
  ) -> ProcessTable {
    let isAlone = table.request.kind == .processes && table.rows.count == 1
    guard isAlone || isBesideList, let row = row(of: table, process) else { return table }
    let period = isAlone ? DetailsReader.period : DetailsReader.longPeriod
    let target = Target(pid: row.pid, startTicks: row.startTicks)
    if target != self.target {
      self.target = target
      details = nil
      time = Instant(nanoseconds: 0)
    }
    // What was known of a process remains after its end.
    if !row.hasEnded, table.time.nanoseconds(since: time) >= period {
      time = table.time
      if let details = read(target) { self.details = details }
    }
    return details.map(table.adding) ?? table
  }

  /// The row of the process, or of its main thread, which was started with it.
  private func row(of table: ProcessTable, _ process: Int32?) -> ProcessRow? {
    switch table.request.kind {
    // Over a shell the only process is the job in the foreground, not the shell.
    case .processes where table.others == 0 && table.rows.count == 1: table.rows.first
    case .processes, .threads: table.rows.first { $0.pid == process }
    case .mappings: nil
    }
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
