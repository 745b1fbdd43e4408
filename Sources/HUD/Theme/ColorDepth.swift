/// The number of colors of a terminal.
package enum ColorDepth: Int, CaseIterable, Sendable {
  case none = 0
  case eight = 8
  case sixteen = 16
  case indexed = 256
  /// 24 bits.
  case direct = 16_777_216

  /// The depth for a terminfo `colors` value. The caller handles `NO_COLOR` (no-color.org).
  package init(colors: Int) {
    self =
      switch colors {
      case 256...: .indexed
      case 16...: .sixteen
      case 8...: .eight
      default: .none
      }
  }

  /// The depth of a terminal whose colors are set directly, not through its description.
  ///
  /// - Parameters:
  ///   - colors: the terminfo `colors` value. Only `COLORTERM` overrides a description without colors, or with 16: such
  ///     a description of xterm was chosen for that.
  ///   - source: which variable says that the terminal has 24-bit colors; `nil` if none does.
  package init(colors: Int, directColors source: DirectColorSource?) {
    let described = ColorDepth(colors: colors)
    switch source {
    case .colorTerm: self = .direct
    case .xtermVersion:
      self = described == .none || described == .sixteen ? described : .direct
    case nil: self = described
    }
  }
}
