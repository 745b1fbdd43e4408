import Base
import Metrics
import Sampler
import Terminal

// The gauges: one row each with label, figure, bar and, where there is room, what belongs to it.

@Sendable func drawCPU(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let usable = context.row?.usableProcessors.value ?? 1
  let scale = context.cpuScale
  let peak = context.run.peaks.cpu.map { $0 / scale }
  let full = context.state.cpuOfAll ? 100 : barScale(peak: peak ?? 0, processors: usable)
  var pen = drawGauge(
    &canvas, frame, label: Word.cpu.text(context.language), role: .cpu, metric: .cpuWindow,
    format: { NumberFormat.percent($0 / scale) },
    share: context.row?[.cpuWindow].value.map { $0 / scale / full }, alertAbove: nil, context)
  if let row = context.row, row.cpuShareIsLowerBound, let share = row[.cpuWindow].value {
    // What some descendants used is not known.
    drawLowerBound(
      &canvas, frame, label: Word.cpu.text(context.language),
      NumberFormat.percent(share / scale), context)
  }
  if context.hasOneNote(frame) {
    drawCPUNote(&canvas, &pen, full: full, peak: peak, usable: usable, context)
    return
  }
  if context.isOverlay, peak == nil { return }
  if let peak {
    pen.pair(Word.peak.text(context.language), NumberFormat.percent(peak), on: &canvas)
  }
  if context.state.cpuOfAll, usable > 0 {
    var text = ShortText()
    text.append("100% = ")
    text.append(processors(usable))
    text.append(" ")
    if Canvas.width(Word.cores.text(context.language)) + text.count + 2 <= pen.room {
      pen.text(text, .dim, gap: 2, on: &canvas)
      pen.text(Word.cores.text(context.language), .dim, on: &canvas)
    }
  } else {
    // An overlay has seldom room for both.
    if !context.isOverlay || full <= 100 {
      pen.text(Word.oneCore.text(context.language), .dim, gap: 2, on: &canvas)
    }
    if full > 100 {
      pen.pair(Word.fullBar.text(context.language), NumberFormat.percent(full), on: &canvas)
    }
  }
  if context.row?.cpuSource == .stat {
    pen.text(Word.cpuFromStat.text(context.language), .alert, gap: 2, on: &canvas)
  }
}

/// Marks the value of a gauge as a lower bound, in front of it.
private func drawLowerBound(
  _ canvas: inout Canvas, _ frame: Rect, label: StaticString, _ value: ShortText,
  _ context: DrawContext
) {
  let end = frame.column + Canvas.width(label) + 1 + figureWidth
  let figure = value.trimmedText
  guard end <= frame.endColumn, figure.utf8.count <= figureWidth else { return }
  canvas.put(
    context.glyph("≥", ">"), row: frame.row, column: end - figure.utf8.count - 1, role: .dim)
}

/// What the bar is a part of, or the peak while that is one core.
private func drawCPUNote(
  _ canvas: inout Canvas, _ pen: inout RowPen, full: Double, peak: Double?, usable: Double,
  _ context: DrawContext
) {
  if context.state.cpuOfAll {
    pen.text(Word.of.text(context.language), .dim, gap: 1, on: &canvas)
    pen.text(processors(usable), gap: 1, on: &canvas)
    pen.text(Word.cores.text(context.language), .dim, gap: 1, on: &canvas)
  } else if full > 100 {
    var text = ShortText()
    text.append(full, decimals: 0)
    text.append(" %")
    pen.text(Word.of.text(context.language), .dim, gap: 1, on: &canvas)
    pen.text(text, gap: 1, on: &canvas)
  } else if let peak {
    pen.note(Word.peak.text(context.language), NumberFormat.percent(peak), on: &canvas)
  }
}

/// How many there are, with a decimal only where a quota is no whole number.
private func processors(_ count: Double) -> ShortText {
  var text = ShortText()
  text.append(count, decimals: count == count.rounded() ? 0 : 1)
  return text
}

/// One processor fills the bar until the target has used more; then all that it may use.
private func barScale(peak: Double, processors: Double) -> Double {
  peak <= 105 ? 100 : max(100 * processors, (peak / 100).rounded(.up) * 100)
}

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
    let figure = NumberFormat.percent(share * 100)
    let of = Word.of.text(context.language)
    if pen.room >= 1 + figure.count + 2 + Canvas.width(of) + NumberFormat.bytesWidth {
      pen.text(figure, gap: 1, on: &canvas)
      pen.text(of, .dim, gap: 1, on: &canvas)
      pen.text(NumberFormat.bytes(limit), .dim, gap: 1, on: &canvas)
      pen.text(source.word.text(context.language), .dim, gap: 1, on: &canvas)
    }
  }
  if let peak = context.run.peaks.memoryHigh {
    pen.pair(Word.peak.text(context.language), NumberFormat.bytes(peak), on: &canvas)
  }
}

