import Terminal

/// The standard overview: the graphs of CPU and memory, equally large, and below them panels side by side: what the
/// memory consists of, the threads, and what holds the program back.
extension Layout {
  /// Columns between two graphs that are next to each other.
  private static let graphGap = 2
  /// Columns between two panels that are next to each other: frames separate them as well.
  static func panelGap(rows: Int) -> Int { rows >= framedPanelRows ? 1 : 2 }
  /// From this number of rows on a panel or a list has a frame, not only a heading.
  static let framedPanelRows = 9
  /// The least columns of a memory tab with the parts of memory next to the graph.
  static let memoryPartsBeside = 70
  /// From this number of columns on both graphs are next to each other, whatever the rows.
  private static let graphColumns = 150
  /// The least columns for graphs that are next to each other, and the rows from which they are stacked instead.
  private static let leastGraphColumns = 35
  private static let stackedRows = 12
  /// The least rows for the columns of graphs that leave others to lists, to be equal.
  private static let leastEqualRows = 7
  /// The least rows of graphs that leave theirs to lists.
  static let lowGraphRows = 7
  /// The least columns for two panels, and for three.
  private static let twoPanels = 40
  private static let threePanels = 72
  /// The least columns for three panels of which one has the processes.
  private static let roomyPanels = 100
  /// The columns of panels without a frame in which nothing is cut: the parts of memory; threads with their numbers and
  /// names of six columns; the reasons with the shorter words for pressure on the machine.
  private static let leastMemoryColumns = 22
  private static let leastThreadColumns = 27
  private static let leastReasonColumns = 27
  /// The rows that are enough for everything about memory and about what holds a program back.
  private static let panelRows = 13

  /// The rows from which panels have others below them, and those of the parts of memory with their frame.
  private static let highPanelRows = panelRows + 5
  static let memoryRows = 11

  /// The least rows below a short list of threads or processes: a heading and three phases, without a frame; a frame and
  /// a graph; a frame and four facts.
  private static let leastPhaseRows = 4
  private static let leastStorageRows = 6
  private static let leastFactRows = 6
  /// The least rows of a log below the phases, without a frame: a heading and two lines.
  private static let leastLogRows = 3
  /// The rows of a panel, with its heading, that does not grow with its content.
  static let shortPanelRows = panelRows

  static func placeStandard(in frame: Rect, _ view: PaneView, to placed: inout [PlacedWidget]) {
    guard !frame.isEmpty else { return }
    var panels = panelRows(rows: frame.rows, columns: frame.columns, view)
    if panels > 0 {
      panels += rowsLeft(byGraphsIn: frame.rows - panels, columns: frame.columns, view)
    }
    let graphs = Rect(
      row: frame.row, column: frame.column, rows: frame.rows - panels, columns: frame.columns)
    placeGraphs(in: graphs, to: &placed)
    guard panels > 0 else { return }
    let area = Rect(
      row: frame.endRow - panels, column: frame.column, rows: panels, columns: frame.columns)
    let gap = panelGap(rows: panels)
    let first = placed.count
    let list = list(rows: panels, view)
    place(panelWidths(frame.columns, gap: gap, list), in: area, gap: gap, to: &placed)
    if let list, let index = placed[first...].firstIndex(where: { $0.id == list }) {
      placeBelow(index, view, to: &placed)
    }
    if view.hasLog, let index = placed[first...].firstIndex(where: { $0.id == .phases }) {
      placeLog(below: index, view, to: &placed)
    }
    if panels >= highPanelRows, areSideBySide(rows: graphs.rows, columns: graphs.columns) {
      fillHighPanels(from: first, list, view, to: &placed)
    }
  }

