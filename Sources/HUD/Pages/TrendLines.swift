import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The CPU shares of a process or a thread over time: a sparkline in its row, or a graph as high as a row of several lines.

extension DrawContext {
  /// The lines of a row on a page: several on the tabs of threads and processes while these are few.
  func linesOfRow(_ page: ListPage) -> Int {
    (page == .threads || page == .processes) && state.family == .pane ? state.view.linesOfRow : 1
  }
}

extension PageRows {
  /// The cells of a sparkline that fit into some columns with a blank before it; 0 if it would be too short.
  static func historyColumns(_ columns: Int, most: Int = ShareHistories.shortCapacity) -> Int {
    columns > 6 ? min(columns - 1, most) : 0
  }

  /// Appends a blank and the last CPU shares of a row, the newest on the right.
  ///
  /// - Parameter index: the row in the table.
  func writeHistory(_ index: Int, columns: Int, to line: inout ListRow) {
    guard columns > 0, let histories = listing?.histories else { return }
    // A row of several lines has a graph there.
    guard context.linesOfRow(page) == 1 else { return line.blanks(columns + 1, .dim) }
    let scale = histories.scale(cells: columns)
    line.append(" ")
    var age = columns
    while age > 0 {
      age -= 1
      let share = histories.share(row: index, age: age)
      // Dots in a long sparkline are more conspicuous than the shares.
      if share == nil, columns > ShareHistories.shortCapacity {
        line.append(" ")
        continue
      }
      writeCell(share, of: scale, .cpu, least: Double.leastNonzeroMagnitude, to: &line)
    }
  }

  /// Appends a cell of a sparkline in a row; a dot for a time without a value.
  ///
  /// - Parameters:
  ///   - scale: the value of a whole cell.
  ///   - least: the least value whose base line has the role of the sparkline.
  func writeCell(
    _ value: Double?, of scale: Double, _ role: Role, least: Double, to line: inout ListRow
  ) {
    guard let value else { return line.append(context.glyph("·", "."), .track) }
    let height = Int((value / scale * Double(Sparkline.steps)).rounded())
    if height > 0 {
      line.append(height: min(Sparkline.steps, height), role, context)
    } else {
      line.append(Sparkline.baseGlyph(context), value >= least ? role : .track)
    }
  }

  /// Draws the CPU shares of a thread or a process over time as high as its row, and the lines of the tree that pass it.
  ///
  /// - Parameters:
  ///   - area: the lines of the row.
  ///   - isSelected: whether the row is in reverse video.
  func drawLines(_ canvas: inout Canvas, _ area: Rect, _ row: Int, isSelected: Bool) {
    guard let listing else { return }
    let entry = listing.entry(inRow: row)
    guard page == .processes else {
      guard let entry else { return }
      let shown = threadColumns
      let cells = shown.firstCell..<shown.firstCell + shown.history
      return drawShares(&canvas, area, cells, entry.index, isSelected: isSelected)
    }
    if let branch = entry ?? (row == listing.endedRow ? listing.endedChild : nil) {
      drawBranches(&canvas, area, of: branch, isSelected: isSelected)
    }
    guard let entry, listing.table?.rows[entry.index].hasEnded == false else { return }
    let shown = processColumns
    let first = shown.beforeCPU + NumberFormat.percentWidth + 1
    drawShares(
      &canvas, area, first..<first + shown.history, entry.index, isSelected: isSelected)
  }

  /// - Parameters:
  ///   - cells: their columns, from the first one of the row.
  ///   - index: the row in the table.
  private func drawShares(
    _ canvas: inout Canvas, _ area: Rect, _ cells: Range<Int>, _ index: Int, isSelected: Bool
  ) {
    guard !cells.isEmpty, let histories = listing?.histories else { return }
    let scale = histories.scale(cells: cells.count)
    // The last eighth stays free, so that two rows do not touch.
    let steps = 8 * area.rows - 1
    var cell = 0
    while cell < cells.count {
      let column = area.column + cells.lowerBound + cell
      cell += 1
      guard let share = histories.share(row: index, age: cells.count - cell) else {
        if cells.count <= ShareHistories.shortCapacity {
          canvas.put(
            context.glyph("·", "."), row: area.endRow - 1, column: column,
            role: isSelected ? .notice : .track)
        }
        continue
      }
      var rest = min(steps, Int((share / scale * Double(steps)).rounded()))
      guard rest > 0 else {
        canvas.put(
          Sparkline.baseGlyph(context), row: area.endRow - 1, column: column,
          role: isSelected ? .notice : share > 0 ? .cpu : .track)
        continue
      }
      var line = 0
      while rest > 0 {
        canvas.put(
          Sparkline.glyph(min(rest, 8), context), row: area.endRow - 1 - line, column: column,
          style: isSelected
            ? Role.notice.style
            : Sparkline.style((line + 1) * Sparkline.steps / area.rows, .cpu))
        rest -= 8
        line += 1
      }
    }
  }
}
