import Base
import Metrics
import Sampler
import Terminal

// The gauges: one row each with label, figure, bar and, where there is room, what belongs to it.

/// Columns of label and figure before the bar.
private let figureWidth = 9

@Sendable func drawCPU(_ canvas: inout Canvas, _ frame: Rect, _ scene: Scene) {
  let usable = scene.row?.usableProcessors.value ?? 1
  let scale = scene.state.cpuOfAll ? max(usable, 0.01) : 1
  let peak = scene.run.peaks.cpu.map { $0 / scale }
  let figure = scene.row?[.cpuWindow].map { $0 / scale }
  let full = scene.state.cpuOfAll ? 100 : barScale(peak: peak ?? 0, processors: usable)
  var pen = drawGauge(
    &canvas, frame, label: Word.cpu.text(scene.language), role: .cpu,
    figure: figure.map { $0.map(NumberFormat.percent) }, share: figure?.value.map { $0 / full },
    alertAbove: nil, scene)
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
  let figure = scene.row?[leading]
  let limit = scene.row?[.memoryLimit].value
  let share: Double? =
    if let value = figure?.value, let limit, limit > 0 { value / limit } else { nil }
  let label =
    leading == .resident
    ? Word.rss : leading == .pss ? Word.pss : Word.memory
  var pen = drawGauge(
    &canvas, frame, label: label.text(scene.language), role: .memory,
    figure: figure.map { $0.map(NumberFormat.bytes) }, share: share, alertAbove: 0.9, scene)
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
  let figure: Reading<ShortText>? = scene.row?[.fps].map { value in
    var text = NumberFormat.framesPerSecond(value)
    text.append(" ")
    text.append(scene.row?.fpsSource?.key ?? "")
    return text
  }
  var pen = drawGauge(
    &canvas, frame, label: "FPS", role: .fps, figure: figure,
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
  figure: Reading<ShortText>?, share: Double?, alertAbove: Double?, _ scene: Scene
) -> RowPen {
  var pen = RowPen(frame)
  let figureEnd = frame.column + Canvas.width(label) + 1 + figureWidth
  guard figureEnd <= frame.endColumn else {
    if let text = figure?.value { pen.text(text, on: &canvas) }
    pen.column = frame.endColumn
    return pen
  }
  pen.text(label, .label, on: &canvas)
  switch figure ?? .absent(.pending) {
  case .value(let text):
    let isAlert = alertAbove.map { (share ?? 0) > $0 } ?? false
    let isStale = scene.row?.hasEnded == true
    let column = max(pen.column + 1, figureEnd - text.count)
    canvas.text(
      text, row: pen.row, column: column, role: isStale ? .dim : isAlert ? .alert : .text)
    pen.column = max(figureEnd, column + text.count)
  case .absent(let reason):
    let word = reason.word.text(scene.language)
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
  let isWide = frame.columns >= lineWidth
  let usable = scene.row?.usableProcessors.value ?? 1
  let scale = scene.state.cpuOfAll ? max(usable, 0.01) : 1
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
  draw(Word.memory.text(scene.language), scene.row?[leading].map(NumberFormat.bytes), stale)
  if let fps = scene.row?[.fps].value {
    var text = NumberFormat.framesPerSecond(fps)
    text.append(" FPS")
    pen.text(text, gap: 1, on: &canvas)
    if let source = scene.row?.fpsSource {
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
