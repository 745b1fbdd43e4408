import CLinux
import Glibc
import PerfHUDBase

/// Finds new descendants, and reads their files.
extension ProcessTree {
  func newestPid() -> Int32? {
    ((try? loadavg?.read(as: LoadavgFields.self)) ?? nil)?.lastPid
  }

  /// Adds the descendants with pids in this range.
  mutating func scan(after pid: Int32, through last: Int32) {
    let isFirst = discovery.offsetsArePids == nil
    discovery.noteScan(sinceBoot: readClock(CLOCK_BOOTTIME) ?? 0)
    discovery.knownOutsiders.forget(through: pid)
    // In a full scan children may come before their parents, because pids have wrapped around.
    var found = list(after: pid, through: last)
    var rest = pid == 0 ? 8 : 0
    while found > 0, rest > 0 {
      found = list(after: pid, through: last)
      rest -= 1
    }
    if isFirst, discovery.offsetsArePids == nil { discovery.offsetsArePids = false }
  }

  /// - Returns: the number of processes that were added.
  private mutating func list(after pid: Int32, through last: Int32) -> Int {
    let start = pid > 0 && discovery.offsetsArePids == true ? off_t(pid) + 1 + 258 : 0
    lseek(proc.raw, start, SEEK_SET)
    if pid == 0 { leftOut = 0 }
    var found = 0
    var offset: UInt64?
    while true {
      let length = unsafe perfhud_getdents64(proc.raw, listing.baseAddress!, listing.count)
      guard length > 0 else { return found }
      var entries = DirectoryEntries()
      while true {
        let next = unsafe entries.nextNumber(
          in: UnsafeRawBufferPointer(rebasing: listing[..<Int(length)]).bytes)
        guard let entry = next else { break }
        if let offset, discovery.offsetsArePids != false {
          discovery.offsetsArePids = offset == UInt64(entry.number) + 258
        }
        offset = entry.next
        if entry.number > last, discovery.offsetsArePids == true { return found }
        if entry.number > pid, entry.number <= last, takeIn(entry.number) { found += 1 }
      }
    }
  }

  /// - Returns: whether it is a new descendant and fits.
  private mutating func takeIn(_ pid: Int32) -> Bool {
    guard pid != rootPid, pid != ownPid, pid != ownSession, memberIndex(of: pid) == nil,
      !discovery.knownOutsiders.contains(pid)
    else { return false }
    // Before its stat is read: anything known about this pid belongs to an earlier process.
    let wasHelper = orphans?.forget(pid) ?? false
    guard let stat = readFile(of: pid, "/stat", as: StatFields.self), stat.pid == pid else {
      return false
    }
    if wasHelper { orphans?.forget(helper: pid) }
    if let orphans {
      let isOwnChild = stat.parent == ownPid
      guard let isOther = orphans.isOther(pid, session: stat.session, isOwnChild: isOwnChild) else {
        discovery.hasUndecided = true
        return false
      }
      if isOther { return false }
    }
    guard belongs(stat) else {
      noteOther(stat)
      return false
    }
    guard members.count < limit else {
      // The second time a pid is scanned, it has already been counted.
      if pid > discovery.lastPid || discovery.settledPid == 0 { leftOut &+= 1 }
      return false
    }
    let statm = held < heldLimit ? openFile(pid, "/statm") : -1
    if statm >= 0 { held += 1 }
    members.append(
      TreeMember(pid: pid, parent: stat.parent, statm: statm, startTicks: stat.startTicks))
    pids.append(pid)
    clocks.append(0)
    if stat.isForked { joinFamily(of: stat) }
    take(stat, members.count - 1)
    noteParent(of: stat)
    members[members.count - 1].isOrphan = orphans != nil && stat.parent == ownPid
    members[members.count - 1].hasRun = true
    // The kernel shows the start in whole ticks, and a process a moment after it has begun.
    let start = (stat.startTicks &+ 2) &* units.tickNanoseconds
    if start >= discovery.scans.former { members[members.count - 1].wait.noteBirth() }
    if pid <= discovery.oldPid {
      var account = members[members.count - 1].account
      if let clock = usesClock ? readClock(processClock(pid)) : nil { account.own = clock }
      ledger.exclude(account)
      members[members.count - 1].listedNanoseconds = account.own
    }
    return true
  }

  /// Remembers that a process is not part of the tree, unless it may still join the group or become an orphan, or its
  /// parent may not have been visible yet.
  private mutating func noteOther(_ stat: StatFields) {
    guard group == nil, orphans == nil, discovery.settledPid > 0, stat.pid > discovery.settledPid,
      stat.parent <= discovery.settledPid
    else { return }
    discovery.knownOutsiders.add(stat.pid)
  }

  /// Whether a new process belongs to the tree.
  private func belongs(_ stat: StatFields) -> Bool {
    if let group {
      if stat.group == group.number { return true }
      if !group.includesOtherGroups { return false }
    }
    // A child that this process had before it executed perfhud is not an orphan of the root.
    if stat.parent == ownPid { return orphans != nil && stat.startTicks >= rootStartTicks }
    return stat.parent == rootPid || stat.session == ownSession
      || memberIndex(of: stat.parent) != nil
  }

  // MARK: Files

  /// Opens a file below `/proc/PID`; -1 if it cannot be opened. Source: `openat(2)`.
  func openFile(_ pid: Int32, _ name: StaticString) -> Int32 {
    NumberedFiles.open(pid, name, in: proc.raw)
  }

  /// The fields of a file below `/proc/PID`; `nil` if it cannot be read or is malformed.
  func readFile<Fields: ProcFields>(
    of pid: Int32, _ name: StaticString, as fields: Fields.Type
  ) -> Fields? {
    unsafe NumberedFiles.read(pid, name, in: proc.raw, into: buffer, as: fields)
  }

  /// The fields in what was read into the buffer.
  func parse<Fields: ProcFields>(_ count: Int, as fields: Fields.Type) -> Fields? {
    count > 0 ? unsafe Fields(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes) : nil
  }
}
