/// All windows of the HUD in one picture, and where it is on the screen.
///
/// It cannot be copied, since the next change would then copy the cells, too.
struct WindowPicture: ~Copyable {
  /// The cells in the frame; clear where there is no window.
  var cells = CellGrid(Size(rows: 0, columns: 0))
  /// The rectangle around all windows; empty while there is no picture. The cells are kept then.
  private(set) var frame = Rect.empty
  /// The places of the windows.
  private(set) var parts = RectList()

  init() {}

  /// A picture with only unknown cells.
  init(unknownAt place: Rect) {
    cells = CellGrid(Size(rows: place.rows, columns: place.columns))
    cells.fill(.unknown)
    frame = place
  }

  /// Whether there is no picture.
  @inline(__always) var isEmpty: Bool { frame.isEmpty }

  /// Takes the cells of a grid, which must have the size of the place.
  ///
  /// - Returns: whether anything differed.
  mutating func take(_ grid: borrowing CellGrid, parts: RectList, at place: Rect) -> Bool {
    precondition(grid.size == Size(rows: place.rows, columns: place.columns))
    var differs = frame != place || self.parts != parts
    if cells.size != grid.size {
      cells = CellGrid(grid.size)
      differs = true
    }
    if cells.copyCells(of: grid) { differs = true }
    frame = place
    self.parts = parts
    return differs
  }

  /// Takes the place of another picture, with clear cells.
  mutating func clear(at other: borrowing WindowPicture) {
    frame = other.frame
    parts = other.parts
    if cells.size != other.cells.size {
      cells = CellGrid(other.cells.size)
    } else {
      cells.fill(.clear)
    }
  }

  mutating func takeParts(of other: borrowing WindowPicture) { parts = other.parts }

  mutating func remove() { frame = Rect.empty }

  /// Notes where the cells are.
  mutating func move(to place: Rect) { frame = place }

  /// Changes the frame and leaves the cells where they are on the screen: those that are outside are cut off, new ones
  /// are clear.
  mutating func reframe(to area: Rect) {
    guard area != frame else { return }
    cells = cells.moved(from: frame, to: area)
    frame = area
  }

  /// Marks the HUD's cells in part of a row as unknown.
  mutating func forget(_ row: Int, _ first: Int, _ last: Int) {
    for column in first..<last {
      let cell = cells[row, column]
      // If one half of a wide character is unknown, so is the other.
      if cell.isContinuation, column > 0 { cells[row, column - 1] = .unknown }
      if cell.width == 2, column + 1 < cells.size.columns { cells[row, column + 1] = .unknown }
      if !cell.isClear { cells[row, column] = .unknown }
    }
  }

  /// Marks all cells of the HUD as unknown.
  mutating func forgetAll() {
    for row in 0..<cells.size.rows { forget(row, 0, cells.size.columns) }
  }
}

extension CellGrid {
  /// The cells of a grid at `place` as a grid at `area`; clear where the first grid has no cells.
  fileprivate func moved(from place: Rect, to area: Rect) -> CellGrid {
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
