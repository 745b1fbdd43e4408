import Metrics
import PerfHUDBase
import Terminal

// The statistics of frame times as a table: the last 5 s and the whole run.

private enum FrameColumn {
  case meanRate, onePercentLow, pointOnePercentLow, median, p95, p99, longest, slow

  func heading(_ language: Language) -> StaticString {
    switch self {
    case .meanRate: TableWord.meanRate.text(language)
    case .onePercentLow: Word.onePercentLow.text(language)
    case .pointOnePercentLow: TableWord.pointOnePercentLow.text(language)
    case .median: "p50"
    case .p95: "p95"
    case .p99: "p99"
    case .longest: TableWord.longest.text(language)
    case .slow: Word.slowFrames.text(language)
    }
  }

  /// What comes before a value if frames are missing; `nil` if that says nothing about it.
  func sign(_ isASCII: Bool) -> StaticString? {
    switch self {
    case .meanRate, .onePercentLow, .pointOnePercentLow: isASCII ? ">" : "≥"
    case .median, .p95, .p99, .longest: isASCII ? "<" : "≤"
    case .slow: nil
    }
  }

  /// The columns are left out in the order of their ranks, the greatest first.
  var rank: Int {
    switch self {
    case .meanRate: 0
    case .onePercentLow: 1
    case .p99: 2
    case .longest: 3
    case .slow: 4
    case .median: 5
    case .p95: 6
    case .pointOnePercentLow: 7
    }
  }
}

private let tableColumns: InlineArray<8, FrameColumn> = [
  .meanRate, .onePercentLow, .pointOnePercentLow, .median, .p95, .p99, .longest, .slow,
]
/// Columns of the names of the rows, and of the widest heading with a blank before it.
private let labelWidth = 9
private let leastValueWidth = 9
/// The column of slow frames has a number and a share.
private let slowExtraWidth = 5
/// With wider columns a row could not be followed.
private let mostValueWidth = 14

/// Draws the table: headings, the last 5 s, the whole run.
func drawFrameTable(
  _ canvas: inout Canvas, _ table: Rect, _ frames: FrameStatistics, _ recent: FrameTimeSummary?,
  _ context: DrawContext
) {
  let room = table.columns - labelWidth
  var count = 0
  while count < tableColumns.count, width(of: count + 1) <= room { count += 1 }
  guard count > 0 else { return }
  let extra = count > FrameColumn.slow.rank ? slowExtraWidth : 0
  let width = min(mostValueWidth, (room - extra) / count)
  if let source = context.row?.fpsSource {
    canvas.text(source.key, row: table.row, column: table.column, role: .dim)
  }
  let total = frames.totalSummary
  canvas.text(
    TableWord.lastSeconds.text(context.language, 5), row: table.row + 1, column: table.column,
    role: .label)
  canvas.text(
    TableWord.wholeRun.text(context.language), row: table.row + 2, column: table.column,
    role: .label)
  var end = table.column + labelWidth
  for index in tableColumns.indices where tableColumns[index].rank < count {
    let column = tableColumns[index]
    end += width + (column.rank == FrameColumn.slow.rank ? extra : 0)
    let heading = column.heading(context.language)
    canvas.text(
      heading, row: table.row, column: end - Canvas.width(heading), role: .title)
    draw(
      &canvas, table.row + 1, end, column, recent, isBound: recent?.isLowerBound == true, context)
    draw(
      &canvas, table.row + 2, end, column, total, isBound: context.run.framesAreLowerBound, context)
  }
}

/// The least width of a number of columns.
private func width(of count: Int) -> Int {
  count * leastValueWidth + (count > FrameColumn.slow.rank ? slowExtraWidth : 0)
}

/// Draws a value that ends before a column: dim if there is none, or if it has too few frames.
///
/// - Parameter isBound: whether frames are missing, so that rates are too low and times too long.
private func draw(
  _ canvas: inout Canvas, _ row: Int, _ end: Int, _ column: FrameColumn,
  _ summary: FrameTimeSummary?, isBound: Bool, _ context: DrawContext
) {
  var role = Role.text
  var text = ShortText()
  if let summary {
    text = value(column, summary, &role)
    if isBound, role != .dim, let sign = column.sign(context.state.isASCII) {
      var marked = ShortText(sign)
      marked.append(text.trimmed)
      text = marked
    }
  } else {
    text = ShortText(context.dashText)
    role = .dim
  }
  canvas.text(text, row: row, column: end - Canvas.width(text), role: role)
}

private func value(
  _ column: FrameColumn, _ summary: FrameTimeSummary, _ role: inout Role
) -> ShortText {
  switch column {
  case .meanRate: return rate(summary.meanRate)
  case .onePercentLow:
    return rate(summary.onePercentLow, needs: FrameTimeSummary.leastForOnePercent, &role)
  case .pointOnePercentLow:
    return rate(summary.pointOnePercentLow, needs: FrameTimeSummary.leastForPointOnePercent, &role)
  case .median: return NumberFormat.compactMilliseconds(summary.median)
  case .p95: return NumberFormat.compactMilliseconds(summary.p95)
  case .p99: return NumberFormat.compactMilliseconds(summary.p99)
  case .longest: return NumberFormat.compactMilliseconds(summary.longest)
  case .slow:
    role = summary.slowFrames > 0 ? .text : .dim
    var text = NumberFormat.count(Double(summary.slowFrames)).trimmed
    text.append(NumberFormat.percent(summary.slowPercent))
    return text
  }
}

/// A rate, or how many frames it needs: `n<1000`.
private func rate(_ value: Double?, needs least: UInt64, _ role: inout Role) -> ShortText {
  if let value { return rate(value) }
  role = .dim
  var text = ShortText("n<")
  text.append(decimal: least)
  return text
}

private func rate(_ value: Double) -> ShortText {
  var text = ShortText()
  text.append(value, decimals: value < 99.95 ? 1 : 0)
  return text
}
