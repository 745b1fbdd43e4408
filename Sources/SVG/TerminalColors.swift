import Terminal

/// The colors of a terminal in a picture.
package struct TerminalColors: Sendable, Equatable {
  package var foreground: UInt32
  package var background: UInt32
  /// The edge of the window, and the background of its title bar.
  package var edge: UInt32
  package var titleBar: UInt32
  /// The 16 colors that programs select by number.
  package var named: [UInt32]

  package static let dark = TerminalColors(
    foreground: 0xD5_D9E0, background: 0x12_151A, edge: 0x3A_414D, titleBar: 0x1D_2129,
    named: [
      0x1D_2129, 0xEF_6B6B, 0x6C_C070, 0xE0_B65C, 0x6A_A7F0, 0xC4_8AE6, 0x4F_BFC9, 0xC6_CBD4,
      0x6B_7280, 0xFF_8A80, 0x8F_DD8F, 0xF5_D57A, 0x8E_BFFF, 0xDD_A9F7, 0x7A_DCE4, 0xFF_FFFF,
    ])

  package static let light = TerminalColors(
    foreground: 0x24_292F, background: 0xFF_FFFF, edge: 0xC4_CAD2, titleBar: 0xEE_F0F3,
    named: [
      0x24_292F, 0xB4_2318, 0x1F_7A1F, 0x8A_5A00, 0x0B_57C4, 0x8A_2AB8, 0x00_6C7F, 0x6B_7280,
      0x57_606A, 0xCF_222E, 0x2D_8A3E, 0x9A_6700, 0x21_6FDB, 0xA0_3FCF, 0x0F_7F93, 0x8C_959F,
    ])

  /// The colors of a cell, with dim and reverse video applied.
  func colors(of style: Style) -> (foreground: UInt32, background: UInt32) {
    var front = value(style.foreground) ?? foreground
    var back = value(style.background) ?? background
    if style.attributes.contains(.reverse) { swap(&front, &back) }
    if style.attributes.contains(.dim) { front = TerminalColors.mix(front, back, 0.4) }
    if style.attributes.contains(.invisible) { front = back }
    return (front, back)
  }

  func value(_ color: Color) -> UInt32? {
    color.value ?? color.paletteIndex.map { named[Int($0) % named.count] }
  }

  /// - Parameter share: the share of the second color, from 0 to 1.
  static func mix(_ a: UInt32, _ b: UInt32, _ share: Double) -> UInt32 {
    var result: UInt32 = 0
    for shift in [16, 8, 0] as [UInt32] {
      let first = Double(a >> shift & 255)
      let second = Double(b >> shift & 255)
      result |= UInt32((first + (second - first) * share).rounded()) << shift
    }
    return result
  }
}
