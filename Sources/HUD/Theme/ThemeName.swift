import Terminal

/// The themes that there are.
public enum ThemeName: String, CaseIterable, Sendable {
  /// For any background. Its three figures can be told apart with any common kind of colour blindness.
  case standard = "default"
  /// Brighter, for a dark background.
  case dark
  /// Darker, for a light background.
  case light
  /// No colour: weights and reverse video.
  case mono
  /// Bright colours on a black of its own, nothing dim.
  case highContrast = "high-contrast"
  /// The palette of Okabe and Ito, for the phases too.
  case colorBlind = "colorblind"
}

extension ThemeName {
  /// The background that the theme brings along, if it does not leave that to the terminal.
  func background(_ depth: ColorDepth) -> Color {
    guard self == .highContrast else { return .standard }
    switch depth {
    case .direct, .indexed: return .indexed(16)
    case .sixteen, .eight: return .ansi(0)
    case .none: return .standard
    }
  }

  func ink(_ role: Role) -> Ink {
    switch self {
    case .standard: ThemeName.standardInk(role)
    case .dark: ThemeName.darkInk(role)
    case .light: ThemeName.lightInk(role)
    case .mono: Ink(nil, nil, ThemeName.standardInk(role).attributes)
    case .highContrast: ThemeName.highContrastInk(role)
    case .colorBlind: ThemeName.colorBlindInk(role)
    }
  }

  /// CPU, memory and FPS in blue, orange and bluish green, after Okabe and Ito. All colours are of middle
  /// brightness, so that they are read on a light background as on a dark one.
  private static func standardInk(_ role: Role) -> Ink {
    switch role {
    case .text: Ink()
    case .dim: Ink(245, nil, .dim)
    case .title, .label: Ink(nil, nil, .bold)
    case .frame: Ink(240, nil, .dim)
    case .cpu: Ink(33, 6)
    case .memory: Ink(172, 3)
    case .fps: Ink(36, 2)
    case .track: Ink(238, nil, .dim)
    case .alert: Ink(202, 1, .bold)
    case .notice: Ink(nil, nil, .reverse)
    case .mark: Ink(170, 5, .bold)
    // As far from black as from white: it is seen on a light background and on a dark one.
    case .edge: Ink(245)
    case .red: Ink(167, 1)
    case .orange: Ink(172, 3)
    case .yellow: Ink(136, 3)
    case .green: Ink(34, 2)
    case .cyan: Ink(31, 6)
    case .blue: Ink(33, 4)
    case .purple: Ink(134, 5)
    case .pink: Ink(198, 5)
    case .gray: Ink(245)
    }
  }

  private static func darkInk(_ role: Role) -> Ink {
    switch role {
    case .dim: Ink(248, nil, .dim)
    case .frame: Ink(242, nil, .dim)
    case .cpu: Ink(117, 14)
    case .memory: Ink(215, 11)
    case .fps: Ink(85, 10)
    case .track: Ink(239, nil, .dim)
    case .alert: Ink(210, 9, .bold)
    case .mark: Ink(183, 13, .bold)
    case .edge: Ink(248)
    case .red: Ink(210, 9)
    case .orange: Ink(215, 3)
    case .yellow: Ink(228, 11)
    case .green: Ink(85, 10)
    case .cyan: Ink(87, 14)
    case .blue: Ink(117, 12)
    case .purple: Ink(147, 5)
    case .pink: Ink(218, 13)
    case .gray: Ink(250)
    default: standardInk(role)
    }
  }

  private static func lightInk(_ role: Role) -> Ink {
    switch role {
    case .dim: Ink(241, nil, .dim)
    case .frame: Ink(247, nil, .dim)
    case .cpu: Ink(25, 4)
    case .memory: Ink(130, 3)
    case .fps: Ink(29, 2)
    case .track: Ink(251, nil, .dim)
    case .alert: Ink(160, 1, .bold)
    case .mark: Ink(91, 5, .bold)
    case .edge: Ink(242)
    case .red: Ink(160, 1)
    case .orange: Ink(130, 3)
    case .yellow: Ink(94, 3)
    case .green: Ink(22, 2)
    case .cyan: Ink(23, 6)
    case .blue: Ink(25, 4)
    case .purple: Ink(55, 5)
    case .pink: Ink(162, 5)
    case .gray: Ink(242)
    default: standardInk(role)
    }
  }

  private static func highContrastInk(_ role: Role) -> Ink {
    switch role {
    case .text: Ink(231, 15)
    case .dim: Ink(252, 7)
    case .title, .label: Ink(231, 15, .bold)
    case .frame, .edge: Ink(250, 7)
    case .track: Ink(250, 7)
    case .cpu: Ink(51, 14, .bold)
    case .memory: Ink(226, 11, .bold)
    case .fps: Ink(70, 10, .bold)
    case .alert: Ink(217, 11, [.bold, .underline])
    case .notice: Ink(231, 15, .reverse)
    case .mark: Ink(219, 13, .bold)
    case .red: Ink(210, 15)
    case .orange: Ink(214, 11)
    case .yellow: Ink(226, 11)
    case .green: Ink(46, 10)
    case .cyan: Ink(51, 14)
    case .blue: Ink(117, 14)
    case .purple: Ink(183, 13)
    case .pink: Ink(218, 13)
    case .gray: Ink(250, 7)
    }
  }

  /// Sky blue, orange and bluish green for the figures; in 24 bit the very colours that were published.
  /// Source: Okabe and Ito, Color Universal Design, 2002.
  private static func colorBlindInk(_ role: Role) -> Ink {
    switch role {
    case .cpu: Ink(74, 6, rgb: .rgb(0x56, 0xB4, 0xE9))
    case .memory: Ink(214, 3, rgb: .rgb(0xE6, 0x9F, 0x00))
    case .fps: Ink(36, 2, rgb: .rgb(0x00, 0x9E, 0x73))
    case .alert: Ink(166, 1, [.bold, .underline], rgb: .rgb(0xD5, 0x5E, 0x00))
    case .mark: Ink(175, 5, .bold, rgb: .rgb(0xCC, 0x79, 0xA7))
    case .red: Ink(166, 1, rgb: .rgb(0xD5, 0x5E, 0x00))
    case .orange: Ink(214, 3, rgb: .rgb(0xE6, 0x9F, 0x00))
    case .yellow: Ink(227, 3, rgb: .rgb(0xF0, 0xE4, 0x42))
    case .green: Ink(36, 2, rgb: .rgb(0x00, 0x9E, 0x73))
    case .cyan: Ink(74, 6, rgb: .rgb(0x56, 0xB4, 0xE9))
    case .blue: Ink(32, 4, rgb: .rgb(0x00, 0x72, 0xB2))
    // Beside the eight of the palette there is no ninth; this one keeps away from all of them.
    case .purple: Ink(135, 5)
    case .pink: Ink(175, 5, rgb: .rgb(0xCC, 0x79, 0xA7))
    default: standardInk(role)
    }
  }
}
