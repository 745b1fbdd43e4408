import Metrics
import PerfHUDBase
import Terminal

// The frame times as a graph, with a summary above.

/// Draws a column for each of the last frames, the newest on the right, and a summary in the first row.
func drawFrameTimes(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  guard frame.rows >= 1, frame.columns >= 8 else { return }
  guard let source = context.row?.fpsSource else {
    return drawEmpty(&canvas, frame, .frames, context)
  }
  var frame = frame
  // Below perfhud's own timer: a hint on how the program can report its frames.
  if source == .tick, frame.rows >= 5 {
    let foot = Rect(
      row: frame.endRow - 2, column: frame.column, rows: 2, columns: frame.columns)
    drawEmpty(&canvas, foot, .frames, context)
    frame.rows -= 2
  }
  drawFrameSummary(&canvas, frame, context)
  guard let frames = context.run.frames, frames.recentCount > 0, frame.rows >= 2 else { return }
  let area = Rect(
    row: frame.row + 1, column: frame.column + axisColumns, rows: frame.rows - 1,
    columns: frame.columns - axisColumns)
  let median = context.row?[.frameMedian].value ?? 16.7
  let style = context.state.graphStyle
  let perCell = style.columnsPerCell
  let shown = min(frames.recentCount, area.columns * perCell)
  var greatest = median
  for age in 0..<shown { greatest = max(greatest, frames.milliseconds(age) ?? 0) }
  let axis = Axis(low: 0, high: roundUp(greatest))
  drawMillisecondAxis(&canvas, area, axis, context)
  for cell in 0..<area.columns {
    // The newest frame is in the second half of the last cell.
    let newest = (area.columns - 1 - cell) * perCell
    let left = milliseconds(newest + perCell - 1, frames)
    let right = milliseconds(newest, frames)
    guard left != nil || right != nil else { continue }
    func steps(_ value: Double?) -> Int {
      guard let value else { return 0 }
      return GraphRasterizer.steps(Float(value), axis: axis, rows: area.rows, style: style)
    }
    let isSlow = isHitch(newest + perCell - 1, frames) || isHitch(newest, frames)
    for row in 0..<area.rows {
      let below = (area.rows - 1 - row) * style.stepsPerCell
      let glyph = GraphRasterizer.glyph(
        left: steps(left) - below, right: steps(right) - below, style: style)
      guard glyph != " " else { continue }
      // perfhud's own timer says nothing about the program, so it is dim.
      let role: Role = source == .tick ? .dim : isSlow ? .alert : .fps
      canvas.put(
        glyph, row: area.row + row, column: area.column + cell,
        style: role.shade(row: area.rows - 1 - row, of: area.rows))
    }
  }
  guard source != .tick else { return }
  drawFrameRateLine(&canvas, area, axis, rate: 60, context)
  drawFrameRateLine(&canvas, area, axis, rate: 30, context)
}

/// The least rows of a graph with lines at the frame times of 60 and 30 FPS.
private let rowsWithRateLines = 6

/// Draws a line just above frames that keep a rate, with the rate at its left end, or in the first gap that is wide
/// enough where longer frames cross the line. Without room for the rate there is no line, which would mean nothing.
private func drawFrameRateLine(
  _ canvas: inout Canvas, _ area: Rect, _ axis: Axis, rate: Int, _ context: DrawContext
) {
  guard area.rows >= rowsWithRateLines else { return }
  let style = context.state.graphStyle
  let steps = GraphRasterizer.steps(
    Float(1000 / Double(rate)), axis: axis, rows: area.rows, style: style)
  let below = (steps + style.stepsPerCell - 1) / style.stepsPerCell
  // Where a row is longer than the frame time, the line would be too high.
  guard axis.share(1000 / Double(rate)) <= 1, steps >= style.stepsPerCell, below < area.rows else {
    return
  }
  let row = area.endRow - 1 - below
  var text = ShortText()
  text.append(decimal: rate)
  text.append(" FPS")
  // There is a blank on both sides of the label.
  let width = text.count + 2
  var label: Range<Int>?
  var start = area.column
  for column in area.column..<area.endColumn {
    if !canvas.isGlyph(" ", row: row, column: column) { start = column + 1 }
    if label == nil, column + 1 - start == width { label = start..<column + 1 }
  }
  guard let label else { return }
  for column in area.column..<area.endColumn
  where !label.contains(column) && canvas.isGlyph(" ", row: row, column: column) {
    canvas.put(context.glyph("┄", "-"), row: row, column: column, role: .dim)
  }
  canvas.text(text, row: row, column: label.lowerBound + 1, role: .dim)
}

