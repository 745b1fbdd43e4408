import Metrics
import PerfHUDBase
import Terminal

// The frame times in a large HUD over a program that draws frames, in place of the CPU graph.

extension DrawContext {
  /// Whether frames are measured whose times say something about the program. Those between keys do not.
  var hasFrameTimes: Bool {
    guard showsFrames, let row, row.fpsSource != .tick, !row.drawsOnlyAfterKeys else {
      return false
    }
    return run.frames?.recentCount ?? 0 >= leastFrames
  }
}

/// The least frames that are a graph. An editor draws one or two when it starts.
private let leastFrames = 5

/// The least columns of the graph with lines whose frame rates are on the right, and the columns of these.
private let leastRateColumns = 50
private let rateColumns = 9

/// Draws the times of the last frames as a line, with the newest and the longest one in the heading.
func drawOverlayFrames(
  _ canvas: inout Canvas, _ frame: Rect, _ timeRange: GraphTimeRange, _ context: DrawContext
) {
  guard let frames = context.run.frames else { return }
  var area = timeRange.area
  let hasRates = area.columns >= leastRateColumns && area.rows >= 4
  if hasRates { area.columns -= rateColumns }
  let graph = FrameGraph(area, frames, context)
  guard graph.shown > 0 else { return }
  if timeRange.hasHeading {
    var pen = headingPen(frame, timeRange, context)
    drawHeading(&canvas, &pen, graph, context)
  }
  drawFrameLine(&canvas, graph, context)
  if timeRange.hasAxis {
    drawAxes(&canvas, frame, timeRange, graph.axis, role: .frame, millisecondLabel, context)
  }
  if hasRates { drawFrameRateLines(&canvas, graph, context) }
}

/// Draws `frame time  now 16.7 ms  longest 48.1 ms  last 4s`, the last being the time that the graph shows.
private func drawHeading(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ graph: FrameGraph, _ context: DrawContext
) {
  pen.text(TableWord.frameTime.text(context.language), .fpsLabel, on: &canvas)
  if let word = context.frameWord {
    pen.text(word.text(context.language), .dim, gap: 2, on: &canvas)
  } else if let newest = graph.milliseconds(0) {
    pen.pair(
      Word.now.text(context.language), NumberFormat.compactMilliseconds(newest), on: &canvas)
  }
  if let longest = graph.longest, let milliseconds = graph.milliseconds(longest) {
    pen.pair(
      TableWord.longest.text(context.language), NumberFormat.compactMilliseconds(milliseconds),
      on: &canvas)
  }
  let span = graph.frames.time(0).seconds(since: graph.frames.time(graph.shown - 1))
  guard span >= 0.5, span < 3600 else { return }
  pen.text(
    TableWord.lastSeconds.text(context.language, Int(span.rounded())), .dim, gap: 2, on: &canvas)
}

private func millisecondLabel(_ value: Double) -> ShortText {
  var text = ShortText()
  text.append(value, decimals: value == value.rounded() ? 0 : 1)
  text.append("ms")
  return text
}
