import Metrics
import Sampler

/// What the lists that are shown need.
extension HUD {
  /// The list of processes or threads that is to be seen; it is read only as long as it is.
  public var wantedTable: ProcessTableRequest? {
    if stack.isOpen(.log) {
      switch state.page {
      case .processes: return ProcessTableRequest(.processes, by: state.processOrder)
      case .threads: return ProcessTableRequest(.threads)
      default: break
      }
    }
    if isPlaced(.processes) { return ProcessTableRequest(.processes, by: state.processOrder) }
    return isPlaced(.threads) ? ProcessTableRequest(.threads) : nil
  }

  /// Whether the layout shows a widget.
  func isPlaced(_ id: WidgetID) -> Bool {
    for index in layout.indices where layout[index].id == id { return true }
    return false
  }

  /// Brings the rows of what is to be seen in order.
  mutating func updateOrder(_ run: Run) {
    let hasLog = isPlaced(.log) || (stack.isOpen(.log) && state.page == .log)
    let hasTable = wantedTable != nil
    order.update(run, state, hasLog: hasLog, hasTable: hasTable)
  }
}
