/// Dispatches control characters, escape sequences and control sequences.
extension Screen {
  // MARK: C0

  /// Executes a control character (ECMA-48 section 8.3; those without effect here are ignored).
  @inline(__always) mutating func execute(_ byte: UInt8) {
    printed.clear()
    switch byte {
    case 0x0A, 0x0B, 0x0C: lineFeed()
    case 0x0D: carriageReturn()
    default: executeRare(byte)
    }
  }

  private mutating func executeRare(_ byte: UInt8) {
    switch byte {
    case 0x08: backspace()
    case 0x09: moveToTab(1)
    case 0x0E: useLeft(1)
    case 0x0F: useLeft(0)
    default: break
    }
  }

  @inline(__always) mutating func lineFeed() {
    let wasPending = isWrapPending
    index()
    if modes.contains(.newLine) {
      let before = column + (isColumnUncertain ? certainty.columnExcess : 0)
      carriageReturn()
      if isUnknownTerminal { loseColumn(by: before) }
    }
    if wasPending, options.quirks.contains(.lineFeedKeepsWrap) { isWrapPending = true }
  }

  @inline(__always) mutating func carriageReturn() {
    // To the left margin, or from a column left of it to the first column.
    column = column >= region.left || modes.contains(.origin) ? region.left : 0
    isWrapPending = false
    if isColumnUncertain { settleColumn() }
  }

  // MARK: ESC

  /// Executes an escape sequence.
  mutating func dispatchEscape(_ final: UInt8) {
    printed.clear()
    guard !parser.hasTooManyIntermediates, parser.intermediates <= 0xFF else { return }
    if hasTwoSets, isShiftOrSet(final) { return }
    switch (UInt8(truncatingIfNeeded: parser.intermediates), final) {
    case (0, UInt8(ascii: "7")): saveCursor()
    case (0, UInt8(ascii: "8")): restoreCursor()
    case (0, UInt8(ascii: "D")):
      let wasPending = isWrapPending
      index()
      if wasPending, options.quirks.contains(.lineFeedKeepsWrap) { isWrapPending = true }
    case (0, UInt8(ascii: "E")):
      index()
      carriageReturn()
    case (0, UInt8(ascii: "H")): setTab(true)
    case (0, UInt8(ascii: "M")): reverseIndex()
    case (0, UInt8(ascii: "N")): setSingleShift(2)
    case (0, UInt8(ascii: "O")): setSingleShift(3)
    case (0, UInt8(ascii: "V")): protect(true, .always)
    case (0, UInt8(ascii: "W")): endProtection()
    case (0, UInt8(ascii: "c")): reset()
    case (0, UInt8(ascii: "<")): leaveVT52()
    case (0, UInt8(ascii: "n")): useLeft(2)
    case (0, UInt8(ascii: "o")): useLeft(3)
    case (0, UInt8(ascii: "~")): characterSets.right = 1
    case (0, UInt8(ascii: "}")): characterSets.right = 2
    case (0, UInt8(ascii: "|")): characterSets.right = 3
    case (0, UInt8(ascii: "l")): lockMemory(true)
    case (0, UInt8(ascii: "m")): lockMemory(false)
    case (0x20, UInt8(ascii: "L")...UInt8(ascii: "N")): announce(final)
    case (UInt8(ascii: "%"), _): changeCoding(final)
    case (0, UInt8(ascii: "6")): backIndex()
    case (0, UInt8(ascii: "9")): forwardIndex()
    case (UInt8(ascii: "#"), UInt8(ascii: "8")): alignmentPattern()
    case (UInt8(ascii: "#"), UInt8(ascii: "3")), (UInt8(ascii: "#"), UInt8(ascii: "4")),
      (UInt8(ascii: "#"), UInt8(ascii: "6")):
      useDoubleSize()
    case (UInt8(ascii: "#"), UInt8(ascii: "5")) where hasDoubleSizeLines:
      certainty.isCursorKnown = false
    case (UInt8(ascii: "(")...UInt8(ascii: "+"), _):
      designate(Int(parser.intermediates) - 0x28, final, is96: false)
    case (UInt8(ascii: "-")...UInt8(ascii: "/"), _):
      designate(Int(parser.intermediates) - 0x2C, final, is96: true)
    default: break
    }
  }

