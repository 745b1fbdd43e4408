import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The strip with room for labels: `vim │ CPU 1.7 % │ MEM 48.3M │ FPS  30`.

extension DrawContext {
  /// The role of a value in the color of its metric: dim if it will not change any more.
  func valueRole(_ role: Role) -> Role { row?.hasEnded == true ? .dim : role }
}

/// A strip with the name first, and values in the colors of their metrics behind dim labels. All columns but those of
/// the name are the same whatever the values. A wait that the user feels takes the place of reads and writes.
struct LabeledStrip {
  private let cpu: StaticString
  private let memory: StaticString
  private let rate: StaticString
  private let rateWidth: Int

  /// The columns of a share or bytes: `1540%`, `48.3M`.
  private static let valueWidth = 5
  /// The columns of a frame rate, or `idle`.
  private static let frameWidth = 4
  /// The columns of a separator.
  private static let separatorWidth = 3
  /// The least columns of a name.
  private static let leastName = 4
  /// A longer name would displace the values to its right.
  private static let mostName = 24

  init(_ context: DrawContext) {
    let word: Word =
      switch context.run.header.memory {
      case .footprint: .memory
      case .rss: .rss
      case .pss: .pss
      }
    cpu = Word.cpu.text(context.language)
    memory = word.text(context.language)
    rate = context.showsFrames ? "FPS" : Word.io.text(context.language)
    rateWidth = context.showsFrames ? LabeledStrip.frameWidth : NumberFormat.compactWidth
  }

  /// The columns of all values.
  private var valueColumns: Int {
    Canvas.width(cpu) + Canvas.width(memory) + Canvas.width(rate) + 3 + 2 * LabeledStrip.valueWidth
      + rateWidth + 2 * LabeledStrip.separatorWidth
  }

  /// The least columns of the strip: an alert, or a reason why the values do not change, has a mark before them.
  func columns(_ context: DrawContext) -> Int {
    let isMarked =
      context.notice != nil || context.run.unansweredSince != nil || context.run.alerts.raised > 0
      || context.alertMark != nil
    return valueColumns + (isMarked ? 2 : 0)
  }

  func draw(_ canvas: inout Canvas, _ start: RowPen, _ context: DrawContext) {
    var pen = start
    drawName(&canvas, &pen, context)
    drawCPU(&canvas, &pen, context)
    separate(&canvas, &pen, context)
    drawMemory(&canvas, &pen, context)
    separate(&canvas, &pen, context)
    if !context.showsFrames, drawFeltWait(&canvas, &pen, context) { return }
    drawRate(&canvas, &pen, context)
    drawRest(&canvas, &pen, context)
  }

  /// Draws the name, and before it what is urgent: as a word where that leaves room for the name, else as a mark.
  private func drawName(_ canvas: inout Canvas, _ pen: inout RowPen, _ context: DrawContext) {
    var room = pen.room - valueColumns - LabeledStrip.separatorWidth
    let start = pen.column
    if let text = context.notice?.text(context.language),
      Canvas.width(text) + 1 + LabeledStrip.leastName <= room
    {
      pen.text(text, .notice, on: &canvas)
    } else {
      pen.noticeMark(context, on: &canvas)
    }
    if pen.column > start { pen.column += 1 }
    room = min(room - (pen.column - start), LabeledStrip.mostName)
    guard room >= LabeledStrip.leastName else { return }
    pen.column = canvas.text(
      context.state.values.name, row: pen.row, column: pen.column, width: room, role: .title,
      ellipsis: context.ellipsis)
    separate(&canvas, &pen, context)
  }

  private func separate(_ canvas: inout Canvas, _ pen: inout RowPen, _ context: DrawContext) {
    canvas.put(context.glyph("│", "|"), row: pen.row, column: pen.column + 1, role: .track)
    pen.column += LabeledStrip.separatorWidth
  }

  private func drawCPU(_ canvas: inout Canvas, _ pen: inout RowPen, _ context: DrawContext) {
    label(cpu, &canvas, &pen)
    let share = context.row?[.cpuWindow].value.map { $0 / context.cpuScale }
    value(
      share.map(NumberFormat.shortPercent), context.widgetState(.cpuWindow), .cpu,
      isBound: context.row?.cpuShareIsLowerBound == true, &canvas, &pen, context)
    guard share != nil, context.state.showsCPUOfAllProcessors,
      let count = context.row?.usableProcessors.value
    else { return }
    let text = processors(count)
    let cores = Word.cores.text(context.language)
    let rest = valueColumns - Canvas.width(cpu) - 1 - LabeledStrip.valueWidth
    guard text.count + Canvas.width(cores) + 2 + rest <= pen.room else { return }
    pen.text(text, .dim, gap: 1, on: &canvas)
    pen.text(cores, .dim, gap: 1, on: &canvas)
  }

