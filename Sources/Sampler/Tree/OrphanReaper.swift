import Base
import CLinux
import Glibc
import Synchronization

/// Takes over descendants whose parents have ended, so that what they used and how they ended is known.
///
/// The process that makes one becomes a child subreaper: such descendants become its children instead of
/// those of process 1. It has to wait for them: call `reap` on every `SIGCHLD`. Any thread may read what
/// they used. Children that are no such descendants are waited for too, and not counted: those from
/// before, and the helpers that this process starts for itself. Source: `PR_SET_CHILD_SUBREAPER` of prctl(2),
/// `wait4(2)`.
public final class OrphanReaper: Sendable {
  private let list = Mutex(OrphanList())
  private let used = Atomic<UInt64>(0)

  /// Call it before anything is started.
  ///
  /// - Returns: `nil` if the kernel does not allow it.
  public init?() {
    guard perfhud_become_subreaper() == 0 else { return nil }
    guard perfhud_has_children() != 0 else { return }
    let inherited = OrphanReaper.children()
    list.withLock { $0 = OrphanList(inherited: inherited) }
  }

  /// The children that there are: those that the process had before it was another program.
  private static func children() -> [Int32] {
    let own = getpid()
    return subdirectories(of: "/proc").compactMap { name in
      guard let pid = Int32(name), let bytes = try? readFile("/proc/\(pid)/stat"),
        let stat = unsafe StatFields(bytes.span.bytes), stat.parent == own
      else { return nil }
      return pid
    }
  }

  /// CPU time of all orphans that have ended, with that of descendants that they had waited for, in
  /// nanoseconds.
  public var cpuNanoseconds: UInt64 { used.load(ordering: .acquiring) }

  /// Starts a helper: a child that leads a session of its own and is not measured, nor is what it starts.
  ///
  /// `reap` waits for it; nobody else may. No other thread sees it before it is known as a helper.
  ///
  /// - Parameter start: returns the process, or a number that is not positive if there is none.
  /// - Returns: what `start` did; `nil` if too many helpers run already.
  public func startHelper(_ start: () -> Int32) -> Int32? {
    list.withLock { list in
      guard list.hasRoom else { return nil }
      let pid = start()
      if pid > 0 { list.add(helper: pid) }
      return pid
    }
  }

  /// Whether a helper has not been waited for yet.
  public func isRunning(helper pid: Int32) -> Bool {
    list.withLock { $0.isRunning(helper: pid) }
  }

  /// Waits for the orphans and helpers that have ended, without sleeping.
  ///
  /// - Parameter child: the child that this process started itself; it is not waited for.
  public func reap(except child: Int32) {
    while reapOne(except: child) {}
  }

  /// The lock is held while the number becomes free, so that its next owner is not seen before its end.
  private func reapOne(except child: Int32) -> Bool {
    list.withLock { list in
      var status: Int32 = 0
      var session: Int32 = 0
      var nanoseconds: UInt64 = 0
      let pid = unsafe perfhud_reap_orphan(child, &status, &session, &nanoseconds)
      guard pid > 0 else { return false }
      if list.takeEnd(of: pid, session: session, status: status) {
        used.add(nanoseconds, ordering: .releasing)
      }
      return true
    }
  }

  // MARK: For the tree

  /// Takes out how an orphan ended, as `wait4(2)` tells; `nil` if it is none that ended of late.
  func takeStatus(of pid: Int32) -> Int32? { list.withLock { $0.takeStatus(of: pid) } }

  /// Forgets the end of whoever had a number before; call it before a new process is looked at.
  ///
  /// - Returns: whether a helper that has ended had the number: if there is a process now, it is another one.
  func forget(_ pid: Int32) -> Bool { list.withLock { $0.forget(pid) } }

  func forget(helper pid: Int32) { list.withLock { $0.forget(helper: pid) } }

  /// Whether a process has nothing to do with the command; see `OrphanList.isOther`.
  func isOther(_ pid: Int32, session: Int32) -> Bool {
    list.withLock { $0.isOther(pid, session: session) }
  }
}

extension OrphanReaper: Equatable {
  public static func == (a: OrphanReaper, b: OrphanReaper) -> Bool { a === b }
}
