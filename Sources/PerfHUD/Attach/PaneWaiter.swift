import Glibc
import PerfHUDBase
import Terminal

/// What a view with a terminal of its own waits for: signals, input, and room for its output.
struct PaneWaiter: ~Copyable {
  private var poller = Poller()
  private let signalSlot: Int
  private let inputSlot: Int
  private let outputSlot: Int

  init(_ signals: borrowing SignalDescriptor, _ terminal: borrowing PaneTerminal) {
    signalSlot = poller.add(signals.raw)
    inputSlot = poller.add(terminal.inputDescriptor)
    outputSlot = poller.add(terminal.outputDescriptor, events: Int32(POLLOUT))
    poller.replace(nil, slot: outputSlot)
  }

  /// Sends what waits for the terminal. Call it before `wait`.
  mutating func flush(_ terminal: inout PaneTerminal) {
    guard terminal.isWaiting else { return }
    terminal.flush()
    poller.replace(terminal.isWaiting ? terminal.outputDescriptor : nil, slot: outputSlot)
  }

  mutating func wait(until deadline: Instant?, now: Instant) {
    poller.wait(until: deadline, now: now)
  }

  var hasSignal: Bool { poller.isReady(signalSlot) }
  var hasInput: Bool { poller.isReady(inputSlot) }
}

/// What a signal means to a view with a terminal of its own.
enum PaneSignal {
  case resize
  case suspend
  case resume
  case ignore
  case end

  init(_ signal: Int32) {
    self =
      switch signal {
      case SIGWINCH: .resize
      case SIGTSTP: .suspend
      case SIGCONT: .resume
      case SIGPIPE, SIGUSR1, SIGXFSZ, SIGCHLD: .ignore
      default: .end
      }
  }
}
