import Base
import Metrics
import Sampler
import Terminal

// The gauges: one row each with label, figure, bar and, where there is room, what belongs to it.

/// Columns of label and figure before the bar.
private let figureWidth = 9

@Sendable func drawCPU(_ canvas: inout Canvas, _ frame: Rect, _ scene: Scene) {
  let usable = scene.row?.usableProcessors.value ?? 1
  let scale = scene.cpuScale
  let peak = scene.run.peaks.cpu.map { $0 / scale }
  let full = scene.state.cpuOfAll ? 100 : barScale(peak: peak ?? 0, processors: usable)
  var pen = drawGauge(
    &canvas, frame, label: Word.cpu.text(scene.language), role: .cpu, metric: .cpuWindow,
    format: { NumberFormat.percent($0 / scale) },
    share: scene.row?[.cpuWindow].value.map { $0 / scale / full }, alertAbove: nil, scene)
  if let peak {
    pen.pair(Word.peak.text(scene.language), NumberFormat.percent(peak), on: &canvas)
  }
  if scene.state.cpuOfAll, usable > 0 {
    var text = ShortText()
    text.append("100% = ")
    text.append(usable, decimals: usable == usable.rounded() ? 0 : 1)
    text.append(" ")
    if Canvas.width(Word.cores.text(scene.language)) + text.count + 2 <= pen.room {
      pen.text(text, .dim, gap: 2, on: &canvas)
      pen.text(Word.cores.text(scene.language), .dim, on: &canvas)
    }
  } else {
    pen.text(Word.oneCore.text(scene.language), .dim, gap: 2, on: &canvas)
    // Who looks at the bar must know that it means more than one core now.
    if full > 100 {
      pen.pair(Word.fullBar.text(scene.language), NumberFormat.percent(full), on: &canvas)
    }
  }
  if scene.row?.cpuSource == .stat {
    pen.text(Word.cpuFromStat.text(scene.language), .alert, gap: 2, on: &canvas)
  }
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
  let full = scene.run.header.tickPeriod.map { 1e9 / Double($0) } ?? 60
  func format(_ value: Double) -> ShortText {
    var text = NumberFormat.framesPerSecond(value)
    text.append(" ")
    text.append(scene.row?.fpsSource?.key ?? "")
    return text
  }
  var pen = drawGauge(
    &canvas, frame, label: "FPS", role: .fps, metric: .fps, format: format,
    share: scene.row?[.fps].value.map { $0 / full }, alertAbove: nil, scene)
  guard let row = scene.row, row[.fps].value != nil else { return }
  if let value = row[.frameMedian].value {
    pen.pair("p50", NumberFormat.milliseconds(value), on: &canvas)
  }
  if let value = row[.frameP99].value {
    pen.pair("p99", NumberFormat.milliseconds(value), on: &canvas)
  }
  if let value = row[.hitches].value {
    var text = ShortText()
    text.append(value, decimals: 1)
    text.append(" ms/s")
    pen.pair(Word.hitches.text(scene.language), text, on: &canvas)
  }
}

