import Metrics
import Terminal

/// The layouts of a full-screen view: tabs and gauges at the top, keys at the bottom, and the content of the tab in
/// between.
extension Layout {
  /// The least rows for a row of tabs.
  static let tabRows = 14
  /// The least rows for a line below the tabs.
  static let tabLineRows = 20
  /// The least rows for a footer.
  private static let footerRows = 11
  /// The least rows for a list below a row with all gauges. With fewer there are only gauges, unless the list was asked
  /// for: then it has all the rows.
  static let listRows = 4
  /// The least rows for a list below gauges with a row each.
  private static let gaugeRows = 10
  /// The least rows of the graphs above the list of a tab.
  private static let tabGraphRows = 5
  /// The columns from which a list has a frame.
  static let framedListColumns = 60
  /// The least rows of a list with a frame and the headings of its columns.
  static let leastListRows = 6
  /// Below this number of rows a part of a layout has its column headings on the line with its name.
  static let lowPartRows = 7
  /// The least rows of the phases with a frame: two lines say how to begin one.
  private static let leastPhasePanelRows = 5
  /// The least rows of the mapped files: a heading and three files, without a frame.
  private static let leastMappingRows = 4
  /// The least rows of a list of actions: its frame, a hint and a command.
  private static let leastActionRows = 5
  /// The rows of an empty list: its frame, a hint, a command and, below a blank row, the calls of three clients.
  static let emptyListRows = 8
  /// The rows for how to report frames, and for those of perfhud's own timer.
  private static let emptyFramesRows = emptyListRows + 2

  /// Columns of the position in a recording, in a pane with a single row.
  static let shortProgressWidth = 8

  /// Places a pane above a row with the position in a recording. In a single row the position is at the end.
  private static func placeReplay(in size: Size, _ view: PaneView) -> [PlacedWidget] {
    var view = view
    view.hasProgress = false
    guard size.rows == 1 else {
      let frame = Rect(row: size.rows - 1, column: 0, rows: 1, columns: size.columns)
      return placePane(in: Size(rows: size.rows - 1, columns: size.columns), view)
        + [PlacedWidget(id: .progress, frame: frame)]
    }
    let width =
      size.columns >= progressColumns
      ? progressWidth : size.columns >= lineColumns + shortProgressWidth ? shortProgressWidth : 2
    guard size.columns >= lineColumns + width else { return placePane(in: size, view) }
    let frame = Rect(row: 0, column: size.columns - width, rows: 1, columns: width)
    return placePane(in: Size(rows: 1, columns: size.columns - width), view)
      + [PlacedWidget(id: .progress, frame: frame)]
  }

  /// The columns of CPU and memory in a single row.
  private static let lineColumns = 18
  /// The columns from which a single row shows the position as more than a time, and the columns of the position then.
  private static let progressColumns = 72
  private static let progressWidth = 32

  static func placePane(in size: Size, _ view: PaneView) -> [PlacedWidget] {
    if view.hasProgress { return placeReplay(in: size, view) }
    if size.rows < listRows, view.hasList, view.isListAsked {
      return [PlacedWidget(id: .list, frame: Rect(size))]
    }
    if size.rows == 1 { return [PlacedWidget(id: .line, frame: Rect(size))] }
    var column = WidgetColumn(Rect(size))
    var placed: [PlacedWidget] = []
    let hasList = view.hasList && size.rows >= listRows
    placeHeader(&column, hasList: hasList, isCollapsed: view.isCollapsed, to: &placed)
    let footer = size.rows >= footerRows ? 1 : 0
    if hasList {
      placeBody(&column, view, footer: footer, to: &placed)
    } else {
      placeOverview(&column, view, footer: footer, to: &placed)
    }
    column.add(.footer, rows: footer, to: &placed)
    return placed
  }

