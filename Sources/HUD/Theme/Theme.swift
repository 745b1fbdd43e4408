import PerfHUDEvents
import Terminal

/// What a cell of the HUD is there for; its number is the number of its style.
public enum Role: UInt16, CaseIterable, Sendable {
  case text
  case dim
  case title
  case label
  case frame
  case cpu
  case memory
  case fps
  case track
  case alert
  case notice
  case mark
  /// The edge of an overlay.
  case edge
  // The colors of phases.
  case red, orange, yellow, green, cyan, blue, purple, pink, gray

  /// The role of a color that a program may ask for.
  public init(_ color: EventColor) {
    self =
      switch color {
      case .red: .red
      case .orange: .orange
      case .yellow: .yellow
      case .green: .green
      case .cyan: .cyan
      case .blue: .blue
      case .purple: .purple
      case .pink: .pink
      case .gray: .gray
      }
  }

  public var style: StyleID { StyleID(rawValue) }

  /// The style of the same role in reverse video: its number in `Theme.styles`.
  public var reversedStyle: StyleID { StyleID(rawValue + UInt16(Role.allCases.count)) }
}

/// How many colors the terminal has.
public enum ColorDepth: Int, CaseIterable, Sendable {
  case none = 0
  case eight = 8
  case sixteen = 16
  case indexed = 256
  /// 24 bits.
  case direct = 16_777_216

  /// The depth for a terminfo `colors` value. `NO_COLOR` (no-color.org) is up to the caller.
  public init(colors: Int) {
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
  public init(colors: Int, colorTerm: String?) {
    let hasMore = colorTerm == "truecolor" || colorTerm == "24bit"
    self = hasMore ? .direct : ColorDepth(colors: colors)
  }
}

/// The styles of the HUD by role.
///
/// The background is the terminal's own, but where the theme brings one along. No role differs from another
/// by its color alone: labels, glyphs or weight distinguish them as well.
public struct Theme: Sendable, Equatable {
  public let depth: ColorDepth
  public let name: ThemeName

  public init(depth: ColorDepth, name: ThemeName = .standard) {
    self.depth = depth
    self.name = name
  }

  public func style(_ role: Role) -> Style {
    var style = name.roleColors(role).style(depth)
    style.background = name.background(depth)
    return style
  }

  /// The styles of an overlay, by the number of the style: that of each role,
  /// and after them that of each role in reverse video.
  public var styles: [Style] { Role.allCases.map(style) + Role.allCases.map(reversedStyle) }

  /// A role in a block that reverse video sets apart from the program.
  ///
  /// It has the terminal's own two colors and neither dim nor bold labels: colors would become
  /// patches of background, and some terminals apply weights to the color that becomes the background.
  public func reversedStyle(_ role: Role) -> Style {
    let plain = Theme(depth: .none).style(role).attributes
    let weight: Attributes = role == .label ? [] : plain.subtracting(.dim)
    return Style(attributes: weight.symmetricDifference(.reverse))
  }
}
