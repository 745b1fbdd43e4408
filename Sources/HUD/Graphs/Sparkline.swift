import Metrics
import PerfHUDBase
import Terminal

/// A graph in one row, with equal time in each cell and the newest cell on the right.
///
/// Sparklines with the same columns show the same time. A cell with a value shows at least the dotted base line, so that
/// it differs from a cell without one. On an axis that does not begin at 0 it is a line.
struct Sparkline {
  let series: Series
  let axis: Axis
  let role: Role
  /// Whether a cell shows the mean of its values instead of the greatest.
  var showsMean = false
  /// Whether its cells have the colors of the phases, whose names are in the title.
  var hasPhases = false

  /// The number of steps in a cell: eighths of it. The last eighth stays free, so that the sparklines of two rows do not
  /// touch.
  static let steps = 7
  /// The steps over which the shades of the role are spread. The lightest ones would be too bright for whole cells.
  private static let shadedSteps = 11

  func draw(_ canvas: inout Canvas, row: Int, columns: Range<Int>, _ context: DrawContext) {
    let history = context.run.history
    let line = GraphColumns(
      series: series, axis: axis,
      area: Rect(row: row, column: columns.lowerBound, rows: 1, columns: columns.count),
      style: context.state.graphStyle, history: history)
    for column in columns {
      let (from, to) = Sparkline.stretch(columns.upperBound - column, context)
      guard to > history.start else { continue }
      let phase =
        hasPhases ? context.run.phases.index(from: from, to: min(to, history.end)) : nil
      let role = phase.map { context.phaseRole($0) } ?? role
      guard axis.isProportional else {
        line.drawLine(&canvas, column - columns.lowerBound, from: from, to: to, role)
        continue
      }
      let extent = history.extent(series, from: from, to: to)
      guard !extent.isEmpty else { continue }
      let value = Double(showsMean ? extent.mean : extent.max)
      let step = step(value)
      if step == 0, value <= 0 {
        canvas.put(Sparkline.baseGlyph(context), row: row, column: column, role: .track)
      } else {
        canvas.put(
          step == 0 ? Sparkline.baseGlyph(context) : Sparkline.glyph(step, context), row: row,
          column: column, style: Sparkline.style(step, role))
      }
    }
  }

  /// The style of a height.
  static func style(_ step: Int, _ role: Role) -> StyleID {
    role.shade(row: max(0, step - 1), of: shadedSteps)
  }

  /// The height of a value.
  private func step(_ value: Double) -> Int {
    let share = max(0, min(1, axis.share(value)))
    return Int((share * Double(Sparkline.steps)).rounded())
  }

  /// The time range of a cell, counted from 1 for the newest one.
  private static func stretch(_ back: Int, _ context: DrawContext) -> (from: Instant, to: Instant) {
    let cell = context.state.graph.cellDuration
    let end = GraphTimeRange.newestEnd(context.run.history, cell: cell)
    let from = end.advanced(byNanoseconds: -Int64(back) * Int64(cell))
    return (from, from.advanced(byNanoseconds: Int64(cell)))
  }

  /// The base line, for a value of less than half a step: dotted, so that it does not look like a solid line.
  static func baseGlyph(_ context: DrawContext) -> Unicode.Scalar {
    context.state.graphStyle == .braille ? "⣀" : "."
  }

  /// The glyph of a height, from 1 to 8.
  static func glyph(_ step: Int, _ context: DrawContext) -> Unicode.Scalar {
    guard context.state.graphStyle == .ascii else {
      return Unicode.Scalar(UInt32(0x2580 + step)) ?? "▇"
    }
    let glyphs: InlineArray<7, Unicode.Scalar> = [":", "-", "=", "+", "*", "%", "#"]
    return glyphs[min(step, steps) - 1]
  }

  /// The extremes of a series in the last `cells` cells.
  static func extent(_ series: Series, cells: Int, _ context: DrawContext) -> Extent {
    context.run.history.extent(
      series, from: stretch(cells, context).from, to: stretch(1, context).to)
  }

  /// The greatest value of a series in the last `cells` cells; 0 without any.
  static func greatest(_ series: Series, cells: Int, _ context: DrawContext) -> Double {
    let extent = extent(series, cells: cells, context)
    return extent.isEmpty ? 0 : Double(extent.max)
  }

  /// The greatest mean of a cell in the last `cells` cells; 0 without any.
  static func greatestMean(_ series: Series, cells: Int, _ context: DrawContext) -> Double {
    var greatest = 0.0
    for back in 1...max(1, cells) {
      let (from, to) = stretch(back, context)
      guard to > context.run.history.start else { break }
      let extent = context.run.history.extent(series, from: from, to: to)
      if !extent.isEmpty { greatest = max(greatest, Double(extent.mean)) }
    }
    return greatest
  }
}

extension Axis {
  /// From 0 to the peak beside the sparkline, so that it is the scale, or to the greatest value if that is more.
  static func sparkline(to greatest: Double, peak: Double?, least: Double) -> Axis {
    Axis(low: 0, high: max(least, peak ?? 0, greatest))
  }

  /// The same for bytes. If the values differ hardly from one another and from the peak, it begins below them, as that of
  /// a graph does.
  static func sparklineMemory(_ extent: Extent, peak: Double?) -> Axis {
    guard !extent.isEmpty else { return Axis(low: 0, high: 1) }
    let axis = Axis.bytes(from: Double(extent.min), to: Double(extent.max))
    let isNearPeak = Double(extent.max) * 8 >= (peak ?? 0) * 7
    guard axis.isProportional || !isNearPeak else { return axis }
    return .sparkline(to: Double(extent.max), peak: peak, least: 1_048_576)
  }

  /// From 0 to a power of two or one and a half times that, so that the range is stable while values change.
  static func sparklineBytes(to greatest: Double, least: Double) -> Axis {
    var high = least
    while high < greatest, high < 1e18 {
      if high * 1.5 >= greatest { return Axis(low: 0, high: high * 1.5) }
      high *= 2
    }
    return Axis(low: 0, high: high)
  }

  /// 30 frames a second, 60, or 60 times a power of two.
  static func sparklineFrames(to greatest: Double) -> Axis {
    var high = 30.0
    while high * 1.1 < greatest, high < 1e6 { high *= 2 }
    return Axis(low: 0, high: high)
  }
}
