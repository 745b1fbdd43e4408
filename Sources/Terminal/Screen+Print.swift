/// Printing: runs of ASCII, wide and combining characters, wrap, insertion, repetition.
extension Screen {
  /// A cluster has at most so many scalars; with more the cell becomes unknown.
  static let clusterLimit = 8

  // MARK: Runs of ASCII

  /// Prints a run of 0x20–0x7E.
  ///
  /// - Returns: how many were printed; fewer than all if the next one would move covered cells.
  @inline(__always) mutating func printRun(_ bytes: ByteView, _ start: Int, _ length: Int) -> Int {
    guard isPlain else { return printSlowRun(bytes, start, length) }
    if isPenStale { refreshPen() }
    if isLastWide { repeatable = .clear }
    var done = 0
    while done < length {
      if isWrapPending {
        if hasStops, wrapWouldMove() { return done }
        wrap()
        // The wrap was in doubt.
        if !isPlain {
          return done &+ printSlowRun(bytes, start &+ done, length &- done)
        }
      }
      let limit = column <= right ? right &+ 1 : columns
      let count = min(limit &- column, length &- done)
      writeRun(bytes, start &+ done, count)
      done &+= count
      column &+= count
      if column == limit {
        column = limit &- 1
        isWrapPending = true
      }
    }
    if length > 0 {
      isLastWide = false
      repeatable = Cell(raw: penBits | UInt64(bytes[start &+ length &- 1]))
    }
    return done
  }

  @inline(__always) private mutating func writeRun(
    _ bytes: ByteView, _ start: Int, _ count: Int
  ) {
    let index = lineIndex(row)
    let line = lines[index]
    let used = Int(line.used)
    let end = column &+ count
    if column > used { cells.fill(line.start &+ used, column &- used, with: line.blank) }
    if line.hasWide {
      if hasHalf(line.start, column &+ 1, end) { return writeApart(bytes, start, count) }
      cutWide(index, column, end, isPrinting: true)
    }
    writeCells(bytes, start, count, at: line.start &+ column)
    if end > used { lines[index].used = Int32(truncatingIfNeeded: end) }
    noteChange(row, column, end)
    if countsRewrites { noteWritten(index, column, end) }
    lastRow = row
    lastColumn = end &- 1
  }

  /// Whether half a character may lie alone among these cells, or will when its other half is overwritten.
  private func hasHalf(_ start: Int, _ from: Int, _ end: Int) -> Bool {
    let sparesHalves = protection != .none && options.quirks.contains(.cutsAsXterm)
    for column in from..<max(from, end) {
      let cell = cells[start &+ column]
      guard cell.isRightHalf else { continue }
      if !cell.isContinuation || (sparesHalves && cell.isProtected) { return true }
    }
    return false
  }

  /// Writes one character after the other: whether xterm writes them as one depends on its reads.
  private mutating func writeApart(_ bytes: ByteView, _ start: Int, _ count: Int) {
    for offset in 0..<count {
      let column = column + offset
      let index = prepare(row, column, column + 1, isPrinting: true)
      cells[lines[index].start + column] = Cell(raw: penBits | UInt64(bytes[start + offset]))
    }
    noteChange(row, column, column + count)
    lastRow = row
    lastColumn = column + count - 1
    if countsRewrites { noteWritten(lineIndex(row), column, column + count) }
  }

  /// Makes cells of bytes of ASCII, in blocks of eight.
  @inline(__always) private func writeCells(
    _ bytes: ByteView, _ start: Int, _ count: Int, at target: Int
  ) {
    let bits = penBits
    var offset = 0
    guard start &+ count &+ 7 < bytes.count else {
      while offset < count {
        cells[target &+ offset] = Cell(raw: bits | UInt64(bytes[start &+ offset]))
        offset &+= 1
      }
      return
    }
    while offset &+ 8 <= count {
      cells.store(bytes.word(at: start &+ offset), bits, at: target &+ offset)
      offset &+= 8
    }
    if offset == count { return }
    cells.store(
      bytes.word(at: start &+ offset), bits, at: target &+ offset, first: count &- offset)
  }

