import CLinux
import Glibc
import Synchronization

/// Takes over descendants whose parents have ended, so that what they used and how they ended is known.
///
/// The process that makes one becomes a child subreaper: such descendants become its children instead of
/// those of process 1. It has to wait for them: call `reap` on every `SIGCHLD`. Any thread may read what
/// they used. Source: `PR_SET_CHILD_SUBREAPER` of prctl(2), `wait4(2)`.
public final class OrphanReaper: Sendable {
  /// The ends that are remembered: more than there are between two readings of the tree.
  private static let capacity = 1024

  private struct Ends: Sendable {
    var pids = InlineArray<1024, Int32>(repeating: 0)
    var statuses = InlineArray<1024, Int32>(repeating: 0)
    var next = 0
  }

  private let ends = Mutex(Ends())
  private let used = Atomic<UInt64>(0)

  /// Call it before anything is started.
  ///
  /// - Returns: `nil` if the kernel does not allow it.
  public init?() {
    guard perfhud_become_subreaper() == 0 else { return nil }
  }

  /// CPU time of all orphans that have ended, with that of descendants that they had waited for, in
  /// nanoseconds.
  public var cpuNanoseconds: UInt64 { used.load(ordering: .acquiring) }

  /// Waits for the orphans that have ended, without sleeping.
  ///
  /// - Parameter child: the child that this process started itself; it is not waited for.
  public func reap(except child: Int32) {
    var status: Int32 = 0
    var nanoseconds: UInt64 = 0
    while case let pid = unsafe perfhud_reap_orphan(child, &status, &nanoseconds), pid > 0 {
      ends.withLock { ends in
        ends.pids[ends.next] = pid
        ends.statuses[ends.next] = status
        ends.next = (ends.next + 1) % OrphanReaper.capacity
      }
      used.add(nanoseconds, ordering: .releasing)
    }
  }

  /// How an orphan ended, as `wait4(2)` tells; `nil` if it is none that ended of late.
  func status(of pid: Int32) -> Int32? {
    ends.withLock { ends in
      for age in 1...OrphanReaper.capacity {
        let index = (ends.next - age + OrphanReaper.capacity) % OrphanReaper.capacity
        if ends.pids[index] == pid { return ends.statuses[index] }
        if ends.pids[index] == 0 { return nil }
      }
      return nil
    }
  }
}

extension OrphanReaper: Equatable {
  public static func == (a: OrphanReaper, b: OrphanReaper) -> Bool { a === b }
}
