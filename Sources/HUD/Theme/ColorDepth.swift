/// How many colors the terminal has.
package enum ColorDepth: Int, CaseIterable, Sendable {
  case none = 0
  case eight = 8
  case sixteen = 16
  case indexed = 256
  /// 24 bits.
  case direct = 16_777_216

  /// The depth for a terminfo `colors` value. `NO_COLOR` (no-color.org) is up to the caller.
  package init(colors: Int) {
    self =
      switch colors {
      case 256...: .indexed
      case 16...: .sixteen
      case 8...: .eight
      default: .none
      }
  }

  /// The depth of a terminal whose colors are asked for by number, and not by way of its description:
  /// a terminal says in `COLORTERM` that it takes 24 bits (there is no other common way to say so).
  package init(colors: Int, colorTerm: String?) {
    let hasMore = colorTerm == "truecolor" || colorTerm == "24bit"
    self = hasMore ? .direct : ColorDepth(colors: colors)
  }
}
