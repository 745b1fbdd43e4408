/// A position on a screen, in cells; the origin is the top left corner.
@frozen package struct Point: Hashable, Sendable, BitwiseCopyable {
  package var row: Int
  package var column: Int

  @inlinable package init(row: Int, column: Int) {
    self.row = row
    self.column = column
  }
}

/// A size in cells.
@frozen package struct Size: Hashable, Sendable, BitwiseCopyable {
  package var rows: Int
  package var columns: Int

  @inlinable package init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }
}

/// A rectangle of cells. An empty one has no rows or no columns.
@frozen package struct Rect: Hashable, Sendable, BitwiseCopyable {
  package var row: Int
  package var column: Int
  package var rows: Int
  package var columns: Int

  @inlinable package init(row: Int, column: Int, rows: Int, columns: Int) {
    self.row = row
    self.column = column
    self.rows = max(0, rows)
    self.columns = max(0, columns)
  }

  /// The rectangle of a whole screen.
  @inlinable package init(_ size: Size) {
    self.init(row: 0, column: 0, rows: size.rows, columns: size.columns)
  }

  package static var empty: Rect { Rect(row: 0, column: 0, rows: 0, columns: 0) }

  @inlinable package var isEmpty: Bool { rows == 0 || columns == 0 }
  @inlinable package var endRow: Int { row + rows }
  @inlinable package var endColumn: Int { column + columns }

  /// The part that is also in `other`.
  @inlinable package func intersection(_ other: Rect) -> Rect {
    let top = max(row, other.row)
    let left = max(column, other.column)
    return Rect(
      row: top, column: left, rows: min(endRow, other.endRow) - top,
      columns: min(endColumn, other.endColumn) - left)
  }

  @inlinable package func contains(_ point: Point) -> Bool {
    point.row >= row && point.row < endRow && point.column >= column && point.column < endColumn
  }
}
