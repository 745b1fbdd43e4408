import Glibc
import PerfHUDBase

/// Finds private memory that is counted more than once because forked processes share it until one of them writes to
/// it.
///
/// A process that was forked and has not executed a program (PF_FORKNOEXEC in field 9 of its stat) starts with all
/// private memory of its parent, and shares it. What it allocates later is its own. What it copies by writing is not
/// visible, but each copied page costs a minor fault. So the sum is a lower bound with a known maximum error. The
/// kernel's own share for each process (`Pss_Anon` of smaps_rollup) makes it exact; it is read on the budget of PSS.
extension ProcessTree {
  /// Shared memory below this size is not worth a read.
  static let leastShared: UInt64 = 4 << 20
  /// The CPU time for reading shares in one sample, in nanoseconds.
  static let sharingSlice: UInt64 = 4_000_000
  /// How often a forked process is additionally checked for an executed program; later its stat shows it.
  static let mostExecChecks: UInt8 = 20
  /// The same while the size of its address space does not change.
  static let sameSizeExecChecks: UInt8 = 3

  /// Sets the values of the root; call it before the members are read.
  ///
  /// - Parameter execution: `StatFields.execution`.
  mutating func setRoot(
    privateBytes: UInt64, residentBytes: UInt64, faults: UInt64, execution: UInt64
  ) {
    if rootMemory.inherited.hasExecuted(isForked: false, execution: execution) {
      handOver(ProcessTree.rootSlot)
      rootMemory.inherited.leave(pid: rootPid, execution: execution)
    } else if execution != 0 {
      rootMemory.inherited.setExecution(execution, pid: rootPid)
    }
    rootMemory.privateBytes = privateBytes
    rootMemory.residentBytes = residentBytes
    rootMemory.inherited.faults = faults
  }

  /// Adds up the memory that is counted more than once.
  mutating func measureSharing() -> SharedMemory {
    addFamilies()
    var sum = SharedMemory()
    for index in families.indices {
      let sharing = families[index].sharing
      sum.sharedBytes &+= sharing.sharedBytes
      sum.uncertainBytes &+= sharing.uncertainBytes
    }
    return sum
  }

  private mutating func addFamilies() {
    while !families.isEmpty { families.removeLast() }
    for index in members.indices where members[index].inherited.isForked {
      guard !members[index].isZombie, !members[index].hasVanished else { continue }
      let family = members[index].inherited.family
      if familyIndex(of: family) == nil { families.append(ForkFamily(key: family)) }
    }
    for index in members.indices where !members[index].isZombie && !members[index].hasVanished {
      guard let familyIndex = familyIndex(of: members[index].inherited.family) else {
        members[index].inherited.hasForked = false
        members[index].inherited.share(0, with: 0)
        continue
      }
      // Memory that it has released is no longer shared.
      let bytes = members[index].privateBytes(pageBytes: units.pageBytes)
      members[index].inherited.sharedBytes = min(members[index].inherited.sharedBytes, bytes)
      families[familyIndex].add(
        members[index].inherited, pid: members[index].pid, privateBytes: bytes,
        residentBytes: members[index].residentPages &* units.pageBytes, pages: faultedPages)
    }
    if let familyIndex = familyIndex(of: rootMemory.inherited.family) {
      let shared = min(rootMemory.inherited.sharedBytes, rootMemory.privateBytes)
      rootMemory.inherited.sharedBytes = shared
      families[familyIndex].add(
        rootMemory.inherited, pid: rootPid, privateBytes: rootMemory.privateBytes,
        residentBytes: rootMemory.residentBytes, pages: faultedPages)
    } else {
      rootMemory.inherited.hasForked = false
      rootMemory.inherited.share(0, with: 0)
    }
    addKept()
  }

  func familyIndex(of key: UInt64) -> Int? {
    for index in families.indices where families[index].key == key { return index }
    return nil
  }

  // MARK: As the kernel counts it

