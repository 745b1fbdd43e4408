/// The lines above the screen as the terminal has them after a change of size: with pieces of the HUD, and split because
/// of it.
struct TerminalPast {
  fileprivate let lines: [ReflowGrid.Line]
  fileprivate let forgotten: Int
  fileprivate let returning: Int
  /// What the model had at that time.
  fileprivate let scrolled: Int
  fileprivate let kept: Int

  /// - Parameter isCut: whether the first row was erased, so that the line above does not go on in it any more.
  init(_ grid: ReflowGrid, _ screen: borrowing Screen, isCut: Bool) {
    let above = max(0, grid.lines.count - grid.size.rows)
    let count = min(above, screen.lines.historyLimit)
    var lines = Array(grid.lines[(above - count)..<above])
    for index in lines.indices { lines[index].origin = nil }
    if isCut, !lines.isEmpty { lines[lines.count - 1].goesOn = false }
    self.lines = lines
    forgotten = grid.forgotten + above - count
    returning = grid.returning
    scrolled = screen.lines.scrolled
    kept = screen.past.kept
  }
}

extension Screen {
  /// Puts the terminal's own lines in the place of those of the program, unless the history was cleared since.
  func takePast(_ past: TerminalPast, into grid: inout ReflowGrid) {
    let since = lines.scrolled - past.scrolled
    guard since >= 0, since <= lines.historyCount, past.kept == self.past.kept else {
      return
    }
    grid.lines = past.lines + grid.lines.suffix(since + grid.size.rows)
    grid.forgotten = past.forgotten
    grid.returning = past.returning + since
  }
}