  private mutating func printSlowRun(_ bytes: ByteView, _ start: Int, _ length: Int) -> Int {
    for offset in 0..<length {
      let scalar = UInt32(bytes[start + offset])
      if hasStops, characterWouldMove(scalar) { return offset }
      print(scalar)
      if isPlain {
        // Only the first character was special: the rest goes the fast way.
        return offset + 1 + printRun(bytes, start + offset + 1, length - offset - 1)
      }
    }
    return length
  }

  // MARK: Characters

  /// Prints one character, with the character set in use.
  mutating func print(_ scalar: UInt32) {
    let set = characterSets[singleShift == 0 ? characterSets.left : singleShift]
    if singleShift != 0 { endSingleShift(scalar) }
    guard let character = Unicode.Scalar(scalar) else { return }
    if scalar >= 0x80 && scalar < 0xA0 {
      // C1 controls as characters are ignored, or carried out.
      if isUnmeasured { loseCursor() }
      return
    }
    var bits = UInt64(scalar)
    var width = 1
    defer { if hidesText || mayHideText { noteHidden(width) } }
    if scalar < 0x80 {
      switch set {
      case .ascii: break
      case .specialGraphics:
        bits |= UInt64(set.rawValue) << 28
        if scalar == 0x5F { bits |= Cell.Bits.unknown }
      case .unitedKingdom where scalar == 0x23 || options.quirks.contains(.britishIsLatin1):
        bits |= UInt64(set.rawValue) << 28
      case .other: bits |= UInt64(set.rawValue) << 28 | Cell.Bits.unknown
      default: break
      }
    } else {
      width = CharacterWidth.of(character)
      // xterm reads the bytes of a character in the set of GR, if that is another than ASCII.
      if characterSets[characterSets.right] != .ascii {
        bits |= Cell.Bits.unknown
        isColumnDoubtful = true
        updateFastPath()
      }
    }
    guard width > 0 else {
      combine(scalar)
      return
    }
    if !options.quirks.contains(.widthsAddUp) { noteDoubtful(scalar) }
    if hidesText { bits = bits & Cell.Bits.unknown | 0x20 }
    put(bits, width)
    isLastWide = width == 2
    if set == .specialGraphics, scalar == 0x5F {
      // xterm gives the blank graphic a column, but does not count it for the wrap.
      isColumnDoubtful = true
      updateFastPath()
    }
  }

  /// After a single shift xterm first prints, if the character is of another width than the one before,
  /// another one that it printed at some time. So the row is left open, or all of the screen.
  private mutating func endSingleShift(_ scalar: UInt32) {
    setSingleShift(0)
    isColumnDoubtful = true
    let width = Unicode.Scalar(scalar).map { CharacterWidth.of($0) } ?? 1
    if options.quirks.contains(.cutsAsXterm), (width == 2) != isLastWide { isCursorKnown = false }
    updateFastPath()
  }

