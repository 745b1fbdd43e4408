import Metrics
import PerfHUDBase
import Terminal

// What is drawn on the graph of the frame times: the longest frame, lines of frame rates, times.

/// Draws length and age of the longest frame above its column if it was a hitch, or beside its end if that is at the
/// top, where there is room.
func drawLongestFrame(_ canvas: inout Canvas, _ graph: FrameGraph, _ context: DrawContext) {
  guard let age = graph.longest, graph.frames.isHitch(age),
    let milliseconds = graph.frames.milliseconds(age)
  else { return }
  var text = NumberFormat.compactMilliseconds(milliseconds)
  text.append(" ")
  text.append(frameAge(graph.frames.time(age), context))
  var named = ShortText(TableWord.longest.text(context.language))
  named.append(" ")
  named.append(text)
  if !drawLabel(named, &canvas, graph, age, milliseconds) {
    drawLabel(text, &canvas, graph, age, milliseconds)
  }
}

/// Draws a label of the longest frame.
///
/// - Returns: whether it has room.
@discardableResult
private func drawLabel(
  _ text: ShortText, _ canvas: inout Canvas, _ graph: FrameGraph, _ age: Int, _ milliseconds: Double
) -> Bool {
  let area = graph.area
  let width = Canvas.width(text)
  let column = graph.column(age)
  let top = graph.end(graph.steps(milliseconds)).row
  guard top == area.row else {
    // Nothing is above the longest one.
    guard width <= area.columns else { return false }
    let start = min(max(area.column, column - width / 2), area.endColumn - width)
    canvas.text(text, row: top - 1, column: start, role: .alert)
    return true
  }
  for side in 0..<2 {
    let start = side == 0 ? column + 1 : column - width - 2
    guard isFree(canvas, area, row: top, start..<start + width + 2) else { continue }
    canvas.text(text, row: top, column: start + 1, role: .alert)
    return true
  }
  return false
}

private func isFree(_ canvas: Canvas, _ area: Rect, row: Int, _ columns: Range<Int>) -> Bool {
  guard columns.lowerBound >= area.column, columns.upperBound <= area.endColumn else {
    return false
  }
  for column in columns where !canvas.isGlyph(" ", row: row, column: column) { return false }
  return true
}

/// How long ago a frame ended, `1.4s ago`, or that it is now, as of the newest sample.
func frameAge(_ time: Instant, _ context: DrawContext) -> ShortText {
  let now = context.run.latest?.time ?? time
  let seconds = now.seconds(since: time)
  guard seconds >= 0.05 else { return ShortText(Word.now.text(context.language)) }
  var text = NumberFormat.elapsed(seconds: seconds, isFinal: seconds < 9.95)
  text.append(Word.ago.text(context.language))
  return text
}

/// Length and age of the last slow frame of a program: `last slow frame 46.7 ms 3.2s ago`; `nil` without one.
func lastSlowFrame(_ context: DrawContext) -> ShortText? {
  guard let frames = context.run.frames, frames.source != .tick, frames.slowFrames.count > 0,
    context.row?.drawsOnlyAfterKeys == false
  else { return nil }
  let last = frames.slowFrames[0]
  var text = ShortText(TableWord.lastSlowFrame.text(context.language))
  text.append(" ")
  text.append(NumberFormat.compactMilliseconds(Double(last.milliseconds)))
  text.append(" ")
  text.append(frameAge(last.time, context))
  return text
}

/// The frame rates that have a line.
private let lineRates: InlineArray<4, Int> = [30, 60, 120, 240]
/// The greatest number of lines.
private let mostLines = 2

/// Draws lines at the frame times of well-known rates, the slowest first: a frame that crosses a line was too slow for
/// that rate. A line is exactly where the column of a frame with that time ends, so such columns cover it.
func drawFrameRateLines(_ canvas: inout Canvas, _ graph: FrameGraph, _ context: DrawContext) {
  let area = graph.area
  var count = 0
  var former = area.row - 2
  for index in lineRates.indices where count < mostLines {
    let rate = lineRates[index]
    let milliseconds = 1000 / Double(rate)
    guard graph.axis.share(milliseconds) <= 1 else { continue }
    let (row, step) = line(graph.end(graph.steps(milliseconds)), graph.style)
    // Where a row is longer than the frame time, a line would say nothing; the labels need rows of their own.
    guard row > former + 1, row < area.endRow - 1 else { continue }
    for column in area.column..<area.endColumn
    where canvas.isGlyph(" ", row: row, column: column)
      && !isText(canvas, row: row, column - 1) && !isText(canvas, row: row, column + 1)
    {
      canvas.put(lineGlyph(step, graph.style), row: row, column: column, role: .dim)
    }
    // It goes on up to its label, where no column can cover it.
    canvas.put(lineGlyph(step, graph.style), row: row, column: area.endColumn, role: .dim)
    var text = ShortText()
    text.append(decimal: rate)
    text.append(" FPS")
    canvas.text(text, row: row, column: area.endColumn + 2, role: .dim)
    former = row
    count += 1
  }
}

/// Where a line is drawn: in ASCII, the upper edge of a cell is the lower one of the cell above it.
private func line(_ end: (row: Int, step: Int), _ style: GraphStyle) -> (row: Int, step: Int) {
  style == .ascii && end.step == 3 ? (end.row - 1, 0) : end
}

/// The glyph of a line at a step of a cell.
private func lineGlyph(_ step: Int, _ style: GraphStyle) -> Unicode.Scalar {
  switch style {
  case .braille: GraphRasterizer.line(left: step, right: step, style: style)
  case .block: step <= 2 ? "▁" : step <= 6 ? "─" : "▔"
  case .ascii: step == 0 ? "_" : "-"
  }
}

