import PerfHUDBase
import Terminal

/// What a widget draws on: a grid of cells with clipping. Nothing here allocates except `resize`.
///
/// Rows and columns are those of the whole canvas; nothing is drawn outside `clip`.
package struct Canvas: Sendable {
  package private(set) var grid: CellGrid
  package var clip: Rect
  /// Whether only ASCII is drawn; a mark replaces other characters.
  package let isASCII: Bool
  /// The buffer in which a row of a list is written before it is drawn; its memory is reused.
  var line = ListRow()

  package init(_ size: Size, isASCII: Bool = false) {
    grid = CellGrid(size)
    clip = Rect(size)
    self.isASCII = isASCII
    erase()
  }

  package mutating func resize(to size: Size) {
    guard size != grid.size else { return }
    let line = line
    self = Canvas(size, isASCII: isASCII)
    self.line = line
  }

  /// Makes every cell a plain blank.
  package mutating func erase() {
    grid.fill(Cell(" "))
  }

  /// Empties the area of the clip.
  mutating func eraseClip() {
    for row in clip.row..<clip.endRow {
      for column in clip.column..<clip.endColumn { grid[row, column] = Cell(" ") }
    }
  }

  /// Turns the area of the clip into reverse video. Call it only once.
  mutating func reverse() {
    for row in clip.row..<clip.endRow {
      for column in clip.column..<clip.endColumn {
        let cell = grid[row, column]
        guard let role = Role(cell.style) else { continue }
        let style = role.reversedStyle
        grid[row, column] =
          cell.isContinuation
          ? .continuation(style: style)
          : Cell(
            Unicode.Scalar(cell.scalarValue) ?? " ", style: style, width: cell.width)
      }
    }
  }

  /// Draws one character of width 1.
  @inline(__always)
  package mutating func put(_ scalar: Unicode.Scalar, row: Int, column: Int, role: Role = .text) {
    put(scalar, row: row, column: column, style: role.style)
  }

  /// Draws one character of width 1.
  @inline(__always)
  mutating func put(_ scalar: Unicode.Scalar, row: Int, column: Int, style: StyleID) {
    guard row >= clip.row, row < clip.endRow, column >= clip.column, column < clip.endColumn
    else { return }
    assert(scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value), "a control character")
    split(row, column)
    grid[row, column] = Cell(scalar, style: style)
  }

  /// Blanks the other half of a wide character, if one half is about to be overwritten.
  @inline(__always)
  private mutating func split(_ row: Int, _ column: Int) {
    let old = grid[row, column]
    if old.isContinuation, column > 0 { grid[row, column - 1] = Cell(" ") }
    if old.width == 2, column + 1 < grid.size.columns { grid[row, column + 1] = Cell(" ") }
  }

  /// Whether a cell shows this character.
  func isGlyph(_ scalar: Unicode.Scalar, row: Int, column: Int) -> Bool {
    guard row >= 0, row < grid.size.rows, column >= 0, column < grid.size.columns else {
      return false
    }
    return grid[row, column].scalarValue == scalar.value
  }

  /// Draws a run of the same character.
  package mutating func fill(
    _ scalar: Unicode.Scalar, row: Int, column: Int, count: Int, role: Role = .text
  ) {
    guard row >= clip.row, row < clip.endRow else { return }
    let cell = Cell(scalar, style: role.style)
    var position = max(column, clip.column)
    let end = min(column + count, clip.endColumn)
    while position < end {
      split(row, position)
      grid[row, position] = cell
      position += 1
    }
  }

  /// Draws text and returns the column after it. A wide character that does not fit is left out.
  @discardableResult
  package mutating func text(
    _ text: StaticString, row: Int, column: Int, role: Role = .text
  ) -> Int {
    if text.isASCII {
      var position = column
      for index in 0..<text.utf8CodeUnitCount {
        let byte = unsafe text.utf8Start[index]
        put(Unicode.Scalar(byte), row: row, column: position, role: role)
        position += 1
      }
      return position
    }
    var position = column
    var decoder = UTF8Decoder()
    for index in 0..<text.utf8CodeUnitCount {
      if let scalar = unsafe decoder.feed(text.utf8Start[index]) {
        position = self.scalar(scalar, row: row, column: position, role: role)
      }
    }
    return position
  }

  /// Draws one of the program's own words, truncated to `width` columns with `…`.
  @discardableResult
  mutating func text(
    _ text: StaticString, row: Int, column: Int, width: Int, role: Role = .text,
    ellipsis: Unicode.Scalar = "…"
  ) -> Int {
    if Canvas.width(text) <= width {
      return self.text(text, row: row, column: column, role: role)
    }
    guard width > 0 else { return column }
    var position = column
    var decoder = UTF8Decoder()
    for index in 0..<text.utf8CodeUnitCount {
      guard let scalar = unsafe decoder.feed(text.utf8Start[index]) else { continue }
      guard position + CharacterWidth.of(scalar) < column + width else { break }
      position = self.scalar(scalar, row: row, column: position, role: role)
    }
    put(ellipsis, row: row, column: position, role: role)
    return position + 1
  }

  @discardableResult
  package mutating func text(_ text: ShortText, row: Int, column: Int, role: Role = .text) -> Int {
    var position = column
    var decoder = UTF8Decoder()
    for index in 0..<text.count {
      guard let scalar = decoder.feed(text[index]) else { continue }
      position = self.scalar(scalar, row: row, column: position, role: role)
    }
    return position
  }

  /// Draws text from outside that has been made harmless, truncated to `width` columns with `…`.
  @discardableResult
  package mutating func text(
    _ text: String, row: Int, column: Int, width: Int = .max, role: Role = .text,
    ellipsis: Unicode.Scalar = "…"
  ) -> Int {
    guard width > 0 else { return column }
    let limit = width == .max ? clip.endColumn : column + width
    var position = column
    var lastFit = column
    var columns = 0
    for scalar in text.unicodeScalars { columns += CharacterWidth.of(scalar) }
    let isCut = column + columns > limit
    for scalar in text.unicodeScalars {
      let width = CharacterWidth.of(scalar)
      if position + width > limit - (isCut ? 1 : 0) { break }
      position = self.scalar(scalar, row: row, column: position, role: role)
      lastFit = position
    }
    if isCut {
      put(ellipsis, row: row, column: lastFit, role: role)
      return lastFit + 1
    }
    return position
  }

  /// Draws inline text from outside, truncated to `width` columns with `…`. Allocates nothing.
  @discardableResult
  package mutating func text<let capacity: Int>(
    _ text: InlineText<capacity>, row: Int, column: Int, width: Int = .max, role: Role = .text,
    ellipsis: Unicode.Scalar = "…"
  ) -> Int {
    guard width > 0 else { return column }
    let limit = width == .max ? clip.endColumn : column + width
    let isCut = column + Canvas.width(text) > limit
    var position = column
    var decoder = UTF8Decoder()
    for index in 0..<text.count {
      guard let scalar = decoder.feed(text[index]) else { continue }
      if position + CharacterWidth.of(scalar) > limit - (isCut ? 1 : 0) { break }
      position = self.scalar(scalar, row: row, column: position, role: role)
    }
    guard isCut else { return position }
    put(ellipsis, row: row, column: position, role: role)
    return position + 1
  }

  /// The number of columns of a text.
  package static func width<let capacity: Int>(_ text: InlineText<capacity>) -> Int {
    var columns = 0
    var decoder = UTF8Decoder()
    for index in 0..<text.count {
      if let scalar = decoder.feed(text[index]) { columns += CharacterWidth.of(scalar) }
    }
    return columns
  }

  /// Draws one character of any width and returns the column after it.
  private mutating func scalar(
    _ scalar: Unicode.Scalar, row: Int, column: Int, role: Role
  ) -> Int {
    let width = CharacterWidth.of(scalar)
    if isASCII, !scalar.isASCII {
      fill(scalar == "…" ? "~" : "?", row: row, column: column, count: width, role: role)
      return column + width
    }
    switch width {
    case 1: put(scalar, row: row, column: column, role: role)
    case 2:
      guard row >= clip.row, row < clip.endRow, column >= clip.column,
        column + 1 < clip.endColumn
      else { break }
      split(row, column)
      split(row, column + 1)
      grid[row, column] = Cell(scalar, style: role.style, width: 2)
      grid[row, column + 1] = .continuation(style: role.style)
    default:
      // A combining mark without its base would join whatever is to its left, so leave it out.
      return column
    }
    return column + width
  }

  /// Draws one character of any width and returns the column after it.
  @discardableResult
  mutating func character(
    _ scalar: Unicode.Scalar, row: Int, column: Int, role: Role = .text
  ) -> Int {
    self.scalar(scalar, row: row, column: column, role: role)
  }

  /// The number of columns of a text from outside.
  static func columns(of text: some StringProtocol) -> Int {
    text.unicodeScalars.reduce(0) { $0 + CharacterWidth.of($1) }
  }

  /// The number of columns of a text.
  static func width(_ text: ShortText) -> Int {
    var columns = 0
    var decoder = UTF8Decoder()
    for index in 0..<text.count {
      if let scalar = decoder.feed(text[index]) { columns += CharacterWidth.of(scalar) }
    }
    return columns
  }

  /// The number of columns of a text.
  package static func width(_ text: StaticString) -> Int {
    if text.isASCII { return text.utf8CodeUnitCount }
    var columns = 0
    var decoder = UTF8Decoder()
    for index in 0..<text.utf8CodeUnitCount {
      if let scalar = unsafe decoder.feed(text.utf8Start[index]) {
        columns += CharacterWidth.of(scalar)
      }
    }
    return columns
  }
}
