import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The third row of a full-screen view for a program that draws no frames: its reads and writes, its page faults, what
// it waits for, and at the end of the row, dim, the refresh rate of the HUD itself.

/// The least columns of a row with the refresh rate; a narrower one shows only reads and writes.
private let storageColumns = 34

/// Below this number of columns letters replace the words for reads and writes.
private let shortColumns = 60

func drawStorage(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  var pen = RowPen(frame)
  guard frame.columns >= storageColumns else {
    return drawNarrow(&canvas, &pen, context)
  }
  let end = drawTick(&canvas, frame, context)
  pen = RowPen(
    Rect(row: frame.row, column: frame.column, rows: 1, columns: end - frame.column))
  pen.text(Word.io.text(context.language), .label, on: &canvas)
  guard let row = context.row else { return }
  let language = context.language
  let role: Role = row.hasEnded ? .dim : .text
  if case .absent(let reason) = row[.readRate] {
    pen.text(reason.word.text(language), .dim, gap: 1, on: &canvas)
  }
  drawRate(&canvas, &pen, .reads, row[.readRate].value, role, gap: 1, context)
  drawRate(&canvas, &pen, .writes, row[.writeRate].value, role, gap: 2, context)
  drawWait(&canvas, &pen, row, context)
  drawCount(&canvas, &pen, .faults, row[.minorFaults].value, context)
  drawCount(&canvas, &pen, .majorFaults, row[.majorFaults].value, context)
}

/// Draws reads and writes in as few columns as possible: `I/O r 12K w 4.2M`. If the kernel reports neither, only the
/// refresh rate is shown.
private func drawNarrow(_ canvas: inout Canvas, _ pen: inout RowPen, _ context: DrawContext) {
  guard let row = context.row, let read = row[.readRate].value,
    let written = row[.writeRate].value
  else { return drawTickAlone(&canvas, &pen, context) }
  let role: Role = row.hasEnded ? .dim : .text
  pen.text(Word.io.text(context.language), .label, on: &canvas)
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

/// Draws what the target waits for, if anything.
private func drawWait(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ row: Row, _ context: DrawContext
) {
  guard let metric = context.state.heldBack, !row.hasEnded, let value = row[metric].value,
    let word = metric.waitWord
  else { return }
  let text =
    metric.unit == .percent
    ? NumberFormat.compactPercent(value) : NumberFormat.trimmed(value, unit: metric.unit)
  let label = word.text(context.language)
  guard pen.room >= 3 + Canvas.width(label) + text.count else { return }
  let role: Role = Bottlenecks.isFelt(metric, in: row) ? .alert : .text
  pen.text(label, role, gap: 2, on: &canvas)
  pen.text(text, role, gap: 1, on: &canvas)
}

// MARK: The refresh rate of the HUD

/// `60 FPS`; `nil` without a tick.
private func tickText(_ context: DrawContext) -> ShortText? {
  guard context.run.header.tickPeriod != nil, let value = context.row?[.fps].value else {
    return nil
  }
  var text = NumberFormat.framesPerSecond(value)
  text.append(" FPS")
  return text
}

/// Draws the refresh rate at the end of the row.
///
/// - Returns: the column before which everything to the left of the rate has to end.
private func drawTick(
  _ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext
) -> Int {
  guard let text = tickText(context) else { return frame.endColumn }
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
    pen.text(context.state.isASCII ? "-" : "–", .dim, gap: 1, on: &canvas)
    return
  }
  if Canvas.width(label) + text.count <= pen.room { pen.text(label, .dim, on: &canvas) }
  pen.text(text, .dim, on: &canvas)
}
