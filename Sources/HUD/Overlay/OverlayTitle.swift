import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal

// The frame of a HUD over a program: its upper edge has the name, its lower edge has urgent values, keys and cost.

/// Draws the frame: the name in its upper edge, the cost of perfhud and the time axis in its lower edge.
///
/// While the HUD has the focus the frame has another color and weight, and shows how to return the focus.
@Sendable func drawEdge(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  drawBorder(&canvas, frame, role: context.state.hasFocus ? .mark : .edge, context)
  drawName(&canvas, frame, context)
  drawFoot(&canvas, frame, context)
}

/// Draws the name, the phase and the processes on the left, and on the right how long it has run, and notices.
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
  drawNotice(&canvas, &room, row, context)
  drawElapsed(&canvas, &room, row, context)
  drawProcess(&canvas, room, row, context)
}

/// The least columns of a name; the rest of its row comes after it.
private let leastName = 4

/// Draws why the values do not change, or something else urgent, at the right end of the room.
private func drawNotice(
  _ canvas: inout Canvas, _ room: inout Rect, _ row: Row, _ context: DrawContext
) {
  let unanswered: Word? = context.run.unansweredSince == nil ? nil : .noAnswer
  let alert: Word? = context.run.alerts.raised > 0 ? .alertRaised : nil
  let text: ShortText
  var isUrgent = true
  if let word = context.notice ?? unanswered ?? alert {
    text = ShortText(word.text(context.language))
  } else if let mark = context.alertMark {
    text = mark
  } else if context.state.isRestarted {
    text = ShortText(Word.hudRestarted.text(context.language))
  } else {
    guard row.isProvisional else { return }
    text = ShortText(Word.provisional.text(context.language))
    isUrgent = false
  }
  let width = Canvas.width(text)
  guard width + (isUrgent ? leastName : 16) <= room.columns else { return }
  drawInset(
    &canvas, Rect(row: room.row, column: room.endColumn - width, rows: 1, columns: width), text,
    isUrgent ? .notice : .dim)
  room.columns -= width + 2
}

/// Draws how long the target has existed, at the right end of the room, if its name leaves room for it.
private func drawElapsed(
  _ canvas: inout Canvas, _ room: inout Rect, _ row: Row, _ context: DrawContext
) {
  // Each change sends some 40 bytes to the terminal, so after the first minute the time changes every five seconds.
  let isStepped = row.ageSeconds >= 60 && !row.hasEnded
  let seconds = isStepped ? (row.ageSeconds / 5).rounded(.down) * 5 : row.ageSeconds
  let text = NumberFormat.elapsed(seconds: seconds, isFinal: row.hasEnded)
  // One width in the first hour and another after it, so that what precedes it stays in place: `12m34s`, `2h05m`.
  let width = max(row.ageSeconds < 3600 ? 6 : 5, text.count)
  // Show more than the beginning of a phase only if the time still fits.
  let phase = context.phase.map { 3 + min(10, context.phaseWidth($0)) } ?? 0
  let name = min(16, Canvas.columns(of: context.state.values.name))
  guard name + phase + 2 + width <= room.columns else { return }
  let column = room.endColumn - text.count
  canvas.put(" ", row: room.row, column: column - 1)
  canvas.text(text, row: room.row, column: column, role: .dim)
  canvas.put(" ", row: room.row, column: room.endColumn)
  room.columns -= width + 2
}

/// A job of a shell is a phase with the job's name, which is already in the title.
private func isNamedLikeProgram(_ phase: PhaseIndex, _ context: DrawContext) -> Bool {
  guard phase < PhaseTracker.otherIndex else { return false }
  return context.run.phases[Int(phase)].name == Event.Name(context.state.values.name)
}

/// The least columns of a phase: its letter and the beginning of its name.
private let leastPhase = 6

/// Draws the name, the pid of a process that was found by its name, the phase, and the number of processes if there are
/// several.
private func drawProcess(_ canvas: inout Canvas, _ inner: Rect, _ row: Row, _ context: DrawContext)
{
  canvas.put(" ", row: inner.row, column: inner.column - 1)
  var position = canvas.text(
    context.state.values.name, row: inner.row, column: inner.column, width: inner.columns,
    role: .title,
    ellipsis: context.ellipsis)
  canvas.put(" ", row: inner.row, column: position)
  if context.run.header.followed != nil, row.pid > 0 {
    var pid = ShortText()
    pid.append(decimal: Int(row.pid))
    if position + 1 + pid.count <= inner.endColumn {
      position = canvas.text(pid, row: inner.row, column: position + 1)
      canvas.put(" ", row: inner.row, column: position)
    }
  }
  func separate() {
    canvas.put(context.glyph("·", "|"), row: inner.row, column: position + 1, role: .dim)
    canvas.put(" ", row: inner.row, column: position + 2)
    position += 3
  }
  if let phase = context.phase, !isNamedLikeProgram(phase, context) {
    let width = min(context.phaseWidth(phase), inner.endColumn - position - 3)
    if width >= min(leastPhase, context.phaseWidth(phase)) {
      separate()
      position = drawPhase(
        &canvas, phase, row: inner.row, column: position, width: width, context)
      canvas.put(" ", row: inner.row, column: position)
    }
  }
  guard let count = row[.processes].value, count > 1 else { return }
  let word = Word.processes.text(context.language)
  var number = ShortText()
  number.append(decimal: Int(min(count, 1e9)))
  guard position + 3 + number.count + 1 + Canvas.width(word) <= inner.endColumn else { return }
  separate()
  position = canvas.text(number, row: inner.row, column: position)
  canvas.put(" ", row: inner.row, column: position)
  position = canvas.text(word, row: inner.row, column: position + 1, role: .dim)
  canvas.put(" ", row: inner.row, column: position)
}
