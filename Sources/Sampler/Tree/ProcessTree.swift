import CLinux
import Glibc
import PerfHUDBase

/// The descendants of a process: which processes they are and what they use. `ProcessSampler` reads the process itself.
///
/// A new process is found by its parent, and remains a member until it ends, even if its parent ends before. If a
/// parent ended before either was seen, its child is found by its session, if the root leads the session or this
/// process started it for the root (`Pty`); or by its new parent, if that is this process, which adopts orphans
/// (`OrphanReaper`). Otherwise it is not found. perfhud and the processes that it starts besides the root are never
/// members.
///
/// With a `ProcessGroup` the processes of that group belong to the tree too, whoever their parent is; sessions
/// are ignored, because all jobs of a shell share one.
///
/// The last pid that the kernel assigned shows whether there are new processes. Then only the newer pids are listed and
/// only their stat is read, and only after a process of the tree has run. Each sample reads the CPU clock of each
/// member. A member whose clock has not moved has not run: its files are not read again, except its statm from time to
/// time, because the kernel may take pages from it. The statm stays open: it fails with `ESRCH` once the process has
/// been reaped, so a reused pid is never mistaken for it. A sample allocates nothing.
@safe struct ProcessTree: ~Copyable, @unchecked Sendable {
  /// The maximum number of descendants.
  static let capacity = 4096
  static let scanInterval: UInt64 = 1_000_000_000
  /// With more descendants than this, their stat is read on a budget instead of with every sample.
  static let few = 100

  /// The sums over the process and its descendants.
  struct Totals: BitwiseCopyable, Sendable {
    var cpuNanoseconds: UInt64 = 0
    var residentPages: UInt64 = 0
    var anonymousPages: UInt64 = 0
    var sharedMemoryBytes: UInt64 = 0
    var swapBytes: UInt64 = 0
    var pageTableBytes: UInt64 = 0
    var threads: UInt32 = 0
    var minorFaults: UInt64 = 0
    var majorFaults: UInt64 = 0
    var systemNanoseconds: UInt64 = 0
    var storage = StorageBytes()
    /// Living descendants, without zombies.
    var processes: UInt32 = 0
    /// The number of processes whose CPU time is partly unknown.
    var losses: UInt32 = 0
    var sharing = SharedMemory()
  }

  /// The account of the root; its sampler updates it.
  var root = CPUAccount()
  /// What the root has read and written; its sampler updates it.
  var rootStorage = StorageAccount()
  /// The bytes of vanished processes that no process of the tree waited for.
  var lostStorage = StorageBytes()
  /// The system time of those.
  var lostSystemNanoseconds: UInt64 = 0
  /// Descendants that did not fit at the last full scan, plus new ones since then.
  var leftOut: UInt32 = 0
  /// Whether the time is read that members wait for a processor.
  var readsWaits = false
  var waits = TreeWaits()
  /// Whether processes that end are kept for the list.
  var keepsEnded = false { didSet { if !keepsEnded { ended.removeAll() } } }
  var ended = EndedList()

  let rootPid: Int32
  let group: ProcessGroup?
  let ownPid: Int32?
  let orphans: OrphanReaper?
  /// The session that contains only its leader, the root and descendants; `nil` if there is no such session.
  var ownSession: Int32?
  /// When the root started; known if orphans are adopted.
  var rootStartTicks: UInt64 = 0
  let usesClock: Bool
  let units: KernelUnits
  let faultedPages: FaultedPages
  let limit: Int
  let heldLimit: Int
  let proc: Descriptor
  let loadavg: ProcFile?
  // Owned by this value alone, hence the unchecked Sendable.
  let buffer: UnsafeMutableRawBufferPointer
  let listing: UnsafeMutableRawBufferPointer
  var members: [TreeMember] = []
  /// The pids of the members, in an array of their own, because each new process is looked up there.
  var pids: [Int32] = []
  /// The last values of their CPU clocks; most samples read only these.
  var clocks: [UInt64] = []
  var held = 0
  var ledger: CPULedger
  /// The CPU time of orphans that this process has reaped.
  var orphanAccount = CPUAccount()
  private var orphanSystemNanoseconds: UInt64 = 0
  var rootIgnoresChildren: Bool?
  /// The cgroup that the tree may have for itself.
  var cgroup: TreeCgroup?
  private var checks = MemoryChecks()
  /// When the current sample began.
  var sampleTime = Instant(nanoseconds: 0)
  /// Whether a member has vanished since the previous sample.
  var hasVanished = false
  /// The member whose low-rate values are read next; `nil` while none are due.
  var lowRateCursor: Int?
  /// The sum over the members, as long as none of them changes.
  private var memberTotals = Totals()
  private var memberNanoseconds: UInt64 = 0
  var hasChanged = true
  /// The memory of the root as of a member, because forked members share memory with it.
  var rootMemory = RootMemory()
  /// The number of living forked members that have not executed a program.
  private(set) var forkedCount = 0
  var families: [ForkFamily] = []
  var shareReads = ShareReads()

