import PerfHUDBase

/// Turns cells into bytes.
///
/// Only sequences that every terminal has: CUP, CUU, CUD, CHA, SGR, ECH, EL 2 and designations of G0. The
/// saved cursor, the title, the cursor's look and the modes of keys and mouse are never touched.
extension Compositor {
  // MARK: What is painted

  /// Paints the HUD's cells that the terminal does not show.
  mutating func paintHUD(isWhole: Bool, to queue: inout OutputQueue) {
    var renderState = begin(to: &queue)
    for row in 0..<painted.frame.rows {
      let place = painted.frame.row + row
      let damage = isWhole ? 0..<screen.size.columns : screen.damage(row: place)
      noteReach(row)
      for index in 0..<painted.parts.count {
        paintEdges(painted.parts[index], place, damage, &renderState, to: &queue)
      }
      if isGhost {
        paintChangesBeneath(row, &renderState, to: &queue)
      } else {
        paintChanges(
          row, isWhole ? 0..<painted.frame.columns : changes(damage), &renderState, to: &queue)
      }
    }
    finish(&renderState, isHUDErased: false, to: &queue)
  }

  /// Notes how far a row of the HUD lengthens the program's row.
  mutating func noteReach(_ row: Int) {
    for index in 0..<painted.parts.count {
      screen.noteReach(painted.frame.row + row, of: painted.parts[index])
    }
  }

  /// The columns in a row of the HUD that the terminal may not show.
  private func changes(_ damage: Range<Int>) -> Range<Int> {
    if hasChanges { return 0..<painted.frame.columns }
    // The other half of a wide character that was cut is next to what was overwritten.
    let first = max(0, damage.lowerBound - painted.frame.column - 1)
    let last = min(painted.frame.columns, damage.upperBound - painted.frame.column + 1)
    return damage.isEmpty || first >= last ? 0..<0 : first..<last
  }

  /// Paints what is beneath the HUD.
  mutating func paintBeneath(to queue: inout OutputQueue) {
    let isSafe = screen.isRestorable
    // If the state cannot be restored, leave that to the terminal; the program's saved cursor is lost.
    if !isSafe {
      lateErases += 1
      queue.append("\u{1B}7")
    }
    var renderState = begin(to: &queue)
    for row in 0..<painted.frame.rows { paintBeneathHUD(row, &renderState, to: &queue) }
    if isSafe {
      finish(&renderState, isHUDErased: true, to: &queue)
    } else {
      queue.append("\u{1B}8")
      if screen.modes.contains(.insert) { queue.append("\u{1B}[4h") }
      setLink(screen.pen.link, &renderState, to: &queue)
    }
  }

  /// - Parameter columns: those HUD columns that may differ.
  private mutating func paintChanges(
    _ row: Int, _ columns: Range<Int>, _ renderState: inout RenderState, to queue: inout OutputQueue
  ) {
    var column = columns.lowerBound
    while column < columns.upperBound {
      let cell = wanted.cells[row, column]
      if cell == painted.cells[row, column] {
        column += 1
        continue
      }
      if cell.isPlainCharacter {
        column = paintRun(row, column, columns.upperBound, &renderState, to: &queue)
        continue
      }
      painted.cells[row, column] = cell
      column += 1
      if cell.isContinuation { continue }
      let place = painted.frame.column + column - 1
      if cell.isClear {
        paintBeneath(
          painted.frame.row + row, place, place + 1, isHUDErased: false, &renderState, to: &queue)
        continue
      }
      move(painted.frame.row + row, place, &renderState, to: &queue)
      setLook(styles.index(of: cell.style), &renderState, to: &queue)
      appendCharacter(cell, to: &queue)
      renderState.column += max(1, cell.width)
    }
  }

  /// Paints a plain cell and those after it that have the same look. A blank fits any look in which it appears the
  /// same.
  ///
  /// - Returns: the column after the last one.
  private mutating func paintRun(
    _ row: Int, _ first: Int, _ end: Int, _ renderState: inout RenderState,
    to queue: inout OutputQueue
  ) -> Int {
    // After the right margin of a narrower region the next character would wrap to the next line.
    let margin = screen.margins.endColumn - painted.frame.column
    let end = first < margin ? min(end, margin) : end
    move(painted.frame.row + row, painted.frame.column + first, &renderState, to: &queue)
    let style = styles.index(of: wanted.cells[row, first].style)
    let isBlank = wanted.cells[row, first].scalarValue == 0x20
    if !(isBlank && isReady(renderState, forBlankOf: styles[style])) {
      setLook(style, &renderState, to: &queue)
    }
    let look = renderState.style ?? .plain
    var column = first
    var count = 0
    repeat {
      count = addText(wanted.cells[row, column].scalarValue, count)
      column += 1
    } while column < end && continuesRun(row, column, look, styles[style] == look ? style : -1)
    queue.append(text, first: count)
    painted.cells.copyRow(row, first..<column, of: wanted.cells)
    renderState.column += column - first
    return column
  }