  /// Puts a character with its flags, but without pen, at the cursor.
  private mutating func put(_ bits: UInt64, _ width: Int) {
    if isPenStale { refreshPen() }
    // A line of double width ends in the middle of the screen.
    if hasDoubleSizeLines { isCursorKnown = false }
    if !isCursorKnown { makeAllUnknown() }
    var hasWrapped = false
    if isWrapPending {
      if modes.contains(.autowrap) {
        wrap()
        hasWrapped = true
      } else if isBehindLine {
        return
      }
      isWrapPending = false
    }
    var limit = column <= right ? right &+ 1 : columns
    if column &+ width > limit {
      // A wide character that does not fit: the next line, or nowhere. As in xterm it wraps once, and
      // only from right of the left margin.
      if isUnmeasured, !modes.contains(.autowrap) { loseCursor() }
      guard modes.contains(.autowrap), limit >= width, !hasWrapped, column > left else { return }
      wrap()
      hasWrapped = true
      limit = column <= right ? right &+ 1 : columns
      guard column &+ width <= limit else { return }
    }
    // tmux makes room before it wraps, and so not in the next line.
    let makesRoom = !options.quirks.contains(.shiftsAsTmux) || !hasWrapped
    if modes.contains(.insert), makesRoom { insertCells(width) }
    var cell = penBits & ~(3 << 21) | bits | UInt64(width) << 21
    if isOutOfSight { cell |= Cell.Bits.unknown }
    if isLastWide != (width == 2) { repeatable = .clear }
    isPrintingWide = width == 2
    let index = prepare(row, column, column &+ width, isPrinting: true)
    isPrintingWide = false
    let start = lines[index].start &+ column
    cells[start] = Cell(raw: cell)
    if width == 2 {
      lines[index].hasWide = true
      let kept = cell & (Cell.Bits.unknown | Cell.Bits.protected | 0xFFFF_FFFF_0000_0000)
      cells[start &+ 1] = Cell(raw: kept | Cell.Bits.continuation)
    }
    noteChange(row, column, column &+ width)
    if countsRewrites { noteWritten(index, column, column &+ width) }
    lastRow = row
    lastColumn = column
    if isColumnDoubtful { makeUnknown(row, 0, columns) }
    column &+= width
    if column >= limit {
      column = limit &- 1
      let isBehind = options.quirks.contains(.cursorBehindLine)
      isWrapPending = !isBehind || modes.contains(.autowrap)
    }
    repeatable = Cell(raw: cell)
  }

  /// Readies cells of a line for being written: fills the gap before them and cuts wide characters.
  @inline(__always) mutating func prepare(
    _ row: Int, _ from: Int, _ to: Int, isPrinting: Bool = false
  ) -> Int {
    let index = lineIndex(row)
    let line = lines[index]
    let used = Int(line.used)
    if from > used { cells.fill(line.start &+ used, from &- used, with: line.blank) }
    if line.hasWide { cutWide(index, from, to, isPrinting: isPrinting) }
    if to > used { lines[index].used = Int32(truncatingIfNeeded: to) }
    return index
  }

  /// Blanks the halves that remain of wide characters when the cells between are overwritten.
  mutating func cutWide(_ index: Int, _ from: Int, _ to: Int, isPrinting: Bool = false) {
    let line = lines[index]
    let used = Int(line.used)
    if from > 0, from < used, cells[line.start + from].isRightHalf {
      if cells[line.start + from].isContinuation {
        cutHalf(index, from - 1, keepsLook: isPrinting && from == lineSize &- 1)
      } else {
        // Where xterm writes several characters as one it looks only at their ends. How many it does
        // depends on its reads, so that what lies left of the half may be gone or not.
        loseLeft(index, from, isPrinting ? columns : 1)
      }
    }
    if to < used, to > 0, cells[line.start + to].isRightHalf {
      cutHalf(index, to, keepsLook: false, isWidePrinted: isPrinting && isPrintingWide)
    }
  }

  /// Blanks the half that is left of a wide character.
  ///
  /// - Parameters:
  ///   - keepsLook: it was cut in the last column, where xterm leaves the other half its look.
  ///   - isWidePrinted: it lies behind a wide character that was printed: there xterm keeps no half, be it
  ///     protected.
  private mutating func cutHalf(
    _ index: Int, _ column: Int, keepsLook: Bool, isWidePrinted: Bool = false
  ) {
    let place = lines[index].start + column
    let isXterm = options.quirks.contains(.cutsAsXterm)
    let isSpared = isXterm && protection != .none && cells[place].isProtected
    if cells[place].isUnknown {
      // Whether it is half of anything there is not known either.
      if isSpared, cells[place].isRightHalf, !isWidePrinted {
        strand(place, index, column)
      } else {
        orphan(place, index, column)
      }
    } else if isSpared, isWidePrinted {
      // With it lie the accents of the character.
      let hasAccents = column > 0 && cells[place - 1].isCluster
      cells[place] = hasAccents ? blanked(cells[place]).unknown : blanked(cells[place])
      noteCut(index, column)
    } else if isSpared {
      if cells[place].isContinuation {
        strand(place, index, column)
      } else {
        orphan(place, index, column)
      }
    } else {
      cells[place] = isXterm && keepsLook ? blanked(cells[place]) : cutCell()
      noteCut(index, column)
    }
  }

