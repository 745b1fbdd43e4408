import Metrics
import PerfHUDBase
import Sampler
import Terminal

// A pane with all gauges in one row.

/// Columns of a rate with little room: ` 60FPS`, `999K/s`.
private let shortFramesWidth = 6

/// Columns of CPU and memory in one row.
private let lineWidth = 25

/// The least columns of CPU and memory with few digits: with their names, and aligned.
private let leastLabeledLine = 17
private let leastShortLine = 9

/// Draws CPU and memory in as few columns as possible: ` 37% 182M`. Below nine columns the memory is left out if it
/// does not fit beside the CPU, as in a single row of five or fewer. From 17 columns on, names come before the values:
/// `CPU  37% MEM 182M`.
///
/// - Parameter hasRate: whether a rate of bytes takes the place of frames; there is no room for it here.
private func drawShortLine(
  _ canvas: inout Canvas, _ pen: inout RowPen, hasRate: Bool, _ context: DrawContext
) {
  let role: Role = context.row?.hasEnded == true ? .dim : .text
  let none = ShortText(context.dashText)
  let cpu =
    context.row?[.cpuWindow].value.map { shortValue(.cpuWindow, $0 / context.cpuScale) } ?? none
  let memory =
    context.row?[context.run.header.memory.metric].value.map(NumberFormat.shortBytes) ?? none
  let isAligned = pen.room >= leastShortLine
  let isLabeled = pen.room >= leastLabeledLine
  if isLabeled {
    pen.text(Word.cpu.text(context.language), .label, on: &canvas)
    pen.column += 1
  }
  if isAligned { pen.column += max(0, 4 - Canvas.width(cpu)) }
  pen.text(cpu, role, on: &canvas)
  if isLabeled { pen.text(Word.memory.text(context.language), .label, gap: 1, on: &canvas) }
  let blanks = isAligned ? NumberFormat.shortBytesWidth - Canvas.width(memory) : 0
  pen.text(memory, role, gap: 1 + max(0, blanks), on: &canvas)
  // A rate of bytes would not say whose it is.
  if !hasRate, pen.room >= 1 + shortFramesWidth + (context.hasNoticeMark ? 2 : 0) {
    let isOfHUD = context.row?.fpsSource == .tick
    if let last = context.row?[.fps].value.map({ shortValue(.fps, $0) }) {
      let gap = 1 + max(0, shortFramesWidth - last.count)
      pen.text(last, isOfHUD ? .dim : role, gap: gap, on: &canvas)
    }
  }
  guard pen.room > 1 else { return }
  pen.column += 1
  pen.noticeMark(context, on: &canvas)
}

/// Draws all gauges in one row.
@Sendable func drawLine(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  var pen = RowPen(frame)
  // The rate of frames, or of bytes, is more important than the labels.
  let rate = context.showsFrames ? nil : context.storageRate.map(NumberFormat.compactRate)
  let hasRate =
    rate != nil || context.run.header.tickPeriod != nil || context.row?.fpsSource != nil
  let frames = hasRate ? 1 + shortFramesWidth : 0
  guard frame.columns >= lineWidth + (context.state.showsCPUOfAllProcessors ? 2 : 0) + frames else {
    return drawShortLine(&canvas, &pen, hasRate: rate != nil, context)
  }
  let scale = context.cpuScale
  let leading = context.run.header.memory.metric
  func draw(
    _ label: StaticString, _ valueText: Reading<ShortText>?, _ role: Role, isBound: Bool = false
  ) {
    pen.text(label, .label, gap: pen.column == frame.column ? 0 : 1, on: &canvas)
    switch valueText ?? .absent(.pending) {
    case .value(let text):
      let isMarked = isBound && pen.room > text.count
      if isMarked { pen.text(context.atLeastText, .dim, on: &canvas) }
      pen.text(text, role, gap: isMarked ? 0 : 1, on: &canvas)
    case .absent(let reason):
      pen.text(reason.word.text(context.language), .dim, gap: 1, on: &canvas)
    }
  }
  let stale: Role = context.row?.hasEnded == true ? .dim : .text
  let notice = context.notice
  var isNoticed = !context.hasNoticeMark
  if let text = notice?.text(context.language), frame.columns > lineWidth + Canvas.width(text) {
    isNoticed = pen.text(text, .notice, on: &canvas)
  }
  draw(
    Word.cpu.text(context.language),
    context.row?[.cpuWindow].map { NumberFormat.percent($0 / scale) }, stale)
  if context.state.showsCPUOfAllProcessors { pen.text("/N", .dim, on: &canvas) }
  let isBound = leading == .footprint && context.row?.footprintIsLowerBound == true
  draw(
    Word.memory.text(context.language), context.row?[leading].map(NumberFormat.bytes), stale,
    isBound: isBound)
  if let rate {
    // In columns of its own, so that nothing after it moves.
    let gap = 1 + NumberFormat.compactWidth - rate.count
    let long = Word.disk.text(context.language)
    let isLong = pen.room >= 1 + Canvas.width(long) + gap + rate.count
    let label = isLong ? long : Word.io.text(context.language)
    if pen.room >= 1 + Canvas.width(label) + gap + rate.count {
      pen.text(label, .label, gap: 1, on: &canvas)
    }
    pen.text(rate, stale, gap: gap, on: &canvas)
    if let tick = tickText(context),
      pen.room >= 2 + Canvas.width(Word.hudTick.text(context.language)) + tick.count
    {
      pen.text(Word.hudTick.text(context.language), .dim, gap: 2, on: &canvas)
      pen.text(tick, .dim, on: &canvas)
    }
  } else if let fps = context.row?[.fps].value {
    var text = NumberFormat.framesPerSecond(fps)
    text.append(" FPS")
    // The refresh rate of the HUD itself is dim, because it says nothing about the program.
    let role: Role = context.row?.fpsSource == .tick ? .dim : .text
    if pen.text(text, role, gap: 1, on: &canvas) {
      if let source = context.row?.fpsSource { pen.text(source.key, .dim, gap: 1, on: &canvas) }
    } else {
      let text = shortValue(.fps, fps)
      pen.text(text, role, gap: 1 + max(0, shortFramesWidth - text.count), on: &canvas)
    }
  }
  if !isNoticed, pen.room > 1 {
    pen.column += 1
    pen.noticeMark(context, on: &canvas)
  }
  guard let row = context.row, pen.room >= 12 else { return }
  var position = pen.column + 2
  position = canvas.text(
    context.state.values.name, row: pen.row, column: position, width: frame.endColumn - position,
    role: .title,
    ellipsis: context.ellipsis)
  guard row.pid > 0 else { return }
  var pid = ShortText()
  pid.append(decimal: Int(row.pid))
  if position + 1 + pid.count <= frame.endColumn {
    canvas.text(pid, row: pen.row, column: position + 1, role: .dim)
  }
}
