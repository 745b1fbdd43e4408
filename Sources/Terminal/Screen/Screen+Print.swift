/// Prints characters of one and of two columns; wrap, insertion, repetition.
extension Screen {
  // MARK: Characters

  /// Prints one character in the current character set.
  mutating func print(_ scalar: UInt32) {
    let set = characterSets[feeding.singleShift == 0 ? characterSets.left : feeding.singleShift]
    if feeding.singleShift != 0 { endSingleShift(scalar) }
    guard let character = Unicode.Scalar(scalar) else { return }
    if scalar >= 0x80 && scalar < 0xA0 {
      // C1 controls as characters are ignored or executed, depending on the terminal.
      if isUnknownTerminal { loseCursor() }
      // As bytes in the set of GR they may be a character.
      if characterSets[characterSets.right] != .ascii {
        makeAllUnknown()
        loseCursor()
      }
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
      // xterm reads the bytes of a character in the set of GR, if that is not ASCII.
      if characterSets[characterSets.right] != .ascii {
        bits |= Cell.Bits.unknown
        loseColumn(by: UTF8.width(character) - width)
      }
    }
    guard width > 0 else {
      combine(scalar)
      return
    }
    if !options.quirks.contains(.widthsAddUp) { noteUncertainWidth(scalar) }
    if hidesText { bits = bits & Cell.Bits.unknown | 0x20 }
    put(bits, width)
    printed.isWide = width == 2
    if set == .specialGraphics, scalar == 0x5F {
      // xterm gives the blank graphic a column, but does not count it for the wrap.
      loseColumn()
    }
  }

  /// After a single shift, if the character's width differs from that of the previous one, xterm first prints another
  /// character that it has printed at some earlier time. So the rest of the row becomes uncertain, or the whole screen.
  private mutating func endSingleShift(_ scalar: UInt32) {
    setSingleShift(0)
    loseColumn(by: 2)
    let width = Unicode.Scalar(scalar).map { CharacterWidth.of($0) } ?? 1
    if options.quirks.contains(.isXterm), (width == 2) != printed.isWide {
      certainty.isCursorKnown = false
    }
    updateFastPath()
  }

  /// Puts a character, with its flags but without the pen, at the cursor.
  private mutating func put(_ bits: UInt64, _ width: Int) {
    if penState.isStale { refreshPen() }
    // A line of double width ends in the middle of the screen.
    if hasDoubleSizeLines { certainty.isCursorKnown = false }
    if !isCursorKnown { makeAllUnknown() }
    var hasWrapped = false
    if isWrapPending {
      if modes.contains(.autowrap) {
        wrap()
        hasWrapped = true
      } else if isPastLineEnd {
        return
      }
      isWrapPending = false
    }
    var limit = region.lineEnd(from: column)
    if column &+ width > limit {
      // A wide character that does not fit goes to the next line, or nowhere. As in xterm it wraps only once, and only
      // if it is right of the left margin.
      if isUnknownTerminal, !modes.contains(.autowrap) { loseCursor() }
      guard modes.contains(.autowrap), limit >= width, !hasWrapped, column > region.left else {
        return noteUnprinted()
      }
      if modes.contains(.insert), cutsAsTmux { makeRoomAtLineEnd() }
      if wrapsEarlyUncertainly(width) { markUnknown(earlyWrapPlace) }
      wrap(isEarly: true)
      hasWrapped = true
      limit = region.lineEnd(from: column)
      guard column &+ width <= limit else { return noteUnprinted() }
    }
    // tmux makes room before it wraps, and therefore not in the next line.
    let makesRoom = !options.quirks.contains(.shiftsAsTmux) || !hasWrapped
    if modes.contains(.insert), makesRoom { insertCells(width) }
    var cell = penState.bits & ~(3 << 21) | bits | UInt64(width) << 21
    if !certainty.isComplete { cell |= Cell.Bits.unknown }
    if printed.isWide != (width == 2) { printed.clear() }
    printed.isPrintingWide = width == 2
    if sparesHalves { loseLeftCell() }
    let index = prepare(row, column, column &+ width, isPrinting: true)
    printed.isPrintingWide = false
    let start = lines[index].start &+ column
    cells[start] = Cell(raw: cell)
    if width == 2 {
      lines[index].hasWide = true
      let kept = cell & (Cell.Bits.unknown | Cell.Bits.protected | 0xFFFF_FFFF_0000_0000)
      cells[start &+ 1] = Cell(raw: kept | Cell.Bits.continuation)
    }
    noteChange(row, column, column &+ width)
    if frames.redundant.isOn { noteWritten(index, column, column &+ width) }
    printed.row = row
    printed.column = column
    if isColumnUncertain {
      loseText(row, 0, writtenTo: column &+ width &+ certainty.columnExcess)
      noteEarlyWrap(column &+ width)
    }
    column &+= width
    if column >= limit {
      column = limit &- 1
      let mayPassLineEnd = options.quirks.contains(.cursorPastLineEnd)
      isWrapPending = !mayPassLineEnd || modes.contains(.autowrap)
    }
    printed.set(Cell(raw: cell))
  }

