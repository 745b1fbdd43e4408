import PerfHUDBase

/// The children of this process other than its command: how orphans of the command ended recently, and which children
/// are not orphans of the command. Pure.
///
/// A helper is a child that this process has started for itself, in a session of its own. Processes that a helper
/// starts stay in its session, even after this process has adopted them. A process that leaves that session counts as
/// an orphan.
struct OrphanList: Sendable {
  /// The number of ends that are remembered: more than occur between two samples of the tree.
  static let capacity = 1024
  /// The number of helpers that are remembered, including ended ones, since processes that they started may live on.
  static let helperCapacity = 64

  private struct Helper: Sendable {
    var pid: Int32
    var hasEnded = false
  }

  /// -1 for an end that was taken or forgotten.
  private var pids = InlineArray<1024, Int32>(repeating: 0)
  private var statuses = InlineArray<1024, Int32>(repeating: 0)
  private var ring = RingIndex<1024>()
  /// The child whose end has been taken but whose number is not free yet; 0 if there is none.
  var reaped: Int32 = 0
  /// Whether a helper is being started, so that its number is not known yet.
  private(set) var isStartingHelper = false
  private var helpers: [Helper] = []
  private var inherited: [Int32]

  /// - Parameter inherited: the children that existed before the command was started.
  init(inherited: [Int32] = []) {
    self.inherited = inherited
    helpers.reserveCapacity(OrphanList.helperCapacity)
  }

  // MARK: Helpers

  /// Whether one more helper can be remembered.
  var hasRoom: Bool {
    helpers.count < OrphanList.helperCapacity || helpers.contains(where: \.hasEnded)
  }

  /// - Returns: whether one more helper may be started; then call `endHelper`.
  mutating func beginHelper() -> Bool {
    isStartingHelper = hasRoom
    return isStartingHelper
  }

  /// - Parameter pid: the helper that was started; not positive if none was.
  mutating func endHelper(_ pid: Int32) {
    if pid > 0 { add(helper: pid) }
    isStartingHelper = false
  }

  /// Adds a helper that has just been started. If the list is full, it replaces the oldest one that has ended.
  mutating func add(helper pid: Int32) {
    helpers.removeAll { $0.pid == pid }
    if helpers.count >= OrphanList.helperCapacity,
      let oldest = helpers.firstIndex(where: \.hasEnded)
    {
      helpers.remove(at: oldest)
    }
    helpers.append(Helper(pid: pid))
  }

  func isRunning(helper pid: Int32) -> Bool {
    helpers.contains { $0.pid == pid && !$0.hasEnded }
  }

  /// Forgets a helper that has ended, because another process has its number now.
  mutating func forget(helper pid: Int32) { helpers.removeAll { $0.pid == pid && $0.hasEnded } }

  /// Whether a process is a helper, was started by one, or existed before the command.
  func isOther(_ pid: Int32, session: Int32) -> Bool {
    helpers.contains { $0.pid == session || ($0.pid == pid && !$0.hasEnded) }
      || inherited.contains(pid)
  }

  // MARK: Ends

  /// Records the end of a child.
  ///
  /// - Returns: whether it was an orphan of the command.
  mutating func takeEnd(of pid: Int32, session: Int32, status: Int32) -> Bool {
    if let index = helpers.firstIndex(where: { $0.pid == pid && !$0.hasEnded }) {
      helpers[index].hasEnded = true
      return false
    }
    if let index = inherited.firstIndex(of: pid) {
      inherited.remove(at: index)
      return false
    }
    // The process leads a new session that has the number of an ended one.
    if session == pid { forget(helper: pid) }
    guard !isOther(pid, session: session) else { return false }
    let slot = ring.advance()
    pids[slot] = pid
    statuses[slot] = status
    return true
  }

  /// Takes the status with which an orphan ended; `nil` if it has not ended recently.
  mutating func takeStatus(of pid: Int32) -> Int32? {
    guard let index = index(of: pid) else { return nil }
    pids[index] = -1
    return statuses[index]
  }

  /// Forgets the end of the process that had this number before.
  ///
  /// - Returns: whether it was a helper. False for a child that is being reaped: the number is still its own.
  mutating func forget(_ pid: Int32) -> Bool {
    guard pid != reaped else { return false }
    while let index = index(of: pid) { pids[index] = -1 }
    return helpers.contains { $0.pid == pid && $0.hasEnded }
  }

  /// The slot of the process's most recent end.
  private func index(of pid: Int32) -> Int? {
    for age in 0..<ring.count where pids[ring.slot(age: age)] == pid { return ring.slot(age: age) }
    return nil
  }
}
