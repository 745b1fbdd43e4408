import Metrics
import PerfHUDBase
import PerfHUDEvents
import Terminal

// The phases that the program showed over time: their colors and names.

extension DrawContext {
  /// The color of a phase: the one that the program requests, otherwise one chosen by the phase's index among the
  /// colors that the program requests for no phase.
  func phaseRole(_ index: PhaseIndex) -> Role {
    guard index < PhaseTracker.otherIndex else { return .gray }
    if let color = run.phases[Int(index)].color { return Role(color) }
    let requested = run.phases.requestedColors & DrawContext.allPhaseColors
    let count = DrawContext.phaseColors.count
    let free = count - requested.nonzeroBitCount
    guard free > 0 else { return Role(DrawContext.phaseColors[Int(index) % count]) }
    var left = Int(index) % free
    var position = 0
    while requested >> DrawContext.phaseColors[position].rawValue & 1 != 0 || left > 0 {
      if requested >> DrawContext.phaseColors[position].rawValue & 1 == 0 { left -= 1 }
      position += 1
    }
    return Role(DrawContext.phaseColors[position])
  }

  /// Neighboring colors differ for all common kinds of color blindness. The last one is that of memory without phases.
  static let phaseColors: [EventColor] = [
    .cyan, .yellow, .purple, .green, .pink, .red, .blue, .orange,
  ]
  /// One bit for each of these colors.
  private static let allPhaseColors = phaseColors.reduce(UInt16(0)) { $0 | 1 << $1.rawValue }

  /// The letter of a phase, so that phases do not differ by color alone.
  func phaseGlyph(_ index: PhaseIndex) -> Unicode.Scalar {
    switch index {
    case ..<26: Unicode.Scalar(UInt8(ascii: "A") + index)
    case ..<52: Unicode.Scalar(UInt8(ascii: "a") + index - 26)
    default: "*"
    }
  }
}

extension DrawContext {
  /// The current phase; `nil` if there is none.
  var phase: PhaseIndex? { run.phases.currentIndex }

  /// The icon of a phase, if it is one character that is two columns wide on all terminals.
  func phaseIcon(_ index: PhaseIndex) -> Unicode.Scalar? {
    guard !state.isASCII, index < PhaseTracker.otherIndex else { return nil }
    let icon = run.phases[Int(index)].icon
    var decoder = UTF8Decoder()
    var first: Unicode.Scalar?
    for position in 0..<icon.count {
      guard let scalar = decoder.feed(icon[position]) else { continue }
      guard first == nil else { return nil }
      first = scalar
    }
    guard let first, CharacterWidth.of(first) == 2 else { return nil }
    return first
  }

  /// Columns of a phase's letter, name and icon.
  func phaseWidth(_ index: PhaseIndex) -> Int {
    guard index < PhaseTracker.otherIndex else { return 1 }
    let icon = phaseIcon(index) == nil ? 0 : 3
    return 2 + Canvas.width(run.phases[Int(index)].name) + icon
  }
}

/// Draws letter, name and icon of a phase in at most `width` columns; returns the column after them.
@discardableResult
func drawPhase(
  _ canvas: inout Canvas, _ phase: PhaseIndex, row: Int, column: Int, width: Int,
  _ context: DrawContext
) -> Int {
  guard width > 0 else { return column }
  let role = context.phaseRole(phase)
  canvas.put(context.phaseGlyph(phase), row: row, column: column, role: role)
  guard width >= 4, phase < PhaseTracker.otherIndex else { return column + 1 }
  canvas.put(" ", row: row, column: column + 1)
  let end = canvas.text(
    context.run.phases[Int(phase)].name, row: row, column: column + 2, width: width - 2, role: role,
    ellipsis: context.ellipsis)
  guard let icon = context.phaseIcon(phase), end + 3 <= column + width else { return end }
  canvas.put(" ", row: row, column: end)
  return canvas.character(icon, row: row, column: end + 1)
}

/// Draws the row below the memory graph: the time range of each phase with its letter, and its name if it fits.
func drawPhaseBand(_ canvas: inout Canvas, _ timeRange: GraphTimeRange, _ context: DrawContext) {
  guard timeRange.hasBand else { return }
  let area = timeRange.area
  let row = area.endRow
  var column = 0
  while column < area.columns {
    let phase = phaseOf(column, timeRange, context)
    var end = column + 1
    while end < area.columns, phaseOf(end, timeRange, context) == phase { end += 1 }
    drawStretch(
      &canvas, phase, row: row, columns: area.column + column..<area.column + end, context)
    column = end
  }
}

private func phaseOf(_ column: Int, _ timeRange: GraphTimeRange, _ context: DrawContext)
  -> PhaseIndex?
{
  let from = timeRange.start.advanced(byNanoseconds: Int64(column) * Int64(timeRange.cell))
  let to = min(from.advanced(byNanoseconds: Int64(timeRange.cell)), context.run.history.end)
  // A graph may begin before the run.
  guard from >= context.run.history.start, to > from else { return nil }
  return context.run.phases.index(from: from, to: to)
}

private func drawStretch(
  _ canvas: inout Canvas, _ phase: PhaseIndex?, row: Int, columns: Range<Int>,
  _ context: DrawContext
) {
  guard let phase else {
    return canvas.fill(" ", row: row, column: columns.lowerBound, count: columns.count)
  }
  let role = context.phaseRole(phase)
  canvas.fill(
    context.glyph("─", "-"), row: row, column: columns.lowerBound, count: columns.count, role: role)
  canvas.put(context.phaseGlyph(phase), row: row, column: columns.lowerBound, role: role)
  // Less a letter, a blank, and one cell of the line after the name.
  let room = columns.count - 3
  guard room >= 3 else { return }
  canvas.put(" ", row: row, column: columns.lowerBound + 1)
  let left = columns.lowerBound + 2
  var end = left
  if phase < PhaseTracker.otherIndex {
    end = canvas.text(
      context.run.phases[Int(phase)].name, row: row, column: left, width: room, role: role,
      ellipsis: context.ellipsis)
  } else if Canvas.width(Word.others.text(context.language)) <= room {
    end = canvas.text(Word.others.text(context.language), row: row, column: left, role: role)
  }
  canvas.put(" ", row: row, column: end)
}