  /// Notes a character that does not fit at the cursor's column, but may fit where the terminal's cursor may be.
  private mutating func noteUnprinted() {
    if isColumnUncertain { makeUnknown(row, 0, columns) }
  }

  /// Whether protected halves are spared, as in xterm.
  var sparesHalves: Bool { protection != .none && options.quirks.contains(.isXterm) }

  /// An unknown cell may be a half that was spared: overwriting it changes the cell to its left too.
  private mutating func loseLeftCell() {
    let old = cell(row: row, column: column)
    guard column > 0, old.isUnknown, !old.isUnseen else { return }
    makeUnknown(row, column - 1, column)
  }

  /// Prepares cells of a line for writing: fills the gap before them and cuts wide characters.
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

  /// Blanks the remaining halves of wide characters that are cut when the cells between are overwritten.
  mutating func cutWide(_ index: Int, _ from: Int, _ to: Int, isPrinting: Bool = false) {
    if cutsAsTmux {
      return cutWideAsTmux(index, from, to, isPrinting: isPrinting)
    }
    let line = lines[index]
    let used = Int(line.used)
    if from > 0, from < used, cells[line.start + from].isRightHalf {
      if cells[line.start + from].isContinuation {
        if isUnknownTerminal {
          noteHalf(index, from - 1, isPrinting: isPrinting)
        } else {
          cutHalf(index, from - 1, keepsLook: isPrinting && from == lineSize &- 1)
        }
      } else {
        // If xterm writes several characters as one run, it looks only at the ends of the run. How many it writes at
        // once depends on its reads, so the cell to the left of the half may or may not be gone.
        loseLeft(index, from, isPrinting ? columns : 1)
      }
    }
    if isUnknownTerminal {
      noteRight(index, to, isPrinting: isPrinting)
    } else if to < used, to > 0, cells[line.start + to].isRightHalf {
      cutHalf(index, to, keepsLook: false, isWidePrinted: isPrinting && printed.isPrintingWide)
    }
  }

