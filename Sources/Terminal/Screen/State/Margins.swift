/// The margins of a screen: DECSTBM, and with DECLRMM DECSLRM. There are at least two rows and two columns between
/// them, unless the screen has only one.
///
/// Rows and columns are counted from 0; `bottom` and `right` are the last ones within.
struct Margins {
  private(set) var top = 0
  private(set) var bottom: Int
  private(set) var left = 0
  private(set) var right: Int
  private var size: Size

  /// The margins of a whole screen.
  init(_ size: Size) {
    self.size = size
    bottom = size.rows - 1
    right = size.columns - 1
  }

  mutating func setRows(_ top: Int, _ bottom: Int) {
    self.top = top
    self.bottom = bottom
  }

  mutating func setColumns(_ left: Int, _ right: Int) {
    self.left = left
    self.right = right
  }

  /// Removes the side margins.
  mutating func resetColumns() { setColumns(0, size.columns - 1) }

  var height: Int { bottom &- top &+ 1 }
  var width: Int { right &- left &+ 1 }
  var rect: Rect { Rect(row: top, column: left, rows: height, columns: width) }

  /// Whether a row is between the top and the bottom margin.
  @inline(__always) func containsRow(_ row: Int) -> Bool { row >= top && row <= bottom }

  /// Whether a column is between the side margins.
  @inline(__always) func containsColumn(_ column: Int) -> Bool { column >= left && column <= right }

  /// Whether the region is as wide as the screen.
  @inline(__always) var isFullWidth: Bool { left == 0 && right == size.columns &- 1 }

  /// Whether the region is the screen.
  @inline(__always) var isWholeScreen: Bool {
    isFullWidth && top == 0 && bottom == size.rows &- 1
  }

  /// The end of the line for output at a column: the right margin, or from right of it the edge of the screen.
  @inline(__always) func lineEnd(from column: Int) -> Int {
    column <= right ? right &+ 1 : size.columns
  }
}
