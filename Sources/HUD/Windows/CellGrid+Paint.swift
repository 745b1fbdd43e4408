import PerfHUDBase
import Terminal

extension CellGrid {
  /// Paints a window over the current cells.
  ///
  /// - Parameters:
  ///   - frame: The frame of the window on the screen.
  ///   - bounds: The frame of this grid on the screen.
  mutating func paint(_ window: CellGrid, at frame: Rect, in bounds: Rect) {
    let rows = min(window.size.rows, frame.rows)
    let columns = min(window.size.columns, frame.columns)
    guard rows > 0, columns > 0 else { return }
    let left = frame.column - bounds.column
    for row in 0..<rows {
      let line = frame.row - bounds.row + row
      // Half of a wide character beneath becomes blank.
      if left > 0, self[line, left].isContinuation { blank(line, left - 1) }
      if left + columns < size.columns, self[line, left + columns].isContinuation {
        blank(line, left + columns)
      }
      for column in 0..<columns { self[line, left + column] = window[row, column] }
    }
  }

  private mutating func blank(_ row: Int, _ column: Int) {
    self[row, column] = Cell(" ", style: self[row, column].style)
  }
}
