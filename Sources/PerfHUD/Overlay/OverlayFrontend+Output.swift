import CProcess
import PerfHUDBase
import Terminal

/// The path of the command's output: from the pty through the compositor into the queue.
extension OverlayFrontend {
  /// Whether there is room for more of the command's output.
  var readsCommand: Bool { output.hasRoom && !input.holdsOutput }

  /// Whether silence means that the command is silent: all of its output has been read.
  var isSilent: Bool { readsCommand && command.isQuiet && command.restEnd == nil }

  mutating func readCommand(_ poller: borrowing Poller, now: Instant) {
    let isRested = command.endRest(now: now)
    if command.hasOutput(poller, isRested: isRested) {
      passOutput(now: now, isRested: isRested)
    } else if readsCommand {
      command.noteSilence()
    }
    if command.takeStatus(poller) { input.awaitLastAnswers() }
  }

  /// Reads the available output and passes it on.
  mutating func passOutput(now: Instant, isRested: Bool = false) {
    guard readsCommand else { return }
    compositor.checkpoint(output.queue)
    if command.isQuiet, activity.awaitsAnswer, command.end == nil, passAnswer(now: now) { return }
    let count = unsafe command.read(
      into: compositor.space, keepsUp: output.keepsUp, isRested: isRested, now: now)
    if count > 0 { pass(count, now: now) }
  }

  /// Passes output that may answer a key, without checking for more: that would delay the answer by a system call.
  ///
  /// - Returns: whether that was all for now; if not, there may be more.
  private mutating func passAnswer(now: Instant) -> Bool {
    let count = unsafe command.readOnce(into: compositor.space, now: now)
    guard count > 0 else { return true }
    pass(count, now: now)
    // Before the HUD can be drawn again, it must be known that nothing more comes.
    guard count < Pty.piece, !compositor.hasWork else { return false }
    // Everything else in this turn can wait until the answer has been sent.
    flush(now: now)
    return true
  }

  private mutating func pass(_ count: Int, now: Instant) {
    recorded.take(count, compositor, now: now)
    let wait = activity.beginOutput(&compositor, now: now)
    let wasAlternate = compositor.screen.isAlternate
    compositor.pass(count, hasMore: !command.isQuiet, now: now, to: &output.queue)
    compositor.checkpoint(output.queue)
    if wasAlternate != compositor.screen.isAlternate { noteScreenSwitch(now: now) }
    activity.endOutput(count, wait: wait, &compositor, now: now)
    input.note(cursorQuestions: compositor.screen.cursorQuestions)
  }

  private mutating func noteScreenSwitch(now: Instant) {
    let isAlternate = compositor.screen.isAlternate
    if !isAlternate {
      input.noteAlternateEnd(now: now)
      compositor.isDelayed = true
    }
    let leave = isAlternate ? OverlayFrontend.leaveAlternate : []
    try? tty.enter(restore: leave + OverlayFrontend.crashBytes)
  }

  /// Prepares the supervisor for the death of this process while the command is resting, and no answer to a key is
  /// likely to come at this moment.
  mutating func checkpointErase(now: Instant) {
    if let last = lastActivity, now.nanoseconds(since: last) <= OverlayFrontend.restingTime {
      return
    }
    compositor.checkpointErase(scratch: &output.scratch)
  }

  /// The deadline for `checkpointErase` if another process may follow this one, which learns from it what is beneath
  /// the HUD.
  var eraseDeadline: Instant? {
    guard perfhud_may_restart() != 0, perfhud_wants_erase() != 0, compositor.isPainted,
      command.isQuiet, output.queue.isEmpty
    else { return nil }
    // Slightly later than the condition in `checkpointErase`.
    return lastActivity?.advanced(byNanoseconds: OverlayFrontend.restingTime + 1_000_000)
  }

  /// The time of the last output, or of the first key since then.
  private var lastActivity: Instant? {
    guard let key = activity.unansweredKey else { return command.lastOutput }
    return max(key, command.lastOutput ?? key)
  }
}
