import Metrics
import PerfHUDBase
import Terminal

// The page of frame times: statistics above, a column for each of the last frames, their shares beside them.

/// The least rows and columns of the page with a table; with fewer the statistics are one row.
private let leastTableRows = 12
private let leastTableColumns = 40
/// The least rows of the page with a heading above the graph.
private let leastHeadingRows = 16
/// The least rows for times below the graph, and for a second row of statistics.
private let leastTimeRows = 7
/// The least columns of a row with all statistics.
private let wholeSummaryColumns = 60
/// The least columns of the page with the shares of the frame times.
private let leastShareColumns = 96
/// The least columns of the page, and rows of the graph, with lines whose frame rates are on the right.
private let leastRateColumns = 30
private let leastLineRows = 6
/// The same below two rows of statistics.
private let leastLineRowsBelowTwo = 5
/// Columns of the axis and its line.
private let axisColumns = 6
/// Columns of the end of a line and its frame rate to the right of the graph: `⠤ 120 FPS`.
private let frameRateColumns = 9

/// The parts of the page.
private struct FramesLayout {
  var table: Rect?
  var summary: Rect?
  var heading: Rect?
  var graph: Rect
  var hasTimes = false
  var hasRates = false
  var shares: Rect?

  init(_ frame: Rect, isTabular: Bool, isOverlay: Bool) {
    var row = frame.row
    let hasTable = isTabular && frame.rows >= leastTableRows && frame.columns >= leastTableColumns
    if hasTable {
      // The column in which the rows of the other pages begin.
      table = Rect(row: row, column: frame.column + 1, rows: 3, columns: frame.columns - 2)
      row += 3
      if frame.rows >= leastHeadingRows {
        heading = Rect(row: row, column: frame.column, rows: 1, columns: frame.columns)
        row += 1
      }
    } else {
      let isTwice =
        isTabular && isOverlay && frame.rows >= leastTimeRows && frame.columns < wholeSummaryColumns
      summary = Rect(
        row: row, column: frame.column + 1, rows: isTwice ? 2 : 1, columns: frame.columns - 1)
      row += isTwice ? 2 : 1
    }
    let leastRows = summary?.rows == 2 ? leastLineRowsBelowTwo : leastLineRows
    hasTimes = frame.rows >= leastTimeRows
    var rows = frame.endRow - row - (hasTimes ? 1 : 0)
    // A blank row below the table, if the rows of the graph can then be divided into equal steps of the axis.
    if heading != nil, rows % 5 > 0, rows % 4 > 0, (rows - 1) % 5 == 0 || (rows - 1) % 2 == 0 {
      heading?.row += 1
      row += 1
      rows -= 1
    }
    hasRates = isTabular && frame.columns >= leastRateColumns && rows >= leastRows
    var columns = frame.columns - axisColumns - (hasRates ? frameRateColumns : 0)
    if hasTable, frame.columns >= leastShareColumns {
      let width = min(40, frame.columns / 4)
      columns -= width
      shares = Rect(row: row, column: frame.endColumn - width, rows: rows, columns: width)
    }
    graph = Rect(row: row, column: frame.column + axisColumns, rows: rows, columns: columns)
  }
}