  /// What is left of a wide character that was cut.
  mutating func cutCell() -> Cell {
    if options.quirks.contains(.erasesBackgroundOnly) { return Cell(" ") }
    if isEraseStale { refreshErase() }
    return eraseCell
  }

  mutating func noteCut(_ index: Int, _ column: Int) {
    noteChange(row(of: index), column, column + 1)
  }

  /// The row in which a line of the ring is shown.
  func row(of index: Int) -> Int {
    let row = index - lineBase - ringTop
    return row < 0 ? row + rows : row
  }

  // MARK: Wrap

  /// Goes on in the next line, as a character does that finds the wrap pending.
  mutating func wrap() {
    isWrapPending = false
    lines[lineIndex(row)].isWrapped = true
    let isDoubtful = isColumnDoubtful || (isUnmeasured && mayStayInLine)
    if isDoubtful, !scrollsWhole { isCursorKnown = false }
    index()
    column = left
    guard isDoubtful else { return }
    // Wrapped or not, the cursor is in the last row: only what the rows show is in doubt.
    if isCursorKnown { doubtRows() }
    updateFastPath()
  }

  private mutating func doubtRows() {
    isColumnDoubtful = true
    isAllUnknown = false
    makeAllUnknown()
    isAllUnknown = false
  }

  /// The cursor goes down; at the bottom margin the region scrolls up (IND).
  @inline(__always) mutating func index() {
    isWrapPending = false
    if !isCursorKnown { makeAllUnknown() }
    if row == bottom {
      if column >= left && column <= right { scrollUp(1) }
      if isColumnDoubtful { noteDoubtfulScroll() }
    } else if row < rows &- 1 {
      row &+= 1
    }
  }

  /// Whether the cursor was between the side margins, so that the region has scrolled, is in doubt.
  mutating func noteDoubtfulScroll() {
    if left > 0 || right < columns - 1 { markUnknown(margins) }
  }

  // MARK: Combining characters

  /// Adds a character without a column to the one before the cursor.
  mutating func combine(_ scalar: UInt32) {
    if isPenStale { refreshPen() }
    var target = isWrapPending ? column : column - 1
    // With nothing to its left it has no place: where the terminal puts it cannot be told.
    guard target >= 0 else {
      makeUnknown(row, 0, min(2, columns))
      return
    }
    if cell(row: row, column: target).isContinuation, target > 0 { target -= 1 }
    if options.quirks.contains(.cutsAsXterm), row != lastRow || target != lastColumn {
      // xterm adds to the character that it wrote last, or if it has moved since to that under the
      // cursor; which of the two cannot be told here.
      makeUnknown(row, column, column + 1)
      let isThere = lastRow < rows && lastColumn < columns
      if isThere { makeUnknown(lastRow, lastColumn, lastColumn + 1) }
      repeatable = .clear
    }
    let old = cell(row: row, column: target)
    let width = max(1, old.width)
    // Beside it nothing is cut.
    var line = lineIndex(row)
    if target + width > Int(lines[line].used) { line = prepare(row, target, target + width) }
    let start = lines[line].start + target
    noteChange(row, target, target + width)
    // It was counted without its accent.
    if countsRewrites, row == lastRow, target == lastColumn {
      noteWritten(line, target, target + width, -1)
    }
    // xterm adds to the cell that was written last, others to the one before the cursor.
    var cell = lastPrinted.isClear ? old.unknown : old
    if let number = clusterNumber(of: cell, with: scalar) {
      cell = Cell(
        raw: (cell.raw & ~(0x1F_FFFF | Cell.Bits.erased)) | UInt64(number) | Cell.Bits.cluster)
    } else {
      cell = cell.unknown
    }
    cells[start] = cell
    if !lastPrinted.isClear {
      repeatable = Cell(raw: cell.raw | repeatable.raw & Screen.closed)
    }
    if width == 2 { restoreContinuation(start + 1, of: cell) }
    if countsRewrites { noteWritten(line, target, target + width) }
    if !options.quirks.contains(.widthsAddUp), Screen.changesWidth(scalar) {
      // A joiner or an emoji selector: terminals differ in the columns that follow.
      isColumnDoubtful = true
      makeUnknown(row, target, columns)
      updateFastPath()
    }
  }