  /// Places tabs, title and gauges; above a list in a low pane, or one that has scrolled, the gauges share a single
  /// row.
  private static func placeHeader(
    _ column: inout WidgetColumn, hasList: Bool, isCollapsed: Bool, to placed: inout [PlacedWidget]
  ) {
    let rows = column.frame.rows
    column.add(.tabs, rows: rows < tabRows ? 0 : rows < tabLineRows ? 1 : 2, to: &placed)
    guard !hasList || (rows >= gaugeRows && !isCollapsed) else {
      column.add(.line, rows: 1, to: &placed)
      return
    }
    column.add(.title, rows: rows >= titleRows ? 1 : 0, to: &placed)
    column.add(.cpu, rows: 1, to: &placed)
    column.add(.memory, rows: 1, to: &placed)
    column.add(.fps, rows: rows >= 3 ? 1 : 0, to: &placed)
  }

  /// Places values and graphs.
  private static func placeOverview(
    _ column: inout WidgetColumn, _ view: PaneView, footer: Int, to placed: inout [PlacedWidget]
  ) {
    let rows = column.rest - footer
    guard view.overview == .standard else {
      return placeParts(&column, view.overview.parts, rows: rows, to: &placed)
    }
    placeStandard(in: column.next(rows: rows), view, to: &placed)
    column.skip(rows: rows)
  }

  /// Places the chosen parts, as many as fit, starting with the first. Remaining rows go to all parts that can use
  /// them.
  private static func placeParts(
    _ column: inout WidgetColumn, _ parts: [WidgetID], rows: Int, to placed: inout [PlacedWidget]
  ) {
    var shown: [(id: WidgetID, rows: Int, most: Int)] = []
    var rest = rows
    for id in parts {
      let limits = rowLimits(of: id, columns: column.frame.columns)
      guard limits.upperBound > 0 else { continue }
      guard limits.lowerBound <= rest else { break }
      shown.append((id, limits.lowerBound, limits.upperBound))
      rest -= limits.lowerBound
    }
    if shown.isEmpty { shown = [(.memoryGraph, 0, .max)] }
    while rest > 0, shown.contains(where: { $0.rows < $0.most }) {
      for index in shown.indices where rest > 0 && shown[index].rows < shown[index].most {
        shown[index].rows += 1
        rest -= 1
      }
    }
    shown[shown.count - 1].rows += rest
    for part in shown { column.add(part.id, rows: part.rows, to: &placed) }
  }

  /// The least and the greatest useful number of rows of a part; 0 if it is too wide.
  private static func rowLimits(of id: WidgetID, columns: Int) -> ClosedRange<Int> {
    switch id {
    case .details:
      let perRow = columns / detailWidth
      return perRow == 0 ? 0...0 : 1...(detailCount - 1 + perRow - 1) / perRow
    case .memoryGraph: return 4...Int.max
    case .cpuGraph: return 5...Int.max
    case .memoryParts: return 3...9
    case .bottlenecks: return 3...Bottlenecks.metrics.count + 2
    default: return Widget.of(id).leastRows...Int.max
    }
  }

  /// Places the memory graph, and next to it what the memory consists of, if there is room, and below that the phases
  /// unless they are the list of the tab.
  private static func placeMemory(
    _ column: inout WidgetColumn, rows: Int, _ view: PaneView, to placed: inout [PlacedWidget]
  ) {
    let columns = column.frame.columns
    guard columns >= memoryPartsBeside, rows >= 5 else {
      return column.add(.memoryGraph, rows: rows, to: &placed)
    }
    let width = min(60, columns * 2 / 5)
    // Both have a frame, unless the graph is lower than any other.
    let hasFrame = rows >= lowGraphRows
    let gap = hasFrame ? 1 : panelGap(rows: rows)
    place(
      [(.memoryGraph, columns - width - gap), (.memoryParts, width)],
      in: column.next(rows: rows), gap: gap, to: &placed)
    let parts = placed.removeLast()
    placed.append(
      PlacedWidget(id: parts.id, frame: parts.frame, hasFrame: hasFrame ? true : nil))
    column.skip(rows: rows)
    if view.page != .phases, rows - memoryRows >= leastPhasePanelRows {
      split(placed.count - 1, rows: memoryRows, .phases, hasFrame: true, in: &placed)
    }
  }

