import PerfHUDEvents
import Terminal

/// The purpose of a cell of the HUD; its raw value is the style number.
package enum Role: UInt16, CaseIterable, Sendable {
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
  // The frames of graphs.
  case cpuFrame, memoryFrame
  // The labels of values in the colors of their bars and graphs.
  case cpuLabel, memoryLabel, fpsLabel
  // The colors of phases.
  case red, orange, yellow, green, cyan, blue, purple, pink, gray

  /// The role for a color that a program may ask for.
  package init(_ color: EventColor) {
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

  package var style: StyleID { StyleID(rawValue) }

  /// The number of the role's reverse-video style in `Theme.styles`.
  package var reversedStyle: StyleID { StyleID(rawValue + Role.count) }

  private static let count = UInt16(Role.allCases.count)

  /// The role of a style that is not in reverse video; `nil` for others.
  package init?(_ style: StyleID) {
    let shades = Int(style.raw) - 2 * Int(Role.count)
    guard shades >= 0 else {
      self.init(rawValue: style.raw)
      return
    }
    // CPU, memory and FPS, and the colors of phases up to the last one.
    guard shades < Role.shadeCount * (3 + Int(Role.count - Role.red.rawValue)) else { return nil }
    let index = shades / Role.shadeCount
    let first = index < 3 ? Role.cpu.rawValue : Role.red.rawValue - 3
    self.init(rawValue: first + UInt16(index))
  }

  // MARK: Shades

  /// The number of shades of a role, from the bottom of a graph to its top.
  static let shadeCount = 12

  /// The index of a role among those with shades; `nil` if it has none.
  var shadeBase: Int? {
    switch self {
    case .cpu, .memory, .fps: Int(rawValue - Role.cpu.rawValue)
    case .red, .orange, .yellow, .green, .cyan, .blue, .purple, .pink, .gray:
      3 + Int(rawValue - Role.red.rawValue)
    default: nil
    }
  }

  /// The style for a row of a graph.
  ///
  /// - Parameter row: Counted from the bottom.
  func shade(row: Int, of rows: Int) -> StyleID {
    guard let shadeBase, rows > 1 else { return style }
    let step = (row * (Role.shadeCount - 1) + (rows - 1) / 2) / (rows - 1)
    let shade = shadeBase * Role.shadeCount + min(Role.shadeCount - 1, max(0, step))
    return StyleID(2 * Role.count + UInt16(shade))
  }

  /// The role of the label beside a bar or a graph of this role.
  var labelRole: Role {
    switch self {
    case .cpu: .cpuLabel
    case .memory: .memoryLabel
    case .fps: .fpsLabel
    default: .label
    }
  }

  /// Whether it labels a value.
  var isLabel: Bool {
    switch self {
    case .label, .cpuLabel, .memoryLabel, .fpsLabel: true
    default: false
    }
  }

  /// Whether it draws lines, bars and graphs instead of text.
  var isLine: Bool {
    switch self {
    case .frame, .edge, .track, .cpuFrame, .memoryFrame: true
    default: false
    }
  }
}

/// The styles of the HUD by role.
///
/// The background is the terminal's own, unless the theme has one. No two roles differ by color alone: labels, glyphs
/// or weight distinguish them as well.
package struct Theme: Sendable, Equatable {
  package let depth: ColorDepth
  private let palette: Palette

  /// - Parameter background: The terminal's background, for themes that adapt to it.
  package init(depth: ColorDepth, name: ThemeName = .auto, background: Background = .dark) {
    self.depth = depth
    palette = Palette(name, on: background)
  }

  init(depth: ColorDepth, palette: Palette) {
    self.depth = depth
    self.palette = palette
  }

  /// The least contrast of text to the background, and of graphs and lines.
  static let textContrast = 4.5
  static let graphContrast = 3.0

  package func style(_ role: Role) -> Style {
    let contrast = role.isLine ? Theme.graphContrast : Theme.textContrast
    var style = palette.roleColors(role).style(
      depth, contrast: contrast, background: palette.luminance)
    style.background = palette.ownBackground(depth)
    return style
  }

  /// All styles by number: that of each role, that of each role in reverse video, and the shades of the roles for
  /// graphs.
  package var styles: [Style] {
    var styles = Role.allCases.map(style) + Role.allCases.map(reversedStyle)
    for role in Role.allCases where role.shadeBase != nil {
      for step in 0..<Role.shadeCount { styles.append(shade(step, of: role)) }
    }
    return styles
  }

  /// The style of a role in a block that is separated from the program by reverse video.
  ///
  /// It has the terminal's two default colors, and labels are neither dim nor bold: colors would become patches of
  /// background, and some terminals apply dim and bold to the color that becomes the background.
  package func reversedStyle(_ role: Role) -> Style {
    let plain = Theme(depth: .none).style(role).attributes
    let weight: Attributes = role.isLabel ? [] : plain.subtracting(.dim)
    return Style(attributes: weight.symmetricDifference(.reverse))
  }

  /// The color of a graph at a height: the higher, the more it differs from the background.
  ///
  /// With fewer than 256 colors all shades are the color of the role.
  func shade(_ step: Int, of role: Role) -> Style {
    var style = style(role)
    guard depth == .direct || depth == .indexed, let color = palette.roleColors(role).color else {
      return style
    }
    let (near, far) =
      palette.background == .dark ? (RGBColor.black, RGBColor.white) : (.white, .black)
    let base = RGBColor(color)
    // From -1 at the bottom to 1 at the top.
    let height = 2 * Double(step) / Double(Role.shadeCount - 1) - 1
    // The bottom is nearer to the background if the contrast allows it, and all steps are equal.
    // Thin dots are harder to see on a light background.
    let least = palette.background == .dark ? Theme.graphContrast : Theme.textContrast
    var share = 0.36
    while share > 0,
      RGBColor.contrast(base.mixed(with: near, share).luminance, palette.luminance)
        < least
    {
      share -= 0.02
    }
    let shade =
      height < 0
      ? base.mixed(with: near, -max(0, share) * height) : base.mixed(with: far, 0.3 * height)
    let index = IndexedColors.shared.nearest(
      to: shade, contrast: least, to: palette.luminance)
    style.foreground = depth == .direct ? shade.color : .indexed(index)
    return style
  }
}
