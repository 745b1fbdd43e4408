/// Moves the cursor; tabs and margins.
extension Screen {
  // MARK: Absolute

  /// The row as the program counts it: relative to the top margin with DECOM.
  var relativeRow: Int { modes.contains(.origin) ? row - region.top : row }
  /// The column as the program counts it: relative to the left margin with DECOM.
  var relativeColumn: Int { modes.contains(.origin) ? column - region.left : column }

  /// Places the cursor as CUP, HVP, CHA, HPA, VPA and similar sequences do: within the margins with DECOM.
  @inline(__always) mutating func place(row newRow: Int?, column newColumn: Int?) {
    isWrapPending = false
    if modes.contains(.origin) {
      if newRow != nil || !staysOutside() {
        row = min(max(region.top, region.top &+ (newRow ?? row &- region.top)), region.bottom)
      }
      column = min(
        max(region.left, region.left &+ (newColumn ?? column &- region.left)), region.right)
    } else {
      if let newRow { row = min(max(0, newRow), rows &- 1) }
      if let newColumn { column = min(max(0, newColumn), columns &- 1) }
    }
    if !isCursorKnown || isColumnUncertain { settle(newRow != nil, newColumn != nil) }
  }

  /// Whether CHA and HPA with DECOM leave the cursor in a row outside the margins.
  @inline(never) private mutating func staysOutside() -> Bool {
    if isUnknownTerminal, !region.containsRow(row) { loseCursor() }
    return options.quirks.contains(.marginsHomeOnScreen)
  }

  /// An absolute position ends the uncertainty of the cursor.
  private mutating func settle(_ hasRow: Bool, _ hasColumn: Bool) {
    if hasColumn { certainty.settleColumn() }
    if hasRow, hasColumn { certainty.isCursorKnown = true }
    updateFastPath()
  }

  mutating func settleColumn() {
    certainty.settleColumn()
    updateFastPath()
  }

  mutating func home() { place(row: 0, column: 0) }

  // MARK: Relative

  /// CUU: stops at the top margin, unless the cursor starts above it.
  mutating func moveUp(_ count: Int) {
    row = max(row - count, row < region.top ? 0 : region.top)
    isWrapPending = false
  }

  /// CUD: stops at the bottom margin, unless the cursor starts below it.
  mutating func moveDown(_ count: Int) {
    row = min(row + count, row > region.bottom ? rows - 1 : region.bottom)
    isWrapPending = false
  }

  /// CUF: stops at the right margin, unless the cursor starts to its right.
  mutating func moveRight(_ count: Int) {
    column = min(column + count, column > region.right ? columns - 1 : region.right)
    isWrapPending = false
  }

  // MARK: Tabs

  /// HTS, or TBC 0.
  mutating func setTab(_ isStop: Bool) {
    tabs.set(column, to: isStop, isCertain: isCursorKnown && !isColumnUncertain)
  }

  /// TBC: 0 clears the tab at the cursor, 3 clears all.
  mutating func clearTabs(_ what: Int) {
    if what == 0 { setTab(false) }
    if what == 3 { tabs.clearAll() }
  }

  /// Whether a tab continues in the next line (`?41` in xterm).
  var tabWraps: Bool { isWrapPending && modes.isSuperset(of: [.tabsWrap, .autowrap]) }

  /// HT, CHT and, with a negative count, CBT. The pending wrap stays, as in xterm.
  mutating func moveToTab(_ wanted: Int) {
    var count = wanted
    if tabWraps, count > 0 {
      let start = column
      index()
      column = 0
      // The cursor would come back to the left, which ends CHT.
      if tabs.column(1, after: 0, limit: region.right) <= start { count = 1 }
    }
    if isPastLineEnd {
      if count > 0 { return }
      isWrapPending = false
    }
    if isWrapPending, isUnknownTerminal { makeWrapUncertain() }
    if !tabs.isKnown { loseColumn(by: columns) }
    let furthest = column + certainty.columnExcess
    let last = column > region.right ? columns - 1 : region.right
    if count > 0 {
      // With side margins, xterm moves back to the margin from its right.
      let limit = modes.contains(.sideMargins) ? region.right : last
      count = min(count, columns)
      column = tabs.column(count, after: column, limit: limit)
      if isColumnUncertain {
        certainty.setColumnExcess(
          max(0, tabs.column(count, after: furthest, limit: limit) - column))
      }
    } else {
      let first = modes.contains(.origin) ? region.left : 0
      column = tabs.column(min(-count, columns), before: column, limit: first)
    }
  }

  // MARK: Margins

  /// DECSTBM: needs at least two lines; the cursor goes home.
  mutating func setMargins() {
    let first = parser.value(0, or: 1) - 1
    var last = min(parser.value(1, or: rows), rows) - 1
    if hasZeroBelow, options.quirks.contains(.marginsHomeOnScreen) { last = 0 }
    guard first < last else { return }
    region.setRows(first, last)
    settleMode(.margins)
    home()
    if options.quirks.contains(.marginsHomeOnScreen) {
      row = 0
      column = 0
    }
  }

  /// Whether DECSTBM gives the last row as a written 0, which means the first row in tmux and the last one elsewhere.
  var hasZeroBelow: Bool {
    parser.valueCount > 1 && parser.value(1) == 0 && parser.endsWithDigit
  }

  /// DECSLRM, with DECLRMM set: needs at least two columns; the cursor goes home.
  mutating func setSideMargins() {
    let first = parser.value(0, or: 1) - 1
    let last = min(parser.value(1, or: columns), columns) - 1
    guard first < last else { return }
    region.setColumns(first, last)
    home()
  }

  mutating func resetMargins() {
    region = Margins(size)
  }
}
