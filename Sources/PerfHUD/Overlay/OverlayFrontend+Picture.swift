import Base
import HUD
import Metrics
import Terminal

/// When the windows are drawn, and where they lie.
extension OverlayFrontend {
  /// After so long without output the command is taken to rest; nanoseconds.
  private static let restingTime: Int64 = 30_000_000

  mutating func redrawAll() {
    compositor.redrawAll()
    hud.invalidateAll()
  }

  /// A toast does not wait for the next sample.
  mutating func noteEvents() { hud.invalidate() }

  mutating func take(_ row: Row, run: borrowing Run) {
    rows.take(row, run: run)
    hud.invalidate()
    // What is said of a key does not wait for the figures' turn.
    let isUnanswered = run.unansweredSince != nil
    if isUnanswered != isShownUnanswered { hud.invalidateAll() }
    isShownUnanswered = isUnanswered
  }

  func deadline(now: Instant) -> Instant? {
    var due: Instant?
    func add(_ time: Instant?) {
      if let time { due = min(time, due ?? time) }
    }
    if output.takesHUD(now: now) {
      // Where there is no room for the HUD, its picture is never due.
      if !isHidden, place != nil {
        add(hud.deadline(now: now))
        add(hintUntil)
        if keepsCorner { add(keeper.deadline) }
      }
      add(compositor.deadline(now: now, isIdle: isQuiet))
    }
    if seesSilence { add(meter.deadline) }
    add(phases.deadline)
    if end == nil { add(follower?.deadline) }
    add(silenceDue)
    add(typed.deadline)
    add(inquiry.deadline)
    add(answersDue)
    add(nextQuestion(now: now))
    add(holdEnd)
    add(askedAt?.advanced(byNanoseconds: TerminalFeatures.limit))
    add(rest)
    if isEnding, readsCommand { add(now) }
    return due
  }

  mutating func present(
    run: borrowing Run, now: Instant, poller: inout Poller
  ) throws(RunError) {
    ring()
    hud.isUnwatched = isUnwatched
    // Whether the cursor has to be asked for shows only then.
    if isQuiet, let lastOutput, now.nanoseconds(since: lastOutput) > OverlayFrontend.restingTime {
      compositor.synchronize()
    }
    if output.takesHUD(now: now) {
      compositor.synchronize(now: now, isIdle: isQuiet)
      if isHidden {
        compositor.hide()
      } else if let place = findPlace(now: now) {
        if needsPicture(at: place, now: now) { showWindows(around: place, run: run, now: now) }
        giveWindowsMouse()
      }
      compositor.settle(now: now, isIdle: isQuiet, to: &output.queue)
      if typed.isLeading, isQuiet, cannotShow(now: now) { giveKeysBack() }
    }
    flush(now: now)
    rows.present(run: run, now: now, poller: &poller)
    poller.replace(output.queue.isEmpty ? nil : tty.outputDescriptor, slot: outputSlot)
    let waitsForOutput = readsCommand && end == nil && rest == nil
    poller.replace(waitsForOutput ? pty?.masterDescriptor : nil, slot: masterSlot)
    poller.replace(
      pty?.hasWaitingInput == true ? pty?.masterDescriptor : nil, slot: writeSlot)
    // After the end the keys are for whoever comes next.
    let readsKeys = end == nil ? pty?.isInputFull != true : answersDue != nil
    poller.replace(readsKeys ? tty.inputDescriptor : nil, slot: inputSlot)
    poller.replace(end == nil ? pty?.statusDescriptor : nil, slot: statusSlot)
  }

  /// Whether the HUD stays away although it is wanted, and not only until the terminal has answered or
  /// the command has ended its synchronized update.
  private func cannotShow(now: Instant) -> Bool {
    !compositor.isDrawn && !compositor.isHeld && !inquiry.holdsOutput
      && compositor.deadline(now: now, isIdle: isQuiet) == nil
  }

  /// Where the HUD lies; `nil` where there is no room for it.
  var place: Rect? {
    Placement.place(wantedSize, at: keeper.corner, in: compositor.screen.size)
  }

  /// Moves the HUD off the cursor where that rests; not while the user is busy with it.
  private mutating func findPlace(now: Instant) -> Rect? {
    if let until = hintUntil, now >= until {
      hintUntil = nil
      hud.prefixKeyHint = ""
    }
    guard keepsCorner else { return place }
    let screen = compositor.screen.size
    return keeper.update(size: wantedSize, screen: screen, cursor: restingCursor, now: now)
  }

  private var keepsCorner: Bool {
    stepsAside && isQuiet && !typed.isLeading && !compositor.hasModelLag
  }

  /// Where the command's cursor is to be seen.
  private var restingCursor: Point? {
    guard compositor.screen.isCursorKnown, compositor.screen.modes.contains(.visibleCursor) else {
      return nil
    }
    return compositor.screen.cursor
  }
}
