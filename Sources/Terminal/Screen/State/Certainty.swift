/// What is known about the terminal apart from its cells. While anything is unknown, the state cannot be restored, and
/// whatever is printed becomes unknown.
struct Certainty {
  /// False after something that the screen does not model, until the cursor is placed absolutely.
  var isCursorKnown = true
  /// Whether the cursor's column may differ from the terminal's, after a cluster whose width terminals do not agree on.
  private(set) var isColumnUncertain = false
  /// How many columns further to the right the terminal's cursor may be.
  private(set) var columnExcess = 0
  /// Whether the pen's look is unknown.
  var isPenUnknown = false
  /// Whether the open link could not be kept, because it is too long or there are too many. Only OSC 8 changes that.
  var isLinkUnknown = false
  /// Whether the terminal is a VT52 (`?2` reset), for which nothing is modeled.
  var isVT52 = false
  /// Whether national sets are on (DECNRCM, `?42`): xterm does not read UTF-8 meanwhile.
  var hasNationalSets = false
  /// Whether `ESC % @` was sent: output may be read as bytes instead of UTF-8.
  var hasLeftUTF8 = false
  /// Whether DECCOLM has requested another width. Until it has come, the positions of printed characters are unknown.
  var awaitsResize = false
  /// Whether there are lines of double width or height.
  var hasDoubleSizeLines = false
  /// False if an erasure of the screen may have ended the protection; the cells that it met are unknown.
  var isProtectionKnown = true
  /// What a reset (DECSTR) may have changed, until the program sets it.
  var uncertainModes: UncertainModes = []
  /// Whether all cells of the screen are unknown, so that they need not be marked again.
  var isAllUnknown = false

  /// Whether everything is known that affects printing and restoring the state.
  var isComplete: Bool {
    isCursorKnown && !isColumnUncertain && !isPenUnknown && !isLinkUnknown && !isVT52
      && !hasNationalSets && !hasLeftUTF8 && !awaitsResize && !hasDoubleSizeLines
      && uncertainModes.isEmpty
  }

  /// Notes that the cursor may be up to `excess` more columns to the right than before.
  ///
  /// - Parameter columns: the width of the screen.
  mutating func loseColumn(by excess: Int, columns: Int) {
    setColumnExcess(min(columns, (isColumnUncertain ? columnExcess : 0) + excess))
  }

  mutating func setColumnExcess(_ excess: Int) {
    columnExcess = excess
    isColumnUncertain = true
  }

  mutating func settleColumn() { isColumnUncertain = false }

  /// Marks the cursor's row and column as known.
  mutating func settleCursor() {
    isCursorKnown = true
    isColumnUncertain = false
  }

  /// DECRC.
  mutating func restore(_ saved: SavedCursor) {
    isPenUnknown = saved.isPenUnknown
    takePlace(of: saved)
  }

  /// Notes that the cursor is where it was when it was saved, as certain as it was then.
  mutating func takePlace(of saved: SavedCursor) {
    isCursorKnown = saved.isKnown
    isColumnUncertain = saved.isColumnUncertain
    columnExcess = saved.columnExcess
  }

  /// RIS. Only later output makes a position known again.
  mutating func reset() {
    isPenUnknown = false
    isLinkUnknown = false
    isVT52 = false
    hasLeftUTF8 = false
    awaitsResize = false
    hasDoubleSizeLines = false
    isProtectionKnown = true
    uncertainModes = []
  }
}

extension Screen {
  /// Whether the cursor's position is known. False after something that the screen does not model, until the cursor is
  /// placed absolutely.
  package var isCursorKnown: Bool { certainty.isCursorKnown }
  /// Whether the column may differ from the terminal's, after a cluster of uncertain width.
  package var isColumnUncertain: Bool { certainty.isColumnUncertain }
  /// Whether the pen's look is unknown, and therefore that of printed characters too.
  package var isPenUnknown: Bool { certainty.isPenUnknown }
  /// Whether DECCOLM has requested another width that has not come yet.
  package var awaitsResize: Bool { certainty.awaitsResize }
  /// Whether there are lines of double width or height.
  package var hasDoubleSizeLines: Bool { certainty.hasDoubleSizeLines }
  /// Whether we know which cells an erasure spares. Not every terminal knows protection.
  var isProtectionKnown: Bool { certainty.isProtectionKnown && !isUnknownTerminal }
}
