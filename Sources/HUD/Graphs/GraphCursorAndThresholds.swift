import Metrics
import PerfHUDBase
import Terminal

// Thresholds, the baseline and the cursor, drawn over the columns of a graph.

/// Draws thresholds, baseline and cursor over the columns.
func drawGraphMarks(
  _ canvas: inout Canvas, _ frame: Rect, _ timeRange: GraphTimeRange, _ series: Series,
  _ axis: Axis,
  _ context: DrawContext
) {
  guard timeRange.hasAxis, axis.high > axis.low else { return }
  for index in context.state.axes.thresholds.indices
  where context.state.axes.thresholds[index].series == series {
    drawThreshold(&canvas, timeRange, context.state.axes.thresholds[index], axis, context)
  }
  if let baseline = context.state.graph.baseline {
    drawBaseline(&canvas, timeRange, baseline, series, axis, context)
  }
  drawCursor(&canvas, frame, timeRange, context)
}

/// Draws a line across the graph with its value at the left end, over the oldest columns, if the value is on the axis.
private func drawThreshold(
  _ canvas: inout Canvas, _ timeRange: GraphTimeRange, _ threshold: GraphThreshold, _ axis: Axis,
  _ context: DrawContext
) {
  let area = timeRange.area
  let share = axis.share(threshold.value)
  guard share > 0, share <= 1, area.rows > 0 else { return }
  let row = area.endRow - 1 - min(area.rows - 1, Int(share * Double(area.rows)))
  // The upper ends of the columns stay: the line passes only through cells with more of their column above them.
  let style = context.state.graphStyle
  let full = GraphRasterizer.glyph(
    left: style.stepsPerCell, right: style.stepsPerCell, style: style)
  for column in area.column..<area.endColumn {
    let isInside =
      row > area.row && canvas.isGlyph(full, row: row, column: column)
      && !canvas.isGlyph(" ", row: row - 1, column: column)
    guard isInside || canvas.isGlyph(" ", row: row, column: column) else { continue }
    canvas.put(context.glyph("╌", "-"), row: row, column: column, role: .alert)
  }
  let valueText =
    threshold.series == .cpu
    ? NumberFormat.percent(threshold.value / context.cpuScale)
    : NumberFormat.bytes(threshold.value)
  let text = valueText.trimmed
  guard text.count + 2 <= area.columns else { return }
  canvas.put(" ", row: row, column: area.column)
  let end = canvas.text(text, row: row, column: area.column + 1, role: .alert)
  canvas.put(" ", row: row, column: end)
}

/// Draws the baseline: the upper end of each of its columns, as a dim line.
private func drawBaseline(
  _ canvas: inout Canvas, _ timeRange: GraphTimeRange, _ baseline: GraphBaseline, _ series: Series,
  _ axis: Axis, _ context: DrawContext
) {
  let area = timeRange.area
  let style = context.state.graphStyle
  let anchor = baseline.anchor(in: context.run)
  func steps(_ from: Instant, _ to: Instant) -> Int {
    let extent = baseline.extent(series, from: from, to: to, anchor: anchor)
    return extent.isEmpty
      ? 0 : GraphRasterizer.steps(extent.max, axis: axis, rows: area.rows, style: style)
  }
  for cell in 0..<max(0, area.columns) {
    let (from, to) = timeRange.stretch(cell)
    let middle = from.advanced(byNanoseconds: Int64(timeRange.cell) / 2)
    let left = steps(from, style.columnsPerCell == 2 ? middle : to)
    let right = style.columnsPerCell == 2 ? steps(middle, to) : left
    guard left > 0 || right > 0 else { continue }
    for row in 0..<area.rows {
      let below = (area.rows - 1 - row) * style.stepsPerCell
      let glyph = GraphRasterizer.line(left: left - below, right: right - below, style: style)
      guard glyph != " " else { continue }
      canvas.put(glyph, row: area.row + row, column: area.column + cell, role: .dim)
    }
  }
}

/// Draws a line through the column of the cursor, and an arrow on the time axis.
private func drawCursor(
  _ canvas: inout Canvas, _ frame: Rect, _ timeRange: GraphTimeRange, _ context: DrawContext
) {
  guard let cell = timeRange.cursorCell else { return }
  let area = timeRange.area
  let column = area.column + cell
  for row in area.row..<area.endRow {
    // Half of a wide character cannot stay.
    let cell = canvas.grid[row, column]
    let there = cell.width == 1 ? Unicode.Scalar(cell.scalarValue) ?? " " : " "
    canvas.put(
      there == " " ? context.glyph("│", "|") : there, row: row, column: column, role: .mark)
  }
  // A graph that follows the process has its labels there, and one of them is below the newest cell.
  guard timeRange.hasTimeAxis, context.state.graph.chosenEnd != nil else { return }
  canvas.put(context.glyph("▲", "^"), row: frame.endRow - 1, column: column, role: .mark)
}

/// Draws the name of a graph, after an arrow while the graph has the focus.
func drawGraphName(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ name: StaticString, _ id: WidgetID,
  _ context: DrawContext
) {
  if context.state.graph.focus == id { pen.text(">", .mark, on: &canvas) }
  let color: Role = id == .cpuGraph ? .cpuLabel : .memoryLabel
  pen.text(name, context.isOverlay ? color : .label, on: &canvas)
  guard context.state.graph.isLog else { return }
  pen.text(Word.logScale.text(context.language), .dim, gap: 1, on: &canvas)
}

/// Draws value, time and extremes of the cell at the cursor.
///
/// - Returns: whether there is a cursor.
func drawCursorValues(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ timeRange: GraphTimeRange, _ series: Series,
  _ format: (Double) -> ShortText, _ context: DrawContext
) -> Bool {
  guard let cell = timeRange.cursorCell else { return false }
  let (from, to) = timeRange.stretch(cell)
  let extent = context.run.history.extent(series, from: from, to: to)
  if extent.isEmpty {
    pen.text(context.dashText, .dim, gap: 2, on: &canvas)
  } else {
    pen.text(format(Double(extent.max)), .mark, gap: 1, on: &canvas)
  }
  pen.text(clockTime(of: from, context.run), gap: 2, on: &canvas)
  if let phase = context.run.phases.index(from: from, to: to), pen.room >= 8 {
    let width = min(pen.room - 2, context.phaseWidth(phase))
    pen.column = drawPhase(
      &canvas, phase, row: pen.row, column: pen.column + 2, width: width, context)
  }
  guard !extent.isEmpty, extent.min != extent.max else { return true }
  pen.pair(Word.least.text(context.language), format(Double(extent.min)), on: &canvas)
  pen.pair(Word.mean.text(context.language), format(Double(extent.mean)), on: &canvas)
  return true
}
