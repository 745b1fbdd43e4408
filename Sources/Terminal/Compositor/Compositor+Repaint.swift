import PerfHUDBase

/// Follows a modeled terminal through a change of size, and repaints the whole screen from the model.
///
/// When the size changes, the terminal moves the HUD as if it were text, splits lines that the HUD has made longer, and
/// pushes others into the history. The model does to the program's own lines what the terminal would have done to them
/// without the HUD, and the screen is painted accordingly.
extension Compositor {
  /// The lines of a screen that has to be repainted.
  struct Residue {
    /// The lines as they would be without the HUD, and as the terminal has them.
    var program: ReflowGrid
    var terminal: ReflowGrid
    /// Whether the HUD was on unknown lines that the terminal has wrapped again. If those continue in other lines,
    /// pieces of the HUD may be anywhere in them.
    var isScattered: Bool

    /// Whether a change to this size causes that.
    fileprivate func isScattered(by size: Size) -> Bool {
      guard program.rewraps, size.columns != program.size.columns else { return false }
      return zip(program.screen, terminal.screen).contains { line, shown in
        line.blank.isUnknown && shown.cells.count > line.cells.count
      }
    }
  }

  /// The maximum number of rows by which an intermediate size of the terminal may differ.
  private static let detourLimit = 60

  /// What must be redone once the cursor's position is known.
  struct PendingReflow {
    var before: Residue
    var size: Size
  }

  mutating func reflow(to size: Size, now: Instant, to queue: inout OutputQueue) {
    let pending = PendingReflow(before: residue ?? currentLines, size: size)
    painted.remove()
    hasChanges = true
    install(pending, extra: 0)
    guard screen.isRestorable else { return repaintScreen(now: now, to: &queue) }
    // The cursor's position shows whether the terminal has done the same. The terminal may also have changed its size
    // again: what is painted for this size would wrap in a narrower one, and scroll in a lower one.
    pendingReflow = pending
    screen.certainty.isCursorKnown = false
  }

  /// The terminal changes its size again before it has reported its cursor: assume that it did what was expected.
  mutating func assumeReflow() {
    guard let pending = pendingReflow, let expected = residue?.terminal else { return }
    pendingReflow = nil
    screen.certainty.settleCursor()
    if expected.expected > 0 { install(pending, extra: expected.expected) }
  }

  /// The lines of the program, and those of the terminal with the painted HUD.
  private var currentLines: Residue {
    let program = screen.reflowGrid
    var terminal = program.covered(by: painted.cells, at: painted.frame)
    if let terminalPast { screen.takePast(terminalPast, into: &terminal) }
    return Residue(program: program, terminal: terminal, isScattered: isPastScattered)
  }

  /// - Parameters:
  ///   - extra: how many unknown lines come back.
  ///   - isAll: whether no more of them exist.
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

  /// Repaints the screen once the cursor's position has arrived, or is not expected any more.
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
    // The terminal may have more lines above than expected, because the HUD has split some. Those may be what has come
    // back. They go into the history again, and so would unknown lines.
    if let residue, expected.rewraps, extra > 0, expected.total != residue.program.total {
      return repaintScreen(pushing: extra, now: now, to: &queue)
    }
    // If fewer lines came back than there was room for, there are no more.
    let isAll = place != nil && extra < expected.missing && expected.rewraps
    install(pending, extra: extra, isAll: isAll)
    screen.certainty.settleCursor()
    repaintScreen(now: now, to: &queue)
  }

  /// Looks for an intermediate size that the terminal must have had, without a signal, for its cursor to be where it
  /// is. If there is one, the program's lines take the same steps.
  private mutating func followDetour(_ pending: PendingReflow, to place: Point) -> Bool {
    let before = pending.before
    guard before.program.rewraps, !before.program.hasUnseen else { return false }
    let size = pending.size
    let last = size.columns - 1
    for distance in 0...Compositor.detourLimit {
      for rows in [size.rows - distance, size.rows + distance] where rows > 0 {
        // If a line was in the history, its cursor is afterward as far to the right as the screen was wide.
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

  /// Handles a terminal that has done something unexpected: blanks all unknown cells rather than leave pieces of a HUD.
  ///
  /// - Parameter rows: how much lower the cursor is than expected, which is how many lines too many have come back from
  ///   the history. `nil` if the cursor does not show this: if its line was in the history, tmux has put the cursor
  ///   elsewhere.
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

  /// Notes that the primary screen is shown again after a change of size. Where the HUD was before, lines may be longer
  /// in the terminal than in the model, so all of them are painted.
  mutating func noteResumedScreen() {
    guard screen.hasResumed else { return }
    screen.hasResumed = false
    needsRepaint = true
  }

  /// Paints everything known on the screen, and blanks where a piece of the HUD is over something unknown.
  ///
  /// - Parameter surplus: how many lines go back into the history first.
  mutating func repaintScreen(
    pushing surplus: Int = 0, now: Instant, to queue: inout OutputQueue
  ) {
    needsRepaint = true
    guard screen.isRestorable, !isWithinSequence, !screen.isPastStop, !isPainted else {
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

  /// Puts lines back into the history that have come back because of the HUD, and blanks the unknown cells of rows that
  /// the HUD has moved.
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

  /// Paints an erased row, unless part of it is unknown.
  private mutating func paintRow(
    _ row: Int, _ residue: ReflowGrid?, _ renderState: inout RenderState,
    to queue: inout OutputQueue
  ) {
    let isErased = !hasUnknown(row)
    noteWrap(into: row, isErased: isErased, &renderState)
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