/// Columns of the axis and its line.
private let axisColumns = 6

private func milliseconds(_ age: Int, _ frames: FrameStatistics) -> Double? {
  age >= 0 && age < frames.recentCount ? frames.milliseconds(age) : nil
}

private func isHitch(_ age: Int, _ frames: FrameStatistics) -> Bool {
  age >= 0 && age < frames.recentCount && frames.isHitch(age)
}

/// The next of 5, 10, 20, 40, 60, 80, 100, 200, …
private func roundUp(_ value: Double) -> Double {
  guard value > 5 else { return 5 }
  var step = 10.0
  while true {
    for factor in [1.0, 2, 4, 6, 8] where value <= step * factor { return step * factor }
    step *= 10
  }
}

private func drawMillisecondAxis(
  _ canvas: inout Canvas, _ area: Rect, _ axis: Axis, _ context: DrawContext
) {
  let line = area.column - 1
  for row in area.row..<area.endRow {
    canvas.put(context.glyph("│", "|"), row: row, column: line, role: .frame)
  }
  var top = ShortText()
  top.append(axis.high, decimals: 0)
  top.append("ms")
  canvas.text(
    top, row: area.row, column: max(area.column - axisColumns, line - top.count), role: .dim)
  guard area.rows >= 3 else { return }
  canvas.text("0ms", row: area.endRow - 1, column: line - 3, role: .dim)
}

private func drawFrameSummary(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  // The column in which the rows of the other pages begin.
  var pen = RowPen(
    Rect(row: frame.row, column: frame.column + 1, rows: 1, columns: frame.columns - 1))
  guard let row = context.row, let source = row.fpsSource else { return }
  pen.text(
    source == .tick ? Word.hudTick.text(context.language) : source.key, .dim, on: &canvas)
  if row.drawsOnlyAfterKeys {
    // The times between keys say nothing about the program.
    if let value = row[.keyToFrame].value {
      let label = Word.keyToFrame.text(context.language)
      pen.pair(label, NumberFormat.milliseconds(value), gap: 1, on: &canvas)
    }
    if let value = row.keyToFrameP99.value {
      pen.pair("p99", NumberFormat.milliseconds(value), on: &canvas)
    }
    return drawUnchanged(&canvas, &pen, row, context)
  }
  if let value = row[.frameMedian].value {
    pen.pair("p50", NumberFormat.milliseconds(value), gap: 1, on: &canvas)
  }
  if let value = row[.frameP99].value {
    pen.pair("p99", NumberFormat.milliseconds(value), on: &canvas)
  }
  if let value = row.onePercentLow.value {
    var text = ShortText()
    text.append(value, decimals: value < 10 ? 1 : 0)
    text.append(" FPS")
    pen.pair(Word.onePercentLow.text(context.language), text, on: &canvas)
  }
  if let value = row[.hitches].value {
    var text = ShortText()
    text.append(value, decimals: 1)
    text.append(" ms/s")
    pen.pair(Word.hitches.text(context.language), text, on: &canvas)
  }
  drawUnchanged(&canvas, &pen, row, context)
}

/// Draws the share of written cells that had the same content before.
func drawUnchanged(_ canvas: inout Canvas, _ pen: inout RowPen, _ row: Row, _ context: DrawContext)
{
  guard let value = row[.unchangedCells].value else { return }
  pen.pair(Word.unchangedCells.text(context.language), NumberFormat.percent(value), on: &canvas)
}
