import Metrics
import PerfHUDBase
import Terminal

/// The tabs of a pane, and which of its parts has the focus.
extension HUD {
  /// A part of a pane that can have the focus.
  enum Part: Equatable {
    case graph(WidgetID)
    case list
  }

  /// Places all widgets again, and opens or closes the list window accordingly.
  mutating func relayout() {
    if state.family == .pane {
      state.view.hasProgress = state.replay != nil
      state.view.page = state.view.hasList ? state.page : nil
      layout = Layout.place(in: canvas.grid.size, family: .pane, view: state.view)
      let isPlaced = layout.contains { $0.id == .list }
      if isPlaced, !stack.isOpen(.list) {
        open(.list, .list)
      } else if !isPlaced, stack.isOpen(.list) {
        if focus.isInList { focus.loseList() }
        closeSignals()
        cancelListPrompt()
        close(.list)
      }
      if let graph = state.graph.focus, !ring.contains(.graph(graph)) { state.graph.leave() }
      placeWindows()
    } else {
      layout = Layout.place(in: canvas.grid.size, family: state.family)
    }
    redrawAtOnce()
  }

  /// Chooses the list of the standard overview of a full-screen view, depending on the target.
  ///
  /// Its room grows with the list, and shrinks only when the list has become much shorter.
  mutating func updatePanels(_ run: Run) {
    guard state.family == .pane else { return }
    let panel = panel(run)
    let count =
      panel == .phases
      ? Double(run.phases.count)
      : run.latest?[panel == .processes ? .processes : .threads].value ?? 0
    let most = Double(Layout.shortPanelRows - 3)
    let isLong = state.view.hasLongPanel ? count > most * 2 / 3 : count > most
    var view = state.view
    view.panel = panel
    view.hasLongPanel = isLong
    // A list that has been longer keeps its room, so that nothing moves to and fro.
    mostThreads = panel == .threads ? max(mostThreads, Int(count)) : 0
    mostProcesses = max(mostProcesses, Int(min(count, Double(Layout.shortPanelRows))))
    view.processRows = panel == .processes ? mostProcesses : 0
    view.threadRows = mostThreads
    view.hasPhases = run.phases.count > 0
    view.phaseRows = min(run.phases.count, Layout.shortPanelRows)
    hasHadStorage = hasHadStorage || usesStorage(run)
    view.belowThreads =
      view.hasPhases ? .phases : hasHadStorage ? .storageGraph : .processDetails
    view.linesOfThread = linesOfThread
    view.listRows = listRows(run) + moreLines(view.linesOfThread)
    let hasDetails =
      state.view.tab == .processes && run.processes?.details != nil
      && run.processes?.rows.count == 1
    view.detailRows = hasDetails ? processDetailRows(columns: room.columns) : 0
    view.hasLog = PageOrder.entryCount(run) > 0
    view.hasActions = run.actions.count > 0 || run.reports.values.all.count > 0
    view.hasFrames = run.latest?.fpsSource.map { $0 != .tick } ?? false
    guard view != state.view else { return }
    state.view = view
    relayout()
  }

  /// The list of the standard overview.
  private func panel(_ run: Run) -> WidgetID? {
    if run.header.isCgroup { return nil }
    // Recordings have phases, but no lists of threads and processes.
    if state.replay != nil { return run.phases.count > 0 ? .phases : nil }
    return run.header.includesChildren ? .processes : .threads
  }

  /// Whether the target reads or writes now.
  private func usesStorage(_ run: Run) -> Bool {
    let rate = (run.latest?[.readRate].value ?? 0) + (run.latest?[.writeRate].value ?? 0)
    return rate > 0
  }

  /// Makes the list over a program as high as its rows need, so that it covers no more of the program. Call this before
  /// the place of the windows is checked; `draw` does so too.
  package mutating func fitOverlayList(_ run: borrowing Run) {
    guard state.family == .overlay, stack.isOpen(.list) else { return }
    let rows = listRows(shown(run))
    guard rows != state.view.listRows else { return }
    state.view.listRows = rows
    placeWindows()
    redrawAtOnce()
  }

