/// The lines above the screen as they are in the terminal after a change of size: with pieces of the HUD, and split
/// because of it.
struct TerminalPast {
  fileprivate let lines: [ReflowGrid.Line]
  fileprivate let forgotten: Int
  fileprivate let returning: Int
  /// The counts in the model at that time.
  fileprivate let scrolled: Int
  fileprivate let kept: Int

  /// - Parameter isCut: whether the first row was erased, so the line above no longer continues in it.
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
  /// Replaces the program's lines with the terminal's own lines, unless the history was cleared since.
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
