import Base
import Glibc
import HUD
import Metrics
import Recording
import Terminal

/// A command that runs as without perfhud, on what perfhud was given: it is measured, and lines are
/// printed where they were asked for.
struct DirectFrontend: Frontend, ~Copyable {
  private var command: DirectCommand
  private var lines: LinesFrontend
  private var exitSlot = 0
  /// How the command has ended.
  private(set) var end: PtyStatus?
  private(set) var usage: ResourceUsage?

  init(command: consuming DirectCommand, lines: consuming LinesFrontend) {
    self.command = command
    self.lines = lines
  }

  mutating func register(with poller: inout Poller) {
    exitSlot = poller.add(command.exitDescriptor ?? -1)
    lines.register(with: &poller)
  }

  mutating func readInput(
    _ poller: borrowing Poller, run: borrowing Run, now: Instant, into requests: inout [HUDRequest]
  ) {
    if poller.isReady(exitSlot) { takeEnd() }
  }

  private mutating func takeEnd() {
    guard end == nil else { return }
    end = command.wait()
    usage = command.usage
  }

  /// The keys of the terminal reach the command too, which decides what becomes of them; what was sent
  /// to perfhud alone is passed on.
  mutating func take(signal: Int32, isFromKernel: Bool, now: Instant) throws(RunError) -> Bool {
    switch signal {
    case SIGINT, SIGQUIT:
      if !isFromKernel, end == nil { kill(command.processID, signal) }
      return true
    case SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU:
      if end == nil { kill(command.processID, signal) }
      return true
    case SIGTSTP:
      TTY.stopGroup(by: SIGTSTP)
      return true
    case SIGCONT, SIGWINCH, SIGPIPE: return true
    case SIGCHLD:
      // Where there is no other notice of the end.
      if command.hasEnded { takeEnd() }
      return false
    default: return false
    }
  }

  mutating func resize() {}
  mutating func suspend() {}
  mutating func resume() {}
  mutating func redrawAll() {}
  mutating func take(_ row: Row, run: borrowing Run) {
    lines.take(row, run: run)
  }

  func deadline(now: Instant) -> Instant? { nil }

  mutating func present(
    run: borrowing Run, now: Instant, poller: inout Poller
  ) throws(RunError) {
    try lines.present(run: run, now: now, poller: &poller)
    poller.replace(end == nil ? command.exitDescriptor : nil, slot: exitSlot)
  }

  mutating func noteAlert(_ line: String) { lines.noteAlert(line) }
  mutating func close() { lines.close() }
  mutating func flushLast() throws(RunError) { try lines.flush() }

  var isDone: Bool { end != nil && lines.isDrained }
  var isDrained: Bool { lines.isDrained }
  var isFull: Bool { lines.isFull }
  var showsFrames: Bool { false }
}