  /// Whether a cell has to be painted and continues the look of the run.
  ///
  /// - Parameter styleNumber: the number of a style with this look, if known; otherwise -1.
  @inline(__always) private func continuesRun(
    _ row: Int, _ column: Int, _ look: Style, _ styleNumber: Int
  ) -> Bool {
    let cell = wanted.cells[row, column]
    guard cell.isPlainCharacter, cell != painted.cells[row, column] else { return false }
    if Int(cell.style.raw) == styleNumber { return true }
    let style = styles[styles.index(of: cell.style)]
    return style == look || (cell.scalarValue == 0x20 && style.showsBlank(like: look))
  }

  /// Adds a character to the text of a run.
  ///
  /// - Returns: the new number of bytes.
  @inline(__always) private func addText(_ scalar: UInt32, _ count: Int) -> Int {
    guard scalar >= 0x80, screen.options.isUTF8 else {
      text[count] = plainByte(scalar)
      return count + 1
    }
    return text.addUTF8(scalar, at: count)
  }

  /// Whether a blank can be painted without setting its look.
  private func isReady(_ renderState: RenderState, forBlankOf style: Style) -> Bool {
    guard let look = renderState.style, renderState.link == 0, renderState.set == .ascii else {
      return false
    }
    guard !renderState.isProtected || screen.protection == .none else { return false }
    return style.showsBlank(like: look)
  }

  private mutating func paintChangesBeneath(
    _ row: Int, _ renderState: inout RenderState, to queue: inout OutputQueue
  ) {
    var column = 0
    while column < painted.frame.columns {
      let first = column
      while column < painted.frame.columns, wanted.cells[row, column] != painted.cells[row, column]
      {
        painted.cells[row, column] = wanted.cells[row, column]
        column += 1
      }
      if first < column {
        paintWhole(row, first, column, isHUDErased: true, &renderState, to: &queue)
      }
      column += 1
    }
  }

  /// Paints the columns beside the HUD. If a wide character is partly under the HUD, its visible half becomes blank.
  private mutating func paintEdges(
    _ part: Rect, _ row: Int, _ damage: Range<Int>, _ renderState: inout RenderState,
    to queue: inout OutputQueue
  ) {
    guard !isGhost, row >= part.row, row < part.endRow else { return }
    let isDamaged = damage.count < screen.size.columns
    let left = part.column - 1
    if left >= 0, damage.contains(left) || damage.contains(left + 1), !isCovered(row, left) {
      let isCut = screen.cell(row: row, column: left + 1).isContinuation
      paintEdge(row, left, isCut: isCut, isDamaged: isDamaged, &renderState, &queue)
    }
    let right = part.endColumn
    // The last column is never touched; the terminal blanks the remaining half by itself.
    if right < screen.size.columns - 1, damage.contains(right) || damage.contains(right - 1),
      !isCovered(row, right)
    {
      let isCut = screen.cell(row: row, column: right).isContinuation
      paintEdge(row, right, isCut: isCut, isDamaged: isDamaged, &renderState, &queue)
    }
  }

  private mutating func paintEdge(
    _ row: Int, _ column: Int, isCut: Bool, isDamaged: Bool, _ renderState: inout RenderState,
    _ queue: inout OutputQueue
  ) {
    let cell = screen.cell(row: row, column: column)
    if isCut {
      paintHalf(row, column, &renderState, to: &queue)
    } else if isDamaged, hasCutEdge[row], !cell.isUnknown, !cell.isContinuation, cell.width == 1 {
      // The wide character may have been cut before.
      paintBeneath(row, column, column + 1, isHUDErased: false, &renderState, to: &queue)
    }
  }

