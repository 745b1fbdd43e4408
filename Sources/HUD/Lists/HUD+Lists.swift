import Metrics
import Sampler

/// The least rows of a part of the overview that shows processes as a tree, with its frame and its headings.
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

  /// Whether facts about a process have a place, or may have one when it is alone in its list.
  package var wantsProcessDetails: Bool {
    guard state.family == .pane else { return false }
    return isPlaced(.processDetails)
      || (state.view.tab == .processes && wantedTable?.kind == .processes)
  }

  /// Whether the layout shows a widget.
  func isPlaced(_ id: WidgetID) -> Bool {
    for index in layout.indices where layout[index].id == id { return true }
    return false
  }

  /// Notes whether the processes on the overview have too few rows for a tree: it would mostly show parents that wait, and
  /// not the busy ones below them.
  private mutating func updateTreeRoom(_ run: Run) {
    isTooLowForTree = false
    guard state.family == .pane, !stack.isOpen(.list), let table = run.processes,
      table.request.kind == .processes, let panel = layout.first(where: { $0.id == .processes })
    else { return }
    var rows = (table.others > 0 ? 1 : 0) + (table.ended.count > 0 ? 1 : 0)
    for index in table.rows.indices where !table.rows[index].isInEndedTotals { rows += 1 }
    // At once flat, and a tree again only when all have had room for a while.
    let needed = treeRows.update(
      rows, page: .processes, now: run.latest?.time ?? run.header.start)
    let frame = panel.frame
    let edges = hasPanelFrame(frame.size) ? 2 : 1
    let heads = PageRows.hasHeads(.processes, columns: frame.columns) ? 1 : 0
    isTooLowForTree = frame.rows < leastTreeRows || frame.rows - edges - heads < needed
  }

  /// Sorts the rows of the visible lists. In a list that has the focus no row moves: the user reads it, or is about to
  /// select one.
  mutating func updateOrder(_ run: Run) {
    let hasLog = isPlaced(.log) || (stack.isOpen(.list) && state.page == .log)
    let hasTable = wantedTable != nil
    var options = state.processList
    updateTreeRoom(run)
    if isTooLowForTree { options.isTree = false }
    order.update(run, options, hasLog: hasLog, hasTable: hasTable, isHeld: focus.isInList)
  }
}
