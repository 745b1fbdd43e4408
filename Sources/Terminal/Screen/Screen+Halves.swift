/// Halves of wide characters: the remains of cut ones.
extension Screen {
  /// A blank with the look of the cell.
  func blanked(_ cell: Cell) -> Cell {
    let kept = cell.raw & (Cell.Bits.unknown | Cell.Bits.protected | 0xFFFF_0000_0000)
    return Cell(raw: kept | Cell.Bits.space)
  }

  /// Blanks both halves of a wide character that crosses a column's left edge, each in its own look.
  mutating func cutWideAcross(_ index: Int, at column: Int) {
    guard lines[index].hasWide, column > 0, column < columns else { return }
    let place = lines[index].start + column
    guard cells[place].isRightHalf else { return }
    guard cells[place].isContinuation else {
      loseLeft(index, column, 1)
      return orphan(place, index, column)
    }
    cells[place] = blanked(cells[place])
    cells[place - 1] = blanked(cells[place - 1])
    noteCut(index, column)
    noteCut(index, column - 1)
  }

  /// Makes a cell unknown that may contain the remaining half of a wide character.
  mutating func orphan(_ place: Int, _ index: Int, _ column: Int) {
    let kept = cells[place].raw & (Cell.Bits.protected | 0xFFFF_0000_0000)
    let mark = isUnknownTerminal ? Cell.Bits.mayBeLeftHalf : 0
    cells[place] = Cell(raw: kept | Cell.Bits.space | Cell.Bits.unknown | mark)
    noteCut(index, column)
  }

  /// The same for a right half: overwriting it also changes the cell to its left.
  mutating func strand(_ place: Int, _ index: Int, _ column: Int) {
    orphan(place, index, column)
    cells[place] = Cell(raw: cells[place].raw | Cell.Bits.stray)
    lines[index].hasWide = true
  }

  /// Makes the cells to the left of a possible half unknown, because they may be erased with it.
  ///
  /// - Parameter reach: the maximum number of these cells; xterm continues across halves.
  mutating func loseLeft(_ index: Int, _ column: Int, _ reach: Int) {
    let start = lines[index].start
    var column = column
    var cutsLeft = false
    for _ in 0..<reach where column > 0 {
      guard cells[start + column].isRightHalf else { break }
      column -= 1
      cutsLeft = cells[start + column].isContinuation
      if cells[start + column].isRightHalf {
        strand(start + column, index, column)
      } else {
        orphan(start + column, index, column)
      }
    }
    if cutsLeft, column > 0 { orphan(start + column - 1, index, column - 1) }
  }
}
