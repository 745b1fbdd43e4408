import CProcess
import Glibc
import PerfHUDBase

/// Keeps a second perfhud from drawing on the same terminal. Released at the end of its life, or of the process.
///
/// If the lock is not available for another reason, such as a sandbox without Unix sockets, nothing is locked.
struct TerminalLock: ~Copyable {
  private let descriptor: Descriptor?

  /// Locks the terminal of a descriptor.
  ///
  /// - Returns: `nil` while another process has it.
  ///
  /// Source: `bind(2)`, unix(7) on abstract names.
  init?(of terminal: Int32) {
    let found = perfhud_lock_terminal(terminal)
    if found < 0, errno == EADDRINUSE { return nil }
    descriptor = found < 0 ? nil : Descriptor(owning: found)
  }
}
