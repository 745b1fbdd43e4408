import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// The time range of a graph and the position of its parts. It is a grid of whole cells, so that columns keep their
/// shape when it scrolls.
struct GraphTimeRange {
  /// Whether there is an axis for the values.
  let hasAxis: Bool
  /// Whether there is an axis for the time; below the lowest graph of an overlay, the edge is the axis.
  let hasTimeAxis: Bool
  let hasHeading: Bool
  /// Whether a frame surrounds the columns and the labels of the values: its lower edge is the time axis, and the heading
  /// is in its upper edge.
  let hasFrame: Bool
  /// Whether a row below the columns shows the names of the phases.
  let hasBand: Bool
  /// Where the columns are drawn.
  let area: Rect
  /// The duration of a cell in nanoseconds.
  let cell: UInt64
  /// The start of the first cell and the end of the last one.
  let start: Instant
  let end: Instant
  /// The time at the cursor; `nil` while it follows the newest cell.
  private let cursor: Instant?
  private let hasCursor: Bool

  /// From this number of rows on a graph has a row for the names of the phases.
  static let bandRows = 3
  /// From this number of columns on a graph has a frame.
  private static let frameColumns = 40

  /// The time range of a graph in the layout. Only the memory graph has a band of phases.
  init(_ placed: PlacedWidget, _ history: History, _ state: HUDState) {
    let hasBand = placed.id == .memoryGraph && state.hasPhases
    self.init(placed.frame, history, state, hasBand: hasBand)
  }

  init(_ frame: Rect, _ history: History, _ state: HUDState, hasBand: Bool) {
    let axisColumns = GraphTimeRange.axisColumns(frame.rows, frame.columns, state.family)
    hasAxis = axisColumns > 0
    hasTimeAxis = hasAxis && state.family == .pane
    // In a large HUD over a program, which has two graphs, the time axis takes none of their rows.
    let isLarge = state.family == .overlay && Layout.isWideOverlay(frame.columns)
    hasHeading = GraphTimeRange.hasHeading(frame.rows + (isLarge ? 1 : 0))
    hasFrame = hasTimeAxis && hasHeading && frame.columns >= GraphTimeRange.frameColumns
    // The labels have the edge of a frame on the left, and no line on the right but a blank.
    let left = axisColumns + (hasFrame ? 1 : 0)
    let top = hasHeading ? 1 : 0
    let rows = frame.rows - top - (hasTimeAxis ? 1 : 0)
    self.hasBand = hasBand && rows >= GraphTimeRange.bandRows
    area = Rect(
      row: frame.row + top, column: frame.column + left,
      rows: rows - (self.hasBand ? 1 : 0), columns: frame.columns - left - (hasFrame ? 1 : 0))
    cell = state.graph.cellDuration
    let newest = GraphTimeRange.newestEnd(history, cell: cell)
    end = state.graph.chosenEnd.map { min($0, newest) } ?? state.graph.steadyEnd ?? newest
    cursor = state.graph.cursor
    hasCursor = state.graph.focus != nil
    start = end.advanced(byNanoseconds: -Int64(area.columns) * Int64(cell))
  }

  /// Whether a graph of this height has a row for its name and values.
  static func hasHeading(_ rows: Int) -> Bool { rows >= 5 }

  /// The end of the cell that contains the newest value.
  static func newestEnd(_ history: borrowing History, cell: UInt64) -> Instant {
    let elapsed = history.end.nanoseconds(since: history.start)
    return history.start.advanced(
      byNanoseconds: (max(0, elapsed - 1) / Int64(cell) + 1) * Int64(cell))
  }

  /// The end of a graph that follows the run.
  func newestEnd(_ history: borrowing History) -> Instant {
    GraphTimeRange.newestEnd(history, cell: cell)
  }

  /// The cell at the cursor, counted from 0; `nil` if there is none.
  var cursorCell: Int? {
    guard hasCursor, area.columns > 0 else { return nil }
    guard let cursor else { return area.columns - 1 }
    let offset = cursor.nanoseconds(since: start)
    let cell = offset / Int64(cell)
    return offset >= 0 && cell < Int64(area.columns) ? Int(cell) : nil
  }

  /// The time range of a cell.
  func stretch(_ index: Int) -> (from: Instant, to: Instant) {
    let from = start.advanced(byNanoseconds: Int64(index) * Int64(cell))
    return (from, from.advanced(byNanoseconds: Int64(cell)))
  }

  /// The extremes of a series in the visible part of the baseline.
  func extent(_ series: Series, _ baseline: GraphBaseline, _ run: borrowing Run) -> Extent {
    let anchor = baseline.anchor(in: run)
    var result = Extent.none
    for index in 0..<max(0, area.columns) {
      let (from, to) = stretch(index)
      result.merge(baseline.extent(series, from: from, to: to, anchor: anchor))
    }
    return result
  }

  /// The columns of the value axis, if there is room for one.
  static func axisColumns(_ rows: Int, _ columns: Int, _ family: HUDFamily) -> Int {
    switch family {
    case .pane: rows >= 3 && columns > axisWidth + 4 ? axisWidth : 0
    case .overlay: rows >= 2 && columns >= 3 * axisWidth ? axisWidth : 0
    }
  }

  /// The extremes of a series over the visible cells.
  func extent(_ series: Series, _ history: History) -> Extent {
    var result = Extent.none
    for index in 0..<max(0, area.columns) {
      let (from, to) = stretch(index)
      result.merge(history.extent(series, from: from, to: to))
    }
    return result
  }
}
