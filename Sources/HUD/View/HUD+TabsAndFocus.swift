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

  /// Shows a page on its tab. If it is already shown, returns to the overview, unless the list has the focus.
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
    let row = list.selectedPosition ?? max(0, list.shownCount - 1)
    let wasCollapsed = state.view.isCollapsed
    if row >= list.visibleRowCount { state.view.isCollapsed = true }
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

  /// The meaning of a key for the parts of a pane.
  enum PaneKey {
    case isHandled
    case asks(HUDCommand)
    /// It means something else, or nothing.
    case isNotMeant
  }

  /// Handles a key that moves between the parts of a pane, or within a graph.
  mutating func takeInPane(_ key: Key, run: borrowing Run) -> PaneKey {
    switch focus.target {
    case .help, .prompt, .settings, .settingsPrompt, .signals: return .isNotMeant
    case .list:
      // Within a list the up and down arrows belong to the list.
      guard key != .up, key != .down, let command = KeyBinding.command(for: key, in: state.keys)
      else { return .isNotMeant }
      switch command {
      case .tab, .moveTab, .moveFocus: return .asks(command)
      default: return .isNotMeant
      }
    case .hud:
      guard state.graph.focus != nil else {
        enterList(for: key)
        return .isNotMeant
      }
      if key == .escape {
        releaseKeys()
        return .isHandled
      }
      if key == .enter { return .asks(.tab(tabOfFocusedGraph(run))) }
      return moveCursor(key, run: run) ? .isHandled : .isNotMeant
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
