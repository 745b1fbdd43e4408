import Metrics

/// A tab of a full-screen view.
package enum PaneTab: Int, CaseIterable, Sendable {
  /// All gauges and graphs, and below them anything that has no tab of its own.
  case overview
  case memory
  case actions
  case processes
  case frames

  /// The lists of the tab, with the initial one first. The overview has none until one is opened, and a tab without any
  /// is not shown.
  var pages: [ListPage] {
    switch self {
    case .overview: []
    case .memory: [.mappings, .phases]
    case .actions: [.actions]
    case .processes: [.processes, .threads]
    case .frames: [.frames]
    }
  }

  /// The initial list of the tab.
  var page: ListPage? { pages.first }

  /// Its name in the row of tabs.
  var word: Word {
    switch self {
    case .overview: .tabOverview
    case .memory: .tabMemory
    case .actions: .tabActions
    case .processes: .tabProcesses
    case .frames: .tabFrames
    }
  }

  /// The available tabs, from left to right: a tab other than the overview needs something to list.
  package static let shown = allCases.filter { $0 == .overview || !$0.pages.isEmpty }

  /// The tab of a page.
  static func of(_ page: ListPage) -> PaneTab {
    shown.first { $0.pages.contains(page) } ?? .overview
  }

  /// The tab at this distance to the right, or to the left if negative, wrapping around at the ends.
  func moved(by step: Int) -> PaneTab {
    let all = PaneTab.shown
    let position = all.firstIndex(of: self) ?? 0
    return all[((position + step) % all.count + all.count) % all.count]
  }
}

/// The properties of a pane's content that its layout depends on.
package struct PaneView: Equatable, Sendable {
  package var tab: PaneTab
  /// Whether a list is shown, with the page of the tab or one that the user has opened.
  package var hasList: Bool
  /// Whether the list was opened by a key of its own, or its tab was chosen in a pane with few rows. In such a pane only
  /// this list replaces the gauges.
  package var isListAsked = false
  /// Whether the gauges share a single row, so that the list has more rows.
  package var isCollapsed: Bool
  /// What the overview shows.
  package var overview: OverviewLayout
  /// The list next to the parts of memory on the standard overview: threads, or processes if the values include them,
  /// or none.
  package var panel: WidgetID? = .threads
  /// Whether that list has more rows than a low panel.
  package var hasLongPanel = false
  /// Whether that list has had only a few rows so far, so that the graph of reads and writes is below it.
  package var hasShortPanel = false
  /// The rows that the list of a tab can use, with its frame and its headings. What is left goes to graphs.
  package var listRows = Int.max
  /// Whether the log has a line; otherwise it has no room on the tab of actions.
  package var hasLog = true
  /// Whether the target draws frames; otherwise the tab of frames has little to show.
  package var hasFrames = true
  /// Whether the last row shows the position in a recording.
  package var hasProgress = false

  package init(
    _ tab: PaneTab = .overview, hasList: Bool = false, isCollapsed: Bool = false,
    overview: OverviewLayout = .standard
  ) {
    self.overview = overview
    self.tab = tab
    self.hasList = hasList
    self.isCollapsed = isCollapsed
  }
}