  private func restoreContinuation(_ place: Int, of cell: Cell) {
    let kept = cell.raw & (Cell.Bits.unknown | Cell.Bits.protected | 0xFFFF_FFFF_0000_0000)
    cells[place] = Cell(raw: kept | Cell.Bits.continuation)
  }

  private mutating func clusterNumber(of cell: Cell, with scalar: UInt32) -> UInt16? {
    if cell.isCluster {
      var length = 2
      var link = clusters[UInt16(truncatingIfNeeded: cell.scalarValue)]
      while link.followsCluster {
        length += 1
        link = clusters[UInt16(truncatingIfNeeded: link.base)]
      }
      if length >= Screen.clusterLimit { return nil }
    }
    let link = ClusterLink(base: cell.scalarValue, isCluster: cell.isCluster, scalar: scalar)
    if let number = clusters.number(of: link) { return number }
    guard clusters.beginCollection() else { return nil }
    if cell.isCluster { markCluster(UInt16(truncatingIfNeeded: cell.scalarValue)) }
    forEachCell { screen, cell in
      if cell.isCluster { screen.markCluster(UInt16(truncatingIfNeeded: cell.scalarValue)) }
    }
    clusters.endCollection()
    return clusters.number(of: link)
  }

  private func markCluster(_ first: UInt16) {
    var number = first
    while !clusters.isMarked(number) {
      clusters.mark(number)
      guard clusters[number].followsCluster else { return }
      number = UInt16(truncatingIfNeeded: clusters[number].base)
    }
  }

  /// After these the columns that follow are in doubt: parts of a flag, and skin tones.
  private mutating func noteDoubtful(_ scalar: UInt32) {
    guard scalar >= 0x1F1E6 else { return }
    guard scalar <= 0x1F1FF || (0x1F3FB...0x1F3FF).contains(scalar) else { return }
    isColumnDoubtful = true
    updateFastPath()
  }

  // MARK: REP

  /// Prints the last character again (REP, ECMA-48 section 8.3.103).
  ///
  /// - Parameter cell: the last printed one; clear if something else came since.
  mutating func repeatLast(_ cell: Cell, _ count: Int) {
    guard !cell.isClear, cell.raw & Screen.closed == 0 else { return }
    // Whether a cluster is repeated, or what of it, differs.
    if cell.isCluster { isCursorKnown = false }
    let count = repetitions(of: cell, count)
    let kept: UInt64 = 0x1F_FFFF | 3 << 28 | Cell.Bits.unknown | Cell.Bits.cluster
    let width = max(1, cell.width)
    let perLine = max(1, (right - left + 1) / width)
    // Beyond what the screen holds only the place in the last line counts.
    let limit = (rows + 2) * max(perLine, columns)
    let needed = count <= limit ? count : limit + (count - limit) % perLine
    // xterm maps what it has mapped once more, in the set of GR: the British set is left by that.
    let isMappedAgain =
      needed > 1 && cell.characterSet != .ascii && characterSets[characterSets.right] != .ascii
    for number in 0..<needed {
      let isUnknown = isMappedAgain && number > 0
      put(cell.raw & kept | (isUnknown ? Cell.Bits.unknown : 0), width)
    }
    repeatable = .clear
    updateFastPath()
  }

  /// How often REP prints a character again.
  func repetitions(of cell: Cell, _ count: Int) -> Int {
    guard options.quirks.contains(.repeatStaysInLine) else { return count }
    return isWrapPending ? 0 : min(count, (columns - column) / max(1, cell.width))
  }

