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

  /// Sets the duration of a cell before there is a history: two samples, or what the user has chosen.
  mutating func fitCellDuration() {
    setCellDuration(max(state.graph.chosenCellDuration ?? 0, 2 * state.interval))
  }

  /// The greatest duration of a cell that graphs choose by themselves, in nanoseconds.
  private static let greatestCell: UInt64 = 1_000_000_000
  /// The share of a graph that the history must fill before the cells become longer.
  private static let leastFill = 0.7
  /// The columns of a sparkline in the other rows over a command.
  private static let usualSparkline = 12

  /// Zooms the graphs out as the history fills them, unless the user has zoomed or scrolled back.
  ///
  /// A cell covers one sample at first (two over a command), so that there is a picture after a few seconds, and one
  /// second in the end. Over a command without graphs this is so for sparklines.
  mutating func fitCellDuration(_ run: Run) {
    guard !state.graph.isMovedByUser, let columns = timeColumns(run) else { return }
    let least = (state.family == .pane ? 1 : 2) * max(state.interval, run.history.base)
    var cell = state.graph.chosenCellDuration.map { max($0, least) } ?? least
    if state.graph.chosenCellDuration == nil {
      let elapsed = Double(run.history.end.nanoseconds(since: run.history.start))
      for index in GraphViewport.cells.indices {
        let next = GraphViewport.cells[index]
        guard next > cell, next <= HUD.greatestCell else { continue }
        guard elapsed >= HUD.leastFill * Double(columns) * Double(next) else { break }
        cell = next
      }
    }
    setCellDuration(cell)
  }

  /// The columns of the graphs, or of the sparklines over a command; `nil` if there are none.
  private func timeColumns(_ run: Run) -> Int? {
    if let graph = firstGraph {
      return GraphTimeRange(graph, run.history, state).area.columns
    }
    guard state.family == .overlay else { return nil }
    let row = layout.first { $0.id == .cpu && $0.frame.columns >= SparklineColumns.least }
    return row.map { SparklineColumns($0.frame).graph.count } ?? HUD.usualSparkline
  }

  private mutating func setCellDuration(_ cell: UInt64) {
    guard cell != state.graph.cellDuration else { return }
    state.graph.setCellDuration(cell)
    drawn.graphEnd = nil
  }
}
