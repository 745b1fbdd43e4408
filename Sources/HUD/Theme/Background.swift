/// The background of a terminal, as far as it decides about colors.
package enum Background: Sendable, CaseIterable {
  case dark
  case light

  /// The kind of a background with this color, as 24 bits.
  ///
  /// On a light one black text is easier to read than white text.
  package init(color: UInt32) {
    let luminance = RGBColor(color).luminance
    self = RGBColor.contrast(luminance, 0) > RGBColor.contrast(luminance, 1) ? .light : .dark
  }

  /// What a terminal has said in `COLORFGBG` (rxvt, Konsole): the numbers of foreground and background; `nil` where
  /// that says nothing.
  package init?(colorFGBG text: String?) {
    guard let text, let last = text.split(separator: ";").last, let number = Int(last) else {
      return nil
    }
    switch number {
    case 0...6, 8: self = .dark
    case 7, 9...15: self = .light
    default: return nil
    }
  }
}
