import Metrics
import PerfHUDBase
import Sampler
import Terminal

@Sendable func drawMemory(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let leading = context.run.header.memory.metric
  let limit = context.row?[.memoryLimit].value
  let share: Double? =
    if let value = context.row?[leading].value, let limit, limit > 0 { value / limit } else { nil }
  let label =
    leading == .resident
    ? Word.rss : leading == .pss ? Word.pss : Word.memory
  var pen = drawGauge(
    &canvas, frame, label: label.text(context.language), role: .memory, metric: leading,
    format: NumberFormat.bytes, share: share, alertAbove: 0.9, context)
  if leading == .footprint, let row = context.row, row.footprintIsLowerBound,
    let value = row[.footprint].value
  {
    drawLowerBound(
      &canvas, frame, label: label.text(context.language), NumberFormat.bytes(value), context)
  }
  if context.hasOneNote(frame) {
    let (word, metric) =
      leading == .resident ? (Word.memory, Metric.footprint) : (.rss, .resident)
    if let value = context.row?[metric].value {
      pen.note(word.text(context.language), NumberFormat.bytes(value), on: &canvas)
    }
    return
  }
  if let share, let limit, let source = context.row?.limitSource {
    let valueText = NumberFormat.percent(share * 100)
    let of = Word.of.text(context.language)
    if pen.room >= 1 + valueText.count + 2 + Canvas.width(of) + NumberFormat.bytesWidth {
      pen.text(valueText, gap: 1, on: &canvas)
      pen.text(of, .dim, gap: 1, on: &canvas)
      pen.text(NumberFormat.bytes(limit), .dim, gap: 1, on: &canvas)
      pen.text(source.word.text(context.language), .dim, gap: 1, on: &canvas)
    }
  }
  if let peak = context.run.peaks.memoryHigh {
    pen.pair(Word.peak.text(context.language), NumberFormat.bytes(peak), on: &canvas)
  }
}
