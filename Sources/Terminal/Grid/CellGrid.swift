import Glibc

/// A rectangle of cells, row after row.
@frozen package struct CellGrid: Sendable, Equatable {
  package let size: Size
  @usableFromInline var cells: [Cell]

  /// A grid of clear cells.
  package init(_ size: Size) {
    self.size = Size(rows: max(0, size.rows), columns: max(0, size.columns))
    cells = Array(repeating: .clear, count: self.size.rows * self.size.columns)
  }

  /// The cell at a position, which must be in the grid.
  @inlinable package subscript(row: Int, column: Int) -> Cell {
    get { cells[row &* size.columns &+ column] }
    set { cells[row &* size.columns &+ column] = newValue }
  }

  /// Fills the whole grid.
  @inlinable package mutating func fill(_ cell: Cell) {
    for index in cells.indices { cells[index] = cell }
  }

  /// Copies the cells of another grid of the same size.
  ///
  /// - Returns: whether any differed.
  package mutating func copyCells(of other: borrowing CellGrid) -> Bool {
    precondition(size == other.size)
    var differs = false
    for index in cells.indices where cells[index] != other.cells[index] {
      cells[index] = other.cells[index]
      differs = true
    }
    return differs
  }

  /// Copies part of a row of another grid of the same size.
  mutating func copyRow(_ row: Int, _ columns: Range<Int>, of other: borrowing CellGrid) {
    precondition(size == other.size)
    let start = row * size.columns
    let range = start + columns.lowerBound..<start + columns.upperBound
    unsafe cells.withUnsafeMutableBufferPointer { mine in
      for index in range { unsafe mine[index] = other.cells[index] }
    }
  }

  /// Whether a row is the same in both grids, which must have the same width.
  package func isRow(_ row: Int, sameAs other: borrowing CellGrid) -> Bool {
    let start = row * size.columns
    return unsafe cells.withUnsafeBytes { mine in
      unsafe other.cells.withUnsafeBytes { theirs in
        let offset = start * MemoryLayout<Cell>.stride
        let count = size.columns * MemoryLayout<Cell>.stride
        precondition(offset + count <= mine.count && offset + count <= theirs.count)
        guard count > 0 else { return true }
        return unsafe memcmp(
          mine.baseAddress! + offset, theirs.baseAddress! + offset, count) == 0
      }
    }
  }

  /// The text of a row, for tests and pictures: clear cells are spaces, trailing blanks are cut.
  package func text(row: Int) -> String {
    var text = ""
    for column in 0..<size.columns {
      let cell = self[row, column]
      if cell.isContinuation { continue }
      let scalar = cell.isClear ? " " : Unicode.Scalar(cell.scalarValue) ?? "\u{FFFD}"
      text.unicodeScalars.append(scalar)
    }
    while text.last == " " { text.removeLast() }
    return text
  }
}
