import Glibc
import PerfHUDBase

/// Values of the members that are read less often because they cost more: swap, page tables, I/O, waits and PSS.
extension ProcessTree {
  /// The number of members that are read in one sample, so that no sample is late.
  static let lowRateSlice = 64

  /// Starts reading the low-rate values of all members.
  mutating func beginLowRateValues() {
    lowRateCursor = 0
    rootIgnoresChildren = nil
  }

  /// Reads swap, page tables, I/O and waits of the next members that have run. Costs about 35 µs for each.
  mutating func readLowRateValues() {
    guard var index = lowRateCursor else { return }
    var count = 0
    while index < members.count, count < ProcessTree.lowRateSlice {
      let mayDiffer =
        members[index].hasRunSinceLowRate || members[index].storage.isOwed || !usesClock
      if !members[index].hasVanished, mayDiffer {
        readLowRateValues(of: index)
        // A thread costs about as much as a third of a process.
        count += 1 + (readsWaits && members[index].wait.hasRun ? readWait(index) / 3 : 0)
      }
      index += 1
    }
    lowRateCursor = index < members.count ? index : nil
  }

  private mutating func readLowRateValues(of index: Int) {
    let pid = members[index].pid
    members[index].hasRunSinceLowRate = false
    hasChanged = true
    if let status = readFile(of: pid, "/status", as: StatusFields.self) {
      members[index].sharedMemoryBytes = status.residentSharedBytes ?? 0
      members[index].swapBytes = status.swapBytes ?? 0
      members[index].pageTableBytes = status.pageTableBytes ?? 0
      members[index].ignoresChildren = status.ignoresChildren
    }
    if let io = readFile(of: pid, "/io", as: IOFields.self) {
      members[index].storage.take(io)
    }
  }

  /// Returns the sum of the proportional set sizes of the descendants; `nil` if one may not be read. Updates what
  /// forked processes share.
  ///
  /// - Parameters:
  ///   - rootShare: the private part of the root's PSS.
  ///   - now: the time of the sample.
  mutating func readPSS(rootShare: UInt64?, now: Instant) -> UInt64? {
    var sum: UInt64 = 0
    beginShares()
    rootMemory.inherited.take(share: rootShare, privateBytes: rootMemory.privateBytes)
    for index in members.indices {
      guard !members[index].isZombie else { continue }
      if mayShare(index), !readStat(index) || !readMemory(index) { continue }
      let file = openFile(members[index].pid, "/smaps_rollup")
      guard file >= 0 else {
        if errno == EACCES || errno == EPERM { return nil }
        continue
      }
      defer { close(file) }
      // The file of a process that is about to end or executes another program is empty for a moment.
      let count = unsafe pread(file, buffer.baseAddress, buffer.count, 0)
      guard let found = parse(count, as: SmapsRollupFields.self) else { continue }
      sum &+= found.pssBytes
      members[index].inherited.take(
        share: found.pssPrivateBytes,
        privateBytes: members[index].privateBytes(pageBytes: units.pageBytes))
    }
    // Processes that are forked later are read as soon as the budget allows.
    if forkedCount > 0 { shareReads.end(at: now) } else { shareReads.cancel() }
    settleSharing()
    return sum
  }
}
