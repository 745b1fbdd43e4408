import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The third row for a program that draws no frames: its reads and writes, its page faults, and in a full-screen view at
// the end of the row what it waits for, and the refresh rate of the HUD itself while that is too low.

/// The least columns of a row with labels; a narrower one shows only reads and writes.
private let storageColumns = 34

/// Below this number of columns letters replace the words for reads and writes.
private let shortColumns = 60

func drawStorage(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  var pen = RowPen(frame)
  guard frame.columns >= storageColumns else {
    return context.isOverlay
      ? drawStorageSum(&canvas, frame, context) : drawNarrow(&canvas, &pen, context)
  }
  let end = drawTick(&canvas, frame, context)
  pen = RowPen(
    Rect(row: frame.row, column: frame.column, rows: 1, columns: end - frame.column))
  pen.text(Word.disk.text(context.language), .fpsLabel, on: &canvas)
  guard let row = context.row else {
    pen.text(Word.absentPending.text(context.language), .dim, gap: 1, on: &canvas)
    return
  }
  let language = context.language
  let role: Role = row.hasEnded ? .dim : .text
  if case .absent(let reason) = row[.readRate] {
    pen.text(reason.word.text(language), .dim, gap: 1, on: &canvas)
  }
  drawRate(&canvas, &pen, .reads, row[.readRate].value, role, gap: 1, context)
  drawRate(&canvas, &pen, .writes, row[.writeRate].value, role, gap: 2, context)
  drawWait(&canvas, &pen, row, context)
  drawFaults(&canvas, &pen, row, context)
}

/// Draws the page faults behind a line, because they are of memory: only major ones reach storage.
private func drawFaults(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ row: Row, _ context: DrawContext
) {
  if let value = row[.minorFaults].value {
    let label = Word.pageFaults.text(context.language)
    let text = NumberFormat.count(value)
    guard 4 + Canvas.width(label) + text.count <= pen.room else { return }
    canvas.put(context.glyph("│", "|"), row: pen.row, column: pen.column + 2, role: .track)
    pen.column += 3
    pen.pair(label, text, gap: 1, on: &canvas)
  }
  drawCount(&canvas, &pen, .majorFaults, row[.majorFaults].value, context)
}

/// Draws the sum of reads and writes like the gauges above it, with a sparkline in place of their bars.
private func drawStorageSum(
  _ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext
) {
  let label = Word.io.text(context.language)
  let labelColumns = Canvas.width(label) + 1
  let isLabeled = labelColumns + gaugeValueWidth <= frame.columns
  let valueStart = frame.column + (isLabeled ? labelColumns : 0)
  let valueEnd = min(frame.endColumn, valueStart + gaugeValueWidth)
  if isLabeled { canvas.text(label, row: frame.row, column: frame.column, role: .fpsLabel) }
  guard let value = context.storageRate else {
    let reason = context.widgetState(.readRate).reason.word.text(context.language)
    let width = Canvas.width(reason)
    if width <= frame.endColumn - valueStart {
      canvas.text(reason, row: frame.row, column: max(valueStart, valueEnd - width), role: .dim)
    } else {
      canvas.put(context.dash, row: frame.row, column: valueEnd - 1, role: .dim)
    }
    return
  }
  let text = NumberFormat.compactRate(value)
  guard text.count <= valueEnd - valueStart else { return }
  canvas.text(
    text, row: frame.row, column: valueEnd - text.count,
    role: context.row?.hasEnded == true ? .dim : .text)
  let graph = valueEnd + 1..<max(valueEnd + 1, frame.endColumn)
  guard isLabeled, graph.count >= leastSparkline else { return }
  let greatest = Sparkline.greatest(.io, cells: graph.count, context)
  Sparkline(series: .io, axis: .sparklineBytes(to: greatest, least: 65_536), role: .fps)
    .draw(&canvas, row: frame.row, columns: graph, context)
}

/// The least columns of a sparkline after a value.
private let leastSparkline = 3

extension DrawContext {
  /// Bytes read from storage and written to it, per second; `nil` where the kernel reports neither.
  var storageRate: Double? {
    guard let read = row?[.readRate].value else { return nil }
    return read + (row?[.writeRate].value ?? 0)
  }
}

/// Draws reads and writes in as few columns as possible: `DISK r 12K w 4.2M`. If the kernel reports neither, only the
/// refresh rate is shown.
private func drawNarrow(_ canvas: inout Canvas, _ pen: inout RowPen, _ context: DrawContext) {
  guard let row = context.row, let read = row[.readRate].value,
    let written = row[.writeRate].value
  else { return drawTickAlone(&canvas, &pen, context) }
  let role: Role = row.hasEnded ? .dim : .text
  pen.text(Word.disk.text(context.language), .fpsLabel, on: &canvas)
  drawShort(&canvas, &pen, "r", read, role)
  drawShort(&canvas, &pen, "w", written, role)
}