  private mutating func useLeft(_ set: Int) {
    characterSets.left = set
    settleMode(.shift)
    updateFastPath()
  }

  private mutating func designate(_ index: Int, _ final: UInt8, is96: Bool) {
    switch final {
    case UInt8(ascii: "0") where !is96, UInt8(ascii: "2") where !is96:
      characterSets[index] = .specialGraphics
    case UInt8(ascii: "A") where !is96: characterSets[index] = .unitedKingdom
    case UInt8(ascii: "B") where !is96, UInt8(ascii: "1") where !is96: characterSets[index] = .ascii
    default: characterSets[index] = .other
    }
    settleMode(.set(index))
    updateFastPath()
  }

  /// Memory lock of HP terminals: in xterm the top margin becomes the row of the cursor, or the first row.
  private mutating func lockMemory(_ isOn: Bool) {
    let first = isOn ? row : 0
    guard options.quirks.contains(.isXterm), first < region.bottom else { return }
    region.setRows(first, region.bottom)
  }

  /// The announcer of ISO 4873 (`ESC SP L`, `M`, `N`): in xterm it makes G0 ASCII and maps it to GL; with the first two
  /// levels it does the same for G1 and GR.
  private mutating func announce(_ level: UInt8) {
    guard options.quirks.contains(.isXterm) else { return }
    characterSets[0] = .ascii
    characterSets.left = 0
    if level != UInt8(ascii: "N") {
      characterSets[1] = .ascii
      characterSets.right = 1
    }
    updateFastPath()
  }

  /// RI.
  private mutating func reverseIndex() {
    if !isPastLineEnd { isWrapPending = false }
    if !isCursorKnown { makeAllUnknown() }
    if row == region.top {
      if isBetweenSideMargins { scrollDown(1) }
      if isColumnUncertain { noteUncertainScroll() }
    } else if row > 0 {
      row -= 1
    }
  }

  /// DECBI.
  private mutating func backIndex() {
    guard !options.quirks.contains(.noSideMargins) else { return }
    if column == region.left {
      guard region.containsRow(row) else { return }
      for row in region.top...region.bottom {
        shiftCells(row, from: region.left, to: region.right + 1, by: 1)
      }
    } else {
      moveLeft(1)
    }
    if isColumnUncertain { markUnknown(margins) }
  }

  /// DECFI.
  private mutating func forwardIndex() {
    guard !options.quirks.contains(.noSideMargins) else { return }
    if column == region.right {
      guard region.containsRow(row) else { return }
      for row in region.top...region.bottom {
        shiftCells(row, from: region.left, to: region.right + 1, by: -1)
      }
    } else {
      moveRight(1)
    }
    if isColumnUncertain { markUnknown(margins) }
  }

  // MARK: CSI

  /// Executes a control sequence (ECMA-48 section 8.3; XTerm Control Sequences).
  @inline(__always) mutating func dispatchControlSequence(_ final: UInt8) {
    let last = printed
    let wasPending = isWrapPending
    let from = Point(row: row, column: column)
    printed.clear()
    if parser.prefix == 0, parser.intermediates == 0 {
      switch final {
      case UInt8(ascii: "m"):
        printed.set(last.marked)
        printed.close()
        selectGraphicRendition()
      case UInt8(ascii: "H"), UInt8(ascii: "f"):
        reported.hasDrawn = true
        place(row: parser.value(0, or: 1) - 1, column: parser.value(1, or: 1) - 1)
        if row < from.row || row == 0 { reported.hasReturned = true }
      case UInt8(ascii: "K"): eraseInLine(parser.value(0), isSelective: false)
      case UInt8(ascii: "b"): repeatLast(last, parser.value(0, or: 1))
      default: dispatchPlain(final)
      }
    } else {
      dispatchMarked(final)
    }
    if isColumnUncertain { noteUncertainEdit(final) }
    if isUnknownTerminal, parser.prefix == 0, parser.intermediates == 0 {
      noteUncertainSequence(final, last, wasPending: wasPending, from: from)
    }
  }

