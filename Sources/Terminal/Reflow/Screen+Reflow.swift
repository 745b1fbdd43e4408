/// Follows a terminal that wraps its lines again when the width changes.
extension Screen {
  /// Whether the model covers what the terminal does with its lines when its size changes.
  package var modelsResize: Bool { lines.historyLimit > 0 }

  /// Whether the terminal may already have another size before it reports it.
  package var delaysSizes: Bool { rewraps }

  var rewraps: Bool { options.quirks.contains(.rewrapsLines) }

  /// The primary screen and the known lines above it.
  var reflowGrid: ReflowGrid {
    let known = lines.historyCount
    var all: [ReflowGrid.Line] = []
    all.reserveCapacity(known + rows)
    for number in stride(from: known, to: 0, by: -1) {
      all.append(reflowLine(lines.historyIndex(number)))
    }
    for row in 0..<rows { all.append(reflowLine(lines.index(of: row, isAlternate: false))) }
    for index in all.indices { all[index].origin = index - all.count }
    let column = isPastLineEnd ? columns : column
    var grid = ReflowGrid(lines: all, size: size, cursor: Point(row: row, column: column))
    if isAlternate, let cursor = saved.screenCursor {
      let isPending = cursor.isWrapPending && options.quirks.contains(.cursorPastLineEnd)
      grid.cursor = Point(row: cursor.row, column: isPending ? columns : cursor.column)
    }
    grid.rewraps = rewraps
    grid.forgotten = max(0, lines.scrolled) - known
    grid.returning = max(0, lines.scrolled - past.kept)
    grid.mayHaveMore = past.mayHaveMore
    grid.mayTakeMore = past.mayTakeMore
    return grid
  }

  private func reflowLine(_ index: Int) -> ReflowGrid.Line {
    let line = lines[index]
    var result = ReflowGrid.Line(
      blank: line.blank, goesOn: rewraps ? line.goesOn : line.isWrapped)
    var end = rewraps ? min(Int(line.used), writtenEnd(index)) : Int(line.used)
    // Cells that were erased in a color do not count as written.
    if rewraps, end > 0, case let last = cells[line.start + end - 1], last.isErased,
      !last.isUnknown,
      last.style != .plain
    {
      while end > 0, cells[line.start + end - 1] == last { end -= 1 }
      result.blank = last
    }
    result.reach = Int(line.reach)
    result.cells.reserveCapacity(end)
    for column in 0..<end { result.cells.append(cells[line.start + column]) }
    if rewraps { result.noteSlack() }
    let hidden = hiddenCells(line)
    if !hidden.isEmpty {
      result.cells.append(contentsOf: repeatElement(line.blank, count: columns - end))
      result.cells.append(contentsOf: hidden)
      result.showHalf(at: columns - 1)
    }
    return result
  }

  /// Keeps the primary screen unchanged while the alternate one is shown and the size changes: the terminal wraps its
  /// lines only when the primary screen is shown again.
  mutating func suspend() {
    guard rewraps, isAlternate, suspended == nil else { return }
    let grid = reflowGrid
    // The HUD has made lines longer that cannot be shortened again, because lost cells are in them.
    suspended = grid.hasLost ? grid.lengthened() : grid
  }

  /// Handles that the primary screen is shown again.
  ///
  /// - Parameter keepsCursor: whether the cursor is back where it was.
  mutating func resume(keepsCursor: Bool) {
    guard var grid = suspended else { return }
    suspended = nil
    grid.resize(to: size)
    let isKnown = keepsCursor && saved.screenCursor != nil && grid.missing == 0
    guard isKnown, isCursorKnown else { return forgetEverything() }
    guard !grid.isCursorDoubtful else {
      forgetScreens(.unknown)
      certainty.isCursorKnown = false
      return updateFastPath()
    }
    install(grid.hasLost ? grid.asRepainted() : grid)
    hasResumed = true
  }

  /// Replaces the shown primary screen with one of another size.
  mutating func install(_ grid: ReflowGrid) {
    let new = grid.size
    let limit = lines.historyLimit
    let freshCells = UncheckedBuffer<Cell>(zeroed: Screen.cellCount(new, limit))
    var fresh = LineRing(new, historyLimit: limit, mayGoOn: true, blank: .erased())
    let above = grid.lines.count - new.rows
    let known = min(above, limit)
    for line in grid.lines[(above - known)..<above] {
      let index = fresh.index(of: 0)
      put(line, into: &fresh[index], freshCells, new.columns)
      // xterm keeps the end of a cut line above the screen.
      if line.cells.count > new.columns + Screen.hiddenLimit { fresh[index].blank = .unseen }
      fresh.scrollUp()
    }
    for (row, line) in grid.screen.enumerated() {
      put(line, into: &fresh[fresh.index(of: row)], freshCells, new.columns)
    }
    let scrolled = grid.forgotten + above
    fresh.setScrolled(scrolled)
    past.kept = scrolled - grid.returning
    past.mayHaveMore = grid.mayHaveMore
    past.mayTakeMore = grid.mayTakeMore
    cells = freshCells
    lines = fresh
    if rewraps, new.columns != size.columns { tabs.reset() }
    let wasPending = isWrapPending
    size = new
    hideColumns(of: grid, known: known)
    resetMargins()
    row = min(max(0, grid.cursor.row), rows - 1)
    isWrapPending = grid.rewraps ? grid.cursor.column >= columns : wasPending && column < columns
    column = min(grid.cursor.column, columns - 1)
    certainty.awaitsResize = false
    printed.clear()
    keepPicture()
    forgetDamage()
    setStale()
    updateFastPath()
  }

