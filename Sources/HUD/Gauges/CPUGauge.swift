import Metrics
import PerfHUDBase
import Sampler
import Terminal

@Sendable func drawCPU(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  if context.hasSparklines(frame) { return drawCPUSparkline(&canvas, frame, context) }
  if context.hasGrid(frame) { return drawCPUGrid(&canvas, frame, context) }
  let usable = context.row?.usableProcessors.value ?? 1
  let scale = context.cpuScale
  let peak = context.peaks.cpu.map { $0 / scale }
  let full =
    context.state.showsCPUOfAllProcessors
    ? 100 : fullCPU(peak: max(peak ?? 0, context.axisShare(of: usable)), processors: usable)
  var pen = drawGauge(
    &canvas, frame, label: Word.cpu.text(context.language), role: .cpu, metric: .cpuWindow,
    format: { NumberFormat.percent($0 / scale) },
    share: context.row?[.cpuWindow].value.map { $0 / scale / full }, context)
  if let row = context.row, row.cpuShareIsLowerBound, let share = row[.cpuWindow].value {
    // Part of what the descendants used is unknown.
    drawLowerBound(
      &canvas, frame, label: Word.cpu.text(context.language),
      NumberFormat.percent(share / scale), context)
  }
  if context.isOverlay {
    if context.state.showsCPUOfAllProcessors {
      drawCoresInPlaceOfBar(&canvas, frame, &pen, usable: usable, context)
    }
    return
  }
  let barEnd = pen.column
  // In a narrow pane the peak, which is nowhere else then, matters more than that a full bar is one core.
  let hasPeakOnly =
    pen.room < leastForBoth && full <= 100 && peak != nil && !context.state.graphShowsGreatestCPU
  if context.row?[.cpuWindow].value != nil, !hasPeakOnly {
    drawFullCPU(&canvas, &pen, full, usable: usable, gap: 1, context)
  }
  pen.alignNotes(after: barEnd, frame)
  let isFromStat = context.row?.cpuSource == .stat
  let system = systemShare(context)
  if context.state.graphShowsGreatestCPU || context.overviewShowsGreatestCPU(pen.room) {
    // The graph has a greatest value. Another one beside it, over a longer time, would contradict it.
    if isFromStat || system == nil || pen.room >= leastForTimeAndSystem(context) {
      drawCPUTime(&canvas, &pen, context)
    }
  } else if let peak {
    drawCPUPeak(&canvas, &pen, peak, context)
  }
  if isFromStat {
    pen.text(Word.cpuFromStat.text(context.language), .alert, gap: 2, on: &canvas)
  }
  if let system, pen.room >= systemWidth(context) {
    pen.pair(Word.systemTime.text(context.language), system, on: &canvas)
  }
}

extension DrawContext {
  /// Whether the greatest CPU share is on the overview, and another tab is shown. Then the row keeps its values from tab to
  /// tab, and none of them contradicts the graph.
  ///
  /// - Parameter room: the columns after the gauge; a narrow graph has no heading with its greatest value.
  fileprivate func overviewShowsGreatestCPU(_ room: Int) -> Bool {
    state.view.tab != .overview && state.view.overview.parts.contains(.cpuGraph)
      && room >= leastForTimeAndSystem(self)
  }

  /// The end of the axis of the graph below, whose values are those of shorter times, as far as there are cores.
  fileprivate func axisShare(of processors: Double) -> Double {
    guard state.graphShowsGreatestCPU, !state.graph.isLog else { return 0 }
    return min(state.axes.cpu.high, 100 * processors)
  }
}

private func drawCPUPeak(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ peak: Double, _ context: DrawContext
) {
  pen.pair(Word.peak.text(context.language), NumberFormat.percent(peak), on: &canvas)
}

/// Columns of ` 100% = 1 core  peak 100.0 %`.
private let leastForBoth = 28

