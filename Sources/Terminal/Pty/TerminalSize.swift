/// The size of a terminal in cells, and in pixels if it reports them (otherwise 0).
package struct TerminalSize: Hashable, Sendable {
  package var rows: Int
  package var columns: Int
  package var pixelWidth: Int
  package var pixelHeight: Int

  package init(rows: Int, columns: Int, pixelWidth: Int = 0, pixelHeight: Int = 0) {
    self.rows = rows
    self.columns = columns
    self.pixelWidth = pixelWidth
    self.pixelHeight = pixelHeight
  }

  package var cells: Size { Size(rows: rows, columns: columns) }

  /// The largest size to draw on, in cells. ncurses counts cells in signed 16-bit numbers, and a picture of millions of
  /// cells would keep the loop busy for seconds.
  package static let largestPicture = Size(rows: 500, columns: 1000)

  /// Whether it has more rows or columns than the largest size to draw on.
  package var isTooLarge: Bool {
    rows > TerminalSize.largestPicture.rows || columns > TerminalSize.largestPicture.columns
  }

  /// The part of it to draw on, from the top left corner.
  var drawable: TerminalSize {
    var size = self
    size.rows = min(rows, TerminalSize.largestPicture.rows)
    size.columns = min(columns, TerminalSize.largestPicture.columns)
    return size
  }

  /// A size that can be drawn on. A dimension that the terminal reports as 0, or not at all, is taken from the
  /// environment, or else from the VT100 (80 columns, 24 rows).
  ///
  /// - Parameters:
  ///   - lines, columns: the values of `LINES` and `COLUMNS`; ignored unless they are numbers from 1 to 9999.
  package static func usable(
    _ reported: TerminalSize?, lines: String?, columns: String?
  ) -> TerminalSize {
    func number(_ text: String?) -> Int? {
      guard let text, let value = Int(text), (1...9999).contains(value) else { return nil }
      return value
    }
    var size = reported ?? TerminalSize(rows: 0, columns: 0)
    if size.rows <= 0 { size.rows = number(lines) ?? 24 }
    if size.columns <= 0 { size.columns = number(columns) ?? 80 }
    return size
  }
}
