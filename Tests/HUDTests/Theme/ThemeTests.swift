import Terminal
import TestSupport
import Testing

@testable import HUD

@Suite struct ThemeTests {
  @Test(arguments: [
    (0, ColorDepth.none), (2, .none), (8, .eight), (15, .eight), (16, .sixteen), (88, .sixteen),
    (256, .indexed), (16_777_216, .indexed),
  ])
  func `the colors of a terminal give its depth`(colors: Int, depth: ColorDepth) {
    #expect(ColorDepth(colors: colors) == depth)
  }

  @Test func `without colors there is none`() {
    for role in Role.allCases {
      let style = Theme(depth: .none).style(role)
      #expect(style.foreground == .standard && style.background == .standard, "\(role)")
    }
  }

  @Test(arguments: [(ColorDepth.eight, 8), (.sixteen, 16), (.indexed, 256)])
  func `colors are those that the terminal has`(depth: ColorDepth, count: Int) {
    for role in Role.allCases {
      let style = Theme(depth: depth).style(role)
      for color in [style.foreground, style.background] where color != .standard {
        #expect(color.paletteIndex.map { Int($0) < count } == true, "\(role)")
      }
    }
  }

  @Test(arguments: ColorDepth.allCases)
  func `the background is the terminal's own`(depth: ColorDepth) {
    for role in Role.allCases { #expect(Theme(depth: depth).style(role).background == .standard) }
  }

  /// CPU, memory and FPS may differ by their color: each has its label and its unit beside it. What
  /// else has to be seen without a color has a weight of its own.
  @Test(arguments: ColorDepth.allCases)
  func `what warns differs from plain text by more than its color`(depth: ColorDepth) {
    let theme = Theme(depth: depth)
    for role in [Role.label, .title, .notice] {
      #expect(!theme.style(role).attributes.isEmpty, "\(role)")
    }
    if depth != .none {
      for role in [Role.alert, .mark] { #expect(!theme.style(role).attributes.isEmpty, "\(role)") }
    }
  }

  @Test(arguments: [ColorDepth.sixteen, .indexed])
  func `the three values have three colors`(depth: ColorDepth) {
    let theme = Theme(depth: depth)
    #expect(Set([Role.cpu, .memory, .fps].map { theme.style($0).foreground }).count == 3)
  }

  @Test(arguments: [
    (8, nil, ColorDepth.eight), (8, "truecolor", .direct), (0, "24bit", .direct),
    (16, "", .sixteen), (256, nil, .indexed),
  ])
  func `a terminal that says so takes 24 bits, whatever its description has`(
    colors: Int, colorTerm: String?, depth: ColorDepth
  ) {
    let source = DirectColorSource(term: "xterm", colorTerm: colorTerm, xtermVersion: nil)
    #expect(ColorDepth(colors: colors, directColors: source) == depth)
  }

  @Test(arguments: [
    ("XTerm(379)", true), ("XTerm(331)", true), ("XTerm(330)", false), ("X.Org 6.8.2(238)", false),
    ("XTerm", false), ("XTerm()", false), ("XTerm(+379)", false), ("(379) x", false), ("", false),
    (nil, false),
  ])
  func `xterm has 24 bits from patch 331 on`(version: String?, isDirect: Bool) {
    let source = DirectColorSource(term: "xterm", colorTerm: nil, xtermVersion: version)
    #expect(source == (isDirect ? .xtermVersion : nil))
  }

  @Test(arguments: ["screen", "screen-256color", "tmux-256color", "linux", "rxvt", "", nil])
  func `a version of xterm that another terminal has inherited says nothing`(term: String?) {
    #expect(DirectColorSource(term: term, colorTerm: nil, xtermVersion: "XTerm(379)") == nil)
  }

  @Test(arguments: [("truecolor", DirectColorSource.colorTerm), ("no", nil), ("", .xtermVersion)])
  func `what COLORTERM says takes precedence over the version of xterm`(
    colorTerm: String, source: DirectColorSource?
  ) {
    #expect(
      DirectColorSource(term: "xterm", colorTerm: colorTerm, xtermVersion: "XTerm(379)") == source)
  }

  @Test(arguments: ColorDepth.allCases)
  func `the table holds each role at its number, and after them all in reverse video`(
    depth: ColorDepth
  ) {
    let theme = Theme(depth: depth)
    let styles = theme.styles
    let shaded = Role.allCases.filter { $0.shade(row: 0, of: 2) != $0.style }
    #expect(styles.count == 2 * Role.allCases.count + Role.shadeCount * shaded.count)
    for role in shaded {
      for row in 0..<6 {
        let style = role.shade(row: row, of: 6)
        #expect(styles[Int(style.raw)].attributes == theme.style(role).attributes)
        #expect(Role(style) == role)
      }
    }
    #expect(Role(StyleID(UInt16(styles.count))) == nil)
    for role in Role.allCases {
      #expect(styles[Int(role.style.raw)] == theme.style(role))
      let reversed = styles[Int(role.reversedStyle.raw)]
      #expect(reversed == theme.reversedStyle(role))
      #expect(reversed.foreground == .standard && reversed.background == .standard)
      #expect(reversed.attributes.contains(.reverse) == (role != .notice))
    }
  }

  @Test func `auto is dark or light, as the background is`() {
    for depth in ColorDepth.allCases {
      #expect(Theme(depth: depth, background: .dark) == Theme(depth: depth, name: .dark))
      #expect(Theme(depth: depth, background: .light) == Theme(depth: depth, name: .light))
      for name in [ThemeName.dark, .light, .mono, .highContrast] {
        #expect(
          Theme(depth: depth, name: name, background: .dark)
            == Theme(depth: depth, name: name, background: .light))
      }
    }
  }

