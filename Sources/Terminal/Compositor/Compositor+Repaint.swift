import PerfHUDBase

/// Follows a terminal whose conduct is modeled to another size, and paints the whole screen from the model.
///
/// The terminal has moved the HUD as if it were text, split lines that the HUD had made longer, and pushed others into
/// the history. The model does with the program's own lines what the terminal would have done with them, and the
/// screen is painted as it would be then.
extension Compositor {
  /// The lines of a screen that is to be painted anew.
  struct Residue {
    /// The lines as they would be without the HUD, and as the terminal has them.
    var program: ReflowGrid
    var terminal: ReflowGrid
    /// Whether the HUD was in lines of which nothing is known, which the terminal has wrapped anew: if they go on in
    /// others, pieces of it may be anywhere in them.
    var isScattered: Bool

    /// Whether another width does that to it.
    fileprivate func isScattered(by size: Size) -> Bool {
      guard program.rewraps, size.columns != program.size.columns else { return false }
      return zip(program.screen, terminal.screen).contains { line, shown in
        line.blank.isUnknown && shown.cells.count > line.cells.count
      }
    }
  }

  /// What has to be known to take back lines that are not known.
  struct PendingReflow {
    var before: Residue
    var size: Size
  }

  mutating func reflow(to size: Size, now: Instant, to queue: inout OutputQueue) {
    let before = residue ?? currentLines
    let program = before.program
    let pending = PendingReflow(before: before, size: size)
    paintedFrame = Rect(row: 0, column: 0, rows: 0, columns: 0)
    hasChanges = true
    let needsCursor = program.rewraps && program.hasUnseen && size.columns != program.size.columns
    let missing = install(pending, extra: 0)
    guard missing > 0 || needsCursor, screen.isRestorable else {
      return repaintScreen(now: now, to: &queue)
    }
    pendingReflow = pending
    screen.certainty.isCursorKnown = false
  }

  /// The lines of the program and of the terminal, with the HUD that is drawn.
  private var currentLines: Residue {
    let program = screen.reflowGrid
    let place = isPainted ? paintedFrame : Rect(row: 0, column: 0, rows: 0, columns: 0)
    var terminal = program.covered(by: paintedCells, at: place)
    if let terminalPast { screen.takePast(terminalPast, into: &terminal) }
    return Residue(program: program, terminal: terminal, isScattered: isPastScattered)
  }

  /// - Parameters:
  ///   - extra: how many lines of which nothing is known come back.
  ///   - isAll: whether there are no more of them.
  /// - Returns: how many rows may be lines of which nothing is known.
  @discardableResult
  private mutating func install(
    _ pending: PendingReflow, extra: Int, isAll: Bool = false
  ) -> Int {
    var after = pending.before
    after.isScattered = after.isScattered || after.isScattered(by: pending.size)
    after.program.resize(to: pending.size, extra: extra)
    after.terminal.resize(to: pending.size, extra: extra)
    if isAll {
      if after.terminal.isShort { after.program.mayHaveMore = false }
      after.program.mayTakeMore = false
      after.terminal.mayTakeMore = false
    }
    screen.install(after.program)
    residue = after
    return max(after.program.missing, after.terminal.missing)
  }

  /// Paints the screen when the position of the cursor has come, or if it does not come.
  mutating func endReflow(at place: Point? = nil, now: Instant, to queue: inout OutputQueue) {
    guard let pending = pendingReflow, let expected = residue?.terminal else { return }
    pendingReflow = nil
    screen.certainty.settleCursor()
    var extra = expected.expected
    if let place {
      extra = place.row - expected.cursor.row
      let column = min(expected.cursor.column, size.columns - 1)
      if extra < 0 || extra > max(expected.missing, 0) || place.column != column {
        // The terminal has done something else: what is not known of the screen is given up rather than a HUD is left.
        residue = nil
        isPastScattered = isPastScattered || expected.rewraps
        for row in 0..<screen.size.rows { screen.blankUnknown(row) }
        return repaintScreen(now: now, to: &queue)
      }
    }
    // If fewer lines have come back than there was room for, there are no more.
    let isAll = place != nil && extra < expected.missing && expected.rewraps
    install(pending, extra: extra, isAll: isAll)
    screen.certainty.settleCursor()
    repaintScreen(now: now, to: &queue)
  }

  /// The primary screen is shown again after a change of size. Where the HUD was before, lines may be longer in the
  /// terminal than in the model, so all are painted.
  mutating func noteResumedScreen() {
    guard screen.hasResumed else { return }
    screen.hasResumed = false
    needsRepaint = true
  }

  /// Paints all that is known of the screen, and blanks where a piece of the HUD is over something unknown.
  mutating func repaintScreen(now: Instant, to queue: inout OutputQueue) {
    needsRepaint = true
    guard screen.isRestorable, !isWithinSequence, !screen.isPastStop, isPainted == false else {
      return
    }
    needsRepaint = false
    var residue = residue
    self.residue = nil
    beginUpdate(to: &queue)
    var renderState = begin(to: &queue)
    renderState.movesByRows = false
    renderState.row = -1
    if residue?.program.rewraps == true { prepareRows(&residue, &renderState, to: &queue) }
    terminalPast = residue.map {
      TerminalPast($0.terminal, screen, isCut: !hasUnknown(0))
    }
    for row in 0..<screen.size.rows where !hasUnknown(row) {
      move(row, 0, &renderState, to: &queue)
      setLook(Style.plain, &renderState, to: &queue)
      queue.append("\u{1B}[2K")
      screen.forgetReach(row)
    }
    for row in 0..<screen.size.rows {
      paintRow(row, residue?.terminal, &renderState, to: &queue)
    }
    finish(&renderState, isHUDErased: true, to: &queue)
    screen.forgetDamage()
    erasedAt = now
    endUpdate(to: &queue)
  }

  /// Puts lines back into the history that have come from there because of the HUD, and gives up what is not known of
  /// rows that the HUD has moved.
  private mutating func prepareRows(
    _ residue: inout Residue?, _ renderState: inout RenderState, to queue: inout OutputQueue
  ) {
    guard let program = residue?.program, let terminal = residue?.terminal else { return }
    let isScattered = residue?.isScattered == true
    isPastScattered = isPastScattered || isScattered
    let count = min(program.total - terminal.total, screen.size.rows)
    if count > 0 {
      setLook(Style.plain, &renderState, to: &queue)
      move(screen.size.rows - 1, 0, &renderState, to: &queue)
      for _ in 0..<count { queue.append(0x0A) }
      residue?.terminal.scroll(count)
    }
    for row in 0..<screen.size.rows
    where isScattered || residue?.terminal.keepsRow(row, of: program) != true {
      screen.blankUnknown(row)
    }
  }

  private func hasUnknown(_ row: Int) -> Bool {
    for column in 0..<screen.size.columns where screen.cell(row: row, column: column).isUnknown {
      return true
    }
    return false
  }

  /// Paints a row that was erased, unless something in it is unknown.
  private mutating func paintRow(
    _ row: Int, _ residue: ReflowGrid?, _ renderState: inout RenderState,
    to queue: inout OutputQueue
  ) {
    let isErased = !hasUnknown(row)
    goOn(to: row, isErased: isErased, &renderState)
    var column = 0
    while column < screen.size.columns {
      let cell = screen.cell(row: row, column: column)
      let isBlank = cell.isUnknown ? residue?.isCovered(row, column) != true : cell.isErased
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

  /// If the row before goes on in this one, and the cursor is at its end, the next character wraps, which gives that
  /// row its mark again.
  private func goOn(to row: Int, isErased: Bool, _ renderState: inout RenderState) {
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
