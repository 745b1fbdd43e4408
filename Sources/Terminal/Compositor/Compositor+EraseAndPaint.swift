import PerfHUDBase

/// Decides when the HUD is erased and painted.
extension Compositor {
  /// Erases the HUD from the terminal: shows what is beneath, and restores the program's state.
  ///
  /// It comes back with a later `settle`, unless it is hidden before.
  package mutating func eraseHUD(now: Instant, to queue: inout OutputQueue) {
    guard isPainted else { return }
    pace.noteErase(now: now)
    beginUpdate(to: &queue)
    paintBeneath(to: &queue)
    painted.remove()
    screen.forgetDamage()
  }

  /// Removes everything of perfhud's own from the terminal, and sends what is held back. Call it before another process
  /// uses the terminal.
  package mutating func release(now: Instant, to queue: inout OutputQueue) {
    synchronize()
    endReflow(now: now, to: &queue)
    if programBytes.modeled < programBytes.held { passTogether(now: now, to: &queue) }
    eraseHUD(now: now, to: &queue)
    shortenRows(to: &queue)
    endUpdate(to: &queue)
    send(0, programBytes.held, to: &queue)
    isWithinSequence = isWithinSequence || programBytes.held > 0
    programBytes.hold(0, modeled: 0)
  }

  /// Forgets everything about the terminal, because another process has used it.
  ///
  /// An open update of our own is ended, at once or after a sequence that has begun, since nobody else would end it.
  package mutating func forgetTerminal(to queue: inout OutputQueue) {
    synchronize()
    if !isWithinSequence { endUpdate(to: &queue) }
    forgetStart()
    resizeReflow.cancel()
    screen.forgetEverything()
    screen.forgetDamage()
    painted.remove()
    hasInjected = true
  }

  /// Brings the HUD on the terminal up to date, if it is time to.
  ///
  /// - Parameters:
  ///   - isIdle: whether the program has no more output for now. While it has, the HUD is painted only every 8 to 16
  ///     ms.
  package mutating func settle(now: Instant, isIdle: Bool, to queue: inout OutputQueue) {
    guard let due = deadline(now: now, isIdle: isIdle), due <= now else { return }
    if programUpdate.isEndHeld {
      passTogether(now: now, to: &queue)
      guard let due = deadline(now: now, isIdle: isIdle), due <= now else { return }
    }
    redraw(now: now, to: &queue)
  }

  /// When `settle` will have something to do; `nil` if nothing is left to do.
  package func deadline(now: Instant, isIdle: Bool) -> Instant? {
    guard hasWork else { return nil }
    if let due = programUpdate.deadline(now: now, isIdle: isIdle) { return due }
    return pace.due(
      isPainted: isPainted, isFlooded: isFlooded, isUpdateOpen: isUpdateOpen, isIdle: isIdle,
      now: now)
  }

  /// Whether `settle` has something to do, now or later.
  package var hasWork: Bool {
    guard !isWithinSequence else { return false }
    if programUpdate.isEndHeld { return true }
    if resizeReflow.needsRepaint, screen.isRestorable { return true }
    guard isPainted else {
      return isUpdateOpen || canPaint || (hasModelLag && isWanted && !isPaused)
    }
    if isPaused { return !isWanted && screen.isRestorable }
    return screen.isRestorable && (hasMoved || hasChanges || screen.hasDamage)
  }

  /// Repairs, paints or erases the HUD, as far as this is wanted and possible.
  mutating func redraw(now: Instant, to queue: inout OutputQueue) {
    synchronize()
    guard !isWithinSequence else { return }
    let isFixed = isPaused && isWanted
    let before = queue.end
    if resizeReflow.needsRepaint { repaintScreen(now: now, to: &queue) }
    if isPainted, screen.isRestorable, !isFixed, mustErase {
      eraseHUD(now: now, to: &queue)
      if !isWanted { shortenRows(to: &queue) }
    }
    if isPainted {
      if screen.isRestorable, !isFixed { repair(to: &queue) }
    } else if canPaint {
      paintWantedHUD(to: &queue)
    }
    pace.noteRedraw(isFloodPaint: isPainted && isFlooded, now: now)
    if queue.end != before { hasSentHUDBytes = true }
    endUpdate(to: &queue)
  }

  /// Whether the HUD can be painted where it is wanted.
  var canPaint: Bool {
    guard isWanted, !isDelayed, !isPaused, !resizeReflow.needsRepaint, screen.isRestorable,
      !screen.isPastStop
    else { return false }
    guard size == screen.size else { return false }
    let frame = wanted.frame
    guard frame.row >= 0, frame.column >= 0, frame.endRow <= screen.size.rows,
      frame.endColumn < max(2, screen.size.columns)
    else { return false }
    return !hasLostCells(wanted.parts)
  }

  /// Whether all cells at a place could be restored if the HUD covered them. Output that is not modeled yet may change
  /// that.
  package func canRestore(_ place: Rect) -> Bool { !hasLostCells(place) }

  /// Whether a cell there, or a neighboring one that would be cut, could not be restored.
  func hasLostCells(_ place: Rect) -> Bool {
    let first = max(0, place.column - 1)
    let last = min(screen.size.columns, place.endColumn + 1)
    // A place that fit a larger screen may be outside this one.
    guard !place.isEmpty, first < last else { return false }
    for row in place.row..<place.endRow where screen.hasUnknownOrProtected(row, first, last) {
      for column in first..<last {
        let cell = screen.cell(row: row, column: column)
        // Protecting the cell again would bring back a protection that has ended.
        if cell.isProtected, screen.protection == .none { return true }
        guard column >= place.column, column < place.endColumn else { continue }
        if cell.isUnknown, !cell.isUnseen { return true }
      }
    }
    return false
  }

  private mutating func paintWantedHUD(to queue: inout OutputQueue) {
    painted.clear(at: wanted)
    screen.forgetDamage()
    beginUpdate(to: &queue)
    paintHUD(isWhole: true, to: &queue)
    hasChanges = false
  }

  private mutating func repair(to queue: inout OutputQueue) {
    guard hasChanges || screen.hasDamage else { return }
    noteDamage()
    if hasSynchronizedUpdates, hasMoved || !changesFewCells { beginUpdate(to: &queue) }
    if hasMoved {
      changeWindows(to: &queue)
    } else {
      paintHUD(isWhole: false, to: &queue)
    }
    screen.forgetDamage()
    hasChanges = false
  }

  /// Whether so little changes that no terminal would show half of it, such as the seconds in the title. Beginning and
  /// ending an update would take a third of the bytes of such a change.
  private var changesFewCells: Bool {
    var changed = 0
    for row in 0..<painted.frame.rows where !wanted.cells.isRow(row, sameAs: painted.cells) {
      for column in 0..<painted.frame.columns
      where wanted.cells[row, column] != painted.cells[row, column] {
        changed += 1
        if changed > Compositor.fewCells { return false }
      }
    }
    return true
  }

  /// Marks HUD cells that the program has overwritten as no longer shown.
  private mutating func noteDamage() {
    guard screen.hasDamage else { return }
    for row in 0..<painted.frame.rows {
      let damage = screen.damage(row: painted.frame.row + row)
      let first = max(0, damage.lowerBound - painted.frame.column)
      let last = min(painted.frame.columns, damage.upperBound - painted.frame.column)
      guard first < last else { continue }
      painted.forget(row, first, last)
    }
  }
}