  @Test(arguments: [
    (UInt32(0), Background.dark), (0x1E1E1E, .dark), (0x002B36, .dark), (0x5C5CFF, .dark),
    (0xFFFFFF, .light), (0xFDF6E3, .light), (0xEEE8D5, .light), (0x808080, .light),
  ])
  func `a background is light where black is easier to read on it`(
    color: UInt32, background: Background
  ) {
    #expect(Background(color: color) == background)
  }

  @Test(arguments: [
    ("15;0", Background.dark), ("0;15", .light), ("15;default;0", .dark), ("0;default;7", .light),
    ("7;8", .dark), ("0;default", nil), ("", nil), ("x", nil), ("0;99", nil), (nil, nil),
  ])
  func `COLORFGBG names the background last`(text: String?, background: Background?) {
    #expect(Background(colorFGBG: text) == background)
  }

  // MARK: Themes

  /// The colors of roles as an eye sees them.
  private func labs(of roles: [Role], _ theme: Theme, _ vision: ColorVision) throws -> [Lab] {
    var labs: [Lab] = []
    for role in roles {
      let color = RGB(theme.style(role).foreground)
      labs.append(try #require(color).seen(vision).lab)
    }
    return labs
  }

  @Test(arguments: ThemeName.allCases, ColorDepth.allCases)
  func `every theme has colors of its depth, and the terminal's background`(
    name: ThemeName, depth: ColorDepth
  ) {
    for role in Role.allCases {
      let style = Theme(depth: depth, name: name).style(role)
      for color in [style.foreground, style.background] where color != .standard {
        let isDirect = color.paletteIndex == nil
        #expect(isDirect ? depth == .direct : true, "\(role)")
        if let index = color.paletteIndex { #expect(Int(index) < depth.rawValue, "\(role)") }
      }
      let hasOwnBackground = name == .highContrast && depth != .none
      #expect((style.background != .standard) == hasOwnBackground, "\(role)")
    }
  }

  @Test(arguments: ColorDepth.allCases)
  func `mono has no color at any depth, and marks what warns`(depth: ColorDepth) {
    let theme = Theme(depth: depth, name: .mono)
    for role in Role.allCases { #expect(theme.style(role).foreground == .standard) }
    for role in [Role.alert, .mark, .label, .notice] {
      #expect(!theme.style(role).attributes.isEmpty, "\(role)")
    }
  }

  @Test(arguments: Palette.allCases)
  func `what warns differs by more than its color in every theme`(palette: Palette) {
    for depth in ColorDepth.allCases where depth != .none {
      for role in [Role.alert, .mark, .label, .title, .notice] {
        // Bold red is too bright for a light background in xterm; an alert has its words.
        let isPlain = palette.background == .light && (depth == .eight || depth == .sixteen)
        if role == .alert, isPlain { continue }
        let style = Theme(depth: depth, palette: palette).style(role)
        #expect(!style.attributes.isEmpty, "\(role)")
      }
    }
  }

  /// The backgrounds that a palette is for: the plain one, and one that many terminals have. The first 16 colors are
  /// whatever the user has chosen; xterm's are for the plain one.
  private func backgrounds(_ palette: Palette, _ depth: ColorDepth) -> [RGB] {
    let isPlain = depth == .eight || depth == .sixteen
    if palette == .highContrast { return [RGB(0, 0, 0)] }
    return palette.background == .dark
      ? [RGB(0, 0, 0)] + (isPlain ? [] : [RGB(0x1E, 0x1E, 0x1E)])
      : [RGB(255, 255, 255)] + (isPlain ? [] : [RGB(0xFD, 0xF6, 0xE3)])
  }

  /// What a style looks like in xterm, which shows bold with the bright one of the first eight colors or not.
  private func inks(_ style: Style, _ background: RGB, _ palette: Palette) -> [RGB] {
    let color = style.foreground
    if color == .standard {
      return [palette.background == .dark ? RGB(255, 255, 255) : RGB(0, 0, 0)]
    }
    guard let index = color.paletteIndex, index < 16 else { return RGB(color).map { [$0] } ?? [] }
    let isBright = style.attributes.contains(.bold) && index < 8
    return [xterm[Int(index)]] + (isBright ? [xterm[Int(index) + 8]] : [])
  }

  /// Source: XTerm-col.ad.
  private let xterm: [RGB] = [
    RGB(0, 0, 0), RGB(0xCD, 0, 0), RGB(0, 0xCD, 0), RGB(0xCD, 0xCD, 0), RGB(0, 0, 0xEE),
    RGB(0xCD, 0, 0xCD), RGB(0, 0xCD, 0xCD), RGB(0xE5, 0xE5, 0xE5), RGB(0x7F, 0x7F, 0x7F),
    RGB(255, 0, 0), RGB(0, 255, 0), RGB(255, 255, 0), RGB(0x5C, 0x5C, 255), RGB(255, 0, 255),
    RGB(0, 255, 255), RGB(255, 255, 255),
  ]

  /// Those of bars and graphs, and of lines; the others are of text.
  private static let drawn: Set<Role> = [
    .cpu, .memory, .fps, .frame, .edge, .track, .cpuFrame, .memoryFrame,
  ]

  @Test(arguments: Palette.allCases, [ColorDepth.eight, .sixteen, .indexed, .direct])
  func `text has a contrast of 4.5 to 1 and graphs of 3 to 1`(palette: Palette, depth: ColorDepth) {
    let theme = Theme(depth: depth, palette: palette)
    for background in backgrounds(palette, depth) {
      for role in Role.allCases {
        let least = ThemeTests.drawn.contains(role) ? 3 : 4.5
        let inks = inks(theme.style(role), background, palette)
        #expect(!inks.isEmpty)
        for ink in inks {
          let contrast = ink.contrast(background)
          #expect(contrast >= least, "\(role): \(contrast)")
        }
        for step in 0..<Role.shadeCount where role.shadeBase != nil {
          for ink in self.inks(theme.shade(step, of: role), background, palette) {
            let contrast = ink.contrast(background)
            #expect(contrast >= 3, "\(role), shade \(step): \(contrast)")
          }
        }
      }
    }
  }

  @Test func `high contrast has 7 to 1`() {
    for depth in [ColorDepth.indexed, .direct] {
      for role in Role.allCases {
        let style = Theme(depth: depth, name: .highContrast).style(role)
        let contrast = inks(style, RGB(0, 0, 0), .highContrast)[0].contrast(RGB(0, 0, 0))
        #expect(contrast >= 7, "\(role): \(contrast)")
      }
    }
  }

  @Test(arguments: Palette.allCases, ColorDepth.allCases)
  func `nothing is underlined`(palette: Palette, depth: ColorDepth) {
    for style in Theme(depth: depth, palette: palette).styles {
      #expect(!style.attributes.contains(.underline))
    }
  }

  @Test(arguments: Palette.allCases.filter { $0 != .mono })
  func `a graph is further from the background the higher it is`(palette: Palette) {
    let theme = Theme(depth: .direct, palette: palette)
    let ground = backgrounds(palette, .direct)[0]
    for role in Role.allCases where role.shadeBase != nil {
      let contrasts = (0..<Role.shadeCount).map { step in
        inks(theme.shade(step, of: role), ground, palette)[0].contrast(ground)
      }
      #expect(
        contrasts == contrasts.sorted() && contrasts[0] < contrasts[Role.shadeCount - 1], "\(role)")
    }
    for depth in [ColorDepth.none, .eight, .sixteen] {
      let theme = Theme(depth: depth, palette: palette)
      for step in 0..<Role.shadeCount { #expect(theme.shade(step, of: .cpu) == theme.style(.cpu)) }
    }
  }

  @Test func `the rows of a graph have the shades from the bottom to the top`() {
    #expect(Role.cpu.shade(row: 0, of: 1) == Role.cpu.style)
    #expect(Role.alert.shade(row: 0, of: 9) == Role.alert.style)
    for rows in 2...40 {
      let shades = (0..<rows).map { Role.cpu.shade(row: $0, of: rows).raw }
      #expect(shades == shades.sorted())
      #expect(shades[0] == 2 * UInt16(Role.allCases.count))
      #expect(shades[rows - 1] == shades[0] + UInt16(Role.shadeCount) - 1)
    }
  }

  /// The distances are those in CIELAB; 2.3 is just noticeable.
  @Test(arguments: ThemeName.allCases.filter { $0 != .mono }, ColorVision.allCases)
  func `CPU, memory and FPS are distinguished by every kind of eye`(
    name: ThemeName, vision: ColorVision
  ) throws {
    let theme = Theme(depth: .direct, name: name)
    let colors = try labs(of: [.cpu, .memory, .fps], theme, vision)
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
      let distance = colors[a].distance(colors[b])
      #expect(distance > 12, "\(a) \(b): \(distance)")
    }
  }

  @Test(arguments: [ThemeName.dark, .light, .colorBlind], ColorVision.allCases)
  func `phases that follow one another are distinguished by every kind of eye`(
    name: ThemeName, vision: ColorVision
  ) throws {
    let theme = Theme(depth: .indexed, name: name)
    let roles = DrawContext.phaseColors.map { Role($0) }
    let colors = try labs(of: roles, theme, vision)
    for index in colors.indices {
      let next = (index + 1) % colors.count
      let distance = colors[index].distance(colors[next])
      #expect(distance > 10, "\(roles[index]) \(roles[next]): \(distance)")
    }
  }

  @Test(arguments: ColorVision.allCases)
  func `the phases of the palette for color blindness are distinguished`(vision: ColorVision) throws
  {
    let theme = Theme(depth: .direct, name: .colorBlind)
    let roles: [Role] = [.red, .orange, .yellow, .green, .cyan, .blue, .purple, .gray]
    let colors = try labs(of: roles, theme, vision)
    for a in colors.indices {
      for b in colors.indices where b > a {
        let distance = colors[a].distance(colors[b])
        #expect(distance > 5, "\(roles[a]) \(roles[b]): \(distance)")
      }
    }
  }

  /// What each role looks like at each depth, as the table of the theme.
  @Test(arguments: Palette.allCases)
  func `the table of a theme`(palette: Palette) {
    func text(_ color: Color) -> String {
      if color == .standard { return "-" }
      return color.paletteIndex.map { "\($0)" } ?? String(color.raw & 0xFFFFFF, radix: 16)
    }
    func column(_ text: String) -> String {
      text + String(repeating: " ", count: max(1, 16 - text.count))
    }
    var lines = [
      column("role") + ColorDepth.allCases.map { column("\($0)") }.joined()
    ]
    for role in Role.allCases {
      let looks = ColorDepth.allCases.map { depth in
        let style = Theme(depth: depth, palette: palette).style(role)
        var look = text(style.foreground)
        if style.background != .standard { look += " on \(text(style.background))" }
        let weights: [(Attributes, String)] = [
          (.bold, "b"), (.dim, "d"), (.underline, "u"), (.reverse, "r"),
        ]
        let marks = weights.filter { style.attributes.contains($0.0) }.map(\.1).joined()
        return column(marks.isEmpty ? look : "\(look) \(marks)")
      }
      lines.append(column("\(role)") + looks.joined())
    }
    let table = lines.map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
    expectGolden(table.joined(separator: "\n"), file: "Golden/Themes/\(palette.rawValue).txt")
  }
}