/// Draws a column for each of the last frames, the newest on the right, and statistics above.
func drawFrameTimes(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  guard frame.rows >= 1, frame.columns >= 8 else { return }
  guard let row = context.row, let source = row.fpsSource else {
    return drawEmpty(&canvas, frame, .frames, context)
  }
  guard source != .tick else { return drawTick(&canvas, frame, context) }
  // The times between keys say nothing about the program.
  let layout = FramesLayout(
    frame, isTabular: !row.drawsOnlyAfterKeys, isOverlay: context.isOverlay)
  if let summary = layout.summary { drawFrameSummary(&canvas, summary, context) }
  guard let frames = context.run.frames else { return }
  let recent = frames.recentSummary
  if let table = layout.table { drawFrameTable(&canvas, table, frames, recent, context) }
  guard frames.recentCount > 0, layout.graph.rows >= 1 else { return }
  let graph = FrameGraph(layout.graph, frames, context)
  guard graph.longest != nil else {
    // An axis without a frame would look like a fault.
    canvas.text(
      Word.noFrameTime.text(context.language), row: layout.graph.row, column: frame.column + 1,
      width: frame.columns - 2, role: .dim, ellipsis: context.ellipsis)
    return
  }
  drawValueAxis(&canvas, graph, hasTimes: layout.hasTimes, context)
  drawFrameLine(&canvas, graph, context)
  let hasPause = layout.hasTimes && drawFrameAges(&canvas, graph, context)
  drawLongestFrame(&canvas, graph, context)
  if layout.hasRates { drawFrameRateLines(&canvas, graph, context) }
  if let heading = layout.heading {
    drawGraphHeading(&canvas, heading, shares: layout.shares, hasPause: hasPause, context)
  }
  if let shares = layout.shares, let recent {
    drawFrameShares(&canvas, shares, graph, recent, context)
  }
}

/// Draws how the program can report its frames, and below that what perfhud's own timer measures, which says nothing
/// about the program.
private func drawTick(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  var hint = frame
  hint.rows -= 1
  drawEmpty(&canvas, hint, .frames, context)
  guard let row = context.row, let median = row[.frameMedian].value else { return }
  var pen = RowPen(
    Rect(row: frame.endRow - 1, column: frame.column + 1, rows: 1, columns: frame.columns - 1))
  let text = NumberFormat.milliseconds(median)
  let long = Word.hudTickAlone.text(context.language)
  // With a first value.
  let hasRoom = pen.room >= Canvas.width(long) + 6 + text.count
  pen.text(hasRoom ? long : Word.hudTick.text(context.language), .dim, on: &canvas)
  pen.pair("p50", text, .dim, on: &canvas)
  if let value = row[.frameP99].value {
    pen.pair("p99", NumberFormat.milliseconds(value), .dim, on: &canvas)
  }
}

/// The graph of the last frames.
struct FrameGraph {
  let area: Rect
  let frames: FrameStatistics
  let axis: Axis
  let style: GraphStyle
  /// The number of frames that it shows.
  let shown: Int
  /// The age of the longest one; `nil` if none has a time.
  let longest: Int?

  init(_ area: Rect, _ frames: FrameStatistics, _ context: DrawContext) {
    self.area = area
    self.frames = frames
    style = context.state.graphStyle
    shown = max(0, min(frames.recentCount, area.columns * style.columnsPerCell))
    var greatest = 0.0
    var longest: Int?
    for age in 0..<shown {
      guard let milliseconds = frames.milliseconds(age), milliseconds > greatest else { continue }
      greatest = milliseconds
      longest = age
    }
    self.longest = longest
    let median = context.row?[.frameMedian].value ?? 0
    axis = Axis(low: 0, high: FrameGraph.roundUp(max(greatest, median)))
  }

  /// The next of 5, 10, 20, 40, 60, 80, 100, 200, …
  private static func roundUp(_ value: Double) -> Double {
    guard value > 5 else { return 5 }
    var step = 10.0
    while step < 1e12 {
      if value <= step { return step }
      for factor in 1...4 where value <= step * Double(2 * factor) {
        return step * Double(2 * factor)
      }
      step *= 10
    }
    return value
  }

  func steps(_ milliseconds: Double?) -> Int {
    guard let milliseconds else { return 0 }
    return GraphRasterizer.steps(Float(milliseconds), axis: axis, rows: area.rows, style: style)
  }

  /// The steps that the graph has for a frame: all up to the time of a hitch; of other frames those of a line that
  /// goes on from the frame before.
  func steps(of age: Int) -> ClosedRange<Int>? {
    guard let milliseconds = milliseconds(age) else { return nil }
    let top = max(1, steps(milliseconds))
    guard !isHitch(age) else { return 1...top }
    // Two dots high where there are dots, since a single one is hard to see.
    let low = max(1, top - (style == .braille ? 1 : 0))
    guard let former = self.milliseconds(age + 1), !isHitch(age + 1) else { return low...top }
    let before = max(1, steps(former))
    if before < low - 1 { return before + 1...top }
    return before > top + 2 ? low...before - 2 : low...top
  }

