import Base

/// Lays the HUD over a program's screen while the program's bytes pass to the terminal verbatim.
///
/// The bytes go through the shadow screen, which stops in front of a sequence that would move what
/// the HUD covers, or that leads to a state that could not be restored. Up to there they go out;
/// then the HUD is lifted, that is, what lies beneath is painted from the shadow, which equals the
/// terminal at this byte; the sequence passes, and the HUD is dropped again when the output pauses.
/// What only overwrites the HUD is repaired afterwards. After each of these the terminal is in the
/// state in which the program left it: docs/TRANSPARENCY.md has the promise and its exceptions.
///
///     let count = pty.read(into: compositor.space)
///     compositor.pass(count, now: now, to: &queue)     // lifts if it must
///     compositor.settle(now: now, isIdle: true, to: &queue)  // repairs, drops
///
/// It reads no clock and writes nowhere but into the queue; nothing is allocated while it runs.
public struct Compositor: ~Copyable {
  /// So many bytes are passed at once.
  public static let chunk = 64 << 10
  /// So much of an unfinished string is held back; a longer one (an image) passes with the HUD lifted.
  static let heldLimit = 60_000
  /// Streaming output is interrupted for the HUD this often, in nanoseconds.
  static let streamPeriod: Int64 = 8_000_000
  /// The same where the terminal shows nothing in between, since the HUD is lifted within an update.
  static let updatePeriod: Int64 = 16_000_000
  /// A program that keeps its update open for longer is no longer waited for.
  static let openUpdateLimit: Int64 = 120_000_000

  /// What the terminal shows beneath the HUD.
  public internal(set) var screen: Screen
  /// The terminal's own size: a shadow of a larger one than `Screen.sizeLimit` would not be true.
  private var size: Size
  /// Draws what lies beneath instead of the HUD: everything is done as if it were drawn, so that
  /// whatever changes by that can be seen from outside.
  public let isGhost: Bool
  /// Whether the terminal has synchronized updates (`?2026`): then a lifted HUD is never seen.
  public var hasSynchronizedUpdates = false
  /// Nothing is drawn meanwhile: what the terminal is has still to be found out.
  public var isHeld = false

  // MARK: The HUD

  /// The styles behind the numbers in the HUD's cells.
  private(set) var styles: [Style]
  /// The SGR for each of them.
  private(set) var renditions: [[UInt8]]
  /// All windows in one picture; clear where none lies.
  var wanted = CellGrid(Size(rows: 0, columns: 0))
  /// The rectangle around all windows; `nil` while they are hidden.
  var place: Rect?
  /// Where the windows are to lie.
  var wantedParts = RectList()
  var hasChanges = false

  // MARK: The terminal

  /// What the terminal shows of the HUD: clear where the program's cell is, unknown where the program
  /// may have written over a cell of the HUD.
  var shown = CellGrid(Size(rows: 0, columns: 0))
  /// The rectangle around the HUD on the terminal; empty while it is lifted.
  var drawn = Rect(row: 0, column: 0, rows: 0, columns: 0)
  /// Where its windows are on the terminal.
  var drawnParts = RectList()
  /// The rows of the terminal in which half of a wide character beside the HUD has ever been blanked.
  let hasCutEdge = Storage<Bool>(repeating: false, count: Screen.sizeLimit)
  /// The text of a run of the HUD's cells, until it is in the queue.
  let text = Storage<UInt8>(zeroed: Screen.sizeLimit * 4)
  /// An update of our own is open.
  var isUpdateOpen = false
  /// Something of ours went out since the program's last byte.
  var hasInjected = false
  /// The terminal is within a sequence: part of it had to be sent.
  private var isWithinSequence = false
  /// How often the HUD had to be lifted in a state that no sequence restores: by DECSC and DECRC, so
  /// that the program's saved cursor was lost. The stops are there to keep it at 0.
  public internal(set) var forcedLifts = 0
  private var liftedAt = Instant(nanoseconds: 0)
  private var droppedAt = Instant(nanoseconds: 0)
  private var updateOpenedAt: Instant?
  /// When the program has asked for another width (DECCOLM), which has not come yet.
  var widthAskedAt: Instant?

