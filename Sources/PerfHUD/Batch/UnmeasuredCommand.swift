import Glibc
import PerfHUDBase
import Terminal

/// A command that was started and then could not be measured: it keeps running as without perfhud.
enum UnmeasuredCommand {
  /// Waits for its end. What is sent to perfhud alone is passed on.
  ///
  /// - Parameter signals: with `SIGCHLD`, which ends the wait where the kernel has no `pidfd_open(2)`.
  /// - Returns: how it has ended, and the last signal of those that it is served with.
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
  /// Passes a signal on that was sent to perfhud alone. The kernel sends those of keys to the command too.
  ///
  /// - Returns: whether the signal is one that a command without a HUD is served with.
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