  /// The frame time `age` frames ago.
  func milliseconds(_ age: Int) -> Double? { age < shown ? frames.milliseconds(age) : nil }

  func isHitch(_ age: Int) -> Bool { age < shown && frames.isHitch(age) }

  /// The age of the newest frame in a column of the graph. The newest of all is in the second half of the last one.
  func newest(_ column: Int) -> Int { (area.endColumn - 1 - column) * style.columnsPerCell }

  /// The column of a frame.
  func column(_ age: Int) -> Int { area.endColumn - 1 - age / style.columnsPerCell }

  /// The row in which a column of a height ends, and the step within that row, counted from 1.
  func end(_ steps: Int) -> (row: Int, step: Int) {
    let below = max(0, steps - 1)
    return (
      area.endRow - 1 - below / style.stepsPerCell, below % style.stepsPerCell + 1
    )
  }
}

/// Draws the frame times as a line, so that the graph of steady frames is not a wall, and hitches as columns below it.
func drawFrameLine(
  _ canvas: inout Canvas, _ graph: FrameGraph, _ context: DrawContext
) {
  let area = graph.area
  let style = graph.style
  for column in area.column..<area.endColumn {
    let newest = graph.newest(column)
    let oldest = newest + style.columnsPerCell - 1
    let left = graph.steps(of: oldest)
    let right = graph.steps(of: newest)
    guard left != nil || right != nil else { continue }
    let isSlow = graph.isHitch(oldest) || graph.isHitch(newest)
    let role: Role = isSlow ? .alert : .fps
    for row in 0..<area.rows {
      let below = (area.rows - 1 - row) * style.stepsPerCell
      let glyph =
        isSlow && style != .braille
        ? GraphRasterizer.glyph(
          left: (left?.upperBound ?? 0) - below, right: (right?.upperBound ?? 0) - below,
          style: style)
        : GraphRasterizer.span(
          left: left.map { $0.lowerBound - below...$0.upperBound - below },
          right: right.map { $0.lowerBound - below...$0.upperBound - below }, style: style)
      guard glyph != " " else { continue }
      canvas.put(
        glyph, row: area.row + row, column: column,
        style: role.shade(row: area.rows - 1 - row, of: area.rows))
    }
  }
}

/// Draws the axis in milliseconds, with round parts where there are rows for them.
private func drawValueAxis(
  _ canvas: inout Canvas, _ graph: FrameGraph, hasTimes: Bool, _ context: DrawContext
) {
  let area = graph.area
  let line = area.column - 1
  for row in area.row..<area.endRow {
    canvas.put(context.glyph("│", "|"), row: row, column: line, role: .frame)
  }
  let high = graph.axis.high
  let isRound = (high / 4).truncatingRemainder(dividingBy: 0.5) == 0
  // Each label is in the row whose upper edge is nearest; the lowest one is below the graph, or in its last row.
  let last = hasTimes ? area.rows : area.rows - 1
  guard area.rows >= 2 || hasTimes else { return }
  // In equal steps if the rows can be divided.
  let parts =
    last >= 10 && last % 5 == 0
    ? 5 : last >= 12 && last % 4 == 0 && isRound ? 4 : area.rows >= 5 ? 2 : 1
  for part in 0...parts {
    let value = high * Double(parts - part) / Double(parts)
    var text = ShortText()
    text.append(value, decimals: value == value.rounded() ? 0 : 1)
    if part == 0 || part == parts { text.append("ms") }
    let row = area.row + (last * part + parts / 2) / parts
    if row < area.endRow {
      canvas.put(context.glyph("┤", "+"), row: row, column: line, role: .frame)
    }
    canvas.text(text, row: row, column: max(line - axisColumns + 1, line - text.count), role: .dim)
  }
}

