import PerfHUDBase

/// The path of the program's bytes: through the model and to the terminal. The HUD is erased before anything that would
/// move it.
extension Compositor {
  /// Where to put the next bytes: room for at least `chunk` bytes.
  package var space: UnsafeMutableRawBufferPointer { unsafe programBytes.space }

  /// Passes bytes that were put into `space`, and erases the HUD before anything that would move it.
  ///
  /// - Parameter hasMore: whether more output of the program is available, so that the end of an update can wait.
  package mutating func pass(
    _ count: Int, hasMore: Bool = false, now: Instant, to queue: inout OutputQueue
  ) {
    guard count > 0 else { return }
    pace.noteOutput(now: now)
    // How far the rows have moved can no longer be determined.
    if resizeReflow.takePendingMove() != nil { screen.forgetEverything() }
    endReflow(now: now, to: &queue)
    resizeReflow.forgetUnpainted()
    programBytes.copyNew(count, to: &startOutput)
    programBytes.take(count)
    if !passThrough(count, to: &queue) { passTogether(hasMore: hasMore, now: now, to: &queue) }
    placeScrolledStart()
    noteResumedScreen()
  }

  /// Passes the bytes of the buffer that are not modeled yet through the model.
  mutating func passTogether(
    hasMore: Bool = false, now: Instant, to queue: inout OutputQueue
  ) {
    programUpdate.releaseEnd()
    let end = programBytes.held
    var written = programBytes.sent
    var index = programBytes.modeled
    // The end of the bytes to feed; after the HUD was prepared for a sequence, the end of that sequence.
    var limit = end
    var isPrepared = false
    // The byte before which the HUD was last erased.
    var erasedBefore = -1
    var lastEnd: Int?
    while true {
      let stop = unsafe screen.feed(
        programBytes.rawBytes(limit), from: index, hudRegion: hudRegion(isPrepared: isPrepared))
      send(written, max(written, min(stop.offset, limit - screen.pendingBytes)), to: &queue)
      written = max(written, min(stop.offset, limit - screen.pendingBytes))
      index = stop.resume
      switch stop.reason {
      case .end:
        if limit < end {
          limit = end
          isPrepared = false
          continue
        }
        holdUnfinishedSequence(from: written, to: end, now: now, queue: &queue)
        noteModes(now: now)
        return
      case .willMoveCovered, .willReadCells, .willBecomeUnrestorable, .willSwitchScreens:
        eraseHUD(now: now, to: &queue)
        // tmux keeps the rows of the other screen, and wraps them anew if the size changes.
        if stop.reason == .willSwitchScreens { shortenRows(to: &queue) }
        erasedBefore = index
        var isDone = false
        if limit == end, passThrough(afterLineFeed: index, isDone: &isDone, to: &queue) {
          written = programBytes.sent
          index = programBytes.modeled
          if isDone {
            return noteModes(now: now)
          }
        }
      // When an update ends, the terminal shows what there is. So the HUD is painted before, unless it was erased for
      // the same sequence.
      case .willQueryState:
        if erasedBefore == index {
          endUpdate(to: &queue)
        } else {
          redraw(now: now, to: &queue)
        }
      case .willEndUpdate:
        if lastEnd == nil { lastEnd = lastUpdateEnd(from: index, to: end) }
        let hasLater = index >= 0 && lastEnd.map { $0 > index } == true
        if !(hasLater && canSkipUpdateEnd(hasMore: hasMore, now: now)) {
          if hasMore, canHoldUpdateEnd(now: now, from: index, to: end) {
            return holdUpdateEnd(from: index, to: end, now: now, queue: queue)
          }
          redraw(now: now, to: &queue)
        }
        isPrepared = true
        limit = endOfSequence(index, end)
      case .willRepeat(let count):
        eraseHUD(now: now, to: &queue)
        repeatLast(count, to: &queue)
        let sequenceEnd = endOfSequence(index, end)
        _ = unsafe screen.feed(programBytes.rawBytes(sequenceEnd), from: index)
        written = sequenceEnd
        index = sequenceEnd
      case .willCombine: writeLastAgain(to: &queue)
      case .willRepeatEarlier:
        eraseHUD(now: now, to: &queue)
        if !writeBeforeRepeat(to: &queue) { writeEarlierAgain(to: &queue) }
      case .ownSequence:
        screen.withOwnSequence { own.add($0) }
        // What has been sent in part is sent as a whole.
        if stop.offset >= 0 { written = max(written, stop.resume) }
      }
    }
  }

  /// Whether own sequences have arrived since the last call of `takeOwnSequences`.
  package var hasOwnLines: Bool { !own.isEmpty }

