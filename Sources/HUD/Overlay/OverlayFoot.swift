import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal

// The lower edge of a HUD over a program: urgent values, the keys, the cost of perfhud, the time axis of a graph.

/// Draws the lower edge: a toast, or at the start the prefix key unless something is urgent, or else what is most
/// important now on the left, the time axis of a graph or else the prefix key on the right.
func drawFoot(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let inner = Rect(
    row: frame.endRow - 1, column: frame.column + 1, rows: 1, columns: frame.columns - 2)
  let graphRows = frame.rows - Layout.framedRows
  let hasHint = !context.state.prefixKeyHint.isEmpty && !context.state.hasKeys
  let left: Int
  if let toast = context.state.edgeToast {
    left = drawEdgeToast(&canvas, inner, toast, context)
  } else if context.state.hasFocus {
    left = drawHints(&canvas, inner, context)
  } else if hasHint, highestAction(context) == nil, !hasFeltWait(context) {
    left = drawPrefixKey(&canvas, inner, context)
  } else {
    // What the user feels matters more than the name of the key.
    let hasKeyName = graphRows == 0 && !(hasFeltWait(context) && isKeyNameInItsWay(inner, context))
    let end = hasKeyName ? drawKeyName(&canvas, inner, context) : inner.endColumn
    let rest = Rect(
      row: inner.row, column: inner.column, rows: 1, columns: end - inner.column)
    left =
      drawHighAction(&canvas, rest, context) ?? drawWait(&canvas, rest, isFelt: true, context)
      ?? (graphRows > 0 ? nil : drawAnswerTime(&canvas, rest, context))
      ?? drawWait(&canvas, rest, isFelt: false, context) ?? drawCost(&canvas, rest, context)
  }
  guard graphRows > 0 else { return }
  let start =
    inner.column + GraphTimeRange.axisColumns(graphRows, inner.columns, context.state.family)
  drawTimes(
    &canvas, row: inner.row, columns: start..<inner.endColumn, from: left + 1,
    cell: context.state.graph.cellDuration, context)
}

// MARK: What is felt

/// The most frequent action that is HIGH now, unless a toast in a row of its own says so.
private func highestAction(_ context: DrawContext) -> ActionTotal? {
  guard let now = context.row?.time, context.row?.hasEnded == false else { return nil }
  var highest: ActionTotal?
  for index in 0..<context.run.actions.count {
    let total = context.run.actions.totals(index, asOf: now)
    let isNow = total.isHigh && now.nanoseconds(since: total.last) < 1_000_000_000
    if isNow, total.rate > highest?.rate ?? 0 { highest = total }
  }
  return highest?.name == context.state.highActionInRow ? nil : highest
}

/// Draws the most frequent HIGH action. Returns the column after it; `nil` if there is none.
private func drawHighAction(
  _ canvas: inout Canvas, _ inner: Rect, _ context: DrawContext
) -> Int? {
  guard let highest = highestAction(context) else { return nil }
  var rate = ShortText(" ")
  rate.append(highest.rate, decimals: 0)
  rate.append("/s ")
  let word = Word.actionHigh.text(context.language)
  let name = inner.columns - 4 - Canvas.width(word) - rate.count
  guard name >= 3 else { return nil }
  var pen = RowPen(inner)
  pen.column += 1
  pen.text(" ", on: &canvas)
  pen.column = canvas.text(
    highest.name, row: pen.row, column: pen.column, width: name, role: .alert,
    ellipsis: context.ellipsis)
  pen.text(" ", on: &canvas)
  pen.text(word, .alert, on: &canvas)
  pen.text(rate, .alert, on: &canvas)
  return pen.column
}

/// Whether the program waits for something, and the user feels it.
func hasFeltWait(_ context: DrawContext) -> Bool {
  guard let metric = context.state.values.wait, let row = context.row, !row.hasEnded,
    metric.waitWord != nil
  else { return false }
  return Bottlenecks.isFelt(metric, in: row)
}

/// Draws what the program waits for. Returns the column after it; `nil` if it waits for nothing.
///
/// - Parameter isFelt: `true` draws only a wait that the user feels; `false` only one that the user does not.
private func drawWait(
  _ canvas: inout Canvas, _ inner: Rect, isFelt: Bool, _ context: DrawContext
) -> Int? {
  guard let metric = context.state.values.wait, let row = context.row, !row.hasEnded,
    let value = row[metric].value, let word = metric.waitWord, hasFeltWait(context) == isFelt
  else { return nil }
  let role: Role = isFelt ? .alert : .text
  let long = context.waitText(metric, value)
  let short = context.waitText(metric, value, isShort: true)
  let words = word.text(context.language)
  let name = metric.label.text(context.language)
  return drawPair(&canvas, inner, words, long, role) ?? drawPair(&canvas, inner, words, short, role)
    ?? drawPair(&canvas, inner, name, long, role) ?? drawPair(&canvas, inner, name, short, role)
}

/// Whether the words of a wait fit into the edge only without the name of the prefix key.
private func isKeyNameInItsWay(_ inner: Rect, _ context: DrawContext) -> Bool {
  guard let metric = context.state.values.wait, let word = metric.waitWord,
    let value = context.row?[metric].value
  else { return false }
  let text = context.waitText(metric, value, isShort: true)
  let name = keyNameColumns(inner, context)
  return pairColumns(word.text(context.language), text) + name > inner.columns
}

