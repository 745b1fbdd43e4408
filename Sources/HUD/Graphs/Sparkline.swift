import Metrics
import PerfHUDBase
import Terminal

/// A graph in one row, with equal time in each cell and the newest cell on the right.
///
/// Sparklines with the same columns show the same time. A cell with a value shows at least the lowest step, so
/// that it differs from a cell without one.
struct Sparkline {
  let series: Series
  let axis: Axis
  let role: Role
  /// Whether a cell shows the mean of its values instead of the greatest.
  var showsMean = false
  /// Whether it has the colors of the phases, and the letter of each phase where it begins.
  var hasPhases = false

  /// The number of steps in a cell.
  static let steps = 8

  func draw(_ canvas: inout Canvas, row: Int, columns: Range<Int>, _ context: DrawContext) {
    let history = context.run.history
    let cell = context.state.graph.cellDuration
    let end = GraphTimeRange.newestEnd(history, cell: cell)
    var former: PhaseIndex?
    var hasFormer = false
    for column in columns {
      let from = end.advanced(byNanoseconds: -Int64(columns.upperBound - column) * Int64(cell))
      let to = from.advanced(byNanoseconds: Int64(cell))
      let extent =
        to > history.start ? history.extent(series, from: from, to: to) : Extent.none
      let phase = hasPhases ? context.run.phases.index(from: from, to: min(to, history.end)) : nil
      defer { former = phase }
      guard !extent.isEmpty else {
        hasFormer = false
        continue
      }
      // A letter replaces a step, so a phase has one only if it continues for another cell.
      if let phase, hasFormer, former != phase, column + 1 < columns.upperBound,
        context.run.phases.index(
          from: to, to: min(to.advanced(byNanoseconds: Int64(cell)), history.end)) == phase
      {
        canvas.put(
          context.phaseGlyph(phase), row: row, column: column, role: context.phaseRole(phase))
      } else {
        let step = step(Double(showsMean ? extent.mean : extent.max))
        let color = phase.map { context.phaseRole($0) } ?? role
        canvas.put(
          Sparkline.glyph(step, context), row: row, column: column,
          style: color.shade(row: step - 1, of: Sparkline.steps))
      }
      hasFormer = true
    }
  }

  /// The height of a value, at least 1.
  private func step(_ value: Double) -> Int {
    let share = axis.share(value) * Double(Sparkline.steps)
    return Int(max(1, min(Double(Sparkline.steps), share.rounded())))
  }

  /// The glyph of a height, from 1 to `steps`.
  static func glyph(_ step: Int, _ context: DrawContext) -> Unicode.Scalar {
    guard context.state.graphStyle == .ascii else {
      return Unicode.Scalar(UInt32(0x2580 + step)) ?? "█"
    }
    let glyphs: InlineArray<8, Unicode.Scalar> = [".", ":", "-", "=", "+", "*", "%", "#"]
    return glyphs[step - 1]
  }

  /// The greatest value of a series in the last `cells` cells; 0 without any.
  static func greatest(_ series: Series, cells: Int, _ context: DrawContext) -> Double {
    let history = context.run.history
    let cell = Int64(context.state.graph.cellDuration)
    let end = GraphTimeRange.newestEnd(history, cell: UInt64(cell))
    let extent = history.extent(
      series, from: end.advanced(byNanoseconds: -Int64(cells) * cell), to: end)
    return extent.isEmpty ? 0 : Double(extent.max)
  }
}

extension Axis {
  /// A quarter of a processor, half of one, one, or a whole number of them.
  static func sparklinePercent(to greatest: Double) -> Axis {
    for high in [25.0, 50] where greatest <= high { return Axis(low: 0, high: high) }
    return Axis.percent(to: greatest)
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