  // MARK: Pen

  /// Whether what is printed now cannot be known.
  var isOutOfSight: Bool {
    isPenUnknown || isLinkUnknown || !isCursorKnown || isColumnDoubtful || hasDoubleSizeLines
      || isVT52 || awaitsResize || hasNationalSets
  }

  /// Works out whether printing can take the fast way.
  mutating func updateFastPath() {
    if isCursorKnown { isAllUnknown = false }
    isPlain =
      modes.contains(.autowrap) && !modes.contains(.insert) && singleShift == 0
      && characterSets.current == .ascii && !isOutOfSight && !hidesText
  }

  /// Whether the terminal keeps blanks instead of what is printed.
  var hidesText: Bool {
    options.quirks.contains(.invisibleIsBlank) && pen.style.attributes.contains(.invisible)
  }

  /// The same for a pen of which nothing is known.
  private var mayHideText: Bool {
    isPenUnknown && options.quirks.contains(.invisibleIsBlank)
  }

  /// Of a wide character xterm writes one blank and steps over two columns, and what came with it in
  /// the same read becomes blanks too: where that ends cannot be told.
  private mutating func noteHidden(_ width: Int) {
    guard width == 2 else { return }
    isColumnDoubtful = true
    makeUnknown(row, 0, columns)
    updateFastPath()
  }

  mutating func setSingleShift(_ set: Int) {
    guard singleShift != set else { return }
    singleShift = set
    updateFastPath()
  }

  mutating func setStale() {
    isPenStale = true
    isEraseStale = true
  }

  /// Numbers the pen's style anew.
  mutating func refreshPen() {
    isPenStale = false
    var style = pen.style
    if hidesText { style.attributes.remove(.invisible) }
    let number = styleNumber(style)
    penBits = 1 << 21 | UInt64(number ?? 0) << 32 | UInt64(pen.link) << 48
    if pen.isProtected { penBits |= Cell.Bits.protected }
    if number == nil { penBits |= Cell.Bits.unknown }
  }

  /// Numbers the style of erased cells anew: the pen's colours without its attributes.
  mutating func refreshErase() {
    isEraseStale = false
    var style = Style(foreground: pen.style.foreground, background: pen.style.background)
    if options.quirks.contains(.cutsAsXterm) { style.foreground = shownForeground(pen.style) }
    if options.quirks.contains(.erasesBackgroundOnly) { style.foreground = .standard }
    if let number = styleNumber(style), !isPenUnknown {
      eraseCell = .erased(style: StyleID(number))
    } else {
      eraseCell = .unknown
    }
  }

  mutating func styleNumber(_ style: Style) -> UInt16? {
    if style == .plain { return 0 }
    if let number = styles.number(of: style) { return number }
    guard styles.beginCollection() else { return nil }
    forEachCell { screen, cell in screen.styles.mark(cell.style.raw) }
    styles.mark(eraseCell.style.raw)
    styles.mark(repeatable.style.raw)
    styles.mark(UInt16(truncatingIfNeeded: penBits >> 32))
    styles.endCollection()
    return styles.number(of: style)
  }

  /// Goes through the cells of both screens and the blanks of their lines.
  func forEachCell(_ body: (borrowing Screen, Cell) -> Void) {
    for index in 0..<rows * 2 {
      let line = lines[index]
      body(self, line.blank)
      for column in 0..<Int(line.used) { body(self, cells[line.start + column]) }
    }
    for place in 0..<picture.count { body(self, picture[place]) }
  }

  /// The Unicode character of a DEC special graphic (VT100 manual, table 3-9).
  static func graphic(_ code: UInt32) -> Unicode.Scalar {
    let graphics: StaticString = "\u{A0}◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"
    guard code >= 0x5F, code <= 0x7E else { return Unicode.Scalar(code) ?? " " }
    let scalars = graphics.description.unicodeScalars
    return scalars[scalars.index(scalars.startIndex, offsetBy: Int(code - 0x5F))]
  }
}