  /// The number of own sequences so far, and how many of them were not kept.
  package var ownSequences: Int { own.received }
  package var lostOwnSequences: Int { own.lost }

  /// Hands over the contents of the own sequences since the last call, one line each with its line end.
  package mutating func takeOwnSequences(_ body: (RawSpan) -> Void) { own.take(body) }

  /// What the screen should stop for.
  private func hudRegion(isPrepared: Bool) -> HUDRegion {
    var hudRegion = HUDRegion()
    // A sequence that has been sent in part cannot be stopped; nothing is painted then.
    if isWithinSequence { return hudRegion }
    addToRegion(to: &hudRegion)
    hudRegion.stopsAtUpdateEnd = !isPrepared && (isWanted || isPainted)
    hudRegion.stopsAtQueries = isUpdateOpen
    hudRegion.stopsAtRepeat = hasInjected
    hudRegion.stopsAtEarlierRepeat = screen.mayRepeatInjected
    hudRegion.stopsAtScreenSwitch = canShortenRows
    return hudRegion
  }

  mutating func send(_ from: Int, _ to: Int, to queue: inout OutputQueue) {
    guard from < to else { return }
    unsafe queue.append(UnsafeRawBufferPointer(rebasing: programBytes.rawBytes(to)[from...]))
    hasInjected = hasInjected && screen.isLastFromBefore
  }

  /// Holds back the bytes of an unfinished sequence, unless there are too many.
  private mutating func holdUnfinishedSequence(
    from start: Int, to end: Int, now: Instant, queue: inout OutputQueue
  ) {
    let isTooLong = end - start > Compositor.heldLimit
    // The sequence that was sent in part has ended, and another one has begun.
    if isWithinSequence, !screen.hasExecutedPending, screen.pendingBytes <= end {
      isWithinSequence = false
    }
    if isWithinSequence || screen.hasExecutedPending || isTooLong {
      if isTooLong { eraseHUD(now: now, to: &queue) }
      send(start, end, to: &queue)
      isWithinSequence = !screen.isAtGround
      programBytes.hold(0, modeled: 0)
      return
    }
    moveToFront(from: start, to: end, queue)
    programBytes.hold(end - start, modeled: end - start)
  }

  /// The end of the control sequence that begins at `start`; `end` if it is not a control sequence.
  private func endOfSequence(_ start: Int, _ end: Int) -> Int {
    var index = max(0, start)
    guard index < end else { return end }
    if programBytes[index] == 0x1B {
      guard index + 1 < end, programBytes[index + 1] == 0x5B else { return end }
      index += 2
    } else if programBytes[index] == 0x9B {
      index += 1
    } else {
      return end
    }
    while index < end, !(0x40...0x7E).contains(programBytes[index]) { index += 1 }
    return min(end, index + 1)
  }

  /// Whether the HUD can wait for the end of a later update that is already in the buffer, so that the terminal gets
  /// both at once. Otherwise each update of a program that outpaces its terminal would carry a whole HUD with it.
  private mutating func canSkipUpdateEnd(hasMore: Bool, now: Instant) -> Bool {
    guard joinsUpdates else { return false }
    let period = hasMore ? RepaintPace.updatePeriod : RepaintPace.streamPeriod
    guard pace.isRecent(within: period, now: now) else { return false }
    // The program ends the open update, no matter which side began it.
    isUpdateOpen = false
    return true
  }

  /// Whether the end of an update, with everything after it, can be held back until more has come, because the HUD has
  /// just been drawn.
  private func canHoldUpdateEnd(now: Instant, from start: Int, to end: Int) -> Bool {
    guard joinsUpdates, start >= 0, end - start <= Compositor.heldLimit else { return false }
    return pace.isRecent(within: RepaintPace.updatePeriod, now: now)
  }

  /// Holds back the end of an update and everything after it. Until then the terminal shows what it showed before, as
  /// if the program took longer for the update.
  private mutating func holdUpdateEnd(
    from start: Int, to end: Int, now: Instant, queue: borrowing OutputQueue
  ) {
    programUpdate.holdEnd(now: now)
    moveToFront(from: start, to: end, queue)
    programBytes.hold(end - start, modeled: 0)
    noteModes(now: now)
  }

  /// The position of the last end of a synchronized update that is completely in the buffer.
  private func lastUpdateEnd(from start: Int, to end: Int) -> Int? {
    // As one word: ESC [ ? 2 0 2 6 l, the first byte lowest.
    let wanted: UInt64 = 0x6C36_3230_323F_5B1B
    guard start >= 0, let bytes = unsafe UncheckedBytes(programBytes.rawBytes(end)) else {
      return nil
    }
    var place = end
    while let found = bytes.lastEscape(from: start, before: place) {
      if found + 8 <= end, bytes.word(at: found) == wanted { return found }
      place = found
    }
    return nil
  }

