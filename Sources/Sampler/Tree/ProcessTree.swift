import Base
import CLinux
import Glibc

/// The descendants of a process: who they are and what they use. The process itself is read by its
/// `ProcessSampler`.
///
/// A descendant is found by its parent when it is new, and stays one as long as it lives, also when its
/// parent has ended before it. One whose parent ended before both had been seen is found by its session
/// if the root leads that or this process started it for the root (`Pty`), or by its parent if that is this process,
/// which takes orphans over (`OrphanReaper`), else it is not found. perfhud itself, with what it started
/// beside the root, is never one.
///
/// With a `ProcessGroup` the processes of that group belong to the tree beside the root, whoever their
/// parent is, and the session tells nothing: it is that of all jobs of a shell.
///
/// Whether anything was born is told by the last pid that the kernel gave away; only newer pids are
/// listed, and only their stat is read, and that not before somebody of the tree has run. Of each
/// descendant every reading asks the CPU clock. One whose clock stands still has not run: its memory and
/// what it has waited for are as they were, so its files are read only if it has run, and its statm now
/// and then, since the kernel may take pages from it.
/// The statm is held open: it fails with `ESRCH` once the process has been reaped, so a number that was
/// given anew is never mistaken. A reading allocates nothing.
@safe struct ProcessTree: ~Copyable, @unchecked Sendable {
  /// So many descendants at most.
  static let capacity = 4096
  /// The statm of one that does not run is read again about so often, in nanoseconds.
  static let checkInterval: UInt64 = 3_000_000_000
  static let scanInterval: UInt64 = 1_000_000_000
  /// With more descendants what they are is read on a budget, and not at every sample.
  static let few = 100
  static let othersLimit = 128

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
    /// Processes of whose CPU time a part is not known.
    var losses: UInt32 = 0
    var sharing = SharedMemory()
  }

  /// What was last read of the process itself that the descendants hang on; its sampler keeps it.
  var root = CPUAccount()
  /// Descendants that found no room when all were last looked at, and those born since that found none.
  var leftOut: UInt32 = 0
  /// Processes that end are kept for the list.
  var keepsEnded = false { didSet { if !keepsEnded { ended.removeAll() } } }
  var ended = EndedList()

  let rootPid: Int32
  let group: ProcessGroup?
  let ownPid: Int32?
  let orphans: OrphanReaper?
  /// The session in which there is nobody but its leader, the root, and descendants.
  var ownSession: Int32?
  /// When the root started; known where orphans are taken over.
  var rootStartTicks: UInt64 = 0
  let usesClock: Bool
  let units: KernelUnits
  let limit: Int
  let heldLimit: Int
  let proc: Descriptor
  let loadavg: ProcFile?
  // Owned by this value alone, hence the unchecked Sendable.
  let buffer: UnsafeMutableRawBufferPointer
  let listing: UnsafeMutableRawBufferPointer
  var members: [TreeMember] = []
  /// The pids of the members, close together: each new process is looked for among them.
  var pids: [Int32] = []
  /// What their CPU clocks said when they were last asked: at most readings nothing else is looked at.
  var clocks: [UInt64] = []
  var held = 0
  var ledger: CPULedger
  /// What orphans had that this process has waited for.
  var orphanAccount = CPUAccount()
  var rootIgnoresChildren: Bool?
  /// The cgroup that the tree may have for itself.
  var cgroup: TreeCgroup?
  /// The member whose statm is read next although it has not run.
  private var checked = 0
  /// What is due of such readings: members times nanoseconds.
  private var checkDebt: UInt64 = 0
  /// When the present reading was begun.
  var sampleTime = Instant(nanoseconds: 0)
  /// One at least has vanished since the reading before.
  var hasVanished = false
  /// The member whose slow figures are read next; `nil` while none are due.
  var lowRateCursor: Int?
  /// What the members add up to, as long as nothing of them changes.
  private var memberTotals = Totals()
  private var memberNanoseconds: UInt64 = 0
  var hasChanged = true
  /// The same of the root as a member has, for the memory that forked members share with it.
  var rootInherited = InheritedMemory()
  var rootPrivateBytes: UInt64 = 0
  var rootResidentBytes: UInt64 = 0
  /// Forked members that have not executed a program and live.
  private(set) var forkedCount = 0
  var families: [ForkFamily] = []
  /// The member whose shared memory is read next, -1 for the root; `nil` while none is.
  var sharingCursor: Int?
  /// Shared memory may not be read, or is not told by this kernel.
  var cannotReadSharing = false
  /// When shared memory was last read.
  var sharingTime = Instant(nanoseconds: 0)

  /// Numbers above `settledPid` whose processes are none of the tree: they are not looked at twice.
  var others: [Int32] = []
  /// Pids up to this one have been looked at when no process could be on its way any more.
  var settledPid: Int32 = 0
  var lastPid: Int32 = 0
  var scansAgain = true
  /// So far nobody of the tree has run since the reading before.
  private var isAtRest = false
  /// What orphans had used when the reading before was begun.
  private var reapedBefore: UInt64 = 0
  /// The clocks were compared already, and none had moved.
  private var isCompared = false
  /// There may have been children of many members that were born and have ended, since `reaped` of all was read.
  private(set) var mayLackReaped = false
  /// There are processes that nobody has looked at, since nobody of the tree had run when they were born.
  private(set) var hasPutOff = false
  /// The last scan found a child of this process that may be a helper which is being started.
  var hasUndecided = false
  /// Who is taken in now and has no newer pid has been there before, and what it used is no news.
  var oldPid: Int32 = 0
  var nextScan = Instant(nanoseconds: 0)
  /// Places in the listing are pids plus 258, as far as they were compared.
  var offsetsArePids: Bool?

  /// - Parameters:
  ///   - pid: the process whose descendants are read.
  ///   - group: whose processes belong to the tree beside the root.
  ///   - usesClock: whether the pids mean the same to system calls; else only files are read.
  ///   - orphans: takes over descendants whose parents have ended.
  ///   - limit: so many descendants at most.
  ///   - heldLimit: so many descriptors at most, and half of those that this process may have.
  init(
    pid: Int32, group: ProcessGroup? = nil, usesClock: Bool, units: KernelUnits, root: String,
    orphans: OrphanReaper? = nil, limit: Int = ProcessTree.capacity, heldLimit: Int = .max
  ) throws(SamplerError) {
    let raw = unsafe open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { throw SamplerError.procUnusable(root: root) }
    proc = Descriptor(owning: raw)
    rootPid = pid
    self.group = group
    self.orphans = group == nil && usesClock ? orphans : nil
    ownPid = usesClock ? getpid() : nil
    self.usesClock = usesClock
    self.units = units
    self.limit = limit
    loadavg = usesClock ? try? ProcFile(path: "\(root)/loadavg", capacity: 128) : nil
    var descriptors = rlimit()
    unsafe getrlimit(__rlimit_resource_t(UInt32(7)), &descriptors)  // RLIMIT_NOFILE
    self.heldLimit = min(heldLimit, Int(min(UInt64(limit), UInt64(descriptors.rlim_cur) / 2)))
    ledger = CPULedger(tickNanoseconds: units.tickNanoseconds)
    unsafe buffer = .allocate(byteCount: StatusFields.capacity, alignment: 8)
    unsafe listing = .allocate(byteCount: 16384, alignment: 8)
    members.reserveCapacity(limit)
    pids.reserveCapacity(limit)
    clocks.reserveCapacity(limit)
    others.reserveCapacity(ProcessTree.othersLimit)
    families.reserveCapacity(64)
    rootInherited.family = pid
    cgroup = group == nil && usesClock ? TreeCgroup(pid: pid, root: root) : nil
    if group == nil { ownSession = sessionOfTree() }
    if self.orphans != nil, let stat = readFile(of: pid, "/stat", as: StatFields.self) {
      rootStartTicks = stat.startTicks
    }
  }

  /// The session of the root, if it is led by the root itself, or by the root's parent and that is a child of
  /// this process.
  private func sessionOfTree() -> Int32? {
    guard let ownPid, let stat = readFile(of: rootPid, "/stat", as: StatFields.self) else {
      return nil
    }
    if stat.session == rootPid { return rootPid }
    guard stat.session == stat.parent,
      let leader = readFile(of: stat.session, "/stat", as: StatFields.self),
      leader.parent == ownPid, leader.session == leader.pid
    else { return nil }
    return stat.session
  }

  deinit {
    for member in members where member.statm >= 0 { close(member.statm) }
    unsafe buffer.deallocate()
    unsafe listing.deallocate()
  }

  /// Whether what descendants of the root used, that it has waited for, is on the account of the tree:
  /// not where they may have been of groups that do not count.
  var countsReaped: Bool { group?.includesOtherGroups != false }

  /// Whether there are so many that their stat is not read at every sample.
  var isLarge: Bool { members.count > ProcessTree.few }

  // MARK: One reading, in three steps

  /// Takes in the processes that were born since the reading before.
  ///
  /// Who has no child yet gets one by running. So what is born while nobody of the tree runs is not looked
  /// at before somebody does: with all that was born until then. The clocks are asked before the last pid
  /// is, so that who forks in between is seen to have run at the next reading.
  ///
  /// - Parameter rootHasRun: whether the clock of the root has moved; it was asked before this call.
  /// - Returns: whether `reaped` of all has to be read in this reading.
  mutating func begin(now: Instant, rootHasRun: Bool = true) -> Bool {
    addCheckDebt(now: now)
    readOrphans()
    let isWaiting = ledger.takeWaiting()
    compareClocks(mayRest: !rootHasRun && orphanAccount.reaped == reapedBefore)
    reapedBefore = orphanAccount.reaped
    guard let last = newestPid() else {
      guard now >= nextScan else { return isWaiting }
      nextScan = Instant(nanoseconds: now.nanoseconds &+ ProcessTree.scanInterval)
      scan(after: 0, through: .max)
      return true
    }
    let hasRoomAgain = leftOut > 0 && members.count < limit && now >= nextScan
    if isCompared, !hasRoomAgain {
      return putOff(through: last) || isWaiting
    }
    guard last != lastPid || scansAgain || hasPutOff || hasRoomAgain else { return isWaiting }
    hasPutOff = false
    if hasRoomAgain {
      nextScan = Instant(nanoseconds: now.nanoseconds &+ ProcessTree.scanInterval)
      oldPid = settledPid
      settledPid = 0
    }
    defer { oldPid = 0 }
    // The numbers begin anew when they are used up.
    if last < lastPid { settledPid = 0 }
    noteUnseenChildren(through: last)
    let known = members.count
    hasUndecided = false
    scan(after: settledPid, through: settledPid == 0 ? .max : last)
    // A number is given away a moment before its process can be seen, so each is looked at twice.
    if !hasUndecided { settledPid = last < lastPid ? 0 : lastPid }
    scansAgain = last != lastPid || hasUndecided
    lastPid = last
    guard isLarge, members.count == known else { return true }
    mayLackReaped = true
    return isWaiting
  }

  /// Leaves what was born since the reading before to a later one, but looks again at those before.
  ///
  /// - Returns: whether it has looked at any.
  private mutating func putOff(through last: Int32) -> Bool {
    let looksAgain = scansAgain
    if looksAgain {
      hasUndecided = false
      scan(after: settledPid, through: settledPid == 0 ? .max : lastPid)
      if !hasUndecided { settledPid = lastPid }
      scansAgain = hasUndecided
    }
    if last != lastPid { hasPutOff = true }
    if last < lastPid { settledPid = 0 }
    lastPid = last
    return looksAgain
  }

  /// What orphans used comes before the descendants: this process is a parent too.
  private mutating func readOrphans() {
    if let orphans { orphanAccount.reaped = orphans.cpuNanoseconds }
  }

  /// Compares the clocks of all with the reading before, if nobody had run in that either: what was read then
  /// tells whether somebody has forked since its last pid was asked for.
  ///
  /// Not with many members, where that may cost more than to look at who was born.
  private mutating func compareClocks(mayRest: Bool) {
    let wasAtRest = isAtRest
    isAtRest = mayRest && usesClock && group == nil && !isLarge
    isCompared = false
    guard wasAtRest, isAtRest else { return }
    for index in 0..<pids.count where readClock(processClock(pids[index])) != clocks[index] {
      isAtRest = false
      return
    }
    isCompared = true
  }

  private mutating func addCheckDebt(now: Instant) {
    let elapsed = now.nanoseconds &- min(sampleTime.nanoseconds, now.nanoseconds)
    sampleTime = now
    checkDebt &+= UInt64(members.count) &* min(elapsed, ProcessTree.checkInterval)
  }

  /// The members whose statm is due although they may not have run.
  private mutating func takeChecks() -> Range<Int> {
    let count = Int(checkDebt / ProcessTree.checkInterval)
    checkDebt %= ProcessTree.checkInterval
    let end = min(checked + count, members.count)
    defer { checked = end < members.count ? end : 0 }
    return min(checked, end)..<end
  }

  /// Reads all descendants, parents first.
  ///
  /// - Parameter readsStat: reads state, threads, faults and what they waited for too, of those that
  ///   have run.
  /// - Returns: whether one has vanished; then, unless stat was read, call it again with stat.
  mutating func read(readsStat: Bool) -> Bool {
    readOrphans()
    let checks = takeChecks()
    let readsStat = readsStat || !usesClock
    if readsStat { mayLackReaped = false }
    // With all clocks compared there is nothing else to look at.
    let looksAtAll = !isCompared || readsStat
    let end = looksAtAll ? members.count : checks.upperBound
    for index in (looksAtAll ? 0 : checks.lowerBound)..<end {
      let isChecked = index >= checks.lowerBound && index < checks.upperBound
      var clock: UInt64?
      if usesClock {
        clock = readClock(processClock(pids[index]))
        let hasRun = clock != clocks[index]
        if hasRun { isAtRest = false }
        if !hasRun, !readsStat, !isChecked { continue }
      }
      guard !members[index].hasVanished else { continue }
      if !readMember(index, clock: clock, readsStat: readsStat, isChecked: isChecked) {
        members[index].hasVanished = true
        hasVanished = true
      }
    }
    if hasVanished { noteNewParents() }
    return hasVanished
  }

  /// The children of one that has vanished have another parent now, although they may not have run.
  private mutating func noteNewParents() {
    for gone in members.indices where members[gone].hasVanished {
      let parent = members[gone].pid
      for index in members.indices where members[index].parent == parent {
        members[index].hasRun = true
      }
    }
  }

  /// Ends the reading: adds up.
  ///
  /// - Parameters:
  ///   - hasReadStat: whether `reaped` of all, the root too, is of this reading.
  ///   - now: the time of the reading.
  mutating func end(hasReadStat: Bool, now: Instant = Instant(nanoseconds: 0)) -> Totals {
    removeVanished(now: now)
    if hasChanged || hasReadStat { addMembers(hasReadStat: hasReadStat) }
    ledger.begin(with: memberNanoseconds)
    ledger.add(&root, hasReadReaped: hasReadStat)
    if orphans != nil { ledger.add(&orphanAccount, hasReadReaped: true) }
    var totals = memberTotals
    totals.cpuNanoseconds = ledger.end()
    totals.losses = ledger.losses
    totals.sharing = forkedCount > 0 ? measureSharing() : SharedMemory()
    useCgroup(&totals, now: now)
    return totals
  }

  private mutating func addMembers(hasReadStat: Bool) {
    memberTotals = Totals()
    forkedCount = 0
    ledger.begin()
    for index in 0..<members.count {
      ledger.add(&members[index].account, hasReadReaped: hasReadStat)
      memberTotals.add(members[index])
      if members[index].inherited.isForked, !members[index].isZombie { forkedCount += 1 }
    }
    memberNanoseconds = ledger.sum
    // What one of them is owed is looked for in each reading.
    hasChanged = ledger.isWaiting
  }
}

/// The CPU clock of a process. Source: `clock_getcpuclockid(3)`, without its look whether there is one.
func processClock(_ pid: Int32) -> clockid_t { clockid_t(~pid << 3 | 2) }