  /// Notes that the terminal counts the cells of a row up to the end of a window as written.
  func noteReach(_ row: Int, of window: Rect) {
    guard rewraps, row >= window.row, row < window.endRow, row < rows else { return }
    let index = lineIndex(row)
    lines[index].reach = max(lines[index].reach, Int32(window.endColumn))
  }

  /// Whether the terminal may count more cells of a row as written than the program has written, though its line ends
  /// there, and not with a colored blank.
  func isLengthened(_ row: Int) -> Bool {
    let line = lines[lineIndex(row)]
    let end = Int(line.used)
    guard line.reach > line.used, !line.goesOn, !line.isWrapped else { return false }
    if end > 0 {
      let last = cells[line.start + end - 1]
      if last.isErased, style(last.style) != .plain { return false }
    }
    return true
  }

  /// The first row of the line to which a row belongs; `nil` if that line begins above the screen. On the
  /// alternate screen it is `nil` for all lines of several rows: programs insert and delete rows there, and tmux then
  /// forgets that some lines go on.
  func firstRow(ofLineIn row: Int) -> Int? {
    let first = rows(ofLineIn: row).lowerBound
    if isAlternate { return first == row ? row : nil }
    let beginsAbove =
      first == 0 && lines.historyCount > 0 && lines[lines.historyIndex(1)].goesOn
    return beginsAbove ? nil : first
  }

  /// How many cells of a row the program has written, if the last of them was erased again.
  func erasedEnd(_ row: Int) -> Int? {
    let line = lines[lineIndex(row)]
    let end = Int(line.used)
    return end > 0 && cells[line.start + end - 1].isErased ? end : nil
  }

  /// Notes that a row was erased as a whole, so nothing of the HUD is left in it.
  func forgetReach(_ row: Int) { lines[lineIndex(row)].reach = 0 }

  /// Blanks the cells of a row that are unknown since before the program began. Lost ones stay: the program has written
  /// them.
  mutating func blankUnknown(_ row: Int) {
    let index = lineIndex(row)
    let start = lines[index].start
    for column in 0..<Int(lines[index].used) where cells[start + column].isUnseen {
      cells[start + column] = .erased()
    }
    if lines[index].blank.isUnseen { lines[index].blank = .erased() }
  }

  private func put(
    _ line: ReflowGrid.Line, into target: inout LineRing.Line,
    _ cells: borrowing UncheckedBuffer<Cell>, _ columns: Int
  ) {
    let count = min(line.cells.count, columns)
    target.used = Int32(count)
    target.blank = line.blank
    target.goesOn = line.goesOn
    target.isWrapped = line.goesOn
    target.mayGoOn = true
    target.reach = Int32(line.reach)
    for column in 0..<count {
      let cell = line.cells[column]
      cells[target.start + column] = cell
      if cell.isRightHalf || cell.width == 2 { target.hasWide = true }
    }
    guard rewraps, line.hasLost, !line.blank.isLost else { return }
    target.bound = target.used
    target.used = Int32(columns)
    for column in count..<columns { cells[target.start + column] = .unknown }
  }
}

extension ReflowGrid {
  /// The same lines as they are in the terminal: with the HUD in them, and longer where the HUD has made them longer.
  func covered(by grid: borrowing CellGrid, at place: Rect) -> ReflowGrid {
    var result = lengthened()
    let above = lines.count - size.rows
    for row in place.row..<min(place.endRow, size.rows) where row >= 0 {
      for column in place.column..<min(place.endColumn, size.columns) where column >= 0 {
        guard !grid[row - place.row, column - place.column].isClear else { continue }
        let index = above + row
        while result.lines[index].cells.count <= column {
          result.lines[index].cells.append(result.lines[index].blank)
        }
        result.lines[index].cells[column] = ReflowGrid.covered
      }
    }
    return result
  }

  /// Whether the unknown cells of a row are where they would be without the HUD.
  func keepsRow(_ row: Int, of program: ReflowGrid) -> Bool {
    let mine = lines[lines.count - size.rows + row].origin
    return mine != nil && mine == program.lines[program.lines.count - size.rows + row].origin
  }

  /// Whether a cell of the screen belongs to the HUD.
  func isCovered(_ row: Int, _ column: Int) -> Bool {
    let line = lines[lines.count - size.rows + row]
    return column < line.cells.count && line.cells[column] == ReflowGrid.covered
  }
}