  var discovery = ProcessDiscovery()
  /// Whether no process of the tree has run since the previous sample.
  private var isAtRest = false
  /// The CPU time of orphans at the start of the previous sample.
  private var reapedBefore: UInt64 = 0
  /// Whether the clocks have already been compared, and none had advanced.
  private var isCompared = false
  /// Whether members may have had children that began and ended since all `reaped` values were read.
  private(set) var mayLackReaped = false

  /// - Parameters:
  ///   - pid: the process whose descendants are read.
  ///   - group: the group whose processes belong to the tree too.
  ///   - usesClock: whether system calls accept the pids; otherwise only files are read.
  ///   - orphans: adopts descendants whose parents have ended.
  ///   - limit: the maximum number of descendants.
  ///   - heldLimit: the maximum number of open descriptors; at most half of the limit of this process.
  init(
    pid: Int32, group: ProcessGroup? = nil, usesClock: Bool, units: KernelUnits, root: String,
    orphans: OrphanReaper? = nil, limit: Int = ProcessTree.capacity, heldLimit: Int = .max
  ) throws(SamplerError) {
    let raw = unsafe open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { throw SamplerError(openingRoot: root, code: errno) }
    proc = Descriptor(owning: raw)
    rootPid = pid
    self.group = group
    self.orphans = group == nil && usesClock ? orphans : nil
    ownPid = usesClock ? getpid() : nil
    self.usesClock = usesClock
    self.units = units
    faultedPages = .ofKernel(pageBytes: units.pageBytes)
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
    families.reserveCapacity(64)
    rootMemory.inherited.setExecution(0, pid: pid)
    cgroup = group == nil && usesClock ? TreeCgroup(pid: pid, root: root) : nil
    if group == nil { ownSession = sessionOfTree() }
    if self.orphans != nil, let stat = readFile(of: pid, "/stat", as: StatFields.self) {
      rootStartTicks = stat.startTicks
    }
  }

  /// The session of the root, if its leader is the root itself, or the root's parent if that is a child of this
  /// process.
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

  /// Whether the tree includes the CPU time of descendants that the root has waited for. Not if these may have been in
  /// groups that do not count.
  var countsReaped: Bool { group?.includesOtherGroups != false }

  /// Whether there are too many members to read the stat of each for every sample.
  var isLarge: Bool { members.count > ProcessTree.few }

  // MARK: One sample, in three steps

  /// Adds the processes that are new since the previous sample.
  ///
  /// A process must run to fork. So new pids are not scanned while no member runs; once one has run, all pids assigned
  /// since then are scanned. The clocks are read before the last pid, so a member that forks in between shows as having
  /// run at the next sample.
  ///
  /// - Parameter rootHasRun: whether the clock of the root has advanced; it was read before this call.
  /// - Returns: whether this sample has to read `reaped` of all members.
  mutating func begin(now: Instant, rootHasRun: Bool = true) -> Bool {
    let elapsed = now.nanoseconds &- min(sampleTime.nanoseconds, now.nanoseconds)
    sampleTime = now
    if readsWaits { waits.begin(now: now, sinceBoot: readClock(CLOCK_BOOTTIME) ?? 0) }
    checks.add(elapsed: elapsed, members: members.count)
    readOrphans()
    let isWaiting = ledger.takeWaiting()
    compareClocks(mayRest: !rootHasRun && orphanAccount.reaped == reapedBefore)
    reapedBefore = orphanAccount.reaped
    guard let last = newestPid() else {
      guard now >= discovery.nextScan else { return isWaiting }
      discovery.nextScan = Instant(nanoseconds: now.nanoseconds &+ ProcessTree.scanInterval)
      scan(after: 0, through: .max)
      return true
    }
    let hasRoomAgain = leftOut > 0 && members.count < limit && now >= discovery.nextScan
    if isCompared, !hasRoomAgain {
      return putOff(through: last) || isWaiting
    }
    guard last != discovery.lastPid || discovery.scansAgain || discovery.hasPutOff || hasRoomAgain
    else { return isWaiting }
    discovery.hasPutOff = false
    if hasRoomAgain {
      discovery.nextScan = Instant(nanoseconds: now.nanoseconds &+ ProcessTree.scanInterval)
      discovery.oldPid = discovery.settledPid
      discovery.settledPid = 0
    }
    defer { discovery.oldPid = 0 }
    // Pids wrap around after the greatest.
    if last < discovery.lastPid { discovery.settledPid = 0 }
    noteUnseenChildren(through: last)
    let known = members.count
    discovery.hasUndecided = false
    scan(after: discovery.settledPid, through: discovery.settledPid == 0 ? .max : last)
    // The kernel assigns a pid a moment before its process is visible, so each pid is scanned twice.
    if !discovery.hasUndecided {
      discovery.settledPid = last < discovery.lastPid ? 0 : discovery.lastPid
    }
    discovery.scansAgain = last != discovery.lastPid || discovery.hasUndecided
    discovery.lastPid = last
    guard isLarge, members.count == known else { return true }
    mayLackReaped = true
    return isWaiting
  }

