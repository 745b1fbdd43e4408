import Metrics
import PerfHUDBase
import Terminal

// How the frame times of the last 5 s are spread: a bar beside each row of the graph.

/// Columns of a share after its bar, with a blank before it.
private let percentColumns = NumberFormat.percentWidth + 1

/// Columns of the longest frame time of a row, before its bar: `≤33.3ms `.
private let edgeColumns = 8

/// Draws, in each row of the graph, the share of the frames whose columns end in that row. A full bar is 25 %, 50 % or
/// all of them.
func drawFrameShares(
  _ canvas: inout Canvas, _ shares: Rect, _ graph: FrameGraph, _ recent: FrameTimeSummary,
  _ context: DrawContext
) {
  let barColumn = shares.column + 2 + edgeColumns
  let barColumns = shares.columns - 2 - edgeColumns - percentColumns - 1
  guard recent.count > 0, barColumns >= 4 else { return }
  let slow = 1.5 * recent.median
  var greatest = 0.0
  for index in 0..<graph.area.rows { greatest = max(greatest, share(of: index, graph, recent)) }
  // In steps, so that the bars seldom change their scale.
  let full = greatest > 0.5 ? 1 : greatest > 0.25 ? 0.5 : 0.25
  for index in 0..<graph.area.rows {
    let row = graph.area.endRow - 1 - index
    canvas.put(context.glyph("│", "|"), row: row, column: shares.column + 1, role: .frame)
    let share = share(of: index, graph, recent)
    guard share > 0 else { continue }
    let start = index == 0 ? 0 : upperEdge(of: index - 1, graph)
    let role: Role = start >= slow ? .alert : .fps
    let label = edgeText(of: index, graph, context)
    canvas.text(label, row: row, column: barColumn - 1 - Canvas.width(label), role: .dim)
    let used = drawShare(&canvas, row, barColumn, barColumns, share / full, role, context)
    canvas.text(
      shareText(share), row: row, column: barColumn + used + 1,
      role: role == .alert ? .alert : .text)
  }
}

/// The share of the frames whose columns end in a row of the graph, counted from the bottom.
private func share(of index: Int, _ graph: FrameGraph, _ recent: FrameTimeSummary) -> Double {
  // Longer ones than the axis has are in its highest row.
  let isTop = index == graph.area.rows - 1
  let upTo = isTop ? Int(recent.count) : graph.frames.recentCount(upTo: upperEdge(of: index, graph))
  let below = index == 0 ? 0 : graph.frames.recentCount(upTo: upperEdge(of: index - 1, graph))
  return Double(upTo - below) / Double(recent.count)
}

/// The longest frame time, in milliseconds, whose column ends in a row of the graph, counted from the bottom.
private func upperEdge(of index: Int, _ graph: FrameGraph) -> Double {
  let steps = Double((index + 1) * graph.style.stepsPerCell)
  let full = Double(graph.area.rows * graph.style.stepsPerCell)
  // Heights are rounded to steps.
  return (steps + 0.5) / full * graph.axis.high
}

/// The longest frame time of a row; the highest row has all longer ones, too.
private func edgeText(of index: Int, _ graph: FrameGraph, _ context: DrawContext) -> ShortText {
  let isTop = index == graph.area.rows - 1
  let edge = isTop && index == 0 ? 0 : upperEdge(of: isTop ? index - 1 : index, graph)
  var text = ShortText(
    isTop ? ">" : context.state.isASCII ? "<" : "≤")
  text.append(edge, decimals: edge < 99.95 ? 1 : 0)
  text.append("ms")
  return text
}

private func shareText(_ share: Double) -> ShortText {
  guard share >= 0.0005 else { return ShortText("<0.1 %") }
  return NumberFormat.percent(share * 100).trimmed
}

/// Draws a bar of at least an eighth of a cell.
///
/// - Returns: its columns.
private func drawShare(
  _ canvas: inout Canvas, _ row: Int, _ column: Int, _ columns: Int, _ share: Double, _ role: Role,
  _ context: DrawContext
) -> Int {
  let eighths = max(1, Int((share * Double(columns * 8)).rounded()))
  guard !context.state.isASCII else {
    let cells = max(1, (eighths + 4) / 8)
    canvas.fill("#", row: row, column: column, count: cells, role: role)
    return cells
  }
  for cell in 0..<eighths / 8 {
    canvas.put("█", row: row, column: column + cell, style: role.shade(row: cell, of: columns))
  }
  guard eighths % 8 > 0 else { return eighths / 8 }
  let partial = Unicode.Scalar(UInt32(0x2590 - eighths % 8)) ?? "▏"
  canvas.put(
    partial, row: row, column: column + eighths / 8,
    style: role.shade(row: eighths / 8, of: columns))
  return eighths / 8 + 1
}
