import PerfHUDBase

/// Exact CPU time, if the tree has a cgroup for itself.
extension ProcessTree {
  /// Replaces the sum over the members with the CPU time of the cgroup.
  mutating func useCgroup(_ totals: inout Totals, now: Instant) {
    guard cgroup != nil else { return }
    if cgroup?.isLookDue(now: now) == true { lookIntoCgroup(now: now) }
    guard let exact = cgroup?.update(tree: totals.cpuNanoseconds, losses: totals.losses) else {
      return
    }
    totals.cpuNanoseconds = exact.nanoseconds
    totals.losses = exact.losses
  }

  /// Checks whether the cgroup still belongs to the tree alone.
  private mutating func lookIntoCgroup(now: Instant) {
    for index in members.indices { members[index].isInCgroup = members[index].isZombie }
    var hasRoot = false
    var start: UInt64?
    // Taken out, because the same buffer is used to read other files.
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
      // Not known as a member, but a younger process in the tree's own cgroup belongs to the tree.
      if start == nil { start = readFile(of: rootPid, "/stat", as: StatFields.self)?.startTicks }
      guard let stat = readFile(of: pid, "/stat", as: StatFields.self) else { return true }
      return start.map { stat.startTicks >= $0 } ?? false
    }
    var hasAll = isOwned && hasRoot
    for index in members.indices where hasAll && !members[index].isInCgroup {
      // A member that has ended since then does not matter.
      let pid = members[index].pid
      hasAll = readFile(of: pid, "/stat", as: StatFields.self).map { $0.state == .zombie } ?? true
    }
    found.setOwned(hasAll)
    cgroup = consume found
  }
}
