import Metrics
import Terminal

/// What the mouse does: over a program while the HUD has the focus, and always in a pane.
extension HUD {
  /// The number of rows, or of graph cells, for one step of the wheel.
  private static let wheelStep = 3

  /// Handles a mouse event at a point of the screen.
  package mutating func handle(_ event: MouseEvent, run: borrowing Run) {
    switch stack.window(at: event.point) {
    case .settings: handleInSettings(event)
    case .signals: handleInSignals(event)
    case .list: handleInList(event)
    case .help where state.family == .pane: handleInHelp(event)
    // The user points at the picture, which may be frozen.
    case .hud where state.family == .pane: handleInPane(event, run: shown(run))
    default: break
    }
  }

  private mutating func handleInList(_ event: MouseEvent) {
    guard focus.target != .help, focus.target == .hud || focus.isInList, state.page != .frames,
      let frame = stack[.list]?.frame,
      let point = stack.toWidget(event.point, listInner(frame.size, state), in: .list)
    else { return }
    switch event.action {
    case .wheelUp: list.scroll(by: -HUD.wheelStep)
    case .wheelDown: list.scroll(by: HUD.wheelStep)
    case .press(button: 1):
      // A row for the headings of the columns.
      let heads = max(0, listInner(frame.size, state).rows - list.areaLines)
      list.click(point.row - heads)
      if state.hasKeys || state.family == .pane {
        focus.enterList()
        focusList()
      }
    default: return
    }
    chooseProcess()
    if list.isTyping { promptOrigin = chosenProcess }
    followList()
    redrawAtOnce()
  }

  private mutating func handleInHelp(_ event: MouseEvent) {
    switch event.action {
    case .wheelUp: scrollHelp(.up)
    case .wheelDown: scrollHelp(.down)
    case .press:
      focus.closeHelp()
      close(.help)
    default: break
    }
  }

  /// A click selects a tab or a point of a graph; the wheel scrolls a graph through time.
  private mutating func handleInPane(_ event: MouseEvent, run: borrowing Run) {
    guard focus.target == .hud || focus.target == .list,
      let widget = layout.first(where: { stack.toWidget(event.point, $0.frame, in: .hud) != nil }),
      let point = stack.toWidget(event.point, widget.frame, in: .hud)
    else { return }
    switch (widget.id, event.action) {
    case (.tabs, .press(button: 1)):
      let bar = TabBar(state.view.tab, width: widget.frame.columns, state.language)
      if let tab = bar.tab(at: point.column) { choose(tab) }
    case (.memoryGraph, .press(button: 1)), (.cpuGraph, .press(button: 1)),
      (.memoryGraph, .drag(button: 1)), (.cpuGraph, .drag(button: 1)):
      pointAt(widget, column: event.point.column, run: run)
    case (.memoryGraph, .wheelUp), (.cpuGraph, .wheelUp):
      scrollGraphs(by: -HUD.wheelStep, run: run)
    case (.memoryGraph, .wheelDown), (.cpuGraph, .wheelDown):
      scrollGraphs(by: HUD.wheelStep, run: run)
    case (let id, .press(button: 1)):
      // Opens the tab of a page that is part of the overview.
      if let page = id.page { choose(PaneTab.of(page), page: page) }
    default: break
    }
  }
}
