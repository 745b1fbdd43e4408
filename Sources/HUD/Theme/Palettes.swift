import Terminal

/// The names of the themes.
package enum ThemeName: String, CaseIterable, Sendable {
  /// `dark` or `light`, depending on the background of the terminal.
  case auto
  case dark
  case light
  /// No colors: weights and reverse video.
  case mono
  /// Bright colors on its own black background, nothing dim.
  case highContrast = "high-contrast"
  /// The palette of Okabe and Ito, also for the phases; depends on the background of the terminal.
  case colorBlind = "colorblind"
}

/// The colors of a theme on a background.
enum Palette: String, CaseIterable, Sendable {
  case dark, light, mono
  case highContrast = "high-contrast"
  case colorBlindDark = "colorblind"
  case colorBlindLight = "colorblind-light"

  init(_ name: ThemeName, on background: Background) {
    switch name {
    case .auto: self = background == .dark ? .dark : .light
    case .dark: self = .dark
    case .light: self = .light
    case .mono: self = .mono
    case .highContrast: self = .highContrast
    case .colorBlind: self = background == .dark ? .colorBlindDark : .colorBlindLight
    }
  }

  /// The background that the colors are for.
  var background: Background {
    switch self {
    case .light, .colorBlindLight: .light
    default: .dark
    }
  }

  /// The promised contrast holds for dark backgrounds up to this luminance, or for light ones down to it: `#1e1e1e` and
  /// `#fdf6e3`, which many terminals use.
  var luminance: Double {
    switch self {
    case .highContrast, .mono: 0
    default: RGBColor(background == .dark ? 0x1E_1E1E : 0xFD_F6E3).luminance
    }
  }

  /// The palette's own background; otherwise that of the terminal.
  func ownBackground(_ depth: ColorDepth) -> Color {
    guard self == .highContrast else { return .standard }
    switch depth {
    case .direct: return .rgb(0, 0, 0)
    case .indexed: return .indexed(16)
    case .sixteen, .eight: return .ansi(0)
    case .none: return .standard
    }
  }

  func roleColors(_ role: Role) -> RoleColors {
    switch self {
    case .dark: Palette.darkColors(role)
    case .light: Palette.lightColors(role)
    case .mono: RoleColors(nil, nil, nil, Palette.darkColors(role).attributes)
    case .highContrast: Palette.highContrastColors(role)
    case .colorBlindDark: Palette.colorBlindDarkColors(role)
    case .colorBlindLight: Palette.colorBlindLightColors(role)
    }
  }

  /// CPU, memory and FPS in blue, orange and bluish green, after Okabe and Ito.
  ///
  /// Of 8 colors only green, yellow, cyan and white have enough contrast to black for text; of 16 also the bright ones
  /// except blue.
  private static func darkColors(_ role: Role) -> RoleColors {
    switch role {
    case .text: RoleColors()
    case .dim: RoleColors(0x8F_8F8F, nil, nil, .dim)
    case .title, .label: RoleColors(nil, nil, nil, .bold)
    case .frame: RoleColors(0x70_7070, nil, nil, .dim)
    case .track: RoleColors(0x6C_6C6C, nil, nil, .dim)
    case .edge: RoleColors(0x9E_9E9E)
    case .cpuFrame: RoleColors(0x46_74A6, nil, nil, .dim)
    case .memoryFrame: RoleColors(0x94_6C3C, nil, nil, .dim)
    case .cpu: RoleColors(0x4A_A8FF, 6, 6)
    case .memory: RoleColors(0xF0_A040, 3, 3)
    case .fps: RoleColors(0x2F_C796, 2, 2)
    case .cpuLabel: darkColors(.cpu).bold()
    case .memoryLabel: darkColors(.memory).bold()
    case .fpsLabel: darkColors(.fps).bold()
    case .alert: RoleColors(0xFF_6B4A, 9, 3, .bold)
    case .notice: RoleColors(nil, nil, nil, .reverse)
    case .mark: RoleColors(0xD9_8CFF, 13, 6, .bold)
    case .red: RoleColors(0xFF_6B6B, 9, 3)
    case .orange: RoleColors(0xF0_A040, 3, 3)
    case .yellow: RoleColors(0xE3_D04F, 11, 3)
    case .green: RoleColors(0x5F_C94F, 10, 2)
    case .cyan: RoleColors(0x2E_C4D6, 14, 6)
    case .blue: RoleColors(0x5E_A8FF, 6, 6)
    case .purple: RoleColors(0xB4_8AFF, 13, 7)
    case .pink: RoleColors(0xFF_7EB6, 13, 7)
    case .gray: RoleColors(0xA8_A8A8)
    }
  }

