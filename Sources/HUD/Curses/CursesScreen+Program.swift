import CNcurses
import Terminal

/// Shows a program's screen beneath the windows. Only the model's cells reach the terminal, through ncurses; the
/// program's own bytes never do.
extension CursesScreen {
  /// Draws the windows, with the program's cells where the windows are clear, and queues the bytes that show them. A
  /// larger program screen is cut at the right and bottom; a smaller one is at the top left.
  ///
  /// - Parameters:
  ///   - windows: in the size of the terminal.
  ///   - cursor: where the program's cursor is shown; `nil` if it is hidden.
  package mutating func present(
    _ windows: borrowing CellGrid, over screen: borrowing Screen, cursor: Point?,
    to queue: inout OutputQueue
  ) {
    guard windows.size == size else { return }
    showsProgram = true
    let hasFewColorsLeft = directColors?.isNearlyFull == true
    if hasFewColorsLeft || programLooks.isFull(after: themePairs + 1) { forgetProgramLooks() }
    for row in 0..<size.rows {
      var count = 0
      for column in 0..<size.columns {
        let window = windows[row, column]
        if window.isClear {
          guard addProgram(row, column, windows, screen, cursor, at: count) else { continue }
        } else {
          if window.isContinuation, isUTF8 { continue }
          cells[count] = looks[min(Int(window.style.raw), looks.count - 1)]
          cells[count].chars.0 = wchar_t(terminal.printable(window))
        }
        count += 1
      }
      unsafe mvwadd_wchnstr(nc_stdscr(), Int32(row), 0, cells, Int32(count))
    }
    flush(to: &queue)
  }

  /// Makes the curses cell for one of the program's cells.
  ///
  /// - Returns: `false` for the right half of a wide character that is drawn as one; it has no cell of its own.
  private mutating func addProgram(
    _ row: Int, _ column: Int, _ windows: borrowing CellGrid, _ screen: borrowing Screen,
    _ cursor: Point?, at place: Int
  ) -> Bool {
    guard row < screen.size.rows, column < screen.size.columns else {
      unsafe nc_set_cell(&cells[place], 0x20, 0, NC_NORMAL, 0)
      return true
    }
    let cell = screen.cell(row: row, column: column)
    var style = screen.style(cell.style)
    let isReversed = screen.modes.contains(.reverseVideo)
    if isReversed != (cursor == Point(row: row, column: column)) {
      style.attributes.formSymmetricDifference(.reverse)
    }
    var text = InlineArray<6, wchar_t>(repeating: 0)
    text[0] = 0x20
    if cell.isContinuation {
      // If its left half is covered, it is drawn as a blank.
      let hasLeft =
        column > 0 && windows[row, column - 1].isClear
        && isShownWide(row, column - 1, windows, screen)
      if hasLeft { return false }
    } else if !style.attributes.contains(.invisible) {
      if cell.width != 2 || isShownWide(row, column, windows, screen) {
        setText(&text, of: cell, screen)
      }
    }
    let pair = pair(of: style)
    unsafe text.span.withUnsafeBufferPointer {
      guard let base = $0.baseAddress else { return }
      _ = unsafe nc_set_cluster(&cells[place], base, ProgramLooks.attributes(style), pair)
    }
    return true
  }

  /// Returns whether a wide character is drawn as one: not if its right half is covered or cut, or if the C library, by
  /// which curses places what follows, has another width for it.
  private func isShownWide(
    _ row: Int, _ column: Int, _ windows: borrowing CellGrid, _ screen: borrowing Screen
  ) -> Bool {
    let cell = screen.cell(row: row, column: column)
    guard isUTF8, cell.width == 2, column + 1 < min(size.columns, screen.size.columns),
      windows[row, column + 1].isClear, let first = screen.shownScalars(of: cell).first
    else { return false }
    return nc_width(first.value) == 2
  }

  /// Sets the character of a cell and the zero-width characters that combine with it.
  private func setText(
    _ text: inout InlineArray<6, wchar_t>, of cell: Cell, _ screen: borrowing Screen
  ) {
    if cell.isErased && !cell.isUnknown { return }
    var count = 0
    for scalar in screen.shownScalars(of: cell) where count < 5 {
      let width = Int(nc_width(scalar.value))
      if count == 0 {
        let fits = isUTF8 ? width == cell.width : (0x20..<0x7F).contains(scalar.value)
        text[0] = fits ? wchar_t(scalar.value) : 0x3F
      } else if isUTF8, width == 0, scalar.value != 0x200D, scalar.value != 0xFE0F {
        text[count] = wchar_t(scalar.value)
      } else {
        break
      }
      count += 1
    }
  }

  private mutating func pair(of style: Style) -> Int32 {
    guard depth != .none else { return 0 }
    let foreground = CursesScreen.number(
      of: style.foreground.reduced(to: depth), depth, &directColors)
    let background = CursesScreen.number(
      of: style.background.reduced(to: depth), depth, &directColors)
    return programLooks.number(foreground, background, after: themePairs + 1)
  }
}
