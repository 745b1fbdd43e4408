import Glibc

/// The actions of signals, which are those of the whole process: curses ignores SIGTSTP while it begins, and a child
/// that another test forks at that moment would inherit it.
public enum SignalActions {
  @safe private final class Lock: @unchecked Sendable {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
      var attributes = pthread_mutexattr_t()
      unsafe pthread_mutexattr_init(&attributes)
      unsafe pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
      unsafe pthread_mutex_init(mutex, &attributes)
      unsafe pthread_mutexattr_destroy(&attributes)
    }
  }

  private static let lock = Lock()

  /// Runs what changes them, looks at them or hands them to a child, while nobody else does; may be nested.
  public static func alone<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe pthread_mutex_lock(lock.mutex)
    defer { unsafe pthread_mutex_unlock(lock.mutex) }
    return try body()
  }
}