  /// Places the content of a tab: its graph, if there is room for one, and its list.
  private static func placeBody(
    _ column: inout WidgetColumn, _ view: PaneView, footer: Int, to placed: inout [PlacedWidget]
  ) {
    let rest = column.rest - footer
    switch view.tab {
    case .overview: break
    case .memory:
      // A list that has scrolled gets all the rows.
      var graph = view.isCollapsed ? 0 : min(rest - max(4, rest / 2), 18)
      guard graph >= 3 else { break }
      // The mapped files are below a list of phases that leaves them enough rows. Low graphs leave them a few.
      let phases = view.page == .phases ? view.listRows : .max
      let most = phases < rest ? rest - phases - leastMappingRows : 0
      if graph < memoryRows, most >= lowGraphRows { graph = min(graph, most) }
      placeMemory(&column, rows: graph, view, to: &placed)
      let list = column.rest - footer
      guard phases <= list - leastMappingRows else { break }
      column.add(.list, rows: phases, to: &placed)
      return column.add(.mappings, rows: list - phases, to: &placed)
    case .actions:
      let list = max(leastActionRows, view.listRows)
      if view.page == .alerts {
        // Both graphs, which show the limits of rules, and the log, which shows when a rule was broken.
        guard !view.isCollapsed, rest - list >= tabGraphRows else { break }
        let half = (rest - list) / 2
        let log = view.hasLog && half >= framedPanelRows ? half : 0
        placeGraphs(in: column.next(rows: rest - list - log), to: &placed)
        column.skip(rows: rest - list - log)
        column.add(.list, rows: list, to: &placed)
        return column.add(.log, rows: log, to: &placed)
      }
      // Without a log the graphs get what the list leaves.
      let isShort = view.page == .log ? list < rest : !view.hasLog
      if isShort, !view.isCollapsed, rest - list >= tabGraphRows {
        placeGraphs(in: column.next(rows: rest - list), to: &placed)
        column.skip(rows: rest - list)
        break
      }
      // A list that has scrolled gets all the rows.
      var graph = rest >= 15 && !view.isCollapsed ? min(10, rest * 2 / 5) : 0
      let mayHaveLog = !view.isCollapsed && view.page != .log
      var log = mayHaveLog ? rest - graph - max(leastListRows, view.listRows) : 0
      // The log shows when each action came, which the graph does not.
      if mayHaveLog, view.hasActions, log < framedPanelRows, log + graph >= framedPanelRows {
        (graph, log) = (0, log + graph)
      }
      placeGraphs(in: column.next(rows: graph), to: &placed)
      column.skip(rows: graph)
      guard log >= framedPanelRows else { break }
      column.add(.list, rows: column.rest - footer - log, to: &placed)
      return column.add(.log, rows: log, to: &placed)
    case .processes where view.detailRows > 0 && !view.isCollapsed:
      return placeDetails(&column, view, footer: footer, to: &placed)
    case .processes, .threads, .whySlow, .frames:
      let isShort = view.tab == .frames ? !view.hasFrames : view.listRows < rest
      let list = view.tab == .frames ? emptyFramesRows : view.listRows
      guard isShort, !view.isCollapsed, rest - list >= tabGraphRows else { break }
      placeGraphs(in: column.next(rows: rest - list), to: &placed)
      column.skip(rows: rest - list)
    }
    column.add(.list, rows: column.rest - footer, to: &placed)
  }

  /// Places the graphs, the list of a single process and the facts about it, which have what the others leave if that
  /// is too little for a graph.
  private static func placeDetails(
    _ column: inout WidgetColumn, _ view: PaneView, footer: Int, to placed: inout [PlacedWidget]
  ) {
    let rest = column.rest - footer
    let list = min(rest, view.listRows)
    let graph = rest - list - view.detailRows
    if graph >= tabGraphRows {
      placeGraphs(in: column.next(rows: graph), to: &placed)
      column.skip(rows: graph)
    }
    column.add(.list, rows: list, to: &placed)
    column.add(.processDetails, rows: column.rest - footer, to: &placed)
  }
}
