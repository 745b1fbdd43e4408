/// The background of a terminal, as far as colors depend on it.
package enum Background: Sendable, CaseIterable {
  case dark
  case light

  /// The kind of a background with this 24-bit color.
  ///
  /// On a light one black text is easier to read than white text.
  package init(color: UInt32) {
    let luminance = RGBColor(color).luminance
    self = RGBColor.contrast(luminance, 0) > RGBColor.contrast(luminance, 1) ? .light : .dark
  }

  /// The kind that a terminal reports in `COLORFGBG` (rxvt, Konsole), as the numbers of foreground and background;
  /// `nil` if it reports none.
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
