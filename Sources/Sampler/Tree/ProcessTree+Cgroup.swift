import PerfHUDBase

/// The exact account of CPU time, where the tree has a cgroup for itself.
extension ProcessTree {
  /// Replaces the sum of the members by the CPU time of the cgroup.
  mutating func useCgroup(_ totals: inout Totals, now: Instant) {
    guard cgroup != nil else { return }
    if cgroup?.isLookDue(now: now) == true { lookIntoCgroup(now: now) }
    guard let exact = cgroup?.update(tree: totals.cpuNanoseconds, losses: totals.losses) else {
      return
    }
    totals.cpuNanoseconds = exact.nanoseconds
    totals.losses = exact.losses
  }

  /// Looks whether the cgroup is the tree's own still.
  private mutating func lookIntoCgroup(now: Instant) {
    for index in members.indices { members[index].isInCgroup = members[index].isZombie }
    var hasRoot = false
    var start: UInt64?
    // The buffer is used by the sample of other files.
    guard var found = cgroup.take() else { return }
    let isOwned = unsafe found.look(now: now, buffer: listing) { pid in
      if pid == rootPid {
        hasRoot = true
        return true
      }
      // 0 means a process outside of this pid namespace.
      if pid <= 0 || pid == ownPid { return false }
      if let memberIndex = memberIndex(of: pid) {
        members[memberIndex].isInCgroup = true
        return true
      }
      // Not known as a member, but a younger process in the tree's own cgroup belongs to it.
      if start == nil { start = readFile(of: rootPid, "/stat", as: StatFields.self)?.startTicks }
      guard let stat = readFile(of: pid, "/stat", as: StatFields.self) else { return true }
      return start.map { stat.startTicks >= $0 } ?? false
    }
    var hasAll = isOwned && hasRoot
    for index in members.indices where hasAll && !members[index].isInCgroup {
      // One that has ended since does not matter.
      let pid = members[index].pid
      hasAll = readFile(of: pid, "/stat", as: StatFields.self).map { $0.state == .zombie } ?? true
    }
    found.setOwned(hasAll)
    cgroup = consume found
  }
}
