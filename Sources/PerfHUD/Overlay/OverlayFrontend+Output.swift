import CProcess
import PerfHUDBase
import Terminal

/// The way of the command's output: read from the pty, passed through the compositor into the queue.
extension OverlayFrontend {
  /// Whether there is room for more of the command's output.
  var readsCommand: Bool { output.hasRoom && !input.holdsOutput }

  /// Whether it is silence of the command when nothing comes: all that it has written is read.
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

  /// Reads what is there and passes it on.
  mutating func passOutput(now: Instant, isRested: Bool = false) {
    guard readsCommand else { return }
    compositor.checkpoint(output.queue)
    if command.isQuiet, activity.awaitsAnswer, command.end == nil, passAnswer(now: now) { return }
    let count = unsafe command.read(
      into: compositor.space, keepsUp: output.keepsUp, isRested: isRested, now: now)
    if count > 0 { pass(count, now: now) }
  }

  /// Passes what may be the answer to a key, without asking whether there is more: that would cost the
  /// answer a call.
  ///
  /// - Returns: whether that was all for now; if not, there may be more.
  private mutating func passAnswer(now: Instant) -> Bool {
    let count = unsafe command.readOnce(into: compositor.space, now: now)
    guard count > 0 else { return true }
    pass(count, now: now)
    // To draw the HUD again it has to be known that nothing more comes.
    guard count < Pty.piece, !compositor.hasWork else { return false }
    // All that follows in this turn can come later than the answer.
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
      compositor.isHeld = true
    }
    // A crash leaves the alternate screen where the command is on it.
    let leave = isAlternate ? Array("\u{1B}[?1049l".utf8) : []
    try? tty.enter(restore: leave + OverlayFrontend.crashBytes)
  }

  /// Prepares the supervisor for a death of this process while the command rests.
  mutating func checkpointErase(now: Instant) {
    if let last = command.lastOutput,
      now.nanoseconds(since: last) <= OverlayFrontend.restingTime
    {
      return
    }
    compositor.checkpointErase(scratch: &output.scratch)
  }

  /// When to do that at the latest, where another process is to follow this one: it learns from it what is beneath the
  /// HUD.
  var eraseDeadline: Instant? {
    guard perfhud_may_restart() != 0, perfhud_wants_erase() != 0, compositor.isPainted,
      command.isQuiet, output.queue.isEmpty
    else { return nil }
    // A moment later than the condition above.
    return command.lastOutput?.advanced(byNanoseconds: OverlayFrontend.restingTime + 1_000_000)
  }
}
