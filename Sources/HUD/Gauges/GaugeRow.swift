import Metrics
import PerfHUDBase
import Sampler
import Terminal

// How a gauge is drawn: label, value and bar in one row.

/// Columns of a value. Before it is a label of three columns and a blank, after it the bar.
let gaugeValueWidth = 9

/// Draws label, value and bar; returns the pen after them, for notes.
///
/// A value is shown as a whole or not at all. If the label does not fit, the value is shown alone.
/// - Parameters:
///   - mark: Where the bar has a mark for the peak.
///   - isAlert: Whether the value calls for attention.
///   - word: A word to show in place of the value.
///   - suffix: A text after the word, as in the result of `format`.
func drawGauge(
  _ canvas: inout Canvas, _ frame: Rect, label: StaticString, role: Role,
  metric: Metric, format: (Double) -> ShortText, share: Double?, mark: Double? = nil,
  isAlert: Bool = false, word: StaticString? = nil, suffix: StaticString? = nil,
  _ context: DrawContext
) -> RowPen {
  var pen = RowPen(frame)
  let valueText = context.row?[metric].value.map(format)
  let valueEnd = frame.column + Canvas.width(label) + 1 + gaugeValueWidth
  guard valueEnd <= frame.endColumn else {
    drawAlone(&canvas, &pen, metric, valueText, word, context)
    pen.column = frame.endColumn
    return pen
  }
  pen.text(label, role.labelRole, on: &canvas)
  if let word {
    let width = Canvas.width(word) + (suffix.map { Canvas.width($0) + 1 } ?? 0)
    let column = max(pen.column + 1, valueEnd - width)
    let end = canvas.text(word, row: pen.row, column: column, role: .dim)
    if let suffix { canvas.text(suffix, row: pen.row, column: end + 1, role: .dim) }
    pen.column = max(valueEnd, column + width)
  } else if let valueText {
    let isStale = context.widgetState(metric) == .stale
    let column = max(pen.column + 1, valueEnd - valueText.count)
    canvas.text(
      valueText, row: pen.row, column: column, role: isStale ? .dim : isAlert ? .alert : .text)
    pen.column = max(valueEnd, column + valueText.count)
  } else {
    drawReason(&canvas, &pen, metric, valueEnd: valueEnd, context)
    return pen
  }
  if role == .cpu, canvas.grid.size.rows < Layout.titleRows, let notice = context.notice {
    pen.text(notice.text(context.language), .notice, gap: 1, on: &canvas)
  }
  drawBar(&canvas, &pen, share: share, mark: mark, role: role, context)
  return pen
}

/// Draws the reason why there is no value, or a dash if the reason does not fit.
private func drawReason(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ metric: Metric, valueEnd: Int,
  _ context: DrawContext
) {
  let word = context.widgetState(metric).reason.word.text(context.language)
  let width = Canvas.width(word)
  if pen.column + 1 + width <= pen.end {
    canvas.text(word, row: pen.row, column: max(pen.column + 1, valueEnd - width), role: .dim)
    pen.column = max(valueEnd, pen.column + 1 + width)
  } else {
    canvas.put(context.dash, row: pen.row, column: valueEnd - 1, role: .dim)
    pen.column = valueEnd
  }
}

/// Draws a gauge without room for its label: only the value, in a shorter form if necessary.
private func drawAlone(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ metric: Metric, _ valueText: ShortText?,
  _ word: StaticString?, _ context: DrawContext
) {
  if !context.isOverlay, let valueText, valueText.count <= pen.room {
    pen.text(valueText, on: &canvas)
    return
  }
  // The values of all rows end in the same column.
  let start = pen.column
  let end = min(pen.end, start + gaugeValueWidth)
  if let word {
    pen.column = max(pen.column, end - Canvas.width(word))
    pen.text(word, on: &canvas)
  } else if let value = context.row?[metric].value, let valueText {
    let isWhole = metric != .fps && valueText.count <= pen.room
    var text =
      isWhole
      ? valueText : shortValue(metric, metric == .cpuWindow ? value / context.cpuScale : value)
    if text.count > pen.room, metric.unit == .bytes { text = NumberFormat.shortBytes(value) }
    if text.count > pen.room { text = ShortText(context.ellipsisText) }
    pen.column = max(pen.column, end - Canvas.width(text))
    pen.text(text, on: &canvas)
  } else {
    canvas.put(context.dash, row: pen.row, column: end - 1, role: .dim)
  }
  // The first column before a value stays free.
  let isRoom = canvas.grid.size.rows < Layout.titleRows && end - start > NumberFormat.percentWidth
  if metric == .cpuWindow, isRoom {
    pen.column = start
    pen.noticeMark(context, on: &canvas)
  }
}

/// Columns of a bar: all the room there is, or part of it if other things fit too.
private func barWidth(_ room: Int) -> Int {
  room >= 22 ? min(48, max(9, room / 3 - 1)) : room
}

/// Draws the bar after the pen, where there is room for one.
private func drawBar(
  _ canvas: inout Canvas, _ pen: inout RowPen, share: Double?, mark: Double?, role: Role,
  _ context: DrawContext
) {
  let room = pen.room - 1
  // In an overlay the source of the frames replaces their bar.
  guard room >= 4, !(context.isOverlay && role == .fps) else { return }
  let width = barWidth(room)
  if let share {
    drawBar(
      &canvas, row: pen.row, column: pen.column + 1, width: width, share: share, mark: mark,
      role: role, context)
  }
  pen.column += 1 + width
}

/// A bar in eighths of a cell, on a track. With enough colors it gets brighter to the right.
///
/// - Parameter mark: The share at which the track has a mark.
func drawBar(
  _ canvas: inout Canvas, row: Int, column: Int, width: Int, share: Double, mark: Double? = nil,
  role: Role, _ context: DrawContext
) {
  let share = min(1, max(0, share))
  let fullGlyph = context.glyph("█", "#")
  let track = context.glyph("·", ".")
  let eighths = Int((share * Double(width * 8)).rounded())
  let whole = context.state.isASCII ? (eighths + 4) / 8 : eighths / 8
  for cell in 0..<whole {
    canvas.put(
      fullGlyph, row: row, column: column + cell, style: role.shade(row: cell, of: width))
  }
  var position = whole
  if !context.state.isASCII, eighths % 8 > 0, position < width {
    let partial = Unicode.Scalar(UInt32(0x2590 - eighths % 8)) ?? "▏"
    canvas.put(
      partial, row: row, column: column + position, style: role.shade(row: position, of: width))
    position += 1
  }
  canvas.fill(track, row: row, column: column + position, count: width - position, role: .track)
  guard let mark else { return }
  let cell = Int((min(1, max(0, mark)) * Double(width)).rounded(.up)) - 1
  // Next to the end of the bar it would be no more than a blot.
  guard cell > position, cell < width else { return }
  canvas.put(context.glyph("╷", "|"), row: row, column: column + cell, role: role)
}

/// Marks the value of a gauge as a lower bound, before it.
func drawLowerBound(
  _ canvas: inout Canvas, _ frame: Rect, label: StaticString, _ value: ShortText,
  _ context: DrawContext
) {
  let end = frame.column + Canvas.width(label) + 1 + gaugeValueWidth
  let valueText = value.trimmedText
  guard end <= frame.endColumn, valueText.utf8.count <= gaugeValueWidth else { return }
  canvas.put(
    context.atLeast, row: frame.row, column: end - valueText.utf8.count - 1, role: .dim)
}
