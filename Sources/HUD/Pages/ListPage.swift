import Metrics

/// The content of the list window.
package enum ListPage: CaseIterable, Sendable {
  /// What has happened: actions, marks, jobs, findings of perfhud.
  case log
  case phases
  case actions
  /// The times of the last frames, as a graph.
  case frames
  /// The target and its descendants.
  case processes
  case threads
  /// What holds the program back.
  case bottlenecks
  /// The rules and their state.
  case alerts
  /// The mappings of the target, grouped by file.
  case mappings

  /// The key that opens and closes it, as in the table of keys.
  var key: Unicode.Scalar {
    switch self {
    case .log: "l"
    case .phases: "p"
    case .actions: "a"
    case .frames: "F"
    case .processes: "t"
    case .threads: "T"
    case .bottlenecks: "y"
    case .alerts: "!"
    case .mappings: "M"
    }
  }

  var title: Word {
    switch self {
    case .log: .log
    case .phases: .phases
    case .actions: .actionsTitle
    case .frames: .frames
    case .processes: .processes
    case .threads: .threads
    case .bottlenecks: .whySlow
    case .alerts: .alerts
    case .mappings: .mappings
    }
  }

  /// The name of its tab while the tab shows it in place of its initial page; `nil` if the tab keeps its own.
  var tabWord: Word? {
    switch self {
    case .log: .tabLog
    case .alerts: .tabAlerts
    default: nil
    }
  }

  /// The role of its frame: that of the graph that it explains.
  var frameRole: Role {
    switch self {
    case .processes, .threads: .cpuFrame
    case .phases, .mappings: .memoryFrame
    case .log, .actions, .frames, .bottlenecks, .alerts: .frame
    }
  }
}