  /// Postpones the processes that are new since the previous sample, but scans the earlier ones again.
  ///
  /// - Returns: whether it has scanned.
  private mutating func putOff(through last: Int32) -> Bool {
    let looksAgain = discovery.scansAgain
    if looksAgain {
      discovery.hasUndecided = false
      scan(
        after: discovery.settledPid, through: discovery.settledPid == 0 ? .max : discovery.lastPid)
      if !discovery.hasUndecided { discovery.settledPid = discovery.lastPid }
      discovery.scansAgain = discovery.hasUndecided
    }
    if last != discovery.lastPid { discovery.hasPutOff = true }
    if last < discovery.lastPid { discovery.settledPid = 0 }
    discovery.lastPid = last
    return looksAgain
  }

  /// Reads the CPU time of orphans. This comes before the members, because parents come first.
  private mutating func readOrphans() {
    guard let orphans else { return }
    orphanAccount.reaped = orphans.cpuNanoseconds
    orphanSystemNanoseconds = orphans.systemNanoseconds
  }

  /// Compares all clocks with the previous sample, if no member had run in that sample either. If none has advanced, no
  /// member can have forked, and new pids need not be scanned.
  ///
  /// Skips this with many members, where it may cost more than reading the new processes.
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

  /// Reads all descendants, parents first.
  ///
  /// - Parameter readsStat: also reads state, threads, faults and waited-for time of the members that have run.
  /// - Returns: whether a member has vanished. If so, and stat was not read, call it again with stat.
  mutating func read(readsStat: Bool) -> Bool {
    readOrphans()
    let due = checks.take(of: members.count)
    let readsStat = readsStat || !usesClock
    if readsStat { mayLackReaped = false }
    // If all clocks were compared, there is nothing else to read.
    let looksAtAll = !isCompared || readsStat
    let end = looksAtAll ? members.count : due.upperBound
    for index in (looksAtAll ? 0 : due.lowerBound)..<end {
      let isChecked = index >= due.lowerBound && index < due.upperBound
      var clock: UInt64?
      var readsWait = false
      if usesClock {
        // If the clocks were compared in this sample, none has advanced.
        clock = isCompared ? clocks[index] : readClock(processClock(pids[index]))
        let hasRun = clock != clocks[index]
        if hasRun { isAtRest = false }
        readsWait = hasRun && waits.reads(members[index].startTicks &* units.tickNanoseconds)
        if !hasRun, !readsStat, !isChecked { continue }
      }
      guard !members[index].hasVanished else { continue }
      if !readMember(index, clock: clock, readsStat: readsStat, isChecked: isChecked) {
        members[index].hasVanished = true
        hasVanished = true
      } else if readsWait {
        waits.spend(readWait(index), now: sampleTime)
      }
    }
    if hasVanished { noteNewParents() }
    return hasVanished
  }

  /// The children of a vanished process have another parent now, even if they have not run.
  private mutating func noteNewParents() {
    for gone in members.indices where members[gone].hasVanished {
      let parent = members[gone].pid
      for index in members.indices where members[index].parent == parent {
        members[index].hasRun = true
      }
    }
  }

  /// Ends the sample and adds up the members.
  ///
  /// - Parameters:
  ///   - hasReadStat: whether all `reaped` values, including the root's, were read in this sample.
  ///   - now: the time of the sample.
  mutating func end(hasReadStat: Bool, now: Instant = Instant(nanoseconds: 0)) -> Totals {
    removeVanished(now: now)
    if hasChanged || hasReadStat { addMembers(hasReadStat: hasReadStat) }
    ledger.begin(with: memberNanoseconds)
    ledger.add(&root, hasReadReaped: hasReadStat)
    if orphans != nil { ledger.add(&orphanAccount, hasReadReaped: true) }
    var totals = memberTotals
    totals.cpuNanoseconds = ledger.end()
    totals.losses = ledger.losses
    totals.systemNanoseconds &+= orphanSystemNanoseconds &+ lostSystemNanoseconds
    totals.storage &+= rootStorage.total
    totals.storage &+= lostStorage
    // Once more after the last of them has ended, so that the others are not watched any longer.
    if forkedCount > 0 || !families.isEmpty { totals.sharing = measureSharing() }
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
    // While time is owed to a member, each sample looks for it.
    hasChanged = ledger.isWaiting
  }
}

/// The CPU clock of a process. Source: `clock_getcpuclockid(3)`, but without its check that the process exists.
func processClock(_ pid: Int32) -> clockid_t { clockid_t(~pid << 3 | 2) }