  /// What was erased or shifted at an uncertain column may have been other cells.
  @inline(never) private mutating func noteUncertainEdit(_ final: UInt8) {
    switch (parser.prefix, parser.intermediates, final) {
    case (0, 0, UInt8(ascii: "@")), (0, 0, UInt8(ascii: "P")), (0, 0, UInt8(ascii: "X")):
      makeUnknown(row, 0, columns)
    case (_, 0, UInt8(ascii: "K")), (_, 0, UInt8(ascii: "J")):
      let isPlain = pen.style.background == .standard
      if parser.value(0) < 2 { loseText(row, 0, writtenTo: isPlain ? 0 : columns) }
    case (0, 0, UInt8(ascii: "L")), (0, 0, UInt8(ascii: "M")):
      // The cursor goes to the left margin, if it is between the margins.
      guard region.containsRow(row) else { break }
      if !region.isFullWidth {
        markUnknown(margins)
      } else if !isUnknownTerminal {
        settleColumn()
      }
    case (0, 0x20, UInt8(ascii: "@")), (0, 0x20, UInt8(ascii: "A")), (0, 0x27, UInt8(ascii: "}")),
      (0, 0x27, UInt8(ascii: "~")):
      markUnknown(margins)
    default: break
    }
  }

  private mutating func dispatchPlain(_ final: UInt8) {
    let count = parser.value(0, or: 1)
    if Screen.isDrawing(final) { reported.hasDrawn = true }
    switch final {
    case UInt8(ascii: "@"):
      // Outside the side margins it only ends the pending wrap (xterm).
      if isPastLineEnd { break }
      insertCells(count)
      isWrapPending = false
    case UInt8(ascii: "A"): moveUp(count)
    case UInt8(ascii: "B"): moveDown(count)
    case UInt8(ascii: "C"): moveRight(count)
    case UInt8(ascii: "D"): moveLeft(count)
    case UInt8(ascii: "E"):
      moveDown(count)
      carriageReturn()
    case UInt8(ascii: "F"):
      moveUp(count)
      carriageReturn()
    case UInt8(ascii: "G"), UInt8(ascii: "`"): place(row: nil, column: count - 1)
    case UInt8(ascii: "I") where !options.quirks.contains(.noForwardTabs): moveToTab(count)
    case UInt8(ascii: "J"): eraseInDisplay(parser.value(0), isSelective: false)
    case UInt8(ascii: "L"): shiftLines(-count)
    case UInt8(ascii: "M"): shiftLines(count)
    case UInt8(ascii: "P"):
      guard isBetweenSideMargins, !isPastLineEnd else { break }
      deleteCells(count)
      isWrapPending = false
    case UInt8(ascii: "S"): scrollRegion(count)
    case UInt8(ascii: "T")
    where parser.valueCount <= 1 || options.quirks.contains(.shiftsLinesAsTmux):
      // With a zero, xterm takes it for the end of mouse highlighting.
      let isMouse = options.quirks.contains(.isXterm) && parser.valueCount == 1
      if !isMouse || parser.value(0) > 0 { scrollRegion(-count) }
    // With more parameters it is about the mouse in xterm; others may scroll.
    case UInt8(ascii: "T"): if isUnknownTerminal { markUnknown(margins) }
    case UInt8(ascii: "^"), UInt8(ascii: "a"), UInt8(ascii: "e"):
      if !options.quirks.contains(.noForwardTabs) { moveRelatively(final, count) }
    case UInt8(ascii: "X"):
      if isPastLineEnd { break }
      erase(row, column, min(columns, column + count))
      isWrapPending = false
    case UInt8(ascii: "Z"): moveToTab(-count)
    case UInt8(ascii: "d"):
      let wasPastLineEnd = isPastLineEnd
      place(row: count - 1, column: nil)
      isWrapPending = wasPastLineEnd
    case UInt8(ascii: "g"): clearTabs(parser.value(0))
    case UInt8(ascii: "h"): setANSIModes(true)
    case UInt8(ascii: "l"): setANSIModes(false)
    case UInt8(ascii: "n"): if parser.value(0) == 6 { reported.cursorQuestions &+= 1 }
    case UInt8(ascii: "r"): setMargins()
    case UInt8(ascii: "s"):
      if modes.contains(.sideMargins) { setSideMargins() } else { saveCursor() }
    case UInt8(ascii: "u"): restoreCursor()
    default: break
    }
  }

