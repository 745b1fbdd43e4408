/// Modes that turn the terminal into a different one: another width, another character encoding.
extension Screen {
  // MARK: DECCOLM

  /// DECCOLM: clears the screen and the margins; the new size itself comes as a resize.
  mutating func changeColumns(_ isOn: Bool) {
    if options.quirks.contains(.columnModeOnlyClears) {
      home()
      eraseRows(0..<rows)
      return
    }
    let isXterm = options.quirks.contains(.columnModeNeedsPermission)
    if isXterm, !modes.contains(.allowsColumnChange) { return }
    setMode(.wideColumns, isOn)
    // Other terminals clear the screen or not, allowed or not. xterm knows DECNCSM or not, depending on its level.
    guard isXterm, !modes.contains(.keepsOnColumnChange) else { return loseScreen() }
    certainty.awaitsResize = columns != (isOn ? 132 : 80)
    if awaitsResize { return loseScreen() }
    resetMargins()
    home()
    clearScreen()
  }

  /// Notes that the terminal has kept its width.
  mutating func stopAwaitingResize() {
    certainty.awaitsResize = false
    loseScreen()
  }

  /// Makes the cells and the cursor unknown.
  private mutating func loseScreen() {
    certainty.isCursorKnown = false
    isWrapPending = false
    makeAllUnknown()
    updateFastPath()
  }

  // MARK: Lines of double size

  /// DECDHL and DECDWL are not modeled: everything printed from now on is unknown.
  mutating func useDoubleSize() {
    guard !options.quirks.contains(.noDoubleSize) else { return }
    certainty.hasDoubleSizeLines = true
    certainty.isCursorKnown = false
    makeUnknown(row, 0, columns)
    updateFastPath()
  }

  /// Notes that all lines have the usual size again.
  mutating func forgetDoubleSize() {
    guard hasDoubleSizeLines else { return }
    certainty.hasDoubleSizeLines = false
    // The cursor may have been stopped there by the end of a line of double width.
    if column >= columns / 2 { certainty.isCursorKnown = false }
    updateFastPath()
  }

  // MARK: National sets

  /// DECNRCM: while it is set, xterm reads bytes instead of UTF-8, even after a reset.
  mutating func useNationalSets(_ isOn: Bool) {
    guard certainty.hasNationalSets != isOn else { return }
    certainty.hasNationalSets = isOn
    loseScreen()
  }

  /// `ESC % @` and `ESC % G`: between these, some terminals read bytes instead of UTF-8; so does xterm, unless it was
  /// set to always read UTF-8.
  mutating func changeCoding(_ final: UInt8) {
    let leaves = final == UInt8(ascii: "@")
    guard leaves || final == UInt8(ascii: "G") || final == UInt8(ascii: "8") else { return }
    guard leaves != certainty.hasLeftUTF8, options.isUTF8, !hasTwoSets else { return }
    certainty.hasLeftUTF8 = leaves
    loseScreen()
  }

  // MARK: VT52

  /// Until `ESC <` the terminal is a VT52, which must not be sent anything of ours.
  mutating func enterVT52() {
    certainty.isVT52 = true
    loseScreen()
  }

  /// `ESC <`: the terminal is a VT100 again, and the cursor may be anywhere.
  mutating func leaveVT52() {
    guard certainty.isVT52 else { return }
    certainty.isVT52 = false
    loseScreen()
  }
}

extension Screen {
  // MARK: Character sets of a terminal that has two

  var hasTwoSets: Bool { options.quirks.contains(.twoCharacterSets) }

  /// Whether an escape sequence is for character sets that such a terminal does not have.
  func isShiftOrSet(_ final: UInt8) -> Bool {
    switch parser.intermediates {
    case 0: return "NOno~}|".utf8.contains(final)
    case 0x28, 0x29: return final != UInt8(ascii: "0") && final != UInt8(ascii: "B")
    case 0x2A...0x2F: return true
    default: return false
    }
  }
}
