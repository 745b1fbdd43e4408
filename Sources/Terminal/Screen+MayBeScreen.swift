/// screen, or a tmux that does not say its name: what one of them does and the other does not is in doubt; see
/// `TerminalQuirks.mayBeScreen`.
extension Screen {
  var mayBeScreen: Bool { options.quirks.contains(.mayBeScreen) }

  /// `?47`, `?1047`, `?1048` and `?1049`: screen does nothing unless `altscreen` is on.
  mutating func doubtScreens(_ number: Int, _ isOn: Bool) {
    if number != 1048 {
      let (first, second) = (saved, otherSaved)
      showAlternate(isOn)
      (saved, otherSaved) = (first, second)
      forgetScreens(.unknown)
      isWrapPending = false
      loseCursor()
    }
    guard number > 1047 else { return }
    if isOn {
      saveDoubtfully()
    } else {
      doubtRestore()
    }
  }

  /// DECSTBM of which one of them does nothing.
  mutating func doubtMargins() {
    hasDoubtfulMargins = true
    isWrapPending = false
    loseCursor()
  }

  /// In the last row, below the region: screen scrolls for a wrap there.
  var wrapsBelowRegion: Bool { row == rows - 1 && row > bottom }

  /// SCOSC, which screen does not have: the slot may hold this state, or what it held before.
  mutating func saveDoubtfully() {
    let old = saved
    saveCursor()
    saved.isKnown = false
    if old.pen != saved.pen || old.isPenUnknown { saved.isPenUnknown = true }
    if old.isOrigin { saved.isOrigin = true }
    if old.characterSets != characterSets { saved.characterSets[characterSets.left] = .other }
  }

  /// SCORC, which screen does not have: the state may be that of the slot, or stay.
  mutating func doubtRestore() {
    var other = pen
    other.link = saved.pen.link
    if saved.isPenUnknown || saved.pen != other { isPenUnknown = true }
    if saved.isOrigin { setMode(.origin, true) }
    if saved.characterSets != characterSets { characterSets[characterSets.left] = .other }
    isWrapPending = false
    penChanged()
    loseCursor()
  }
}
