/// Modes that make another terminal of it: another width, another language.
extension Screen {
  // MARK: DECCOLM

  /// DECCOLM: clears the screen and the margins; the size itself comes as a resize.
  mutating func changeColumns(_ isOn: Bool) {
    if options.quirks.contains(.columnModeOnlyClears) {
      home()
      eraseRows(0..<rows)
      return
    }
    let isXterm = options.quirks.contains(.columnModeNeedsPermission)
    if isXterm, !modes.contains(.allowsColumnChange) { return }
    setMode(.wideColumns, isOn)
    // Elsewhere it clears the screen or not, allowed or not. xterm knows DECNCSM or not, by its level.
    guard isXterm, !modes.contains(.keepsOnColumnChange) else { return loseScreen() }
    certainty.awaitsResize = columns != (isOn ? 132 : 80)
    if awaitsResize { return loseScreen() }
    resetMargins()
    home()
    clearScreen()
  }

  /// The terminal has kept its width.
  mutating func stopAwaitingResize() {
    certainty.awaitsResize = false
    loseScreen()
  }

  /// Cells and cursor become unknown.
  private mutating func loseScreen() {
    certainty.isCursorKnown = false
    isWrapPending = false
    makeAllUnknown()
    updateFastPath()
  }

  // MARK: Lines of double size

  /// DECDHL and DECDWL are not modelled: from now on everything printed is unknown.
  mutating func useDoubleSize() {
    guard !options.quirks.contains(.noDoubleSize) else { return }
    certainty.hasDoubleSizeLines = true
    certainty.isCursorKnown = false
    makeUnknown(row, 0, columns)
    updateFastPath()
  }

  /// All lines are of the usual size again.
  mutating func forgetDoubleSize() {
    guard hasDoubleSizeLines else { return }
    certainty.hasDoubleSizeLines = false
    // What was placed there may have been held back at the end of a line of double width.
    if column >= columns / 2 { certainty.isCursorKnown = false }
    updateFastPath()
  }

  // MARK: National sets

  /// DECNRCM: with it xterm reads bytes instead of UTF-8, also after a reset.
  mutating func useNationalSets(_ isOn: Bool) {
    guard certainty.hasNationalSets != isOn else { return }
    certainty.hasNationalSets = isOn
    loseScreen()
  }

  /// `ESC % @` and `ESC % G`: some read bytes instead of UTF-8 between them, xterm if it was not set to
  /// read UTF-8 always.
  mutating func changeCoding(_ final: UInt8) {
    let leaves = final == UInt8(ascii: "@")
    guard leaves || final == UInt8(ascii: "G") || final == UInt8(ascii: "8") else { return }
    guard leaves != certainty.hasLeftUTF8, options.isUTF8, !hasTwoSets else { return }
    certainty.hasLeftUTF8 = leaves
    loseScreen()
  }

  // MARK: VT52

  /// Until `ESC <` the terminal is a VT52, to which nothing of ours may be sent.
  mutating func enterVT52() {
    certainty.isVT52 = true
    loseScreen()
  }

  /// `ESC <`: the terminal is a VT100 again, and the cursor anywhere.
  mutating func leaveVT52() {
    guard certainty.isVT52 else { return }
    certainty.isVT52 = false
    loseScreen()
  }
}

extension Screen {
  // MARK: Character sets of a terminal that has two

  var hasTwoSets: Bool { options.quirks.contains(.twoCharacterSets) }

  /// Whether an escape sequence is one for character sets that such a terminal does not have.
  func isShiftOrSet(_ final: UInt8) -> Bool {
    switch parser.intermediates {
    case 0: return "NOno~}|".utf8.contains(final)
    case 0x28, 0x29: return final != UInt8(ascii: "0") && final != UInt8(ascii: "B")
    case 0x2A...0x2F: return true
    default: return false
    }
  }
}
