import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal

// The row about the output of the program under the overlay: bytes per frame and the time from key to frame.

/// Draws the bytes per frame of the program, and the time from key to frame.
///
/// For a program that draws no frames, or if the HUD shows another process than the one beneath it, draws the threads
/// instead, and the wait for a core.
@Sendable func drawOutput(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  if context.hasGrid(frame) { return drawOutputGrid(&canvas, frame, context) }
  var pen = RowPen(frame)
  // As in the rows above.
  let isNarrow = !context.hasSparklines(frame)
  let valueEnd =
    isNarrow ? frame.column + 4 + gaugeValueWidth : SparklineColumns(frame).value.upperBound
  if context.outputShowsThreads {
    pen.text(Word.threads.text(context.language), .dim, on: &canvas)
    if let threads = context.row?[.threads].value {
      var text = ShortText()
      text.append(threads, decimals: 0)
      pen.column = max(pen.column + 1, valueEnd - text.count)
      pen.text(text, on: &canvas)
    } else if context.row == nil {
      pen.text(Word.absentPending.text(context.language), .dim, gap: 1, on: &canvas)
    }
  } else {
    pen.text(Word.output.text(context.language), .label, on: &canvas)
    if let value = context.row?[.bytesPerFrame].value {
      let text =
        isNarrow ? NumberFormat.bytes(value).trimmed : NumberFormat.compactBytes(value)
      pen.column = max(pen.column + 1, valueEnd - text.count)
      pen.text(text, context.row?.hasEnded == true ? .dim : .text, on: &canvas)
      pen.text(Word.perFrame.text(context.language), .dim, on: &canvas)
    } else {
      let word = context.widgetState(.bytesPerFrame).reason.word.text(context.language)
      pen.column = max(pen.column + 1, valueEnd - Canvas.width(word))
      pen.text(word, .dim, on: &canvas)
    }
  }
  let row = SparklineRow(frame, context)
  guard !isNarrow, row.columns.note.count > 0, pen.column < row.columns.note.lowerBound else {
    return
  }
  drawOutputNote(&canvas, row, context)
}

extension DrawContext {
  /// Whether the row about the output shows the threads instead.
  var outputShowsThreads: Bool {
    row?[.bytesPerFrame] == .absent(.notRequested) || !showsFrames
  }
}

/// Draws the time from a key to the frame that answers it, unless the row above has it. Without frames, draws the wait
/// for a core.
private func drawOutputNote(
  _ canvas: inout Canvas, _ row: SparklineRow, _ context: DrawContext
) {
  guard let values = context.row else { return }
  guard context.showsFrames else {
    guard let wait = values[.cpuWait].value else { return }
    let label = Word.columnWait.text(context.language)
    let long = context.waitText(.cpuWait, wait)
    let isLong = Canvas.width(label) + Canvas.width(long) < row.columns.note.count
    let text = isLong ? long : context.waitText(.cpuWait, wait, isShort: true)
    return row.note(label, text, on: &canvas)
  }
  guard !values.drawsOnlyAfterKeys else { return }
  let label = Word.keyToFrame.text(context.language)
  switch values[.keyToFrame] {
  case .value(let answer):
    row.note(label, NumberFormat.shortMilliseconds(answer), on: &canvas)
  case .absent(.unclear):
    row.note(label, ShortText(context.dashText), on: &canvas)
  case .absent: break
  }
}
