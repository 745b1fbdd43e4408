import Glibc
import PerfHUDBase
import Terminal

/// A command that was started but cannot be measured: it keeps running as it would without perfhud.
enum UnmeasuredCommand {
  /// Waits for its end. Passes on signals that are sent to perfhud alone.
  ///
  /// - Parameter signals: must include `SIGCHLD`, which ends the wait if the kernel has no `pidfd_open(2)`.
  /// - Returns: how it ended, and the last signal that perfhud handled for it.
  static func wait(
    for command: consuming DirectCommand, _ signals: borrowing SignalDescriptor
  ) -> (end: PtyStatus, signal: Int32?) {
    var last: Int32?
    var poller = Poller()
    _ = poller.add(signals.raw)
    _ = poller.add(command.exitDescriptor ?? -1)
    while !command.hasEnded {
      poller.wait(until: nil, now: .now())
      while let (number, isFromKernel) = signals.nextWithSender() {
        if command.passOn(number, isFromKernel: isFromKernel) { last = number }
      }
    }
    return (command.wait(), last)
  }
}

extension DirectCommand {
  /// Passes on a signal that was sent to perfhud alone. The kernel sends those of keys to the command too.
  ///
  /// - Returns: whether the signal is one that is handled for a command without a HUD.
  func passOn(_ signal: Int32, isFromKernel: Bool) -> Bool {
    switch signal {
    case SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU:
      let isKey = isFromKernel && (signal == SIGINT || signal == SIGQUIT)
      if !isKey, !hasEnded { kill(processID, signal) }
    case SIGTSTP: TTY.stopGroup(by: SIGTSTP)
    case SIGCONT, SIGWINCH, SIGPIPE, SIGXFSZ: break
    default: return false
    }
    return true
  }
}
