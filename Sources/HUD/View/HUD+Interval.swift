import Metrics

/// The interval between samples, which the keys + and - change.
extension HUD {
  /// The intervals that + and - step through, in nanoseconds.
  package static let intervals: [UInt64] = [
    20, 40, 100, 200, 500, 1000, 2000, 5000, 10_000,
  ].map { $0 * 1_000_000 }

  mutating func changeInterval(by step: Int) -> HUDRequest? {
    let intervals = HUD.intervals
    let current = intervals.lastIndex { $0 <= state.interval } ?? 0
    // From between two steps, slower goes to the next step and faster to the one below.
    let isOnStep = intervals[current] == state.interval
    let next = step < 0 && !isOnStep ? current : current + step
    if intervals.indices.contains(next) { state.interval = intervals[next] }
    note(.noteInterval, nanoseconds: state.interval)
    guard intervals.indices.contains(next) else { return nil }
    if state.family == .overlay { fitCellDuration() }
    return .interval(intervals[next])
  }

  /// Sets the duration of a cell in sparklines over a command: one second, or two samples if they come less often.
  mutating func fitCellDuration() {
    let cell = max(state.graph.chosenCellDuration ?? HUD.greatestCell, 2 * state.interval)
    guard cell != state.graph.cellDuration else { return }
    state.graph.setCellDuration(cell)
  }

  /// The greatest duration of a cell that graphs choose by themselves, in nanoseconds.
  private static let greatestCell: UInt64 = 1_000_000_000
  /// The share of a graph that the history must fill before the cells become longer.
  private static let leastFill = 0.7

  /// Zooms the graphs out as the history fills them, unless the user has zoomed or scrolled back.
  ///
  /// A cell covers one sample at first (two over a command), so that there is a picture after a few seconds, and one
  /// second in the end.
  mutating func fitCellDuration(_ run: Run) {
    guard !state.graph.isMovedByUser else { return }
    let isPane = state.family == .pane
    guard let graph = firstGraph else {
      if !isPane { fitCellDuration() }
      return
    }
    let least = (isPane ? 1 : 2) * max(state.interval, run.history.base)
    var cell = state.graph.chosenCellDuration.map { max($0, least) } ?? least
    if state.graph.chosenCellDuration == nil {
      let columns = GraphTimeRange(graph.frame, run.history, state).area.columns
      let elapsed = Double(run.history.end.nanoseconds(since: run.history.start))
      for index in GraphViewport.cells.indices {
        let next = GraphViewport.cells[index]
        guard next > cell, next <= HUD.greatestCell else { continue }
        guard elapsed >= HUD.leastFill * Double(columns) * Double(next) else { break }
        cell = next
      }
    }
    guard cell != state.graph.cellDuration else { return }
    state.graph.setCellDuration(cell)
    drawn.graphEnd = nil
  }
}
