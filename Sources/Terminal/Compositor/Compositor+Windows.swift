import PerfHUDBase

extension CellGrid {
  /// The cells of a grid at `place` as a grid at `area`; clear where the first grid has no cells.
  func moved(from place: Rect, to area: Rect) -> CellGrid {
    var result = CellGrid(Size(rows: area.rows, columns: area.columns))
    let common = place.intersection(area)
    for row in common.row..<max(common.row, common.endRow) {
      for column in common.column..<max(common.column, common.endColumn) {
        result[row - area.row, column - area.column] = self[row - place.row, column - place.column]
      }
    }
    return result
  }
}

/// Several windows at once: any union of rectangles, which may come and go.
///
/// They are one picture, clear where there is no window. When windows open, move or close, the picture is compared with
/// what the terminal shows. A cell that stays is not sent again, and where no window remains, the program's own cells
/// are painted from the model. The program's output stops for the individual rectangles, so a scroll between two
/// windows erases nothing.
extension Compositor {
  /// Puts the picture of all windows at a place, from the next `settle` on.
  ///
  /// - Parameters:
  ///   - grid: clear outside the windows.
  ///   - parts: the places of the windows, which may overlap. A cell outside them must be clear. They must leave the
  ///     last column of the screen free, since it carries the mark of a line that continues in the next.
  ///   - place: the rectangle around them, of the grid's size.
  package mutating func show(_ grid: borrowing CellGrid, parts: RectList, at place: Rect) {
    precondition(grid.size == Size(rows: place.rows, columns: place.columns))
    if wantedCells.size != grid.size {
      wantedCells = CellGrid(grid.size)
      hasChanges = true
    }
    if wantedCells.copyCells(of: grid) || wantedFrame != place || wantedParts != parts {
      hasChanges = true
    }
    wantedFrame = place
    wantedParts = parts
  }

  /// Whether a window could be shown there now, because what is beneath could be restored.
  package mutating func canCover(_ place: Rect) -> Bool {
    synchronize()
    return !hasLostCells(place.intersection(Rect(screen.size)))
  }

  /// Whether the wanted windows or their places differ from those that are drawn.
  var hasMoved: Bool { wantedFrame != paintedFrame || wantedParts != paintedParts }

  /// Whether the HUD must be erased, because it cannot be changed to the wanted one cell by cell.
  var mustErase: Bool {
    if !isWanted || (hasMoved && !canPaint) { return true }
    return screen.hasDamage && hasLostCells(paintedParts)
  }

  func hasLostCells(_ parts: RectList) -> Bool {
    for index in 0..<parts.count where hasLostCells(parts[index]) { return true }
    return false
  }

  /// Adds each window with a column on each side, where a wide character may be cut.
  func addToRegion(to hudRegion: inout HUDRegion) {
    guard isPainted else { return }
    for index in 0..<paintedParts.count { hudRegion.add(widened(paintedParts[index])) }
  }

  /// The rectangle around the windows, with a column on each side.
  var covered: Rect { widened(paintedFrame) }

  private func widened(_ part: Rect) -> Rect {
    let left = max(0, part.column - 1)
    return Rect(
      row: part.row, column: left, rows: part.rows,
      columns: min(screen.size.columns, part.endColumn + 1) - left)
  }

  /// Whether the HUD wants a cell at this position, once `paintedFrame` is where the picture is.
  func isCovered(_ row: Int, _ column: Int) -> Bool {
    guard paintedFrame.contains(Point(row: row, column: column)) else { return false }
    return !wantedCells[row - paintedFrame.row, column - paintedFrame.column].isClear
  }

  /// Marks the HUD's cells in part of a row as unknown.
  mutating func forgetPainted(_ row: Int, _ first: Int, _ last: Int) {
    for column in first..<last {
      let cell = paintedCells[row, column]
      // If one half of a wide character is unknown, so is the other.
      if cell.isContinuation, column > 0 { paintedCells[row, column - 1] = .unknown }
      if cell.width == 2, column + 1 < paintedCells.size.columns {
        paintedCells[row, column + 1] = .unknown
      }
      if !cell.isClear { paintedCells[row, column] = .unknown }
    }
  }

