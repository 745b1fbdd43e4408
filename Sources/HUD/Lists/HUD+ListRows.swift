import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// What the overview of a full-screen view shows, and how many rows a list needs.
extension HUD {
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
    // A list that has been longer keeps its room, so that nothing moves to and fro, until the panels get lower.
    if state.view.hasLongPanel, !isLong { (mostThreads, mostProcesses) = (0, 0) }
    mostThreads = panel == .threads ? max(mostThreads, Int(count)) : 0
    mostProcesses =
      panel == .processes
      ? max(mostProcesses, min(HUD.mostListedProcesses, max(Int(count), listedProcesses(run)))) : 0
    view.processRows = mostProcesses
    view.threadRows = mostThreads
    view.hasPhases = run.phases.count > 0
    view.phaseRows = min(run.phases.count, Layout.shortPanelRows)
    view.hasLog = PageOrder.entryCount(run) > 0
    hasHadStorage = hasHadStorage || usesStorage(run)
    view.belowList =
      view.hasPhases
      ? .phases
      : hasHadStorage
        ? .storageGraph : panel == .threads ? .processDetails : view.hasLog ? .log : nil
    let rows = listRows(run)
    let isNewPage = state.page != mostListed.page
    if isNewPage { mostListed = (state.page, 0, 0) }
    if let table = run.processes, let listed = listedRows(run) {
      let living = table.rows.reduce(0) { $0 + ($1.hasEnded ? 0 : 1) }
      mostListed.living = max(mostListed.living, living)
      mostListed.rows = max(mostListed.rows, listed)
    }
    if state.page == .threads {
      mostListed.living = max(mostListed.living, mostThreads)
      mostListed.rows = max(mostListed.rows, mostThreads)
    }
    // Nothing moves while a row is being chosen.
    view.linesOfRow = state.isListFocused && !isNewPage ? state.view.linesOfRow : linesOfRow
    view.listRows =
      view.linesOfRow > 1
      ? max(rows, HUD.listEdgeRows + view.linesOfRow * mostListed.rows) : rows
    let hasDetails =
      state.view.tab == .processes && run.processes?.details != nil
      && run.processes?.rows.count == 1
    view.detailRows = hasDetails ? processDetailRows(columns: room.columns) : 0
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

  /// More processes than fit on any screen need no more room.
  private static let mostListedProcesses = 100

  /// The rows of a list of the processes, with those that have ended; 0 before the first one.
  private func listedProcesses(_ run: Run) -> Int {
    guard let table = run.processes, table.request.kind == .processes else { return 0 }
    return table.listRows
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
    case .processes, .threads: count = listedRows(run) ?? expectedRows(run)
    case .actions:
      let (actions, values) = (run.actions.count, run.reports.values.all.count)
      // Headings of the values, in a full-screen view below a blank row; without any, the rows of the hint.
      let heads = actions > 0 && values > 0 ? isOverlay ? 1 : 2 : 0
      count = actions + values > 0 ? actions + values + heads : Layout.emptyListRows - 2
    case .bottlenecks: count = bottleneckRows(run)
    case .alerts where run.alerts.isEmpty: count = Layout.emptyListRows - 2
    case .alerts: count = run.alerts.trackers.count
    case .phases where isOverlay && run.phases.count == 0: count = Layout.emptyListRows - 2
    case .phases: count = run.phases.ranking.count
    case .log where isOverlay:
      let entries = PageOrder.entryCount(run)
      // Two rows say that there is nothing, and how to add something.
      count = entries > 0 ? entries : 2
    case .log where PageOrder.entryCount(run) == 0: count = 1
    default: return .max
    }
    // The frame, or only a heading, and a row for the headings of the columns.
    let heads =
      PageRows.hasHeads(state.page, columns: rowColumns, isEmpty: isEmpty(state.page, run)) ? 1 : 0
    let edge = (isOverlay || listColumns >= Layout.framedListColumns ? 2 : 1) + heads
    // Facts about a process may follow its row.
    let hasLeast = state.page != .processes && !isOverlay
    let rows = max(hasLeast ? Layout.leastListRows : 0, count + edge)
    let isTable = state.page == .processes || state.page == .threads
    return listHeight.update(
      rows, isGuess: isTable && listedRows(run) == nil, page: state.page,
      now: run.latest?.time ?? run.header.start)
  }

  /// The lines of each thread or process on its tab: a few of them leave rows, which show their CPU shares better than the
  /// graphs of the whole target would. They depend on the most rows so far, so that they do not change to and fro.
  private var linesOfRow: Int {
    guard state.family == .pane, state.view.hasList, listColumns >= Layout.framedListColumns
    else { return 1 }
    let living = mostListed.living
    switch state.page {
    case .threads where (1...HUD.mostHighRows).contains(living): break
    // That of a process alone has the share that the graph above it has.
    case .processes where (2...HUD.mostHighRows).contains(living): break
    default: return 1
    }
    let rest = room.rows - HUD.rowsBesideLines
    return min(HUD.mostLines, max(1, rest / max(1, mostListed.rows)))
  }

  /// The most threads or processes with rows of several lines, and the most lines of one.
  private static let mostHighRows = 6
  private static let mostLines = 3
  /// The frame and the headings of a list.
  private static let listEdgeRows = 3
  /// Two graphs of eight rows; tabs, title, gauges and the row of keys; the edges of the list.
  private static let rowsBesideLines = 16 + 7 + listEdgeRows

  /// Whether a page of actions, phases or alerts has nothing to show yet.
  private func isEmpty(_ page: ListPage, _ run: Run) -> Bool {
    switch page {
    case .actions: run.actions.count + run.reports.values.all.count == 0
    case .phases: run.phases.count == 0
    case .alerts: run.alerts.isEmpty
    default: false
    }
  }

  /// The columns of a row of the list: without its frame and margins.
  private var rowColumns: Int {
    if state.family == .overlay { return listColumns - 3 }
    return listColumns - (listColumns >= Layout.framedListColumns ? 4 : 1)
  }

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

  /// The rows of the list of processes or threads; `nil` before its first table, which comes with the next sample.
  private func listedRows(_ run: Run) -> Int? {
    let kind: ProcessTableRequest.Kind = state.page == .threads ? .threads : .processes
    guard let table = run.processes, table.request.kind == kind else { return nil }
    return table.listRows
  }

  /// The rows of that list before its first table.
  private func expectedRows(_ run: Run) -> Int {
    let isOfThreads = state.page == .threads
    if state.family == .overlay {
      guard !isOfThreads, run.header.includesChildren, let count = run.latest?[.processes].value
      else { return HUD.usualListRows }
      return max(1, min(HUD.usualListRows, Int(count)))
    }
    guard isOfThreads, !run.header.isCgroup,
      let latest = run.latest, !latest.hasEnded, state.replay == nil
    else { return 1 }
    return Int(latest[.threads].value ?? 1)
  }
}
