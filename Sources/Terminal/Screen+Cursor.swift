/// Moving the cursor, tabs, margins.
extension Screen {
  // MARK: Absolute

  /// The row as the program counts it: from the top margin with DECOM.
  var relativeRow: Int { modes.contains(.origin) ? row - top : row }
  /// The column as the program counts it: from the left margin with DECOM.
  var relativeColumn: Int { modes.contains(.origin) ? column - left : column }

  /// Places the cursor as CUP, HVP, CHA, HPA, VPA and their like do: with DECOM within the margins.
  @inline(__always) mutating func place(row newRow: Int?, column newColumn: Int?) {
    isWrapPending = false
    if modes.contains(.origin) {
      row = min(max(top, top &+ (newRow ?? row &- top)), bottom)
      column = min(max(left, left &+ (newColumn ?? column &- left)), right)
    } else {
      if let newRow { row = min(max(0, newRow), rows &- 1) }
      if let newColumn { column = min(max(0, newColumn), columns &- 1) }
    }
    if !isCursorKnown || isColumnDoubtful { settle(newRow != nil, newColumn != nil) }
  }

  /// An absolute place ends the doubt about it.
  private mutating func settle(_ hasRow: Bool, _ hasColumn: Bool) {
    if hasColumn { isColumnDoubtful = false }
    if hasRow, hasColumn { isCursorKnown = true }
    updateFastPath()
  }

  mutating func settleColumn() {
    isColumnDoubtful = false
    updateFastPath()
  }

  mutating func home() { place(row: 0, column: 0) }

  // MARK: Relative

  /// CUU: stops at the top margin, unless it starts above it.
  mutating func moveUp(_ count: Int) {
    row = max(row - count, row < top ? 0 : top)
    isWrapPending = false
  }

  /// CUD: stops at the bottom margin, unless it starts below it.
  mutating func moveDown(_ count: Int) {
    row = min(row + count, row > bottom ? rows - 1 : bottom)
    isWrapPending = false
  }

  /// CUF: stops at the right margin, unless it starts to its right.
  mutating func moveRight(_ count: Int) {
    column = min(column + count, column > right ? columns - 1 : right)
    isWrapPending = false
  }

  /// CUB: stops at the left margin, unless it starts to its left.
  mutating func moveLeft(_ count: Int) {
    if modes.isSuperset(of: [.reverseWrap, .autowrap]), options.quirks.contains(.cutsAsXterm) {
      return moveLeftAround(count)
    }
    // From behind the line the first step leads to the last column.
    let count = isBehindLine ? count - 1 : count
    column = max(column - count, column < left ? 0 : left)
    isWrapPending = false
  }

  /// CUB and BS with reverse wrap, as xterm counts: from the left margin to the line before, from the
  /// top to the bottom. A pending wrap is one step.
  private mutating func moveLeftAround(_ count: Int) {
    let first = column < left ? 0 : left
    let before = column
    var target = column - (isWrapPending ? count - 1 : count)
    isWrapPending = false
    guard target < first else {
      column = target
      return
    }
    let width = right - first + 1
    target += width * row - first
    if before == first, before <= right, row == top {
      target = (bottom + 1) * width - 1
    } else if target < 0 {
      target += (-target / (width * rows) + 1) * width * rows
    }
    row = min(target / width, rows - 1)
    column = target % width + first
  }

  // MARK: Tabs

  mutating func setDefaultTabs() {
    for column in 0..<Screen.sizeLimit { tabs[column] = column & 7 == 0 }
  }

  /// HTS.
  mutating func setTab() {
    tabs[column] = true
    if isColumnDoubtful || !isCursorKnown { areTabsKnown = false }
  }

  /// TBC: 0 the tab at the cursor, 3 all.
  mutating func clearTabs(_ what: Int) {
    if what == 0 {
      tabs[column] = false
      if isColumnDoubtful || !isCursorKnown { areTabsKnown = false }
    }
    if what == 3 {
      tabs.fill(0, Screen.sizeLimit, with: false)
      areTabsKnown = true
    }
  }

  /// HT, CHT and, with a negative count, CBT. The pending wrap stays, as in xterm.
  mutating func moveToTab(_ count: Int) {
    if isBehindLine {
      if count > 0 { return }
      isWrapPending = false
    }
    if isWrapPending, isUnmeasured { doubtWrap() }
    if !areTabsKnown {
      isColumnDoubtful = true
      updateFastPath()
    }
    let last = column > right ? columns - 1 : right
    if count > 0 {
      // With side margins, xterm comes back to the margin from its right.
      let limit = modes.contains(.sideMargins) ? right : last
      for _ in 0..<min(count, columns) {
        repeat { column += 1 } while column < limit && !tabs[column]
        if column >= limit {
          column = limit
          break
        }
      }
    } else {
      let first = modes.contains(.origin) ? left : 0
      for _ in 0..<min(-count, columns) {
        repeat { column -= 1 } while column > first && !tabs[column]
        if column <= first {
          column = first
          break
        }
      }
    }
  }

  // MARK: Margins

  /// DECSTBM: needs at least two lines; the cursor goes home.
  mutating func setMargins() {
    let first = parser.value(0, or: 1) - 1
    let last = min(parser.value(1, or: rows), rows) - 1
    guard first < last else { return }
    top = first
    bottom = last
    home()
    if options.quirks.contains(.marginsHomeOnScreen) {
      row = 0
      column = 0
    }
  }

  /// DECSLRM, with DECLRMM set: needs at least two columns; the cursor goes home.
  mutating func setSideMargins() {
    let first = parser.value(0, or: 1) - 1
    let last = min(parser.value(1, or: columns), columns) - 1
    guard first < last else { return }
    left = first
    right = last
    home()
  }

  mutating func resetMargins() {
    top = 0
    bottom = rows - 1
    left = 0
    right = columns - 1
  }
}
