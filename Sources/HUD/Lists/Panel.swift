import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The parts of a layout in a full-screen view that are lists or tables: their frames and headings.

/// Whether a list or a part of a layout in a full-screen view has a frame, not only a heading.
func hasPanelFrame(_ size: Size) -> Bool {
  size.rows >= Layout.framedPanelRows && size.columns >= 24
}

/// Draws a page as part of a layout: its heading and its first rows, without a selection.
func drawPage(_ canvas: inout Canvas, _ frame: Rect, _ page: ListPage, _ context: DrawContext) {
  guard frame.rows >= 1, frame.columns >= 4 else { return }
  var (inner, title) = drawPanelEdge(
    &canvas, frame, page.frameRole, hasFrame: context.listHasFrame ?? hasPanelFrame(frame.size),
    context)
  guard page != .frames else {
    drawPageTitle(&canvas, title, page, context)
    return drawFrameTimes(&canvas, inner, context)
  }
  var rows = PageRows(page, context, columns: inner.columns - 1)
  let count = rows.count
  // In a low part the column headings are on the line with its name, where those of processes have no room, and mappings
  // have only the value that the title names.
  let isLow = inner.rows < Layout.lowPartRows && page != .processes
  if !isLow, rows.hasHeads(in: inner.rows), count > 0 {
    drawHeads(&canvas, &inner, rows, context)
  }
  rows.visibleRows = inner.rows
  rows.isBrief = isLow
  // The log is read from the end.
  let first = page == .log ? max(0, count - inner.rows) : 0
  let shown = min(inner.rows, count)
  let seen = RowsSeen(first..<first + shown, count: count, total: rows.total)
  let isPhases = page == .phases && rows.hasHeads
  let hasHeads = isLow && (page == .threads || isPhases) && count > 0
  drawPageTitle(&canvas, title, page, seen: hasHeads ? nil : seen, context)
  guard count > 0 else { return drawEmpty(&canvas, inner, page, context) }
  if hasHeads { drawHeadsInLine(&canvas, title, inner.column + 1, page, rows, context) }
  for line in 0..<shown {
    canvas.line.clear()
    rows.write(first + line, to: &canvas.line)
    drawListLine(&canvas, inner.row + line, inner.column + 1, inner.endColumn, [], context)
  }
}

/// Draws the frame of a part of a layout, or only a line above it if there is little room.
///
/// - Returns: the area inside, and that of the name.
private func drawPanelEdge(
  _ canvas: inout Canvas, _ frame: Rect, _ role: Role, hasFrame: Bool, _ context: DrawContext
) -> (inner: Rect, title: Rect) {
  let title = titleLine(of: frame)
  guard hasFrame else {
    canvas.fill(
      context.glyph("─", "-"), row: frame.row, column: frame.column, count: frame.columns,
      role: .frame)
    let inner = Rect(
      row: frame.row + 1, column: frame.column, rows: frame.rows - 1, columns: frame.columns)
    return (inner, title)
  }
  drawBorder(&canvas, frame, role: role, context)
  let inner = Rect(
    row: frame.row + 1, column: frame.column + 1, rows: frame.rows - 2, columns: frame.columns - 2)
  return (inner, title.afterCorner)
}

extension Rect {
  /// The area of a name in the upper edge of a frame, with a part of the edge before it.
  var afterCorner: Rect {
    Rect(row: row, column: column + 1, rows: rows, columns: columns - 1)
  }
}

/// Draws the frame of a part of a layout with its name, or only a line; returns the area inside.
///
/// - Parameter hasFrame: whether it has a frame; `nil` if its size decides.
func drawPanel(
  _ canvas: inout Canvas, _ frame: Rect, _ name: StaticString, _ role: Role,
  hasFrame: Bool? = nil, _ context: DrawContext
) -> Rect {
  let (inner, title) = drawPanelEdge(
    &canvas, frame, role, hasFrame: hasFrame ?? hasPanelFrame(frame.size), context)
  drawInset(&canvas, title, name, .title)
  return inner
}

/// Draws a note after the name of a part of a layout, if there is room.
func drawPanelNote(
  _ canvas: inout Canvas, _ frame: Rect, after name: StaticString, _ note: Word,
  _ context: DrawContext
) {
  let line = titleLine(of: frame)
  let hasFrame = context.listHasFrame ?? hasPanelFrame(frame.size)
  let title = hasFrame ? line.afterCorner : line
  var column = title.column + Canvas.width(name)
  drawPageNote(&canvas, title, &column, note, context)
}

/// The part of the upper edge of a frame that may have a name.
private func titleLine(of frame: Rect) -> Rect {
  Rect(row: frame.row, column: frame.column + 2, rows: 1, columns: frame.columns - 4)
}
