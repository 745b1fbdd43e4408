import Base
import CLinux
import Glibc

/// The descendants of a process: who they are and what they use. The process itself is read by its
/// `ProcessSampler`.
///
/// A descendant is found by its parent when it is new, and stays one as long as it lives, also when its
/// parent has ended before it. One whose parent ended before both had been seen is found by its session
/// if this process started the session for the root (`Pty`), else it is not found. perfhud itself, with
/// what it started beside the root, is never one.
///
/// With a `ProcessGroup` the processes of that group belong to the tree beside the root, whoever their
/// parent is, and the session tells nothing: it is that of all jobs of a shell.
///
/// Whether anything was born is told by the last pid that the kernel gave away; only newer pids are
/// listed, and only their stat is read. Each descendant has one descriptor held open, its statm: it
/// fails with `ESRCH` once the process has been reaped, so a number that was given anew is never
/// mistaken. A reading allocates nothing.
@safe struct ProcessTree: ~Copyable, @unchecked Sendable {
  /// So many at most, and half of the descriptors that this process may have.
  static let capacity = 512
  private static let scanInterval: UInt64 = 1_000_000_000

  /// The process and its descendants, together.
  struct Totals: BitwiseCopyable, Sendable {
    var cpuNanoseconds: UInt64 = 0
    var residentPages: UInt64 = 0
    var anonymousPages: UInt64 = 0
    var swapBytes: UInt64 = 0
    var pageTableBytes: UInt64 = 0
    var threads: UInt32 = 0
    var minorFaults: UInt64 = 0
    var majorFaults: UInt64 = 0
    var readBytes: UInt64 = 0
    var writeBytes: UInt64 = 0
    /// Living descendants; a zombie is none.
    var processes: UInt32 = 0
  }

  private struct Member: BitwiseCopyable {
    var pid: Int32
    var parent: Int32
    var statm: Int32
    var startTicks: UInt64
    var account = CPUAccount()
    var residentPages: UInt64 = 0
    var anonymousPages: UInt64 = 0
    var swapBytes: UInt64 = 0
    var pageTableBytes: UInt64 = 0
    var threads: UInt32 = 0
    var minorFaults: UInt64 = 0
    var majorFaults: UInt64 = 0
    var readBytes: UInt64 = 0
    var writeBytes: UInt64 = 0
    var hasMemory = true
    var isZombie = false
    var hasVanished = false
  }

  /// What was last read of the process itself that the descendants hang on; its sampler keeps it.
  var root = CPUAccount()
  /// Descendants that found no room when all were last looked at, and those born since that found none.
  private(set) var leftOut: UInt32 = 0

  private let rootPid: Int32
  private let group: ProcessGroup?
  private let ownPid: Int32?
  /// The session in which there is nobody but its leader, the root, and descendants.
  private var ownSession: Int32?
  private let usesClock: Bool
  private let units: KernelUnits
  private let limit: Int
  private let proc: Descriptor
  private let loadavg: ProcFile?
  // Owned by this value alone, hence the unchecked Sendable.
  private let buffer: UnsafeMutableRawBufferPointer
  private let listing: UnsafeMutableRawBufferPointer
  private var members: [Member] = []
  private var ledger: CPULedger

  /// Pids up to this one have been looked at when no process could be on its way any more.
  private var settledPid: Int32 = 0
  private var lastPid: Int32 = 0
  private var scansAgain = true
  /// Who is taken in now and has no newer pid has been there before, and what it used is no news.
  private var oldPid: Int32 = 0
  private var nextScan = Instant(nanoseconds: 0)
  /// Places in the listing are pids plus 258, as far as they were compared.
  private var placesArePids: Bool?

  /// - Parameters:
  ///   - pid: the process whose descendants are read.
  ///   - group: whose processes belong to the tree beside the root.
  ///   - usesClock: whether the pids mean the same to system calls; else only files are read.
  init(
    pid: Int32, group: ProcessGroup? = nil, usesClock: Bool, units: KernelUnits, root: String
  ) throws(SamplerError) {
    let raw = unsafe open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { throw SamplerError.procUnusable(root: root) }
    proc = Descriptor(owning: raw)
    rootPid = pid
    self.group = group
    ownPid = usesClock ? getpid() : nil
    self.usesClock = usesClock
    self.units = units
    loadavg = usesClock ? try? ProcFile(path: "\(root)/loadavg", capacity: 128) : nil
    var descriptors = rlimit()
    unsafe getrlimit(__rlimit_resource_t(UInt32(7)), &descriptors)  // RLIMIT_NOFILE
    limit = Int(min(UInt64(ProcessTree.capacity), UInt64(descriptors.rlim_cur) / 2))
    ledger = CPULedger(tickNanoseconds: units.tickNanoseconds)
    unsafe buffer = .allocate(byteCount: StatusFields.capacity, alignment: 8)
    unsafe listing = .allocate(byteCount: 16384, alignment: 8)
    members.reserveCapacity(limit)
    if group == nil { ownSession = sessionStartedHere() }
  }

