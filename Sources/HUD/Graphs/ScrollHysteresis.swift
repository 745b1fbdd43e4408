import Metrics
import PerfHUDBase
import Terminal

/// Decides when the graphs scroll.
///
/// Scrolling a graph by a cell every second changes a cell in each row in which its area begins or ends, even if the
/// value is constant. So if the newest values look like the last ones, the graphs wait for some seconds and then move
/// by several cells at once, which costs little more than moving by one. The graph of a target that has ended is
/// complete.
enum ScrollHysteresis {
  /// The maximum lag of the graphs, in nanoseconds: a few cells while cells are short, as in the first seconds. It is
  /// longer over a command, since the HUD may share a slow link with it.
  private static func mostLag(_ family: HUDFamily, cell: UInt64) -> Int64 {
    let cell = Int64(min(cell, 1_000_000_000))
    return family == .overlay ? 7 * cell : min(3_000_000_000, 5 * cell)
  }

  /// Whether the graphs may still end at `end`, considering only time and marks.
  static func mayStay(
    at held: Instant, newest: Instant, run: borrowing Run, cell: UInt64, family: HUDFamily
  ) -> Bool {
    let lag = newest.nanoseconds(since: held)
    // The duration of a cell has changed, or the run is another one, as after a jump in a replay.
    guard lag >= 0, lag <= mostLag(family, cell: cell), held > run.history.start, run.ended == nil
    else {
      return false
    }
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
