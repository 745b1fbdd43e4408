import PerfHUDBase

/// Decides whose statm is read again although the member does not run: each member's about once in an interval.
struct MemoryChecks: BitwiseCopyable, Sendable {
  /// In nanoseconds.
  static let interval: UInt64 = 3_000_000_000

  /// The member that is next.
  private var next = 0
  /// The reads that are due, in members times nanoseconds.
  private var debt: UInt64 = 0

  mutating func add(elapsed nanoseconds: UInt64, members: Int) {
    debt &+= UInt64(members) &* min(nanoseconds, MemoryChecks.interval)
  }

  /// The members whose statm is due although they may not have run.
  mutating func take(of members: Int) -> Range<Int> {
    let count = Int(debt / MemoryChecks.interval)
    debt %= MemoryChecks.interval
    let end = min(next + count, members)
    defer { next = end < members ? end : 0 }
    return min(next, end)..<end
  }
}

/// Pids of processes outside the tree, so that these are not read twice.
struct OtherProcesses: Sendable {
  private static let limit = 128
  private var pids: [Int32] = []

  init() { pids.reserveCapacity(OtherProcesses.limit) }

  func contains(_ pid: Int32) -> Bool {
    for index in 0..<pids.count where pids[index] == pid { return true }
    return false
  }

  /// Adds a process. If there is no room, the process is read again.
  mutating func add(_ pid: Int32) {
    if pids.count < OtherProcesses.limit { pids.append(pid) }
  }

  /// - Parameter pid: 0 forgets all.
  mutating func forget(through pid: Int32) {
    var kept = 0
    for index in 0..<pids.count where pid != 0 && pids[index] > pid {
      pids[kept] = pids[index]
      kept += 1
    }
    while pids.count > kept { pids.removeLast() }
  }
}
