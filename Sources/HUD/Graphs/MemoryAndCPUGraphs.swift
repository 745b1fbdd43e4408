import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The graphs over time: memory and CPU.

@Sendable func drawMemoryGraph(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let timeRange = GraphTimeRange(
    frame, context.run.history, context.state, hasBand: context.state.hasPhases)
  let axis = context.state.axes.memory
  let role = frameRole(.memoryGraph, timeRange, context)
  if timeRange.hasHeading {
    var pen = headingPen(frame, timeRange, context)
    drawMemoryHeading(&canvas, &pen, timeRange, context)
    drawUpperEdge(&canvas, frame, timeRange, headingEnd: pen.column, role: role, context)
  }
  drawGraph(&canvas, timeRange, series: .memory, axis: axis, role: .memory, context)
  drawLimit(&canvas, timeRange, axis, context)
  drawPhaseBand(&canvas, timeRange, context)
  if timeRange.hasAxis {
    drawAxes(&canvas, frame, timeRange, axis, role: role, NumberFormat.axis, context)
  }
  drawGraphMarks(&canvas, frame, timeRange, .memory, axis, context)
}

private func drawMemoryHeading(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ timeRange: GraphTimeRange, _ context: DrawContext
) {
  let name: StaticString =
    switch context.run.header.memory {
    case .footprint: "MEM footprint"
    case .rss: "MEM rss"
    case .pss: "MEM pss"
    }
  drawGraphName(&canvas, &pen, name, .memoryGraph, context)
  if drawCursorValues(&canvas, &pen, timeRange, .memory, NumberFormat.bytes, context) { return }
  let extent = headingExtent(.memory, timeRange, context)
  guard !extent.isEmpty else {
    if case .absent(let reason) = context.row?[context.run.header.memory.metric] {
      pen.text(reason.word.text(context.language), .dim, gap: 2, on: &canvas)
    }
    return
  }
  let least = NumberFormat.bytes(Double(extent.min))
  let greatest = NumberFormat.bytes(Double(extent.max))
  let gap = timeRange.area.columns > 39 ? 2 : 1
  let leastWord = Word.least.text(context.language)
  let greatestWord = Word.greatest.text(context.language)
  let room = pen.room - pairWidth(greatestWord, greatest, gap: gap)
  if pairWidth(leastWord, least, gap: gap) <= room {
    pen.pair(leastWord, least, gap: gap, on: &canvas)
  }
  pen.pair(greatestWord, greatest, gap: gap, on: &canvas)
  guard context.state.axes.memory.isInterrupted, timeRange.hasFrame else { return }
  pen.text(Word.axisNotFromZero.text(context.language), .dim, gap: gap, on: &canvas)
}

/// The extremes of a series for the heading of its graph: up to the sample whose values the gauges show, so that they
/// agree with these.
private func headingExtent(
  _ series: Series, _ timeRange: GraphTimeRange, _ context: DrawContext
) -> Extent {
  guard !context.state.graph.isMovedByUser, let shown = context.row?.time else {
    return timeRange.extent(series, context.run.history)
  }
  let history = context.run.history
  let end = shown.advanced(byNanoseconds: 1)
  var result = Extent.none
  for cell in 0..<max(0, timeRange.area.columns) {
    let (from, to) = timeRange.stretch(cell)
    guard from < end else { return result }
    result.merge(history.extent(series, from: from, to: min(to, end)))
  }
  if timeRange.end < end {
    result.merge(history.extent(series, from: timeRange.end, to: end))
  }
  return result
}

/// The role of the lines around a graph.
private func frameRole(
  _ id: WidgetID, _ timeRange: GraphTimeRange, _ context: DrawContext
) -> Role {
  guard timeRange.hasFrame else { return .frame }
  if context.state.graph.focus == id { return .mark }
  return id == .cpuGraph ? .cpuFrame : .memoryFrame
}

/// A pen for the heading of a graph: in the upper edge of its frame, or in a row of its own.
/// In an overlay it begins where the rows above begin.
func headingPen(
  _ frame: Rect, _ timeRange: GraphTimeRange, _ context: DrawContext? = nil
) -> RowPen {
  guard timeRange.hasFrame else {
    let isInset = context?.isOverlay == true && Layout.isPadded(frame.columns)
    return RowPen(
      Rect(
        row: frame.row, column: frame.column + (isInset ? 1 : 0), rows: 1,
        columns: frame.columns - (isInset ? 2 : 0)))
  }
  return RowPen(Rect(row: frame.row, column: frame.column + 3, rows: 1, columns: frame.columns - 6))
}

/// The columns of a label with its value and the gap before them.
func pairWidth(_ label: StaticString, _ value: ShortText, gap: Int = 2) -> Int {
  gap + Canvas.width(label) + 1 + Canvas.width(value)
}