/// Draws the value of a full bar and how many processors it is: `400% = 4 cores`.
private func drawFullCPU(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ full: Double, usable: Double, gap: Int,
  _ context: DrawContext
) {
  let count = context.state.showsCPUOfAllProcessors ? usable : full / 100
  guard count > 0 else { return }
  var text = ShortText()
  text.append(full, decimals: 0)
  text.append("% = ")
  text.append(processors(count))
  text.append(" ")
  text.append((count == 1 ? Word.core : .cores).text(context.language))
  pen.text(text, .dim, gap: gap, on: &canvas)
}

/// Draws the CPU time that the target has used since it began.
private func drawCPUTime(_ canvas: inout Canvas, _ pen: inout RowPen, _ context: DrawContext) {
  guard let text = cpuTimeText(context) else { return }
  pen.pair(Word.cpuTime.text(context.language), text, on: &canvas)
}

private func cpuTimeText(_ context: DrawContext) -> ShortText? {
  guard let row = context.row, let seconds = row[.cpuTime].value else { return nil }
  var text = ShortText()
  if row.cpuTimeIsLowerBound { text = ShortText(context.atLeastText) }
  text.append(NumberFormat.elapsed(seconds: seconds, isFinal: true))
  return text
}

/// The share that the target uses in the kernel: `6.1 %`, `100 %`, or `0 %` for none at all.
private func systemShare(_ context: DrawContext) -> ShortText? {
  guard let row = context.row, let system = row[.systemCPU].value,
    let all = row[.cpuWindow].value
  else { return nil }
  // It is over a longer time than the share of the gauge, which it would contradict just after a load has ended.
  let share = min(system, all) / context.cpuScale
  var text = ShortText()
  if row.lowerBounds.contains(.systemCPU) { text = ShortText(context.atLeastText) }
  text.append(share, decimals: share < 0.05 || share >= 99.95 ? 0 : 1)
  text.append(" %")
  return text
}

/// Columns of `  system 26.8 %`, with one for the mark of a lower bound, which stays once it is there. The same for all
/// shares, so that a share that grows moves nothing.
private func systemWidth(_ context: DrawContext) -> Int {
  let mark = context.row?.lowerBounds.contains(.systemCPU) == true ? 1 : 0
  return 2 + Canvas.width(Word.systemTime.text(context.language)) + 1 + 6 + mark
}

/// Columns of `  cpu time 19.7s  system 26.8 %`.
private func leastForTimeAndSystem(_ context: DrawContext) -> Int {
  let time = cpuTimeText(context).map { max(5, Canvas.width($0)) } ?? 0
  return 2 + Canvas.width(Word.cpuTime.text(context.language)) + 1 + time + systemWidth(context)
}

/// Draws what the share refers to over the bar of a small overlay: there is no room for it after the bar.
private func drawCoresInPlaceOfBar(
  _ canvas: inout Canvas, _ frame: Rect, _ pen: inout RowPen, usable: Double,
  _ context: DrawContext
) {
  guard context.row?[.cpuWindow].value != nil, context.notice == nil else { return }
  let column = frame.column + Canvas.width(Word.cpu.text(context.language)) + 1 + gaugeValueWidth
  guard column < frame.endColumn else { return }
  canvas.fill(" ", row: pen.row, column: column, count: frame.endColumn - column)
  pen.column = column
  pen.text(Word.of.text(context.language), .dim, gap: 1, on: &canvas)
  pen.text(processors(usable), gap: 1, on: &canvas)
  pen.text(Word.cores.text(context.language), .dim, gap: 1, on: &canvas)
}

/// The number of processors, with a decimal only where a quota is not a whole number.
func processors(_ count: Double) -> ShortText {
  var text = ShortText()
  text.append(count, decimals: count == count.rounded() ? 0 : 1)
  return text
}

/// The value of a full bar: one processor until the target has used more, then all processors that it may use. A share
/// may be a little above what is possible, since the ends of a span are not exact; that is no further processor.
func fullCPU(peak: Double, processors: Double) -> Double {
  let tolerance = max(5, 0.05 * peak)
  return peak <= 105 ? 100 : max(100 * processors, ((peak - tolerance) / 100).rounded(.up) * 100)
}