  /// Gives the rows that the parts of memory and the reasons leave in high panels to facts about the process, and to
  /// frames or the log.
  private static func fillHighPanels(
    from first: Int, _ list: WidgetID?, _ view: PaneView, to placed: inout [PlacedWidget]
  ) {
    func index(of id: WidgetID) -> Int? { placed[first...].firstIndex { $0.id == id } }
    if list == .threads || list == .processes, index(of: .processDetails) == nil,
      let parts = index(of: .memoryParts)
    {
      // With the rates of page faults.
      let rows = memoryRows + (view.hasFrames ? 2 : 0)
      if placed[parts].frame.rows - rows >= leastFactRows {
        split(parts, rows: rows, .processDetails, hasFrame: true, in: &placed)
      }
    }
    let below: WidgetID? =
      view.hasFrames ? .frames : view.hasLog && index(of: .log) == nil ? .log : nil
    if let below, let reasons = index(of: .bottlenecks) {
      split(reasons, rows: panelRows, below, hasFrame: true, in: &placed)
    }
  }

  /// Places the log in the rows that a short list of phases leaves.
  private static func placeLog(
    below index: Int, _ view: PaneView, to placed: inout [PlacedWidget]
  ) {
    let frame = placed[index].frame
    let hasFrame = placed[index].hasFrame ?? hasPanelFrame(frame.size)
    let heads = view.phaseRows < lowPartRows ? 0 : 1
    let rows = view.phaseRows + heads + (hasFrame ? 2 : 1)
    let rest = frame.rows - rows
    guard view.phaseRows > 0, rest >= leastLogRows + (hasFrame ? 1 : 0) else { return }
    split(index, rows: rows, .log, hasFrame: hasFrame, in: &placed)
  }

  /// Gives the last rows of a part to another one.
  static func split(
    _ index: Int, rows: Int, _ below: WidgetID, hasFrame: Bool, in placed: inout [PlacedWidget]
  ) {
    let frame = placed[index].frame
    placed[index] = PlacedWidget(
      id: placed[index].id,
      frame: Rect(row: frame.row, column: frame.column, rows: rows, columns: frame.columns),
      hasFrame: hasFrame)
    placed.append(
      PlacedWidget(
        id: below,
        frame: Rect(
          row: frame.row + rows, column: frame.column, rows: frame.rows - rows,
          columns: frame.columns),
        hasFrame: hasFrame))
  }

  /// The list of the panels. In a low panel a list of a single thread would take the room of something else, and say
  /// nothing that the gauges do not.
  private static func list(rows: Int, _ view: PaneView) -> WidgetID? {
    guard view.panel == .threads, view.threadRows == 1, rows < panelRows else { return view.panel }
    return view.belowList == .phases ? .phases : nil
  }

  /// Places phases, the graph of reads and writes, the log or facts about the process in the rows that a short list of
  /// threads or processes leaves.
  private static func placeBelow(
    _ index: Int, _ view: PaneView, to placed: inout [PlacedWidget]
  ) {
    let (frame, list) = (placed[index].frame, placed[index].id)
    let hasFrame = hasPanelFrame(frame.size)
    let listed = list == .threads ? view.threadRows : list == .processes ? view.processRows : 0
    guard listed > 0 else { return }
    let heads = list == .processes || listed >= lowPartRows ? 1 : 0
    let rows = listed + heads + (hasFrame ? 2 : 1)
    let rest = frame.rows - rows
    switch view.belowList {
    case .phases where rest >= leastPhaseRows + (hasFrame ? 1 : 0): break
    case .storageGraph
    where hasFrame && rest >= leastStorageRows && frame.columns >= leastGraphColumns:
      break
    case .processDetails
    where hasFrame && rest >= leastFactRows && frame.columns >= leastGraphColumns:
      break
    case .log where rest >= leastLogRows + (hasFrame ? 1 : 0): break
    default: return
    }
    guard let below = view.belowList else { return }
    split(index, rows: rows, below, hasFrame: hasFrame, in: &placed)
  }

  /// Places the graphs of CPU and memory with equal sizes, or only memory if there is no room for both.
  static func placeGraphs(in frame: Rect, to placed: inout [PlacedWidget]) {
    guard !frame.isEmpty else { return }
    guard areSideBySide(rows: frame.rows, columns: frame.columns) else {
      // Below eight rows one graph is better than two that show nothing.
      var column = WidgetColumn(frame)
      column.add(.cpuGraph, rows: frame.rows >= 8 ? frame.rows / 2 : 0, to: &placed)
      column.add(.memoryGraph, rows: column.rest, to: &placed)
      return
    }
    let left = (frame.columns - graphGap + 1) / 2
    place(
      [(.cpuGraph, left), (.memoryGraph, frame.columns - graphGap - left)], in: frame,
      gap: graphGap, to: &placed)
  }

