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

  /// Whether facts about a process that is alone in its list have a place.
  package var wantsProcessDetails: Bool {
    state.family == .pane && state.view.tab == .processes && wantedTable?.kind == .processes
  }

  /// Whether the layout shows a widget.
  func isPlaced(_ id: WidgetID) -> Bool {
    for index in layout.indices where layout[index].id == id { return true }
    return false
  }

  /// Whether processes are shown in so few rows of the overview that a tree would mostly show parents that wait for the
  /// busy ones.
  private var isTooLowForTree: Bool {
    guard state.family == .pane, !stack.isOpen(.list) else { return false }
    let panel = layout.first { $0.id == .processes }?.frame
    return panel.map { $0.rows < leastTreeRows } ?? false
  }

  /// Sorts the rows of the visible lists. In a list that has the focus no row moves: the user reads it, or is about to
  /// select one.
  mutating func updateOrder(_ run: Run) {
    let hasLog = isPlaced(.log) || (stack.isOpen(.list) && state.page == .log)
    let hasTable = wantedTable != nil
    var options = state.processList
    if isTooLowForTree { options.isTree = false }
    order.update(run, options, hasLog: hasLog, hasTable: hasTable, isHeld: focus.isInList)
  }
}
