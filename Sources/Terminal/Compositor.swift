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
  public private(set) var screen: Screen
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
  private(set) var wanted = CellGrid(Size(rows: 0, columns: 0))
  /// Where it is to lie; `nil` while it is hidden.
  private(set) var place: Rect?
  private(set) var hasChanges = false

  // MARK: The terminal

  /// What the terminal shows of the HUD; clear where something else has been written over it.
  var shown = CellGrid(Size(rows: 0, columns: 0))
  /// Where the HUD is on the terminal; empty while it is lifted.
  var drawn = Rect(row: 0, column: 0, rows: 0, columns: 0)
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
    precondition(grid.size == Size(rows: place.rows, columns: place.columns))
    if wanted.size != grid.size {
      wanted = CellGrid(grid.size)
      hasChanges = true
    }
    if wanted.copyCells(of: grid) || self.place != place { hasChanges = true }
    self.place = place
  }

  /// Takes the HUD away at the next `settle`.
  public mutating func hide() {
    place = nil
  }

  /// Draws everything anew at the next `settle`: when something else may have written.
  public mutating func redrawAll() {
    for row in 0..<shown.size.rows {
      for column in 0..<shown.size.columns { shown[row, column] = .clear }
    }
    hasChanges = true
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
    paintOver(
      Rect(
        row: move.drawn.row + shift, column: move.drawn.column, rows: move.drawn.rows,
        columns: move.drawn.columns), now: now, to: &queue)
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
      case .ownSequence:
        ownSequences += 1
        // What has begun to go out goes out whole.
        if stop.offset >= 0 { written = max(written, stop.resume) }
      }
    }
  }

  /// What the screen has to stop for.
  private func cover(isPrepared: Bool) -> Cover {
    var cover = Cover()
    // What has begun to go out cannot be stopped at; nothing is drawn then.
    if isWithinSequence { return cover }
    if isDrawn { cover.add(covered) }
    cover.stopsAtUpdateEnd = !isPrepared && (place != nil || isDrawn)
    cover.stopsAtQueries = isUpdateOpen
    cover.stopsAtRepeat = hasInjected
    return cover
  }

  /// The HUD with a column on each side, where a wide character may be cut.
  var covered: Rect {
    let left = max(0, drawn.column - 1)
    return Rect(
      row: drawn.row, column: left, rows: drawn.rows,
      columns: min(screen.size.columns, drawn.endColumn + 1) - left)
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
    return screen.isRestorable && (place != drawn || hasChanges || screen.hasDamage)
  }

  /// Repairs or drops the HUD, or takes it away, whatever is wanted and possible.
  private mutating func redraw(now: Instant, to queue: inout OutputQueue) {
    guard !isWithinSequence else { return }
    if isDrawn, place != drawn || (screen.hasDamage && hasLostCells(drawn)), screen.isRestorable {
      lift(now: now, to: &queue)
    }
    if isDrawn {
      if screen.isRestorable { repair(to: &queue) }
    } else if canDraw, let place {
      drop(at: place, to: &queue)
    }
    droppedAt = now
    endUpdate(to: &queue)
  }

  /// Whether the HUD may be drawn where it is wanted.
  private var canDraw: Bool {
    guard let place, !isHeld, screen.isRestorable, !screen.isPastStop else { return false }
    guard size == screen.size else { return false }
    guard place.row >= 0, place.column >= 0, place.endRow <= screen.size.rows,
      place.endColumn < max(2, screen.size.columns)
    else { return false }
    return !hasLostCells(place)
  }

  /// Whether a cell there, or one beside it that would be cut, could not be restored.
  private func hasLostCells(_ place: Rect) -> Bool {
    let first = max(0, place.column - 1)
    let last = min(screen.size.columns, place.endColumn + 1)
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
    paintHUD(isWhole: false, to: &queue)
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
      // Half of a wide character is none.
      let from = first > 0 && shown[row, first].isContinuation ? first - 1 : first
      let to = last < drawn.columns && shown[row, last - 1].width == 2 ? last + 1 : last
      shown.clearRow(row, from..<to)
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
    paintOver(
      Rect(
        row: old.row - max(0, cursor.row - screen.cursor.row), column: old.column, rows: old.rows,
        columns: old.columns), now: now, to: &queue)
  }

  /// Paints what lies beneath where the terminal still shows a HUD that was carried along.
  private mutating func paintOver(_ place: Rect, now: Instant, to queue: inout OutputQueue) {
    guard screen.isRestorable else { return }
    drawn = place.intersection(Rect(screen.size))
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
