import PerfHUDBase

/// The terminal's state while something of ours is being painted.
struct RenderState {
  var row = -1
  var column = -1
  /// Whether to move from row to row with CUU and CUD instead of CUP (`Compositor.movesByRows`).
  var movesByRows = false
  /// `nil` if unknown, so that the next cell sends all of its style.
  var style: Style?
  var set = CharacterSet.ascii
  var link: UInt16 = 0
  var isProtected = false
}

/// Switches the terminal's state to ours for painting, and back to the program's.
extension Compositor {
  /// Resets those parts of the program's state that would affect what is painted.
  mutating func begin(to queue: inout OutputQueue) -> RenderState {
    hasInjected = true
    screen.printed.markReplaced()
    if screen.modes.contains(.origin) { queue.append("\u{1B}[?6l") }
    if screen.modes.contains(.insert) { queue.append("\u{1B}[4l") }
    var renderState = beginText(to: &queue)
    if movesByRows {
      renderState.movesByRows = true
      renderState.row = screen.cursor.row
    }
    return renderState
  }

  /// Whether to count rows from the cursor while painting.
  ///
  /// When a window becomes taller, the lines of the first screen move down, and the cursor with them. If that happens
  /// after something is painted but before the terminal reads it, rows counted from the top mean other lines: the
  /// cursor would end in the wrong line, and the shell would draw its prompt there. Rows counted from the cursor are
  /// the same lines before and after. CUU and CUD stop at margins, so these must be those of the screen.
  private var movesByRows: Bool {
    let margins = screen.margins
    return !screen.isAlternate && margins.row == 0 && margins.endRow == size.rows
      && size == screen.size && !screen.modes.contains(.origin) && screen.isRestorable
  }

  /// Resets only the character sets.
  func beginText(to queue: inout OutputQueue) -> RenderState {
    let sets = screen.characterSets
    if sets.left != 0 { queue.append(0x0F) }
    if sets[0] != .ascii { queue.append("\u{1B}(B") }
    var renderState = RenderState()
    renderState.link = screen.pen.link
    renderState.isProtected = screen.pen.isProtected
    return renderState
  }

  /// Restores the program's state: cursor, pending wrap, pen, character sets, modes.
  ///
  /// - Parameter isHUDErased: whether nothing of the HUD has remained.
  mutating func finish(
    _ renderState: inout RenderState, isHUDErased: Bool, to queue: inout OutputQueue
  ) {
    let cursor = screen.cursor
    // DECOM moves the cursor home, so it comes before the cursor is placed.
    if screen.modes.contains(.origin) { queue.append("\u{1B}[?6h") }
    if screen.isWrapPending {
      var cell = screen.cell(row: cursor.row, column: cursor.column)
      var column = cursor.column
      if cell.isContinuation, column > 0 {
        column -= 1
        cell = screen.cell(row: cursor.row, column: column)
      }
      place(Point(row: cursor.row, column: column), &renderState, to: &queue)
      if !isHUDErased, !isGhost, isCovered(cursor.row, column) {
        let mine = wanted.cells[cursor.row - painted.frame.row, column - painted.frame.column]
        setLook(styles.index(of: mine.style), &renderState, to: &queue)
        appendCharacter(mine, to: &queue)
      } else {
        setLook(of: cell, &renderState, to: &queue)
        appendCharacter(cell, to: &queue)
        // A completely blank line is erased again, which leaves the wrap pending.
        if cell.isErased, screen.isPastLineEnd, isBlank(cursor.row) { queue.append("\u{1B}[1K") }
      }
    } else {
      place(cursor, &renderState, to: &queue)
    }
    finishText(&renderState, to: &queue)
  }

  /// Places the program's cursor after painting.
  private func place(_ place: Point, _ renderState: inout RenderState, to queue: inout OutputQueue)
  {
    guard renderState.movesByRows else { return appendCursor(place, to: &queue) }
    appendRows(to: place.row, &renderState, to: &queue)
    appendColumn(place.column, to: &queue)
  }

  /// Places the cursor in the way the program has to: with DECOM, relative to the margins.
  func appendCursor(_ place: Point, to queue: inout OutputQueue) {
    let isOrigin = screen.modes.contains(.origin)
    let margins = screen.margins
    appendPlace(
      place.row - (isOrigin ? margins.row : 0), place.column - (isOrigin ? margins.column : 0),
      to: &queue)
  }

  /// Restores the program's pen, character sets and insert mode; the cursor stays.
  func finishText(_ renderState: inout RenderState, to queue: inout OutputQueue) {
    let sets = screen.characterSets
    setCharacterSet(sets[0], &renderState, to: &queue)
    switch sets.left {
    case 1: queue.append(0x0E)
    case 2: queue.append("\u{1B}n")
    case 3: queue.append("\u{1B}o")
    default: break
    }
    if screen.modes.contains(.insert) { queue.append("\u{1B}[4h") }
    setProtection(screen.pen.isProtected, &renderState, to: &queue)
    setLink(screen.pen.link, &renderState, to: &queue)
    queue.appendRendition(screen.pen.style)
  }

