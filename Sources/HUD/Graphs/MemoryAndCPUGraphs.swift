import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The graphs over time: memory and CPU.

@Sendable func drawMemoryGraph(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let timeRange = GraphTimeRange(
    frame, context.run.history, context.state, hasBand: context.state.hasPhases)
  let axis = context.state.memoryAxis
  drawGraph(&canvas, timeRange, series: .memory, axis: axis, role: .memory, context)
  drawLimit(&canvas, timeRange, axis, context)
  drawPhaseBand(&canvas, timeRange, context)
  if timeRange.hasAxis { drawAxes(&canvas, frame, timeRange, axis, NumberFormat.axis, context) }
  drawGraphMarks(&canvas, frame, timeRange, .memory, axis, context)
  guard timeRange.hasHeading else { return }
  let name: StaticString =
    switch context.run.header.memory {
    case .footprint: "MEM footprint"
    case .rss: "MEM rss"
    case .pss: "MEM pss"
    }
  var pen = RowPen(frame)
  drawGraphName(&canvas, &pen, name, .memoryGraph, context)
  if drawCursorValues(&canvas, &pen, timeRange, .memory, NumberFormat.bytes, context) { return }
  let extent = timeRange.extent(.memory, context.run.history)
  guard !extent.isEmpty else {
    if case .absent(let reason) = context.row?[context.run.header.memory.metric] {
      pen.text(reason.word.text(context.language), .dim, gap: 2, on: &canvas)
    }
    return
  }
  let least = NumberFormat.bytes(Double(extent.min))
  let greatest = NumberFormat.bytes(Double(extent.max))
  let gap = frame.columns > 45 ? 2 : 1
  pen.pair(Word.least.text(context.language), least, gap: gap, on: &canvas)
  pen.pair(Word.greatest.text(context.language), greatest, gap: gap, on: &canvas)
}

@Sendable func drawCPUGraph(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let timeRange = GraphTimeRange(frame, context.run.history, context.state)
  let axis = context.state.cpuAxis
  drawGraph(&canvas, timeRange, series: .cpu, axis: axis, role: .cpu, context)
  // The axis is in percent of one core; its labels follow the scale of the gauge.
  let scale = context.cpuScale
  if timeRange.hasAxis {
    drawAxes(&canvas, frame, timeRange, axis, { percentLabel($0 / scale) }, context)
  }
  drawGraphMarks(&canvas, frame, timeRange, .cpu, axis, context)
  guard timeRange.hasHeading else { return }
  var pen = RowPen(frame)
  drawGraphName(&canvas, &pen, "CPU %", .cpuGraph, context)
  if drawCursorValues(
    &canvas, &pen, timeRange, .cpu, { NumberFormat.percent($0 / scale) }, context)
  {
    return
  }
  let extent = timeRange.extent(.cpu, context.run.history)
  guard !extent.isEmpty else { return }
  let least = NumberFormat.percent(Double(extent.min) / scale)
  let mean = NumberFormat.percent(Double(extent.mean) / scale)
  let greatest = NumberFormat.percent(Double(extent.max) / scale)
  pen.pair(Word.least.text(context.language), least, on: &canvas)
  pen.pair(Word.mean.text(context.language), mean, on: &canvas)
  pen.pair(Word.greatest.text(context.language), greatest, on: &canvas)
}

private func percentLabel(_ value: Double) -> ShortText {
  var text = ShortText()
  text.append(value, decimals: value > 0 && value < 1 ? 1 : 0)
  text.append("%")
  return text
}

/// Redraws the newest cell of a graph: all that a sample changes while the graph does not scroll.
///
/// - Returns: `false` if the value does not fit the axis that is drawn.
func drawNewestCell(
  _ canvas: inout Canvas, _ frame: Rect, _ timeRange: GraphTimeRange, _ id: WidgetID, _ axis: Axis,
  _ context: DrawContext
) -> Bool {
  let area = timeRange.area
  guard area.columns > 0 else { return true }
  let series: Series = id == .memoryGraph ? .memory : .cpu
  let from = timeRange.end.advanced(byNanoseconds: -Int64(timeRange.cell))
  let extent = context.run.history.extent(series, from: from, to: timeRange.end)
  guard !extent.isEmpty else { return true }
  guard axis.holds(extent) else { return false }
  let column = area.endColumn - 1
  for row in area.row..<area.endRow { canvas.put(" ", row: row, column: column) }
  drawGraph(
    &canvas, timeRange, cells: area.columns - 1..<area.columns, series: series, axis: axis,
    role: id == .memoryGraph ? .memory : .cpu, context)
  let clip = canvas.clip
  canvas.clip = Rect(row: area.row, column: column, rows: area.rows, columns: 1)
  drawGraphMarks(&canvas, frame, timeRange, series, axis, context)
  canvas.clip = clip
  if id == .memoryGraph {
    drawLimit(&canvas, timeRange, cells: area.columns - 1..<area.columns, axis, context)
    drawPhaseBand(&canvas, timeRange, context)
  }
  return true
}

