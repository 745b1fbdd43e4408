import PerfHUDBase

/// Follows a modeled terminal through a change of size, and repaints the whole screen from the model.
///
/// When the size changes, the terminal moves the HUD as if it were text, splits lines that the HUD has made longer, and
/// pushes others into the history. The model does to the program's own lines what the terminal would have done to them
/// without the HUD, and the screen is painted accordingly.
extension Compositor {
  mutating func reflow(to size: Size, now: Instant, to queue: inout OutputQueue) {
    let before = resizeReflow.unpainted ?? currentLines
    painted.remove()
    hasChanges = true
    install(before.resized(to: size, extra: 0))
    guard screen.isRestorable else {
      if resizeReflow.isCursorDoubtful { screen.certainty.isCursorKnown = false }
      return repaintScreen(now: now, to: &queue)
    }
    // The cursor's position shows whether the terminal has done the same. The terminal may also have changed its size
    // again: what is painted for this size would wrap in a narrower one, and scroll in a lower one.
    resizeReflow.awaitCursor(ResizeReflow.PendingReflow(before: before, size: size))
    screen.certainty.isCursorKnown = false
  }

  /// The terminal changes its size again before it has reported its cursor: assume that it did what was expected.
  mutating func assumeReflow() {
    guard let (pending, expected) = resizeReflow.takePendingReflow() else { return }
    screen.certainty.settleCursor()
    let extra = expected.expected
    if extra > 0 { install(pending.before.resized(to: pending.size, extra: extra)) }
  }

  /// The lines of the program, and those of the terminal with the painted HUD.
  private var currentLines: ResizedLines {
    let program = screen.reflowGrid
    var terminal = program.covered(by: painted.cells, at: painted.frame)
    if let past = resizeReflow.terminalPast { screen.takePast(past, into: &terminal) }
    return ResizedLines(
      program: program, terminal: terminal, isScattered: resizeReflow.isPastScattered,
      kept: program.rewraps && program.hasLost ? terminal.uncovered(by: program) : nil)
  }

  /// Makes the model take the lines after a change of size; they are to be painted.
  private mutating func install(_ lines: ResizedLines) {
    screen.install(lines.program)
    resizeReflow.note(lines)
  }

  /// Repaints the screen once the cursor's position has arrived, or is not expected any more.
  mutating func endReflow(at place: Point? = nil, now: Instant, to queue: inout OutputQueue) {
    guard let (pending, expected) = resizeReflow.takePendingReflow() else { return }
    if resizeReflow.isCursorDoubtful {
      // How many rows the lines above take is not known, so the cursor is where the terminal has it.
      if let place { screen.setCursor(place) }
      return repaintScreen(now: now, to: &queue)
    }
    screen.certainty.settleCursor()
    var extra = expected.expected
    if let place {
      extra = place.row - expected.cursor.row
      let last = size.columns - 1
      let isExpected = min(place.column, last) == min(expected.cursor.column, last)
      if extra < 0 || extra > max(expected.missing, 0) || !isExpected {
        if let lines = pending.before.resizedWithDetour(to: pending.size, cursor: place) {
          install(lines)
          screen.certainty.settleCursor()
          return repaintScreen(now: now, to: &queue)
        }
        return giveUpReflow(movedBy: isExpected ? extra : nil, now: now, to: &queue)
      }
    }
    // The terminal may have more lines above than expected, because the HUD has split some. Those may be what has come
    // back. They go into the history again, and so would unknown lines.
    if let total = resizeReflow.unpainted?.program.total, expected.rewraps, extra > 0,
      expected.total != total, pending.before.kept == nil
    {
      return repaintScreen(pushing: extra, now: now, to: &queue)
    }
    // If fewer lines came back than there was room for, there are no more.
    let isAll = place != nil && extra < expected.missing && expected.rewraps
    install(pending.before.resized(to: pending.size, extra: extra, isAll: isAll))
    screen.certainty.settleCursor()
    repaintScreen(now: now, to: &queue)
  }

