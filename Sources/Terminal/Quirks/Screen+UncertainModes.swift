/// Modes that are uncertain after a sequence that only some terminals know, until the program sets them.
struct UncertainModes: OptionSet, BitwiseCopyable {
  let rawValue: UInt16

  static let insert = UncertainModes(rawValue: 1 << 0)
  static let origin = UncertainModes(rawValue: 1 << 1)
  static let autowrap = UncertainModes(rawValue: 1 << 2)
  static let margins = UncertainModes(rawValue: 1 << 3)
  static let sideMargins = UncertainModes(rawValue: 1 << 4)
  /// The set that the codes 0x20–0x7E stand for (SI, SO, LS2, LS3).
  static let shift = UncertainModes(rawValue: 1 << 5)

  /// The designation of G0, G1, G2 or G3.
  static func set(_ index: Int) -> UncertainModes {
    UncertainModes(rawValue: 1 << UInt16(8 + (index & 3)))
  }

  /// The mode with a DECSET number.
  static func privateMode(_ number: Int) -> UncertainModes? {
    switch number {
    case 6: .origin
    case 7: .autowrap
    case 69: .sideMargins
    default: nil
    }
  }
}

/// Modes, pens and screens of unmeasured terminals, where these differ.
///
/// As long as a mode is uncertain nothing is drawn. Once it is certain again, everything on the screen is unknown,
/// because the output meanwhile may be anywhere.
extension Screen {
  /// The modes that differ from those after a reset.
  var resetUncertainty: UncertainModes {
    var uncertain = certainty.uncertainModes
    if modes.contains(.insert) { uncertain.insert(.insert) }
    if modes.contains(.origin) { uncertain.insert(.origin) }
    if !modes.contains(.autowrap) { uncertain.insert(.autowrap) }
    if region.rect != Rect(size) { uncertain.insert(.margins) }
    if modes.contains(.sideMargins) { uncertain.insert(.sideMargins) }
    return uncertain.union(setUncertainty)
  }

  /// The character sets that differ from those after a reset.
  private var setUncertainty: UncertainModes {
    var uncertain: UncertainModes = characterSets.left == 0 ? [] : .shift
    for index in 0..<4 where characterSets[index] != .ascii { uncertain.insert(.set(index)) }
    return uncertain
  }

  /// Whether DECSTR would change anything that affects what is printed next.
  private var resetMatters: Bool {
    !resetUncertainty.isEmpty || pen != Pen() || isPenUnknown || isWrapPending
  }

  /// Notes a DECSTR or DECSCL, which some terminals do not know.
  ///
  /// - Parameters:
  ///   - uncertain: what it may have changed.
  ///   - before: the previous pen, which some terminals keep.
  mutating func noteUncertainReset(_ uncertain: UncertainModes, _ before: Pen) {
    if before != pen { certainty.isPenUnknown = true }
    loseSlot()
    if isWrapPending { makeWrapUncertain() }
    makeUncertain(uncertain)
  }

  /// Makes what DECSC has saved uncertain.
  private mutating func loseSlot() {
    saved.cursor.isKnown = false
    saved.cursor.isPenUnknown = true
  }

  private mutating func makeUncertain(_ uncertain: UncertainModes) {
    certainty.uncertainModes = uncertain
    if !uncertain.isEmpty { certainty.isCursorKnown = false }
    updateFastPath()
  }

  /// Notes that the program has set a mode.
  mutating func settleMode(_ mode: UncertainModes) {
    guard !certainty.uncertainModes.isEmpty else { return }
    certainty.uncertainModes.remove(mode)
    guard certainty.uncertainModes.isEmpty else { return }
    forgetScreens(.unknown)
    loseCursor()
  }

  /// Notes that the program has set or reset a mode, given its DECSET number.
  mutating func noteSetMode(_ number: Int) {
    if let mode = UncertainModes.privateMode(number) { settleMode(mode) }
    switch number {
    // Some terminals move the cursor home, some leave it where it is.
    case 6: certainty.isCursorKnown = false
    // In some terminals the wrap is pending even without autowrap. It shows when autowrap is on again.
    case 7: if isWrapPending { makeWrapUncertain() }
    default: break
    }
  }

  /// Notes that a mode was restored (XTRESTORE), which some terminals do not know.
  mutating func loseMode(_ number: Int) {
    guard let mode = UncertainModes.privateMode(number) else { return }
    makeUncertain(certainty.uncertainModes.union(mode))
  }

  /// The reason to stop before a mode is restored.
  func uncertainRestoreStop(_ number: Int) -> ScreenStop.Reason? {
    unrestorable(number == 1048 || UncertainModes.privateMode(number) != nil)
  }

  // MARK: Screens

  /// `?47`, `?1047`, `?1048` and `?1049`: some terminals know only the last, some reset the pen on the alternate
  /// screen, and some do nothing if the screen is already shown.
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

  /// The reason to stop before setting or resetting a mode that makes something uncertain.
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

  /// The reason to stop before DECSTR, DECSCA, or a sequence with a space as its intermediate.
  func uncertainMarkedStop(_ final: UInt8) -> ScreenStop.Reason? {
    switch (parser.intermediates, final) {
    case (0x20, UInt8(ascii: "@")), (0x20, UInt8(ascii: "A")): .willMoveCovered
    case (0x21, UInt8(ascii: "p")): unrestorable(resetMatters)
    case (0x22, UInt8(ascii: "q")): unrestorable(parser.value(0) == 1)
    default: nil
    }
  }

  /// Notes a control sequence with an intermediate: urxvt executes it as if it had none.
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
