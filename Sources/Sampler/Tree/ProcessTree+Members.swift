import Glibc
import PerfHUDBase

/// Reads the members, and transfers the CPU time and the bytes of those that have vanished.
extension ProcessTree {
  /// Reads the files of one member that may have changed.
  ///
  /// - Parameters:
  ///   - clock: the value of its clock, if clocks are used; `nil` if the clock no longer exists.
  ///   - isChecked: reads its memory even if it has not run, unless it was read recently.
  /// - Returns: false if the process has been reaped.
  mutating func readMember(
    _ index: Int, clock: UInt64?, readsStat: Bool, isChecked: Bool
  ) -> Bool {
    let member = members[index]
    if usesClock {
      guard clock != nil else { return false }
      let hasRun = clock != member.account.own
      let isOld =
        sampleTime.nanoseconds(since: member.memoryTime) >= Int64(MemoryChecks.interval / 2)
      if hasRun {
        members[index].hasRun = true
        members[index].hasRunSinceLowRate = true
        members[index].wait.hasRun = true
      } else if !isChecked || !isOld {
        // Values may change while the clock seems to stand still: the clock of a process that runs on another processor
        // advances with the kernel's ticks.
        guard readsStat, members[index].hasRun || member.account.isOwed else { return true }
        return readStat(index)
      }
    }
    // After the clock, which is found by the number: the open file shows whether it is still the same process.
    guard readMemory(index) else { return false }
    if let clock, clock != member.account.own {
      members[index].account.own = clock
      clocks[index] = clock
      hasChanged = true
    }
    let mayHaveEnded = !members[index].hasMemory && member.hasMemory
    let mayDiffer = !usesClock || members[index].hasRun || member.account.isOwed
    // A member that has executed a program has memory of its own. Only its stat shows that, but hardly any program has
    // an address space of the same size.
    let inherited = members[index].inherited
    let hasNewSize = members[index].sizePages != member.sizePages
    let mostChecks = hasNewSize ? ProcessTree.mostExecChecks : ProcessTree.sameSizeExecChecks
    let mayHaveExecuted =
      inherited.isForked && members[index].hasRun && inherited.execChecks < mostChecks
    if mayHaveExecuted { members[index].inherited.execChecks += 1 }
    // Its faults bound what it has copied, so they must be as new as its memory.
    let mayHaveCopied =
      members[index].hasRun && !isLarge
      && (inherited.hasForked || inherited.hasHeirs
        || inherited.sharedBytes >= ProcessTree.leastShared)
    if mayHaveEnded || mayHaveExecuted || mayHaveCopied || (readsStat && mayDiffer) {
      return readStat(index)
    }
    return true
  }

  /// The memory of a descendant at the last sample; `nil` for other processes.
  func memory(of pid: Int32) -> ProcessMemory? {
    guard let index = pids.firstIndex(of: pid) else { return nil }
    return ProcessMemory(
      pid: pid, residentBytes: members[index].residentPages &* units.pageBytes,
      anonymousBytes: members[index].anonymousPages &* units.pageBytes)
  }

  /// The change of all descendants' memory since the last sample; `nil` if there are too many of them to read at once.
  mutating func memoryChange() -> MemoryChange? {
    guard !isLarge else { return nil }
    var change = MemoryChange()
    for index in 0..<members.count where members[index].statm >= 0 && !members[index].isZombie {
      let count = unsafe pread(members[index].statm, buffer.baseAddress, 256, 0)
      let hasGone = count < 0 && errno == ESRCH
      let fields = parse(count, as: StatmFields.self)
      guard fields != nil || hasGone else { continue }
      // What has been reaped since then has left its memory.
      change.add(
        resident: (fields?.residentPages ?? 0) &* units.pageBytes,
        before: members[index].residentPages &* units.pageBytes,
        anonymous: (fields?.anonymousPages ?? 0) &* units.pageBytes,
        before: members[index].anonymousPages &* units.pageBytes)
    }
    return change
  }

