/// Shifts, erases and prints like tmux where wide characters are cut; see `TerminalQuirks.shiftsAsTmux`.
///
/// tmux looks for halves only where it prints, and not always there. A half that it leaves alone becomes unknown, since
/// what tmux shows there is not reliable.
extension Screen {
  var cutsAsTmux: Bool { options.quirks.contains(.shiftsAsTmux) }

  /// ICH and IRM: cells that are pushed over the end of the line are lost. If more cells are inserted than there are to
  /// push, the cells in between stay as they are.
  mutating func insertAsTmux(_ wanted: Int) {
    if column == columns - 1 { return erase(row, column, columns) }
    let count = min(wanted, columns - column)
    let pushed = columns - column - count
    guard pushed > 0 else { return }
    let index = beginShift()
    let start = lines[index].start + column
    cells.move(from: start, to: start + count, pushed)
    cells.fill(start, min(pushed, count), with: blankHere)
    endShift(index)
  }

  /// DCH: blanks are added at the end of the line.
  mutating func deleteAsTmux(_ count: Int) {
    let used = Int(lines[lineIndex(row)].used)
    let index = beginShift()
    let start = lines[index].start
    cells.move(from: start + column + count, to: start + column, columns - column - count)
    cells.fill(start + columns - count, count, with: blankHere)
    endShift(index)
    // What comes in at the end does not count as written.
    if lines[index].blank == blankHere {
      lines[index].used = Int32(max(min(used, columns), columns - count))
    }
  }

  private mutating func beginShift() -> Int {
    if !isCursorKnown { makeAllUnknown() }
    if penState.isEraseStale { refreshErase() }
    let index = lineIndex(row)
    materialize(index)
    return index
  }

  private mutating func endShift(_ index: Int) {
    noteChange(row, column, columns)
    lines[index].isWrapped = false
    guard lines[index].hasWide else { return }
    let start = lines[index].start
    for column in 0..<columns {
      let cell = cells[start + column]
      if cell.isContinuation {
        let isWhole = column > 0 && cells[start + column - 1].width == 2
        if !isWhole { strand(start + column, index, column) }
      } else if cell.width == 2 {
        let isWhole = column + 1 < columns && cells[start + column + 1].isContinuation
        if !isWhole { orphan(start + column, index, column) }
      }
    }
  }

  /// IRM makes room for a wide character before tmux finds that it does not fit: this erases the last column.
  mutating func makeRoomAtLineEnd() {
    let index = prepare(row, columns - 1, columns)
    cells[lines[index].start + columns - 1] = isOutOfPlace ? .unknown : .erased()
    noteChange(row, columns - 1, columns)
  }

  /// Handles the halves next to cells that are written or erased.
  mutating func cutWideAsTmux(_ index: Int, _ from: Int, _ to: Int, isPrinting: Bool) {
    let start = lines[index].start
    let used = Int(lines[index].used)
    if from > 0, from < used, cells[start + from].isRightHalf {
      if !cells[start + from].isContinuation {
        // Printing over a right half erases it and the cells to its left up to the start of the character.
        if isPrinting { loseLeft(index, from, columns) }
      } else if isPrinting, printed.isPrintingWide || from > 1 {
        blankHalf(index, from - 1)
      } else {
        // Erasing does not look for halves, and neither does a run of text that begins in the first column.
        orphan(start + from - 1, index, from - 1)
      }
    }
    if to > 0, to < used, cells[start + to].isContinuation {
      if isPrinting { blankHalf(index, to) } else { strand(start + to, index, to) }
    }
  }

  private mutating func blankHalf(_ index: Int, _ column: Int) {
    let place = lines[index].start + column
    // We do not know whether it is half of anything.
    if cells[place].isUnknown { return orphan(place, index, column) }
    cells[place] = cutCell()
    noteCut(index, column)
  }
}
