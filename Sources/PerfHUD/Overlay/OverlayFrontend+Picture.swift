import Metrics
import PerfHUDBase
import Terminal

/// Draws the HUD over the command's screen when that is possible.
extension OverlayFrontend {
  /// Updates the HUD on the terminal, as far as the program and the link allow.
  mutating func showHUD(run: borrowing Run, now: Instant) {
    compositor.isPaused = !input.allowsUpdate(now: now)
    compositor.synchronize(now: now, isIdle: command.isQuiet)
    if let loading = run.reports.loading, loading.coversScreen {
      view.setAllowsCover(
        activity.allowsCover(of: loading, foreground: command.foregroundGroup))
    }
    // A picture that cannot be sent need not be drawn.
    if compositor.isPaused, !view.isHidden {
      // The HUD stays as it is.
    } else if view.show(on: &compositor, run: run, isCalm: isCalm, now: now) {
      view.setMouseWindows(of: &input, compositor, tty)
    }
    compositor.settle(now: now, isIdle: command.isQuiet, to: &output.queue)
    // After the command's end, the next reader of the terminal would get the answer.
    if command.end == nil { input.askBehindUpdate(&compositor, &output, now: now) }
    // The key after the prefix key is for the HUD even if there is none: it must not edit the user's file.
    if input.hasHUDFocus, !input.awaitsOneKey, command.isQuiet, cannotShow(now: now) { endFocus() }
  }

  /// Whether the HUD stays away although it is wanted, and not merely until the terminal has answered or the command
  /// has ended its synchronized update.
  private func cannotShow(now: Instant) -> Bool {
    !compositor.isPainted && !compositor.isDelayed && !compositor.isPaused && !input.holdsOutput
      && compositor.deadline(now: now, isIdle: command.isQuiet) == nil
  }

  /// In a flood that has erased the HUD each time, gives the terminal a moment to show it.
  mutating func restInFlood(now: Instant) {
    if compositor.takeFloodRest() { needsRest = true }
    guard needsRest, output.queue.isEmpty else { return }
    needsRest = false
    command.rest(until: now.advanced(byNanoseconds: Compositor.floodRest))
  }
}

// MARK: Another size

extension OverlayFrontend {
  /// Output within this time before a change of size may still be on its way; nanoseconds.
  private static let reflowPause: Int64 = 50_000_000

  /// What the terminal has done with its lines for the new size.
  func reflow(to size: Size, now: Instant) -> Compositor.Reflow {
    let old = compositor.screen.size
    if compositor.screen.isAlternate { return .known }
    if compositor.screen.modelsResize { return .modeled }
    // Other terminals may wrap their lines again.
    guard size.columns == old.columns || input.isXterm else { return .unknown }
    if size.rows == old.rows { return .known }
    // The cursor determines where the rows go, and the last output may have reached the terminal after its size
    // changed.
    if let last = command.lastOutput, now.nanoseconds(since: last) < OverlayFrontend.reflowPause {
      return .unknown
    }
    return size.rows > old.rows ? .mayMoveDown : .known
  }
}
