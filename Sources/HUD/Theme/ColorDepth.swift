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

  /// The depth of a terminal whose colors are set directly, not through its description. A terminal reports 24-bit
  /// colors in `COLORTERM`; there is no other common way.
  package init(colors: Int, colorTerm: String?) {
    let hasMore = colorTerm == "truecolor" || colorTerm == "24bit"
    self = hasMore ? .direct : ColorDepth(colors: colors)
  }
}
