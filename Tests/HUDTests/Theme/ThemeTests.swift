import HUD
import Terminal
import TestSupport
import Testing

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
    #expect(ColorDepth(colors: colors, colorTerm: colorTerm) == depth)
  }

  @Test(arguments: ColorDepth.allCases)
  func `the table holds each role at its number, and after them all in reverse video`(
    depth: ColorDepth
  ) {
    let theme = Theme(depth: depth)
    let styles = theme.styles
    #expect(styles.count == 2 * Role.allCases.count)
    for role in Role.allCases {
      #expect(styles[Int(role.style.raw)] == theme.style(role))
      let reversed = styles[Int(role.reversedStyle.raw)]
      #expect(reversed == theme.reversedStyle(role))
      #expect(reversed.foreground == .standard && reversed.background == .standard)
      #expect(reversed.attributes.contains(.reverse) == (role != .notice))
    }
  }

  @Test func `the edge is as far from black as from white`() {
    #expect(Theme(depth: .indexed).style(.edge).foreground == .indexed(245))
    for depth in [ColorDepth.none, .eight, .sixteen] {
      #expect(Theme(depth: depth).style(.edge) == .plain)
    }
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

  @Test(arguments: ThemeName.allCases)
  func `what warns differs by more than its color in every theme`(name: ThemeName) {
    for depth in ColorDepth.allCases where depth != .none {
      for role in [Role.alert, .mark, .label, .title, .notice] {
        let style = Theme(depth: depth, name: name).style(role)
        #expect(!style.attributes.isEmpty, "\(role)")
      }
    }
  }

  /// The least contrast of a text on a background, as WCAG 2 has it, that each theme promises.
  @Test(arguments: [
    (ThemeName.dark, 4.5, RGB(0, 0, 0)), (.light, 4.5, RGB(255, 255, 255)),
    (.highContrast, 7, RGB(0, 0, 0)), (.standard, 4.5, RGB(0, 0, 0)),
    (.standard, 2.8, RGB(255, 255, 255)),
    (.colorBlind, 4.5, RGB(0, 0, 0)),
  ])
  func `text is out from the background that the theme is for`(
    name: ThemeName, least: Double, background: RGB
  ) {
    // Lines and tracks are no text.
    for role in Role.allCases where ![.frame, .track, .text].contains(role) {
      guard let color = RGB(Theme(depth: .indexed, name: name).style(role).foreground) else {
        continue
      }
      #expect(color.contrast(background) >= least, "\(role) \(color)")
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

  @Test(arguments: [ThemeName.standard, .colorBlind], ColorVision.allCases)
  func `phases that follow one another are distinguished by every kind of eye`(
    name: ThemeName, vision: ColorVision
  ) throws {
    let theme = Theme(depth: .indexed, name: name)
    // In the order in which phases are given them.
    let roles: [Role] = [.cyan, .orange, .purple, .yellow, .blue, .pink, .green, .red]
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
  @Test(arguments: ThemeName.allCases)
  func `the table of a theme`(name: ThemeName) {
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
        let style = Theme(depth: depth, name: name).style(role)
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
    expectGolden(table.joined(separator: "\n"), file: "Golden/Themes/\(name.rawValue).txt")
  }
}