/// Draws label, figure and bar; returns the pen behind them for what else there is room for.
///
/// A figure is shown whole or not at all; where there is no room for the label it stands alone.
private func drawGauge(
  _ canvas: inout Canvas, _ frame: Rect, label: StaticString, role: Role,
  metric: Metric, format: (Double) -> ShortText, share: Double?, alertAbove: Double?,
  _ scene: Scene
) -> RowPen {
  var pen = RowPen(frame)
  let state = scene.widgetState(metric)
  let figure = scene.row?[metric].value.map(format)
  let figureEnd = frame.column + Canvas.width(label) + 1 + figureWidth
  guard figureEnd <= frame.endColumn else {
    if let figure { pen.text(figure, on: &canvas) }
    pen.column = frame.endColumn
    return pen
  }
  pen.text(label, .label, on: &canvas)
  if let figure {
    let isAlert = alertAbove.map { (share ?? 0) > $0 } ?? false
    let column = max(pen.column + 1, figureEnd - figure.count)
    canvas.text(
      figure, row: pen.row, column: column,
      role: state == .stale ? .dim : isAlert ? .alert : .text)
    pen.column = max(figureEnd, column + figure.count)
  } else {
    let word = state.reason.word.text(scene.language)
    let width = Canvas.width(word)
    if pen.column + 1 + width <= frame.endColumn {
      canvas.text(
        word, row: pen.row, column: max(pen.column + 1, figureEnd - width), role: .dim)
      pen.column = max(figureEnd, pen.column + 1 + width)
    } else {
      canvas.put(scene.glyph("–", "-"), row: pen.row, column: figureEnd - 1, role: .dim)
      pen.column = figureEnd
    }
    return pen
  }
  if role == .cpu, canvas.grid.size.rows < Layout.titleRows, let notice = scene.notice {
    pen.text(notice.text(scene.language), .notice, gap: 1, on: &canvas)
  }
  let room = pen.room - 1
  guard room >= 4 else { return pen }
  let width = room < 22 ? room : min(48, max(9, room / 3 - 1))
  if let share {
    drawBar(
      &canvas, row: pen.row, column: pen.column + 1, width: width, share: share, role: role, scene)
  }
  pen.column += 1 + width
  return pen
}

/// A bar in eighths of a cell, on a track.
private func drawBar(
  _ canvas: inout Canvas, row: Int, column: Int, width: Int, share: Double, role: Role,
  _ scene: Scene
) {
  let share = min(1, max(0, share))
  let fullGlyph = scene.glyph("█", "#")
  let track = scene.glyph("·", ".")
  let eighths = Int((share * Double(width * 8)).rounded())
  let whole = scene.state.isASCII ? (eighths + 4) / 8 : eighths / 8
  canvas.fill(fullGlyph, row: row, column: column, count: whole, role: role)
  var place = whole
  if !scene.state.isASCII, eighths % 8 > 0, place < width {
    let partial = Unicode.Scalar(UInt32(0x2590 - eighths % 8)) ?? "▏"
    canvas.put(partial, row: row, column: column + place, role: role)
    place += 1
  }
  canvas.fill(track, row: row, column: column + place, count: width - place, role: .track)
}

/// Columns of CPU and memory in one row.
private let lineWidth = 25

/// All there is to see in one row.
@Sendable func drawLine(_ canvas: inout Canvas, _ frame: Rect, _ scene: Scene) {
  var pen = RowPen(frame)
  let isWide = frame.columns >= lineWidth + (scene.state.cpuOfAll ? 2 : 0)
  let scale = scene.cpuScale
  let leading = scene.run.header.memory.metric
  func draw(_ label: StaticString, _ figure: Reading<ShortText>?, _ role: Role) {
    let gap = pen.column == frame.column ? 0 : 1
    if isWide { pen.text(label, .label, gap: gap, on: &canvas) }
    switch figure ?? .absent(.pending) {
    case .value(let text): pen.text(text, role, gap: isWide ? 1 : gap, on: &canvas)
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
  draw(Word.memory.text(scene.language), scene.row?[leading].map(NumberFormat.bytes), stale)
  if let fps = scene.row?[.fps].value {
    var text = NumberFormat.framesPerSecond(fps)
    text.append(" FPS")
    if pen.text(text, gap: 1, on: &canvas), let source = scene.row?.fpsSource {
      pen.text(source.key, .dim, gap: 1, on: &canvas)
    }
  }
  if !isNoticed { pen.text(notice == .paused ? "=" : "X", .notice, gap: 1, on: &canvas) }
  guard let row = scene.row, pen.room >= 12 else { return }
  var place = pen.column + 2
  place = canvas.text(
    scene.state.name, row: pen.row, column: place, width: frame.endColumn - place, role: .title,
    ellipsis: scene.glyph("…", "~"))
  var pid = ShortText()
  pid.append(decimal: Int(row.pid))
  if place + 1 + pid.count <= frame.endColumn {
    canvas.text(pid, row: pen.row, column: place + 1, role: .dim)
  }
}
