/// What is known of the terminal apart from its cells. Where anything is unknown the state cannot be restored, and
/// what is printed becomes unknown.
struct Certainty {
  /// False after what the screen does not model, until the cursor is placed absolutely.
  var isCursorKnown = true
  /// The cursor's column may differ from the terminal's, after a cluster whose width terminals do not agree on.
  private(set) var isColumnUncertain = false
  /// How many columns further to the right the cursor is then, at most.
  private(set) var columnExcess = 0
  /// Whether the pen's look is unknown.
  var isPenUnknown = false
  /// The open link is too long to be kept, or there are too many. Only OSC 8 changes that.
  var isLinkUnknown = false
  /// The terminal is a VT52 (`?2` reset), and nothing that it is sent is followed.
  var isVT52 = false
  /// National sets are on (DECNRCM, `?42`): xterm does not read UTF-8 meanwhile.
  var hasNationalSets = false
  /// `ESC % @`: what is printed may be read as bytes, not as UTF-8.
  var hasLeftUTF8 = false
  /// DECCOLM has asked for another width. Until it has come the places of what is printed are unknown.
  var awaitsResize = false
  /// Lines of double width or height are somewhere.
  var hasDoubleSizeLines = false
  /// False when an erase of the screen may have ended the protection: cells that it met are unknown.
  var isProtectionKnown = true
  /// What a reset may have changed or not (DECSTR), until the program sets it.
  var uncertainModes: UncertainModes = []
  /// Whether all cells of the screen are unknown, so that they need not be marked again.
  var isAllUnknown = false

  /// Whether everything is known that printing and restoring the state depend on.
  var isComplete: Bool {
    isCursorKnown && !isColumnUncertain && !isPenUnknown && !isLinkUnknown && !isVT52
      && !hasNationalSets && !hasLeftUTF8 && !awaitsResize && !hasDoubleSizeLines
      && uncertainModes.isEmpty
  }

  /// The cursor may be up to `excess` columns further to the right than it was before.
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

  /// The cursor is known, row and column.
  mutating func settleCursor() {
    isCursorKnown = true
    isColumnUncertain = false
  }

  /// DECRC.
  mutating func restore(_ saved: SavedCursor) {
    isPenUnknown = saved.isPenUnknown
    isColumnUncertain = saved.isColumnUncertain
    columnExcess = saved.columnExcess
  }

  /// RIS. A place becomes known only by what comes next.
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
  /// Whether the cursor's place is known. False after what the screen does not model, until the cursor is placed
  /// absolutely.
  package var isCursorKnown: Bool { certainty.isCursorKnown }
  /// Whether the column may differ from the terminal's, after a cluster of uncertain width.
  package var isColumnUncertain: Bool { certainty.isColumnUncertain }
  /// Whether the pen's look is unknown, so that what is printed is too.
  package var isPenUnknown: Bool { certainty.isPenUnknown }
  /// Whether DECCOLM has asked for another width that has not come yet.
  package var awaitsResize: Bool { certainty.awaitsResize }
  /// Whether lines of double width or height are somewhere.
  package var hasDoubleSizeLines: Bool { certainty.hasDoubleSizeLines }
  /// Whether it is known which cells an erase spares. Not every terminal knows protection.
  var isProtectionKnown: Bool { certainty.isProtectionKnown && !isUnknownTerminal }
}