  /// Whether reading the shares is worth its cost: much is shared, some of it may have been copied, and no process is
  /// so large that the read would stall it for long.
  func wantsSharing(now: Instant) -> Bool {
    guard forkedCount > 0, shareReads.isDue(now: now) else { return false }
    var shared: UInt64 = 0
    var copied: UInt64 = 0
    for index in families.indices {
      if families[index].mostResident > PSSReader.largestUnasked { return false }
      let sharing = families[index].sharing
      shared &+= sharing.sharedBytes
      copied &+= sharing.uncertainBytes
    }
    return shared >= ProcessTree.leastShared && copied >= ProcessTree.leastShared / 4
  }

  /// Whether some processes remain to be read.
  var isReadingSharing: Bool { shareReads.cursor != nil }

  /// Reads the shares of some of the processes. They take effect with the last process.
  ///
  /// - Parameter isFirst: starts with the first process.
  mutating func readSharing(now: Instant, isFirst: Bool) {
    let before = readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0
    if isFirst {
      beginShares()
      shareReads.begin()
    }
    while let cursor = shareReads.cursor, !shareReads.isDenied {
      if cursor < 0 {
        if familyIndex(of: rootMemory.inherited.family) != nil {
          rootMemory.inherited.take(
            share: readShare(of: rootPid), privateBytes: rootMemory.privateBytes)
        }
      } else if cursor < members.count {
        if mayShare(cursor), readStat(cursor), readMemory(cursor), mayShare(cursor) {
          let member = members[cursor]
          members[cursor].inherited.take(
            share: readShare(of: member.pid),
            privateBytes: member.privateBytes(pageBytes: units.pageBytes))
        }
      } else {
        shareReads.end(at: now)
        settleSharing()
        return
      }
      shareReads.advance()
      let cost = (readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0) &- before
      if cost >= ProcessTree.sharingSlice { return }
    }
    shareReads.cancel()
  }

  /// Notes the values of all processes before their shares are read.
  mutating func beginShares() {
    for index in members.indices {
      let bytes = members[index].privateBytes(pageBytes: units.pageBytes)
      members[index].inherited.beginShares(privateBytes: bytes)
    }
    rootMemory.inherited.beginShares(privateBytes: rootMemory.privateBytes)
  }

  /// Whether a process is alive and of a family whose processes may share memory.
  func mayShare(_ index: Int) -> Bool {
    let member = members[index]
    return !member.isZombie && !member.hasVanished
      && familyIndex(of: member.inherited.family) != nil
  }

  private mutating func readShare(of pid: Int32) -> UInt64? {
    let file = openFile(pid, "/smaps_rollup")
    guard file >= 0 else {
      if errno == EACCES || errno == EPERM { shareReads.isDenied = true }
      return nil
    }
    defer { close(file) }
    let count = unsafe pread(file, buffer.baseAddress, buffer.count, 0)
    guard let found = parse(count, as: SmapsRollupFields.self) else { return nil }
    if found.pssPrivateBytes == nil { shareReads.isDenied = true }
    return found.pssPrivateBytes
  }

  /// Distributes what the processes of each family share over all of them except the one that shares most, for which
  /// it is counted.
  mutating func settleSharing() {
    addFamilies()
    for index in members.indices where mayShare(index) {
      members[index].inherited = settled(members[index].inherited, pid: members[index].pid)
    }
    rootMemory.inherited = settled(rootMemory.inherited, pid: rootPid)
    hasChanged = true
  }

  private func settled(_ before: InheritedMemory, pid: Int32) -> InheritedMemory {
    guard let familyIndex = familyIndex(of: before.family), families[familyIndex].isWhole else {
      return before
    }
    let holder = families[familyIndex].holder
    var memory = before
    memory.settleAtShare()
    memory.isGuess = false
    memory.hasHeirs = pid == holder
    memory.share(families[familyIndex].shared(of: before), with: pid == holder ? 0 : holder)
    return memory
  }
}