  /// Notes modes of the program that have to do with time.
  private mutating func noteModes(now: Instant) {
    programUpdate.note(isOpen: screen.isUpdating, ends: screen.updateEnds, now: now)
    noteColumnMode(now: now)
  }

  /// Writes the last character again in place of a REP, which would repeat what we have injected.
  private mutating func repeatLast(_ count: Int, to queue: inout OutputQueue) {
    let cell = screen.lastPrinted
    guard !cell.isClear else { return }
    for _ in 0..<screen.repetitions(of: cell, count) { appendCharacter(cell, to: &queue) }
    // A REP after this one would find nothing to repeat.
    queue.appendRendition(screen.pen.style)
    hasInjected = true
  }

  // MARK: Accents

  /// Writes the program's last character again in its place, so that it is the last one that the terminal has written
  /// and the next character combines with it.
  ///
  /// The cursor is not placed afterward, since the next character would then no longer combine: writing the character
  /// leaves the cursor, and a pending wrap, where the program had it. If it overwrites part of the HUD, that is damage,
  /// just as the accent is.
  mutating func writeLastAgain(to queue: inout OutputQueue) {
    guard let place = screen.lastPlace else { return }
    let isInserting = screen.modes.contains(.insert)
    if isInserting { queue.append("\u{1B}[4l") }
    var renderState = beginText(to: &queue)
    appendCursor(place, to: &queue)
    let cell = screen.lastPrinted
    setLook(of: cell, &renderState, to: &queue)
    appendCharacter(cell, to: &queue)
    finishText(&renderState, to: &queue)
    // The terminal is again where the program's last byte had left it.
    hasInjected = false
    screen.printed.markReplaced(false)
  }

  // MARK: REP

  /// Writes the character that the program printed last once more, where it already shows or on a blank that is then
  /// erased again. Some terminals repeat the last written character even if other sequences have come since; so this
  /// makes it the last one again.
  mutating func writeEarlierAgain(to queue: inout OutputQueue) {
    let cell = screen.printed.earlier
    if let place = placeForEarlier(cell) {
      let old = screen.cell(row: place.row, column: place.column)
      var renderState = begin(to: &queue)
      move(place.row, place.column, &renderState, to: &queue)
      setLook(of: old.isErased ? cell : old, &renderState, to: &queue)
      appendCharacter(cell, to: &queue)
      if old.isErased {
        renderState.column = -1
        move(place.row, place.column, &renderState, to: &queue)
        setLook(of: old, &renderState, to: &queue)
        queue.append("\u{1B}[")
        queue.append(decimal: max(1, cell.width))
        queue.append(UInt8(ascii: "X"))
      }
      finish(&renderState, isHUDErased: true, to: &queue)
    }
    screen.printed.markReplaced(false)
  }

  /// Writes the character right before a REP again, and nothing after it: some terminals (VTE 0.70) repeat nothing once
  /// another sequence has come.
  ///
  /// The HUD is erased, so the terminal has the pen and the character sets with which the program wrote it.
  ///
  /// - Returns: whether it could be written.
  private mutating func writeBeforeRepeat(to queue: inout OutputQueue) -> Bool {
    guard screen.printed.isRepeatable, !screen.modes.contains(.insert), let place = screen.lastPlace
    else { return false }
    appendCursor(place, to: &queue)
    appendCharacter(screen.lastPrinted, to: &queue)
    hasInjected = false
    screen.printed.markReplaced(false)
    return true
  }

  /// A place where a character can be written without a visible change; `nil` if none is known.
  private func placeForEarlier(_ cell: Cell) -> Point? {
    guard screen.isRestorable, !screen.isWrapPending, !cell.isClear, !cell.isUnknown else {
      return nil
    }
    let width = max(1, cell.width)
    var blank: Point?
    for row in 0..<screen.size.rows {
      // The last column is never touched.
      for column in 0..<max(0, screen.size.columns - width) {
        let other = screen.cell(row: row, column: column)
        if other.isUnknown { continue }
        // Some terminals repeat its look as well.
        if other == cell {
          return Point(row: row, column: column)
        }
        guard blank == nil, other.isErased else { continue }
        if width == 1 || screen.cell(row: row, column: column + 1) == other {
          blank = Point(row: row, column: column)
        }
      }
    }
    return blank
  }
}
