/// Erases, inserts and deletes: changes cells without printing.
extension Screen {
  // MARK: Erasing

  /// Blanks part of a row in the pen's colors.
  ///
  /// - Parameter isSelective: protected cells stay (DECSEL, DECSED).
  mutating func erase(_ row: Int, _ from: Int, _ to: Int, isSelective: Bool = false) {
    guard from < to else { return }
    if !isCursorKnown { makeAllUnknown() }
    if penState.isEraseStale { refreshErase() }
    noteChange(row, from, to)
    let index = lineIndex(row)
    let blank = isOutOfPlace ? Cell.unknown : penState.eraseCell
    if respectsProtection(isSelective) { return eraseUnprotected(index, from, to, blank) }
    erasure.hasErased = true
    let used = Int(lines[index].used)
    if options.quirks.contains(.rewrapsLines) {
      eraseInLength(row, from, to, with: blank)
    } else if from == 0, to == columns || (to >= used && lines[index].blank == blank) {
      lines[index].used = 0
      lines[index].blank = blank
      lines[index].hasWide = false
    } else if to >= used, lines[index].blank == blank {
      if from < used {
        cutWide(index, from, used)
        lines[index].used = Int32(from)
      }
    } else {
      cells.fill(lines[prepare(row, from, to)].start &+ from, to &- from, with: blank)
    }
    if to == columns {
      lines[index].isWrapped = false
      if from == 0 { lines[index].mayGoOn = false }
    }
  }

  private mutating func eraseUnprotected(_ index: Int, _ from: Int, _ to: Int, _ blank: Cell) {
    materialize(index)
    let start = lines[index].start
    for column in from..<to {
      if cells[start + column].isProtected {
        // We do not know whether protection is still respected.
        if !isProtectionKnown {
          makeUnknown(row(of: index), column, column + 1)
          erasure.hasSkipped = true
        }
        continue
      }
      // An unknown cell may be protected.
      if cells[start + column].isUnknown, !cells[start + column].isUnseen {
        erasure.hasSkipped = true
        if cells[start + column].isContinuation, column > 0 {
          makeUnknown(row(of: index), column - 1, column)
        }
        continue
      }
      cutWide(index, column, column + 1)
      cells[start + column] = blank
      erasure.hasErased = true
    }
  }

  /// The selective forms respect DECSCA, all forms respect SPA.
  func respectsProtection(_ isSelective: Bool) -> Bool {
    isSelective ? protection != .none : protection == .always
  }

  /// Ends a pending wrap, unless everything to be erased was protected.
  private mutating func endWrap(_ isSelective: Bool) {
    if erasure.hasErased || !respectsProtection(isSelective), !isPastLineEnd {
      isWrapPending = false
    } else if isWrapPending, erasure.hasSkipped {
      loseColumn()
    }
  }

  /// Erases rows as a whole.
  mutating func eraseRows(_ range: Range<Int>, isSelective: Bool = false) {
    // The whole screen is erased wherever the cursor is.
    let wasKnown = isCursorKnown
    if range == 0..<rows { certainty.isCursorKnown = true }
    for row in range { erase(row, 0, columns, isSelective: isSelective) }
    certainty.isCursorKnown = wasKnown
    if range == 0..<rows { certainty.isAllUnknown = false }
  }

  /// ED and DECSED, ECMA-48 section 8.3.39. No form leaves the wrap pending (seen in xterm).
  mutating func eraseInDisplay(_ what: Int, isSelective: Bool) {
    erasure = Erasure()
    // In xterm an erasure that covers the whole screen is the same as ED 2.
    let isWhole = what == 0 ? row == 0 && column == 0 : row == rows - 1 && column == columns - 1
    if what == 2 || (what == 0 && row == 0 && column == 0) { pushScreen() }
    switch what {
    case 0 where !(isWhole && respectsProtection(isSelective)):
      if isUnknownTerminal { noteShortRow() }
      if !isPastLineEnd {
        erase(row, column, columns, isSelective: isSelective)
        isWrapPending = false
      }
      eraseRows(row + 1..<rows, isSelective: isSelective)
    case 1 where !(isWhole && respectsProtection(isSelective)):
      eraseRows(0..<row, isSelective: isSelective)
      erase(row, 0, column + 1, isSelective: isSelective)
    case 0...2:
      // In xterm lines keep their width.
      if !isSelective, !options.quirks.contains(.isXterm) { forgetDoubleSize() }
      let hadProtected = protection != .none && hasProtectedCells
      if respectsProtection(isSelective), hadProtected, !hasKnownProtectedCells {
        certainty.isProtectionKnown = false
      }
      eraseRows(0..<rows, isSelective: isSelective)
      // xterm forgets the protection when an erasure of the screen finds no protected cells.
      if !hadProtected, respectsProtection(isSelective) {
        endWrap(isSelective)
        protection = .none
        updateFastPath()
      }
    case 3 where !isSelective:
      forgetHistory()
      return
    default: return
    }
    endWrap(isSelective)
  }

  private func mayBeProtected(_ cell: Cell) -> Bool {
    cell.isProtected || (cell.isUnknown && !cell.isUnseen)
  }

