import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// Drawing the HUD.
extension HUD {
  /// Notes whether the program has the alternate screen.
  package mutating func noteProgramScreen(isAlternate: Bool) {
    guard state.programFillsScreen != isAlternate else { return }
    state.programFillsScreen = isAlternate
    invalidateAll()
  }

  /// Updates the picture.
  ///
  /// Twice a second all of it is drawn; a sample in between changes only the newest cell of each graph, or the graphs
  /// if they move.
  ///
  /// - Parameters:
  ///   - now: the user's time.
  ///   - time: the time of the run; `nil` if it is `now`, as it is unless a recording is shown.
  package mutating func draw(_ run: borrowing Run, now: Instant, asOf time: Instant? = nil) {
    if slide != nil, drawn.time != nil, pictureDeadline(now: now).map({ $0 > now }) ?? true {
      drawSlide(run, now: now)
      return
    }
    let shown = shown(run)
    updatePanels(shown)
    fitOverlayList(run)
    updateToasts(run, now: now, asOf: time ?? now)
    updateLoading(run, now: now, asOf: time ?? now)
    let wanted = change
    change = .nothing
    drawn.time = now
    let hasNewValues = updateShownValues(shown)
    let wasSliding = slide != nil
    moveSlide(now: now)
    fitCellDuration(shown)
    holdGraphs(shown)
    let table = wantedTable == nil ? nil : shown.processes?.time
    let hasNewTable = table != drawn.table
    drawn.table = table
    let hasNews =
      drawn.phase != shown.phases.currentIndex || drawn.alerts != shown.alerts.raisedCount
    drawn.phase = shown.phases.currentIndex
    drawn.alerts = shown.alerts.raisedCount
    if wanted < .everything, !wasSliding, !hasNewValues, !hasNewTable, !hasNews,
      drawNewestCells(shown) || drawGraphs(shown)
    {
      compose()
      return
    }
    drawAll(shown)
  }

  mutating func drawAll(_ run: Run) {
    state.hasPhases = run.phases.count > 0
    updateAxes(run)
    noteUpperGraph(run)
    state.isListFocused = focus.isInList
    state.isPromptFocused = focus.isInPrompt
    state.isTypingInList = focus.target == .prompt
    state.needsPrefixKey = needsPrefixKey
    if state.page == .alerts || state.page == .log, stack.isOpen(.list) {
      state.seenAlerts = run.alerts.raisedCount
    }
    canvas.clip = Rect(canvas.grid.size)
    canvas.erase()
    updateOrder(run)
    var context = DrawContext(run: run, row: state.values.row, state: state, order: order)
    for index in layout.indices {
      let placed = layout[index]
      canvas.clip = placed.frame
      context.listHasFrame = placed.hasFrame
      Widget.all[placed.id.rawValue].draw(&canvas, placed.frame, context)
    }
    canvas.clip = Rect(canvas.grid.size)
    let size = canvas.grid.size
    if state.family == .overlay, !Layout.isFramed(size) {
      setApart(&canvas, isLine: size.rows == 1, context)
    }
    drawWindows(context)
    compose()
    noteGraphEnd(run)
  }

  /// Notes whether the upper graph over a program shows its frames, and whether a graph shows the greatest CPU share.
  private mutating func noteUpperGraph(_ run: Run) {
    state.graphShowsGreatestCPU = false
    state.hasFrameGraph =
      state.family == .overlay
      && DrawContext(run: run, row: state.values.row, state: state).hasFrameTimes
    if state.hasFrameGraph { return }
    for index in layout.indices where layout[index].id == .cpuGraph {
      let timeRange = GraphTimeRange(layout[index], run.history, state)
      // Over a command its axis is enough: beside a lower peak it would look wrong.
      state.graphShowsGreatestCPU =
        state.family == .overlay || headingShowsGreatestCPU(timeRange, layout[index].frame)
    }
  }

  private mutating func noteGraphEnd(_ run: Run) {
    drawn.graphEnd = firstGraph.map { GraphTimeRange($0, run.history, state).end }
  }

  /// Decides where the graphs end: at the newest sample, or at the last change.
  private mutating func holdGraphs(_ run: Run) {
    let held = drawn.size == canvas.grid.size ? drawn.graphEnd : nil
    drawn.size = canvas.grid.size
    state.graph.steadyEnd = nil
    guard let first = firstGraph, let held, !state.graph.isMovedByUser else { return }
    let newest = GraphTimeRange(first, run.history, state)
    guard
      ScrollHysteresis.mayStay(
        at: held, newest: newest.end, run: run, cell: newest.cell, family: state.family)
    else { return }
    state.graph.steadyEnd = held
    for index in layout.indices {
      let placed = layout[index]
      guard placed.isTimeGraph, placed.id != .cpuGraph || !state.hasFrameGraph else { continue }
      let series = placed.series
      let isSteady = ScrollHysteresis.isSteady(
        GraphTimeRange(placed, run.history, state), series, state.axes[series], run.history,
        style: state.graphStyle)
      guard isSteady else {
        state.graph.steadyEnd = nil
        return
      }
    }
  }

  var firstGraph: PlacedWidget? {
    layout.first(where: \.isTimeGraph)
  }

  /// Draws the graphs of the full-screen view again, and nothing else.
  ///
  /// - Returns: `false` if more has to be drawn.
  private mutating func drawGraphs(_ run: Run) -> Bool {
    guard state.family == .pane, state.hasPhases == (run.phases.count > 0) else { return false }
    updateAxes(run)
    let context = DrawContext(run: run, row: state.values.row, state: state, order: order)
    for index in layout.indices {
      let placed = layout[index]
      guard placed.isTimeGraph else { continue }
      canvas.clip = placed.frame
      canvas.eraseClip()
      Widget.all[placed.id.rawValue].draw(&canvas, placed.frame, context)
    }
    canvas.clip = Rect(canvas.grid.size)
    noteGraphEnd(run)
    return true
  }

  /// - Returns: `false` if more than the newest cells has to be drawn.
  private mutating func drawNewestCells(_ run: Run) -> Bool {
    // A picture of the past does not change.
    if state.graph.chosenEnd != nil { return true }
    let context = DrawContext(run: run, row: nil, state: state)
    for index in layout.indices {
      let placed = layout[index]
      // Frames have their own time.
      guard placed.isTimeGraph, placed.id != .cpuGraph || !state.hasFrameGraph else { continue }
      let timeRange = GraphTimeRange(placed, run.history, state)
      guard timeRange.end == drawn.graphEnd else { return false }
      canvas.clip = placed.frame
      let axis = state.axes[placed.series]
      guard drawNewestCell(&canvas, placed.frame, timeRange, placed.id, axis, context) else {
        return false
      }
    }
    return true
  }
}