  /// - Returns: false if the process has been reaped.
  mutating func readMemory(_ index: Int) -> Bool {
    let member = members[index]
    let count: Int
    if member.statm >= 0 {
      count = unsafe pread(member.statm, buffer.baseAddress, 256, 0)
      if count < 0, errno == ESRCH { return false }
    } else {
      // Without an open file, the start time shows whether it is still the same process.
      guard readStat(index) else { return false }
      let file = openFile(member.pid, "/statm")
      guard file >= 0 else { return false }
      defer { close(file) }
      count = unsafe pread(file, buffer.baseAddress, 256, 0)
      if count < 0, errno == ESRCH { return false }
    }
    members[index].memoryTime = sampleTime
    if let memory = parse(count, as: StatmFields.self) {
      if memory.residentPages != member.residentPages
        || memory.anonymousPages != member.anonymousPages
      {
        hasChanged = true
        // Memory that is no longer resident may be in swap, even if the process has not run.
        members[index].hasRunSinceLowRate = true
        // The memory now belongs to another program.
        if memory.anonymousPages < member.anonymousPages / 2 {
          members[index].inherited.execChecks = 0
        }
      }
      members[index].sizePages = memory.sizePages
      members[index].residentPages = memory.residentPages
      members[index].anonymousPages = memory.anonymousPages
      if memory.sizePages > 0 {
        members[index].lastBytes = members[index].footprint(pageBytes: units.pageBytes)
      }
      if members[index].firstBytes == nil {
        members[index].firstBytes = members[index].footprint(pageBytes: units.pageBytes)
        inherit(index)
      }
    }
    return true
  }

  /// - Returns: false if another process has the number now.
  mutating func readStat(_ index: Int) -> Bool {
    guard let stat = readFile(of: members[index].pid, "/stat", as: StatFields.self) else {
      return true
    }
    guard stat.startTicks == members[index].startTicks else { return false }
    take(stat, index)
    return true
  }

  mutating func take(_ stat: StatFields, _ index: Int) {
    hasChanged = true
    let tick = units.tickNanoseconds
    members[index].hasRun = false
    if !usesClock {
      members[index].account.own = (stat.userTicks &+ stat.systemTicks) &* tick
      members[index].hasRunSinceLowRate = true
      members[index].wait.hasRun = true
    }
    members[index].account.reaped =
      (stat.childrenUserTicks &+ stat.childrenSystemTicks) &* tick
    if members[index].parent != stat.parent {
      members[index].parent = stat.parent
      members[index].isOrphan = true
      noteParent(of: stat)
    }
    // It was read before its shell put it into a job.
    if let group, !group.includesOtherGroups, stat.group != group.number {
      members[index].hasVanished = true
      hasVanished = true
    }
    members[index].inherited.faults = stat.minorFaults
    takeExecution(stat, index)
    members[index].threads = stat.threads
    members[index].minorFaults = stat.minorFaults &+ stat.childrenMinorFaults
    members[index].majorFaults = stat.majorFaults &+ stat.childrenMajorFaults
    members[index].systemNanoseconds = (stat.systemTicks &+ stat.childrenSystemTicks) &* tick
    members[index].name = stat.name
    members[index].state = stat.state
    // A main thread may have ended while other threads live.
    let isZombie = stat.state == .zombie && stat.threads <= 1
    members[index].isZombie = isZombie
    if isZombie { members[index].end = end(of: stat) }
  }

  /// Finds whether a member has executed a program, and so has left its memory to those that share it.
  private mutating func takeExecution(_ stat: StatFields, _ index: Int) {
    let memory = members[index].inherited
    if memory.family == 0 || memory.hasExecuted(isForked: stat.isForked, execution: stat.execution)
    {
      handOver(index)
      members[index].inherited.leave(pid: stat.pid, execution: stat.execution)
    } else if stat.execution != 0, memory.execution == 0, !stat.isForked {
      members[index].inherited.setExecution(stat.execution, pid: stat.pid)
    }
  }

  /// How a zombie has ended. 0 is also shown for a process that may not be traced; its io, which has the same
  /// restriction, cannot be read either.
  private func end(of stat: StatFields) -> ProcessEnd {
    let isReported = stat.exitCode != 0 || readFile(of: stat.pid, "/io", as: IOFields.self) != nil
    return isReported ? ProcessEnd(stat.exitCode) : .unknown
  }

  /// If no process of the tree waits for a process, there may have been others like it that were never seen.
  mutating func noteParent(of stat: StatFields) {
    guard orphans == nil, group == nil, stat.parent != rootPid, memberIndex(of: stat.parent) == nil
    else {
      return
    }
    ledger.noteUnknownLoss()
  }

  // MARK: The end of a process

  /// Notes that the root was reaped before its last values could be read: its CPU time, and that of the children that it
  /// had waited for. Jobs of a shell are left out, since the shell reaps each of them at once.
  mutating func noteUnreadRoot() {
    if group == nil { ledger.noteUnknownLoss() }
  }

