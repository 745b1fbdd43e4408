import Glibc
import PerfHUDBase
import Terminal

/// A command that was started and then could not be measured: it goes on as without perfhud.
enum UnmeasuredCommand {
  /// Waits for its end. What is sent to perfhud alone is passed on, as `DirectFrontend` does it.
  static func wait(
    for command: consuming DirectCommand, _ signals: borrowing SignalDescriptor
  ) -> PtyStatus {
    var poller = Poller()
    _ = poller.add(signals.raw)
    _ = poller.add(command.exitDescriptor ?? -1)
    while !command.hasEnded {
      poller.wait(until: nil, now: .now())
      while let (number, isFromKernel) = signals.nextWithSender() {
        switch number {
        case SIGCHLD, SIGCONT, SIGWINCH, SIGPIPE, SIGXFSZ: break
        case SIGTSTP: TTY.stopGroup(by: SIGTSTP)
        case SIGINT, SIGQUIT: if !isFromKernel { kill(command.processID, number) }
        default: if !command.hasEnded { kill(command.processID, number) }
        }
      }
    }
    return command.wait()
  }
}
