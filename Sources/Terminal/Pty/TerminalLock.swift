import CProcess
import Glibc
import PerfHUDBase

/// Keeps a second perfhud from drawing on the same terminal; given back at the end of its life, or of the process.
///
/// A lock that cannot be had for another reason, such as a sandbox without Unix sockets, locks nothing.
struct TerminalLock: ~Copyable {
  private let descriptor: Descriptor?

  /// Takes the terminal of a descriptor.
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
