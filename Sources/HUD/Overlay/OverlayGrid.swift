import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The grid of a large HUD over a program: in each row a label and its value, a bar, and cells with a label and a value.

/// The columns of the grid: the same in each row, whatever the values.
struct OverlayGrid {
  /// The least columns of a row.
  static let least = 48
  /// The most cells in a row. What is left of a wider row belongs to the bar.
  private static let mostCells = 4
  private static let cellWidth = 13
  private static let leastBar = 6
  /// The least bar that gives columns away for a second blank before each cell.
  private static let leastSpacedBar = 9
  private static let labelWidth = 4

  /// The columns of a label and its value.
  let lead: Range<Int>
  let bar: Range<Int>
  /// The number of cells.
  let count: Int
  /// The blanks before each cell.
  private let gap: Int

  init(_ frame: Rect) {
    lead = frame.column..<frame.column + OverlayGrid.labelWidth + gaugeValueWidth
    let start = lead.upperBound + 1
    let room = frame.endColumn - start
    let most = (room - OverlayGrid.leastBar) / (OverlayGrid.cellWidth + 1)
    count = max(0, min(most, OverlayGrid.mostCells))
    let spaced = room - count * (OverlayGrid.cellWidth + 2)
    gap = spaced >= OverlayGrid.leastSpacedBar ? 2 : 1
    bar = start..<frame.endColumn - count * (OverlayGrid.cellWidth + gap)
  }

  /// The columns of a cell and of those after it that belong to it.
  func cell(_ index: Int, span: Int = 1) -> Range<Int> {
    let stride = OverlayGrid.cellWidth + gap
    return bar.upperBound + index * stride + gap..<bar.upperBound + (index + span) * stride
  }
}

extension DrawContext {
  /// Whether the gauges are rows of a grid, as in a large overlay.
  func hasGrid(_ frame: Rect) -> Bool { isOverlay && frame.columns >= OverlayGrid.least }
}

/// Draws one row of the grid. Cells are filled from left to right; what does not fit is left out as a whole.
struct OverlayGridRow {
  let row: Int
  let grid: OverlayGrid
  let context: DrawContext
  /// Whether there is nothing before the first cell, so that it may begin a column earlier.
  var isBarFree = false
  private var labelEnd = 0
  /// The cell that is filled next, and the number of cells that may be filled.
  private var next = 0
  private var end: Int

  init(_ frame: Rect, _ context: DrawContext) {
    row = frame.row
    grid = OverlayGrid(frame)
    end = grid.count
    self.context = context
  }

  private func role(isAlert: Bool = false) -> Role {
    context.row?.hasEnded == true ? .dim : isAlert ? .alert : .text
  }

  // MARK: Label, value and bar

  mutating func label(_ text: StaticString, _ role: Role, on canvas: inout Canvas) {
    labelEnd = canvas.text(text, row: row, column: grid.lead.lowerBound, role: role.labelRole)
  }

  /// Draws a value at the end of its columns.
  func value(
    _ text: ShortText, isAlert: Bool = false, isLowerBound: Bool = false, on canvas: inout Canvas
  ) {
    let text = text.trimmed
    let column = grid.lead.upperBound - text.count
    canvas.text(text, row: row, column: column, role: role(isAlert: isAlert))
    if isLowerBound {
      canvas.put(context.atLeast, row: row, column: column - 1, role: .dim)
    }
  }

  /// Draws the reason why there is no value, over the bar if it needs more room than a value.
  func reason(_ word: StaticString, on canvas: inout Canvas) {
    let width = Canvas.width(word)
    let start = max(labelEnd + 1, grid.lead.upperBound - gaugeValueWidth)
    if start + width <= grid.bar.upperBound {
      canvas.text(
        word, row: row, column: max(start, grid.lead.upperBound - width), role: .dim)
    } else {
      canvas.put(context.dash, row: row, column: grid.lead.upperBound - 1, role: .dim)
    }
  }

  /// Returns the value of a metric, or draws the reason why there is none.
  func valueOrReason(_ metric: Metric, on canvas: inout Canvas) -> Double? {
    if let value = context.row?[metric].value { return value }
    reason(context.widgetState(metric).reason.word.text(context.language), on: &canvas)
    return nil
  }

  func bar(_ share: Double, mark: Double? = nil, role: Role, on canvas: inout Canvas) {
    drawBar(
      &canvas, row: row, column: grid.bar.lowerBound, width: grid.bar.count, share: share,
      mark: mark, role: role, context)
  }

  func sparkline(_ sparkline: Sparkline, on canvas: inout Canvas) {
    sparkline.draw(&canvas, row: row, columns: grid.bar, context)
  }

  // MARK: Cells

  /// The number of cells that are still free.
  var room: Int { end - next }

  /// Draws a label and a value at the two ends of the next cell, or neither.
  ///
  /// - Parameter span: the number of cells that belong together.
  mutating func cell(
    _ label: StaticString, _ text: ShortText, span: Int = 1, isAlert: Bool = false,
    on canvas: inout Canvas
  ) {
    guard span <= room else { return }
    var columns = grid.cell(next, span: span)
    if isBarFree, next == 0, !fits(label, text, columns) {
      columns = columns.lowerBound - 1..<columns.upperBound
    }
    guard fits(label, text, columns) else { return }
    draw(label, text, role(isAlert: isAlert), columns, on: &canvas)
    next += span
  }

  /// The same for a value that is less important than those of the other cells: dim.
  mutating func dimCell(
    _ label: StaticString, _ text: ShortText, on canvas: inout Canvas
  ) {
    guard room > 0, fits(label, text, grid.cell(next)) else { return }
    draw(label, text, .dim, grid.cell(next), on: &canvas)
    next += 1
  }

  /// Draws the last cell of the row, before the others.
  mutating func lastCell(
    _ label: StaticString, _ text: ShortText, isAlert: Bool = false, on canvas: inout Canvas
  ) {
    guard room > 0, fits(label, text, grid.cell(end - 1)) else { return }
    end -= 1
    draw(label, text, role(isAlert: isAlert), grid.cell(end), on: &canvas)
  }

  /// The same for a word without a value.
  mutating func lastCell(_ word: StaticString, _ role: Role, on canvas: inout Canvas) {
    guard room > 0, Canvas.width(word) <= grid.cell(end - 1).count else { return }
    end -= 1
    canvas.text(
      word, row: row, column: grid.cell(end).upperBound - Canvas.width(word), role: role)
  }

  private func fits(_ label: StaticString, _ text: ShortText, _ columns: Range<Int>) -> Bool {
    Canvas.width(label) + 1 + Canvas.width(text) <= columns.count
  }

  private func draw(
    _ label: StaticString, _ text: ShortText, _ role: Role, _ columns: Range<Int>,
    on canvas: inout Canvas
  ) {
    canvas.text(
      label, row: row, column: columns.lowerBound, role: role == .alert ? .alert : .dim)
    canvas.text(text, row: row, column: columns.upperBound - Canvas.width(text), role: role)
  }

  /// Draws a cell with the value of a metric, marked if it is a lower bound; nothing if there is none.
  ///
  /// - Parameter format: the value as text.
  mutating func cell(
    _ label: StaticString, _ metric: Metric, on canvas: inout Canvas,
    _ format: (Double) -> ShortText
  ) {
    guard let row = context.row, let value = row[metric].value else { return }
    var text = ShortText()
    if row.lowerBounds.contains(metric) || context.isOfFirstProcess(metric) {
      text.append(context.atLeastText)
    }
    text.append(format(value))
    cell(label, text, on: &canvas)
  }
}