@Sendable func drawFPS(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let source = context.row?.fpsSource
  let tick = source == .terminal || source == .app ? nil : context.run.header.tickPeriod
  let full = tick.map { 1e9 / Double($0) } ?? 60
  // In a pane the source belongs to the figure; in an overlay it has no room there.
  let suffix = context.isOverlay ? nil : source?.key
  func format(_ value: Double) -> ShortText {
    var text = NumberFormat.framesPerSecond(value)
    if let suffix {
      text.append(" ")
      text.append(suffix)
    }
    return text
  }
  let isIdle = context.row?.isIdle == true
  var pen = drawGauge(
    &canvas, frame, label: "FPS", role: .fps, metric: .fps, format: format,
    share: isIdle ? 0 : context.row?[.fps].value.map { $0 / full }, alertAbove: nil,
    word: isIdle ? Word.idle.text(context.language) : nil, suffix: suffix, context)
  guard let row = context.row, isIdle || row[.fps].value != nil else { return }
  if row.fpsIsLowerBound, !isIdle, let value = row[.fps].value {
    // Frames were too close to one another to be told apart.
    drawLowerBound(&canvas, frame, label: "FPS", format(value), context)
  }
  if context.isOverlay, let source {
    let isNarrow = context.hasOneNote(frame)
    pen.text(source.key, .dim, gap: isNarrow ? 1 : 2, on: &canvas)
    if isNarrow { return }
  }
  if let value = row[.frameMedian].value {
    pen.pair("p50", NumberFormat.milliseconds(value), on: &canvas)
  }
  if let value = row[.frameP99].value {
    pen.pair("p99", NumberFormat.milliseconds(value), on: &canvas)
  }
  // An overlay has them in the row below.
  if !context.isOverlay { drawHitches(&canvas, &pen, row, context) }
}

func drawHitches(_ canvas: inout Canvas, _ pen: inout RowPen, _ row: Row, _ context: DrawContext) {
  guard let value = row[.hitches].value else { return }
  var text = ShortText()
  text.append(value, decimals: 1)
  text.append(" ms/s")
  pen.pair(Word.hitches.text(context.language), text, on: &canvas)
}

/// Columns of a frame rate where there is little room: ` 60FPS`.
private let shortFramesWidth = 6
/// Columns of CPU and memory in one row.
private let lineWidth = 25

/// All there is to see in one row.
@Sendable func drawLine(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  var pen = RowPen(frame)
  // The frame rate is worth more than the labels.
  let hasFrames = context.run.header.tickPeriod != nil || context.row?.fpsSource != nil
  let frames = hasFrames ? 1 + shortFramesWidth : 0
  let isWide = frame.columns >= lineWidth + (context.state.cpuOfAll ? 2 : 0) + frames
  let scale = context.cpuScale
  let leading = context.run.header.memory.metric
  func draw(
    _ label: StaticString, _ figure: Reading<ShortText>?, _ role: Role, isBound: Bool = false
  ) {
    let gap = pen.column == frame.column ? 0 : 1
    if isWide { pen.text(label, .label, gap: gap, on: &canvas) }
    switch figure ?? .absent(.pending) {
    case .value(let text):
      let isMarked = isBound && isWide && pen.room > text.count
      if isMarked { pen.text(context.state.isASCII ? ">" : "≥", .dim, on: &canvas) }
      pen.text(text, role, gap: isMarked ? 0 : isWide ? 1 : gap, on: &canvas)
    case .absent(let reason):
      pen.text(reason.word.text(context.language), .dim, gap: 1, on: &canvas)
    }
  }
  let stale: Role = context.row?.hasEnded == true ? .dim : .text
  let notice = context.notice
  var isNoticed = notice == nil
  if let text = notice?.text(context.language), frame.columns > lineWidth + Canvas.width(text) {
    isNoticed = pen.text(text, .notice, on: &canvas)
  }
  draw(
    Word.cpu.text(context.language),
    context.row?[.cpuWindow].map { NumberFormat.percent($0 / scale) }, stale)
  if context.state.cpuOfAll, isWide { pen.text("/N", .dim, on: &canvas) }
  let isBound = leading == .footprint && context.row?.footprintIsLowerBound == true
  draw(
    Word.memory.text(context.language), context.row?[leading].map(NumberFormat.bytes), stale,
    isBound: isBound)
  if let fps = context.row?[.fps].value {
    var text = NumberFormat.framesPerSecond(fps)
    text.append(" FPS")
    if pen.text(text, gap: 1, on: &canvas) {
      if let source = context.row?.fpsSource { pen.text(source.key, .dim, gap: 1, on: &canvas) }
    } else if pen.room >= shortFramesWidth + 1 {
      let text = shortFigure(.fps, fps)
      pen.column += 1 + max(0, shortFramesWidth - text.count)
      pen.text(text, on: &canvas)
    }
  }
  if !isNoticed, pen.room > 1 {
    pen.column += 1
    pen.noticeMark(context, on: &canvas)
  }
  guard let row = context.row, pen.room >= 12 else { return }
  var place = pen.column + 2
  place = canvas.text(
    context.state.name, row: pen.row, column: place, width: frame.endColumn - place, role: .title,
    ellipsis: context.glyph("…", "~"))
  guard row.pid > 0 else { return }
  var pid = ShortText()
  pid.append(decimal: Int(row.pid))
  if place + 1 + pid.count <= frame.endColumn {
    canvas.text(pid, row: pen.row, column: place + 1, role: .dim)
  }
}
