import Terminal

/// A part of the HUD.
public enum WidgetID: Int, CaseIterable, Sendable {
  case title
  case line
  case cpu
  case memory
  case fps
  case details
  case memoryGraph
  case cpuGraph
  case footer
  /// The edge of an overlay, with its name and its cost.
  case edge
  /// An overlay of one row.
  case strip
  /// What the program writes.
  case output
}

/// Where a widget lies.
public struct PlacedWidget: Equatable, Sendable {
  public let id: WidgetID
  public let frame: Rect
}

/// Which widgets a screen of a size shows, and where. Pure.
///
/// No size is refused. As rows shrink the CPU graph goes first, then the footer, the details, the memory
/// graph and the title; CPU, memory and FPS go last. One row shows them in one line.
public enum Layout {
  public static func place(in size: Size, family: HUDFamily = .pane) -> [PlacedWidget] {
    guard size.rows > 0, size.columns > 0 else { return [] }
    if family == .overlay { return placeOverlay(in: size) }
    var placed: [PlacedWidget] = []
    var row = 0
    func add(_ id: WidgetID, rows: Int) {
      guard rows > 0 else { return }
      placed.append(
        PlacedWidget(
          id: id, frame: Rect(row: row, column: 0, rows: rows, columns: size.columns)))
      row += rows
    }
    let rows = size.rows
    if rows == 1 {
      add(.line, rows: 1)
      return placed
    }
    if rows >= titleRows { add(.title, rows: 1) }
    add(.cpu, rows: 1)
    add(.memory, rows: 1)
    if rows >= 3 { add(.fps, rows: 1) }

    var rest = rows - row
    let footer = rows >= 11 ? 1 : 0
    rest -= footer
    let perRow = max(1, size.columns / detailWidth)
    // The last figure, the limit, stands beside the memory gauge too: it gets no row of its own.
    let wanted = (detailCount - 1 + perRow - 1) / perRow
    var details = rest < 5 ? 0 : min(wanted, max(1, (rest - 4) / 3))
    rest -= details
    let cpuGraph = rest >= 18 ? min(12, rest / 3) : 0
    rest -= cpuGraph
    if size.columns < detailWidth {
      rest += details
      details = 0
    }

    add(.details, rows: details)
    add(.memoryGraph, rows: rest)
    add(.cpuGraph, rows: cpuGraph)
    add(.footer, rows: footer)
    return placed
  }

  /// Rows from which on there is a title.
  public static let titleRows = 4
  /// Columns from which one row has room for the frame rate.
  public static let lineWithFrames = 34
  /// Columns of one figure among the details.
  public static let detailWidth = 21
  /// Figures among the details.
  public static let detailCount = 10
}