private func drawGraphHeading(
  _ canvas: inout Canvas, _ heading: Rect, shares: Rect?, hasPause: Bool, _ context: DrawContext
) {
  let left = heading.column + axisColumns
  var pen = RowPen(
    Rect(
      row: heading.row, column: left, rows: 1,
      columns: (shares?.column ?? heading.endColumn) - left))
  pen.text(TableWord.frameTime.text(context.language), .title, on: &canvas)
  if let word = context.frameWord {
    pen.text(word.text(context.language), .notice, gap: 2, on: &canvas)
  } else if let newest = context.run.frames?.milliseconds(0) {
    pen.pair(
      Word.now.text(context.language), NumberFormat.compactMilliseconds(newest), on: &canvas)
  }
  if let row = context.row { drawUnchanged(&canvas, &pen, row, context) }
  if hasPause { pen.text(pauseLegend(context), .dim, gap: 2, on: &canvas) }
  guard let shares else { return }
  var right = RowPen(
    Rect(
      row: heading.row, column: shares.column + 2, rows: 1, columns: shares.columns - 2))
  right.text(TableWord.frameShare.text(context.language), .title, on: &canvas)
  right.text(
    TableWord.lastSeconds.text(context.language, 5), .dim, gap: 2, on: &canvas)
}

/// Draws the statistics in one row.
private func drawFrameSummary(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  var pen = RowPen(frame)
  guard let row = context.row, let source = row.fpsSource else { return }
  pen.text(source.key, .dim, on: &canvas)
  let start = pen.column
  defer {
    // The statistics are those of the last seconds.
    if pen.column == start, pen.row == frame.row { drawLastFrame(&canvas, &pen, context) }
  }
  if row.drawsOnlyAfterKeys {
    // The times between keys say nothing about the program.
    if let value = row[.keyToFrame].value {
      let label = Word.keyToFrame.text(context.language)
      pen.pair(label, NumberFormat.milliseconds(value), gap: 1, on: &canvas)
    }
    if let value = row.keyToFrameP99.value {
      pen.pair("p99", NumberFormat.milliseconds(value), on: &canvas)
    }
    return drawUnchanged(&canvas, &pen, row, context)
  }
  // The gauge of a full-screen view has the median of frames.
  if context.isOverlay, let value = row[.frameMedian].value {
    pen.pair("p50", NumberFormat.milliseconds(value), gap: 1, on: &canvas)
  }
  if let value = row[.frameP99].value {
    pen.pair("p99", NumberFormat.milliseconds(value), on: &canvas)
  }
  if frame.rows > 1 {
    pen = RowPen(Rect(row: frame.row + 1, column: frame.column, rows: 1, columns: frame.columns))
  }
  if let value = row.onePercentLow.value {
    var text = ShortText()
    text.append(value, decimals: value < 10 ? 1 : 0)
    text.append(" FPS")
    pen.pair(
      Word.onePercentLow.text(context.language), text, gap: frame.rows > 1 ? 0 : 2, on: &canvas)
  }
  if let value = row[.hitches].value {
    var text = ShortText()
    text.append(value, decimals: 1)
    text.append(" ms/s")
    pen.pair(Word.hitches.text(context.language), text, on: &canvas)
  }
  drawUnchanged(&canvas, &pen, row, context)
}

/// Draws how long ago the last frame was, if it was not just now.
private func drawLastFrame(_ canvas: inout Canvas, _ pen: inout RowPen, _ context: DrawContext) {
  guard let frames = context.run.frames, frames.recentCount > 0,
    let now = context.run.latest?.time, now.seconds(since: frames.time(0)) >= 1
  else { return }
  pen.pair(
    TableWord.lastFrame.text(context.language), frameAge(frames.time(0), context), on: &canvas)
}

/// Draws the share of written cells that had the same content before.
func drawUnchanged(_ canvas: inout Canvas, _ pen: inout RowPen, _ row: Row, _ context: DrawContext)
{
  guard let value = row[.unchangedCells].value else { return }
  pen.pair(Word.unchangedCells.text(context.language), NumberFormat.percent(value), on: &canvas)
}