  /// The rows that the list needs. They grow with the list, and shrink only some seconds after it has.
  private mutating func listRows(_ run: Run) -> Int {
    let isOverlay = state.family == .overlay
    let count: Int
    switch state.page {
    case .processes, .threads: count = tableRows(run)
    case .actions:
      let (actions, values) = (run.actions.count, run.reports.values.all.count)
      // A heading of the values; without any, the rows of the hint, which need no headings.
      count =
        actions + values > 0
        ? actions + values + (actions > 0 && values > 0 ? 1 : 0) : Layout.emptyListRows - 3
    case .bottlenecks: count = bottleneckRows(run)
    case .alerts: count = max(1, run.alerts.trackers.count)
    case .phases where isOverlay && run.phases.count == 0: count = Layout.emptyListRows - 3
    case .phases: count = run.phases.ranking.count
    case .log where isOverlay:
      let entries = PageOrder.entryCount(run)
      // Two rows say that there is nothing, and how to add something.
      count = entries > 0 ? entries : 2
    case .log where PageOrder.entryCount(run) == 0: count = 1
    default: return .max
    }
    // The frame, or only a heading, and a row for the headings of the columns.
    let heads = PageRows.hasHeads(state.page, columns: listColumns) ? 1 : 0
    let edge = (isOverlay || listColumns >= Layout.framedListColumns ? 2 : 1) + heads
    // Facts about a process may follow its row.
    let hasLeast = state.page != .processes && !isOverlay
    let rows = max(hasLeast ? Layout.leastListRows : 0, count + edge)
    return listHeight.update(rows, page: state.page, now: run.latest?.time ?? run.header.start)
  }

  /// The lines of each thread on its tab: a few threads leave rows, which show their CPU shares better than the graphs of the
  /// whole process would. They depend on the most threads so far, so that they do not change to and fro.
  private var linesOfThread: Int {
    guard state.family == .pane, state.page == .threads, state.view.hasList,
      (1...HUD.mostHighThreads).contains(mostThreads), listColumns >= Layout.framedListColumns
    else { return 1 }
    let rest = room.rows - HUD.rowsBesideThreads
    return min(HUD.mostLinesOfThread, max(1, rest / mostThreads))
  }

  /// The lines that threads have beyond one each.
  private func moreLines(_ linesOfThread: Int) -> Int {
    linesOfThread > 1 ? (linesOfThread - 1) * mostThreads : 0
  }

  /// The most threads with rows of several lines, and the most lines of one.
  private static let mostHighThreads = 6
  private static let mostLinesOfThread = 4
  /// Two graphs of eight rows; tabs, title, gauges and the row of keys; the frame and the headings of the list.
  private static let rowsBesideThreads = 16 + 7 + 3

  /// The columns of the list with its frame.
  private var listColumns: Int {
    state.family == .overlay ? stack[.list]?.frame.columns ?? 0 : room.columns
  }

  /// The rows of the list of bottlenecks.
  private func bottleneckRows(_ run: Run) -> Int {
    // The edges, and in a full-screen view a blank before the right one.
    let frame =
      state.family == .overlay ? 2 : listColumns >= Layout.framedListColumns ? 3 : 0
    let context = DrawContext(run: run, row: state.values.row ?? run.latest, state: state)
    return PageRows(.bottlenecks, context, columns: listColumns - frame - 1).count
  }

  /// The rows of the list of processes or threads. The first table comes with the next sample; until then the number of
  /// threads of a process alone is known.
  private func tableRows(_ run: Run) -> Int {
    let isOfThreads = state.page == .threads
    if let table = run.processes, (table.request.kind == .threads) == isOfThreads {
      var rows = table.others > 0 ? 1 : 0
      for index in table.rows.indices where !table.rows[index].isInEndedTotals { rows += 1 }
      return rows + (!isOfThreads && table.ended.count > 0 ? 1 : 0)
    }
    // Over a program the list begins at its full height.
    if state.family == .overlay { return HUD.logRows }
    guard isOfThreads, !run.header.isCgroup, !run.header.includesChildren,
      let latest = run.latest, !latest.hasEnded, state.replay == nil
    else { return 1 }
    return Int(latest[.threads].value ?? 1)
  }

