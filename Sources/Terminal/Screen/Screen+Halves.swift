/// Halves of wide characters: what is left of one that was cut.
extension Screen {
  /// A blank with the look of what was there.
  func blanked(_ cell: Cell) -> Cell {
    let kept = cell.raw & (Cell.Bits.unknown | Cell.Bits.protected | 0xFFFF_0000_0000)
    return Cell(raw: kept | Cell.Bits.space)
  }

  /// Blanks both halves of a wide character across a column's left edge, each in its own look.
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

  /// Half of a wide character is left alone there: what the terminal shows is not to be told.
  mutating func orphan(_ place: Int, _ index: Int, _ column: Int) {
    let kept = cells[place].raw & (Cell.Bits.protected | 0xFFFF_0000_0000)
    cells[place] = Cell(raw: kept | Cell.Bits.space | Cell.Bits.unknown)
    noteCut(index, column)
  }

  /// The same for a right half: what is written over it takes the cell to its left with it.
  mutating func strand(_ place: Int, _ index: Int, _ column: Int) {
    orphan(place, index, column)
    cells[place] = Cell(raw: cells[place].raw | Cell.Bits.stray)
    lines[index].hasWide = true
  }

  /// Of the cells left of what may be half a character it cannot be told whether they are erased with it.
  ///
  /// - Parameter reach: so many cells at most; xterm goes on over halves.
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
