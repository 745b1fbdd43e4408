/// XTSAVE and XTRESTORE: modes, and for some numbers which screen is shown, or the cursor.
extension Screen {
  /// XTSAVE.
  mutating func savePrivateModes() {
    for index in 0..<parser.valueCount {
      let number = parser.value(index)
      if saveScreen(number) { continue }
      guard let mode = ProgramModes.privateMode(number) else { continue }
      // xterm always saves these two as set.
      let isAlwaysSet =
        options.quirks.contains(.isXterm)
        && (mode == .sideMargins || mode == .keepsOnColumnChange)
      if modes.contains(mode) || isAlwaysSet {
        saved.modes.insert(mode)
      } else {
        saved.modes.remove(mode)
      }
    }
  }

  /// XTRESTORE.
  mutating func restorePrivateModes() {
    for index in 0..<parser.valueCount {
      let number = parser.value(index)
      if restoreScreen(number) { continue }
      guard let mode = ProgramModes.privateMode(number) else { continue }
      let isRestored = isUnknownTerminal && modes.contains(mode) != saved.modes.contains(mode)
      setPrivateMode(number, saved.modes.contains(mode))
      if isRestored { loseMode(number) }
    }
    updateFastPath()
  }

  /// Saves which screen is shown (`?47`, `?1047`, `?1049`), whether there may be an alternate one (`?1046`), or the
  /// cursor (`?1048`).
  ///
  /// - Returns: whether the number is one of these.
  private mutating func saveScreen(_ number: Int) -> Bool {
    switch number {
    case 47, 1047, 1049: saved.isAlternate = isAlternate
    case 1046: saved.lacksAlternate = modes.contains(.noAlternate)
    case 1048: if !modes.contains(.noAlternate) { saveCursor() }
    default: return false
    }
    return true
  }

  /// Restores what `saveScreen` saved; switches screens without clearing them.
  private mutating func restoreScreen(_ number: Int) -> Bool {
    switch number {
    case 47, 1047, 1049:
      if modes.contains(.noAlternate) { break }
      if isUnknownTerminal, saved.isAlternate != isAlternate { forgetScreens(.unknown) }
      showAlternate(saved.isAlternate)
    case 1046: if options.quirks.contains(.isXterm) { allowAlternate(!saved.lacksAlternate) }
    case 1048:
      if !modes.contains(.noAlternate) { restoreCursor() }
      if isUnknownTerminal { loseCursor() }
    default: return false
    }
    return true
  }
}