  /// Handles a terminal that has done something unexpected: blanks all cells that are unknown since before the program
  /// began rather than leave pieces of a HUD.
  ///
  /// - Parameter rows: how much lower the cursor is than expected, which is how many lines too many have come back from
  ///   the history. `nil` if the cursor does not show this: if its line was in the history, tmux has put the cursor
  ///   elsewhere.
  private mutating func giveUpReflow(
    movedBy rows: Int?, now: Instant, to queue: inout OutputQueue
  ) {
    guard let lines = resizeReflow.unpainted else { return }
    let rewraps = lines.program.rewraps
    resizeReflow.noteScattered(rewraps)
    for row in 0..<screen.size.rows { screen.blankUnknown(row) }
    var surplus = 0
    if let rows {
      resizeReflow.forgetUnpainted()
      if rewraps { surplus = rows + lines.program.total - lines.terminal.total }
    }
    repaintScreen(pushing: surplus, now: now, to: &queue)
  }

  /// Notes that the primary screen is shown again after a change of size. Where the HUD was before, lines may be longer
  /// in the terminal than in the model, so all of them are painted.
  mutating func noteResumedScreen() {
    guard screen.hasResumed else { return }
    screen.hasResumed = false
    resizeReflow.requestRepaint()
  }

  /// Paints everything known on the screen, and blanks where a piece of the HUD is over something unknown.
  ///
  /// - Parameter surplus: how many lines go back into the history first.
  mutating func repaintScreen(
    pushing surplus: Int = 0, now: Instant, to queue: inout OutputQueue
  ) {
    resizeReflow.requestRepaint()
    guard screen.isRestorable, !isWithinSequence, !screen.isPastStop, !isPainted else {
      return
    }
    var lines = resizeReflow.takeUnpainted()
    beginUpdate(to: &queue)
    var renderState = begin(to: &queue)
    renderState.movesByRows = false
    renderState.row = -1
    push(surplus, &renderState, to: &queue)
    if lines?.program.rewraps == true { prepareRows(&lines, &renderState, to: &queue) }
    resizeReflow.note(
      past: lines.map { TerminalPast($0.terminal, screen, isCut: isErasable(0)) })
    for row in 0..<screen.size.rows where isErasable(row) {
      move(row, 0, &renderState, to: &queue)
      setLook(Style.plain, &renderState, to: &queue)
      queue.append("\u{1B}[2K")
      if let end = screen.erasedEnd(row) {
        // What the program has erased itself stays part of the row.
        move(row, end - 1, &renderState, to: &queue)
        queue.append(UInt8(ascii: " "))
        renderState.column = -1
        move(row, end - 1, &renderState, to: &queue)
        queue.append("\u{1B}[K")
      }
      screen.forgetReach(row)
    }
    for row in 0..<screen.size.rows {
      paintRow(row, lines?.terminal, &renderState, to: &queue)
    }
    finish(&renderState, isHUDErased: true, to: &queue)
    screen.forgetDamage()
    pace.noteScreen(now: now)
    endUpdate(to: &queue)
  }

  /// Puts lines back into the history that have come back because of the HUD, and blanks the unknown cells of rows that
  /// the HUD has moved.
  private mutating func prepareRows(
    _ lines: inout ResizedLines?, _ renderState: inout RenderState, to queue: inout OutputQueue
  ) {
    guard let program = lines?.program, let terminal = lines?.terminal else { return }
    let isScattered = lines?.isScattered == true
    resizeReflow.noteScattered(isScattered)
    let count = min(program.total - terminal.total, screen.size.rows)
    push(count, &renderState, to: &queue)
    if count > 0 { lines?.terminal.scroll(count) }
    for row in 0..<screen.size.rows
    where isScattered || lines?.terminal.keepsRow(row, of: program) != true {
      screen.blankUnknown(row)
    }
  }

  /// Scrolls the first rows into the history.
  private mutating func push(
    _ count: Int, _ renderState: inout RenderState, to queue: inout OutputQueue
  ) {
    guard count > 0 else { return }
    setLook(Style.plain, &renderState, to: &queue)
    move(screen.size.rows - 1, 0, &renderState, to: &queue)
    for _ in 0..<min(count, screen.size.rows) { queue.append(0x0A) }
  }

