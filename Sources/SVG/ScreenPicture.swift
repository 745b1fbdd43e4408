import Terminal

/// What a screen shows, as a value: the characters of its cells and their styles.
package struct ScreenPicture: Sendable, Equatable {
  package struct Glyph: Sendable, Equatable {
    /// A character and what combines with it; empty for the right half of a wide one.
    package var text = " "
    package var columns = 1
    package var style = Style.plain
  }

  package let size: Size
  private(set) var glyphs: [Glyph]

  /// A blank screen.
  package init(_ size: Size) {
    self.size = size
    glyphs = Array(repeating: Glyph(), count: size.rows * size.columns)
  }

  /// The cells of a screen model. An unknown cell is blank.
  ///
  /// - Parameter showsCursor: whether to draw the cursor, as a block, unless the program has hidden it.
  package init(_ screen: borrowing Screen, showsCursor: Bool = false) {
    self.init(screen.size)
    for row in 0..<size.rows {
      for column in 0..<size.columns {
        let cell = screen.cell(row: row, column: column)
        var text = ""
        for scalar in screen.shownScalars(of: cell) { text.unicodeScalars.append(scalar) }
        self[row, column] = ScreenPicture.glyph(cell, text, screen.style(cell.style))
      }
    }
    guard showsCursor, screen.modes.contains(.visibleCursor) else { return }
    self[screen.cursor.row, screen.cursor.column].style.attributes.formSymmetricDifference(.reverse)
  }

  /// The cells of a grid. The number of a cell's style is an index into `styles`.
  package init(_ grid: CellGrid, styles: [Style]) {
    self.init(grid.size)
    for row in 0..<size.rows {
      for column in 0..<size.columns {
        let cell = grid[row, column]
        let scalar = cell.isClear ? " " : Unicode.Scalar(cell.scalarValue) ?? "\u{FFFD}"
        let style =
          styles.indices.contains(Int(cell.style.raw)) ? styles[Int(cell.style.raw)] : .plain
        self[row, column] = ScreenPicture.glyph(cell, String(scalar), style)
      }
    }
  }

  private static func glyph(_ cell: Cell, _ text: String, _ style: Style) -> Glyph {
    if cell.isContinuation { return Glyph(text: "", columns: 0, style: style) }
    if cell.isUnknown { return Glyph(style: style) }
    return Glyph(text: text, columns: max(1, cell.width), style: style)
  }

  package subscript(row: Int, column: Int) -> Glyph {
    get { glyphs[row * size.columns + column] }
    set { glyphs[row * size.columns + column] = newValue }
  }
}
