import Terminal

/// How a role of a theme looks, for every depth of color that a terminal may have.
struct RoleColors: Sendable {
  /// As 24 bits; the indexed color is the nearest one. `nil`: the terminal's own color.
  var color: UInt32?
  /// Of 16; `nil`: the terminal's own color.
  var ansi: UInt8?
  /// Of 8; `nil`: the terminal's own color.
  var eight: UInt8?
  /// With a color, and the replacement where there is none. Dim goes where there is a color.
  var attributes: Attributes
  /// With one of 16 or 8 colors, where those are others: xterm shows bold with the bright one of a color.
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
