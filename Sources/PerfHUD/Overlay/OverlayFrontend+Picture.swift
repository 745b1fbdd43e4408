import Metrics
import PerfHUDBase
import Terminal

/// When the HUD is drawn over the command's screen.
extension OverlayFrontend {
  /// Brings the HUD on the terminal up to date, as far as the program and the link allow it.
  mutating func showHUD(run: borrowing Run, now: Instant) {
    compositor.isPaused = !input.allowsUpdate(now: now)
    compositor.synchronize(now: now, isIdle: command.isQuiet)
    if let loading = run.reports.loading, loading.coversScreen {
      view.setAllowsCover(
        activity.allowsCover(of: loading, foreground: command.foregroundGroup))
    }
    // A picture that cannot go out need not be drawn.
    if compositor.isPaused, !view.isHidden {
      // It stays as it is.
    } else if view.show(on: &compositor, run: run, isCalm: isCalm, now: now) {
      view.setMouseWindows(of: &input, compositor, tty)
    }
    compositor.settle(now: now, isIdle: command.isQuiet, to: &output.queue)
    // After the end the answer would be for the next reader of the terminal.
    if command.end == nil { input.askBehindUpdate(&compositor, &output, now: now) }
    if input.hasHUDFocus, command.isQuiet, cannotShow(now: now) { endFocus() }
  }

  /// Whether the HUD stays away although it is wanted, and not only until the terminal has answered or
  /// the command has ended its synchronized update.
  private func cannotShow(now: Instant) -> Bool {
    !compositor.isPainted && !compositor.isHeld && !compositor.isPaused && !input.holdsOutput
      && compositor.deadline(now: now, isIdle: command.isQuiet) == nil
  }

  /// Gives the terminal a moment in which it shows the HUD, in a flood that has erased it each time.
  mutating func restInFlood(now: Instant) {
    if compositor.takeFloodRest() { needsRest = true }
    guard needsRest, output.queue.isEmpty else { return }
    needsRest = false
    command.rest(until: now.advanced(byNanoseconds: Compositor.floodRest))
  }
}

// MARK: Another size

extension OverlayFrontend {
  /// Output within this time before a change of size may still be on its way, in nanoseconds.
  private static let reflowPause: Int64 = 50_000_000

  /// What the terminal has done with its lines for the new size.
  func reflow(to size: Size, now: Instant) -> Compositor.Reflow {
    let old = compositor.screen.size
    if compositor.screen.isAlternate { return .known }
    if compositor.screen.modelsResize { return .modeled }
    // Other terminals may wrap their lines anew.
    guard size.columns == old.columns || input.isXterm else { return .unknown }
    if size.rows == old.rows { return .known }
    // Where the rows go depends on the cursor, and what came last may have reached the terminal after
    // it had changed.
    if let last = command.lastOutput, now.nanoseconds(since: last) < OverlayFrontend.reflowPause {
      return .unknown
    }
    return size.rows > old.rows ? .mayMoveDown : .known
  }
}
