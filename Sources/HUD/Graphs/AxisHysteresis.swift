import Metrics
import PerfHUDBase
import Terminal

/// Decides when the graphs scroll.
///
/// A graph that scrolls by a cell changes a cell in each row in which its area begins or ends, every
/// second, although the value has not changed. So where the newest values would be
/// drawn as the last ones are, the graphs wait, and move by several cells at once: together these cost
/// little more than one.
enum AxisHysteresis {
  /// What is drawn lags by at most this part of the width of the graph.
  private static let part = 10
  private static let leastCells = 2

  /// Whether the graphs may still end at `end`, as far as time and marks are concerned.
  static func mayStay(
    at held: Instant, newest: Instant, columns: Int, run: borrowing Run, cell: UInt64
  ) -> Bool {
    let lag = newest.nanoseconds(since: held)
    let most = max(leastCells, columns / part)
    // Another cell duration, or a history that was left for another one.
    guard lag >= 0, lag <= Int64(most) * Int64(cell), held > run.history.start else { return false }
    let from = held.advanced(byNanoseconds: -Int64(cell))
    if let mark = run.marks.last, mark >= from { return false }
    if let job = run.jobs.last, job.time >= from { return false }
    var hasBorder = false
    run.phases.forEachBorder(from: from, to: newest) { _, _ in hasBorder = true }
    return !hasBorder
  }

  /// Whether the values after the time range would be drawn like the last half of its last cell.
  static func isSteady(
    _ timeRange: GraphTimeRange, _ series: Series, _ axis: Axis, _ history: borrowing History,
    style: GraphStyle
  ) -> Bool {
    let half = Int64(timeRange.cell) / 2
    let rows = timeRange.area.rows
    var from = timeRange.end.advanced(byNanoseconds: -half)
    var last: Int?
    while from < history.end {
      let to = from.advanced(byNanoseconds: half)
      let extent = history.extent(series, from: from, to: to)
      let steps =
        extent.isEmpty ? 0 : GraphRasterizer.steps(extent.max, axis: axis, rows: rows, style: style)
      guard extent.isEmpty || axis.holds(extent), steps == last ?? steps else { return false }
      last = steps
      from = to
    }
    return true
  }
}
