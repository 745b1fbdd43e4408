import Metrics
import PerfHUDBase
import Sampler
import Terminal

@Sendable func drawMemory(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let leading = context.run.header.memory.metric
  let limit = context.row?[.memoryLimit].value
  // The memory of the whole machine is not a limit of this program; then the bar is relative to the program's own peak.
  let isLimited = limit ?? 0 > 0 && context.row?.limitSource != .physical
  let limitShare: Double? =
    if let value = context.row?[leading].value, let limit, limit > 0 { value / limit } else { nil }
  let peak = context.run.peaks.memoryHigh
  let share: Double? =
    if isLimited {
      limitShare
    } else if let value = context.row?[leading].value, let peak, peak > 0 {
      value / peak
    } else {
      nil
    }
  let label =
    leading == .resident
    ? Word.rss : leading == .pss ? Word.pss : Word.memory
  if context.hasSparklines(frame) {
    return drawMemorySparkline(
      &canvas, frame, label: label.text(context.language), share: limitShare, context)
  }
  var pen = drawGauge(
    &canvas, frame, label: label.text(context.language), role: .memory, metric: leading,
    format: NumberFormat.bytes, share: share, alertAbove: isLimited ? 0.9 : nil, context)
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
  if isLimited, let share, let limit, let source = context.row?.limitSource {
    drawShare(
      &canvas, &pen, share, of: NumberFormat.bytes(limit).trimmed,
      source.word.text(context.language), before: false, context)
  }
  if let peak {
    if let share, !isLimited {
      drawShare(
        &canvas, &pen, share, of: NumberFormat.bytes(peak).trimmed,
        Word.peak.text(context.language), before: true, context)
    } else {
      pen.pair(Word.peak.text(context.language), NumberFormat.bytes(peak), on: &canvas)
    }
  }
  drawOtherMetrics(&canvas, &pen, leading, context)
}

/// Draws the value's share of the limit or of the peak.
private func drawShare(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ share: Double, of whole: ShortText,
  _ name: StaticString, before: Bool, _ context: DrawContext
) {
  let valueText = NumberFormat.percent(share * 100)
  let of = Word.of.text(context.language)
  let least = 1 + valueText.count + 2 + Canvas.width(of) + NumberFormat.bytesWidth
  guard pen.room >= (before ? least + Canvas.width(name) + 1 : least) else { return }
  pen.text(valueText, gap: 1, on: &canvas)
  pen.text(of, .dim, gap: 1, on: &canvas)
  if before { pen.text(name, .dim, gap: 1, on: &canvas) }
  pen.text(whole, .dim, gap: 1, on: &canvas)
  if !before { pen.text(name, .dim, gap: 1, on: &canvas) }
}

/// Draws the memory metrics other than the leading one, if they fit.
private func drawOtherMetrics(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ leading: Metric, _ context: DrawContext
) {
  guard !context.isOverlay else { return }
  if leading != .resident, let value = context.row?[.resident].value {
    pen.pair(Word.rss.text(context.language), NumberFormat.bytes(value), on: &canvas)
  }
  if leading != .footprint, let value = context.row?[.footprint].value {
    pen.pair(Word.memory.text(context.language), NumberFormat.bytes(value), on: &canvas)
  }
}
