/// The CPU time of one process of a tree, in nanoseconds.
struct CPUAccount: BitwiseCopyable, Sendable, Equatable {
  /// The time of its own threads.
  var own: UInt64 = 0
  /// The time of descendants that were waited for: fields 16 and 17 of `/proc/PID/stat`, in whole ticks.
  var reaped: UInt64 = 0
  /// `reaped` at the end of the previous sample.
  private(set) var settledReaped: UInt64 = 0
  /// The time of descendants that have vanished, minus what `reaped` already includes.
  private(set) var owed: UInt64 = 0
  private var owedSince: UInt64 = 0
  private var hasWaited = false

  init(own: UInt64 = 0) { self.own = own }

  /// Whether the time of a vanished descendant has not arrived in `reaped` yet.
  var isOwed: Bool { owed > 0 }

  /// The part of the owed time that is still missing.
  fileprivate func missing(slack: UInt64) -> UInt64 {
    let growth = reaped &- min(owedSince, reaped)
    return owed > growth &+ slack ? owed &- growth : 0
  }

  /// Notes that a descendant has vanished. If it was waited for, `reaped` includes its time now or will soon.
  mutating func owe(_ nanoseconds: UInt64) {
    if owed == 0 { owedSince = settledReaped }
    hasWaited = false
    owed &+= nanoseconds
  }

  /// Ends a sample in which `reaped` was read.
  ///
  /// - Returns: the time that counts as lost because it did not arrive within two samples.
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

/// The CPU time of a process and all its descendants. The total never falls and includes short-lived children. Pure.
///
/// When a child is waited for, its time moves into the account of its parent, exact to the nanosecond. So the sum over
/// the living processes, each with its own time and that of the descendants it waited for, is conserved whether or not
/// the child was ever seen. Time that no process inherits (the parent ended first, or ignores `SIGCHLD`) is kept here
/// as last seen, which is a lower bound.
struct CPULedger: Sendable {
  /// The error of two counters, each truncated to whole ticks.
  let slack: UInt64
  /// Time that is no longer in the account of any living process.
  private(set) var lost: UInt64 = 0
  /// The number of processes whose final values are unknown; if there are any, the total is a lower bound.
  private(set) var losses: UInt32 = 0
  /// The time that processes had used before they joined late; it does not count.
  private(set) var excluded: UInt64 = 0
  /// The part of `excluded` that the processes used themselves, without their ended descendants.
  private(set) var excludedOwnThreads: UInt64 = 0
  /// The total of the previous sample.
  private(set) var total: UInt64 = 0
  /// The sum in the current sample so far.
  private(set) var sum: UInt64 = 0
  /// Whether the next sample must read `reaped`, because it should include time that is still owed.
  private(set) var isWaiting = false

  init(tickNanoseconds: UInt64) { slack = 2 &* tickNanoseconds }

  /// Begins a sample.
  ///
  /// - Parameter part: the sum of the accounts that have not changed and are not owed anything.
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

  /// Removes a process that has vanished. Its nearest living ancestor, the heir, may have inherited its time.
  mutating func remove(_ account: CPUAccount, heir: inout CPUAccount) {
    heir.owe(rest(of: account))
    isWaiting = true
  }

  /// Removes a process that has vanished and whose time no process in the tree inherits.
  ///
  /// - Parameter isWhole: whether it was a zombie when it was last read, so that nothing is missing.
  mutating func remove(_ account: CPUAccount, isWhole: Bool = false) {
    lost &+= rest(of: account)
    if !isWhole { losses &+= 1 }
  }

  /// Notes that CPU time is missing of which nothing is known: an orphan was adopted by another process, so others may
  /// have been adopted unseen; or the root has ended before its last values were read.
  mutating func noteUnknownLoss() { losses &+= 1 }

  /// Excludes the time that a process had used before it joined.
  mutating func exclude(_ account: CPUAccount) {
    excluded &+= account.own &+ account.reaped
    excludedOwnThreads &+= account.own
  }

  /// Whether the next sample has to read `reaped` of all processes; resets the request.
  mutating func takeWaiting() -> Bool {
    defer { isWaiting = false }
    return isWaiting
  }

  private func rest(of account: CPUAccount) -> UInt64 {
    account.own &+ account.reaped &+ account.missing(slack: slack)
  }
}

/// A sum of growing values over processes that come and go.
struct MonotoneSum: BitwiseCopyable, Sendable {
  private(set) var total: UInt64 = 0
  private var base: UInt64 = 0

  /// - Returns: the total. It stays when the sum falls because a process has left with its part.
  mutating func update(_ sum: UInt64) -> UInt64 {
    if sum &+ base < total { base = total &- sum }
    total = sum &+ base
    return total
  }
}
