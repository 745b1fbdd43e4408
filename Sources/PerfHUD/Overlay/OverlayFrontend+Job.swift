import Base
import Glibc
import Terminal

/// Job control: the terminal goes to whoever started perfhud, and comes back.
extension OverlayFrontend {
  /// The command has been stopped: the terminal goes to whoever started perfhud, until both are
  /// continued.
  private mutating func stopWithCommand() throws(RunError) {
    isStopping = false
    // Who has stopped owes no answer.
    silentKey = nil
    isSilenceTold = false
    inquiry.cancel()
    isScrollingOut = false
    awaitAnswers()
    drain(until: Instant.now().advanced(bySeconds: OverlayFrontend.answerPatience))
    compositor.release(now: .now(), to: &output.queue)
    flushOut(patience: 0.5)
    do throws(SystemError) {
      try tty.enter(restore: [])
      try tty.suspend()
      try tty.enter(restore: OverlayFrontend.crashBytes)
    } catch {
      throw RunError(error)
    }
    forgetContinue()
    if let size = tty.reportedSize() { pty?.resize(size) }
    typed.reset()
    takeTerminalBack()
    // Before the command may write: what it prints at an unknown place would stay unknown.
    askCursor(now: .now())
    flushOut(patience: 0.2)
    pty?.continueForeground()
  }

  /// Waits a moment for what the terminal has been asked for, or the next to read from it would get
  /// the answers as keys.
  private mutating func awaitAnswers() {
    let deadline = max(askedAt ?? inquiry.askedAt, inquiry.askedAt)
      .advanced(bySeconds: OverlayFrontend.answerPatience)
    flushOut(patience: 0.2)
    while typed.isExpecting, !hasHungUp {
      let left = deadline.nanoseconds(since: .now())
      if left <= 0 { return }
      var entry = pollfd(fd: tty.inputDescriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&entry, 1, Int32(left / 1_000_000) + 1)
      resolveInput(now: .now())
      takeInputOfCommand(now: .now())
    }
  }

  /// Passes on what the command has written before it was stopped.
  private mutating func drain(until deadline: Instant) {
    isQuiet = false
    while !isQuiet, !hasHungUp, Instant.now() < deadline {
      passOutput(now: .now())
      flushOut(patience: 0.2)
    }
  }

  /// The `SIGCONT` that has ended the stop says nothing new.
  private func forgetContinue() {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGCONT)
    var now = timespec()
    _ = unsafe sigtimedwait(&set, nil, &now)
  }

  /// Somebody else has had the terminal.
  private mutating func takeTerminalBack() {
    compositor.forgetTerminal()
    resize()
    inquiry.startOver()
    hold = StartupDelay(passedBytes: compositor.passedBytes, now: .now())
    compositor.isHeld = true
  }

  mutating func suspend() throws(RunError) { try stopWithCommand() }

  /// perfhud alone was stopped, by `kill -STOP`, and continued. A shell that has had the terminal
  /// meanwhile may have set the modes again as they were, so that they tell nothing.
  mutating func resume() throws(RunError) {
    do {
      try tty.makeRawAgain()
    } catch {
      throw RunError(error)
    }
    takeTerminalBack()
  }
}