  /// Blanks the remaining half of a wide character.
  ///
  /// - Parameters:
  ///   - keepsLook: whether it was cut in the last column, where the other half keeps its look in xterm.
  ///   - isWidePrinted: whether it is after a printed wide character, where xterm keeps no half, not even a protected
  ///     one.
  private mutating func cutHalf(
    _ index: Int, _ column: Int, keepsLook: Bool, isWidePrinted: Bool = false
  ) {
    let place = lines[index].start + column
    let isXterm = options.quirks.contains(.isXterm)
    let isSpared = isXterm && protection != .none && cells[place].isProtected
    if cells[place].isUnknown {
      // We do not know whether it is half of anything either.
      if isSpared, cells[place].isRightHalf, !isWidePrinted {
        strand(place, index, column)
      } else {
        orphan(place, index, column)
      }
    } else if isSpared, isWidePrinted {
      // It keeps the accents of the character.
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

  /// The remains of a wide character that was cut.
  mutating func cutCell() -> Cell {
    if options.quirks.contains(.erasesBackgroundOnly) { return Cell(" ") }
    if penState.isEraseStale { refreshErase() }
    return penState.eraseCell
  }

  mutating func noteCut(_ index: Int, _ column: Int) {
    noteChange(row(of: index), column, column + 1)
  }

  /// The row in which a line of the ring is shown.
  func row(of index: Int) -> Int { lines.row(of: index) }

  // MARK: Wrap

  /// Moves to the next line, as a character does when the wrap is pending.
  ///
  /// - Parameter isEarly: whether the character does not fit while the wrap is not pending.
  mutating func wrap(isEarly: Bool = false) {
    isWrapPending = false
    let line = lineIndex(row)
    lines[line].isWrapped = true
    lines[line].mayGoOn = true
    lines[line].goesOn = true
    let mayStay = isEarly ? modes.contains(.insert) : isUnknownTerminal && mayStayInLine
    let isUncertain = isColumnUncertain || (isUnknownTerminal && mayStay)
    if isUncertain, !scrollsLines { certainty.isCursorKnown = false }
    let scrolls = scrollsLines
    index()
    if scrolls, options.quirks.contains(.wrapsInDefaultColor) {
      lines[lineIndex(row)].blank = .erased()
    }
    column = region.left
    guard isUncertain else { return }
    // Wrapped or not, the cursor is in the last row: only the rows that scroll are uncertain.
    if isCursorKnown {
      loseColumn(by: columns)
      loseRows()
    }
    updateFastPath()
  }

  /// Notes that the rows between the margins may or may not have scrolled.
  mutating func loseRows() {
    loseColumn()
    for row in region.top...region.bottom { makeLineUnknown(row) }
  }

  /// Moves the cursor down; at the bottom margin the region scrolls up (IND).
  @inline(__always) mutating func index() {
    isWrapPending = false
    if !isCursorKnown { makeAllUnknown() }
    if row == region.bottom {
      if region.containsColumn(column) { scrollUp(1) }
      if isColumnUncertain { noteUncertainScroll() }
    } else if row < rows &- 1 {
      row &+= 1
    }
  }

  /// Notes that the region may or may not have scrolled, because the cursor may have been between the side margins.
  mutating func noteUncertainScroll() {
    if !region.isFullWidth { markUnknown(margins) }
  }

  // MARK: REP

  /// Prints the last character again (REP, ECMA-48 section 8.3.103).
  ///
  /// - Parameter last: the character, as it was before REP.
  mutating func repeatLast(_ last: PrintedCharacter, _ count: Int) {
    guard last.isRepeatable else { return }
    let cell = last.cell
    // Terminals differ in whether, and how much of, a cluster is repeated.
    if cell.isCluster { certainty.isCursorKnown = false }
    let count = repetitions(of: cell, count)
    let kept: UInt64 = 0x1F_FFFF | 3 << 28 | Cell.Bits.unknown | Cell.Bits.cluster
    let width = max(1, cell.width)
    let perLine = max(1, region.width / width)
    // Beyond the size of the screen only the position in the last line matters.
    let limit = (rows + 2) * max(perLine, columns)
    let needed = count <= limit ? count : limit + (count - limit) % perLine
    // xterm maps an already mapped character again, in the set of GR; this changes the British set.
    let isMappedAgain =
      needed > 1 && cell.characterSet != .ascii && characterSets[characterSets.right] != .ascii
    for number in 0..<needed {
      let isUnknown = isMappedAgain && number > 0
      put(cell.raw & kept | (isUnknown ? Cell.Bits.unknown : 0), width)
    }
    printed.clear()
    updateFastPath()
  }

  /// How many times REP prints a character again.
  func repetitions(of cell: Cell, _ count: Int) -> Int {
    guard options.quirks.contains(.repeatStaysInLine) else { return count }
    return isWrapPending ? 0 : min(count, (columns - column) / max(1, cell.width))
  }

  // MARK: Which characters

  /// After parts of a flag and after skin tones the following columns are uncertain.
  mutating func noteUncertainWidth(_ scalar: UInt32) {
    guard scalar >= 0x1F1E6 else { return }
    guard scalar <= 0x1F1FF || (0x1F3FB...0x1F3FF).contains(scalar) else { return }
    loseColumn(by: scalar <= 0x1F1FF ? 1 : 0)
  }

  /// The Unicode character of a DEC special graphic (VT100 manual, table 3-9).
  static func graphic(_ code: UInt32) -> Unicode.Scalar {
    let graphics: StaticString = "\u{A0}◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"
    guard code >= 0x5F, code <= 0x7E else { return Unicode.Scalar(code) ?? " " }
    let scalars = graphics.description.unicodeScalars
    return scalars[scalars.index(scalars.startIndex, offsetBy: Int(code - 0x5F))]
  }
}
