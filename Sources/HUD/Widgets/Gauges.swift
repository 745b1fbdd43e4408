import Base
import Metrics
import Sampler
import Terminal

// The gauges: one row each with label, figure, bar and, where there is room, what belongs to it.

@Sendable func drawCPU(_ canvas: inout Canvas, _ frame: Rect, _ scene: Scene) {
  let usable = scene.row?.usableProcessors.value ?? 1
  let scale = scene.cpuScale
  let peak = scene.run.peaks.cpu.map { $0 / scale }
  let full = scene.state.cpuOfAll ? 100 : barScale(peak: peak ?? 0, processors: usable)
  var pen = drawGauge(
    &canvas, frame, label: Word.cpu.text(scene.language), role: .cpu, metric: .cpuWindow,
    format: { NumberFormat.percent($0 / scale) },
    share: scene.row?[.cpuWindow].value.map { $0 / scale / full }, alertAbove: nil, scene)
  if let row = scene.row, row.cpuShareIsLowerBound, let share = row[.cpuWindow].value {
    // What some descendants used is not known.
    drawLowerBound(
      &canvas, frame, label: Word.cpu.text(scene.language),
      NumberFormat.percent(share / scale), scene)
  }
  if scene.hasOneNote(frame) {
    drawCPUNote(&canvas, &pen, full: full, peak: peak, usable: usable, scene)
    return
  }
  if scene.isOverlay, peak == nil { return }
  if let peak {
    pen.pair(Word.peak.text(scene.language), NumberFormat.percent(peak), on: &canvas)
  }
  if scene.state.cpuOfAll, usable > 0 {
    var text = ShortText()
    text.append("100% = ")
    text.append(processors(usable))
    text.append(" ")
    if Canvas.width(Word.cores.text(scene.language)) + text.count + 2 <= pen.room {
      pen.text(text, .dim, gap: 2, on: &canvas)
      pen.text(Word.cores.text(scene.language), .dim, on: &canvas)
    }
  } else {
    // An overlay has seldom room for both.
    if !scene.isOverlay || full <= 100 {
      pen.text(Word.oneCore.text(scene.language), .dim, gap: 2, on: &canvas)
    }
    if full > 100 {
      pen.pair(Word.fullBar.text(scene.language), NumberFormat.percent(full), on: &canvas)
    }
  }
  if scene.row?.cpuSource == .stat {
    pen.text(Word.cpuFromStat.text(scene.language), .alert, gap: 2, on: &canvas)
  }
}

/// Marks the value of a gauge as a lower bound, in front of it.
private func drawLowerBound(
  _ canvas: inout Canvas, _ frame: Rect, label: StaticString, _ value: ShortText, _ scene: Scene
) {
  let end = frame.column + Canvas.width(label) + 1 + figureWidth
  let figure = value.trimmedText
  guard end <= frame.endColumn, figure.utf8.count <= figureWidth else { return }
  canvas.put(
    scene.glyph("≥", ">"), row: frame.row, column: end - figure.utf8.count - 1, role: .dim)
}