  /// Changes the drawn windows into the wanted ones, cell by cell.
  mutating func changeWindows(to place: Rect, _ queue: inout OutputQueue) {
    let area = paintedFrame.union(place)
    if area != paintedFrame { paintedCells = paintedCells.moved(from: paintedFrame, to: area) }
    if area != place { wantedCells = wantedCells.moved(from: place, to: area) }
    paintedFrame = area
    paintedParts = wantedParts
    var renderState = begin(to: &queue)
    for row in 0..<area.rows { paintUncovered(row, &renderState, to: &queue) }
    finish(&renderState, isHUDErased: false, to: &queue)
    paintHUD(isWhole: true, to: &queue)
    guard area != place else { return }
    paintedCells = paintedCells.moved(from: area, to: place)
    wantedCells = wantedCells.moved(from: area, to: place)
    paintedFrame = place
  }

  /// Paints what is beneath windows that have gone.
  private mutating func paintUncovered(
    _ row: Int, _ renderState: inout RenderState, to queue: inout OutputQueue
  ) {
    var isHUDErased = true
    var isUncovered = false
    for column in 0..<paintedFrame.columns {
      if !wantedCells[row, column].isClear {
        isHUDErased = isGhost
      } else if !paintedCells[row, column].isClear {
        isUncovered = true
      }
    }
    guard isUncovered else { return }
    var column = 0
    while column < paintedFrame.columns {
      let first = column
      while column < paintedFrame.columns, wantedCells[row, column].isClear,
        !paintedCells[row, column].isClear
      {
        paintedCells[row, column] = .clear
        column += 1
      }
      if first < column {
        paintWhole(row, first, column, isHUDErased: isHUDErased, &renderState, to: &queue)
      }
      column += 1
    }
  }

  /// Paints what is beneath all painted cells in a row of the HUD.
  mutating func paintBeneathHUD(
    _ row: Int, _ renderState: inout RenderState, to queue: inout OutputQueue
  ) {
    guard paintedFrame.row + row >= 0, paintedFrame.row + row < screen.size.rows else { return }
    let end = min(paintedFrame.columns, screen.size.columns - paintedFrame.column)
    var column = 0
    while column < end {
      let first = column
      while column < end, !paintedCells[row, column].isClear { column += 1 }
      if first < column {
        paintWhole(row, first, column, isHUDErased: true, &renderState, to: &queue)
      }
      column += 1
    }
  }

  /// Paints columns in a row of the HUD from the model. A wide character with only one half in these columns is painted
  /// as a whole; if its other half stays covered, this half becomes blank.
  ///
  /// - Parameter isHUDErased: whether nothing of the HUD stays in this row.
  mutating func paintWhole(
    _ row: Int, _ first: Int, _ last: Int, isHUDErased: Bool, _ renderState: inout RenderState,
    to queue: inout OutputQueue
  ) {
    let row = paintedFrame.row + row
    var from = paintedFrame.column + first
    var to = paintedFrame.column + last
    if from > 0, screen.cell(row: row, column: from).isContinuation {
      if !isHUDErased, isCovered(row, from - 1) {
        paintHalf(row, from, &renderState, to: &queue)
        from += 1
      } else {
        from -= 1
      }
    }
    let isCut = to < screen.size.columns && screen.cell(row: row, column: to).isContinuation
    let isHalf = isCut && !isHUDErased && isCovered(row, to)
    if isCut { to += isHalf ? -1 : 1 }
    if from < to { paintBeneath(row, from, to, isHUDErased: isHUDErased, &renderState, to: &queue) }
    if isHalf { paintHalf(row, to, &renderState, to: &queue) }
  }

  /// Paints a blank in place of half a wide character of the program.
  mutating func paintHalf(
    _ row: Int, _ column: Int, _ renderState: inout RenderState, to queue: inout OutputQueue
  ) {
    hasCutEdge[row] = true
    let cell = screen.cell(row: row, column: column)
    let lead = cell.isContinuation && column > 0 ? screen.cell(row: row, column: column - 1) : cell
    move(row, column, &renderState, to: &queue)
    setLook(screen.style(lead.style), &renderState, to: &queue)
    queue.append(0x20)
    renderState.column += 1
  }
}
