/// Operations on rectangles of cells, as xterm does them.
///
/// Source: the DEC VT420 and VT520 manuals (DECERA, DECSERA, DECFRA, DECCRA, DECCARA, DECRARA, DECSACE);
/// XTerm Control Sequences. What xterm leaves as half a character, or as a colour that is none, is
/// unknown here.
extension Screen {
  /// Carries out one of them, if the terminal has them.
  mutating func dispatchRectangle(_ final: UInt8) {
    guard !options.quirks.contains(.noRectangles) else { return }
    guard isCursorKnown, !hasDoubleSizeLines else { return markUnknown(Rect(size)) }
    switch final {
    case UInt8(ascii: "z"): fillRectangle(rectangle(from: 0), with: 0x20)
    case UInt8(ascii: "x"):
      let code = parser.value(0)
      guard parser.valueCount > 0, code >= 0x20, !(0x7F..<0xA0).contains(code) else { return }
      fillRectangle(rectangle(from: 1), with: UInt32(code))
    case UInt8(ascii: "{"): wipeRectangle(rectangle(from: 0))
    case UInt8(ascii: "v"): copyRectangle()
    case UInt8(ascii: "r"): markRectangle(isReversing: false)
    case UInt8(ascii: "t"): markRectangle(isReversing: true)
    default: break
    }
  }

  /// Reads top, left, bottom and right; `nil` if they are no rectangle on the screen.
  ///
  /// With DECOM they count from the margins, the defaults too, and are clamped to them.
  private func rectangle(from first: Int, limit: Int = 4) -> Rect? {
    let isOrigin = modes.contains(.origin)
    let area = isOrigin ? margins : Rect(size)
    func value(_ index: Int, _ standard: Int, _ shift: Int) -> Int {
      let given = index < limit ? parser.value(first + index) : 0
      return (given == 0 ? standard : given) + (isOrigin ? shift : 0)
    }
    let row = max(area.row + 1, value(0, area.row + 1, top))
    let column = max(area.column + 1, value(1, area.column + 1, left))
    let endRow = min(max(value(2, area.endRow, top), area.row + 1), area.endRow)
    let endColumn = min(max(value(3, area.endColumn, left), area.column + 1), area.endColumn)
    guard row <= endRow, column <= endColumn else { return nil }
    return Rect(
      row: row - 1, column: column - 1, rows: endRow - row + 1, columns: endColumn - column + 1)
  }

  /// A blank with the look of what was there.
  func blanked(_ cell: Cell) -> Cell {
    let kept = cell.raw & (Cell.Bits.unknown | Cell.Bits.protected | 0xFFFF_0000_0000)
    return Cell(raw: kept | Cell.Bits.space)
  }

  /// Cuts a wide character that lies across a column's left edge, each half keeping its look.
  mutating func cutRectangle(_ index: Int, at column: Int) {
    guard lines[index].hasWide, column > 0, column < columns else { return }
    let place = lines[index].start + column
    guard cells[place].isRightHalf else { return }
    guard cells[place].isContinuation else {
      loseLeft(index, column, 1)
      return orphan(place, index, column)
    }
    cells[place] = blanked(cells[place])
    cells[place - 1] = blanked(cells[place - 1])
    noteCut(index, column)
    noteCut(index, column - 1)
  }

  // MARK: Filling

  /// DECERA and DECFRA: the pen's attributes and, if it has any, its colours.
  private mutating func fillRectangle(_ place: Rect?, with code: UInt32) {
    guard let place else { return }
    guard let character = Unicode.Scalar(code), CharacterWidth.of(character) == 1 else {
      // What is as wide as two columns is put into each.
      let isNothing = Unicode.Scalar(code).map { CharacterWidth.of($0) == 0 } ?? true
      return isNothing ? () : markUnknown(place)
    }
    for row in place.row..<place.endRow {
      let index = lineIndex(row)
      materialize(index)
      cutRectangle(index, at: place.column)
      cutRectangle(index, at: place.endColumn)
      for column in place.column..<place.endColumn {
        fill(lines[index].start + column, with: code)
      }
      noteChange(row, place.column, place.endColumn)
    }
  }

  private mutating func fill(_ place: Int, with code: UInt32) {
    var style = pen.style
    if options.quirks.contains(.invisibleIsBlank) { style.attributes.remove(.invisible) }
    let old = styles[cells[place].style.raw]
    var isKnown = !cells[place].isUnknown && !isPenUnknown
    if style.foreground == .standard, style.background == .standard {
      style.foreground = shownForeground(old)
      style.background = old.background
      // A direct colour is taken for an index.
      if style.foreground.raw >> 24 == 3 || style.background.raw >> 24 == 3 { isKnown = false }
      if style.attributes.contains(.bold) { style.foreground = unbrightened(style.foreground) }
    } else {
      // A colour that the cell has and the pen has not becomes none that there is.
      if style.foreground == .standard, old.foreground != .standard { isKnown = false }
      if style.background == .standard, old.background != .standard { isKnown = false }
    }
    set(place, Cell(raw: UInt64(code) | 1 << 21), style, isProtected: pen.isProtected, isKnown)
  }

