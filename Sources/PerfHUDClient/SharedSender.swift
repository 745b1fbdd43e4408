import Glibc
import PerfHUDBase
import PerfHUDEvents
import Synchronization

/// The one sender of a process, for all its threads.
///
/// Its lock is not a `Mutex`. In a child of fork(2), a `Mutex` might wait forever for a thread that exists only in the
/// parent, and a signal handler that interrupts the thread with the lock would end the program. A thread that does not
/// get the lock within `patience` goes on without it, and its event is counted as missing. A signal handler goes on at
/// once.
@safe final class SharedSender: @unchecked Sendable {
  // Used only by the thread that has the lock, hence the unchecked Sendable.
  private var sender: EventSender
  /// The process that has the lock; 0: none.
  private let holder = Atomic<Int32>(0)
  /// The thread of that process that has the lock; 0: none.
  private let thread = Atomic<UInt>(0)
  /// The number of events that did not get the lock.
  private let missed = Atomic<UInt32>(0)
  /// While there is no HUD: when to look for one again, in nanoseconds; otherwise 0.
  private let quietUntil = Atomic<UInt64>(0)
  /// How long a thread waits for the lock, in nanoseconds: far longer than a running thread keeps it.
  private static let patience: Int64 = 50_000_000
  private static let yields = 100

  init(_ sender: consuming EventSender) { self.sender = sender }

  /// - Parameters:
  ///   - isEvent: whether the call counts as a missing event if the lock is not available.
  ///   - body: also gets the PID of this process, since getpid(2) is a system call.
  /// - Returns: what the body returns; `nil` without the lock.
  @discardableResult
  func withLock<Result>(isEvent: Bool = true, _ body: (inout EventSender, Int32) -> Result)
    -> Result?
  {
    let own = getpid()
    guard take(own) else {
      if isEvent { missed.wrappingAdd(1, ordering: .relaxed) }
      return nil
    }
    defer {
      thread.store(0, ordering: .relaxed)
      holder.store(0, ordering: .releasing)
    }
    if missed.load(ordering: .relaxed) > 0 {
      sender.skip(missed.exchange(0, ordering: .relaxed))
    }
    defer { quietUntil.store(sender.quietUntil?.nanoseconds ?? 0, ordering: .relaxed) }
    return body(&sender, own)
  }

  /// Whether an event needs any work. Without a HUD a call only reads a clock and returns, since the lock costs a
  /// system call.
  var mayHaveListener: Bool {
    let until = quietUntil.load(ordering: .relaxed)
    return until == 0 || Instant.now().nanoseconds >= until
  }

  private func take(_ own: Int32) -> Bool {
    let ownThread = pthread_self()
    var tries = 0
    var deadline: Instant?
    while true {
      let (isTaken, other) = holder.compareExchange(
        expected: 0, desired: own, ordering: .acquiring)
      // The lock belonged to a thread of the parent, which does not exist in this child of fork.
      let isLeft =
        !isTaken && other != own
        && holder.compareExchange(expected: other, desired: own, ordering: .acquiring).exchanged
      if isTaken || isLeft {
        thread.store(ownThread, ordering: .relaxed)
        return true
      }
      // This thread already has the lock: a signal handler has interrupted it.
      if thread.load(ordering: .relaxed) == ownThread { return false }
      tries += 1
      guard tries > SharedSender.yields else {
        sched_yield()
        continue
      }
      let now = Instant.now()
      if let deadline, now >= deadline { return false }
      if deadline == nil { deadline = now.advanced(byNanoseconds: SharedSender.patience) }
      usleep(50)
    }
  }
}