  /// The session of the root, if it is led by the root's parent and that is a child of this process.
  private func sessionStartedHere() -> Int32? {
    guard let ownPid, let stat = readFile(of: rootPid, "/stat", as: StatFields.self),
      stat.session == stat.parent,
      let leader = readFile(of: stat.session, "/stat", as: StatFields.self),
      leader.parent == ownPid, leader.session == leader.pid
    else { return nil }
    return stat.session
  }

  deinit {
    for member in members { close(member.statm) }
    unsafe buffer.deallocate()
    unsafe listing.deallocate()
  }

  /// Whether what descendants of the root used, that it has waited for, is on the account of the tree:
  /// not where they may have been of groups that do not count.
  var countsReaped: Bool { group?.includesOtherGroups != false }

  // MARK: One reading, in three steps

  /// Takes in the processes that were born since the reading before.
  ///
  /// - Returns: whether `reaped` of all has to be read in this reading.
  mutating func begin(now: Instant) -> Bool {
    let isWaiting = ledger.takeWaiting()
    guard let last = newestPid() else {
      guard now >= nextScan else { return isWaiting }
      nextScan = Instant(nanoseconds: now.nanoseconds &+ ProcessTree.scanInterval)
      scan(after: 0, through: .max)
      return true
    }
    let hasRoomAgain = leftOut > 0 && members.count < limit && now >= nextScan
    guard last != lastPid || scansAgain || hasRoomAgain else { return isWaiting }
    if hasRoomAgain {
      nextScan = Instant(nanoseconds: now.nanoseconds &+ ProcessTree.scanInterval)
      oldPid = settledPid
      settledPid = 0
    }
    defer { oldPid = 0 }
    // The numbers begin anew when they are used up.
    if last < lastPid { settledPid = 0 }
    scan(after: settledPid, through: settledPid == 0 ? .max : last)
    // A number is given away a moment before its process can be seen, so each is looked at twice.
    settledPid = last < lastPid ? 0 : lastPid
    scansAgain = last != lastPid
    lastPid = last
    return true
  }

  /// Reads all descendants, parents first.
  ///
  /// - Parameter readsStat: reads state, threads, faults and what they waited for too.
  /// - Returns: whether one has vanished; then, unless stat was read, call it again with stat.
  mutating func read(readsStat: Bool) -> Bool {
    var hasVanished = false
    for index in members.indices where !members[index].hasVanished {
      if !readMember(index, readsStat: readsStat || !usesClock) {
        members[index].hasVanished = true
        hasVanished = true
      }
    }
    return hasVanished
  }

  /// Ends the reading: adds up.
  ///
  /// - Parameter hasReadStat: whether `reaped` of all, the root too, is of this reading.
  mutating func end(hasReadStat: Bool) -> Totals {
    removeVanished()
    var totals = Totals()
    var minor: UInt64 = 0
    var major: UInt64 = 0
    var read: UInt64 = 0
    var written: UInt64 = 0
    ledger.begin()
    ledger.add(&root, hasReadReaped: hasReadStat)
    for index in members.indices {
      ledger.add(&members[index].account, hasReadReaped: hasReadStat)
      let member = members[index]
      minor &+= member.minorFaults
      major &+= member.majorFaults
      read &+= member.readBytes
      written &+= member.writeBytes
      if member.isZombie { continue }
      totals.processes += 1
      totals.threads &+= member.threads
      totals.residentPages &+= member.residentPages
      totals.anonymousPages &+= member.anonymousPages
      totals.swapBytes &+= member.swapBytes
      totals.pageTableBytes &+= member.pageTableBytes
    }
    totals.cpuNanoseconds = ledger.end()
    totals.minorFaults = minor
    totals.majorFaults = major
    totals.readBytes = read
    totals.writeBytes = written
    return totals
  }

