import Terminal

/// The look of a role in a theme, for each color depth of a terminal.
struct RoleColors: Sendable {
  /// The 24-bit color; the indexed color is the nearest one. `nil` for the terminal's own color.
  var color: UInt32?
  /// The color out of 16; `nil` for the terminal's own color.
  var ansi: UInt8?
  /// The color out of 8; `nil` for the terminal's own color.
  var eight: UInt8?
  /// The attributes, with a color or in place of it if there are no colors. Dim is dropped if there is a color.
  var attributes: Attributes
  /// The attributes with one of 16 or 8 colors, if they differ: xterm shows bold in the bright variant of a color.
  var plainAttributes: Attributes?

  init(
    _ color: UInt32? = nil, _ ansi: UInt8? = nil, _ eight: UInt8? = nil,
    _ attributes: Attributes = [], plain: Attributes? = nil
  ) {
    self.color = color
    self.ansi = ansi
    self.eight = eight
    self.attributes = attributes
    plainAttributes = plain
  }

  /// The same colors in bold.
  ///
  /// - Parameter plain: The attributes with one of 16 or 8 colors, if they differ.
  func bold(plain: Attributes? = nil) -> RoleColors {
    RoleColors(color, ansi, eight, attributes.union(.bold), plain: plain)
  }

  /// - Parameters:
  ///   - contrast: The least contrast of an indexed color to the background.
  ///   - background: The luminance of the background.
  func style(_ depth: ColorDepth, contrast: Double, background: Double) -> Style {
    let weight = attributes.subtracting(.dim)
    switch depth {
    case .direct, .indexed:
      guard let color else { return Style(attributes: attributes) }
      let rgb = RGBColor(color)
      let index = IndexedColors.shared.nearest(to: rgb, contrast: contrast, to: background)
      return Style(
        foreground: depth == .direct ? rgb.color : .indexed(index), attributes: weight)
    case .sixteen, .eight:
      guard let number = depth == .eight ? eight : ansi else {
        return Style(attributes: plainAttributes ?? attributes)
      }
      return Style(foreground: .ansi(number), attributes: plainAttributes ?? weight)
    case .none: return Style(attributes: attributes)
    }
  }
}
