import CLinux
import Glibc
import SystemPackage

/// Signals as a descriptor; the initializer blocks them in this thread and in those that it starts.
///
/// Source: `signalfd(2)`, `pthread_sigmask(3)`.
package struct SignalDescriptor: ~Copyable, Sendable {
  private let descriptor: Descriptor
  /// Whether the supervisor receives the signals that other processes send, and passes them on. If so, signals that a
  /// process sends directly to this one are ignored, except `SIGCONT` and `SIGWINCH`.
  package var isPassedOn = false

  package init(_ signals: [Int32]) throws(SystemError) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    let raw = unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
    guard raw >= 0 else {
      throw SystemError(call: "signalfd", subject: "signals", code: Errno(rawValue: errno))
    }
    descriptor = Descriptor(owning: raw)
  }

  package var raw: Int32 { descriptor.raw }

  /// The next signal that has arrived, or `nil`.
  package func next() -> Int32? { nextWithSender()?.number }

  /// The next signal that has arrived, and whether the kernel sent it rather than a process. For the terminal's signal
  /// keys the kernel sends it (`SI_KERNEL`, sigaction(2)).
  package func nextWithSender() -> (number: Int32, isFromKernel: Bool)? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    while unsafe Glibc.read(raw, &info, size) == size {
      if counts(info) { return (Int32(info.ssi_signo), info.ssi_code == 0x80) }
    }
    return nil
  }

  private func counts(_ info: signalfd_siginfo) -> Bool {
    let number = Int32(info.ssi_signo)
    // SI_USER, SI_QUEUE and SI_TKILL are not above 0 (sigaction(2)).
    return !isPassedOn || info.ssi_code > 0 || number == SIGCONT || number == SIGWINCH
  }
}
