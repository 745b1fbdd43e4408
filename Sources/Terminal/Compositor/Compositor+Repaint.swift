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

  /// By how many rows a size that the terminal had in between may differ.
  private static let detourLimit = 60

  /// What has to be done again when the position of the cursor is known.
  struct PendingReflow {
    var before: Residue
    var size: Size
  }

  mutating func reflow(to size: Size, now: Instant, to queue: inout OutputQueue) {
    let pending = PendingReflow(before: residue ?? currentLines, size: size)
    paintedFrame = Rect(row: 0, column: 0, rows: 0, columns: 0)
    hasChanges = true
    install(pending, extra: 0)
    guard screen.isRestorable else { return repaintScreen(now: now, to: &queue) }
    // The position of the cursor shows whether the terminal has done the same. It may also have another size already:
    // what is painted for this one would wrap in a narrower one, and scroll in one that is less high.
    pendingReflow = pending
    screen.certainty.isCursorKnown = false
  }

  /// The terminal takes another size before it has reported its cursor: it has probably done what was expected.
  mutating func assumeReflow() {
    guard let pending = pendingReflow, let expected = residue?.terminal else { return }
    pendingReflow = nil
    screen.certainty.settleCursor()
    if expected.expected > 0 { install(pending, extra: expected.expected) }
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
  private mutating func install(_ pending: PendingReflow, extra: Int, isAll: Bool = false) {
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
  }

  /// Paints the screen when the position of the cursor has come, or if it does not come.
  mutating func endReflow(at place: Point? = nil, now: Instant, to queue: inout OutputQueue) {
    guard let pending = pendingReflow, let expected = residue?.terminal else { return }
    pendingReflow = nil
    screen.certainty.settleCursor()
    var extra = expected.expected
    if let place {
      extra = place.row - expected.cursor.row
      let last = size.columns - 1
      let isExpected = min(place.column, last) == min(expected.cursor.column, last)
      if extra < 0 || extra > max(expected.missing, 0) || !isExpected {
        if followDetour(pending, to: place) { return repaintScreen(now: now, to: &queue) }
        return giveUpReflow(movedBy: isExpected ? extra : nil, now: now, to: &queue)
      }
    }
    // Lines above that the HUD has split are more than can be told, so they may be what has come back. They go into the
    // history again, as would lines that are not known.
    if let residue, expected.rewraps, extra > 0, expected.total != residue.program.total {
      return repaintScreen(pushing: extra, now: now, to: &queue)
    }
    // If fewer lines have come back than there was room for, there are no more.
    let isAll = place != nil && extra < expected.missing && expected.rewraps
    install(pending, extra: extra, isAll: isAll)
    screen.certainty.settleCursor()
    repaintScreen(now: now, to: &queue)
  }

  /// Finds a size that the terminal must have had in between, without a signal, for its cursor to be where it is. The
  /// program's lines have then gone the same way.
  private mutating func followDetour(_ pending: PendingReflow, to place: Point) -> Bool {
    let before = pending.before
    guard before.program.rewraps, !before.program.hasUnseen else { return false }
    let size = pending.size
    let last = size.columns - 1
    for distance in 0...Compositor.detourLimit {
      for rows in [size.rows - distance, size.rows + distance] where rows > 0 {
        // A cursor whose line was in the history is as far to the right afterward as the screen was wide.
        for columns in [size.columns, before.program.size.columns, place.column] where columns > 0 {
          let detour = Size(rows: rows, columns: columns)
          var terminal = before.terminal
          terminal.resize(to: detour)
          terminal.resize(to: size)
          let cursor = terminal.cursor
          guard cursor.row == place.row, min(cursor.column, last) == min(place.column, last) else {
            continue
          }
          var after = before
          after.terminal = terminal
          after.program.resize(to: detour)
          after.program.resize(to: size)
          screen.install(after.program)
          screen.certainty.settleCursor()
          residue = after
          return true
        }
      }
    }
    return false
  }

  /// The terminal has done something else: what is not known of the screen is given up rather than a HUD is left.
  ///
  /// - Parameter rows: how much lower the cursor is than expected: as many lines too many have come back from the
  ///   history. `nil` if the cursor says nothing about the lines, since it has been in the history with its own: tmux
  ///   has put it elsewhere then.
  private mutating func giveUpReflow(
    movedBy rows: Int?, now: Instant, to queue: inout OutputQueue
  ) {
    guard let residue else { return }
    let rewraps = residue.program.rewraps
    isPastScattered = isPastScattered || rewraps
    for row in 0..<screen.size.rows { screen.blankUnknown(row) }
    var surplus = 0
    if let rows {
      self.residue = nil
      if rewraps { surplus = rows + residue.program.total - residue.terminal.total }
    }
    repaintScreen(pushing: surplus, now: now, to: &queue)
  }

  /// The primary screen is shown again after a change of size. Where the HUD was before, lines may be longer in the
  /// terminal than in the model, so all are painted.
  mutating func noteResumedScreen() {
    guard screen.hasResumed else { return }
    screen.hasResumed = false
    needsRepaint = true
  }

  /// Paints all that is known of the screen, and blanks where a piece of the HUD is over something unknown.
  ///
  /// - Parameter surplus: how many lines go back into the history first.
  mutating func repaintScreen(
    pushing surplus: Int = 0, now: Instant, to queue: inout OutputQueue
  ) {
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
    push(surplus, &renderState, to: &queue)
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
    push(count, &renderState, to: &queue)
    if count > 0 { residue?.terminal.scroll(count) }
    for row in 0..<screen.size.rows
    where isScattered || residue?.terminal.keepsRow(row, of: program) != true {
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