private func drawShort(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ letter: StaticString, _ value: Double, _ role: Role
) {
  let text = NumberFormat.shortBytes(value)
  let gap = 1 + NumberFormat.shortBytesWidth - text.count
  guard pen.room >= 2 + gap + text.count else { return }
  pen.text(letter, .dim, gap: 1, on: &canvas)
  pen.text(text, role, gap: gap, on: &canvas)
}

/// Draws a rate in columns of its own, so that nothing after it moves.
private func drawRate(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ word: Word, _ value: Double?, _ role: Role,
  gap: Int, _ context: DrawContext
) {
  guard let value else { return }
  let letter: StaticString = word == .reads ? "r" : "w"
  let label = canvas.grid.size.columns < shortColumns ? letter : word.text(context.language)
  guard gap + Canvas.width(label) + 1 + NumberFormat.compactWidth <= pen.room else { return }
  let text = NumberFormat.compactRate(value)
  pen.text(label, .dim, gap: gap, on: &canvas)
  pen.text(text, role, gap: 1 + NumberFormat.compactWidth - text.count, on: &canvas)
}

private func drawCount(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ word: Word, _ value: Double?,
  _ context: DrawContext
) {
  guard let value else { return }
  pen.pair(word.text(context.language), NumberFormat.count(value), on: &canvas)
}

extension DrawContext {
  /// How long the target waits, marked if that is a lower bound for its processes.
  ///
  /// - Parameter isShort: whether a share has no decimals and no blank.
  func waitText(_ metric: Metric, _ value: Double, isShort: Bool = false) -> ShortText {
    var text = ShortText()
    if lacksProcesses(metric) { text.append(atLeastText) }
    guard metric.unit == .percent else {
      text.append(NumberFormat.trimmed(value, unit: metric.unit))
      return text
    }
    if isShort {
      // Rounded down, so that a lower bound stays one.
      text.append(value.rounded(.down), decimals: 0)
      text.append("%")
    } else {
      text.append(NumberFormat.compactPercent(value))
    }
    return text
  }
}

extension DrawContext {
  /// What a wait is called before its value: `waits for CPU`, or where that does not fit its name, `cpu wait`; `nil` if
  /// neither fits, or if the metric is no wait.
  ///
  /// - Parameter room: the columns for both, with a blank between them.
  func waitLabel(_ metric: Metric, _ text: ShortText, room: Int) -> StaticString? {
    guard let word = metric.waitWord else { return nil }
    let rest = room - 1 - Canvas.width(text)
    let long = word.text(language)
    let label = Canvas.width(long) <= rest ? long : metric.label.text(language)
    return Canvas.width(label) <= rest ? label : nil
  }
}

/// Draws what the target waits for, if anything.
private func drawWait(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ row: Row, _ context: DrawContext
) {
  guard let metric = context.state.values.wait, !row.hasEnded, let value = row[metric].value
  else { return }
  let text = context.waitText(metric, value)
  guard let label = context.waitLabel(metric, text, room: pen.room - 2) else { return }
  let role: Role = Bottlenecks.isFelt(metric, in: row) ? .alert : .text
  // At the right end, because it does not belong to the reads and writes.
  let column = pen.end - Canvas.width(label) - 1 - Canvas.width(text)
  let labelEnd = canvas.text(label, row: pen.row, column: column, role: role)
  canvas.text(text, row: pen.row, column: labelEnd + 1, role: role)
  pen.end = column - 1
}

// MARK: The refresh rate of the HUD

extension DrawContext {
  /// Whether the HUD itself serves less than nine tenths of its ticks.
  fileprivate var isLate: Bool {
    guard let period = run.header.tickPeriod, let value = row?[.fps].value,
      row?.hasEnded == false
    else { return false }
    return value * Double(period) < 0.9e9
  }
}

/// `60 FPS`; `nil` without a tick.
func tickText(_ context: DrawContext) -> ShortText? {
  guard context.run.header.tickPeriod != nil, let value = context.row?[.fps].value else {
    return nil
  }
  var text = NumberFormat.framesPerSecond(value)
  text.append(" FPS")
  return text
}

/// Draws the refresh rate at the end of the row if the HUD is late: the machine is overloaded, and what the HUD shows may
/// be old.
///
/// - Returns: the column before which everything to the left of the rate has to end.
private func drawTick(
  _ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext
) -> Int {
  guard context.isLate, let text = tickText(context) else { return frame.endColumn }
  let label = Word.hudTick.text(context.language)
  let column = frame.endColumn - Canvas.width(label) - text.count
  let end = canvas.text(label, row: frame.row, column: column, role: .dim)
  canvas.text(text, row: frame.row, column: end, role: .dim)
  return column - 1
}

/// Draws the refresh rate in a row with no room for anything else.
private func drawTickAlone(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ context: DrawContext
) {
  let label = Word.hudTick.text(context.language)
  guard let text = tickText(context) else {
    pen.text(label, .dim, on: &canvas)
    pen.text(context.dashText, .dim, gap: 1, on: &canvas)
    return
  }
  if Canvas.width(label) + text.count <= pen.room { pen.text(label, .dim, on: &canvas) }
  pen.text(text, .dim, on: &canvas)
}
