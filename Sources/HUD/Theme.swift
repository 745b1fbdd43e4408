import Events
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
  /// The edge of a HUD that lies on a program's screen.
  case edge
  // The colours of phases.
  case red, orange, yellow, green, cyan, blue, purple, pink, gray

  /// The role of a colour that a program may ask for.
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

/// How many colours the terminal has.
public enum ColorDepth: Int, CaseIterable, Sendable {
  case none = 0
  case eight = 8
  case sixteen = 16
  case indexed = 256

  /// The depth for a terminfo `colors` figure. `NO_COLOR` (no-color.org) is the caller's to honour.
  public init(colors: Int) {
    self =
      switch colors {
      case 256...: .indexed
      case 16...: .sixteen
      case 8...: .eight
      default: .none
      }
  }

  /// The depth of a terminal whose colours are asked for by number, and not by way of its description:
  /// a terminal that says in `COLORTERM` that it has more than 256 has these 256 at least.
  public init(colors: Int, colorTerm: String?) {
    let hasMore = colorTerm == "truecolor" || colorTerm == "24bit"
    self = hasMore ? .indexed : ColorDepth(colors: colors)
  }
}

/// The styles of the HUD by role.
///
/// The background is the terminal's own. The three figures take colours that people with any of the
/// common kinds of colour blindness tell apart (blue, orange and bluish green of Okabe and Ito), and no
/// role differs from another by its colour alone: labels, glyphs or weight tell them apart as well.
public struct Theme: Sendable, Equatable {
  public let depth: ColorDepth

  public init(depth: ColorDepth) { self.depth = depth }

  public func style(_ role: Role) -> Style {
    switch role {
    case .text: Style()
    case .dim: color(indexed: 245, ansi: nil, [.dim])
    case .title: Style(attributes: .bold)
    case .label: Style(attributes: .bold)
    case .frame: color(indexed: 240, ansi: nil, [.dim])
    case .cpu: color(indexed: 75, ansi: 6)
    case .memory: color(indexed: 214, ansi: 3)
    case .fps: color(indexed: 79, ansi: 2)
    case .track: color(indexed: 238, ansi: nil, [.dim])
    case .alert: color(indexed: 209, ansi: 1, [.bold])
    case .notice: Style(attributes: .reverse)
    case .mark: color(indexed: 177, ansi: 5, [.bold])
    // As far from black as from white: it is seen on a light background and on a dark one.
    case .edge: color(indexed: 245, ansi: nil)
    case .red: color(indexed: 203, ansi: 1)
    case .orange: color(indexed: 214, ansi: 3)
    case .yellow: color(indexed: 221, ansi: 3)
    case .green: color(indexed: 79, ansi: 2)
    case .cyan: color(indexed: 80, ansi: 6)
    case .blue: color(indexed: 75, ansi: 4)
    case .purple: color(indexed: 141, ansi: 5)
    case .pink: color(indexed: 211, ansi: 5)
    case .gray: color(indexed: 245, ansi: nil)
    }
  }

  /// The styles of a HUD that lies on a program's screen, by the number of the style: that of each role,
  /// and behind them that of each role in reverse video.
  public var styles: [Style] { Role.allCases.map(style) + Role.allCases.map(reversedStyle) }

  /// A role in a block that reverse video sets apart from the program.
  ///
  /// It has the terminal's own two colours and neither dim nor bold labels: colours would become
  /// patches of background, and some terminals apply weights to the colour that becomes the background.
  public func reversedStyle(_ role: Role) -> Style {
    let plain = Theme(depth: .none).style(role).attributes
    let weight: Attributes = role == .label ? [] : plain.subtracting(.dim)
    return Style(attributes: weight.symmetricDifference(.reverse))
  }

  /// A colour of the palette that is there; without 256 colours `fallback` attributes stand in where
  /// there is no fitting one of the first eight.
  private func color(
    indexed: UInt8, ansi: UInt8?, _ fallback: Attributes = []
  ) -> Style {
    let weight = fallback.subtracting(.dim)
    switch depth {
    case .indexed: return Style(foreground: .indexed(indexed), attributes: weight)
    case .sixteen, .eight:
      guard let ansi else { return Style(attributes: fallback) }
      return Style(foreground: .ansi(ansi), attributes: weight)
    case .none: return Style(attributes: fallback)
    }
  }
}
