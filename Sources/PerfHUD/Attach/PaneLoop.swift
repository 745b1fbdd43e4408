import Glibc
import PerfHUDBase
import Terminal

/// A view that has a terminal of its own.
protocol PaneView: ~Copyable {
  var terminal: PaneTerminal { get set }
  /// The terminal may have another size.
  mutating func resize()
  /// Marks everything to be drawn again.
  mutating func invalidate()
  /// The job was stopped by the user, and has been continued.
  mutating func noteContinued()
}

extension PaneView where Self: ~Copyable {
  mutating func noteContinued() {}

  mutating func suspend() throws(RunError) {
    try terminal.suspend()
    redrawAll()
    terminal.enterAgain()
    noteContinued()
  }

  /// The job was stopped from outside, and has been continued.
  mutating func resume() throws(RunError) {
    try terminal.resume()
    redrawAll()
  }

  mutating func redrawAll() {
    resize()
    terminal.redrawAll()
    invalidate()
  }
}

/// A view that samples nothing, and therefore has its own loop: picture, sleep, signals, keys.
protocol PaneLoop: PaneView, ~Copyable {
  /// Does what is due, and hands the picture to the terminal.
  mutating func present(now: Instant) throws
  /// When it next has something to do if nothing happens before that.
  func deadline(now: Instant) -> Instant?
  /// Handles input from the terminal.
  ///
  /// - Returns: whether the loop ends.
  mutating func handle(_ event: InputEvent, now: Instant) throws -> Bool
}

extension PaneLoop where Self: ~Copyable {
  /// Runs until an event or a signal ends the loop, or the terminal goes. May be called again.
  mutating func run(_ signals: borrowing SignalDescriptor) throws -> LoopOutcome {
    var poller = Poller()
    let signalSlot = poller.add(signals.raw)
    let inputSlot = poller.add(terminal.inputDescriptor)
    let outputSlot = poller.add(terminal.outputDescriptor, events: Int32(POLLOUT))
    var events: [InputEvent] = []
    while !terminal.hasHungUp {
      try present(now: .now())
      if terminal.isWaiting { terminal.flush() }
      poller.replace(terminal.isWaiting ? terminal.outputDescriptor : nil, slot: outputSlot)
      var now = Instant.now()
      poller.wait(until: earliest(terminal.deadline(now: now), deadline(now: now)), now: now)
      now = Instant.now()
      if poller.isReady(signalSlot) {
        while let signal = signals.next() {
          switch LoopSignal(signal) {
          case .resize: resize()
          case .suspend: try suspend()
          case .resume: try resume()
          case .child, .ignore: break
          case .end: return .signal(signal)
          }
        }
      }
      events.removeAll(keepingCapacity: true)
      let isReady = poller.isReady(inputSlot)
      if terminal.read(isReady: isReady, into: &events, now: now) { invalidate() }
      for event in events {
        if try handle(event, now: now) { return .done }
      }
    }
    // The hangup signal may come later than the end of the input.
    return .signal(SIGHUP)
  }
}