  /// HPR, VPR, and the other form of SD.
  private mutating func moveRelatively(_ final: UInt8, _ count: Int) {
    switch final {
    case UInt8(ascii: "a"):
      let excess = isColumnUncertain ? certainty.columnExcess : nil
      place(row: nil, column: relativeColumn + count)
      if let excess { loseColumn(by: excess) }
    case UInt8(ascii: "e"): place(row: relativeRow + count, column: nil)
    default: scrollRegion(-count)
    }
  }

  private mutating func dispatchMarked(_ final: UInt8) {
    guard !parser.hasTooManyIntermediates else { return }
    let count = parser.value(0, or: 1)
    switch (parser.prefix, parser.intermediates, final) {
    case (0x3F, 0, UInt8(ascii: "h")): setPrivateModes(true)
    case (0x3F, 0, UInt8(ascii: "l")): setPrivateModes(false)
    case (0x3F, 0, UInt8(ascii: "s")) where hasSoftReset: savePrivateModes()
    case (0x3F, 0, UInt8(ascii: "r")) where hasSoftReset: restorePrivateModes()
    case (0x3F, 0, UInt8(ascii: "W")) where parser.value(0) == 5:
      if !options.quirks.contains(.noTabReset) { tabs.setEveryEighth(columns: columns) }
    case (0x3F, 0, UInt8(ascii: "J")) where isUnknownTerminal,
      (0x3F, 0, UInt8(ascii: "K")) where isUnknownTerminal:
      noteSelectiveErase(final)
    case (0x3F, 0, UInt8(ascii: "J")) where hasProtection:
      eraseInDisplay(parser.value(0), isSelective: true)
    case (0x3F, 0, UInt8(ascii: "K")) where hasProtection:
      eraseInLine(parser.value(0), isSelective: true)
    case (0x3C...0x3E, 0, UInt8(ascii: "u")), (0x3E, 0, UInt8(ascii: "m")): noteKeyboard(final)
    case (0, 0x20, UInt8(ascii: "@")) where hasSideMargins:
      shiftColumns(from: region.left, by: -count)
    case (0, 0x20, UInt8(ascii: "A")) where hasSideMargins:
      shiftColumns(from: region.left, by: count)
    case (0, 0x27, UInt8(ascii: "}")) where hasSideMargins: shiftColumns(from: column, by: count)
    case (0, 0x27, UInt8(ascii: "~")) where hasSideMargins: shiftColumns(from: column, by: -count)
    case (0, 0x21, UInt8(ascii: "p")) where hasSoftReset: softReset()
    case (0, 0x22, UInt8(ascii: "p")) where hasSoftReset:
      // Terminals differ in how much DECSCL resets.
      softReset()
      forgetEverything()
    case (0, 0x22, UInt8(ascii: "q")): protect(parser.value(0) == 1, .selective)
    case (0, 0x23, UInt8(ascii: "}")) where hasSoftReset,
      (0, 0x23, UInt8(ascii: "q")) where hasSoftReset:
      // XTPOPSGR: the pushed pens are not modeled.
      certainty.isPenUnknown = true
      penState.sentBackground = .unknown
      penChanged()
    case (0, 0x24, _): forgetRectangle(final)
    default: break
    }
    if isUnknownTerminal { noteIgnoredIntermediate(final) }
  }

  private var hasSoftReset: Bool { !options.quirks.contains(.noSoftReset) }
  private var hasProtection: Bool { !options.quirks.contains(.noProtection) }
  private var hasSideMargins: Bool { !options.quirks.contains(.noSideMargins) }
}
