import HUD
import Terminal
import Testing

@Suite struct ThemeTests {
  @Test(arguments: [
    (0, ColorDepth.none), (2, .none), (8, .eight), (15, .eight), (16, .sixteen), (88, .sixteen),
    (256, .indexed), (16_777_216, .indexed),
  ])
  func `the colours of a terminal give its depth`(colors: Int, depth: ColorDepth) {
    #expect(ColorDepth(colors: colors) == depth)
  }

  @Test func `without colours there is none`() {
    for role in Role.allCases {
      let style = Theme(depth: .none).style(role)
      #expect(style.foreground == .standard && style.background == .standard, "\(role)")
    }
  }

  @Test(arguments: [(ColorDepth.eight, 8), (.sixteen, 16), (.indexed, 256)])
  func `colours are those that the terminal has`(depth: ColorDepth, count: Int) {
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

  /// CPU, memory and FPS may differ by their colour: each has its label and its unit beside it. What
  /// else has to be seen without a colour has a weight of its own.
  @Test(arguments: ColorDepth.allCases)
  func `what warns differs from plain text by more than its colour`(depth: ColorDepth) {
    let theme = Theme(depth: depth)
    for role in [Role.label, .title, .notice] {
      #expect(!theme.style(role).attributes.isEmpty, "\(role)")
    }
    if depth != .none {
      for role in [Role.alert, .mark] { #expect(!theme.style(role).attributes.isEmpty, "\(role)") }
    }
  }

  @Test(arguments: [ColorDepth.sixteen, .indexed])
  func `the three figures have three colours`(depth: ColorDepth) {
    let theme = Theme(depth: depth)
    #expect(Set([Role.cpu, .memory, .fps].map { theme.style($0).foreground }).count == 3)
  }

  @Test(arguments: [
    (8, nil, ColorDepth.eight), (8, "truecolor", .indexed), (0, "24bit", .indexed),
    (16, "", .sixteen), (256, nil, .indexed),
  ])
  func `a terminal that names more colours than its description has 256`(
    colors: Int, colorTerm: String?, depth: ColorDepth
  ) {
    #expect(ColorDepth(colors: colors, colorTerm: colorTerm) == depth)
  }

  @Test(arguments: ColorDepth.allCases)
  func `the table holds each role at its number, and behind them all in reverse video`(
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
}