  private mutating func set(
    _ place: Int, _ cell: Cell, _ style: Style, isProtected: Bool, _ isKnown: Bool
  ) {
    let number = styleNumber(style)
    var raw = cell.raw & ~(0xFFFF << 32 | Cell.Bits.protected) | UInt64(number ?? 0) << 32
    if isProtected { raw |= Cell.Bits.protected }
    if number == nil || !isKnown { raw |= Cell.Bits.unknown }
    cells[place] = Cell(raw: raw)
  }

  /// The foreground as it was stored: bold has made the first eight colours bright.
  func shownForeground(_ style: Style) -> Color {
    guard style.attributes.contains(.bold), style.foreground.raw >> 24 == 1 else {
      return style.foreground
    }
    return .ansi(UInt8(style.foreground.raw & 7) | 8)
  }

  /// The form of a colour that bold does not make bright.
  private func unbrightened(_ color: Color) -> Color {
    guard color.raw >> 24 == 1, color.raw & 15 < 8 else { return color }
    return .indexed(UInt8(color.raw & 7))
  }

  /// DECSERA: blanks that keep the look, where DECSCA does not protect.
  private mutating func wipeRectangle(_ place: Rect?) {
    guard let place else { return }
    for row in place.row..<place.endRow {
      let index = lineIndex(row)
      materialize(index)
      let start = lines[index].start
      let isSparing = protection == .selective
      if !(isSparing && cells[start + place.column].isProtected) {
        cutRectangle(index, at: place.column)
      }
      if !(isSparing && cells[start + place.endColumn - 1].isProtected) {
        cutRectangle(index, at: place.endColumn)
      }
      for column in place.column..<place.endColumn {
        let cell = cells[start + column]
        if isSparing, cell.isProtected {
          // Whether protection is respected any more is not known.
          if !isProtectionKnown { makeUnknown(row, column, column + 1) }
          continue
        }
        cells[start + column] = blanked(cell)
      }
      noteChange(row, place.column, place.endColumn)
    }
  }

  // MARK: Copying

  /// DECCRA: what does not fit at the target is cut off; a character whose half is copied is a blank.
  private mutating func copyRectangle() {
    guard let source = rectangle(from: 0) else { return }
    guard let corner = rectangle(from: 5, limit: 2) else { return }
    let area = modes.contains(.origin) ? margins : Rect(size)
    let wanted = Rect(
      row: corner.row, column: corner.column, rows: source.rows, columns: source.columns)
    let target = wanted.intersection(area)
    guard !target.isEmpty else { return }
    defer { noteOverrun(wanted) }
    let isUp = target.row <= source.row
    for step in 0..<target.rows {
      let offset = isUp ? step : target.rows - 1 - step
      copyRow(source.row + offset, source, target.row + offset, target)
    }
  }

  /// xterm marks cells behind the last column as drawn, and so changes the colours of the first ones.
  private mutating func noteOverrun(_ wanted: Rect) {
    let excess = wanted.endColumn - columns
    guard excess > 0, options.quirks.contains(.cutsAsXterm) else { return }
    for row in max(0, wanted.row)..<min(rows, wanted.endRow) {
      makeUnknown(row, 0, min(columns, excess / 2 + 1))
    }
  }

  private mutating func copyRow(_ row: Int, _ source: Rect, _ targetRow: Int, _ target: Rect) {
    let from = lineIndex(row)
    let to = lineIndex(targetRow)
    materialize(from)
    materialize(to)
    // xterm takes the whole of the source before it writes: a cut is made in the copy alone.
    let first = lines[from].start + source.column
    let start = lines[to].start + target.column
    let cutsLeft = cells[first].isContinuation
    let last = lines[from].start + source.endColumn
    let cutsRight = source.endColumn < columns && cells[last].isContinuation
    let cutsTarget = target.column > 0 && cells[start].isContinuation
    if target.column > 0, cells[start].isRightHalf, !cutsTarget { loseLeft(to, target.column, 1) }
    let end = start + target.columns
    // Half of a character is left over behind the target.
    let leavesHalf = target.endColumn < columns && cells[end].isContinuation
    cells.move(from: first, to: start, target.columns)
    if lines[from].hasWide { lines[to].hasWide = true }
    if cutsTarget {
      cells[start - 1] = blanked(cells[start - 1])
      noteCut(to, target.column - 1)
    }
    if cutsLeft { cells[start] = blanked(cells[start]) }
    if cutsRight, target.columns == source.columns { cells[end - 1] = blanked(cells[end - 1]) }
    for place in start..<end where cells[place].isErased {
      cells[place] = Cell(raw: cells[place].raw & ~Cell.Bits.erased)
    }
    noteChange(targetRow, target.column, target.endColumn)
    if leavesHalf { strand(end, to, target.endColumn) }
    // Cut off by the edge of the screen, a character has lost its right half.
    if cells[end - 1].width == 2, target.columns > 0 {
      let isWhole = target.endColumn < columns && cells[end].isContinuation
      if !isWhole { orphan(end - 1, to, target.endColumn - 1) }
    }
  }

