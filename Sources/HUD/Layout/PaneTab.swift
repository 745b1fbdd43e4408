import Metrics

/// A tab of a full-screen view, from left to right. The last ones need a program that reports something or draws.
package enum PaneTab: Int, CaseIterable, Sendable {
  /// All gauges and graphs.
  case overview
  case memory
  case processes
  case threads
  case whySlow
  case actions
  case frames

  /// The lists of the tab, with the initial one first. Each page has a tab; the overview has no list.
  var pages: [ListPage] {
    switch self {
    case .overview: []
    case .memory: [.mappings, .phases]
    case .processes: [.processes]
    case .threads: [.threads]
    case .whySlow: [.bottlenecks]
    case .actions: [.actions, .log, .alerts]
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
    case .processes: .tabProcesses
    case .threads: .tabThreads
    case .whySlow: .tabWhySlow
    case .actions: .tabActions
    case .frames: .tabFrames
    }
  }

  /// The same for a row that is too short for all names.
  var shortWord: Word {
    switch self {
    case .overview, .threads: word
    case .memory: .tabMemoryShort
    case .processes: .tabProcessesShort
    case .whySlow: .tabWhySlowShort
    case .actions: .tabActionsShort
    case .frames: .tabFramesShort
    }
  }

  /// The tab of a page.
  static func of(_ page: ListPage) -> PaneTab {
    allCases.first { $0.pages.contains(page) } ?? .overview
  }

  /// The tab at this distance to the right, or to the left if negative, wrapping around at the ends.
  func moved(by step: Int) -> PaneTab {
    let count = PaneTab.allCases.count
    return PaneTab(rawValue: ((rawValue + step) % count + count) % count) ?? .overview
  }
}

/// The properties of a pane's content that its layout depends on.
package struct PaneView: Equatable, Sendable {
  package var tab: PaneTab
  /// The page of the tab that is shown; `nil` on the overview. A layout without one has the initial page of its tab.
  package var page: ListPage?
  /// Whether the list was opened by a key of its own, or its tab was chosen in a pane with few rows. In such a pane only
  /// this list replaces the gauges.
  package var isListAsked = false
  /// Whether a list is shown: on every tab but the overview.
  package var hasList: Bool { tab != .overview }
  /// Whether the gauges share a single row, so that the list has more rows.
  package var isCollapsed: Bool
  /// What the overview shows.
  package var overview: OverviewLayout
  /// The list next to the parts of memory on the standard overview: threads, or processes if the values include them; in
  /// a recording the phases; or none.
  package var panel: WidgetID? = .threads
  /// Whether that list has more rows than a low panel.
  package var hasLongPanel = false
  /// The most processes that a tree has had so far; 0 if the list does not show processes.
  package var processRows = 0
  /// Whether there are phases, so that the memory graph has a row for their names.
  package var hasPhases = false
  /// The phases that there are.
  package var phaseRows = 0
  /// The most threads that a process alone has had so far; 0 if that is unknown, or if the list does not show threads.
  package var threadRows = 0
  /// What has room below a short list of threads or processes: the phases of the program, the graph of its reads and
  /// writes, the log, or facts about the process.
  package var belowList: WidgetID?
  /// The rows that the list can use, with its frame and its headings. In a full-screen view what is left goes to graphs.
  package var listRows = Int.max
  /// The lines of each row of the list of threads or processes.
  package var linesOfRow = 1
  /// The rows that facts about the process can use below the list of processes, with their frame; 0 without any.
  package var detailRows = 0
  /// Whether the log has a line; otherwise it has no room on the tab of actions.
  package var hasLog = true
  /// Whether the program has reported actions or values.
  package var hasActions = true
  /// Whether the target draws frames; otherwise the tab of frames has little to show.
  package var hasFrames = true
  /// Whether the last row shows the position in a recording.
  package var hasProgress = false

  package init(
    _ tab: PaneTab = .overview, isCollapsed: Bool = false,
    overview: OverviewLayout = .standard
  ) {
    self.overview = overview
    self.tab = tab
    self.isCollapsed = isCollapsed
  }
}