  /// Paints cells of the program, as they were sent.
  ///
  /// - Parameter isHUDErased: whether nothing of the HUD stays in this row.
  mutating func paintBeneath(
    _ row: Int, _ from: Int, _ to: Int, isHUDErased: Bool, _ renderState: inout RenderState,
    to queue: inout OutputQueue
  ) {
    if isHUDErased, isBlank(row) {
      let cell = screen.cell(row: row, column: 0)
      move(row, from, &renderState, to: &queue)
      setLook(screen.style(cell.style), &renderState, to: &queue)
      queue.append("\u{1B}[2K")
      screen.forgetReach(row)
      return
    }
    let tail = isHUDErased ? erasedTail(row, from, to) : to
    var column = from
    while column < to {
      let cell = screen.cell(row: row, column: column)
      // Cells that were never painted over are still there.
      if isGhost, cell.isUnknown {
        column += 1
        continue
      }
      if column >= tail, cell.isErased {
        if column == tail {
          move(row, column, &renderState, to: &queue)
          setLook(of: cell, &renderState, to: &queue)
          queue.append("\u{1B}[K")
        }
        column += 1
        continue
      }
      if cell.isErased {
        column = paintErased(row, column, to, &renderState, to: &queue)
        continue
      }
      column += paintCell(cell, row, column, &renderState, to: &queue)
    }
  }

  /// Paints the character of a cell, or a blank for a right half that has lost its left one.
  ///
  /// - Returns: the number of columns that it takes.
  @inline(__always) mutating func paintCell(
    _ cell: Cell, _ row: Int, _ column: Int, _ renderState: inout RenderState,
    to queue: inout OutputQueue
  ) -> Int {
    move(row, column, &renderState, to: &queue)
    setLook(of: cell, &renderState, to: &queue)
    if cell.isContinuation {
      queue.append(0x20)
    } else {
      appendCharacter(cell, to: &queue)
    }
    let width = max(1, cell.width)
    renderState.column += width
    return width
  }

  /// Erases cells again that were erased in the same way, since selection, copies and history treat them differently
  /// from spaces.
  mutating func paintErased(
    _ row: Int, _ first: Int, _ end: Int, _ renderState: inout RenderState,
    to queue: inout OutputQueue
  ) -> Int {
    let cell = screen.cell(row: row, column: first)
    var last = first + 1
    while last < end, screen.cell(row: row, column: last) == cell { last += 1 }
    move(row, first, &renderState, to: &queue)
    setLook(of: cell, &renderState, to: &queue)
    queue.append("\u{1B}[")
    if last - first > 1 { queue.append(decimal: last - first) }
    queue.append(UInt8(ascii: "X"))
    return last
  }

  /// The first column from which a row can be erased to its end: all erased cells of the row are alike, and nothing
  /// else follows after `to`. If the row were erased only up to a column, xterm would treat the cells as written blanks
  /// and copy them with the text before them.
  ///
  /// - Returns: `to` if there is no such column.
  private func erasedTail(_ row: Int, _ from: Int, _ to: Int) -> Int {
    guard !screen.isWrapped(row: row), screen.protection == .none else { return to }
    let last = screen.cell(row: row, column: screen.size.columns - 1)
    guard last.isErased, !last.isUnknown else { return to }
    for column in to..<max(to, screen.size.columns)
    where screen.cell(row: row, column: column) != last { return to }
    var first = to
    for column in from..<to {
      let cell = screen.cell(row: row, column: column)
      if cell.isUnknown || (cell.isErased && cell != last) { return to }
      if cell.isErased { first = min(first, column) }
    }
    return first
  }

  /// Whether all of a row is erased. Then it is erased as a whole again, so that it does not become a line of the
  /// history.
  func isBlank(_ row: Int) -> Bool {
    guard !screen.isWrapped(row: row), screen.protection == .none else { return false }
    let first = screen.cell(row: row, column: 0)
    guard first.isErased, !first.isUnknown else { return false }
    for column in 1..<max(1, screen.size.columns) {
      guard screen.cell(row: row, column: column) == first else { return false }
    }
    return true
  }
}

extension Cell {
  /// Whether it is a character one column wide without any special properties.
  fileprivate var isPlainCharacter: Bool {
    raw & ~(0xFFFF << 32 | 0x1F_FFFF) == 1 << 21
  }
}

extension Style {
  /// Whether a blank looks the same in both styles: the background is the same, and there are no lines and no reverse.
  func showsBlank(like other: Style) -> Bool {
    let seen: Attributes = [.underline, .reverse, .strike, .overline]
    return background == other.background && attributes.isDisjoint(with: seen)
      && other.attributes.isDisjoint(with: seen)
  }
}