  /// Removes the members that have vanished. Call it before reading files whose counters include theirs: the
  /// `/proc/PID/io` of the processes that waited for them.
  mutating func removeVanished(now: Instant) {
    guard hasVanished else { return }
    hasVanished = false
    hasChanged = true
    for index in members.indices where members[index].hasVanished {
      handOver(index)
      let member = members[index]
      // A zombie that was read has its last value.
      if member.wait.hasRun || !member.isZombie { waits.noteMissing() }
      if member.statm >= 0 {
        close(member.statm)
        held -= 1
      }
      let waitStatus = orphans?.takeStatus(of: member.pid)
      let heir = waitStatus == nil ? livingAncestor(of: member) : nil
      passOn(member, to: heir, wasTakenOver: waitStatus != nil)
      if keepsEnded {
        let end = waitStatus.map { ProcessEnd($0) } ?? member.end
        var last = row(of: member, interval: 0)
        last.footprintBytes = member.lastBytes
        ended.add(last, end: end == .none ? .unknown : end, at: now)
      }
    }
    if let cursor = lowRateCursor {
      var left = cursor
      for index in 0..<min(cursor, members.count) where members[index].hasVanished { left -= 1 }
      lowRateCursor = left
    }
    var kept = 0
    for index in members.indices where !members[index].hasVanished {
      members[kept] = members[index]
      pids[kept] = pids[index]
      clocks[kept] = clocks[index]
      kept += 1
    }
    members.removeLast(members.count - kept)
    pids.removeLast(pids.count - kept)
    clocks.removeLast(clocks.count - kept)
  }

  /// Transfers the CPU time and the bytes of a process that has vanished to the process that waited for it.
  ///
  /// - Parameter heir: that process; `nil` if it is not part of the tree.
  private mutating func passOn(_ member: TreeMember, to heir: Int32?, wasTakenOver: Bool) {
    let isWhole = member.isZombie
    guard let heir else {
      lostStorage &+= member.storage.total
      if wasTakenOver || orphans != nil {
        ledger.remove(member.account, heir: &orphanAccount)
      } else {
        lostSystemNanoseconds &+= member.systemNanoseconds
        ledger.remove(member.account, isWhole: isWhole)
      }
      return
    }
    let ignores = ignoresChildren(heir)
    if ignores {
      lostStorage &+= member.storage.total
      lostSystemNanoseconds &+= member.systemNanoseconds
    } else if heir == rootPid {
      rootStorage.owe(member.storage.total)
    } else if let heirIndex = memberIndex(of: heir) {
      members[heirIndex].storage.owe(member.storage.total)
    }
    if heir == rootPid {
      if countsReaped, !ignores {
        ledger.remove(member.account, heir: &root)
      } else {
        ledger.remove(member.account, isWhole: isWhole)
      }
    } else if let heirIndex = memberIndex(of: heir), !ignores {
      ledger.remove(member.account, heir: &members[heirIndex].account)
    } else {
      ledger.remove(member.account, isWhole: isWhole)
    }
  }

  /// Notes a loss if a child may have begun and ended since the last sample and its parent does not wait for children:
  /// a pid has been assigned since then, and its process is gone.
  mutating func noteUnseenChildren(through last: Int32) {
    guard discovery.lastPid > 0, last != discovery.lastPid,
      PIDAllocation.areGone(after: discovery.lastPid, through: last)
    else {
      return
    }
    var ignores = ignoresChildren(rootPid)
    // By index: an array's iterator allocates where it is not specialized for this large element.
    for index in members.indices where members[index].ignoresChildren == true { ignores = true }
    if ignores { ledger.noteUnknownLoss() }
  }

  /// Whether a process does not wait for its children, so that their time is lost.
  private mutating func ignoresChildren(_ pid: Int32) -> Bool {
    let memberIndex = pid == rootPid ? nil : memberIndex(of: pid)
    let known = memberIndex.map { members[$0].ignoresChildren } ?? rootIgnoresChildren
    if let known { return known }
    guard let status = readFile(of: pid, "/status", as: StatusFields.self) else { return false }
    let ignores = status.ignoresChildren
    if let memberIndex {
      members[memberIndex].ignoresChildren = ignores
    } else {
      rootIgnoresChildren = ignores
    }
    return ignores
  }

  /// The process that may have inherited the time of one that has vanished; `nil` if none in the tree has.
  private func livingAncestor(of member: TreeMember) -> Int32? {
    var parent = member.parent
    // A parent is older than its child, so there is no cycle; reused pids could make one.
    for _ in 0...members.count {
      if parent == rootPid { return parent }
      guard let parentIndex = memberIndex(of: parent) else { return nil }
      if !members[parentIndex].hasVanished { return parent }
      parent = members[parentIndex].parent
    }
    return nil
  }

  func memberIndex(of pid: Int32) -> Int? {
    for index in pids.indices where pids[index] == pid { return index }
    return nil
  }
}
