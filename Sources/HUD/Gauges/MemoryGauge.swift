import Metrics
import PerfHUDBase
import Sampler
import Terminal

@Sendable func drawMemory(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let leading = context.run.header.memory.metric
  let limit = context.row?[.memoryLimit].value
  // The memory of the whole machine is not a limit of this program. Then the bar ends at a round value above the peak.
  let isLimited = limit ?? 0 > 0 && context.row?.limitSource != .physical
  let value = context.row?[leading].value
  let peak = context.peaks.memoryHigh
  let full = isLimited ? limit : peak.map(fullBytes)
  let share: Double? = if let value, let full { value / full } else { nil }
  let mark: Double? = if let peak, let full { peak / full } else { nil }
  let label =
    leading == .resident
    ? Word.rss : leading == .pss ? Word.pss : Word.memory
  if context.hasSparklines(frame) {
    return drawMemorySparkline(&canvas, frame, label: label.text(context.language), context)
  }
  if context.hasGrid(frame) {
    return drawMemoryGrid(
      &canvas, frame, label: label.text(context.language), full: full,
      limit: isLimited ? limit : nil, context)
  }
  let isBound = leading == .footprint && context.row?.footprintIsLowerBound == true
  let format = isBound ? NumberFormat.bytesAfterMark : NumberFormat.bytes
  var pen = drawGauge(
    &canvas, frame, label: label.text(context.language), role: .memory, metric: leading,
    format: format, share: share, mark: mark, isAlert: context.isNearMemoryLimit,
    context)
  if isBound, let value {
    drawLowerBound(&canvas, frame, label: label.text(context.language), format(value), context)
  }
  if context.isOverlay { return }
  if isLimited, let share, let limit, let source = context.row?.limitSource {
    drawShare(
      &canvas, &pen, share, of: NumberFormat.roundBytes(limit), source.word.text(context.language),
      context)
  } else if let full, value != nil {
    var text = ShortText(context.state.isASCII ? "0-" : "0–")
    text.append(NumberFormat.roundBytes(full))
    let barEnd = pen.column
    pen.text(text, .dim, gap: 1, on: &canvas)
    pen.alignNotes(after: barEnd, frame)
  }
  if let peak {
    pen.pair(
      Word.peak.text(context.language), context.memoryPeak(NumberFormat.bytes(peak)), on: &canvas)
  }
  drawOtherMetrics(&canvas, &pen, leading, context)
}

extension DrawContext {
  /// A peak of the leading memory metric, with its mark if it is a lower bound.
  func memoryPeak(_ bytes: ShortText) -> ShortText {
    guard peaks.memoryIsLowerBound || peaks.hasMissedPeak else { return bytes }
    var text = ShortText(atLeastText)
    text.append(bytes.trimmed)
    return text
  }
}

/// The bytes of a full bar without a limit: a round value that is not below the peak. An axis may end a little below it.
/// The bar of a tiny process is short, since a full one looks like memory that runs out.
private func fullBytes(_ peak: Double) -> Double {
  let high = Axis.bytes(from: 0, to: peak).high
  return max(leastFullBytes, high >= peak ? high : Axis.bytes(from: 0, to: high * 1.25).high)
}

/// The least bytes of a full bar.
private let leastFullBytes = 8_388_608.0

/// Draws the value's share of the limit, and which limit it is.
private func drawShare(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ share: Double, of whole: ShortText,
  _ name: StaticString, _ context: DrawContext
) {
  let valueText = NumberFormat.percent(share * 100)
  let of = Word.of.text(context.language)
  guard pen.room >= 1 + valueText.count + 2 + Canvas.width(of) + NumberFormat.bytesWidth else {
    return
  }
  pen.text(valueText, gap: 1, on: &canvas)
  pen.text(of, .dim, gap: 1, on: &canvas)
  pen.text(whole, .dim, gap: 1, on: &canvas)
  pen.text(name, .dim, gap: 1, on: &canvas)
}

/// Draws the memory metrics other than the leading one, if they fit.
private func drawOtherMetrics(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ leading: Metric, _ context: DrawContext
) {
  if leading != .resident, let value = context.row?[.resident].value {
    pen.pair(Word.rss.text(context.language), NumberFormat.bytes(value), on: &canvas)
  }
  if leading != .footprint, let value = context.row?[.footprint].value {
    pen.pair(Word.memory.text(context.language), NumberFormat.bytes(value), on: &canvas)
  }
}
