import Terminal

/// What a screen shows, as a value: the characters of its cells and how they are drawn.
public struct ScreenPicture: Sendable, Equatable {
  public struct Glyph: Sendable, Equatable {
    /// A character with what combines with it; empty for the right half of a wide one.
    public var text = " "
    public var columns = 1
    public var style = Style.plain
  }

  public let size: Size
  private(set) var glyphs: [Glyph]

  /// A blank screen.
  public init(_ size: Size) {
    self.size = size
    glyphs = Array(repeating: Glyph(), count: size.rows * size.columns)
  }

  /// What a screen model has. An unknown cell is blank.
  ///
  /// - Parameter showsCursor: Whether the cursor is drawn, as a block, where the program has not hidden it.
  public init(_ screen: borrowing Screen, showsCursor: Bool = false) {
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

  /// A grid of cells, with the styles that their numbers mean.
  public init(_ grid: CellGrid, styles: [Style]) {
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

  public subscript(row: Int, column: Int) -> Glyph {
    get { glyphs[row * size.columns + column] }
    set { glyphs[row * size.columns + column] = newValue }
  }
}