/// What the bar is a part of, or the peak while that is one core.
private func drawCPUNote(
  _ canvas: inout Canvas, _ pen: inout RowPen, full: Double, peak: Double?, usable: Double,
  _ scene: Scene
) {
  if scene.state.cpuOfAll {
    pen.text(Word.of.text(scene.language), .dim, gap: 1, on: &canvas)
    pen.text(processors(usable), gap: 1, on: &canvas)
    pen.text(Word.cores.text(scene.language), .dim, gap: 1, on: &canvas)
  } else if full > 100 {
    var text = ShortText()
    text.append(full, decimals: 0)
    text.append(" %")
    pen.text(Word.of.text(scene.language), .dim, gap: 1, on: &canvas)
    pen.text(text, gap: 1, on: &canvas)
  } else if let peak {
    pen.note(Word.peak.text(scene.language), NumberFormat.percent(peak), on: &canvas)
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

@Sendable func drawMemory(_ canvas: inout Canvas, _ frame: Rect, _ scene: Scene) {
  let leading = scene.run.header.memory.metric
  let limit = scene.row?[.memoryLimit].value
  let share: Double? =
    if let value = scene.row?[leading].value, let limit, limit > 0 { value / limit } else { nil }
  let label =
    leading == .resident
    ? Word.rss : leading == .pss ? Word.pss : Word.memory
  var pen = drawGauge(
    &canvas, frame, label: label.text(scene.language), role: .memory, metric: leading,
    format: NumberFormat.bytes, share: share, alertAbove: 0.9, scene)
  if leading == .footprint, let row = scene.row, row.footprintIsLowerBound,
    let value = row[.footprint].value
  {
    drawLowerBound(
      &canvas, frame, label: label.text(scene.language), NumberFormat.bytes(value), scene)
  }
  if scene.hasOneNote(frame) {
    let (word, metric) =
      leading == .resident ? (Word.memory, Metric.footprint) : (.rss, .resident)
    if let value = scene.row?[metric].value {
      pen.note(word.text(scene.language), NumberFormat.bytes(value), on: &canvas)
    }
    return
  }
  if let share, let limit, let source = scene.row?.limitSource {
    let figure = NumberFormat.percent(share * 100)
    let of = Word.of.text(scene.language)
    if pen.room >= 1 + figure.count + 2 + Canvas.width(of) + NumberFormat.bytesWidth {
      pen.text(figure, gap: 1, on: &canvas)
      pen.text(of, .dim, gap: 1, on: &canvas)
      pen.text(NumberFormat.bytes(limit), .dim, gap: 1, on: &canvas)
      pen.text(source.word.text(scene.language), .dim, gap: 1, on: &canvas)
    }
  }
  if let peak = scene.run.peaks.memoryHigh {
    pen.pair(Word.peak.text(scene.language), NumberFormat.bytes(peak), on: &canvas)
  }
}

@Sendable func drawFPS(_ canvas: inout Canvas, _ frame: Rect, _ scene: Scene) {
  let source = scene.row?.fpsSource
  let tick = source == .terminal || source == .app ? nil : scene.run.header.tickPeriod
  let full = tick.map { 1e9 / Double($0) } ?? 60
  // In a pane the source belongs to the figure; in an overlay it has no room there.
  let suffix = scene.isOverlay ? nil : source?.key
  func format(_ value: Double) -> ShortText {
    var text = NumberFormat.framesPerSecond(value)
    if let suffix {
      text.append(" ")
      text.append(suffix)
    }
    return text
  }
  let isIdle = scene.row?.isIdle == true
  var pen = drawGauge(
    &canvas, frame, label: "FPS", role: .fps, metric: .fps, format: format,
    share: isIdle ? 0 : scene.row?[.fps].value.map { $0 / full }, alertAbove: nil,
    word: isIdle ? Word.idle.text(scene.language) : nil, suffix: suffix, scene)
  guard let row = scene.row, isIdle || row[.fps].value != nil else { return }
  if row.fpsIsLowerBound, !isIdle, let value = row[.fps].value {
    // Frames were too close to one another to be told apart.
    drawLowerBound(&canvas, frame, label: "FPS", format(value), scene)
  }
  if scene.isOverlay, let source {
    let isNarrow = scene.hasOneNote(frame)
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
  if !scene.isOverlay { drawHitches(&canvas, &pen, row, scene) }
}

func drawHitches(_ canvas: inout Canvas, _ pen: inout RowPen, _ row: Row, _ scene: Scene) {
  guard let value = row[.hitches].value else { return }
  var text = ShortText()
  text.append(value, decimals: 1)
  text.append(" ms/s")
  pen.pair(Word.hitches.text(scene.language), text, on: &canvas)
}

/// Columns of a frame rate where there is little room: ` 60FPS`.
private let shortFramesWidth = 6
/// Columns of CPU and memory in one row.
private let lineWidth = 25

/// All there is to see in one row.
@Sendable func drawLine(_ canvas: inout Canvas, _ frame: Rect, _ scene: Scene) {
  var pen = RowPen(frame)
  // The frame rate is worth more than the labels.
  let hasFrames = scene.run.header.tickPeriod != nil || scene.row?.fpsSource != nil
  let frames = hasFrames ? 1 + shortFramesWidth : 0
  let isWide = frame.columns >= lineWidth + (scene.state.cpuOfAll ? 2 : 0) + frames
  let scale = scene.cpuScale
  let leading = scene.run.header.memory.metric
  func draw(
    _ label: StaticString, _ figure: Reading<ShortText>?, _ role: Role, isBound: Bool = false
  ) {
    let gap = pen.column == frame.column ? 0 : 1
    if isWide { pen.text(label, .label, gap: gap, on: &canvas) }
    switch figure ?? .absent(.pending) {
    case .value(let text):
      let isMarked = isBound && isWide && pen.room > text.count
      if isMarked { pen.text(scene.state.isASCII ? ">" : "≥", .dim, on: &canvas) }
      pen.text(text, role, gap: isMarked ? 0 : isWide ? 1 : gap, on: &canvas)
    case .absent(let reason):
      pen.text(reason.word.text(scene.language), .dim, gap: 1, on: &canvas)
    }
  }
  let stale: Role = scene.row?.hasEnded == true ? .dim : .text
  let notice = scene.notice
  var isNoticed = notice == nil
  if let text = notice?.text(scene.language), frame.columns > lineWidth + Canvas.width(text) {
    isNoticed = pen.text(text, .notice, on: &canvas)
  }
  draw(
    Word.cpu.text(scene.language),
    scene.row?[.cpuWindow].map { NumberFormat.percent($0 / scale) }, stale)
  if scene.state.cpuOfAll, isWide { pen.text("/N", .dim, on: &canvas) }
  let isBound = leading == .footprint && scene.row?.footprintIsLowerBound == true
  draw(
    Word.memory.text(scene.language), scene.row?[leading].map(NumberFormat.bytes), stale,
    isBound: isBound)
  if let fps = scene.row?[.fps].value {
    var text = NumberFormat.framesPerSecond(fps)
    text.append(" FPS")
    if pen.text(text, gap: 1, on: &canvas) {
      if let source = scene.row?.fpsSource { pen.text(source.key, .dim, gap: 1, on: &canvas) }
    } else if pen.room >= shortFramesWidth + 1 {
      let text = shortFigure(.fps, fps)
      pen.column += 1 + max(0, shortFramesWidth - text.count)
      pen.text(text, on: &canvas)
    }
  }
  if !isNoticed, pen.room > 1 {
    pen.column += 1
    pen.noticeMark(scene, on: &canvas)
  }
  guard let row = scene.row, pen.room >= 12 else { return }
  var place = pen.column + 2
  place = canvas.text(
    scene.state.name, row: pen.row, column: place, width: frame.endColumn - place, role: .title,
    ellipsis: scene.glyph("…", "~"))
  guard row.pid > 0 else { return }
  var pid = ShortText()
  pid.append(decimal: Int(row.pid))
  if place + 1 + pid.count <= frame.endColumn {
    canvas.text(pid, row: pen.row, column: place + 1, role: .dim)
  }
}
