/// The pen: style numbers, and whether printing can take the fast path.
extension Screen {
  /// Determines whether printing can take the fast path.
  mutating func updateFastPath() {
    if isCursorKnown { certainty.isAllUnknown = false }
    feeding.isPlain =
      modes.contains(.autowrap) && !modes.contains(.insert) && feeding.singleShift == 0
      && characterSets.current == .ascii && certainty.isComplete && !hidesText && !sparesHalves
  }

  /// Whether the terminal stores blanks instead of what is printed.
  var hidesText: Bool {
    options.quirks.contains(.invisibleIsBlank) && pen.style.attributes.contains(.invisible)
  }

  /// The same for an unknown pen.
  var mayHideText: Bool {
    isPenUnknown && options.quirks.contains(.invisibleIsBlank)
  }

  /// For a hidden wide character xterm writes one blank and moves over two columns, and characters that came in the
  /// same read become blanks too. Where that ends is unknown.
  mutating func noteHidden(_ width: Int) {
    guard width == 2 else { return }
    makeUnknown(row, 0, columns)
    loseColumn()
  }

  mutating func setSingleShift(_ set: Int) {
    guard feeding.singleShift != set else { return }
    feeding.singleShift = set
    updateFastPath()
  }

  mutating func setStale() {
    penState.isStale = true
    penState.isEraseStale = true
  }

  /// Looks up the number of the pen's style.
  mutating func refreshPen() {
    penState.isStale = false
    var style = pen.style
    if hidesText { style.attributes.remove(.invisible) }
    let number = styleNumber(style)
    penState.bits = 1 << 21 | UInt64(number ?? 0) << 32 | UInt64(pen.link) << 48
    if pen.isProtected { penState.bits |= Cell.Bits.protected }
    if number == nil { penState.bits |= Cell.Bits.unknown }
  }

  /// Looks up the style number of erased cells: the pen's colors without its attributes.
  mutating func refreshErase() {
    penState.isEraseStale = false
    var style = Style(foreground: pen.style.foreground, background: pen.style.background)
    if options.quirks.contains(.isXterm) { style.foreground = shownForeground(pen.style) }
    if options.quirks.contains(.erasesBackgroundOnly) { style.foreground = .standard }
    if let number = styleNumber(style), !isPenUnknown {
      penState.eraseCell = .erased(style: StyleID(number))
    } else {
      penState.eraseCell = .unknown
    }
  }

  /// The foreground as the terminal stored it: bold has made the first eight colors bright.
  func shownForeground(_ style: Style) -> Color {
    guard style.attributes.contains(.bold), style.foreground.raw >> 24 == 1 else {
      return style.foreground
    }
    return .ansi(UInt8(style.foreground.raw & 7) | 8)
  }

  mutating func styleNumber(_ style: Style) -> UInt16? {
    if style == .plain { return 0 }
    if let number = tables.styles.number(of: style) { return number }
    guard tables.styles.beginCollection() else { return nil }
    forEachCell { screen, cell in screen.tables.styles.mark(cell.style.raw) }
    tables.styles.mark(penState.eraseCell.style.raw)
    tables.styles.mark(printed.cell.style.raw)
    tables.styles.mark(UInt16(truncatingIfNeeded: penState.bits >> 32))
    tables.styles.endCollection()
    return tables.styles.number(of: style)
  }

  /// Calls `body` for the cells of both screens and of the lines above, and for the blanks of their lines.
  func forEachCell(_ body: (borrowing Screen, Cell) -> Void) {
    for index in 0..<lines.count {
      let line = lines[index]
      body(self, line.blank)
      for column in 0..<Int(line.used) { body(self, cells[line.start + column]) }
    }
    for place in 0..<frames.redundant.picture.count { body(self, frames.redundant.picture[place]) }
    for line in suspended?.lines ?? [] {
      body(self, line.blank)
      for cell in line.cells { body(self, cell) }
    }
  }
}
