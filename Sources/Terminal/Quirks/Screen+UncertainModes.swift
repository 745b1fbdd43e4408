/// What a sequence may have changed or not that some terminals do not know, until the program sets it.
struct UncertainModes: OptionSet, BitwiseCopyable {
  let rawValue: UInt16

  static let insert = UncertainModes(rawValue: 1 << 0)
  static let origin = UncertainModes(rawValue: 1 << 1)
  static let autowrap = UncertainModes(rawValue: 1 << 2)
  static let margins = UncertainModes(rawValue: 1 << 3)
  static let sideMargins = UncertainModes(rawValue: 1 << 4)
  /// Which set the codes 0x20–0x7E stand for (SI, SO, LS2, LS3).
  static let shift = UncertainModes(rawValue: 1 << 5)

  /// The designation of G0, G1, G2 or G3.
  static func set(_ index: Int) -> UncertainModes {
    UncertainModes(rawValue: 1 << UInt16(8 + (index & 3)))
  }

  /// A mode by its number of DECSET.
  static func privateMode(_ number: Int) -> UncertainModes? {
    switch number {
    case 6: .origin
    case 7: .autowrap
    case 69: .sideMargins
    default: nil
    }
  }
}

/// Modes, pens and screens of terminals that were not measured, where these differ.
///
/// As long as a mode is uncertain nothing is drawn, and once it is certain again nothing on the screen is: what was
/// printed may be anywhere.
extension Screen {
  /// What is not as after a reset.
  var resetUncertainty: UncertainModes {
    var uncertain = certainty.uncertainModes
    if modes.contains(.insert) { uncertain.insert(.insert) }
    if modes.contains(.origin) { uncertain.insert(.origin) }
    if !modes.contains(.autowrap) { uncertain.insert(.autowrap) }
    if region.rect != Rect(size) { uncertain.insert(.margins) }
    if modes.contains(.sideMargins) { uncertain.insert(.sideMargins) }
    return uncertain.union(setUncertainty)
  }

  /// The character sets that are not as after a reset.
  private var setUncertainty: UncertainModes {
    var uncertain: UncertainModes = characterSets.left == 0 ? [] : .shift
    for index in 0..<4 where characterSets[index] != .ascii { uncertain.insert(.set(index)) }
    return uncertain
  }

  /// Whether DECSTR changes anything that matters to what is printed next.
  private var resetMatters: Bool {
    !resetUncertainty.isEmpty || pen != Pen() || isPenUnknown || isWrapPending
  }

  /// DECSTR, DECSCL: some do not know them.
  ///
  /// - Parameters:
  ///   - uncertain: what it may have changed.
  ///   - before: the pen, which some keep.
  mutating func noteUncertainReset(_ uncertain: UncertainModes, _ before: Pen) {
    if before != pen { certainty.isPenUnknown = true }
    loseSlot()
    if isWrapPending { makeWrapUncertain() }
    makeUncertain(uncertain)
  }

  /// What DECSC has saved is uncertain.
  private mutating func loseSlot() {
    saved.cursor.isKnown = false
    saved.cursor.isPenUnknown = true
  }

  private mutating func makeUncertain(_ uncertain: UncertainModes) {
    certainty.uncertainModes = uncertain
    if !uncertain.isEmpty { certainty.isCursorKnown = false }
    updateFastPath()
  }

  /// The program has set a mode.
  mutating func settleMode(_ mode: UncertainModes) {
    guard !certainty.uncertainModes.isEmpty else { return }
    certainty.uncertainModes.remove(mode)
    guard certainty.uncertainModes.isEmpty else { return }
    forgetScreens(.unknown)
    loseCursor()
  }

  /// The program has set or reset a mode by its number of DECSET.
  mutating func noteSetMode(_ number: Int) {
    if let mode = UncertainModes.privateMode(number) { settleMode(mode) }
    switch number {
    // Some put the cursor home, some leave it where it is.
    case 6: certainty.isCursorKnown = false
    // Without autowrap the wrap is pending in some. It shows when that is on again.
    case 7: if isWrapPending { makeWrapUncertain() }
    default: break
    }
  }

  /// A mode was restored (XTRESTORE), which some do not know.
  mutating func loseMode(_ number: Int) {
    guard let mode = UncertainModes.privateMode(number) else { return }
    makeUncertain(certainty.uncertainModes.union(mode))
  }

  /// The reason to stop before a mode is restored.
  func uncertainRestoreStop(_ number: Int) -> ScreenStop.Reason? {
    unrestorable(number == 1048 || UncertainModes.privateMode(number) != nil)
  }

  // MARK: Screens

  /// `?47`, `?1047`, `?1048` and `?1049`: some know only the last, some reset the pen on the alternate screen, and
  /// where the screen is shown already some do nothing.
  mutating func switchUncertainly(_ number: Int, _ isOn: Bool) {
    let before = pen
    let sets = setUncertainty
    let isSwitch = number != 1048 && isOn != isAlternate
    setKnownMode(number, isOn)
    if number == 1049, isSwitch {
      if isOn { loseSlot() }
    } else {
      if number != 1048 { forgetScreens(.unknown) }
      loseSlot()
      if number != 1048 || !isOn { certainty.isCursorKnown = false }
    }
    guard isOn || !isSwitch || number != 1049, number != 1048 || !isOn else {
      return updateFastPath()
    }
    if before.style != .plain || pen.style != .plain { certainty.isPenUnknown = true }
    makeUncertain(certainty.uncertainModes.union(sets).union(setUncertainty))
  }

  /// The reason to stop before a mode is set or reset that makes something uncertain.
  func uncertainModeStop(_ number: Int, _ isOn: Bool) -> ScreenStop.Reason? {
    switch number {
    case 6: .willBecomeUnrestorable
    case 7: unrestorable(isWrapPending)
    case 47, 1047, 1049: .willMoveCovered
    case 1048: isOn ? nil : .willBecomeUnrestorable
    default: nil
    }
  }

  // MARK: Intermediates

  /// The reason to stop before DECSTR, DECSCA, or what has a space.
  func uncertainMarkedStop(_ final: UInt8) -> ScreenStop.Reason? {
    switch (parser.intermediates, final) {
    case (0x20, UInt8(ascii: "@")), (0x20, UInt8(ascii: "A")): .willMoveCovered
    case (0x21, UInt8(ascii: "p")): unrestorable(resetMatters)
    case (0x22, UInt8(ascii: "q")): unrestorable(parser.value(0) == 1)
    default: nil
    }
  }

  /// After a control sequence with an intermediate: urxvt carries it out as if that had not been there.
  mutating func noteIgnoredIntermediate(_ final: UInt8) {
    switch (parser.prefix, parser.intermediates, final) {
    case (0, 0x20, UInt8(ascii: "@")):
      makeUnknown(row, 0, columns)
      if isWrapPending { makeWrapUncertain() }
    case (0, 0x20, UInt8(ascii: "A")): loseCursor()
    // DECCARA, or DECSTBM.
    case (0, 0x24, UInt8(ascii: "r")): makeUncertain(certainty.uncertainModes.union(.margins))
    default: break
    }
  }
}