extension Metric {
  /// The wait that a metric means, as named in the lower edge; `nil` for other metrics.
  var waitWord: Word? {
    switch self {
    case .cpuWait, .cpuPressure: .waitsForCPU
    case .ioPressure, .majorFaults: .waitsForDisk
    case .memoryPressure: .waitsForMemory
    case .throttled: .throttled
    default: nil
    }
  }
}

/// Draws the time from a key to the frame that answers it. Returns the column after it; `nil` without one.
private func drawAnswerTime(
  _ canvas: inout Canvas, _ inner: Rect, _ context: DrawContext
) -> Int? {
  guard let row = context.row else { return nil }
  let label = Word.keyToFrame.text(context.language)
  // The row of the frame rate has it.
  let columns = Layout.rowColumns(inner.columns)
  let hasNote = row.drawsOnlyAfterKeys && columns >= SparklineColumns.leastWithNote
  if hasNote || columns >= OverlayGrid.least { return nil }
  switch row[.keyToFrame] {
  case .value(let value):
    return drawPair(&canvas, inner, label, NumberFormat.compactMilliseconds(value), .text)
  case .absent(.unclear) where row.drawsFrames:
    return drawPair(&canvas, inner, label, ShortText(context.dashText), .dim)
  case .absent: return nil
  }
}

/// Draws a word and its value in the edge. Returns the column after them; `nil` if they do not fit.
private func drawPair(
  _ canvas: inout Canvas, _ inner: Rect, _ label: StaticString, _ text: ShortText, _ role: Role
) -> Int? {
  guard pairColumns(label, text) <= inner.columns else { return nil }
  var column = inner.column + 1
  canvas.put(" ", row: inner.row, column: column)
  column = canvas.text(
    label, row: inner.row, column: column + 1, role: role == .alert ? .alert : .dim)
  canvas.put(" ", row: inner.row, column: column)
  column = canvas.text(text, row: inner.row, column: column + 1, role: role)
  canvas.put(" ", row: inner.row, column: column)
  return column + 1
}

/// The columns of a word and its value in the edge.
private func pairColumns(_ label: StaticString, _ text: ShortText) -> Int {
  Canvas.width(label) + 1 + Canvas.width(text) + 3
}

// MARK: Keys and cost

/// The columns of the name of the prefix key at the right end; 0 if there is no room for it beside the cost of perfhud.
private func keyNameColumns(_ inner: Rect, _ context: DrawContext) -> Int {
  let name = context.state.prefixKey
  let columns = name.utf8.count + 3
  return !name.isEmpty && inner.columns - columns >= 16 ? columns : 0
}

/// Draws the name of the prefix key at the right end; returns the column where it begins.
private func drawKeyName(_ canvas: inout Canvas, _ inner: Rect, _ context: DrawContext) -> Int {
  let name = context.state.prefixKey
  let columns = keyNameColumns(inner, context)
  guard columns > 0 else { return inner.endColumn }
  let column = inner.endColumn - columns
  canvas.put(" ", row: inner.row, column: column)
  let end = canvas.text(
    name, row: inner.row, column: column + 1, width: name.utf8.count, role: .label)
  canvas.put(" ", row: inner.row, column: end)
  return column
}

/// Draws the effects of the keys while the HUD has the focus; returns the column after them.
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
  pen.column = canvas.text(name, row: pen.row, column: pen.column, width: pen.room, role: .label)
  pen.text(" ", on: &canvas)
  pen.text(word, .dim, on: &canvas)
  pen.text(" ", on: &canvas)
  return pen.column
}

/// Draws the cost of perfhud itself, with its memory if there is room; returns the column after it.
private func drawCost(_ canvas: inout Canvas, _ inner: Rect, _ context: DrawContext) -> Int {
  guard let own = context.row?.ownCPUPercent.value, let row = context.row else {
    return inner.column
  }
  let label = Word.own.text(context.language)
  let percent = NumberFormat.compactPercent(own)
  let width = 4 + Canvas.width(label) + percent.count
  // Below a graph the times take precedence.
  let times = inner.row > Layout.framedRows - 1 ? 12 : 0
  guard width + times <= inner.columns else { return inner.column }
  let prefixKey = context.state.prefixKey
  // Without a graph it is at the right end.
  let hasPrefixKey =
    times > 0 && !prefixKey.isEmpty && prefixKey.utf8.count + 2 + width + times <= inner.columns
  var pen = RowPen(inner)
  pen.column += 1
  pen.text(" ", on: &canvas)
  if hasPrefixKey {
    pen.column = canvas.text(
      prefixKey, row: pen.row, column: pen.column, width: pen.room, role: .label)
    pen.text("  ", on: &canvas)
  }
  pen.text(label, .dim, on: &canvas)
  pen.text(" ", on: &canvas)
  pen.text(percent, .dim, on: &canvas)
  if Layout.isWideOverlay(inner.columns) {
    pen.text(" ", on: &canvas)
    pen.text(NumberFormat.bytes(Double(row.ownBytes)), .dim, on: &canvas)
  }
  pen.text(" ", on: &canvas)
  return pen.column
}
