import Base
import Metrics
import Sampler
import Terminal

// The graphs over time: memory and CPU.

/// Columns of the axis labels and its line.
private let axisWidth = 6

@Sendable func drawMemoryGraph(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let window = GraphWindow(
    frame, context.run.history, context.state, hasBand: context.state.hasPhases)
  let axis = context.state.memoryAxis
  drawGraph(&canvas, window, series: .memory, axis: axis, role: .memory, context)
  drawLimit(&canvas, window, axis, context)
  drawPhaseBand(&canvas, window, context)
  if window.hasAxis { drawAxes(&canvas, frame, window, axis, NumberFormat.axis, context) }
  drawGraphMarks(&canvas, frame, window, .memory, axis, context)
  guard window.hasHeading else { return }
  let name: StaticString =
    switch context.run.header.memory {
    case .footprint: "MEM footprint"
    case .rss: "MEM rss"
    case .pss: "MEM pss"
    }
  var pen = RowPen(frame)
  drawGraphName(&canvas, &pen, name, .memoryGraph, context)
  if drawCursorFigures(&canvas, &pen, window, .memory, NumberFormat.bytes, context) { return }
  let extent = window.extent(.memory, context.run.history)
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
  let window = GraphWindow(frame, context.run.history, context.state)
  let axis = context.state.cpuAxis
  drawGraph(&canvas, window, series: .cpu, axis: axis, role: .cpu, context)
  // The axis is in percent of one core; its labels follow the scale of the gauge.
  let scale = context.cpuScale
  if window.hasAxis {
    drawAxes(&canvas, frame, window, axis, { percentLabel($0 / scale) }, context)
  }
  drawGraphMarks(&canvas, frame, window, .cpu, axis, context)
  guard window.hasHeading else { return }
  var pen = RowPen(frame)
  drawGraphName(&canvas, &pen, "CPU %", .cpuGraph, context)
  if drawCursorFigures(
    &canvas, &pen, window, .cpu, { NumberFormat.percent($0 / scale) }, context)
  {
    return
  }
  let extent = window.extent(.cpu, context.run.history)
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

/// Where the parts of a graph lie, and the stretch of time that it shows: a grid of whole cells, so that
/// columns keep their shape when it scrolls.
struct GraphWindow {
  /// Whether the values have an axis.
  let hasAxis: Bool
  /// Whether the time has an axis; below the lowest graph of an overlay its edge is the axis.
  let hasTimeAxis: Bool
  let hasHeading: Bool
  /// Whether a row below the columns names the phases.
  let hasBand: Bool
  /// Where the columns are drawn.
  let area: Rect
  /// Nanoseconds of a cell.
  let cell: UInt64
  /// Start of the first cell and end of the last one.
  let start: Instant
  let end: Instant
  /// The moment below the cursor; `nil` while it goes with the newest cell.
  private let cursor: Instant?
  private let hasCursor: Bool

  /// Rows from which on a graph can spare one for the names of the phases.
  static let bandRows = 3

  init(_ frame: Rect, _ history: History, _ state: HUDState, hasBand: Bool = false) {
    let left = GraphWindow.axisColumns(frame.rows, frame.columns, state.family)
    hasAxis = left > 0
    hasTimeAxis = hasAxis && state.family == .pane
    hasHeading = GraphWindow.hasHeading(frame.rows)
    let top = hasHeading ? 1 : 0
    let rows = frame.rows - top - (hasTimeAxis ? 1 : 0)
    self.hasBand = hasBand && rows >= GraphWindow.bandRows
    area = Rect(
      row: frame.row + top, column: frame.column + left,
      rows: rows - (self.hasBand ? 1 : 0), columns: frame.columns - left)
    cell = state.cellDuration
    let newest = GraphWindow.newestEnd(history, cell: cell)
    end = state.graph.end.map { min($0, newest) } ?? state.graphEnd ?? newest
    cursor = state.graph.cursor
    hasCursor = state.graph.focus != nil
    start = end.advanced(byNanoseconds: -Int64(area.columns) * Int64(cell))
  }

  /// Whether so many rows have one for the name of the graph and its figures.
  static func hasHeading(_ rows: Int) -> Bool { rows >= 5 }

  /// The end of the cell that holds the newest value.
  private static func newestEnd(_ history: borrowing History, cell: UInt64) -> Instant {
    let elapsed = history.end.nanoseconds(since: history.start)
    return history.start.advanced(
      byNanoseconds: (max(0, elapsed - 1) / Int64(cell) + 1) * Int64(cell))
  }

  /// Where a graph ends that follows the run.
  func newestEnd(_ history: borrowing History) -> Instant {
    GraphWindow.newestEnd(history, cell: cell)
  }

  /// The beginning of the oldest cell that has values.
  func firstCell(_ history: borrowing History) -> Instant { history.start }

  /// The cell below the cursor, from 0; `nil` where there is none.
  var cursorCell: Int? {
    guard hasCursor, area.columns > 0 else { return nil }
    guard let cursor else { return area.columns - 1 }
    let offset = cursor.nanoseconds(since: start)
    let cell = offset / Int64(cell)
    return offset >= 0 && cell < Int64(area.columns) ? Int(cell) : nil
  }

  /// The stretch of time of a cell.
  func stretch(_ index: Int) -> (from: Instant, to: Instant) {
    let from = start.advanced(byNanoseconds: Int64(index) * Int64(cell))
    return (from, from.advanced(byNanoseconds: Int64(cell)))
  }

  /// What a figure did in the part of a kept stretch that is shown.
  func extent(_ series: Series, _ baseline: GraphBaseline, _ run: borrowing Run) -> Extent {
    let anchor = baseline.anchor(in: run)
    var result = Extent.none
    for index in 0..<max(0, area.columns) {
      let (from, to) = stretch(index)
      result.merge(baseline.extent(series, from: from, to: to, anchor: anchor))
    }
    return result
  }

  /// Columns of the axis of the values, where there is room for one.
  static func axisColumns(_ rows: Int, _ columns: Int, _ family: HUDFamily) -> Int {
    switch family {
    case .pane: rows >= 3 && columns > axisWidth + 4 ? axisWidth : 0
    case .overlay: rows >= 2 && columns >= 3 * axisWidth ? axisWidth : 0
    }
  }

  /// What a figure did over the cells that are shown, and not over more.
  func extent(_ series: Series, _ history: History) -> Extent {
    var result = Extent.none
    for index in 0..<max(0, area.columns) {
      let from = start.advanced(byNanoseconds: Int64(index) * Int64(cell))
      result.merge(
        history.extent(series, from: from, to: from.advanced(byNanoseconds: Int64(cell))))
    }
    return result
  }
}

/// Draws the newest cell of a graph anew: what a sample changes while the picture does not scroll.
///
/// - Returns: `false` if the value does not fit the axis that is drawn.
func drawNewestCell(
  _ canvas: inout Canvas, _ frame: Rect, _ window: GraphWindow, _ id: WidgetID, _ axis: Axis,
  _ context: DrawContext
) -> Bool {
  let area = window.area
  guard area.columns > 0 else { return true }
  let series: Series = id == .memoryGraph ? .memory : .cpu
  let from = window.end.advanced(byNanoseconds: -Int64(window.cell))
  let extent = context.run.history.extent(series, from: from, to: window.end)
  guard !extent.isEmpty else { return true }
  guard axis.holds(extent) else { return false }
  let column = area.endColumn - 1
  for row in area.row..<area.endRow { canvas.put(" ", row: row, column: column) }
  drawGraph(
    &canvas, window, cells: area.columns - 1..<area.columns, series: series, axis: axis,
    role: id == .memoryGraph ? .memory : .cpu, context)
  let clip = canvas.clip
  canvas.clip = Rect(row: area.row, column: column, rows: area.rows, columns: 1)
  drawGraphMarks(&canvas, frame, window, series, axis, context)
  canvas.clip = clip
  if id == .memoryGraph {
    drawLimit(&canvas, window, cells: area.columns - 1..<area.columns, axis, context)
    drawPhaseBand(&canvas, window, context)
  }
  return true
}

/// Draws the memory limit as a line behind the graph, and its source at the left end of the line, where it
/// lies in the range of the axis.
private func drawLimit(
  _ canvas: inout Canvas, _ window: GraphWindow, cells: Range<Int>? = nil, _ axis: Axis,
  _ context: DrawContext
) {
  guard let shown = context.state.shown, let limit = shown[.memoryLimit].value,
    limit > axis.low, limit <= axis.high, window.area.rows >= 3
  else { return }
  let area = window.area
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
  _ canvas: inout Canvas, _ window: GraphWindow, cells: Range<Int>? = nil, series: Series,
  axis: Axis, role: Role, _ context: DrawContext
) {
  let area = window.area
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
    let from = Instant(nanoseconds: window.start.nanoseconds &+ UInt64(cell) &* window.cell)
    let to = Instant(nanoseconds: from.nanoseconds &+ window.cell)
    guard to.nanoseconds(since: history.start) > 0, from.nanoseconds(since: history.end) < 0
    else { continue }
    let middle = Instant(nanoseconds: from.nanoseconds &+ window.cell / perCell)
    let leftSteps = steps(from, middle)
    // A half whose time has not begun goes on with the one before: a steady figure moves nothing.
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
        canvas.put(glyph, row: area.row + row, column: area.column + cell, role: color)
      }
    }
  }
  // Marks stand in the top row: on the time axis they would cover its labels.
  guard window.hasAxis else { return }
  func draw(_ glyph: Unicode.Scalar, at time: Instant) {
    let sinceStart = time.nanoseconds(since: window.start)
    guard sinceStart >= 0, time.nanoseconds(since: window.end) < 0 else { return }
    let cell = Int(sinceStart / Int64(window.cell))
    guard cells.contains(cell) else { return }
    canvas.put(glyph, row: area.row, column: area.column + cell, role: .mark)
  }
  if series == .memory {
    for cell in cells {
      let from = window.start.advanced(byNanoseconds: Int64(cell) * Int64(window.cell))
      let to = from.advanced(byNanoseconds: Int64(window.cell))
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

private func drawAxes(
  _ canvas: inout Canvas, _ frame: Rect, _ window: GraphWindow, _ axis: Axis,
  _ label: (Double) -> ShortText, _ context: DrawContext
) {
  let values = Rect(
    row: window.area.row, column: frame.column, rows: window.area.rows, columns: axisWidth)
  drawValueAxis(&canvas, values, axis, label, hasTimeAxis: window.hasTimeAxis, context)
  if window.hasBand {
    canvas.put(
      context.glyph("│", "|"), row: window.area.endRow, column: values.endColumn - 1, role: .frame)
  }
  if window.hasTimeAxis {
    let left = window.area.column
    let row = frame.endRow - 1
    canvas.put(context.glyph("└", "+"), row: row, column: left - 1, role: .frame)
    canvas.fill(
      context.glyph("─", "-"), row: row, column: left, count: window.area.columns, role: .frame)
    let columns = left..<frame.endColumn
    if context.state.graph.end != nil {
      drawClockTimes(&canvas, row: row, columns: columns, window, context)
    } else {
      drawTimes(&canvas, row: row, columns: columns, cell: window.cell, context)
    }
  }
}

private func drawValueAxis(
  _ canvas: inout Canvas, _ area: Rect, _ axis: Axis, _ label: (Double) -> ShortText,
  hasTimeAxis: Bool, _ context: DrawContext
) {
  let line = area.endColumn - 1
  for row in area.row..<area.endRow {
    canvas.put(context.glyph("│", "|"), row: row, column: line, role: .frame)
  }
  // A broken foot says that the axis does not begin at 0.
  if axis.low > 0, !axis.isLog, area.rows > 1 {
    canvas.put(context.glyph("┊", ":"), row: area.endRow - 1, column: line, role: .frame)
  }
  // Ends and quarters of the axis are round figures. Each stands in the row whose upper edge is nearest
  // to it; the lowest one in the row of the time axis, and without one in the last row.
  let parts = area.rows >= 12 ? 4 : area.rows >= 5 ? 2 : 1
  let last = hasTimeAxis ? area.rows : area.rows - 1
  for part in 0...parts {
    let row = (last * part + parts / 2) / parts
    let text = label(axis.value(atPart: parts - part, of: parts))
    canvas.text(text, row: area.row + row, column: max(area.column, line - text.count), role: .dim)
    if row < last {
      canvas.put(context.glyph("┤", "+"), row: area.row + row, column: line, role: .frame)
    }
  }
}

/// Draws how long ago the cells of a graph were, on a line in the columns of the graph, but not in front
/// of the column `first`.
func drawTimes(
  _ canvas: inout Canvas, row: Int, columns: Range<Int>, from first: Int = 0, cell: UInt64,
  _ context: DrawContext
) {
  let end = columns.upperBound
  let now = Word.now.text(context.language)
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
    let column = end - back
    if column >= first, column + text.count < nowColumn {
      canvas.text(text, row: row, column: column, role: .dim)
    }
    back += spacing
  }
}