  /// Reads swap, page tables and I/O of all descendants. Costs about 25 µs each.
  mutating func readSlowFigures() {
    for index in members.indices where !members[index].hasVanished {
      let pid = members[index].pid
      if let status = readFile(of: pid, "/status", as: StatusFields.self) {
        members[index].swapBytes = status.swapBytes ?? 0
        members[index].pageTableBytes = status.pageTableBytes ?? 0
      }
      if let io = readFile(of: pid, "/io", as: IOFields.self) {
        members[index].readBytes = io.readBytes
        members[index].writeBytes = io.writeBytes
      }
    }
  }

  /// The sum of the proportional set sizes of the descendants; `nil` if one may not be read.
  func readPSS() -> UInt64? {
    var sum: UInt64 = 0
    for index in members.indices where !members[index].isZombie {
      let file = openFile(members[index].pid, "/smaps_rollup")
      guard file >= 0 else {
        if errno == EACCES || errno == EPERM { return nil }
        continue
      }
      defer { close(file) }
      // One that is about to end or executes another program shows nothing for a moment.
      let count = unsafe pread(file, buffer.baseAddress, buffer.count, 0)
      if let found = parse(count, as: SmapsRollupFields.self) { sum &+= found.pssBytes }
    }
    return sum
  }

  // MARK: Members

  /// - Returns: false if the process has been reaped.
  private mutating func readMember(_ index: Int, readsStat: Bool) -> Bool {
    let member = members[index]
    let clock = usesClock ? readClock(clockid_t(~member.pid << 3 | 2)) : nil
    // After the clock, which goes by the number: the held file knows whether it is still the process.
    let count = unsafe pread(member.statm, buffer.baseAddress, 256, 0)
    if count < 0, errno == ESRCH { return false }
    if let memory = parse(count, as: StatmFields.self) {
      members[index].hasMemory = memory.sizePages > 0
      members[index].residentPages = memory.residentPages
      members[index].anonymousPages = memory.anonymousPages
    }
    if let clock { members[index].account.own = clock }
    let mayHaveEnded = !members[index].hasMemory && member.hasMemory
    if readsStat || mayHaveEnded,
      let stat = readFile(of: member.pid, "/stat", as: StatFields.self),
      stat.startTicks == member.startTicks
    {
      take(stat, index)
    }
    return true
  }

  private mutating func take(_ stat: StatFields, _ index: Int) {
    let tick = units.tickNanoseconds
    if !usesClock {
      members[index].account.own = (stat.userTicks &+ stat.systemTicks) &* tick
    }
    members[index].account.reaped =
      (stat.childrenUserTicks &+ stat.childrenSystemTicks) &* tick
    members[index].parent = stat.parent
    // It was looked at before its shell had made a job of it.
    if let group, !group.includesOtherGroups, stat.group != group.number {
      members[index].hasVanished = true
    }
    members[index].threads = stat.threads
    members[index].minorFaults = stat.minorFaults &+ stat.childrenMinorFaults
    members[index].majorFaults = stat.majorFaults &+ stat.childrenMajorFaults
    // The main thread may have ended alone.
    members[index].isZombie = stat.state == .zombie && stat.threads <= 1
  }

  private mutating func removeVanished() {
    var kept = 0
    for index in members.indices where members[index].hasVanished {
      let member = members[index]
      close(member.statm)
      let heir = livingAncestor(of: member)
      if heir == rootPid {
        if countsReaped {
          ledger.remove(member.account, heir: &root)
        } else {
          ledger.remove(member.account)
        }
      } else if let heir, let place = place(of: heir) {
        ledger.remove(member.account, heir: &members[place].account)
      } else {
        ledger.remove(member.account)
      }
    }
    for index in members.indices where !members[index].hasVanished {
      members[kept] = members[index]
      kept += 1
    }
    members.removeLast(members.count - kept)
  }

  /// Who may have taken over the time of a process that has vanished; `nil` if nobody in the tree.
  private func livingAncestor(of member: Member) -> Int32? {
    var parent = member.parent
    // A parent is older than its child, so there is no circle; numbers given anew could make one.
    for _ in 0...members.count {
      if parent == rootPid { return parent }
      guard let place = place(of: parent) else { return nil }
      if !members[place].hasVanished { return parent }
      parent = members[place].parent
    }
    return nil
  }