  mutating func move(
    _ row: Int, _ column: Int, _ renderState: inout RenderState, to queue: inout OutputQueue
  ) {
    // After the right margin of a narrower region the next character would wrap to the next line.
    let isAtMargin = column > 0 && column - 1 == screen.margins.endColumn - 1
    if renderState.row == row, renderState.column == column, !isAtMargin { return }
    if renderState.movesByRows || renderState.row == row {
      appendRows(to: row, &renderState, to: &queue)
      appendColumn(column, to: &queue)
    } else {
      appendPlace(row, column, to: &queue)
    }
    renderState.row = row
    renderState.column = column
  }

  /// Moves up or down to a row.
  private func appendRows(
    to row: Int, _ renderState: inout RenderState, to queue: inout OutputQueue
  ) {
    let count = abs(row - renderState.row)
    guard count > 0 else { return }
    queue.append("\u{1B}[")
    if count > 1 { queue.append(decimal: count) }
    queue.append(UInt8(ascii: row < renderState.row ? "A" : "B"))
    renderState.row = row
  }

  private func appendColumn(_ column: Int, to queue: inout OutputQueue) {
    queue.append("\u{1B}[")
    if column > 0 { queue.append(decimal: column + 1) }
    queue.append(UInt8(ascii: "G"))
  }

  private func appendPlace(_ row: Int, _ column: Int, to queue: inout OutputQueue) {
    queue.append("\u{1B}[")
    queue.append(decimal: row + 1)
    queue.append(UInt8(ascii: ";"))
    queue.append(decimal: column + 1)
    queue.append(UInt8(ascii: "H"))
  }

  /// Sets the look of one of our own cells, by the index of its style: no link, no protection, ASCII.
  func setLook(_ number: Int, _ renderState: inout RenderState, to queue: inout OutputQueue) {
    setCharacterSet(.ascii, &renderState, to: &queue)
    setProtection(false, &renderState, to: &queue)
    setLink(0, &renderState, to: &queue)
    guard renderState.style != styles[number] else { return }
    queue.append(styles.rendition(number))
    renderState.style = styles[number]
  }

  /// Sets the look of a cell beside the HUD: no link, no protection, ASCII.
  func setLook(_ style: Style, _ renderState: inout RenderState, to queue: inout OutputQueue) {
    setCharacterSet(.ascii, &renderState, to: &queue)
    setProtection(false, &renderState, to: &queue)
    setLink(0, &renderState, to: &queue)
    guard renderState.style != style else { return }
    queue.appendRendition(style)
    renderState.style = style
  }

  /// Sets the look of one of the program's cells.
  func setLook(of cell: Cell, _ renderState: inout RenderState, to queue: inout OutputQueue) {
    setCharacterSet(
      cell.characterSet == .other ? .ascii : cell.characterSet, &renderState, to: &queue)
    setProtection(cell.isProtected, &renderState, to: &queue)
    setLink(cell.link, &renderState, to: &queue)
    let style = screen.style(cell.style)
    guard renderState.style != style else { return }
    queue.appendRendition(style)
    renderState.style = style
  }

  private func setCharacterSet(
    _ set: CharacterSet, _ renderState: inout RenderState, to queue: inout OutputQueue
  ) {
    guard renderState.set != set else { return }
    renderState.set = set
    switch set {
    case .specialGraphics: queue.append("\u{1B}(0")
    case .unitedKingdom: queue.append("\u{1B}(A")
    case .ascii, .other: queue.append("\u{1B}(B")
    }
  }

  private func setProtection(
    _ isOn: Bool, _ renderState: inout RenderState, to queue: inout OutputQueue
  ) {
    guard renderState.isProtected != isOn, screen.protection != .none else { return }
    renderState.isProtected = isOn
    if screen.protection == .always {
      queue.append(isOn ? "\u{1B}V" : "\u{1B}W")
    } else {
      queue.append(isOn ? "\u{1B}[1\"q" : "\u{1B}[0\"q")
    }
  }

  func setLink(_ link: UInt16, _ renderState: inout RenderState, to queue: inout OutputQueue) {
    guard renderState.link != link else { return }
    renderState.link = link
    queue.append("\u{1B}]8;")
    if link == 0 {
      queue.append(UInt8(ascii: ";"))
    } else {
      queue.append(screen.link(link))
    }
    queue.append("\u{1B}\\")
  }

  // MARK: Characters

  /// Writes a cell's character, in the character set of G0.
  func appendCharacter(_ cell: Cell, to queue: inout OutputQueue) {
    guard cell.isCluster else { return append(scalar: cell.scalarValue, to: &queue) }
    for scalar in screen.scalars(of: cell) { append(scalar: scalar.value, to: &queue) }
  }

  private func append(scalar: UInt32, to queue: inout OutputQueue) {
    guard screen.options.isUTF8, scalar >= 0x80 else {
      return queue.append(plainByte(scalar))
    }
    queue.append(scalar: scalar)
  }

  /// A character in one byte.
  func plainByte(_ scalar: UInt32) -> UInt8 {
    // A cell that was never filled is blank; control characters must not get out.
    let byte = scalar > 0xFF ? UInt8(ascii: "?") : UInt8(truncatingIfNeeded: scalar)
    return byte & 0x7F < 0x20 || byte == 0x7F ? 0x20 : byte
  }
}