  // MARK: Tabs

  /// Shows a tab, with its own list or the given one.
  mutating func choose(_ tab: PaneTab, page: ListPage? = nil) {
    // In two or three rows, a list replaces the gauges, so it must be asked for.
    let asksForList = page != nil || (2..<Layout.listRows).contains(canvas.grid.size.rows)
    guard tab != state.view.tab || page != nil else {
      if tab != .overview, asksForList { askForList() }
      return
    }
    let wasInList = focus.isInList
    state.view.isListAsked = asksForList
    if tab != state.view.tab {
      beginSlide()
      releaseKeys()
    }
    let page = page ?? firstPage(of: tab)
    state.view.tab = tab
    state.view.isCollapsed = false
    if let page, page != state.page || !stack.isOpen(.list) {
      showList(page)
    } else if page == nil, state.page != .log {
      list = ListView()
      state.page = .log
    }
    drawn.graphEnd = nil
    relayout()
    // The focus moves from one list to the next.
    guard wasInList, !focus.isInList, ring.contains(.list) else { return }
    focus.enterList()
    focusList()
  }

  /// The initial list of a tab: on the memory tab the phases if there are any.
  private func firstPage(of tab: PaneTab) -> ListPage? {
    switch tab {
    case .memory where state.hasPhases: .phases
    // The log says more than how to report actions, above all of a program that has ended.
    case .actions where !state.view.hasActions && state.view.hasLog: .log
    default: tab.page
    }
  }

  /// Shows the list of the current tab in place of the gauges.
  private mutating func askForList() {
    state.view.isListAsked = true
    relayout()
  }

  /// Shows a page on its tab. If it is already shown, leaves the tab.
  mutating func togglePage(_ page: ListPage) {
    let tab = PaneTab.of(page)
    guard state.view.tab == tab, stack.isOpen(.list), state.page == page else {
      return choose(tab, page: page)
    }
    guard !focus.isInList else { return }
    choose(.overview)
  }

  /// Starts the underline from where it is visible.
  private mutating func beginSlide() {
    guard state.isAnimated, let frame = tabsFrame, frame.rows > 1 else { return }
    slide = TabSlide(from: state.tabLine ?? tabColumns(in: frame))
  }

  /// Ends the movement: the underline is in its place.
  mutating func endSlide() {
    slide = nil
    state.tabLine = nil
  }

  private var tabsFrame: Rect? { layout.first { $0.id == .tabs }?.frame }

  /// The columns of the chosen tab.
  private func tabColumns(in frame: Rect) -> Range<Int> {
    let bar = TabBar(state.view.tab, width: frame.columns, state.language)
    return bar[state.view.tab.rawValue]
  }

  /// When the next picture of the underline is due; `nil` while it does not move.
  func slideDeadline(now: Instant) -> Instant? {
    guard let slide else { return nil }
    return max(now, slide.lastDrawn?.advanced(byNanoseconds: TabSlide.framePeriod) ?? now)
  }

  /// Moves the underline to its current position.
  mutating func moveSlide(now: Instant) {
    guard slide != nil else { return }
    guard let frame = tabsFrame, frame.rows > 1, slide?.isOver(now: now) == false else {
      return endSlide()
    }
    if slide?.start == nil { slide?.start = now }
    slide?.lastDrawn = now
    state.tabLine = slide?.columns(now: now, to: tabColumns(in: frame))
  }

  /// Draws only the tabs.
  mutating func drawSlide(_ run: borrowing Run, now: Instant) {
    moveSlide(now: now)
    guard let frame = tabsFrame else { return }
    canvas.clip = frame
    drawTabs(&canvas, frame, DrawContext(run: copy run, row: state.values.row, state: state))
    canvas.clip = Rect(canvas.grid.size)
    compose()
  }

