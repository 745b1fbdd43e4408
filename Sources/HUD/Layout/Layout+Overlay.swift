import Terminal

/// The layouts of an overlay.
///
/// From five rows and 15 columns on it has a frame, whose upper edge is the title and whose lower edge is the time
/// axis, so the frame costs two columns and no rows. A smaller overlay is a block in reverse video.
extension Layout {
  /// Whether an overlay of the size has a frame; without one it is a block in reverse video.
  package static func isFramed(_ size: Size) -> Bool {
    size.rows >= framedRows && size.columns >= framedColumns
  }

  /// The rows for three gauges between the edges.
  static let framedRows = 5
  /// The columns for a label and a value between the edges.
  private static let framedColumns = 15
  /// Whether the columns between the edges have room for a grid (`OverlayGrid`).
  static func isWideOverlay(_ columns: Int) -> Bool {
    rowColumns(columns) >= OverlayGrid.least
  }
  /// The least columns between the edges for a blank at both ends of a row.
  private static let paddedColumns = 28
  /// Whether rows between the edges have a blank at both ends.
  static func isPadded(_ columns: Int) -> Bool { columns >= paddedColumns }
  /// The columns of a row without these blanks.
  static func rowColumns(_ columns: Int) -> Int { isPadded(columns) ? columns - 2 : columns }
  /// The least columns of a single row with the frame rate.
  package static let stripWithFrames = 20
  /// The least columns of a block with caps at its ends.
  static let capColumns = 24

  /// The least rows for a row with details below the four rows with a gauge each.
  private static let detailRows = 14
  /// The least rows for a graph of CPU above that of memory.
  private static let cpuGraphRows = 16

  static func placeOverlay(in size: Size) -> [PlacedWidget] {
    isFramed(size) ? placeFramed(in: size) : placeBlock(in: size)
  }

  /// As rows shrink, the CPU graph goes first, then the details, the output and the memory graph. The graphs are in the
  /// order of the gauges; the lower edge is the time axis of the memory graph.
  private static func placeFramed(in size: Size) -> [PlacedWidget] {
    var column = WidgetColumn(
      Rect(row: 1, column: 1, rows: size.rows - 2, columns: size.columns - 2))
    var placed = [PlacedWidget(id: .edge, frame: Rect(size))]
    let columns = size.columns - 2
    let inset = (columns - rowColumns(columns)) / 2
    column.add(.cpu, rows: 1, inset: inset, to: &placed)
    column.add(.memory, rows: 1, inset: inset, to: &placed)
    column.add(.fps, rows: 1, inset: inset, to: &placed)
    column.add(.output, rows: column.rest >= 4 ? 1 : 0, inset: inset, to: &placed)
    let hasDetails = size.rows >= detailRows && isWideOverlay(columns)
    column.add(.details, rows: hasDetails ? 1 : 0, inset: inset, to: &placed)
    let cpuGraph = size.rows >= cpuGraphRows ? min(12, column.rest / 2) : 0
    column.add(.cpuGraph, rows: cpuGraph, to: &placed)
    column.add(.memoryGraph, rows: column.rest, to: &placed)
    return placed
  }

  private static func placeBlock(in size: Size) -> [PlacedWidget] {
    let cap = size.columns >= capColumns ? 1 : 0
    var column = WidgetColumn(
      Rect(row: 0, column: cap, rows: size.rows, columns: size.columns - 2 * cap))
    var placed: [PlacedWidget] = []
    if size.rows == 1 || (size.rows == 2 && size.columns >= stripWithFrames) {
      column.add(.strip, rows: 1, to: &placed)
    } else {
      column.add(.title, rows: size.rows >= titleRows ? 1 : 0, to: &placed)
      column.add(.cpu, rows: 1, to: &placed)
      column.add(.memory, rows: 1, to: &placed)
      column.add(.fps, rows: size.rows >= 3 ? 1 : 0, to: &placed)
    }
    column.add(.memoryGraph, rows: column.rest, to: &placed)
    return placed
  }
}

/// A rectangle whose rows are assigned from the top.
struct WidgetColumn {
  let frame: Rect
  /// The remaining rows.
  private(set) var rest: Int

  init(_ frame: Rect) {
    self.frame = frame
    rest = frame.rows
  }

  /// - Parameter inset: the columns that stay blank at both ends.
  mutating func add(
    _ id: WidgetID, rows: Int, inset: Int = 0, to placed: inout [PlacedWidget]
  ) {
    guard rows > 0 else { return }
    placed.append(
      PlacedWidget(
        id: id,
        frame: Rect(
          row: frame.endRow - rest, column: frame.column + inset, rows: rows,
          columns: frame.columns - 2 * inset)))
    rest -= rows
  }

  /// Takes the next rows, in all columns.
  func next(rows: Int) -> Rect {
    Rect(
      row: frame.endRow - rest, column: frame.column, rows: rows, columns: frame.columns)
  }

  /// Skips rows that have been placed otherwise.
  mutating func skip(rows: Int) { rest -= rows }
}