/// Whether a cell has a letter or digit, as the label of the longest frame does.
private func isText(_ canvas: Canvas, row: Int, _ column: Int) -> Bool {
  guard row >= 0, column >= 0, row < canvas.grid.size.rows, column < canvas.grid.size.columns else {
    return false
  }
  let value = canvas.grid[row, column].scalarValue
  return (0x30..<0x7B).contains(value) || (0x3000..<0xFF00).contains(value)
}

/// The time without a frame that is a pause, in seconds. It is no frame time, so the graph has no column for it.
private let leastPause = 0.1

/// Whether the program drew nothing for some time before a frame.
private func followsPause(_ frame: Int, _ graph: FrameGraph) -> Bool {
  guard frame + 1 < graph.shown else { return false }
  let passed = graph.frames.time(frame).seconds(since: graph.frames.time(frame + 1))
  return passed - (graph.milliseconds(frame) ?? 0) / 1000 >= leastPause
}

/// What the mark of a pause on the line below the graph stands for.
func pauseLegend(_ context: DrawContext) -> ShortText {
  var text = ShortText(context.state.isASCII ? "/ " : "╱ ")
  text.append(TableWord.pause.text(context.language))
  return text
}

private func pauseGlyph(_ context: DrawContext) -> Unicode.Scalar { context.glyph("╱", "/") }

/// Draws a mark on the line below the graph for each pause, unless pauses are the rule.
private func drawPauses(_ canvas: inout Canvas, _ graph: FrameGraph, _ context: DrawContext) {
  var (frame, pauses) = (0, 0)
  while frame < graph.shown {
    pauses += followsPause(frame, graph) ? 1 : 0
    frame += 1
  }
  guard 4 * pauses <= graph.shown else { return }
  frame = 0
  while frame < graph.shown {
    if followsPause(frame, graph) {
      canvas.put(
        pauseGlyph(context), row: graph.area.endRow, column: graph.column(frame), role: .label)
    }
    frame += 1
  }
}

/// Draws how long ago frames were, on a line below the graph, and where the program paused. All frames have the same
/// width, however far apart they are.
///
/// - Returns: whether it shows a pause.
func drawFrameAges(
  _ canvas: inout Canvas, _ graph: FrameGraph, _ context: DrawContext
) -> Bool {
  let area = graph.area
  let row = area.endRow
  canvas.put(context.glyph("└", "+"), row: row, column: area.column - 1, role: .frame)
  canvas.fill(
    context.glyph("─", "-"), row: row, column: area.column, count: area.columns, role: .frame)
  drawPauses(&canvas, graph, context)
  drawAges(&canvas, graph, context)
  var column = area.column
  while column < area.endColumn {
    if canvas.isGlyph(pauseGlyph(context), row: row, column: column) { return true }
    column += 1
  }
  return false
}

/// The first column of the label of a frame on the line below the graph, so that it covers no mark of a pause: where the
/// frame is, after the mark if the frame itself has ended a pause, or else before the next mark; `nil` without room.
private func ageColumn(
  _ canvas: Canvas, _ graph: FrameGraph, _ column: Int, width: Int, _ context: DrawContext
) -> Int? {
  let row = graph.area.endRow
  let line = context.glyph("─", "-")
  func firstMark(_ start: Int) -> Int? {
    guard start >= graph.area.column, start + width <= graph.area.endColumn else { return start }
    var place = start
    while place < start + width {
      if !canvas.isGlyph(line, row: row, column: place) { return place }
      place += 1
    }
    return nil
  }
  guard let mark = firstMark(column) else { return column }
  let other = mark == column ? column + 1 : mark - width
  return firstMark(other) == nil ? other : nil
}

private func drawAges(_ canvas: inout Canvas, _ graph: FrameGraph, _ context: DrawContext) {
  let area = graph.area
  let row = area.endRow
  let now = context.run.latest?.time ?? graph.frames.time(0)
  func age(_ frame: Int) -> Double { max(0, now.seconds(since: graph.frames.time(frame))) }
  guard graph.shown > 0 else { return }
  // The newest frame may be old.
  var end = area.endColumn
  if age(0) < 1 {
    let word = context.newestWord.text(context.language)
    end -= Canvas.width(word)
    canvas.text(word, row: row, column: end, role: .dim)
  } else {
    let text = ageLabel(age(0), step: 1)
    end -= text.count
    canvas.text(text, row: row, column: end, role: .dim)
  }
  let step = ageStep(
    age(graph.shown - 1) - age(0), labels: graph.shown / graph.style.columnsPerCell / 12)
  guard step > 0 else { return }
  // No label says the same as that of the newest frame.
  let newest = age(0) < 1 ? 0 : age(0).rounded()
  var next = (newest / step).rounded(.down) * step + step
  for frame in 0..<graph.shown where age(frame) >= next {
    let passed = (age(frame) / step).rounded(.down) * step
    let text = ageLabel(passed, step: step)
    if let column = ageColumn(canvas, graph, graph.column(frame), width: text.count, context),
      column + text.count < end
    {
      canvas.text(text, row: row, column: column, role: .dim)
      end = column
    }
    next = passed + step
  }
}

/// A round time that is in a span at most as often as there is room for labels; 0 without room.
private func ageStep(_ span: Double, labels: Int) -> Double {
  guard span > 0, labels > 0 else { return 0 }
  let steps: InlineArray<11, Double> = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 3600]
  for index in steps.indices where span / steps[index] <= Double(labels) { return steps[index] }
  return 86_400
}

private func ageLabel(_ seconds: Double, step: Double) -> ShortText {
  var text = ShortText("-")
  if step < 1 {
    text.append(seconds, decimals: 1)
    text.append("s")
  } else {
    text.append(NumberFormat.duration(seconds: seconds.rounded()))
  }
  return text
}
