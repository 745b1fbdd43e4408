import Metrics
import PerfHUDBase
import Sampler
import Terminal

@Sendable func drawFPS(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  if context.hasSparklines(frame) { return drawRateSparkline(&canvas, frame, context) }
  if context.hasGrid(frame) { return drawRateGrid(&canvas, frame, context) }
  let source = context.row?.fpsSource
  // For a program that draws no frames, its reads and writes say more than the refresh rate of the HUD.
  if !context.showsFrames { return drawStorage(&canvas, frame, context) }
  let tick = source == .terminal || source == .app ? nil : context.run.header.tickPeriod
  let full = tick.map { 1e9 / Double($0) } ?? fullRate(context)
  // In a pane the source is part of the value; in an overlay there is no room for it.
  let suffix = context.isOverlay ? nil : source?.key
  func format(_ value: Double) -> ShortText {
    var text = NumberFormat.framesPerSecond(value)
    if let suffix {
      text.append(" ")
      text.append(suffix)
    }
    return text
  }
  let word = context.frameWord
  var pen = drawGauge(
    &canvas, frame, label: "FPS", role: .fps, metric: .fps, format: format,
    share: word != nil ? 0 : context.row?[.fps].value.map { $0 / full },
    word: word?.text(context.language), suffix: suffix, context)
  guard let row = context.row, word != nil || row[.fps].value != nil else { return }
  if row.fpsIsLowerBound, word == nil, let value = row[.fps].value {
    // Some frames were too close together to be distinguished.
    drawLowerBound(&canvas, frame, label: "FPS", format(value), context)
  }
  if context.isOverlay {
    if let source { pen.text(source.key, .dim, gap: 1, on: &canvas) }
    return
  }
  // The frame times are only the times between keys.
  if row.drawsOnlyAfterKeys { return }
  if pen.room >= leastForFullRate {
    let barEnd = pen.column
    var text = ShortText(Word.of.text(context.language))
    text.append(" ")
    text.append(NumberFormat.framesPerSecond(full).trimmed)
    text.append(" FPS")
    pen.text(text, .dim, gap: 1, on: &canvas)
    pen.alignNotes(after: barEnd, frame)
  }
  if let value = row[.frameMedian].value {
    pen.pair("p50", NumberFormat.milliseconds(value), on: &canvas)
  }
  if let value = row[.frameP99].value {
    pen.pair("p99", NumberFormat.milliseconds(value), on: &canvas)
  }
  drawHitches(&canvas, &pen, row, context)
}

/// Columns of ` of 120 FPS  p50 33.33 ms  p99 33.33 ms`.
private let leastForFullRate = 39

/// The frame rate of a full bar: 60, or twice that again and again for a program that draws faster.
private func fullRate(_ context: DrawContext) -> Double {
  guard let value = context.row?[.fps].value else { return 60 }
  return max(60, Axis.sparklineFrames(to: value).high)
}

private func drawHitches(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ row: Row, _ context: DrawContext
) {
  guard let value = row[.hitches].value else { return }
  var text = ShortText()
  text.append(value, decimals: 1)
  text.append(" ms/s")
  pen.pair(Word.hitches.text(context.language), text, on: &canvas)
}