  /// The window has become taller, and by how many rows the terminal has moved its lines is still to be
  /// told by its cursor.
  private var move: PendingMove?

  private struct PendingMove {
    /// Where the cursor and the HUD were before.
    var cursor: Point
    var drawn: Rect
  }

  // MARK: Bytes

  private let buffer = Storage<UInt8>(zeroed: Compositor.heldLimit + Compositor.chunk)
  /// Bytes at the start of the buffer that the screen has taken and the terminal has not.
  private var held = 0
  /// Counts every byte of the program that was passed.
  public private(set) var passedBytes: UInt64 = 0
  /// Own sequences of the program (OSC 7337) that were taken out.
  public private(set) var ownSequences = 0
  /// What they said, a line each, until it is taken. What one `pass` can bring has room.
  private let ownLines = Storage<UInt8>(zeroed: Compositor.chunk)
  private var ownCount = 0
  /// Own sequences that were not kept: too long, or not taken in time.
  public private(set) var lostOwnSequences = 0

  /// - Parameters:
  ///   - size: that of the terminal.
  ///   - options: what is known of the terminal.
  ///   - styles: what the numbers in the HUD's cells mean.
  public init(size: Size, options: Screen.Options, styles: [Style], isGhost: Bool = false) {
    screen = Screen(size, options: options)
    self.size = size
    self.styles = styles.isEmpty ? [.plain] : styles
    renditions = OutputQueue.renditions(of: self.styles)
    self.isGhost = isGhost
  }

  /// Whether the HUD is on the terminal.
  public var isDrawn: Bool { !drawn.isEmpty }

  // MARK: What is wanted

  /// Puts the HUD's picture where it is to lie from the next `settle` on.
  ///
  /// - Parameter place: must be of the grid's size, and leave the last column of the screen free,
  ///   since that carries the mark of a line that goes on in the next.
  public mutating func show(_ grid: borrowing CellGrid, at place: Rect) {
    show(grid, parts: RectList(place), at: place)
  }

  /// Takes the HUD away at the next `settle`.
  public mutating func hide() {
    place = nil
  }

  /// Draws everything anew at the next `settle`: when something else may have written.
  public mutating func redrawAll() {
    for row in 0..<shown.size.rows { forgetShown(row, 0, shown.size.columns) }
    hasChanges = true
  }

  /// The numbers in the HUD's cells mean other styles from now on, as many as before.
  public mutating func setStyles(_ styles: [Style]) {
    guard styles.count == self.styles.count else { return }
    self.styles = styles
    renditions = OutputQueue.renditions(of: styles)
    redrawAll()
  }

  /// The terminal has turned out to be of another kind.
  public mutating func setQuirks(_ quirks: TerminalQuirks) { screen.setQuirks(quirks) }

  /// Something else went out, such as a question.
  public mutating func noteInjection() { hasInjected = true }

  /// By how many rows the terminal has moved its lines is still to be told by `setCursor`.
  public var hasPendingMove: Bool { move != nil }

  /// The terminal has told where the cursor is, as an answer to a question behind the last byte.
  public mutating func setCursor(_ place: Point, now: Instant, to queue: inout OutputQueue) {
    guard let move else { return screen.setCursor(place) }
    self.move = nil
    let shift = place.row - move.cursor.row
    guard shift >= 0, place.column == move.cursor.column, place.row < screen.size.rows else {
      screen.forgetEverything()
      return screen.setCursor(place)
    }
    screen.takeBackLines(shift, cursor: place)
    paintOver(move.drawn, movedBy: shift, now: now, to: &queue)
  }

  // MARK: The program's bytes

  /// Where the next bytes are to be put: room for at least `chunk` bytes.
  public var space: UnsafeMutableRawBufferPointer {
    unsafe buffer.rawSpace(from: held, Compositor.chunk)
  }

