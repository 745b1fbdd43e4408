import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The graph of reads and writes. It is below a short list of threads and has no cursor of its own.

@Sendable func drawStorageGraph(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let timeRange = GraphTimeRange(frame, context.run.history, context.state, hasBand: false)
  let extent = timeRange.extent(.io, context.run.history)
  let axis = Axis.sparklineBytes(
    to: extent.isEmpty ? 0 : Double(extent.max), least: leastStorageAxis)
  if timeRange.hasHeading {
    var pen = headingPen(frame, timeRange)
    drawStorageHeading(&canvas, &pen, extent, context)
    drawUpperEdge(&canvas, frame, timeRange, headingEnd: pen.column, role: .frame, context)
  }
  drawGraph(&canvas, timeRange, series: .io, axis: axis, role: .fps, context)
  if !extent.isEmpty, extent.max == 0 { drawIdle(&canvas, timeRange.area, context) }
  if timeRange.hasAxis {
    drawAxes(&canvas, frame, timeRange, axis, role: .frame, NumberFormat.axis, context)
  }
}

/// The least end of the axis, so that a few bytes do not fill the graph.
private let leastStorageAxis = 65_536.0

/// Says in the middle that the graph is empty for a reason.
private func drawIdle(_ canvas: inout Canvas, _ graph: Rect, _ context: DrawContext) {
  let text = Word.noReadsOrWrites.text(context.language)
  let width = Canvas.width(text)
  guard width <= graph.columns, graph.rows > 0 else { return }
  canvas.text(
    text, row: graph.row + (graph.rows - 1) / 2,
    column: graph.column + (graph.columns - width) / 2, role: .dim)
}

private func drawStorageHeading(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ extent: Extent, _ context: DrawContext
) {
  let language = context.language
  pen.text(
    Word.disk.text(language), context.isOverlay ? .fpsLabel : .label, on: &canvas)
  if case .absent(let reason)? = context.row?[.readRate] {
    pen.text(reason.word.text(language), .dim, gap: 2, on: &canvas)
    return
  }
  guard !extent.isEmpty else { return }
  func draw(_ word: Word, _ value: Float) {
    pen.pair(word.text(language), NumberFormat.compactRate(Double(value)), on: &canvas)
  }
  // The greatest value matters most.
  let greatest = NumberFormat.compactRate(Double(extent.max))
  let mean = NumberFormat.compactRate(Double(extent.mean))
  let both =
    pairWidth(Word.mean.text(language), mean) + pairWidth(Word.greatest.text(language), greatest)
  if both <= pen.room { draw(.mean, extent.mean) }
  draw(.greatest, extent.max)
}
