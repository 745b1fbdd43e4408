import Terminal

/// The themes that there are.
public enum ThemeName: String, CaseIterable, Sendable {
  /// For any background. Its three colors of metrics differ with any common kind of color blindness.
  case standard = "default"
  /// Brighter, for a dark background.
  case dark
  /// Darker, for a light background.
  case light
  /// No color: weights and reverse video.
  case mono
  /// Bright colors on a black of its own, nothing dim.
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

  func roleColors(_ role: Role) -> RoleColors {
    switch self {
    case .standard: ThemeName.standardColors(role)
    case .dark: ThemeName.darkColors(role)
    case .light: ThemeName.lightColors(role)
    case .mono: RoleColors(nil, nil, ThemeName.standardColors(role).attributes)
    case .highContrast: ThemeName.highContrastColors(role)
    case .colorBlind: ThemeName.colorBlindColors(role)
    }
  }

  /// CPU, memory and FPS in blue, orange and bluish green, after Okabe and Ito. All colors are of middle
  /// brightness, so that they are read on a light background as on a dark one.
  private static func standardColors(_ role: Role) -> RoleColors {
    switch role {
    case .text: RoleColors()
    case .dim: RoleColors(245, nil, .dim)
    case .title, .label: RoleColors(nil, nil, .bold)
    case .frame: RoleColors(240, nil, .dim)
    case .cpu: RoleColors(33, 6)
    case .memory: RoleColors(172, 3)
    case .fps: RoleColors(36, 2)
    case .track: RoleColors(238, nil, .dim)
    case .alert: RoleColors(202, 1, .bold)
    case .notice: RoleColors(nil, nil, .reverse)
    case .mark: RoleColors(170, 5, .bold)
    // As far from black as from white: it is seen on a light background and on a dark one.
    case .edge: RoleColors(245)
    case .red: RoleColors(167, 1)
    case .orange: RoleColors(172, 3)
    case .yellow: RoleColors(136, 3)
    case .green: RoleColors(34, 2)
    case .cyan: RoleColors(31, 6)
    case .blue: RoleColors(33, 4)
    case .purple: RoleColors(134, 5)
    case .pink: RoleColors(198, 5)
    case .gray: RoleColors(245)
    }
  }

  private static func darkColors(_ role: Role) -> RoleColors {
    switch role {
    case .dim: RoleColors(248, nil, .dim)
    case .frame: RoleColors(242, nil, .dim)
    case .cpu: RoleColors(117, 14)
    case .memory: RoleColors(215, 11)
    case .fps: RoleColors(85, 10)
    case .track: RoleColors(239, nil, .dim)
    case .alert: RoleColors(210, 9, .bold)
    case .mark: RoleColors(183, 13, .bold)
    case .edge: RoleColors(248)
    case .red: RoleColors(210, 9)
    case .orange: RoleColors(215, 3)
    case .yellow: RoleColors(228, 11)
    case .green: RoleColors(85, 10)
    case .cyan: RoleColors(87, 14)
    case .blue: RoleColors(117, 12)
    case .purple: RoleColors(147, 5)
    case .pink: RoleColors(218, 13)
    case .gray: RoleColors(250)
    default: standardColors(role)
    }
  }

  private static func lightColors(_ role: Role) -> RoleColors {
    switch role {
    case .dim: RoleColors(241, nil, .dim)
    case .frame: RoleColors(247, nil, .dim)
    case .cpu: RoleColors(25, 4)
    case .memory: RoleColors(130, 3)
    case .fps: RoleColors(29, 2)
    case .track: RoleColors(251, nil, .dim)
    case .alert: RoleColors(160, 1, .bold)
    case .mark: RoleColors(91, 5, .bold)
    case .edge: RoleColors(242)
    case .red: RoleColors(160, 1)
    case .orange: RoleColors(130, 3)
    case .yellow: RoleColors(94, 3)
    case .green: RoleColors(22, 2)
    case .cyan: RoleColors(23, 6)
    case .blue: RoleColors(25, 4)
    case .purple: RoleColors(55, 5)
    case .pink: RoleColors(162, 5)
    case .gray: RoleColors(242)
    default: standardColors(role)
    }
  }

  private static func highContrastColors(_ role: Role) -> RoleColors {
    switch role {
    case .text: RoleColors(231, 15)
    case .dim: RoleColors(252, 7)
    case .title, .label: RoleColors(231, 15, .bold)
    case .frame, .edge: RoleColors(250, 7)
    case .track: RoleColors(250, 7)
    case .cpu: RoleColors(51, 14, .bold)
    case .memory: RoleColors(226, 11, .bold)
    case .fps: RoleColors(70, 10, .bold)
    case .alert: RoleColors(217, 11, [.bold, .underline])
    case .notice: RoleColors(231, 15, .reverse)
    case .mark: RoleColors(219, 13, .bold)
    case .red: RoleColors(210, 15)
    case .orange: RoleColors(214, 11)
    case .yellow: RoleColors(226, 11)
    case .green: RoleColors(46, 10)
    case .cyan: RoleColors(51, 14)
    case .blue: RoleColors(117, 14)
    case .purple: RoleColors(183, 13)
    case .pink: RoleColors(218, 13)
    case .gray: RoleColors(250, 7)
    }
  }

  /// Sky blue, orange and bluish green for the values; in 24 bit the very colors that were published.
  /// Source: Okabe and Ito, Color Universal Design, 2002.
  private static func colorBlindColors(_ role: Role) -> RoleColors {
    switch role {
    case .cpu: RoleColors(74, 6, rgb: .rgb(0x56, 0xB4, 0xE9))
    case .memory: RoleColors(214, 3, rgb: .rgb(0xE6, 0x9F, 0x00))
    case .fps: RoleColors(36, 2, rgb: .rgb(0x00, 0x9E, 0x73))
    case .alert: RoleColors(166, 1, [.bold, .underline], rgb: .rgb(0xD5, 0x5E, 0x00))
    case .mark: RoleColors(175, 5, .bold, rgb: .rgb(0xCC, 0x79, 0xA7))
    case .red: RoleColors(166, 1, rgb: .rgb(0xD5, 0x5E, 0x00))
    case .orange: RoleColors(214, 3, rgb: .rgb(0xE6, 0x9F, 0x00))
    case .yellow: RoleColors(227, 3, rgb: .rgb(0xF0, 0xE4, 0x42))
    case .green: RoleColors(36, 2, rgb: .rgb(0x00, 0x9E, 0x73))
    case .cyan: RoleColors(74, 6, rgb: .rgb(0x56, 0xB4, 0xE9))
    case .blue: RoleColors(32, 4, rgb: .rgb(0x00, 0x72, 0xB2))
    // Beside the eight of the palette there is no ninth; this one keeps away from all of them.
    case .purple: RoleColors(135, 5)
    case .pink: RoleColors(175, 5, rgb: .rgb(0xCC, 0x79, 0xA7))
    default: standardColors(role)
    }
  }
}