@Sendable func drawCPUGraph(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let timeRange = GraphTimeRange(frame, context.run.history, context.state, hasBand: false)
  if context.state.hasFrameGraph { return drawOverlayFrames(&canvas, frame, timeRange, context) }
  let axis = context.state.axes.cpu
  let role = frameRole(.cpuGraph, timeRange, context)
  if timeRange.hasHeading {
    var pen = headingPen(frame, timeRange, context)
    drawCPUHeading(&canvas, &pen, timeRange, context)
    drawUpperEdge(&canvas, frame, timeRange, headingEnd: pen.column, role: role, context)
  }
  drawGraph(&canvas, timeRange, series: .cpu, axis: axis, role: .cpu, context)
  // The axis is in percent of one core; its labels follow the scale of the gauge.
  let scale = context.cpuScale
  if timeRange.hasAxis {
    drawAxes(
      &canvas, frame, timeRange, axis, role: role, { percentLabel($0 / scale) }, context)
  }
  drawGraphMarks(&canvas, frame, timeRange, .cpu, axis, context)
}

/// Whether the heading of a CPU graph has room for the greatest value.
func headingShowsGreatestCPU(_ timeRange: GraphTimeRange, _ frame: Rect) -> Bool {
  timeRange.hasHeading && headingPen(frame, timeRange).room >= leastForGreatestCPU
}

/// Columns of `CPU %  max 100.0 %`.
private let leastForGreatestCPU = 18

private func drawCPUHeading(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ timeRange: GraphTimeRange, _ context: DrawContext
) {
  let scale = context.cpuScale
  drawGraphName(&canvas, &pen, "CPU %", .cpuGraph, context)
  if drawCursorValues(
    &canvas, &pen, timeRange, .cpu, { NumberFormat.percent($0 / scale) }, context)
  {
    return
  }
  let extent = headingExtent(.cpu, timeRange, context)
  guard !extent.isEmpty else { return }
  let least = NumberFormat.percent(Double(extent.min) / scale)
  let mean = NumberFormat.percent(Double(extent.mean) / scale)
  let greatest = NumberFormat.percent(Double(extent.max) / scale)
  let words = (
    least: Word.least.text(context.language), mean: Word.mean.text(context.language),
    greatest: Word.greatest.text(context.language)
  )
  // The greatest value matters most, then the mean.
  let greatestWidth = pairWidth(words.greatest, greatest)
  var room = pen.room - greatestWidth
  let hasGreatest = room >= 0
  if !hasGreatest { room = pen.room }
  let hasMean = pairWidth(words.mean, mean) <= room
  if hasMean { room -= pairWidth(words.mean, mean) }
  if hasMean, pairWidth(words.least, least) <= room { pen.pair(words.least, least, on: &canvas) }
  if hasMean { pen.pair(words.mean, mean, on: &canvas) }
  guard hasGreatest else { return }
  pen.pair(words.greatest, greatest, on: &canvas)
  drawShortTime(&canvas, &pen, context)
}

/// Draws the time of one sample, ` in 100 ms`, after the greatest share of a CPU graph. The peak of the gauge is over a
/// longer time, so it may be less.
private func drawShortTime(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ context: DrawContext
) {
  guard context.run.hasOneInterval, context.run.interval < shareTime else { return }
  var text = ShortText(Word.inTime.text(context.language))
  text.append(NumberFormat.interval(nanoseconds: context.run.interval))
  guard 1 + Canvas.width(text) <= pen.room else { return }
  pen.text(text, .dim, gap: 1, on: &canvas)
}

/// The time of the CPU share of the gauge, in nanoseconds.
private let shareTime: UInt64 = 500_000_000

func percentLabel(_ value: Double) -> ShortText {
  var text = ShortText()
  let isWhole = (value - value.rounded()).magnitude < 0.005
  text.append(value, decimals: isWhole || value >= 99.95 ? 0 : value < 0.095 ? 2 : 1)
  text.append("%")
  return text
}

/// Redraws the newest cell of a graph, which is all that a sample changes while the graph does not scroll.
///
/// - Returns: `false` if the value does not fit the current axis.
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

/// Draws the memory limit as a line behind the graph, with its source at the left end, if the limit is in the range of
/// the axis.
private func drawLimit(
  _ canvas: inout Canvas, _ timeRange: GraphTimeRange, cells: Range<Int>? = nil, _ axis: Axis,
  _ context: DrawContext
) {
  guard let shown = context.state.values.row, let limit = shown[.memoryLimit].value,
    limit > axis.low, limit <= axis.high, timeRange.area.rows >= 3
  else { return }
  let area = timeRange.area
  let share = axis.share(limit)
  // The row whose upper edge is nearest to it.
  let row = area.row + min(area.rows - 1, Int((Double(area.rows) * (1 - share)).rounded()))
  let glyph = context.glyph("┄", "-")
  let role: Role = context.isNearMemoryLimit ? .alert : .dim
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
