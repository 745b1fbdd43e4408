/// Erasing, inserting, deleting, scrolling: what changes cells without printing.
extension Screen {
  // MARK: Erasing

  /// Makes a part of a row blank in the pen's colours.
  ///
  /// - Parameter isSelective: protected cells stay (DECSEL, DECSED).
  mutating func erase(_ row: Int, _ from: Int, _ to: Int, isSelective: Bool = false) {
    guard from < to else { return }
    if !isCursorKnown { makeAllUnknown() }
    if isEraseStale { refreshErase() }
    noteChange(row, from, to)
    let index = lineIndex(row)
    let blank = isOutOfPlace ? Cell.unknown : eraseCell
    if respectsProtection(isSelective) { return eraseUnprotected(index, from, to, blank) }
    hasErased = true
    let used = Int(lines[index].used)
    if from == 0, to == columns || (to >= used && lines[index].blank == blank) {
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
    if to == columns { lines[index].isWrapped = false }
  }

  private mutating func eraseUnprotected(_ index: Int, _ from: Int, _ to: Int, _ blank: Cell) {
    materialize(index)
    let start = lines[index].start
    for column in from..<to {
      if cells[start + column].isProtected {
        // Whether protection is respected any more is not known.
        if !isProtectionKnown {
          makeUnknown(row(of: index), column, column + 1)
          hasSkipped = true
        }
        continue
      }
      // What is not known may be protected.
      if cells[start + column].isUnknown, !cells[start + column].isUnseen {
        hasSkipped = true
        continue
      }
      cutWide(index, column, column + 1)
      cells[start + column] = blank
      hasErased = true
    }
  }

  /// DECSCA is respected by the selective forms, SPA by all.
  private func respectsProtection(_ isSelective: Bool) -> Bool {
    isSelective ? protection != .none : protection == .always
  }

  /// Ends the wrap that is pending, unless all that was to be erased was protected.
  private mutating func endWrap(_ isSelective: Bool) {
    if hasErased || !respectsProtection(isSelective), !isBehindLine {
      isWrapPending = false
    } else if isWrapPending, hasSkipped {
      doubtColumn()
    }
  }

  /// Erases rows as a whole.
  mutating func eraseRows(_ range: Range<Int>, isSelective: Bool = false) {
    // All of the screen is erased wherever the cursor is.
    let wasKnown = isCursorKnown
    if range == 0..<rows { isCursorKnown = true }
    for row in range { erase(row, 0, columns, isSelective: isSelective) }
    isCursorKnown = wasKnown
    if range == 0..<rows { isAllUnknown = false }
  }

  /// ED and DECSED, ECMA-48 section 8.3.39. No form leaves the wrap pending (seen in xterm).
  mutating func eraseInDisplay(_ what: Int, isSelective: Bool) {
    hasErased = false
    hasSkipped = false
    // In xterm what covers the whole screen is the same as ED 2.
    let isWhole = what == 0 ? row == 0 && column == 0 : row == rows - 1 && column == columns - 1
    switch what {
    case 0 where !(isWhole && respectsProtection(isSelective)):
      if !isBehindLine {
        erase(row, column, columns, isSelective: isSelective)
        isWrapPending = false
      }
      eraseRows(row + 1..<rows, isSelective: isSelective)
    case 1 where !(isWhole && respectsProtection(isSelective)):
      eraseRows(0..<row, isSelective: isSelective)
      erase(row, 0, column + 1, isSelective: isSelective)
    case 0...2:
      // In xterm lines stay as wide as they are.
      if !isSelective, !options.quirks.contains(.cutsAsXterm) { forgetDoubleSize() }
      let hadProtected = protection != .none && hasProtectedCells
      if respectsProtection(isSelective), hadProtected, !hasKnownProtectedCells {
        isProtectionKnown = false
      }
      eraseRows(0..<rows, isSelective: isSelective)
      // xterm forgets the protection when an erase of the screen finds none to respect.
      if !hadProtected, respectsProtection(isSelective) {
        endWrap(isSelective)
        protection = .none
      }
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
    hasErased = false
    hasSkipped = false
    switch what {
    case 0:
      if isBehindLine { break }
      erase(row, column, columns, isSelective: isSelective)
      isWrapPending = false
    case 1: erase(row, 0, column + 1, isSelective: isSelective)
    case 2: erase(row, 0, columns, isSelective: isSelective)
    default: return
    }
    endWrap(isSelective)
  }

  // MARK: Within a row

  /// Whether the cursor lies between the side margins, where the editing functions work.
  var isBetweenSideMargins: Bool { column >= left && column <= right }

  /// The first column behind what inserting and deleting in a row shift.
  private var shiftEnd: Int { right + 1 }

  /// Makes room at the cursor; what is pushed over the right margin is lost (ICH, IRM).
  mutating func insertCells(_ count: Int) {
    guard isBetweenSideMargins else { return }
    if options.quirks.contains(.shiftsAsTmux) {
      noteCutByShift(column)
      if column + count >= columns {
        if column == columns - 1 { erase(row, column, columns) }
        return
      }
    }
    let count = min(count, shiftEnd - column)
    cutForInsert(count)
    shiftCells(row, from: column, to: shiftEnd, by: count)
  }

  /// Which half of a wide character remains of one that is cut there cannot be told.
  private mutating func noteCutByShift(_ column: Int) {
    guard lines[lineIndex(row)].hasWide, cell(row: row, column: column).isContinuation else {
      return
    }
    makeUnknown(row, 0, columns)
  }

  /// Whether a wide character loses one of its halves.
  private func isCutByDeleting(_ count: Int) -> Bool {
    lines[lineIndex(row)].hasWide
      && (cell(row: row, column: column).isContinuation
        || cell(row: row, column: min(column + count, columns - 1)).isContinuation)
  }

  /// Takes cells out at the cursor; blanks come in at the right margin (DCH).
  mutating func deleteCells(_ count: Int) {
    guard isBetweenSideMargins else { return }
    let isCut = options.quirks.contains(.shiftsAsTmux) && isCutByDeleting(count)
    shiftCells(row, from: column, to: shiftEnd, by: -min(count, shiftEnd - column))
    if isCut { makeUnknown(row, 0, columns) }
  }

  /// Shifts cells of a row to the right, or with a negative count to the left, and fills with blanks.
  mutating func shiftCells(_ row: Int, from: Int, to: Int, by count: Int) {
    guard count != 0, from < to else { return }
    if !isCursorKnown { makeAllUnknown() }
    if isEraseStale { refreshErase() }
    let index = lineIndex(row)
    materialize(index)
    if options.quirks.contains(.cutsAsXterm), lines[index].hasWide {
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

  /// Replaces both halves of a wide character that lies across a column's left edge.
  private mutating func split(_ index: Int, at column: Int, _ blank: Cell) {
    guard lines[index].hasWide, column > 0, column < columns else { return }
    let place = lines[index].start + column
    guard cells[place].isContinuation else { return }
    cells[place] = blank
    cells[place - 1] = blank
    noteCut(index, column)
    noteCut(index, column - 1)
  }

  /// Writes a line's blanks into its cells, so that they can be moved one by one.
  mutating func materialize(_ index: Int) {
    let line = lines[index]
    let used = Int(line.used)
    guard used < columns else { return }
    cells.fill(line.start + used, columns - used, with: line.blank)
    lines[index].used = Int32(columns)
  }

  /// Whether erasing hits other cells than it should, so that they stay unknown.
  var isOutOfPlace: Bool { !isCursorKnown || hasDoubleSizeLines }

  var blankHere: Cell { isOutOfPlace ? .unknown : eraseCell }

  // MARK: Scrolling

  /// Moves the region up; blank lines come in at the bottom (SU, IND, LF, wrap).
  @inline(__always) mutating func scrollUp(_ count: Int) {
    if count == 1, top == 0, bottom == rows &- 1, left == 0, right == columns &- 1 {
      ringTop = ringTop &+ 1 == rows ? 0 : ringTop &+ 1
      clearLine(rows &- 1)
    } else {
      scroll(top, bottom, up: count)
    }
  }

  /// Moves the region down; blank lines come in at the top (SD, RI).
  mutating func scrollDown(_ count: Int) { scroll(top, bottom, up: -count) }

  /// Makes a whole line new.
  @inline(__always) mutating func clearLine(_ row: Int) {
    if isEraseStale { refreshErase() }
    let index = lineIndex(row)
    lines[index].used = 0
    lines[index].blank = blankHere
    lines[index].hasWide = false
    lines[index].isWrapped = false
    if countsRewrites { forgetPicture(line: index) }
    noteChange(row, 0, columns)
  }

  /// Moves the lines from `first` to `last`, between the side margins, up or with a negative count
  /// down.
  mutating func scroll(_ first: Int, _ last: Int, up count: Int) {
    let height = last - first + 1
    guard count != 0, height > 0 else { return }
    if !isCursorKnown { makeAllUnknown() }
    let distance = min(abs(count), height)
    guard left == 0, right == columns - 1 else {
      scrollBetweenMargins(first, last, distance, isUp: count > 0)
      return
    }
    if distance < height {
      if first == 0, last == rows - 1 {
        ringTop = (ringTop + (count > 0 ? distance : rows - distance)) % rows
      } else {
        rotateLines(first, last, up: count > 0 ? distance : height - distance)
      }
    }
    let fresh = count > 0 ? last + 1 - distance..<last + 1 : first..<first + distance
    for row in fresh { clearLine(row) }
    let low = max(first, coverRows.lowerBound)
    for row in low..<max(low, min(last + 1, coverRows.upperBound)) where !fresh.contains(row) {
      noteChange(row, 0, columns)
    }
  }

  /// Moves lines up by so many rows; those that leave at the top come in at the bottom.
  private mutating func rotateLines(_ first: Int, _ last: Int, up distance: Int) {
    if lineIndex(last) < lineIndex(first) { straightenRing() }
    let start = lineIndex(first)
    let end = lineIndex(last)
    let length = end &- start
    // Lines that lie one behind the other and go one row up or down, as most do, go at once.
    if distance == 1 {
      let line = lines[start]
      lines.move(from: start &+ 1, to: start, length)
      lines[end] = line
    } else if distance == length {
      let line = lines[end]
      lines.move(from: start, to: start &+ 1, length)
      lines[start] = line
    } else {
      rotate(start, end, by: distance)
    }
  }

  /// Puts the ring's first line first: a part of it that scrolls alone stays in one piece then.
  private mutating func straightenRing() {
    rotate(lineBase, lineBase + rows - 1, by: ringTop)
    ringTop = 0
  }

  /// Moves lines of the storage to the front; those before them go to the end.
  private func rotate(_ start: Int, _ end: Int, by distance: Int) {
    reverse(start, start + distance - 1)
    reverse(start + distance, end)
    reverse(start, end)
  }

  private func reverse(_ first: Int, _ last: Int) {
    var low = first
    var high = last
    while low < high {
      let line = lines[low]
      lines[low] = lines[high]
      lines[high] = line
      low += 1
      high -= 1
    }
  }

  /// With side margins the cells themselves move. Wide characters across a margin are cut.
  private mutating func scrollBetweenMargins(_ first: Int, _ last: Int, _ distance: Int, isUp: Bool)
  {
    if isEraseStale { refreshErase() }
    if options.quirks.contains(.cutsAsXterm) {
      for row in first...last {
        materialize(lineIndex(row))
        noteChange(row, left, right + 1)
      }
      scrollMarginsAsXterm(first, last, distance, isUp: isUp)
      return
    }
    for row in first...last {
      let index = lineIndex(row)
      materialize(index)
      // Here xterm leaves spaces in the character's own look.
      for column in [left, right + 1] where column < columns {
        let style = cells[lines[index].start + column].style
        split(index, at: column, Cell(" ", style: style))
      }
      noteChange(row, left, right + 1)
    }
    let width = right - left + 1
    let kept = last - first + 1 - distance
    for step in 0..<kept {
      let target = isUp ? first + step : last - step
      let source = lineIndex(isUp ? target + distance : target - distance)
      let index = lineIndex(target)
      cells.move(from: lines[source].start + left, to: lines[index].start + left, width)
      if lines[source].hasWide { lines[index].hasWide = true }
    }
    for step in 0..<distance {
      let start = lines[lineIndex(isUp ? last - step : first + step)].start
      cells.fill(start + left, width, with: blankHere)
    }
  }

  /// IL and DL: within the margins, the cursor goes to the left one.
  mutating func shiftLines(_ count: Int) {
    if options.quirks.contains(.shiftsLinesAsTmux) {
      let isOutside = row < top || row > bottom
      scroll(row, isOutside ? rows - 1 : bottom, up: count)
      if isOutside, count < 0 { loseKeptLines(-count) }
      return
    }
    guard row >= top, row <= bottom, isBetweenSideMargins else { return }
    scroll(row, bottom, up: count)
    column = left
    isWrapPending = false
  }

  /// Outside the region tmux takes the lines in front of those that it has shifted as they were, where it
  /// inserts more than it shifts.
  private mutating func loseKeptLines(_ count: Int) {
    let shifted = max(0, rows - row - count)
    let first = row + shifted
    let last = min(rows, row + count)
    guard first < last else { return }
    markUnknown(Rect(row: first, column: 0, rows: last - first, columns: columns))
  }

  /// Shifts columns within the region: DECIC and DECDC at the cursor, SL and SR at the left margin.
  mutating func shiftColumns(from column: Int, by count: Int) {
    guard isBetweenSideMargins, row >= top, row <= bottom else { return }
    let distance = min(abs(count), right + 1 - column)
    for row in top...bottom {
      shiftCells(row, from: column, to: right + 1, by: count > 0 ? distance : -distance)
    }
  }

  // MARK: The unknown

  /// What the terminal shows in these cells cannot be told; they are noted as changed.
  public mutating func markUnknown(_ rectangle: Rect) {
    let part = rectangle.intersection(Rect(size))
    for row in part.row..<part.endRow { makeUnknown(row, part.column, part.endColumn) }
  }

  /// Nothing of both screens is known any more, nor the cursor: after a stop of the job, or a resize
  /// that the terminal has answered in its own way.
  public mutating func forgetEverything() {
    for index in 0..<rows * 2 {
      lines[index].used = 0
      lines[index].blank = .unseen
      lines[index].hasWide = false
    }
    for row in 0..<rows { noteChange(row, 0, columns) }
    isCursorKnown = false
    updateFastPath()
  }

  /// The cursor is where the terminal says (CPR), in cells from the top left corner.
  ///
  /// - Parameter isWrapPending: whether it stands behind the last column, which CPR does not tell.
  public mutating func setCursor(_ place: Point, isWrapPending: Bool = false) {
    row = min(max(place.row, 0), rows - 1)
    column = min(max(place.column, 0), columns - 1)
    self.isWrapPending = isWrapPending && column == columns - 1
    isCursorKnown = true
    isColumnDoubtful = false
    updateFastPath()
  }

  /// A window that has become taller shows lines out of the terminal's history again, and all rows have
  /// moved down by as many; what these lines say is not known.
  ///
  /// - Parameter cursor: where the terminal says that it is now (CPR).
  mutating func takeBackLines(_ count: Int, cursor: Point) {
    let wasPending = isWrapPending
    setCursor(cursor, isWrapPending: wasPending)
    guard count > 0 else { return }
    scroll(0, rows - 1, up: -count)
    for row in 0..<min(count, rows) { lines[lineIndex(row)].blank = .unseen }
  }

  mutating func makeUnknown(_ row: Int, _ from: Int, _ to: Int) {
    let index = lineIndex(row)
    materialize(index)
    let start = lines[index].start
    for column in from..<to { cells[start + column] = cells[start + column].unknown }
    noteChange(row, from, to)
  }

  /// The shown screen, once: what is written at an unknown place may be anywhere.
  mutating func makeAllUnknown() {
    guard !isAllUnknown else { return }
    for row in 0..<rows {
      let index = lineIndex(row)
      lines[index].used = 0
      lines[index].blank = .unknown
      lines[index].hasWide = false
      noteChange(row, 0, columns)
    }
    isAllUnknown = true
  }
}
