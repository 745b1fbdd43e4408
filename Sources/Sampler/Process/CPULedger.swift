/// The CPU time of one process of a tree, in nanoseconds.
struct CPUAccount: BitwiseCopyable, Sendable, Equatable {
  /// Of its own threads.
  var own: UInt64 = 0
  /// Of descendants that were waited for: fields 16 and 17 of `/proc/PID/stat`, in whole ticks.
  var reaped: UInt64 = 0
  /// `reaped` at the end of the previous sample.
  private(set) var settledReaped: UInt64 = 0
  /// The time of descendants that have vanished, as far as it is not in `reaped` yet.
  private(set) var owed: UInt64 = 0
  private var owedSince: UInt64 = 0
  private var hasWaited = false

  init(own: UInt64 = 0) { self.own = own }

  /// Whether the time of a descendant is expected.
  var isOwed: Bool { owed > 0 }

  /// The part of the owed time that is still missing.
  fileprivate func missing(slack: UInt64) -> UInt64 {
    let growth = reaped &- min(owedSince, reaped)
    return owed > growth &+ slack ? owed &- growth : 0
  }

  /// A descendant has vanished: if it was waited for, its time will be in `reaped`, or is already.
  mutating func owe(_ nanoseconds: UInt64) {
    if owed == 0 { owedSince = settledReaped }
    hasWaited = false
    owed &+= nanoseconds
  }

  /// Ends a sample in which `reaped` was read.
  ///
  /// - Returns: the time that is lost, because it did not come within two samples.
  fileprivate mutating func settle(slack: UInt64) -> UInt64 {
    settledReaped = reaped
    let missing = missing(slack: slack)
    if missing > 0, !hasWaited {
      hasWaited = true
      return 0
    }
    owed = 0
    return missing
  }
}

/// The CPU time of a process and all its descendants, so that it neither falls nor loses what short-lived
/// children used; pure.
///
/// When a child is waited for, its time moves, exact to the nanosecond, into the account of its parent.
/// So the sum over the living processes of their own time and that of descendants that they waited for
/// is conserved, whether or not the child was ever seen. Time that no process inherits (the parent ended
/// first, or ignores `SIGCHLD`) is kept here as it was last seen, a lower bound.
struct CPULedger: Sendable {
  /// Two counters, each cut off to whole ticks.
  let slack: UInt64
  /// Time that is no longer in the account of any living process.
  private(set) var lost: UInt64 = 0
  /// Processes whose last values are not known, so that the total is a lower bound.
  private(set) var losses: UInt32 = 0
  /// The time of processes before they were added late; it does not count.
  private(set) var excluded: UInt64 = 0
  /// The total of the previous sample.
  private(set) var total: UInt64 = 0
  /// The sum of the present sample so far.
  private(set) var sum: UInt64 = 0
  /// Something is owed that the next sample should bring; it must read `reaped`.
  private(set) var isWaiting = false

  init(tickNanoseconds: UInt64) { slack = 2 &* tickNanoseconds }

  /// Begins a sample.
  ///
  /// - Parameter part: what accounts add up to that have not changed, and to which nothing is owed.
  mutating func begin(with part: UInt64 = 0) { sum = part }

  /// Adds a living process to the sample.
  ///
  /// - Parameter hasReadReaped: whether `reaped` is of this sample.
  mutating func add(_ account: inout CPUAccount, hasReadReaped: Bool) {
    if hasReadReaped {
      let missing = account.settle(slack: slack)
      lost &+= missing
      if missing > 0 { losses &+= 1 }
    }
    sum &+= account.own &+ account.reaped &+ account.missing(slack: slack)
    if account.owed > 0 { isWaiting = true }
  }

  /// Ends the sample and returns the total, which never falls.
  mutating func end() -> UInt64 {
    let all = sum &+ lost
    total = max(total, all &- min(excluded, all))
    return total
  }

  /// A process has vanished: its nearest living ancestor may have taken its time over.
  mutating func remove(_ account: CPUAccount, heir: inout CPUAccount) {
    heir.owe(rest(of: account))
    isWaiting = true
  }

  /// A process has vanished whose time no process in the tree inherits.
  ///
  /// - Parameter isWhole: it was a zombie when it was last read, so nothing is missing.
  mutating func remove(_ account: CPUAccount, isWhole: Bool = false) {
    lost &+= rest(of: account)
    if !isWhole { losses &+= 1 }
  }

  /// An orphan was adopted by another process: others may have been adopted unseen.
  mutating func noteOrphan() { losses &+= 1 }

  /// A process that was there before is taken in only now.
  mutating func exclude(_ account: CPUAccount) { excluded &+= account.own &+ account.reaped }

  /// The next sample reads `reaped` of all processes.
  mutating func takeWaiting() -> Bool {
    defer { isWaiting = false }
    return isWaiting
  }

  private func rest(of account: CPUAccount) -> UInt64 {
    account.own &+ account.reaped &+ account.missing(slack: slack)
  }
}

/// A sum over processes that come and go, of values that each only grow.
struct MonotoneSum: BitwiseCopyable, Sendable {
  private(set) var total: UInt64 = 0
  private var base: UInt64 = 0

  /// - Returns: the total; when the sum has fallen, since a process took its part along, that stays.
  mutating func update(_ sum: UInt64) -> UInt64 {
    if sum &+ base < total { base = total &- sum }
    total = sum &+ base
    return total
  }
}