  private var hasKnownProtectedCells: Bool {
    for row in 0..<rows {
      let line = lines[lineIndex(row)]
      for column in 0..<Int(line.used) where cells[line.start + column].isProtected { return true }
    }
    return false
  }

  private var hasProtectedCells: Bool {
    for row in 0..<rows {
      let line = lines[lineIndex(row)]
      for column in 0..<Int(line.used) where mayBeProtected(cells[line.start + column]) {
        return true
      }
      if line.used < columns, mayBeProtected(line.blank) { return true }
    }
    return false
  }

  /// EL and DECSEL, ECMA-48 section 8.3.41. No form leaves the wrap pending (seen in xterm).
  mutating func eraseInLine(_ what: Int, isSelective: Bool) {
    erasure = Erasure()
    // Compilers and grep send it after each color, where there is nothing to erase.
    if Int(lines[lineIndex(row)].used) > (what == 0 ? column : 0) { reported.hasDrawn = true }
    switch what {
    case 0:
      if isPastLineEnd { break }
      erase(row, column, columns, isSelective: isSelective)
      isWrapPending = false
    case 1: erase(row, 0, column + 1, isSelective: isSelective)
    case 2: erase(row, 0, columns, isSelective: isSelective)
    default: return
    }
    endWrap(isSelective)
  }

  // MARK: Within a row

  /// Whether the cursor is between the side margins, where the editing functions have an effect.
  var isBetweenSideMargins: Bool { region.containsColumn(column) }

  /// The end of the columns that insertions and deletions in a row shift.
  private var shiftEnd: Int { region.right + 1 }

  /// Inserts cells at the cursor; cells that are pushed over the right margin are lost (ICH, IRM).
  mutating func insertCells(_ count: Int) {
    guard isBetweenSideMargins else { return }
    if cutsAsTmux { return insertAsTmux(count) }
    let count = min(count, shiftEnd - column)
    cutForInsert(count)
    shiftCells(row, from: column, to: shiftEnd, by: count)
  }

  /// Deletes cells at the cursor; blanks are added at the right margin (DCH).
  mutating func deleteCells(_ count: Int) {
    guard isBetweenSideMargins else { return }
    let count = min(count, shiftEnd - column)
    if cutsAsTmux { return deleteAsTmux(count) }
    shiftCells(row, from: column, to: shiftEnd, by: -count)
  }

  /// Shifts cells of a row to the right, or with a negative count to the left, and fills the gap with blanks.
  mutating func shiftCells(_ row: Int, from: Int, to: Int, by count: Int) {
    guard count != 0, from < to else { return }
    if !isCursorKnown { makeAllUnknown() }
    if penState.isEraseStale { refreshErase() }
    let index = lineIndex(row)
    materialize(index)
    if options.quirks.contains(.isXterm), lines[index].hasWide {
      if count > 0 {
        insertAsXterm(index, from: from, to: to, count)
      } else {
        deleteAsXterm(index, from: from, to: to, -count)
      }
      noteChange(row, from, to)
      lines[index].isWrapped = false
      return
    }
    let start = lines[index].start
    let length = to - from - abs(count)
    let blank = cutCell()
    split(index, at: from, blank)
    split(index, at: to, blank)
    split(index, at: count > 0 ? to - count : from - count, blank)
    if count > 0 {
      cells.move(from: start + from, to: start + from + count, length)
      cells.fill(start + from, count, with: blankHere)
    } else {
      cells.move(from: start + from - count, to: start + from, length)
      cells.fill(start + from + length, -count, with: blankHere)
    }
    noteChange(row, from, to)
    lines[index].isWrapped = false
  }

  /// Replaces both halves of a wide character that crosses a column's left edge.
  mutating func split(_ index: Int, at column: Int, _ blank: Cell) {
    guard lines[index].hasWide, column > 0, column < columns else { return }
    let place = lines[index].start + column
    guard cells[place].isContinuation else { return }
    var unknown = (cells[place].raw | cells[place - 1].raw) & Cell.Bits.unknown
    if isUnknownTerminal { unknown = Cell.Bits.unknown }
    cells[place] = Cell(raw: blank.raw | unknown)
    cells[place - 1] = cells[place]
    noteCut(index, column)
    noteCut(index, column - 1)
  }

  /// Writes a line's implicit blanks into its cells, so that they can be moved one by one.
  mutating func materialize(_ index: Int) {
    let line = lines[index]
    let used = Int(line.used)
    guard used < columns else { return }
    cells.fill(line.start + used, columns - used, with: line.blank)
    lines[index].used = Int32(columns)
  }

  /// Whether an erasure may hit other cells than it should, so that they stay unknown.
  var isOutOfPlace: Bool { !isCursorKnown || hasDoubleSizeLines }

  var blankHere: Cell { isOutOfPlace ? .unknown : penState.eraseCell }
}

/// What the current erasure has met.
struct Erasure {
  /// Whether it has met anything that is not protected.
  var hasErased = false
  /// Whether it has met cells that may or may not have been erased.
  var hasSkipped = false
}
