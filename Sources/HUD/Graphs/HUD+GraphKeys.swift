import Metrics
import PerfHUDBase
import Terminal

/// Handles the keys of the graphs: cursor, time, zoom and baseline.
extension HUD {
  private func timeRange(_ placed: PlacedWidget, _ run: borrowing Run) -> GraphTimeRange {
    GraphTimeRange(placed, run.history, state)
  }

  /// The graph with the focus, otherwise the first one.
  private var chosenGraph: PlacedWidget? {
    layout.first { $0.id == state.graph.focus } ?? firstGraph
  }

  /// Handles a key within a graph. Returns whether the key has a meaning there.
  mutating func moveCursor(_ key: Key, run: borrowing Run) -> Bool {
    guard let graph = chosenGraph else { return false }
    let page = max(1, timeRange(graph, run).area.columns / 2)
    switch key {
    case .left, .character("h"): moveCursor(by: -1, graph, run)
    case .right, .character("l"): moveCursor(by: 1, graph, run)
    case .pageUp: moveCursor(by: -page, graph, run)
    case .pageDown: moveCursor(by: page, graph, run)
    case .home: moveCursor(by: -Int(Int32.max), graph, run)
    case .end: followNow()
    default: return false
    }
    return true
  }

  /// Makes the cursor and the graphs follow the newest cell.
  mutating func followNow() {
    state.graph.cursor = nil
    state.graph.chosenEnd = nil
    redrawAtOnce()
  }

  /// Moves the cursor. At the edges the graphs scroll, as long as there are values.
  private mutating func moveCursor(
    by step: Int, _ graph: PlacedWidget, _ run: borrowing Run
  ) {
    let timeRange = timeRange(graph, run)
    guard timeRange.area.columns > 0 else { return }
    let last = timeRange.area.columns - 1
    let position = (timeRange.cursorCell ?? last) + step
    var end = timeRange.end
    if position < 0 || position > last {
      let beyond = position < 0 ? position : position - last
      end = reachable(timeRange, by: beyond, run)
    }
    let newest = timeRange.newestEnd(run.history)
    if end >= newest, position >= last { return followNow() }
    let start = end.advanced(byNanoseconds: -Int64(timeRange.area.columns) * Int64(timeRange.cell))
    let cell = min(last, max(0, position))
    let cursor = start.advanced(byNanoseconds: Int64(cell) * Int64(timeRange.cell))
    // There are no values before the run.
    state.graph.chosenEnd = end
    state.graph.cursor = max(cursor, run.history.start)
    redrawAtOnce()
  }

  /// The end of the graphs after moving them by a number of cells.
  private func reachable(
    _ timeRange: GraphTimeRange, by cells: Int, _ run: borrowing Run
  ) -> Instant {
    // From the start on, since a time long before it may not be representable.
    let start = run.history.start
    let newest = timeRange.newestEnd(run.history).nanoseconds(since: start)
    let now = timeRange.end.nanoseconds(since: start)
    let cell = Int64(timeRange.cell)
    let oldest = min(newest, now, Int64(timeRange.area.columns) * cell)
    let wanted = now + max(-newest / cell - 1, min(newest / cell + 1, Int64(cells))) * cell
    return start.advanced(byNanoseconds: min(newest, max(oldest, wanted)))
  }

  /// Scrolls the graphs through time. The cursor keeps its time as long as that is visible.
  mutating func scrollGraphs(by cells: Int, run: borrowing Run) {
    guard let graph = chosenGraph else { return }
    let timeRange = timeRange(graph, run)
    guard timeRange.area.columns > 0 else { return }
    let end = reachable(timeRange, by: cells, run)
    guard end < timeRange.newestEnd(run.history) else { return followNow() }
    state.graph.chosenEnd = end
    if let cursor = state.graph.cursor {
      let length = Int64(timeRange.area.columns) * Int64(timeRange.cell)
      let start = end.advanced(byNanoseconds: -length)
      let last = end.advanced(byNanoseconds: -Int64(timeRange.cell))
      state.graph.cursor = min(max(cursor, start), last)
    }
    redrawAtOnce()
  }

  /// Puts the cursor at a column of the screen, and focuses the graph.
  mutating func pointAt(_ graph: PlacedWidget, column: Int, run: borrowing Run) {
    guard ring.contains(.graph(graph.id)) else { return }
    if focus.isInList {
      focus.reset()
      leaveList()
    }
    let frame = layout.first { $0.id == graph.id } ?? graph
    state.graph.focus = graph.id
    let timeRange = timeRange(frame, run)
    let cell = min(timeRange.area.columns - 1, max(0, column - timeRange.area.column))
    state.graph.chosenEnd = timeRange.end
    let time = timeRange.start.advanced(byNanoseconds: Int64(cell) * Int64(timeRange.cell))
    state.graph.cursor = max(time, run.history.start)
    redrawAtOnce()
  }

  /// Zooms the graphs. The time at the cursor stays in its column.
  mutating func zoom(by step: Int, run: borrowing Run) {
    guard let graph = chosenGraph else { return }
    let before = timeRange(graph, run)
    let least = (state.family == .pane ? 1 : 2) * max(state.interval, run.history.base)
    let steps = GraphViewport.cells.filter { $0 >= least }
    guard !steps.isEmpty else { return }
    let current = steps.lastIndex { $0 <= state.graph.cellDuration } ?? 0
    let next = max(0, min(steps.count - 1, current + step))
    note(.noteZoom, nanoseconds: steps[next])
    guard steps[next] != state.graph.cellDuration else { return }
    state.graph.zoom(to: steps[next])
    drawn.graphEnd = nil
    redrawAtOnce()
    guard state.graph.chosenEnd != nil else { return }
    let point = state.graph.cursor ?? before.end
    let right = before.area.columns - (before.cursorCell ?? before.area.columns)
    state.graph.chosenEnd = nil
    let after = timeRange(graph, run)
    let cell = Int64(after.cell)
    let offset = point.nanoseconds(since: run.history.start) / cell + Int64(right)
    let end = run.history.start.advanced(byNanoseconds: offset * cell)
    // The cursor is on the beginning of a cell.
    if state.graph.cursor != nil {
      let begin = point.nanoseconds(since: run.history.start) / cell * cell
      state.graph.cursor = run.history.start.advanced(byNanoseconds: begin)
    }
    let newest = after.newestEnd(run.history)
    state.graph.chosenEnd = end < newest || state.graph.cursor != nil ? min(end, newest) : nil
  }

  /// Keeps the graphs since the last target or mark as the baseline.
  mutating func keepBaseline(_ run: borrowing Run) {
    let history = run.history
    var start = history.start
    if let job = run.jobs.last { start = max(start, job.time) }
    if let mark = run.marks.last, mark < history.end { start = max(start, mark) }
    guard history.end.seconds(since: start) >= 1 else { return note(.noteTooEarly) }
    state.graph.baseline = GraphBaseline(history: history, start: start, end: history.end)
    let length = NumberFormat.duration(seconds: history.end.seconds(since: start))
    note(.noteBaseline, length.trimmedText)
    redrawAtOnce()
  }
}
