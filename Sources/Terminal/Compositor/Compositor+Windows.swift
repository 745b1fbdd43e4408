import PerfHUDBase

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
    if wanted.take(grid, parts: parts, at: place) { hasChanges = true }
  }

  /// Whether a window could be shown there now, because what is beneath could be restored.
  package mutating func canCover(_ place: Rect) -> Bool {
    synchronize()
    return !hasLostCells(place.intersection(Rect(screen.size)))
  }

  /// Whether the wanted windows or their places differ from those that are drawn.
  var hasMoved: Bool { wanted.frame != painted.frame || wanted.parts != painted.parts }

  /// Whether the HUD must be erased, because it cannot be changed to the wanted one cell by cell.
  var mustErase: Bool {
    if !isWanted || (hasMoved && !canPaint) { return true }
    return screen.hasDamage && hasLostCells(painted.parts)
  }

  func hasLostCells(_ parts: RectList) -> Bool {
    for index in 0..<parts.count where hasLostCells(parts[index]) { return true }
    return false
  }

  /// Adds each window with a column on each side, where a wide character may be cut.
  func addToRegion(to hudRegion: inout HUDRegion) {
    guard isPainted else { return }
    for index in 0..<painted.parts.count { hudRegion.add(widened(painted.parts[index])) }
  }

  private func widened(_ part: Rect) -> Rect {
    let left = max(0, part.column - 1)
    return Rect(
      row: part.row, column: left, rows: part.rows,
      columns: min(screen.size.columns, part.endColumn + 1) - left)
  }

  /// Whether the HUD wants a cell at this position, once the painted frame is where the picture is.
  func isCovered(_ row: Int, _ column: Int) -> Bool {
    guard painted.frame.contains(Point(row: row, column: column)) else { return false }
    return !wanted.cells[row - painted.frame.row, column - painted.frame.column].isClear
  }

  /// Changes the drawn windows into the wanted ones, cell by cell.
  mutating func changeWindows(to queue: inout OutputQueue) {
    let place = wanted.frame
    let area = painted.frame.union(place)
    painted.reframe(to: area)
    wanted.reframe(to: area)
    painted.takeParts(of: wanted)
    var renderState = begin(to: &queue)
    for row in 0..<area.rows { paintUncovered(row, &renderState, to: &queue) }
    finish(&renderState, isHUDErased: false, to: &queue)
    paintHUD(isWhole: true, to: &queue)
    painted.reframe(to: place)
    wanted.reframe(to: place)
  }

  /// Paints what is beneath windows that have gone.
  private mutating func paintUncovered(
    _ row: Int, _ renderState: inout RenderState, to queue: inout OutputQueue
  ) {
    var isHUDErased = true
    var isUncovered = false
    for column in 0..<painted.frame.columns {
      if !wanted.cells[row, column].isClear {
        isHUDErased = isGhost
      } else if !painted.cells[row, column].isClear {
        isUncovered = true
      }
    }
    guard isUncovered else { return }
    var column = 0
    while column < painted.frame.columns {
      let first = column
      while column < painted.frame.columns, wanted.cells[row, column].isClear,
        !painted.cells[row, column].isClear
      {
        painted.cells[row, column] = .clear
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
    guard painted.frame.row + row >= 0, painted.frame.row + row < screen.size.rows else { return }
    let end = min(painted.frame.columns, screen.size.columns - painted.frame.column)
    var column = 0
    while column < end {
      let first = column
      while column < end, !painted.cells[row, column].isClear { column += 1 }
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
    let row = painted.frame.row + row
    var from = painted.frame.column + first
    var to = painted.frame.column + last
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
