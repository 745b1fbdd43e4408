/// The decisions to stop before a sequence with `?`: most of them set modes.
extension Screen {
  func privateStop(_ final: UInt8) -> ScreenStop.Reason? {
    switch final {
    case UInt8(ascii: "h"), UInt8(ascii: "l"):
      let isOn = final == UInt8(ascii: "h")
      for index in 0..<parser.valueCount {
        if let reason = modeStop(parser.value(index), isOn) { return reason }
      }
      return nil
    case UInt8(ascii: "r"):
      guard endsUpdate || hudRegion.stopsAtScreenSwitch || !hudRegion.isEmpty else { return nil }
      for index in 0..<parser.valueCount {
        switch parser.value(index) {
        case 2026 where endsUpdate && !saved.modes.contains(.synchronizedUpdate):
          return .willEndUpdate
        case 47, 1046, 1047, 1049:
          if hudRegion.stopsAtScreenSwitch || !hudRegion.isEmpty { return .willSwitchScreens }
        case 3: if !hudRegion.isEmpty { return .willMoveCovered }
        case 1048: if let reason = restoreStop { return reason }
        case let number where isUnknownTerminal && !hudRegion.isEmpty:
          if let reason = uncertainRestoreStop(number) { return reason }
        default: break
        }
      }
      return nil
    case UInt8(ascii: "s"):
      // XTSAVE would save an update of our own as the program's.
      for index in 0..<parser.valueCount where parser.value(index) == 2026 {
        return query
      }
      return nil
    case UInt8(ascii: "n"), UInt8(ascii: "u"), UInt8(ascii: "S"), UInt8(ascii: "c"),
      UInt8(ascii: "m"):
      return query
    default: break
    }
    guard !hudRegion.isEmpty else { return nil }
    if isUnknownTerminal, let reason = selectiveStop(final) { return reason }
    switch final {
    case UInt8(ascii: "J"):
      // Some terminals that spare protected cells still push the rest into the history.
      return displayStop(isSelective: true)
    case UInt8(ascii: "i"): return .willReadCells
    default: return nil
    }
  }

  /// Whether to stop at the end of the program's update.
  var endsUpdate: Bool { isUpdating && hudRegion.stopsAtUpdateEnd }

  private func modeStop(_ number: Int, _ isOn: Bool) -> ScreenStop.Reason? {
    if number == 2026, !isOn, endsUpdate { return .willEndUpdate }
    // A VT52 would print the sequence that ends an update of our own.
    if number == 2, !isOn, !options.quirks.contains(.noVT52), hudRegion.isEmpty { return query }
    guard !hudRegion.isEmpty else {
      return hudRegion.stopsAtScreenSwitch && switchesScreens(number, isOn)
        ? .willSwitchScreens : nil
    }
    if isUnknownTerminal, let reason = uncertainModeStop(number, isOn) { return reason }
    if switchesScreens(number, isOn) { return .willSwitchScreens }
    switch number {
    case 1048: return isOn ? nil : restoreStop
    case 1049: return isOn ? nil : unrestorable(losesPlace) ?? restoreStop
    case 69:
      // The margin at which the wrap is pending disappears.
      return unrestorable(
        !isOn && isWrapPending && column == region.right && region.right < columns - 1)
    case 3:
      let isIgnored =
        options.quirks.contains(.columnModeNeedsPermission) && !modes.contains(.allowsColumnChange)
      return isIgnored ? nil : .willMoveCovered
    case 42:
      return options.quirks.contains(.twoCharacterSets) || isOn == certainty.hasNationalSets
        ? nil : .willMoveCovered
    case 2: return isOn || options.quirks.contains(.noVT52) ? nil : .willMoveCovered
    default: return nil
    }
  }

  /// Whether `?1049` moves the cursor in tmux to a place that is not known.
  private var losesPlace: Bool {
    guard options.quirks.contains(.alternateAsTmux), let back = saved.screenCursor else {
      return false
    }
    return !back.isKnown || back.isColumnUncertain
  }

  /// Whether a mode switches between the screens, or empties the alternate one.
  private func switchesScreens(_ number: Int, _ isOn: Bool) -> Bool {
    switch number {
    case 47, 1047: isOn != isAlternate
    case 1046: !isOn && isAlternate
    case 1049: isOn || isAlternate
    default: false
    }
  }
}
