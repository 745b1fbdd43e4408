import Metrics
import Sampler
import Terminal

/// The least rows of a part of the overview that shows processes as a tree, unless it has as many as they need.
private let leastTreeRows = 7

/// The data that the visible lists need.
extension HUD {
  /// The visible list of processes or threads; the sampler reads it only while it is visible.
  package var wantedTable: ProcessTableRequest? {
    if stack.isOpen(.list) {
      switch state.page {
      case .processes: return ProcessTableRequest(.processes, by: state.processList.order)
      case .threads: return ProcessTableRequest(.threads)
      case .mappings: return ProcessTableRequest(.mappings)
      default: break
      }
    }
    if isPlaced(.processes) { return ProcessTableRequest(.processes, by: state.processList.order) }
    if isPlaced(.mappings) { return ProcessTableRequest(.mappings) }
    return isPlaced(.threads) ? ProcessTableRequest(.threads) : nil
  }

  /// Whether facts about a process may get a place when it is alone in its list.
  package var wantsProcessDetails: Bool {
    state.family == .pane && state.view.tab == .processes && wantedTable?.kind == .processes
  }

  /// Whether facts about the watched process have a place.
  package var showsProcessDetails: Bool { state.family == .pane && isPlaced(.processDetails) }

  /// Whether the layout shows a widget.
  func isPlaced(_ id: WidgetID) -> Bool {
    for index in layout.indices where layout[index].id == id { return true }
    return false
  }

  /// Whether the processes on the overview have too few rows for a tree: it would mostly show parents that wait, and not
  /// the busy ones below them.
  var isTooLowForTree: Bool {
    guard state.family == .pane, treeRows.rows > 0, !stack.isOpen(.list),
      let placed = layout.first(where: { $0.id == .processes })
    else { return false }
    let frame = placed.frame
    let edges = placed.hasFrame ?? hasPanelFrame(frame.size) ? 2 : 1
    let heads = PageRows.hasHeads(.processes, columns: frame.columns) ? 1 : 0
    let isLow = placed.hasFrame == nil && frame.rows < leastTreeRows
    return isLow || frame.rows - edges - heads < treeRows.rows
  }

  /// Notes the rows that a tree of all processes needs on the overview: at once more, fewer only after a while.
  private mutating func updateTreeRows(_ run: Run) {
    guard state.family == .pane, let table = run.processes, table.request.kind == .processes
    else { return }
    _ = treeRows.update(
      table.listRows, page: .processes, now: run.latest?.time ?? run.header.start)
  }

  /// Sorts the rows of the visible lists. In a list that has the focus no row moves: the user reads it, or is about to
  /// select one.
  mutating func updateOrder(_ run: Run) {
    let hasLog = isPlaced(.log) || (stack.isOpen(.list) && state.page == .log)
    let hasTable = wantedTable != nil
    var options = state.processList
    updateTreeRows(run)
    if isTooLowForTree { options.isTree = false }
    order.update(run, options, hasLog: hasLog, hasTable: hasTable, isHeld: focus.isInList)
  }
}

extension ProcessTable {
  /// The rows of a list of it. Those that have ended share one, and so do those that did not fit.
  var listRows: Int {
    let rows = rows
    var count = others > 0 ? 1 : 0
    if request.kind == .processes, ended.count > 0 { count += 1 }
    var index = 0
    while index < rows.count {
      if !rows[index].isInEndedTotals { count += 1 }
      index += 1
    }
    return count
  }
}
