import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal

// The frame of a HUD over a program: its name, notices, keys and cost in the edges.

/// Draws the frame: the name in its upper edge, the cost of perfhud and the time axis in its lower one.
///
/// While the HUD has the focus the frame is of another color and weight, and shows how to return them.
@Sendable func drawEdge(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  drawBorder(&canvas, frame, role: context.state.hasFocus ? .mark : .edge, context)
  drawName(&canvas, frame, context)
  drawFoot(&canvas, frame, context)
}

/// Draws name, pid or number of processes, and notices at the right end.
private func drawName(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let inner = Rect(
    row: frame.row, column: frame.column + 2, rows: 1, columns: max(0, frame.columns - 4))
  guard let row = context.row else {
    let text = Word.waiting.text(context.language)
    let fits = Canvas.width(text) <= inner.columns
    drawInset(&canvas, inner, fits ? text : Word.own.text(context.language), .dim)
    return
  }
  var room = inner
  let unanswered: Word? = context.run.unansweredSince == nil ? nil : .noAnswer
  let alert: Word? = context.run.alerts.raised > 0 ? .alertRaised : nil
  let urgent = context.notice ?? unanswered ?? alert
  let notice = urgent ?? (row.isProvisional ? .provisional : nil)
  if let text = notice?.text(context.language) {
    let width = Canvas.width(text)
    if width + (urgent == nil ? 16 : leastName) <= inner.columns {
      room.columns -= width + 2
      drawInset(
        &canvas,
        Rect(row: inner.row, column: inner.endColumn - width, rows: 1, columns: width), text,
        urgent == nil ? .dim : .notice)
    }
  } else if let phase = context.phase, !isNamedLikeProgram(phase, context) {
    // A notice does not shorten the name of the program, at most 15 bytes in the kernel.
    let name = min(16, Canvas.columns(of: context.state.name))
    let width = min(context.phaseWidth(phase), inner.columns - name - 2)
    if width >= 4 {
      room.columns -= width + 2
      let column = inner.endColumn - width
      canvas.put(" ", row: inner.row, column: column - 1)
      let end = drawPhase(
        &canvas, phase, row: inner.row, column: column, width: width, context)
      canvas.put(" ", row: inner.row, column: end)
    }
  }
  drawProcess(&canvas, room, row, context)
}

/// A job of a shell is a phase of its own name, which is in the title already.
private func isNamedLikeProgram(_ phase: PhaseIndex, _ context: DrawContext) -> Bool {
  guard phase < PhaseTracker.otherIndex else { return false }
  return context.run.phases[Int(phase)].name == Event.Name(context.state.name)
}

/// The least columns of a name; everything else in its row comes after it.
private let leastName = 4

private func drawProcess(_ canvas: inout Canvas, _ inner: Rect, _ row: Row, _ context: DrawContext)
{
  let count = row[.processes].value ?? 1
  var number = ShortText()
  let word: StaticString? = count > 1 ? Word.processes.text(context.language) : nil
  number.append(decimal: count > 1 ? Int(min(count, 1e9)) : Int(row.pid))
  let wordWidth = word.map { Canvas.width($0) + 1 } ?? 0
  let hasNumber = inner.columns >= leastName + 1 + number.count + wordWidth
  let nameWidth = inner.columns - (hasNumber ? 1 + number.count + wordWidth : 0)
  canvas.put(" ", row: inner.row, column: inner.column - 1)
  var position = canvas.text(
    context.state.name, row: inner.row, column: inner.column, width: nameWidth, role: .title,
    ellipsis: context.glyph("…", "~"))
  if hasNumber {
    canvas.put(" ", row: inner.row, column: position)
    position = canvas.text(number, row: inner.row, column: position + 1)
    if let word {
      canvas.put(" ", row: inner.row, column: position)
      position = canvas.text(word, row: inner.row, column: position + 1)
    }
  }
  canvas.put(" ", row: inner.row, column: position)
}

private func drawFoot(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let inner = Rect(
    row: frame.endRow - 1, column: frame.column + 1, rows: 1, columns: frame.columns - 2)
  let left =
    context.state.hasFocus ? drawHints(&canvas, inner, context) : drawCost(&canvas, inner, context)
  let graphRows = frame.rows - Layout.framedRows
  guard graphRows > 0 else { return }
  let start =
    inner.column + GraphTimeRange.axisColumns(graphRows, inner.columns, context.state.family)
  drawTimes(
    &canvas, row: inner.row, columns: start..<inner.endColumn, from: left + 1,
    cell: context.state.cellDuration, context)
}

/// Draws what the keys do while the HUD has the focus; returns the column after it.
private func drawHints(_ canvas: inout Canvas, _ inner: Rect, _ context: DrawContext) -> Int {
  let help = Word.helpHint.text(context.language)
  let back = Word.backHint.text(context.language)
  let both = Canvas.width(help) + 2 + Canvas.width(back)
  var pen = RowPen(inner)
  pen.column += 1
  guard Canvas.width(back) + 2 <= pen.room else { return inner.column }
  pen.text(" ", on: &canvas)
  if both + 1 <= pen.room {
    pen.text(help, on: &canvas)
    pen.text("  ", on: &canvas)
  }
  pen.text(back, on: &canvas)
  pen.text(" ", on: &canvas)
  return pen.column
}

/// Draws the prefix key; returns the column after it.
private func drawPrefixKey(_ canvas: inout Canvas, _ inner: Rect, _ context: DrawContext) -> Int {
  let word = Word.prefixKeyHint.text(context.language)
  let name = context.state.prefixKeyHint
  var pen = RowPen(inner)
  pen.column += 1
  guard name.utf8.count + Canvas.width(word) + 3 <= pen.room else { return inner.column }
  pen.text(" ", on: &canvas)
  pen.column = canvas.text(name, row: pen.row, column: pen.column, width: pen.room, role: .notice)
  pen.text(" ", on: &canvas)
  pen.text(word, .dim, on: &canvas)
  pen.text(" ", on: &canvas)
  return pen.column
}

/// Draws the cost of perfhud itself, with its memory where there is room; returns the column after it.
private func drawCost(_ canvas: inout Canvas, _ inner: Rect, _ context: DrawContext) -> Int {
  // With the focus on the HUD or its log the prefix key is not needed.
  if !context.state.prefixKeyHint.isEmpty, !context.state.hasKeys {
    return drawPrefixKey(&canvas, inner, context)
  }
  guard let own = context.row?.ownCPUPercent.value, let row = context.row else {
    return inner.column
  }
  let label = Word.own.text(context.language)
  let percent = NumberFormat.percent(own)
  let width = 3 + Canvas.width(label) + percent.count
  // Below a graph the times come first.
  let times = inner.row > Layout.framedRows - 1 ? 12 : 0
  guard width + times <= inner.columns else { return inner.column }
  let prefixKey = context.state.prefixKey
  let hasPrefixKey =
    !prefixKey.isEmpty && prefixKey.utf8.count + 2 + width + times <= inner.columns
  var pen = RowPen(inner)
  pen.column += 1
  pen.text(" ", on: &canvas)
  if hasPrefixKey {
    pen.column = canvas.text(
      prefixKey, row: pen.row, column: pen.column, width: pen.room, role: .label)
    pen.text("  ", on: &canvas)
  }
  pen.text(label, .dim, on: &canvas)
  pen.text(percent, .dim, on: &canvas)
  if Layout.isWideOverlay(inner.columns) {
    pen.text(" ", on: &canvas)
    pen.text(NumberFormat.bytes(Double(row.ownBytes)), .dim, on: &canvas)
  }
  pen.text(" ", on: &canvas)
  return pen.column
}
