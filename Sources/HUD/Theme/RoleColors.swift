import Terminal

/// How a role of a theme looks, for every depth of color that a terminal may have.
struct RoleColors: Sendable {
  /// Of 24-bit colors; `nil`: the indexed one.
  var rgb: Color?
  /// Of 256.
  var indexed: UInt8?
  /// Of 16; of 8 it is the one without its brightness.
  var ansi: UInt8?
  /// The replacement where there is no color. Dim goes where there is one.
  var attributes: Attributes

  init(
    _ indexed: UInt8? = nil, _ ansi: UInt8? = nil, _ attributes: Attributes = [],
    rgb: Color? = nil
  ) {
    self.indexed = indexed
    self.ansi = ansi
    self.attributes = attributes
    self.rgb = rgb
  }

  func style(_ depth: ColorDepth) -> Style {
    let weight = attributes.subtracting(.dim)
    switch depth {
    case .direct where rgb != nil:
      return Style(foreground: rgb ?? .standard, attributes: weight)
    case .direct, .indexed:
      guard let indexed else { return Style(attributes: attributes) }
      return Style(foreground: .indexed(indexed), attributes: weight)
    case .sixteen, .eight:
      guard let ansi else { return Style(attributes: attributes) }
      return Style(
        foreground: .ansi(depth == .eight ? ansi & 7 : ansi), attributes: weight)
    case .none: return Style(attributes: attributes)
    }
  }
}
