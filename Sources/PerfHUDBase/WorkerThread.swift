import CLinux
import Glibc
import SystemPackage

/// Starts threads that receive no signals.
package enum WorkerThread {
  /// The size of a thread's stack in bytes.
  private static let stackSize = 1 << 20

  /// Starts a thread. It blocks all signals except those that a fault raises (including `SIGSYS`, which a forbidden
  /// system call raises): if they were blocked, the kernel would kill the process without running its crash handler.
  ///
  /// - Parameters:
  ///   - name: for messages.
  ///   - main: gets `argument`, which the caller releases if the thread does not start.
  /// - Returns: the thread, for `pthread_join(3)`.
  ///
  /// Source: `pthread_create(3)`, `pthread_sigmask(3)`.
  package static func start(
    _ name: String, _ argument: UnsafeMutableRawPointer,
    _ main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  ) throws(SystemError) -> pthread_t {
    var blocked = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&blocked)
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS] {
      unsafe sigdelset(&blocked, signal)
    }
    // The new thread inherits the mask, so no signal can reach it before it sets its own.
    unsafe pthread_sigmask(SIG_SETMASK, &blocked, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var created = pthread_t()
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    // The default size is `ulimit -s`, which may exceed the available address space.
    unsafe pthread_attr_setstacksize(&attributes, stackSize)
    let code = unsafe pthread_create(&created, &attributes, main, argument)
    guard code == 0 else {
      throw SystemError(
        call: "pthread_create", subject: "\(name) thread", code: Errno(rawValue: code))
    }
    return created
  }

  /// Names the calling thread, for `top` and debuggers; at most 15 characters. Source: `pthread_setname_np(3)`.
  package static func setName(_ name: StaticString) {
    _ = unsafe perfhud_thread_set_name(
      UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self))
  }
}