  /// Passes bytes that were put into `space`, and lifts the HUD in front of what would move it.
  public mutating func pass(_ count: Int, now: Instant, to queue: inout OutputQueue) {
    guard count > 0 else { return }
    passedBytes &+= UInt64(count)
    if move != nil {
      // What has moved how far cannot be told any more.
      move = nil
      screen.forgetEverything()
    }
    let end = held + count
    var written = 0
    var index = held
    // While a sequence passes that the HUD has been prepared for, the bytes end behind it.
    var limit = end
    var isPrepared = false
    while true {
      let stop = unsafe screen.feed(
        buffer.rawBytes(limit), from: index, cover: cover(isPrepared: isPrepared))
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
        lift(now: now, to: &queue)
      case .willQueryState: endUpdate(to: &queue)
      case .willEndUpdate:
        redraw(now: now, to: &queue)
        isPrepared = true
        limit = endOfSequence(index, end)
      case .willRepeat(let count):
        lift(now: now, to: &queue)
        repeatLast(count, to: &queue)
        let sequenceEnd = endOfSequence(index, end)
        _ = unsafe screen.feed(buffer.rawBytes(sequenceEnd), from: index)
        written = sequenceEnd
        index = sequenceEnd
      case .willCombine: writeLastAgain(to: &queue)
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

  /// Hands over what own sequences have said since the last call, a line each with its end.
  public mutating func takeOwnSequences(_ body: (RawSpan) -> Void) {
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
  private func cover(isPrepared: Bool) -> Cover {
    var cover = Cover()
    // What has begun to go out cannot be stopped at; nothing is drawn then.
    if isWithinSequence { return cover }
    addCovered(to: &cover)
    cover.stopsAtUpdateEnd = !isPrepared && (place != nil || isDrawn)
    cover.stopsAtQueries = isUpdateOpen
    cover.stopsAtRepeat = hasInjected
    return cover
  }

  private mutating func send(_ from: Int, _ to: Int, to queue: inout OutputQueue) {
    guard from < to else { return }
    unsafe queue.append(UnsafeRawBufferPointer(rebasing: buffer.rawBytes(to)[from...]))
    hasInjected = false
  }

  /// Holds back the bytes of an unfinished sequence, unless there are too many.
  private mutating func keep(from start: Int, to end: Int, queue: inout OutputQueue) {
    let isTooLong = end - start > Compositor.heldLimit
    // What was sent ahead has ended, and another sequence has begun behind it.
    if isWithinSequence, !screen.isAheadOfPending, screen.pendingBytes <= end {
      isWithinSequence = false
    }
    if isWithinSequence || screen.isAheadOfPending || isTooLong {
      if isTooLong { lift(now: liftedAt, to: &queue) }
      send(start, end, to: &queue)
      isWithinSequence = !screen.isAtGround
      held = 0
      return
    }
    held = end - start
    buffer.move(from: start, to: 0, held)
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

  private mutating func noteUpdate(now: Instant) {
    if !screen.isUpdating {
      updateOpenedAt = nil
    } else if updateOpenedAt == nil {
      updateOpenedAt = now
    }
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

  // MARK: Lift and drop

  /// Takes the HUD off the terminal: what lies beneath shows, and the program's state is as before.
  ///
  /// It comes back with a later `settle`, unless it is hidden before.
  public mutating func lift(now: Instant, to queue: inout OutputQueue) {
    guard isDrawn else { return }
    beginUpdate(to: &queue)
    paintBeneath(to: &queue)
    drawn = Rect(row: 0, column: 0, rows: 0, columns: 0)
    screen.forgetDamage()
    liftedAt = now
  }

  /// Ends what is of perfhud's own on the terminal, and hands over what is held back: before the
  /// terminal goes to somebody else.
  public mutating func release(now: Instant, to queue: inout OutputQueue) {
    lift(now: now, to: &queue)
    endUpdate(to: &queue)
    send(0, held, to: &queue)
    isWithinSequence = isWithinSequence || held > 0
    held = 0
  }

  /// Nothing is known of the terminal any more: after somebody else had it.
  public mutating func forgetTerminal() {
    move = nil
    screen.forgetEverything()
    screen.forgetDamage()
    drawn = Rect(row: 0, column: 0, rows: 0, columns: 0)
    isUpdateOpen = false
    hasInjected = true
  }

  /// Brings the HUD on the terminal up to date, if this is the moment for it.
  ///
  /// - Parameters:
  ///   - isIdle: the program has nothing more to say for now. While it has, the HUD is dropped
  ///     every 8 to 16 ms only.
  public mutating func settle(now: Instant, isIdle: Bool, to queue: inout OutputQueue) {
    guard let due = deadline(now: now, isIdle: isIdle), due <= now else { return }
    redraw(now: now, to: &queue)
  }

  /// When `settle` has something to do; `nil` if nothing is left.
  public func deadline(now: Instant, isIdle: Bool) -> Instant? {
    guard hasWork else { return nil }
    if let opened = updateOpenedAt {
      return opened.advanced(byNanoseconds: Compositor.openUpdateLimit)
    }
    if isDrawn || !isUpdateOpen, isIdle { return now }
    let period = isUpdateOpen ? Compositor.updatePeriod : Compositor.streamPeriod
    if isIdle { return max(now, droppedAt.advanced(byNanoseconds: period)) }
    let since = max(isDrawn ? droppedAt : liftedAt, droppedAt)
    return max(now, since.advanced(byNanoseconds: period))
  }

  private var hasWork: Bool {
    guard !isWithinSequence else { return false }
    guard isDrawn else { return isUpdateOpen || canDraw }
    return screen.isRestorable && (hasMoved || hasChanges || screen.hasDamage)
  }

  /// Repairs or drops the HUD, or takes it away, whatever is wanted and possible.
  private mutating func redraw(now: Instant, to queue: inout OutputQueue) {
    guard !isWithinSequence else { return }
    if isDrawn, screen.isRestorable, mustLift { lift(now: now, to: &queue) }
    if isDrawn {
      if screen.isRestorable { repair(to: &queue) }
    } else if canDraw, let place {
      drop(at: place, to: &queue)
    }
    droppedAt = now
    endUpdate(to: &queue)
  }

  /// Whether the HUD may be drawn where it is wanted.
  var canDraw: Bool {
    guard let place, !isHeld, screen.isRestorable, !screen.isPastStop else { return false }
    guard size == screen.size else { return false }
    guard place.row >= 0, place.column >= 0, place.endRow <= screen.size.rows,
      place.endColumn < max(2, screen.size.columns)
    else { return false }
    return !hasLostCells(wantedParts)
  }

  /// Whether a cell there, or one beside it that would be cut, could not be restored.
  func hasLostCells(_ place: Rect) -> Bool {
    let first = max(0, place.column - 1)
    let last = min(screen.size.columns, place.endColumn + 1)
    // A place of a larger screen may lie beside this one.
    guard !place.isEmpty, first < last else { return false }
    for row in place.row..<place.endRow where screen.hasDoubt(row, first, last) {
      for column in first..<last {
        let cell = screen.cell(row: row, column: column)
        // To protect it again would bring back a protection that has ended.
        if cell.isProtected, screen.protection == .none { return true }
        guard column >= place.column, column < place.endColumn else { continue }
        if cell.isUnknown, !cell.isUnseen { return true }
      }
    }
    return false
  }

  private mutating func drop(at place: Rect, to queue: inout OutputQueue) {
    drawn = place
    drawnParts = wantedParts
    if shown.size != wanted.size {
      shown = CellGrid(wanted.size)
    } else {
      shown.fill(.clear)
    }
    screen.forgetDamage()
    beginUpdate(to: &queue)
    paintHUD(isWhole: true, to: &queue)
    hasChanges = false
  }

  private mutating func repair(to queue: inout OutputQueue) {
    guard hasChanges || screen.hasDamage else { return }
    noteDamage()
    beginUpdate(to: &queue)
    if hasMoved, let place {
      change(to: place, &queue)
    } else {
      paintHUD(isWhole: false, to: &queue)
    }
    screen.forgetDamage()
    hasChanges = false
  }

  /// What the program has written over the HUD is no longer shown.
  private mutating func noteDamage() {
    guard screen.hasDamage else { return }
    for row in 0..<drawn.rows {
      let damage = screen.damage(row: drawn.row + row)
      let first = max(0, damage.lowerBound - drawn.column)
      let last = min(drawn.columns, damage.upperBound - drawn.column)
      guard first < last else { continue }
      forgetShown(row, first, last)
    }
  }

  // MARK: Updates

  /// Opens an update of our own, unless the program has one open that covers us.
  private mutating func beginUpdate(to queue: inout OutputQueue) {
    guard hasSynchronizedUpdates, !isUpdateOpen, !screen.isUpdating else { return }
    queue.append("\u{1B}[?2026h")
    isUpdateOpen = true
    hasInjected = true
  }

  /// Ends it; one that the program has begun meanwhile stays open.
  private mutating func endUpdate(to queue: inout OutputQueue) {
    guard isUpdateOpen else { return }
    isUpdateOpen = false
    guard !screen.isUpdating else { return }
    queue.append("\u{1B}[?2026l")
    hasInjected = true
  }

  // MARK: Size

  /// What a terminal does with its lines when its size changes.
  public enum Reflow: Sendable {
    /// Lines stay at the top, or go up as far as the cursor needs.
    case known
    /// The same, but lines may have come back out of the history above them: by how many the cursor has
    /// moved says how many, so it has to be asked for, in front of more bytes of the program.
    case mayMoveDown
    case unknown
  }

  /// Follows the terminal to another size.
  ///
  /// The terminal has carried the HUD along as if it were text. Where it is known where to, it is
  /// painted over; else it stays as a residue.
  public mutating func resize(
    to size: Size, reflow: Reflow, now: Instant, to queue: inout OutputQueue
  ) {
    guard size != self.size else { return }
    self.size = size
    let old = drawn
    let cursor = screen.cursor
    drawn = Rect(row: 0, column: 0, rows: 0, columns: 0)
    // Of several steps in a row the first one's place counts.
    let first = move ?? PendingMove(cursor: cursor, drawn: old)
    let isKnown: Bool
    switch reflow {
    case .known: isKnown = move == nil
    case .mayMoveDown: isKnown = move != nil || screen.isRestorable
    case .unknown: isKnown = false
    }
    move = nil
    screen.resize(to: size, isKnown: isKnown)
    screen.forgetDamage()
    hasChanges = true
    guard isKnown else { return }
    if reflow == .mayMoveDown {
      screen.isCursorKnown = false
      move = first
      return
    }
    // Lines that went off the top have taken the HUD along.
    let shift = max(0, cursor.row - screen.cursor.row)
    paintOver(old, movedBy: -shift, now: now, to: &queue)
  }

  /// Paints what lies beneath where the terminal still shows a HUD that was carried along.
  private mutating func paintOver(
    _ place: Rect, movedBy rows: Int, now: Instant, to queue: inout OutputQueue
  ) {
    guard screen.isRestorable else { return }
    drawn = place
    drawn.row += rows
    lift(now: now, to: &queue)
    endUpdate(to: &queue)
  }
}

extension Screen {
  /// Whether a part of a row has unknown or protected cells.
  func hasDoubt(_ row: Int, _ from: Int, _ to: Int) -> Bool {
    let line = lines[lineIndex(row)]
    let used = min(to, Int(line.used))
    var bits = used < to ? line.blank.raw : 0
    for column in from..<max(from, used) { bits |= cells[line.start &+ column].raw }
    return bits & (Cell.Bits.unknown | Cell.Bits.protected) != 0
  }
}
