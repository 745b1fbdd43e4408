import Metrics
import PerfHUDBase
import Terminal

// The columns of a graph: an area from 0 up, or a line if the axis does not begin at 0; with marks above them.

/// Draws the columns of a graph: all of them, or those of `cells`.
func drawGraph(
  _ canvas: inout Canvas, _ timeRange: GraphTimeRange, cells: Range<Int>? = nil, series: Series,
  axis: Axis, role: Role, _ context: DrawContext
) {
  let area = timeRange.area
  let history = context.run.history
  let columns = GraphColumns(
    series: series, axis: axis, area: area, style: context.state.graphStyle, history: history)
  let cells = cells ?? 0..<area.columns
  for cell in cells {
    let (from, to) = timeRange.stretch(cell)
    guard to.nanoseconds(since: history.start) > 0, from.nanoseconds(since: history.end) < 0
    else { continue }
    let phase = series == .memory ? context.run.phases.index(from: from, to: to) : nil
    let color = phase.map { context.phaseRole($0) } ?? role
    if axis.isProportional {
      columns.drawArea(&canvas, cell, from: from, to: to, color)
    } else {
      columns.drawLine(&canvas, cell, from: from, to: to, color)
    }
  }
  drawTimeMarks(&canvas, timeRange, cells: cells, series: series, context)
}

/// The columns of one graph.
struct GraphColumns {
  let series: Series
  let axis: Axis
  let area: Rect
  let style: GraphStyle
  let history: History

  private func middle(_ from: Instant, _ to: Instant) -> Instant {
    style.columnsPerCell == 2
      ? from.advanced(byNanoseconds: to.nanoseconds(since: from) / 2) : to
  }

  /// Whether the second half of a cell has begun. Until then it repeats the first half, so that a steady value changes
  /// nothing.
  private func hasBegun(_ middle: Instant) -> Bool {
    style.columnsPerCell == 2 && middle.nanoseconds(since: history.end) < 0
  }

  private func put(
    _ canvas: inout Canvas, _ glyph: Unicode.Scalar, row: Int, _ cell: Int, _ color: Role
  ) {
    guard glyph != " " else { return }
    canvas.put(
      glyph, row: area.row + row, column: area.column + cell,
      style: color.shade(row: area.rows - 1 - row, of: area.rows))
  }

  // MARK: An area

  private func height(_ from: Instant, _ to: Instant) -> Int {
    let extent = history.extent(series, from: from, to: to)
    return extent.isEmpty
      ? 0 : GraphRasterizer.steps(extent.max, axis: axis, rows: area.rows, style: style)
  }

  func drawArea(
    _ canvas: inout Canvas, _ cell: Int, from: Instant, to: Instant, _ color: Role
  ) {
    let middle = middle(from, to)
    let left = height(from, middle)
    let right = hasBegun(middle) ? height(middle, to) : left
    guard left > 0 || right > 0 else { return }
    for row in 0..<area.rows {
      let below = (area.rows - 1 - row) * style.stepsPerCell
      let glyph = GraphRasterizer.glyph(left: left - below, right: right - below, style: style)
      put(&canvas, glyph, row: row, cell, color)
    }
  }

  // MARK: A line

  /// The steps from the least to the greatest value between two times; `nil` without a value.
  private func steps(_ from: Instant, _ to: Instant) -> ClosedRange<Int>? {
    let extent = history.extent(series, from: from, to: to)
    guard !extent.isEmpty else { return nil }
    let full = area.rows * style.stepsPerCell
    func step(_ value: Float) -> Int {
      let share = axis.share(Double(value)) * Double(full)
      return Int(max(1, min(Double(full), share.rounded())))
    }
    // Two dots high where there are dots, since a single one is hard to see.
    let low = max(1, step(extent.min) - (style == .braille ? 1 : 0))
    return low...max(low, step(extent.max))
  }

  /// Extends the steps to those before them, so that the line is not interrupted.
  private func joined(_ steps: ClosedRange<Int>?, to before: ClosedRange<Int>?) -> ClosedRange<Int>?
  {
    guard let steps, let before else { return steps }
    if before.upperBound < steps.lowerBound - 1 {
      return before.upperBound + 1...steps.upperBound
    }
    if before.lowerBound > steps.upperBound + 1 {
      return steps.lowerBound...before.lowerBound - 1
    }
    return steps
  }

  func drawLine(
    _ canvas: inout Canvas, _ cell: Int, from: Instant, to: Instant, _ color: Role
  ) {
    let middle = middle(from, to)
    let half = middle.nanoseconds(since: from)
    let before =
      from.nanoseconds(since: history.start) >= half
      ? steps(from.advanced(byNanoseconds: -half), from) : nil
    let own = steps(from, middle)
    let left = joined(own, to: before)
    let right = hasBegun(middle) ? joined(steps(middle, to), to: own) : own
    guard left != nil || right != nil else { return }
    for row in 0..<area.rows {
      let below = (area.rows - 1 - row) * style.stepsPerCell
      let glyph = GraphRasterizer.span(
        left: left.map { $0.lowerBound - below...$0.upperBound - below },
        right: right.map { $0.lowerBound - below...$0.upperBound - below }, style: style)
      put(&canvas, glyph, row: row, cell, color)
    }
  }
}

/// Draws slow frames, jobs and marks in the top row, because on the time axis they would cover its labels.
private func drawTimeMarks(
  _ canvas: inout Canvas, _ timeRange: GraphTimeRange, cells: Range<Int>, series: Series,
  _ context: DrawContext
) {
  guard timeRange.hasAxis else { return }
  let area = timeRange.area
  let history = context.run.history
  let line = context.glyph("─", "-")
  func draw(_ glyph: Unicode.Scalar, at time: Instant) {
    let sinceStart = time.nanoseconds(since: timeRange.start)
    guard sinceStart >= 0, time.nanoseconds(since: timeRange.end) < 0 else { return }
    let cell = Int(sinceStart / Int64(timeRange.cell))
    guard cells.contains(cell) else { return }
    drawMark(&canvas, glyph, .mark, timeRange, column: area.column + cell, line: line)
  }
  if series == .memory {
    for cell in cells {
      let from = timeRange.start.advanced(byNanoseconds: Int64(cell) * Int64(timeRange.cell))
      let to = from.advanced(byNanoseconds: Int64(timeRange.cell))
      guard history.slowestFrame(from: from, to: to) > 0 else { continue }
      drawMark(
        &canvas, context.glyph("╹", "!"), .alert, timeRange, column: area.column + cell,
        line: line)
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

/// Draws a mark in the top row of a graph. If the graph itself reaches that row, it stays and takes the color of the
/// mark, and the mark moves to the upper edge of the frame, if there is one without words.
///
/// - Parameter line: The glyph of that edge.
private func drawMark(
  _ canvas: inout Canvas, _ glyph: Unicode.Scalar, _ role: Role, _ timeRange: GraphTimeRange,
  column: Int, line: Unicode.Scalar
) {
  let row = timeRange.area.row
  let there = canvas.grid[row, column].scalarValue
  guard there != 0x20, there != glyph.value else {
    return canvas.put(glyph, row: row, column: column, role: role)
  }
  canvas.put(Unicode.Scalar(there) ?? glyph, row: row, column: column, role: role)
  guard timeRange.hasFrame else { return }
  if canvas.isGlyph(line, row: row - 1, column: column) {
    canvas.put(glyph, row: row - 1, column: column, role: role)
  }
}