  /// Of 8 colors only red, blue and magenta have enough contrast to white for text. xterm shows bold red and magenta
  /// too bright, so an alert and the labels of values are not bold there; their words are enough.
  private static func lightColors(_ role: Role) -> RoleColors {
    switch role {
    case .dim: RoleColors(0x58_5858, nil, nil, .dim)
    case .frame, .track: RoleColors(0x8A_8A8A, nil, nil, .dim)
    case .edge: RoleColors(0x6C_6C6C)
    case .cpuFrame: RoleColors(0x5C_84B4, nil, nil, .dim)
    case .memoryFrame: RoleColors(0xA6_7C40, nil, nil, .dim)
    case .cpu: RoleColors(0x0B_61C4, 4, 4)
    case .memory: RoleColors(0xA8_5A00, 5, 5)
    case .fps: RoleColors(0x00_7A5A, 8, 4)
    case .cpuLabel: lightColors(.cpu).bold(plain: [])
    case .memoryLabel: lightColors(.memory).bold(plain: [])
    case .fpsLabel: RoleColors(0x00_7A5A, nil, nil, .bold)
    case .alert: RoleColors(0xC6_2200, 1, 1, .bold, plain: [])
    case .mark: RoleColors(0x8A_2AB8, 4, 4, .bold)
    case .red: RoleColors(0xC0_2626, 1, 1)
    case .orange: RoleColors(0xA8_5A00, 1, 1)
    case .yellow: RoleColors(0x75_6000, 1, 1)
    case .green: RoleColors(0x1F_7A1F)
    case .cyan: RoleColors(0x00_718A, 4, 4)
    case .blue: RoleColors(0x1A_56C4, 4, 4)
    case .purple: RoleColors(0x70_40C8, 5, 5)
    case .pink: RoleColors(0xB8_317F, 5, 5)
    case .gray: RoleColors(0x62_6262)
    case .text, .title, .label, .notice: darkColors(role)
    }
  }

  private static func highContrastColors(_ role: Role) -> RoleColors {
    switch role {
    case .text: RoleColors(0xFF_FFFF, 15, 7)
    case .dim: RoleColors(0xD0_D0D0, 7, 7)
    case .title, .label: RoleColors(0xFF_FFFF, 15, 7, .bold)
    case .frame, .edge, .track, .cpuFrame, .memoryFrame: RoleColors(0xBC_BCBC, 7, 7)
    case .cpu, .cpuLabel: RoleColors(0x00_FFFF, 14, 6, .bold)
    case .memory, .memoryLabel: RoleColors(0xFF_FF00, 11, 3, .bold)
    case .fps, .fpsLabel: RoleColors(0x5F_AF00, 10, 2, .bold)
    case .alert: RoleColors(0xFF_AFAF, 11, 3, .bold)
    case .notice: RoleColors(0xFF_FFFF, 15, 7, .reverse)
    case .mark: RoleColors(0xFF_AFFF, 14, 6, .bold)
    case .red: RoleColors(0xFF_8787, 15, 7)
    case .orange: RoleColors(0xFF_AF00, 11, 3)
    case .yellow: RoleColors(0xFF_FF00, 11, 3)
    case .green: RoleColors(0x00_FF00, 10, 2)
    case .cyan: RoleColors(0x00_FFFF, 14, 6)
    case .blue: RoleColors(0x87_D7FF, 14, 6)
    case .purple: RoleColors(0xD7_AFFF, 15, 7)
    case .pink: RoleColors(0xFF_AFD7, 15, 7)
    case .gray: RoleColors(0xBC_BCBC, 7, 7)
    }
  }

  /// Sky blue, orange and bluish green for the values. Vermillion, blue and reddish purple are lighter than published,
  /// so that they are readable on black. Source: Okabe and Ito, Color Universal Design, 2002.
  private static func colorBlindDarkColors(_ role: Role) -> RoleColors {
    switch role {
    case .cpu, .cyan: RoleColors(0x56_B4E9, 6, 6)
    case .memory, .orange: RoleColors(0xE6_9F00, 3, 3)
    case .fps: RoleColors(0x00_9E73, 2, 2)
    case .cpuLabel: colorBlindDarkColors(.cpu).bold()
    case .memoryLabel: colorBlindDarkColors(.memory).bold()
    case .fpsLabel: colorBlindDarkColors(.fps).bold()
    case .green: RoleColors(0x00_9E73, 10, 2)
    case .alert: RoleColors(0xEE_7526, 9, 3, .bold)
    case .mark: RoleColors(0xD9_8AB5, 13, 6, .bold)
    case .red: RoleColors(0xEE_7526, 9, 3)
    case .yellow: RoleColors(0xF0_E442, 11, 3)
    case .blue: RoleColors(0x3F_9BDC, 6, 6)
    // The palette has only eight colors; this ninth one differs clearly from all of them.
    case .purple: RoleColors(0xB4_6AFF, 13, 7)
    case .pink: RoleColors(0xD9_8AB5, 13, 7)
    default: darkColors(role)
    }
  }

  /// The same colors, but darker, so that they are readable on white.
  private static func colorBlindLightColors(_ role: Role) -> RoleColors {
    switch role {
    case .cpu: RoleColors(0x00_72B2, 4, 4)
    case .memory, .orange: RoleColors(0x9A_6400, 1, 1)
    case .fps: RoleColors(0x00_7A5A, 8, 4)
    case .cpuLabel: colorBlindLightColors(.cpu).bold(plain: [])
    case .memoryLabel: colorBlindLightColors(.memory).bold(plain: [])
    case .fpsLabel: RoleColors(0x00_7A5A, nil, nil, .bold)
    case .alert: RoleColors(0xB8_4A00, 1, 1, .bold, plain: [])
    case .red: RoleColors(0xB8_4A00, 1, 1)
    case .mark: RoleColors(0xA8_437F, 4, 4, .bold)
    case .yellow: RoleColors(0x6F_6A00, 1, 1)
    case .green: RoleColors(0x00_7A5A)
    case .cyan: RoleColors(0x00_709A, 4, 4)
    case .blue: RoleColors(0x00_4F8F, 4, 4)
    case .purple: RoleColors(0x70_40C8, 5, 5)
    case .pink: RoleColors(0xA8_437F, 5, 5)
    default: lightColors(role)
    }
  }
}
