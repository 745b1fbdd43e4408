import Metrics
import PerfHUDBase

/// A target with its children, or without them.
extension HUD {
  /// Whether a key counts the children of the target, or no longer does.
  package var mayCountChildren: Bool {
    get { state.mayCountChildren }
    set {
      state.mayCountChildren = newValue
      redrawAtOnce()
    }
  }

  mutating func countChildren(_ run: borrowing Run) -> HUDRequest? {
    guard run.ended == nil, state.mayCountChildren else {
      note(run.ended == nil ? .noteChildrenFixed : .pickerEnded)
      return nil
    }
    let isCounted = !run.header.includesChildren
    note(isCounted ? .noteChildren : .noteNoChildren)
    // A frozen picture would hide what the key does.
    state.frozen = nil
    return .countChildren(isCounted)
  }

  /// Forgets what was shown of a run whose values have begun anew.
  package mutating func startAnew() {
    state.values.forget()
    state.axes = GraphAxes()
    state.graph.baseline = nil
    followNow()
    state.frozen = nil
    mostThreads = 0
    mostProcesses = 0
    mostListed = (.log, 0, 0)
    hasHadStorage = false
    listHeight = ListHeight()
    treeRows = ListHeight()
    redrawAtOnce()
  }
}
