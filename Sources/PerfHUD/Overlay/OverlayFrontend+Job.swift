import CProcess
import Glibc
import PerfHUDBase
import Sampler
import Terminal

/// Job control: hands the terminal to the shell that started perfhud, and takes it back.
extension OverlayFrontend {
  /// How long to read what the command wrote before it was stopped, in seconds.
  private static let drainPatience = 3.0

  /// Under a shell, the end of a job is not the end of the run.
  mutating func admit(_ sample: inout Sample, includesDescendants: Bool) -> Bool {
    let followsJobs = activity.noteSample(hasEnded: sample.hasEnded)
    return !(followsJobs && command.end == nil && sample.hasEnded)
  }

  /// Follows another job of the shell, or the shell, if it has the terminal now.
  mutating func lookForJob(now: Instant, into requests: inout LoopRequests) {
    guard let change = activity.look(command.foregroundGroup, now: now) else { return }
    requests.target = change
    if change.isShell {
      view.notePrompt(activity.endJob(at: change.since), now: now)
    } else if change.isMark {
      view.noteJob(since: change.since)
    }
  }

  /// Handles that the command was stopped: hands the terminal to the shell that started perfhud, until both are
  /// continued.
  mutating func suspend() throws(RunError) {
    command.endStop()
    activity.noteStop(&compositor)
    input.noteStop()
    awaitAnswers()
    drain(until: Instant.now().advanced(bySeconds: OverlayFrontend.drainPatience))
    compositor.release(now: .now(), to: &output.queue)
    flushOut(patience: 0.5)
    if tty.isEntered {
      do throws(SystemError) {
        try tty.enter(restore: [])
      } catch {
        throw RunError(error)
      }
    }
    perfhud_set_job_stopped(1)
    tty.suspendOnce()
    discardContinueSignal()
    compositor.forgetTerminal(to: &output.queue)
    input.reset()
    // After `bg` the command continues as it would without a HUD: it writes on the terminal while another job has it.
    isInBackground = !tty.isForeground
    try returnToForeground()
    command.continueForeground()
    perfhud_set_job_stopped(0)
  }

  /// Takes the terminal again once the shell has returned it. A running job is not notified of that.
  mutating func returnToForeground() throws(RunError) {
    guard !isInBackground || tty.isForeground else { return }
    isInBackground = false
    do throws(SystemError) {
      try tty.enter(restore: OverlayFrontend.crashBytes)
    } catch {
      throw RunError(error)
    }
    if let size = tty.reportedSize() { command.resize(size) }
    takeTerminalBack()
    // Ask before the command may write: output at an unknown position would stay unknown.
    askCursor(now: .now())
    flushOut(patience: 0.2)
  }

  /// Handles that perfhud alone was stopped by `kill -STOP`, and has been continued. A shell that had the terminal
  /// meanwhile may have set the same modes again, so unchanged modes prove nothing.
  mutating func resume() throws(RunError) {
    guard !isInBackground else { return }
    do {
      try tty.makeRawAgain()
    } catch {
      throw RunError(error)
    }
    takeTerminalBack()
  }

  /// Waits a moment for outstanding answers of the terminal; otherwise its next reader would get them as keys.
  private mutating func awaitAnswers() {
    let deadline = input.lastAnswerDue
    flushOut(patience: 0.2)
    while input.isExpecting, !hasHungUp {
      let left = deadline.nanoseconds(since: .now())
      if left <= 0 { return }
      var entry = pollfd(fd: tty.inputDescriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&entry, 1, Int32(left / 1_000_000) + 1)
      command.write(input.resolve(now: .now()))
      takeInputOfCommand(now: .now())
    }
  }

  /// Passes on what the command wrote before it was stopped.
  private mutating func drain(until deadline: Instant) {
    command.expectOutput()
    while !command.isQuiet, !hasHungUp, Instant.now() < deadline {
      passOutput(now: .now())
      flushOut(patience: 0.2)
    }
  }

  /// Discards the `SIGCONT` that ended the stop.
  private func discardContinueSignal() {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGCONT)
    var now = timespec()
    _ = unsafe sigtimedwait(&set, nil, &now)
  }

  /// Takes the terminal back after another process has had it.
  private mutating func takeTerminalBack() {
    compositor.forgetTerminal(to: &output.queue)
    resize()
    input.startOver(&compositor, now: .now())
  }
}
