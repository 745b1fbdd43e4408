import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal

// The row about the output of the program under the overlay: bytes per frame and the time from key to frame.

/// Draws the bytes per frame of the program, and the time from key to frame.
///
/// For a program that draws no frames, or if the HUD shows another process than the one beneath it, draws the threads
/// instead, and their context switches if there is room.
@Sendable func drawOutput(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  var pen = RowPen(frame)
  let bytes = context.row?[.bytesPerFrame] ?? .absent(.pending)
  let valueEnd = frame.column + 4 + gaugeValueWidth
  if context.outputShowsThreads {
    let label = Word.threads.text(context.language)
    pen.text(label, .dim, on: &canvas)
    if let threads = context.row?[.threads].value {
      var text = ShortText()
      text.append(threads, decimals: 0)
      pen.column = max(pen.column + 1, valueEnd - text.count)
      pen.text(text, on: &canvas)
    } else if context.row == nil {
      pen.text(Word.absentPending.text(context.language), .dim, gap: 1, on: &canvas)
    }
    if !context.showsFrames { return drawThreadNotes(&canvas, frame, &pen, context) }
  } else {
    pen.text(Word.output.text(context.language), .label, on: &canvas)
    if let value = bytes.value {
      let text = NumberFormat.bytes(value)
      pen.column = max(pen.column + 1, valueEnd - text.count)
      pen.text(text, context.row?.hasEnded == true ? .dim : .text, on: &canvas)
      pen.text(Word.perFrame.text(context.language), .dim, on: &canvas)
    } else {
      let word = context.widgetState(.bytesPerFrame).reason.word.text(context.language)
      pen.column = max(pen.column + 1, valueEnd - Canvas.width(word))
      pen.text(word, .dim, on: &canvas)
    }
  }
  drawLateness(&canvas, frame, &pen, context)
  if Layout.isWideOverlay(frame.columns), let row = context.row {
    if !row.drawsOnlyAfterKeys { drawHitches(&canvas, &pen, row, context) }
    drawUnchanged(&canvas, &pen, row, context)
  }
}

extension DrawContext {
  /// Whether the row about the output shows the threads instead.
  var outputShowsThreads: Bool {
    row?[.bytesPerFrame] == .absent(.notRequested) || !showsFrames
  }
}

/// Draws how often the threads give up a core and lose one, or in a narrow overlay the wait for a core.
private func drawThreadNotes(
  _ canvas: inout Canvas, _ frame: Rect, _ pen: inout RowPen, _ context: DrawContext
) {
  guard !context.isOfFirstProcess(.cpuWait) else { return }
  guard Layout.isWideOverlay(frame.columns) else {
    let wait = context.row?[.cpuWait].value.map(NumberFormat.compactPercent)
    let label = Word.wait.text(context.language)
    let column = frame.endColumn - Canvas.width(label) - 1 - NumberFormat.compactWidth
    guard let wait, pen.column + 1 < column else { return }
    pen.column = column - 1
    pen.note(label, wait, on: &canvas)
    return
  }
  func draw(_ metric: Metric, _ word: Word) {
    guard let rate = context.row?[metric].value else { return }
    var text = ShortText()
    text.append(rate, decimals: 0)
    text.append("/s")
    pen.pair(word.text(context.language), text, on: &canvas)
  }
  draw(.voluntarySwitches, .voluntarySwitches)
  draw(.involuntarySwitches, .involuntarySwitches)
}

/// Draws the note that an animation makes it unclear which frame answers a key.
private func drawUnclearAnswer(
  _ canvas: inout Canvas, _ frame: Rect, _ pen: inout RowPen, _ context: DrawContext
) {
  let label = Word.keyToFrame.text(context.language)
  let dash: StaticString = context.state.isASCII ? "-" : "–"
  guard Layout.isWideOverlay(frame.columns) else {
    let column = frame.endColumn - noteWidth
    guard pen.column < column else { return }
    pen.column = column - 1
    pen.note(label, ShortText(dash), on: &canvas)
    return
  }
  pen.pair(label, ShortText(dash), on: &canvas)
  pen.text(Absence.unclear.word.text(context.language), .dim, gap: 1, on: &canvas)
}

/// Draws the time from a key to the frame that answers it, otherwise the time of the slowest frames.
private func drawLateness(
  _ canvas: inout Canvas, _ frame: Rect, _ pen: inout RowPen, _ context: DrawContext
) {
  let label: StaticString
  let value: Double
  if let key = context.row?[.keyToFrame].value {
    (label, value) = (Word.keyToFrame.text(context.language), key)
  } else if case .absent(.unclear)? = context.row?[.keyToFrame] {
    return drawUnclearAnswer(&canvas, frame, &pen, context)
  } else if let slow = context.row?[.frameP99].value, !Layout.isWideOverlay(frame.columns) {
    (label, value) = ("p99", slow)
  } else {
    return
  }
  let text = NumberFormat.milliseconds(value)
  if !Layout.isWideOverlay(frame.columns) {
    // Aligned with the notes of the gauges.
    let column = frame.endColumn - noteWidth
    guard pen.column < column else { return }
    pen.column = column - 1
    pen.note(label, text, on: &canvas)
  } else {
    pen.pair(label, text, on: &canvas)
    if let slow = context.row?.keyToFrameP99.value, context.row?[.keyToFrame].value != nil {
      pen.pair("p99", NumberFormat.milliseconds(slow), on: &canvas)
    }
  }
}
