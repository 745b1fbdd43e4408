/// A color in the form in which it was sent. 30–37, 90–97, 38;5;n and 38;2;r;g;b are kept apart, since bold changes
/// only the first of these on many terminals.
@frozen package struct Color: Hashable, Sendable, BitwiseCopyable {
  /// Form in bits 24–31 (0 default, 1 ANSI 0–15, 2 indexed 0–255, 3 RGB), value in bits 0–23.
  package let raw: UInt32

  @inlinable init(raw: UInt32) { self.raw = raw }

  /// Whether it is an RGB value instead of a color number.
  var isDirect: Bool { raw >> 24 == 3 }

  /// A color that is unknown.
  static let unknown = Color(raw: 0xFF00_0000)

  /// The terminal's own foreground or background (SGR 39, 49).
  package static let standard = Color(raw: 0)

  /// One of the 16 named colors: SGR 30–37 and 90–97 (40–47, 100–107).
  @inlinable package static func ansi(_ index: UInt8) -> Color {
    Color(raw: 1 << 24 | UInt32(index & 15))
  }

  /// One of the 256 colors: SGR 38;5;n.
  @inlinable package static func indexed(_ index: UInt8) -> Color {
    Color(raw: 2 << 24 | UInt32(index))
  }

  /// A direct color: SGR 38;2;r;g;b.
  @inlinable package static func rgb(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Color {
    Color(raw: 3 << 24 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
  }

  /// Red, green and blue in the lower 24 bits, for a direct color and for the 240 indexed colors that users do not
  /// change; `nil` for others.
  ///
  /// Source: xterm's 256colres.h: a cube of 6 x 6 x 6, and 24 steps of gray.
  package var value: UInt32? {
    if raw >> 24 == 3 { return raw & 0xFF_FFFF }
    guard let index = paletteIndex.map(UInt32.init), index >= 16 else { return nil }
    if index >= 232 { return (8 + 10 * (index - 232)) * 0x01_0101 }
    func level(_ step: UInt32) -> UInt32 { step == 0 ? 0 : 55 + 40 * step }
    let place = index - 16
    return level(place / 36) << 16 | level(place / 6 % 6) << 8 | level(place % 6)
  }

  /// The palette index of an ANSI or indexed color.
  package var paletteIndex: UInt8? {
    switch raw >> 24 {
    case 1, 2: return UInt8(truncatingIfNeeded: raw)
    default: return nil
    }
  }
}

/// The rendition of a character apart from its colors (ECMA-48 SGR).
@frozen package struct Attributes: OptionSet, Hashable, Sendable, BitwiseCopyable {
  package let rawValue: UInt32
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// SGR 1.
  package static let bold = Attributes(rawValue: 1 << 0)
  /// SGR 2, faint.
  package static let dim = Attributes(rawValue: 1 << 1)
  /// SGR 4 and 21, in any style: see `underlineStyle`.
  package static let underline = Attributes(rawValue: 1 << 2)
  /// SGR 7.
  package static let reverse = Attributes(rawValue: 1 << 3)
  /// SGR 3.
  package static let italic = Attributes(rawValue: 1 << 4)
  /// SGR 5.
  package static let blink = Attributes(rawValue: 1 << 5)
  /// SGR 6.
  package static let rapidBlink = Attributes(rawValue: 1 << 6)
  /// SGR 8.
  package static let invisible = Attributes(rawValue: 1 << 7)
  /// SGR 9.
  package static let strike = Attributes(rawValue: 1 << 8)
  /// SGR 53.
  package static let overline = Attributes(rawValue: 1 << 9)
  /// SGR 4 together with 21, on terminals where these are two separate attributes; see
  /// `TerminalQuirks.plainUnderlines`.
  package static let singleBesideDouble = Attributes(rawValue: 1 << 10)

  /// How a line under the text is drawn: SGR `4:n`, and 21 for a double one.
  @frozen package enum UnderlineStyle: UInt32, Sendable, BitwiseCopyable {
    case none = 0
    case single = 1
    case double = 2
    case curly = 3
    case dotted = 4
    case dashed = 5
  }

  /// The style of the line. Bits 12–14 contain it minus one, if the `underline` bit is set.
  @inlinable package var underlineStyle: UnderlineStyle {
    get {
      guard rawValue & 4 != 0 else { return .none }
      return UnderlineStyle(rawValue: (rawValue >> 12 & 7) &+ 1) ?? .single
    }
    set {
      var bits = rawValue & ~(7 << 12 | 4 | 1 << 10)
      if newValue != .none { bits |= 4 | (newValue.rawValue &- 1) << 12 }
      self = Attributes(rawValue: bits)
    }
  }
}

/// How a cell is drawn.
@frozen package struct Style: Hashable, Sendable, BitwiseCopyable {
  package var foreground: Color
  package var background: Color
  /// SGR 58 and 59; the standard color is that of the text.
  package var underlineColor: Color
  package var attributes: Attributes

  @inlinable package init(
    foreground: Color = .standard, background: Color = .standard, attributes: Attributes = [],
    underlineColor: Color = .standard
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
    self.underlineColor = underlineColor
  }

  package static let plain = Style()
}

/// The number of a style in a table that the owner keeps; 0 is the plain style.
@frozen package struct StyleID: Hashable, Sendable, BitwiseCopyable {
  package let raw: UInt16
  @inlinable package init(_ raw: UInt16) { self.raw = raw }

  package static let plain = StyleID(0)
}