  /// The rows that graphs one below the other leave if both have equal numbers of rows for their columns, and odd ones, so
  /// that there is one for the label halfway. Low graphs leave none.
  private static func rowsLeft(byGraphsIn rows: Int, columns: Int, _ view: PaneView) -> Int {
    guard !areSideBySide(rows: rows, columns: columns) else { return 0 }
    // The headings, the time axes and the names of the phases.
    let edges = 4 + (view.hasPhases ? 1 : 0)
    var height = (rows - edges) / 2
    if height.isMultiple(of: 2) { height -= 1 }
    return height >= leastEqualRows ? rows - edges - 2 * height : 0
  }

  private static func areSideBySide(rows: Int, columns: Int) -> Bool {
    columns >= graphColumns || (columns >= leastGraphColumns && rows < stackedRows)
  }

  /// The rows of the panels. As rows grow, the panels get theirs first, then the graphs grow with them. Where few rows
  /// would hide most of the lists, these get rows of the graphs, which are then side by side.
  private static func panelRows(rows: Int, columns: Int, _ view: PaneView) -> Int {
    guard columns >= twoPanels else { return rows >= 13 ? 5 : 0 }
    guard rows >= 9 else { return 0 }
    // Next to each other, graphs are high enough before they have all the rows that panels can fill.
    let fillsHighPanels =
      columns >= graphColumns && rows * 2 / 5 >= highPanelRows
      && (view.panel == .threads || view.panel == .processes || view.hasFrames || view.hasLog)
    let most = view.hasLongPanel || fillsHighPanels ? max(panelRows, rows * 2 / 5) : panelRows
    let share = rows < 18 ? 4 + (rows - 9) / 7 : min(rows - stackedRows, max(5, rows * 2 / 5))
    guard columns >= threePanels else { return min(most, share) }
    // Processes have a frame and headings of their columns.
    let wanted =
      view.panel == .processes ? min(panelRows, view.processRows + 3) : framedPanelRows - 1
    return max(min(most, share), min(wanted, rows - lowGraphRows))
  }

  /// The panels and their columns.
  private static func panelWidths(
    _ columns: Int, gap: Int, _ list: WidgetID?
  ) -> [(id: WidgetID, columns: Int)] {
    guard columns >= twoPanels else { return [(.memoryParts, columns)] }
    guard columns >= threePanels, let list else {
      let left = (columns - gap) / 2
      return [(.memoryParts, left), (list ?? .bottlenecks, columns - gap - left)]
    }
    // A frame takes two columns more than the margin of a panel without one.
    let frame = gap == 1 ? 2 : 0
    // Command lines need the room of the parts of memory, which have a tab.
    if list == .processes, columns < roomyPanels {
      let reasons = leastReasonColumns + frame
      return [(list, columns - gap - reasons), (.bottlenecks, reasons)]
    }
    let memory = min(48, max(leastMemoryColumns + frame, columns * 3 / 11))
    // Once the threads have their numbers, the reasons get whole names.
    let rest = columns - 2 * gap - memory - (leastThreadColumns + frame)
    let reasons = min(64, max(25, columns * 4 / 13, min(leastReasonColumns + frame, rest)))
    return [
      (.memoryParts, memory), (list, columns - 2 * gap - memory - reasons),
      (.bottlenecks, reasons),
    ]
  }

  /// Places parts side by side, with a gap between them.
  static func place(
    _ parts: [(id: WidgetID, columns: Int)], in frame: Rect, gap: Int,
    to placed: inout [PlacedWidget]
  ) {
    var column = frame.column
    for part in parts where frame.rows > 0 {
      placed.append(
        PlacedWidget(
          id: part.id,
          frame: Rect(row: frame.row, column: column, rows: frame.rows, columns: part.columns)))
      column += part.columns + gap
    }
  }
}
