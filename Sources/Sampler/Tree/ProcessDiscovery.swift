import PerfHUDBase

/// How far a process tree has looked for new processes.
struct ProcessDiscovery: Sendable {
  /// Processes outside the tree with pids above `settledPid`.
  var knownOutsiders = OtherProcesses()
  /// Pids up to this one were read after their processes had become visible.
  var settledPid: Int32 = 0
  /// The last pid that the kernel had assigned when it was last asked.
  var lastPid: Int32 = 0
  var scansAgain = true
  /// Whether new processes were not read because no member had run when they began.
  var hasPutOff = false
  /// Whether the last scan found a child of this process that may be a helper that is just being started.
  var hasUndecided = false
  /// A process that is added now with a pid up to this one is not new: the CPU time it already has does not count.
  var oldPid: Int32 = 0
  var nextScan = Instant(nanoseconds: 0)
  /// When the last two scans were made, in nanoseconds since boot; 0 if there were fewer. What the last one adds has
  /// begun since the one before, unless it belongs to the tree for another reason.
  private(set) var scans: (former: UInt64, last: UInt64) = (0, 0)

  mutating func noteScan(sinceBoot now: UInt64) { scans = (scans.last, now) }
  /// Whether offsets in the listing are pids plus 258; `nil` until they have been compared.
  var offsetsArePids: Bool?
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
