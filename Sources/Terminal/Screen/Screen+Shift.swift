/// Shifts cells like xterm where wide characters are cut; see `TerminalQuirks.isXterm`.
///
/// xterm looks for halves at the ends of what it moves, not everywhere. A half that it leaves alone becomes unknown,
/// since what xterm draws there is not reliable.
extension Screen {
  private func isHalf(_ start: Int, _ column: Int) -> Bool {
    column >= 0 && column < columns && cells[start + column].isRightHalf
  }

  /// Whether a cell is unknown, so that it may be half a character.
  private func mayBeHalf(_ start: Int, _ column: Int) -> Bool {
    guard column < columns else { return false }
    let cell = cells[start + column]
    return cell.isUnknown && !cell.isUnseen && !cell.isRightHalf
  }

  /// Writes blanks in the pen's colors, and blanks a character that has one half next to them.
  private mutating func clearHalves(_ index: Int, _ from: Int, _ to: Int, _ blank: Cell) {
    let start = lines[index].start
    if from > 0, isHalf(start, from) { clearLeft(index, from, blank, 1) }
    if isHalf(start, to) { clearHalf(index, to, blank) }
    for column in max(0, from)..<max(0, from, min(columns, to)) {
      cells[start + column] = blank
      noteCut(index, column)
    }
  }

  private mutating func clearHalf(_ index: Int, _ column: Int, _ blank: Cell) {
    let place = lines[index].start + column
    // We do not know whether it is half of anything.
    if cells[place].isUnknown { return orphan(place, index, column) }
    cells[place] = blank
    noteCut(index, column)
  }

  /// Clears the cells to the left of the half at a column.
  private mutating func clearLeft(_ index: Int, _ column: Int, _ blank: Cell, _ reach: Int) {
    if cells[lines[index].start + column].isContinuation {
      if column > 0 { clearHalf(index, column - 1, blank) }
    } else {
      loseLeft(index, column, reach)
    }
  }

  /// Clears the character whose right half is at a column, if there is one.
  private mutating func clearCharacter(_ index: Int, _ column: Int, _ blank: Cell) {
    guard isHalf(lines[index].start, column) else { return }
    clearLeft(index, column, blank, columns)
    clearHalf(index, column, blank)
  }

  /// Clears the columns after `from` up to a half. They are deleted, but xterm looks for halves there once more.
  private mutating func clearUpTo(_ index: Int, _ from: Int, _ half: Int, _ blank: Cell) {
    let start = lines[index].start
    let isSure = cells[start + half].isContinuation
    for column in from + 1..<max(from + 1, half) {
      if isSure {
        cells[start + column] = blank
      } else if cells[start + column].isRightHalf {
        strand(start + column, index, column)
      }
    }
    clearHalf(index, half, blank)
  }

  /// The number of cells that xterm allocates for a line: a multiple of eight. It looks for halves in all of them.
  var lineSize: Int { (columns + 7) & ~7 }

  /// How many cells xterm looks at from a column on: none after the last cell of the line.
  private func reach(_ column: Int, _ count: Int) -> Int {
    column + count >= lineSize ? lineSize - column - 1 : count
  }

  /// Deletes `count` cells at `from`; blanks are added before `to`.
  mutating func deleteAsXterm(_ index: Int, from: Int, to: Int, _ count: Int) {
    let start = lines[index].start
    let blank = blankHere
    let cut = cutCell()
    let reach = reach(from, count)
    if reach > 0 {
      if isHalf(start, from + reach) { clearUpTo(index, from, from + reach, cut) }
      clearCharacter(index, from, cut)
    }
    let fresh = to - count
    let losesMore = isHalf(start, fresh)
    let mayLose = losesMore && cells[start + fresh].isUnknown
    let overMargin = to < columns && isHalf(start, to)
    let mayBeCut = mayBeHalf(start, fresh) || mayBeHalf(start, to)
    cells.move(from: start + from + count, to: start + from, to - from - count)
    cells.fill(start + fresh, count, with: blank)
    if losesMore, fresh > 0 {
      // xterm takes the previous content for half of a character.
      let wasHalf = isHalf(start, fresh - 1)
      if wasHalf, fresh > 1 { orphan(start + fresh - 2, index, fresh - 2) }
      if mayLose {
        if wasHalf {
          strand(start + fresh - 1, index, fresh - 1)
        } else {
          orphan(start + fresh - 1, index, fresh - 1)
        }
      } else {
        cells[start + fresh - 1] = blank
        noteCut(index, fresh - 1)
      }
    }
    if overMargin {
      clearHalf(index, to, blank)
      if fresh - 1 >= from, !losesMore { orphan(start + fresh - 1, index, fresh - 1) }
    }
    if mayBeCut, fresh > 0 { orphan(start + fresh - 1, index, fresh - 1) }
    mendHalves(index)
  }

