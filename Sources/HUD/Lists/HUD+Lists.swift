import Metrics
import Sampler

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
    return isPlaced(.threads) ? ProcessTableRequest(.threads) : nil
  }

  /// Whether facts about a process that is alone in its list have a place.
  package var wantsProcessDetails: Bool {
    state.family == .pane && state.view.tab == .processes && wantedTable?.kind == .processes
  }

  /// Whether the layout shows a widget.
  func isPlaced(_ id: WidgetID) -> Bool {
    for index in layout.indices where layout[index].id == id { return true }
    return false
  }

  /// Sorts the rows of the visible lists. In a list that has the focus no row moves: the user reads it, or is about to
  /// select one.
  mutating func updateOrder(_ run: Run) {
    let hasLog = isPlaced(.log) || (stack.isOpen(.list) && state.page == .log)
    let hasTable = wantedTable != nil
    order.update(
      run, state.processList, hasLog: hasLog, hasTable: hasTable, isHeld: focus.isInList)
  }
}