  /// Half of a wide character is left alone there: what the terminal shows is not to be told.
  mutating func orphan(_ place: Int, _ index: Int, _ column: Int) {
    let kept = cells[place].raw & (Cell.Bits.protected | 0xFFFF_0000_0000)
    cells[place] = Cell(raw: kept | Cell.Bits.space | Cell.Bits.unknown)
    noteCut(index, column)
  }

  /// The same for a right half: what is written over it takes the cell to its left with it.
  mutating func strand(_ place: Int, _ index: Int, _ column: Int) {
    orphan(place, index, column)
    cells[place] = Cell(raw: cells[place].raw | Cell.Bits.stray)
    lines[index].hasWide = true
  }

  /// Of the cells left of what may be half a character it cannot be told whether they are erased with it.
  ///
  /// - Parameter reach: so many cells at most; xterm goes on over halves.
  mutating func loseLeft(_ index: Int, _ column: Int, _ reach: Int) {
    let start = lines[index].start
    var column = column
    var cutsLeft = false
    for _ in 0..<reach where column > 0 {
      guard cells[start + column].isRightHalf else { break }
      column -= 1
      cutsLeft = cells[start + column].isContinuation
      if cells[start + column].isRightHalf {
        strand(start + column, index, column)
      } else {
        orphan(start + column, index, column)
      }
    }
    if cutsLeft, column > 0 { orphan(start + column - 1, index, column - 1) }
  }

  // MARK: Attributes

  /// DECCARA and DECRARA: bold, underline, blink and reverse of the cells, not of their colours. Without
  /// DECSACE 2 the rows between the first and the last are changed as a whole.
  private mutating func markRectangle(isReversing: Bool) {
    guard let place = rectangle(from: 0) else { return }
    let area = modes.contains(.origin) ? margins : Rect(size)
    for row in place.row..<place.endRow {
      let from = hasExactRectangles || row == place.row ? place.column : area.column
      let to = hasExactRectangles || row == place.endRow - 1 ? place.endColumn : area.endColumn
      guard from < to else { continue }
      let index = lineIndex(row)
      materialize(index)
      for column in from..<to { mark(lines[index].start + column, isReversing) }
      // The halves of a character may differ then.
      for column in [from, to] where column > 0 && column < columns {
        guard cells[lines[index].start + column].isContinuation else { continue }
        makeUnknown(row, column - 1, column + 1)
      }
      noteChange(row, from, to)
    }
  }

  private mutating func mark(_ place: Int, _ isReversing: Bool) {
    let cell = cells[place]
    var style = styles[cell.style.raw]
    let foreground = shownForeground(style)
    var attributes = style.attributes
    for index in 4..<max(4, parser.valueCount) {
      apply(parser.value(index), to: &attributes, isReversing)
    }
    guard attributes != style.attributes else { return }
    style.foreground = attributes.contains(.bold) ? unbrightened(foreground) : foreground
    if attributes.contains(.bold), style.attributes.contains(.bold) {
      style.foreground = styles[cell.style.raw].foreground
    }
    style.attributes = attributes
    set(place, cell, style, isProtected: cell.isProtected, true)
  }

  private func apply(_ code: Int, to attributes: inout Attributes, _ isReversing: Bool) {
    let isUnderlined =
      attributes.underlineStyle == .single || attributes.contains(.singleBesideDouble)
    switch code {
    case 0 where !isReversing:
      attributes.subtract([.bold, .blink, .rapidBlink, .reverse])
      underline(false, &attributes)
    case 1:
      if isReversing { attributes.formSymmetricDifference(.bold) } else { attributes.insert(.bold) }
    case 4: underline(!(isReversing && isUnderlined), &attributes)
    case 5:
      if isReversing {
        attributes.formSymmetricDifference(.blink)
      } else {
        attributes.insert(.blink)
      }
    case 7:
      if isReversing {
        attributes.formSymmetricDifference(.reverse)
      } else {
        attributes.insert(.reverse)
      }
    case 22 where !isReversing: attributes.remove(.bold)
    case 24 where !isReversing: underline(false, &attributes)
    case 25 where !isReversing: attributes.subtract([.blink, .rapidBlink])
    case 27 where !isReversing: attributes.remove(.reverse)
    default: break
    }
  }

  /// The single underline; a double one stays.
  private func underline(_ isOn: Bool, _ attributes: inout Attributes) {
    if attributes.underlineStyle == .double {
      if isOn {
        attributes.insert(.singleBesideDouble)
      } else {
        attributes.remove(.singleBesideDouble)
      }
    } else {
      attributes.underlineStyle = isOn ? .single : .none
    }
  }
}