  /// Makes room for `count` cells at `from`; cells that are pushed over `to` are lost.
  mutating func insertAsXterm(_ index: Int, from: Int, to: Int, _ count: Int) {
    let start = lines[index].start
    let blank = blankHere
    let cut = cutCell()
    clearCharacter(index, from, cut)
    let last = to - count
    if last > 0, reach(last, count) > 0 { clearCharacter(index, last, cut) }
    cells.move(from: start + from, to: start + from + count, to - from - count)
    cells.fill(start + from, count, with: blank)
    mendHalves(index)
  }

  /// Cuts a wide character for ICH and IRM, which look for one at the right end of the screen, not of the margins.
  mutating func cutForInsert(_ count: Int) {
    guard options.quirks.contains(.isXterm), lines[lineIndex(row)].hasWide else { return }
    let index = lineIndex(row)
    materialize(index)
    let column = columns - count
    let place = lines[index].start + column
    guard reach(column, count) > 0, column > 0, cells[place].isRightHalf else { return }
    if protection != .none, cells[place].isProtected || cells[place - 1].isProtected {
      // A protected character is spared here; one with only one protected half may be.
      let isWhole = cells[place].isContinuation && cells[place - 1].isProtected
      if isWhole && cells[place].isProtected { return }
      orphan(place - 1, index, column - 1)
      strand(place, index, column)
      return
    }
    clearCharacter(index, column, cutCell())
  }

  /// xterm keeps combining characters only if the line had some before.
  private mutating func loseClusters(_ index: Int, _ from: Int, _ to: Int) {
    let start = lines[index].start
    for column in from..<to where cells[start + column].isCluster {
      makeUnknown(row(of: index), column, min(columns, column + cells[start + column].width))
    }
  }

  /// Makes halves unknown that were left alone.
  private mutating func mendHalves(_ index: Int) {
    let start = lines[index].start
    for column in 0..<columns {
      let cell = cells[start + column]
      if cell.isContinuation {
        if column == 0 || cells[start + column - 1].width != 2 {
          strand(start + column, index, column)
        }
      } else if cell.width == 2, !isHalf(start, column + 1) {
        orphan(start + column, index, column)
      }
    }
  }

  /// Moves the cells between the side margins from line to line.
  mutating func scrollMarginsAsXterm(_ first: Int, _ last: Int, _ distance: Int, isUp: Bool) {
    let end = region.right + 1
    // Characters across a margin are cut in lines up to that distance from the region, inside it or not.
    for row in first...last {
      let other = isUp ? row + distance : row - distance
      guard other >= 0, other < rows else { continue }
      let index = lineIndex(other)
      materialize(index)
      cutWideAcross(index, at: region.left)
      cutWideAcross(index, at: end)
    }
    let kept = last - first + 1 - distance
    for step in 0..<kept {
      let row = isUp ? first + step : last - step
      let source = lineIndex(isUp ? row + distance : row - distance)
      let index = lineIndex(row)
      let start = lines[index].start
      let from = lines[source].start
      // Here the remaining half takes on the look of the other line.
      if region.left > 0, isHalf(start, region.left) {
        if !cells[start + region.left].isContinuation {
          loseLeft(index, region.left, 1)
        } else if cells[start + region.left].isUnknown {
          orphan(start + region.left - 1, index, region.left - 1)
        } else {
          cells[start + region.left - 1] = blanked(cells[from + region.left - 1])
          noteCut(index, region.left - 1)
        }
      }
      if isHalf(start, end) {
        if cells[start + end].isContinuation, !cells[start + end].isUnknown {
          cells[start + end] = blanked(cells[from + end])
          noteCut(index, end)
        } else {
          orphan(start + end, index, end)
        }
      }
      cells.move(from: from + region.left, to: start + region.left, end - region.left)
      loseClusters(index, region.left, end)
      if lines[source].hasWide { lines[index].hasWide = true }
    }
    for step in 0..<distance {
      clearHalves(lineIndex(isUp ? last - step : first + step), region.left, end, blankHere)
    }
  }
}
