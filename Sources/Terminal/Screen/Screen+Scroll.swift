/// Scrolls lines up and down, and columns sideways.
extension Screen {
  /// Moves the region up; blank lines are added at the bottom (IND, LF, wrap).
  @inline(__always) mutating func scrollUp(_ count: Int) {
    if count == 1, region.isWholeScreen {
      if hasHidden { scrollUpWithHidden() } else { lines.scrollUp() }
      clearLine(rows &- 1)
    } else {
      scroll(region.top, region.bottom, up: count, isLeaving: true)
    }
  }

  /// Moves the region down; blank lines are added at the top (RI).
  mutating func scrollDown(_ count: Int) { scroll(region.top, region.bottom, up: -count) }

  /// SU and SD: moves the region up, or with a negative count down.
  mutating func scrollRegion(_ count: Int) {
    scroll(region.top, region.bottom, up: count, isLeaving: count > 0)
    if mayClearInstead(abs(count)) { markUnknown(Rect(size)) }
  }

  /// Whether the whole screen may be erased instead of scrolling the region. xterm does so with DECSCLM if all lines
  /// would scroll off.
  func mayClearInstead(_ count: Int) -> Bool {
    modes.contains(.smoothScroll) && options.quirks.contains(.isXterm)
      && count > region.bottom - region.top
  }

  /// Makes a line empty.
  @inline(__always) mutating func clearLine(_ row: Int) {
    if penState.isEraseStale { refreshErase() }
    let index = lineIndex(row)
    lines[index].used = 0
    lines[index].reach = 0
    lines[index].bound = 0
    lines[index].blank = options.quirks.contains(.scrollsInAnyColor) ? blankOfScroll : blankHere
    lines[index].hasWide = false
    lines[index].isWrapped = false
    lines[index].mayGoOn = false
    lines[index].goesOn = false
    if frames.redundant.isOn { forgetPicture(line: index) }
    noteChange(row, 0, columns)
  }

  /// Moves the lines from `first` to `last`, between the side margins, up or with a negative count
  /// down.
  ///
  /// - Parameter isLeaving: whether lines that leave the screen at the top go into the history.
  mutating func scroll(_ first: Int, _ last: Int, up count: Int, isLeaving: Bool = false) {
    let height = last - first + 1
    guard count != 0, height > 0 else { return }
    if !isCursorKnown { makeAllUnknown() }
    let distance = min(abs(count), height)
    guard region.isFullWidth else {
      scrollBetweenMargins(first, last, distance, isUp: count > 0)
      return
    }
    if lines.historyLimit > 0, !isAlternate, count > 0 {
      if isLeaving, first == 0 { return pushLines(last, distance) }
      if isLeaving { noteRemovedLines() }
    }
    if first > 0 { lines[lineIndex(first - 1)].goesOn = false }
    if distance < height {
      lines.rotate(first, last, up: count > 0 ? distance : height - distance)
    }
    let fresh = count > 0 ? last + 1 - distance..<last + 1 : first..<first + distance
    for row in fresh { clearLine(row) }
    let low = max(first, damage.rows.lowerBound)
    for row in low..<max(low, min(last + 1, damage.rows.upperBound)) where !fresh.contains(row) {
      noteChange(row, 0, columns)
    }
  }

  /// With side margins the cells themselves move. Wide characters across a margin are cut.
  private mutating func scrollBetweenMargins(_ first: Int, _ last: Int, _ distance: Int, isUp: Bool)
  {
    if penState.isEraseStale { refreshErase() }
    if options.quirks.contains(.isXterm) {
      for row in first...last {
        materialize(lineIndex(row))
        noteChange(row, region.left, region.right + 1)
      }
      scrollMarginsAsXterm(first, last, distance, isUp: isUp)
      return
    }
    for row in first...last {
      let index = lineIndex(row)
      materialize(index)
      // xterm leaves spaces in the character's own look here.
      for column in [region.left, region.right + 1] where column < columns {
        let style = cells[lines[index].start + column].style
        split(index, at: column, Cell(" ", style: style))
      }
      noteChange(row, region.left, region.right + 1)
    }
    let width = region.width
    let kept = last - first + 1 - distance
    for step in 0..<kept {
      let target = isUp ? first + step : last - step
      let source = lineIndex(isUp ? target + distance : target - distance)
      let index = lineIndex(target)
      cells.move(
        from: lines[source].start + region.left, to: lines[index].start + region.left, width)
      if lines[source].hasWide { lines[index].hasWide = true }
    }
    for step in 0..<distance {
      let start = lines[lineIndex(isUp ? last - step : first + step)].start
      cells.fill(start + region.left, width, with: blankHere)
    }
  }

  /// IL and DL: within the margins the cursor goes to the left one.
  mutating func shiftLines(_ count: Int) {
    if options.quirks.contains(.shiftsLinesAsTmux) {
      let isOutside = !region.containsRow(row)
      scroll(row, isOutside ? rows - 1 : region.bottom, up: count)
      if isOutside, count < 0 { loseKeptLines(-count) }
      return
    }
    guard region.containsRow(row), isBetweenSideMargins else { return }
    scroll(row, region.bottom, up: count)
    column = region.left
    isWrapPending = false
  }

  /// If tmux inserts more lines outside the region than it shifts, the lines before the shifted ones stay as they were.
  private mutating func loseKeptLines(_ count: Int) {
    let shifted = max(0, rows - row - count)
    let first = row + shifted
    let last = min(rows, row + count)
    guard first < last else { return }
    markUnknown(Rect(row: first, column: 0, rows: last - first, columns: columns))
    for row in first..<last { lines[lineIndex(row)].mayGoOn = true }
  }

  /// Shifts columns within the region: DECIC and DECDC at the cursor, SL and SR at the left margin.
  mutating func shiftColumns(from column: Int, by count: Int) {
    guard isBetweenSideMargins, region.containsRow(row) else { return }
    let distance = min(abs(count), region.right + 1 - column)
    for row in region.top...region.bottom {
      shiftCells(row, from: column, to: region.right + 1, by: count > 0 ? distance : -distance)
    }
  }
}