  // MARK: The header

  /// Turns the gauges above a scrolled list into one row, and restores them at its first row.
  mutating func followList() {
    guard state.family == .pane, state.view.tab != .overview else { return }
    // Without a selection the list follows the end.
    let row = list.selectionRow ?? max(0, list.shownCount - 1)
    let wasCollapsed = state.view.isCollapsed
    if row >= list.rowsSeen { state.view.isCollapsed = true }
    if row == 0 { state.view.isCollapsed = false }
    if state.view.isCollapsed != wasCollapsed { relayout() }
  }

  // MARK: The keys

  /// The parts that can have the focus, in order: the list of a tab comes before its graphs.
  var ring: [Part] {
    let hasList = layout.contains { $0.id == .list } && state.page != .frames
    let graphs = layout.filter {
      [.memoryGraph, .cpuGraph].contains($0.id) && GraphTimeRange.hasHeading($0.frame.rows)
    }
    return (hasList ? [.list] : []) + graphs.map { .graph($0.id) }
  }

  private var focusedPart: Part? {
    focus.isInList ? .list : state.graph.focus.map { .graph($0) }
  }

  /// Focuses the next part; none after the last one.
  mutating func moveFocus(by step: Int) {
    let ring = ring
    let index = focusedPart.flatMap { ring.firstIndex(of: $0) } ?? (step > 0 ? -1 : ring.count)
    let next = index + step
    guard ring.indices.contains(next) else { return releaseKeys() }
    switch ring[next] {
    case .list: enterList()
    case .graph(let id):
      leaveListIfFocused()
      state.graph.focus = id
    }
    redrawAtOnce()
  }

  /// Removes the focus from all parts; the graphs follow the run again.
  private mutating func releaseKeys() {
    leaveListIfFocused()
    state.graph.leave()
    redrawAtOnce()
  }

  private mutating func leaveListIfFocused() {
    guard focus.isInList else { return }
    focus.reset()
    leaveList()
  }

  /// Handles a key that moves between the parts of a pane, or within a graph.
  ///
  /// - Returns: the command to execute; `.back` if nothing is left to do, `nil` if the key means something else.
  mutating func takeInPane(_ key: Key, run: borrowing Run) -> HUDCommand? {
    switch focus.target {
    case .help, .prompt, .settings, .settingsPrompt, .signals: return nil
    case .list:
      // Within a list the up and down arrows belong to the list.
      guard key != .up, key != .down, let command = KeyBinding.command(for: key, in: state.keys)
      else { return nil }
      switch command {
      case .tab, .moveTab, .moveFocus: return command
      default: return nil
      }
    case .hud:
      guard state.graph.focus != nil else {
        enterList(for: key)
        return nil
      }
      if key == .escape {
        releaseKeys()
        return .back
      }
      if key == .enter { return .tab(tabOfFocusedGraph(run)) }
      return moveCursor(key, run: run) ? .back : nil
    }
  }

  /// The tab with more about the focused graph; the overview if that is the current one.
  private func tabOfFocusedGraph(_ run: borrowing Run) -> PaneTab {
    let header = run.header
    let isOfSeveral = header.includesChildren || header.isCgroup
    let tab: PaneTab =
      state.graph.focus == .memoryGraph ? .memory : isOfSeveral ? .processes : .threads
    return state.view.tab == tab ? .overview : tab
  }

  /// Focuses the list that is shown if a key has a meaning there alone, such as that of a search, and with the arrow
  /// down: on its own tab, a list is what the arrows are for.
  private mutating func enterList(for key: Key) {
    guard ring.contains(.list) else { return }
    let isArrow = state.view.tab != .overview && key == .down
    guard
      isArrow
        || (KeyBinding.command(for: key, in: state.keys) == nil
          && (ListCommand(key)?.isTyped == true
            || (state.page == .processes && KeyBinding.processCommand(for: key) != nil)))
    else { return }
    enterList()
  }

  /// Focuses the list that is shown.
  private mutating func enterList() {
    focus.enterList()
    focusList()
  }
}