  private func drawMemory(_ canvas: inout Canvas, _ pen: inout RowPen, _ context: DrawContext) {
    let metric = context.run.header.memory.metric
    label(memory, &canvas, &pen)
    value(
      context.row?[metric].value.map(NumberFormat.compactBytes), context.widgetState(metric),
      .memory, isBound: metric == .footprint && context.row?.footprintIsLowerBound == true,
      &canvas, &pen, context)
  }

  private func drawRate(_ canvas: inout Canvas, _ pen: inout RowPen, _ context: DrawContext) {
    label(rate, &canvas, &pen)
    let end = pen.column + rateWidth
    if !context.showsFrames {
      value(
        context.storageRate.map(NumberFormat.compactRate), context.widgetState(.readRate), .fps,
        width: rateWidth, &canvas, &pen, context)
    } else if let word = context.frameWord?.text(context.language) {
      let text = Canvas.width(word) <= rateWidth ? word : context.dashText
      pen.column = end - Canvas.width(text)
      pen.text(text, .dim, on: &canvas)
    } else {
      value(
        context.row?[.fps].value.map { NumberFormat.framesPerSecond($0).trimmed },
        context.widgetState(.fps), .fps, width: rateWidth,
        isBound: context.row?.fpsIsLowerBound == true, &canvas, &pen, context)
    }
    pen.column = max(pen.column, end)
  }

  /// Draws what the program waits for, in place of reads and writes, if the user feels it.
  ///
  /// - Returns: whether it is drawn.
  private func drawFeltWait(
    _ canvas: inout Canvas, _ pen: inout RowPen, _ context: DrawContext
  ) -> Bool {
    guard hasFeltWait(context), let metric = context.state.values.wait,
      let value = context.row?[metric].value
    else { return false }
    let text = context.waitText(metric, value)
    guard let label = context.waitLabel(metric, text, room: pen.room) else { return false }
    pen.text(label, .alert, on: &canvas)
    pen.text(text, .alert, gap: 1, on: &canvas)
    return true
  }

  /// Draws what the frames cost, if there is room.
  private func drawRest(_ canvas: inout Canvas, _ pen: inout RowPen, _ context: DrawContext) {
    guard context.showsFrames, let row = context.row else { return }
    if row.isIdle || row[.fps].value != nil, let source = row.fpsSource {
      pen.text(source.key, .dim, gap: 1, on: &canvas)
    }
    guard let bytes = row[.bytesPerFrame].value else { return }
    let unit = Word.perFrame.text(context.language)
    let text = NumberFormat.bytes(bytes).trimmed
    guard LabeledStrip.separatorWidth + text.count + Canvas.width(unit) <= pen.room else { return }
    separate(&canvas, &pen, context)
    pen.text(text, context.valueRole(.text), on: &canvas)
    pen.text(unit, .dim, on: &canvas)
  }

  private func label(_ text: StaticString, _ canvas: inout Canvas, _ pen: inout RowPen) {
    pen.text(text, .dim, on: &canvas)
    pen.column += 1
  }

  /// Draws a value at the end of its columns, or a dash where there is none.
  private func value(
    _ text: ShortText?, _ state: WidgetState, _ role: Role,
    width: Int = LabeledStrip.valueWidth, isBound: Bool = false, _ canvas: inout Canvas,
    _ pen: inout RowPen, _ context: DrawContext
  ) {
    let end = pen.column + width
    if let text {
      pen.column = end - text.count
      if isBound {
        canvas.put(context.atLeast, row: pen.row, column: pen.column - 1, role: .dim)
      }
      pen.text(text, context.valueRole(role), on: &canvas)
    } else {
      let word = state.reason.word.text(context.language)
      let text = Canvas.width(word) <= width ? word : context.dashText
      pen.column = end - Canvas.width(text)
      pen.text(text, .dim, on: &canvas)
    }
    pen.column = end
  }
}
