import Metrics
import PerfHUDBase
import Sampler
import Terminal

// How the axes of a graph are drawn: values on the left, time at the bottom.

/// Columns of the axis labels and the axis line.
let axisWidth = 6

/// Draws both axes of a graph, and the other edges of its frame if it has one.
///
/// - Parameter role: The color of their lines.
func drawAxes(
  _ canvas: inout Canvas, _ frame: Rect, _ timeRange: GraphTimeRange, _ axis: Axis, role: Role,
  _ label: (Double) -> ShortText, _ context: DrawContext
) {
  let values = Rect(
    row: timeRange.area.row, column: frame.column, rows: timeRange.area.rows,
    columns: timeRange.area.column - frame.column)
  // The column of the line between the labels and the columns, or of the left edge of a frame around both.
  let left = timeRange.hasFrame ? frame.column : values.endColumn - 1
  for row in values.row..<values.endRow + (timeRange.hasBand ? 1 : 0) {
    canvas.put(context.glyph("│", "|"), row: row, column: left, role: role)
  }
  // An interrupted line shows that the axis does not begin at 0.
  if axis.isInterrupted, values.rows > 1 {
    canvas.put(context.glyph("┊", ":"), row: values.endRow - 1, column: left, role: role)
  }
  drawValueLabels(&canvas, values, axis, hasFrame: timeRange.hasFrame, role: role, label, context)
  if timeRange.hasFrame { drawRightEdge(&canvas, frame, timeRange, role: role, context) }
  if timeRange.hasTimeAxis {
    let row = frame.endRow - 1
    let corner: Unicode.Scalar = timeRange.hasFrame ? "╰" : "└"
    canvas.put(context.glyph(corner, "+"), row: row, column: left, role: role)
    canvas.fill(
      context.glyph("─", "-"), row: row, column: left + 1,
      count: timeRange.area.endColumn - left - 1, role: role)
    let columns = timeRange.area.column..<timeRange.area.endColumn
    if context.state.graph.chosenEnd != nil {
      drawClockTimes(&canvas, row: row, columns: columns, timeRange, context)
    } else {
      drawTimes(&canvas, row: row, columns: columns, cell: timeRange.cell, context)
    }
  }
}

/// Draws the upper edge of a graph's frame, around the heading, if the graph has a frame.
///
/// - Parameter headingEnd: The column after the heading.
func drawUpperEdge(
  _ canvas: inout Canvas, _ frame: Rect, _ timeRange: GraphTimeRange, headingEnd: Int, role: Role,
  _ context: DrawContext
) {
  guard timeRange.hasFrame else { return }
  let row = frame.row
  let line = context.glyph("─", "-")
  canvas.put(context.glyph("╭", "+"), row: row, column: frame.column, role: role)
  canvas.put(line, row: row, column: frame.column + 1, role: role)
  let start = headingEnd + 1
  canvas.fill(line, row: row, column: start, count: frame.endColumn - 1 - start, role: role)
  canvas.put(context.glyph("╮", "+"), row: row, column: frame.endColumn - 1, role: role)
}

/// Draws the right edge of a graph's frame.
private func drawRightEdge(
  _ canvas: inout Canvas, _ frame: Rect, _ timeRange: GraphTimeRange, role: Role,
  _ context: DrawContext
) {
  let right = timeRange.area.endColumn
  for row in timeRange.area.row..<frame.endRow - 1 {
    canvas.put(context.glyph("│", "|"), row: row, column: right, role: role)
  }
  canvas.put(context.glyph("╯", "+"), row: frame.endRow - 1, column: right, role: role)
}

/// Draws the labels of the values. In a frame a blank follows them; elsewhere each has a tick on the axis line.
private func drawValueLabels(
  _ canvas: inout Canvas, _ area: Rect, _ axis: Axis, hasFrame: Bool, role: Role,
  _ label: (Double) -> ShortText, _ context: DrawContext
) {
  let line = area.endColumn - 1
  let first = area.column + (hasFrame ? 1 : 0)
  // The highest label is level with the highest dots, the lowest one with the lowest dots. Others are as far apart as the
  // values say, or left out.
  let parts = axis.labeledParts(rows: area.rows) { isRound(label($0)) }
  let last = area.rows - 1
  for part in 0...(last == 0 ? 0 : parts) {
    let row = (last * part + parts / 2) / parts
    let text = label(axis.value(atPart: parts - part, of: parts))
    canvas.text(text, row: area.row + row, column: max(first, line - text.count), role: .dim)
    // The interruption of an axis line stays visible.
    let hasTick = !hasFrame && (row < last || !axis.isInterrupted)
    if hasTick {
      canvas.put(context.glyph("┤", "+"), row: area.row + row, column: line, role: role)
    }
  }
}

/// Whether a label is a whole number, or half a unit of bytes: `50%`, `1.5M`.
private func isRound(_ label: ShortText) -> Bool {
  for index in 0..<label.count where label[index] == UInt8(ascii: ".") {
    return index + 3 == label.count && label[index + 1] == UInt8(ascii: "5")
      && label[index + 2] != UInt8(ascii: "%")
  }
  return true
}

extension DrawContext {
  /// What the newest end of an axis is called.
  var newestWord: Word { run.ended == nil ? .now : .end }
}

/// Draws how long ago the cells of a graph were, on a line in the graph's columns, but not before the column `first`.
///
/// Each label ends where its time is, as `now` does, so that the ends of all are equally far apart.
func drawTimes(
  _ canvas: inout Canvas, row: Int, columns: Range<Int>, from first: Int = 0, cell: UInt64,
  _ context: DrawContext
) {
  let end = columns.upperBound
  let now = context.newestWord.text(context.language)
  let nowColumn = end - Canvas.width(now)
  if nowColumn >= max(columns.lowerBound, first) {
    canvas.text(now, row: row, column: nowColumn, role: .dim)
  }
  let spacing = columns.count >= 60 ? 20 : 10
  var back = spacing
  while back <= columns.count - 3 {
    var text = ShortText()
    text.append("-")
    text.append(NumberFormat.duration(seconds: Double(cell) * 1e-9 * Double(back)))
    let column = end - back - text.count
    if column >= max(first, columns.lowerBound), end - back < nowColumn {
      canvas.text(text, row: row, column: column, role: .dim)
    }
    back += spacing
  }
}

/// Draws times of day below a graph that does not end at the present.
func drawClockTimes(
  _ canvas: inout Canvas, row: Int, columns: Range<Int>, _ timeRange: GraphTimeRange,
  _ context: DrawContext
) {
  let spacing = 20
  var back = 8
  while back <= columns.count {
    let column = columns.upperBound - back
    // Not below the arrow of the cursor.
    let cursor = timeRange.cursorCell.map { columns.lowerBound + $0 }
    defer { back += spacing }
    if let cursor, cursor >= column - 1, cursor <= column + 8 { continue }
    let (from, _) = timeRange.stretch(column - columns.lowerBound)
    canvas.text(clockTime(of: from, context.run), row: row, column: column, role: .dim)
  }
}
