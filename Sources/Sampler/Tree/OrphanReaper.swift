import CLinux
import Glibc
import PerfHUDBase
import Synchronization

/// Adopts descendants whose parents have ended, to learn their CPU time, their greatest memory and how they end.
///
/// Creating one makes this process a child subreaper: such descendants become its children instead of those of process
/// 1, and it must wait for them. Call `reap` on every `SIGCHLD`. `reap` also waits for children that are not orphans,
/// without counting them: children from before, and helpers that this process starts for itself. Any thread may read
/// the CPU time. Source: `PR_SET_CHILD_SUBREAPER` of prctl(2), `waitid(2)`.
package final class OrphanReaper: Sendable {
  private let list: Mutex<OrphanList>
  private let used = Atomic<UInt64>(0)
  private let usedBySystem = Atomic<UInt64>(0)
  private let maxResident = Atomic<UInt64>(0)

  /// Call it before anything is started.
  ///
  /// - Returns: `nil` if the kernel does not allow it.
  package convenience init?() {
    guard perfhud_become_subreaper() == 0 else { return nil }
    self.init(inherited: perfhud_has_children() != 0 ? OrphanReaper.children() : [])
  }

  /// - Parameter inherited: children that are not orphans.
  init(inherited: [Int32]) { list = Mutex(OrphanList(inherited: inherited)) }

  /// The children that the process already had before it executed this program.
  private static func children() -> [Int32] {
    let own = getpid()
    return subdirectories(of: "/proc").compactMap { name in
      guard let pid = Int32(name), let stat = StatFields(path: "/proc/\(pid)/stat"),
        stat.parent == own
      else { return nil }
      return pid
    }
  }

  /// CPU time of all orphans that have ended, including descendants that they had waited for, in nanoseconds.
  package var cpuNanoseconds: UInt64 { used.load(ordering: .acquiring) }

  /// The part of that CPU time that was spent in the kernel.
  var systemNanoseconds: UInt64 { usedBySystem.load(ordering: .acquiring) }

  /// The greatest resident memory of a single orphan that has ended, or of a descendant that one had waited for, in
  /// bytes; 0 without any.
  package var maxResidentBytes: UInt64 { maxResident.load(ordering: .relaxed) }

  /// Starts a helper: a child that leads a session of its own. Neither it nor the processes that it starts are
  /// measured.
  ///
  /// `reap` waits for it; no other code may. Until `start` has returned, the tree does not decide what a new
  /// child of this process is (`isOther`). Called by the thread that calls `reap`.
  ///
  /// - Parameter start: returns the process, or a number that is not positive if there is none.
  /// - Returns: what `start` did; `nil` if too many helpers run already.
  package func startHelper(_ start: () -> Int32) -> Int32? {
    guard list.withLock({ $0.beginHelper() }) else { return nil }
    let pid = start()
    list.withLock { $0.endHelper(pid) }
    return pid
  }

  /// Whether a helper has not been waited for yet.
  package func isRunning(helper pid: Int32) -> Bool {
    list.withLock { $0.isRunning(helper: pid) }
  }

  /// Waits for the orphans and helpers that have ended, without blocking.
  ///
  /// - Parameter child: the command, which this process started itself; it is not waited for.
  package func reap(except child: Int32) {
    while reapOne(except: child) {}
  }

  /// The end is in the list before the number becomes free, so that no thread sees the next owner of the number first.
  /// No lock is held across a system call.
  private func reapOne(except child: Int32) -> Bool {
    var status: Int32 = 0
    var session: Int32 = 0
    var usage = perfhud_child_usage()
    let pid = unsafe perfhud_find_ended_child(child, &status, &session, &usage)
    guard pid > 0 else { return false }
    let isOrphan = list.withLock { list in
      list.reaped = pid
      return list.takeEnd(of: pid, session: session, status: status)
    }
    perfhud_reap_child(pid)
    list.withLock { $0.reaped = 0 }
    // Only after the process is gone: until then its own clock counts.
    if isOrphan {
      // The part before the whole, as the whole is read first.
      usedBySystem.add(usage.system_nanoseconds, ordering: .releasing)
      used.add(usage.nanoseconds, ordering: .releasing)
      maxResident.max(usage.max_resident_bytes, ordering: .relaxed)
    }
    return true
  }

  // MARK: For the tree

  /// Takes the status with which an orphan ended, as reported by `wait4(2)`; `nil` if it has not ended recently.
  func takeStatus(of pid: Int32) -> Int32? { list.withLock { $0.takeStatus(of: pid) } }

  /// Forgets the end of the process that had this number before. Call it before a new process is read.
  ///
  /// - Returns: whether it belonged to a helper that has ended. If so, a process with this number now is another one.
  func forget(_ pid: Int32) -> Bool { list.withLock { $0.forget(pid) } }

  func forget(helper pid: Int32) { list.withLock { $0.forget(helper: pid) } }

  /// Whether a process does not belong to the command (see `OrphanList.isOther`); `nil` while a helper is being started
  /// and so the answer is unknown.
  ///
  /// - Parameter isOwnChild: whether it is a child of this process.
  func isOther(_ pid: Int32, session: Int32, isOwnChild: Bool) -> Bool? {
    list.withLock { list in
      if list.isOther(pid, session: session) { return true }
      return isOwnChild && list.isStartingHelper ? nil : false
    }
  }
}

extension OrphanReaper: Equatable {
  package static func == (a: OrphanReaper, b: OrphanReaper) -> Bool { a === b }
}
