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

  /// The rest of a row may have been erased; what is blank already is so in any case.
  mutating func doubtErase(_ row: Int, from first: Int) {
    if !isCursorKnown { makeAllUnknown() }
    if isEraseStale { refreshErase() }
    for column in first..<columns where cell(row: row, column: column) != eraseCell {
      makeUnknown(row, column, column + 1)
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
    saved.isFilled = old.isFilled
    saved.isKnown = false
    if old.pen != saved.pen || old.isPenUnknown { saved.isPenUnknown = true }
    if old.isOrigin { saved.isOrigin = true }
    saved.characterSets.doubt(old.characterSets)
  }

  /// SCORC, which screen does not have: the state may be that of the slot, or stay.
  mutating func doubtRestore() {
    var other = pen
    other.link = saved.pen.link
    if saved.isPenUnknown || saved.pen != other { isPenUnknown = true }
    if saved.isOrigin { setMode(.origin, true) }
    characterSets.doubt(saved.characterSets)
    isWrapPending = false
    penChanged()
    loseCursor()
  }
}

extension CharacterSets {
  /// These may be others: a set that is another one there is none that is known.
  fileprivate mutating func doubt(_ others: CharacterSets) {
    for index in 0..<4 where self[index] != others[index] { self[index] = .other }
    guard left != others.left else { return }
    self[left] = .other
    self[others.left] = .other
  }
}