/// Draws the memory limit as a line below the graph, and its source at the left end of the line, where it
/// is in the range of the axis.
private func drawLimit(
  _ canvas: inout Canvas, _ timeRange: GraphTimeRange, cells: Range<Int>? = nil, _ axis: Axis,
  _ context: DrawContext
) {
  guard let shown = context.state.shown, let limit = shown[.memoryLimit].value,
    limit > axis.low, limit <= axis.high, timeRange.area.rows >= 3
  else { return }
  let area = timeRange.area
  let share = axis.share(limit)
  // The row whose upper edge is nearest to it.
  let row = area.row + min(area.rows - 1, Int((Double(area.rows) * (1 - share)).rounded()))
  let glyph = context.glyph("┄", "-")
  let used = shown[context.run.header.memory.metric].value ?? 0
  let role: Role = used > 0.9 * limit ? .alert : .dim
  for cell in cells ?? 0..<area.columns {
    let column = area.column + cell
    if canvas.isGlyph(" ", row: row, column: column) {
      canvas.put(glyph, row: row, column: column, role: role)
    }
  }
  guard cells == nil else { return }
  let word = shown.limitSource.word.text(context.language)
  let width = Canvas.width(word)
  let isFree = (0..<width + 2).allSatisfy { offset in
    canvas.isGlyph(glyph, row: row, column: area.column + offset)
  }
  guard width + 4 <= area.columns, isFree else { return }
  canvas.put(" ", row: row, column: area.column)
  let end = canvas.text(word, row: row, column: area.column + 1, role: role)
  canvas.put(" ", row: row, column: end)
}

/// Draws the columns of a graph: all of them, or those of `cells`.
private func drawGraph(
  _ canvas: inout Canvas, _ timeRange: GraphTimeRange, cells: Range<Int>? = nil, series: Series,
  axis: Axis, role: Role, _ context: DrawContext
) {
  let area = timeRange.area
  let style = context.state.graphStyle
  let perCell = UInt64(style.columnsPerCell)
  let perRow = style.stepsPerCell
  let history = context.run.history
  func steps(_ from: Instant, _ to: Instant) -> Int {
    let extent = history.extent(series, from: from, to: to)
    return extent.isEmpty
      ? 0 : GraphRasterizer.steps(extent.max, axis: axis, rows: area.rows, style: style)
  }
  let cells = cells ?? 0..<area.columns
  for cell in cells {
    let from = Instant(nanoseconds: timeRange.start.nanoseconds &+ UInt64(cell) &* timeRange.cell)
    let to = Instant(nanoseconds: from.nanoseconds &+ timeRange.cell)
    guard to.nanoseconds(since: history.start) > 0, from.nanoseconds(since: history.end) < 0
    else { continue }
    let middle = Instant(nanoseconds: from.nanoseconds &+ timeRange.cell / perCell)
    let leftSteps = steps(from, middle)
    // A half cell whose time has not begun repeats the one before, so that a steady value changes nothing.
    let hasBegun = perCell == 2 && middle.nanoseconds(since: history.end) < 0
    let rightSteps = hasBegun ? steps(middle, to) : leftSteps
    guard leftSteps > 0 || rightSteps > 0 else { continue }
    let phase = series == .memory ? context.run.phases.index(from: from, to: to) : nil
    let color = phase.map { context.phaseRole($0) } ?? role
    for row in 0..<area.rows {
      let below = (area.rows - 1 - row) * perRow
      let glyph = GraphRasterizer.glyph(
        left: leftSteps - below, right: rightSteps - below, style: style)
      if glyph != " " {
        canvas.put(
          glyph, row: area.row + row, column: area.column + cell,
          style: color.shade(row: area.rows - 1 - row, of: area.rows))
      }
    }
  }
  // Marks are in the top row: on the time axis they would cover its labels.
  guard timeRange.hasAxis else { return }
  func draw(_ glyph: Unicode.Scalar, at time: Instant) {
    let sinceStart = time.nanoseconds(since: timeRange.start)
    guard sinceStart >= 0, time.nanoseconds(since: timeRange.end) < 0 else { return }
    let cell = Int(sinceStart / Int64(timeRange.cell))
    guard cells.contains(cell) else { return }
    canvas.put(glyph, row: area.row, column: area.column + cell, role: .mark)
  }
  if series == .memory {
    for cell in cells {
      let from = timeRange.start.advanced(byNanoseconds: Int64(cell) * Int64(timeRange.cell))
      let to = from.advanced(byNanoseconds: Int64(timeRange.cell))
      guard history.slowestFrame(from: from, to: to) > 0 else { continue }
      canvas.put(
        context.glyph("╹", "!"), row: area.row, column: area.column + cell, role: .alert)
    }
  }
  for index in context.run.jobs.indices {
    let isRestart = context.run.jobs[index].isRestart
    draw(
      isRestart ? context.glyph("↻", "R") : context.glyph("▾", "'"),
      at: context.run.jobs[index].time)
  }
  for mark in context.run.marks { draw(context.glyph("▼", "v"), at: mark) }
}