  private func place(of pid: Int32) -> Int? {
    for index in members.indices where members[index].pid == pid { return index }
    return nil
  }

  // MARK: Finding new ones

  private func newestPid() -> Int32? {
    ((try? loadavg?.read(as: LoadavgFields.self)) ?? nil)?.lastPid
  }

  /// Takes in the descendants with pids in this range; the others are known, or are none.
  private mutating func scan(after pid: Int32, through last: Int32) {
    let isFirst = placesArePids == nil
    // With all of them children may be listed before their parents, when the numbers began anew.
    var found = list(after: pid, through: last)
    var rest = pid == 0 ? 8 : 0
    while found > 0, rest > 0 {
      found = list(after: pid, through: last)
      rest -= 1
    }
    if isFirst, placesArePids == nil { placesArePids = false }
  }

  /// - Returns: how many were taken in.
  private mutating func list(after pid: Int32, through last: Int32) -> Int {
    let start = pid > 0 && placesArePids == true ? off_t(pid) + 1 + 258 : 0
    lseek(proc.raw, start, SEEK_SET)
    if pid == 0 { leftOut = 0 }
    var found = 0
    var place: UInt64?
    while true {
      let length = unsafe perfhud_getdents64(proc.raw, listing.baseAddress!, listing.count)
      guard length > 0 else { return found }
      var entries = DirectoryEntries()
      while true {
        let next = unsafe entries.nextNumber(
          in: UnsafeRawBufferPointer(rebasing: listing[..<Int(length)]).bytes)
        guard let entry = next else { break }
        if let place, placesArePids != false { placesArePids = place == UInt64(entry.number) + 258 }
        place = entry.next
        if entry.number > last, placesArePids == true { return found }
        if entry.number > pid, entry.number <= last, takeIn(entry.number) { found += 1 }
      }
    }
  }

  /// - Returns: whether it is a descendant that was not known, and has room.
  private mutating func takeIn(_ pid: Int32) -> Bool {
    guard pid != rootPid, pid != ownPid, pid != ownSession, place(of: pid) == nil,
      let stat = readFile(of: pid, "/stat", as: StatFields.self), stat.pid == pid,
      belongs(stat)
    else { return false }
    let statm = members.count < limit ? openFile(pid, "/statm") : -1
    guard statm >= 0 else {
      // In the second look at a number it has been counted already.
      if pid > lastPid || settledPid == 0 { leftOut &+= 1 }
      return false
    }
    members.append(
      Member(pid: pid, parent: stat.parent, statm: statm, startTicks: stat.startTicks))
    take(stat, members.count - 1)
    if pid <= oldPid {
      var account = members[members.count - 1].account
      if let clock = usesClock ? readClock(clockid_t(~pid << 3 | 2)) : nil { account.own = clock }
      ledger.exclude(account)
    }
    return true
  }

  /// Whether a process that was not known is one of the tree.
  private func belongs(_ stat: StatFields) -> Bool {
    if let group {
      if stat.group == group.number { return true }
      if !group.includesOtherGroups { return false }
    }
    return stat.parent == rootPid || stat.session == ownSession || place(of: stat.parent) != nil
  }

  // MARK: Files

  /// Opens a file below `/proc/PID`; -1 if it cannot be opened. Source: `openat(2)`.
  private func openFile(_ pid: Int32, _ name: StaticString) -> Int32 {
    var path = ShortText()
    path.append(decimal: Int(pid))
    path.append(name)
    for index in 0..<path.count { unsafe buffer[index] = path[index] }
    unsafe buffer[path.count] = 0
    let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
    guard let start = unsafe start else { return -1 }
    return unsafe openat(proc.raw, start, O_RDONLY | O_CLOEXEC)
  }

  /// The fields of a file below `/proc/PID`; `nil` if it cannot be read, or makes no sense.
  private func readFile<Fields: ProcFields>(
    of pid: Int32, _ name: StaticString, as fields: Fields.Type
  ) -> Fields? {
    let file = openFile(pid, name)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let count = unsafe pread(file, buffer.baseAddress, buffer.count, 0)
    return parse(count, as: fields)
  }

  /// The fields in what was read into the buffer.
  private func parse<Fields: ProcFields>(_ count: Int, as fields: Fields.Type) -> Fields? {
    count > 0 ? unsafe Fields(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes) : nil
  }
}