  private func hasUnknown(_ row: Int) -> Bool {
    for column in 0..<screen.size.columns where screen.cell(row: row, column: column).isUnknown {
      return true
    }
    return false
  }

  /// Whether a row can be erased as a whole and painted again: with unknown cells anywhere in its line, the line would
  /// not be the same afterward.
  private func isErasable(_ row: Int) -> Bool {
    !screen.rows(ofLineIn: row).contains { hasUnknown($0) }
  }

  /// Makes the rows on which the HUD has been as short in the terminal as they are for the program.
  ///
  /// For tmux a line ends where something was last written, even if it was erased since; only EL 2 forgets it. In a
  /// narrower window it would wrap the blanks. So these rows are erased as a whole and painted again, with those before
  /// them in the same line: EL 2 also forgets that the row above continues.
  mutating func shortenRows(to queue: inout OutputQueue) {
    guard canShortenRows else { return }
    beginUpdate(to: &queue)
    var renderState = begin(to: &queue)
    for row in 0..<screen.size.rows {
      guard let line = lineToShorten(row) else { continue }
      for part in line {
        move(part, 0, &renderState, to: &queue)
        setLook(Style.plain, &renderState, to: &queue)
        queue.append("\u{1B}[2K")
        screen.forgetReach(part)
      }
      for part in line { paintRow(part, nil, &renderState, to: &queue) }
    }
    finish(&renderState, isHUDErased: true, to: &queue)
    screen.forgetDamage()
  }

  /// Whether there are such rows, and they can be painted now.
  var canShortenRows: Bool {
    !isPainted && !isWithinSequence && !hasModelLag && screen.isRestorable
      && (0..<screen.size.rows).contains { lineToShorten($0) != nil }
  }

  /// The rows to erase and paint again to shorten a row, which is the last of them: its line. `nil` if there is nothing
  /// to shorten, or the line would not be the same afterward.
  private func lineToShorten(_ row: Int) -> Range<Int>? {
    guard screen.isLengthened(row), screen.protection == .none,
      let first = screen.firstRow(ofLineIn: row)
    else { return nil }
    let line = first..<(row + 1)
    guard !line.contains(where: { hasUnknown($0) }) else { return nil }
    return line.dropFirst().allSatisfy { canWrap(into: $0) } ? line : nil
  }

  /// Whether printing the row before and then this one makes the terminal wrap between them.
  private func canWrap(into row: Int) -> Bool {
    let first = screen.cell(row: row, column: 0)
    guard screen.modes.contains(.autowrap), screen.region.rect == Rect(screen.size), !first.isErased
    else { return false }
    return first.width == 2
      || !screen.cell(row: row - 1, column: screen.size.columns - 1).isErased
  }

  /// Paints an erased row, unless part of it is unknown.
  private mutating func paintRow(
    _ row: Int, _ terminal: ReflowGrid?, _ renderState: inout RenderState,
    to queue: inout OutputQueue
  ) {
    let isErased = isErasable(row)
    noteWrap(into: row, isErased: isErased, &renderState)
    var column = 0
    while column < screen.size.columns {
      let cell = screen.cell(row: row, column: column)
      let isBlank = cell.isUnknown ? terminal?.isCovered(row, column) != true : cell.isErased
      if isBlank, cell.isUnknown || (isErased && screen.style(cell.style) == .plain) {
        column += 1
        continue
      }
      if cell.isErased {
        column = paintErased(
          row, column, cell.isUnknown ? column + 1 : screen.size.columns, &renderState, to: &queue)
        continue
      }
      column += paintCell(cell, row, column, &renderState, to: &queue)
    }
  }

  /// If the previous row continues in this one and the cursor is at its end, the next character wraps, and the terminal
  /// marks that row as continued again.
  private func noteWrap(into row: Int, isErased: Bool, _ renderState: inout RenderState) {
    guard row > 0, isErased, renderState.row == row - 1, screen.modes.contains(.autowrap),
      screen.isWrapped(row: row - 1)
    else { return }
    let first = screen.cell(row: row, column: 0)
    guard !first.isErased, !first.isUnknown, !first.isContinuation,
      renderState.column + max(1, first.width) > screen.size.columns
    else { return }
    renderState.row = row
    renderState.column = 0
  }
}
