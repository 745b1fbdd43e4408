import PerfHUDBase

/// The way of the program's bytes: through the model and to the terminal. The HUD is erased before what would move
/// it.
extension Compositor {
  /// Where the next bytes are to be put: room for at least `chunk` bytes.
  package var space: UnsafeMutableRawBufferPointer {
    unsafe buffer.rawSpace(from: held, Compositor.chunk)
  }

  /// Passes bytes that were put into `space`, and erases the HUD before what would move it.
  ///
  /// - Parameter hasMore: more of the program's output is at hand, so that the end of an update can wait.
  package mutating func pass(
    _ count: Int, hasMore: Bool = false, now: Instant, to queue: inout OutputQueue
  ) {
    guard count > 0 else { return }
    passedBytes &+= UInt64(count)
    flood.noteOutput(now: now)
    if move != nil {
      // How far the rows have moved is unknown now.
      move = nil
      screen.forgetEverything()
    }
    keepStartOutput(count)
    held += count
    if !passThrough(count, to: &queue) { passTogether(hasMore: hasMore, now: now, to: &queue) }
    placeScrolledStart()
  }

  /// Passes the bytes of the buffer that are not modelled yet, through the model.
  mutating func passTogether(
    hasMore: Bool = false, now: Instant, to queue: inout OutputQueue
  ) {
    endHeldAt = nil
    let end = held
    var written = sent
    var index = modelled
    // The end of the bytes; while a sequence passes that the HUD was prepared for, the end of that.
    var limit = end
    var isPrepared = false
    // The byte before which the HUD was erased last.
    var erasedBefore = -1
    var lastEnd: Int?
    while true {
      let stop = unsafe screen.feed(
        buffer.rawBytes(limit), from: index, hudRegion: hudRegion(isPrepared: isPrepared))
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
        keep(from: written, to: end, queue: &queue)
        noteUpdate(now: now)
        noteColumnMode(now: now)
        return
      case .willMoveCovered, .willReadCells, .willBecomeUnrestorable:
        eraseHUD(now: now, to: &queue)
        erasedBefore = index
        var isDone = false
        if limit == end, passThrough(afterLineFeed: index, isDone: &isDone, to: &queue) {
          written = sent
          index = modelled
          if isDone {
            noteUpdate(now: now)
            return noteColumnMode(now: now)
          }
        }
      // An update that is ended shows what there is: the HUD is put back before, unless it was erased for
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
        if !(hasLater && mayWait(hasMore: hasMore, now: now)) {
          if hasMore, mayHold(now: now, from: index, to: end) {
            return hold(from: index, to: end, now: now, queue: queue)
          }
          redraw(now: now, to: &queue)
        }
        isPrepared = true
        limit = endOfSequence(index, end)
      case .willRepeat(let count):
        eraseHUD(now: now, to: &queue)
        repeatLast(count, to: &queue)
        let sequenceEnd = endOfSequence(index, end)
        _ = unsafe screen.feed(buffer.rawBytes(sequenceEnd), from: index)
        written = sequenceEnd
        index = sequenceEnd
      case .willCombine: writeLastAgain(to: &queue)
      case .willRepeatEarlier:
        eraseHUD(now: now, to: &queue)
        if !writeBeforeRepeat(to: &queue) { writeEarlierAgain(to: &queue) }
      case .ownSequence:
        ownSequences += 1
        keepOwnSequence()
        // What has begun to go out goes out whole.
        if stop.offset >= 0 { written = max(written, stop.resume) }
      }
    }
  }

  private mutating func keepOwnSequence() {
    let start = ownCount
    let isKept = screen.withOwnSequence { text in
      guard text.byteCount < Screen.ownLimit, start + text.byteCount < Compositor.chunk else {
        return false
      }
      for index in 0..<text.byteCount {
        ownLines[start + index] = FieldCursor.byte(at: index, in: text)
      }
      ownLines[start + text.byteCount] = 0x0A
      ownCount = start + text.byteCount + 1
      return true
    }
    if !isKept { lostOwnSequences += 1 }
  }

  /// Whether own sequences have said something since the last call of `takeOwnSequences`.
  package var hasOwnLines: Bool { ownCount > 0 }

  /// Hands over what own sequences have said since the last call, a line each with its end.
  package mutating func takeOwnSequences(_ body: (RawSpan) -> Void) {
    guard ownCount > 0 else { return }
    let all = unsafe ownLines.rawBytes(ownCount)
    var start = 0
    for index in 0..<ownCount where ownLines[index] == 0x0A {
      body(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: all[start...index])))
      start = index + 1
    }
    ownCount = 0
  }

  /// What the screen has to stop for.
  private func hudRegion(isPrepared: Bool) -> HUDRegion {
    var hudRegion = HUDRegion()
    // What has begun to go out cannot be stopped at; nothing is drawn then.
    if isWithinSequence { return hudRegion }
    addToRegion(to: &hudRegion)
    hudRegion.stopsAtUpdateEnd = !isPrepared && (place != nil || isDrawn)
    hudRegion.stopsAtQueries = isUpdateOpen
    hudRegion.stopsAtRepeat = hasInjected
    hudRegion.stopsAtEarlierRepeat = screen.mayRepeatInjected
    return hudRegion
  }

  mutating func send(_ from: Int, _ to: Int, to queue: inout OutputQueue) {
    guard from < to else { return }
    unsafe queue.append(UnsafeRawBufferPointer(rebasing: buffer.rawBytes(to)[from...]))
    hasInjected = hasInjected && screen.isLastFromBefore
  }

  /// Holds back the bytes of an unfinished sequence, unless there are too many.
  private mutating func keep(from start: Int, to end: Int, queue: inout OutputQueue) {
    let isTooLong = end - start > Compositor.heldLimit
    // What was sent ahead has ended, and another sequence has begun after it.
    if isWithinSequence, !screen.hasExecutedPending, screen.pendingBytes <= end {
      isWithinSequence = false
    }
    if isWithinSequence || screen.hasExecutedPending || isTooLong {
      if isTooLong { eraseHUD(now: erasedAt, to: &queue) }
      send(start, end, to: &queue)
      isWithinSequence = !screen.isAtGround
      setHeld(0)
      return
    }
    moveToFront(from: start, to: end, queue)
    setHeld(end - start)
  }

  /// The first bytes of the buffer are modelled, and not sent.
  mutating func setHeld(_ count: Int) {
    held = count
    modelled = count
    sent = 0
  }

  /// Where the control sequence or string that begins at a place ends; the end of all if it is not
  /// a control sequence.
  private func endOfSequence(_ start: Int, _ end: Int) -> Int {
    var index = max(0, start)
    guard index < end else { return end }
    if buffer[index] == 0x1B {
      guard index + 1 < end, buffer[index + 1] == 0x5B else { return end }
      index += 2
    } else if buffer[index] == 0x9B {
      index += 1
    } else {
      return end
    }
    while index < end, !(0x40...0x7E).contains(buffer[index]) { index += 1 }
    return min(end, index + 1)
  }

  /// Whether the HUD can wait for the end of a later update that is at hand, so that the terminal is given
  /// both at once. Else each update of a program that is ahead of its terminal would carry a whole HUD
  /// with it.
  private mutating func mayWait(hasMore: Bool, now: Instant) -> Bool {
    guard joinsUpdates else { return false }
    let period = hasMore ? Compositor.updatePeriod : Compositor.streamPeriod
    guard now.nanoseconds(since: paintedAt) < period else { return false }
    // What the program ends is the update that is open, whoever began it.
    isUpdateOpen = false
    return true
  }

  /// Whether the end of an update can be held back, with all after it, until more has come: the HUD was
  /// drawn a moment ago.
  private func mayHold(now: Instant, from start: Int, to end: Int) -> Bool {
    guard joinsUpdates, start >= 0, end - start <= Compositor.heldLimit else { return false }
    return now.nanoseconds(since: paintedAt) < Compositor.updatePeriod
  }

  /// Holds back what begins with the end of an update. The terminal shows what it showed before until that
  /// comes, as if the program took longer for the update.
  private mutating func hold(
    from start: Int, to end: Int, now: Instant, queue: borrowing OutputQueue
  ) {
    endHeldAt = now
    moveToFront(from: start, to: end, queue)
    held = end - start
    modelled = 0
    sent = 0
    noteUpdate(now: now)
    noteColumnMode(now: now)
  }

  /// The place of the last end of a synchronized update that is in the buffer as a whole.
  private func lastUpdateEnd(from start: Int, to end: Int) -> Int? {
    // As one word: ESC [ ? 2 0 2 6 l, the first one lowest.
    let wanted: UInt64 = 0x6C36_3230_323F_5B1B
    guard start >= 0, let bytes = unsafe UncheckedBytes(buffer.rawBytes(end)) else { return nil }
    var place = end
    while let found = bytes.lastEscape(from: start, before: place) {
      if found + 8 <= end, bytes.word(at: found) == wanted { return found }
      place = found
    }
    return nil
  }

  private mutating func noteUpdate(now: Instant) {
    if !screen.isUpdating {
      updateOpenedAt = nil
    } else if updateOpenedAt == nil || screen.updateEnds != notedUpdateEnds {
      updateOpenedAt = now
    }
    notedUpdateEnds = screen.updateEnds
  }

  /// Writes a character again instead of a REP, which would repeat what was injected.
  private mutating func repeatLast(_ count: Int, to queue: inout OutputQueue) {
    let cell = screen.lastPrinted
    guard !cell.isClear else { return }
    for _ in 0..<screen.repetitions(of: cell, count) { appendCharacter(cell, to: &queue) }
    // A second REP would find nothing to repeat.
    queue.appendRendition(screen.pen.style)
    hasInjected = true
  }

  // MARK: Accents

  /// Writes the program's last character again in its place, so that it is what the terminal has
  /// written last and the character that comes now is added to it.
  ///
  /// The cursor is not placed afterwards, since that would end it: the character itself leaves it, and
  /// a pending wrap, where the program had it. What of the HUD it overwrites is damage, as the accent is.
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

  /// Writes the character that the program printed last once more, where it shows already or on a blank that is then
  /// erased again, so that it is the one that some terminals repeat although other sequences have come since.
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

  /// Writes the character again that stands right before REP, with nothing after it: some terminals (VTE 0.70) repeat
  /// nothing once another sequence has come.
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

  /// A place where a character can be written without a trace; `nil` if there is none, or if it is not known how.
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
        // Some repeat its look as well.
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
