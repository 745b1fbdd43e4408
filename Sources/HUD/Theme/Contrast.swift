import Terminal

/// An sRGB color, and its contrast to another one.
///
/// Source: WCAG 2.2, "relative luminance" and "contrast ratio".
struct RGBColor: Equatable, Sendable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8

  init(_ value: UInt32) {
    red = UInt8(truncatingIfNeeded: value >> 16)
    green = UInt8(truncatingIfNeeded: value >> 8)
    blue = UInt8(truncatingIfNeeded: value)
  }

  private init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  static let black = RGBColor(0)
  static let white = RGBColor(0xFF_FFFF)

  var color: Color { .rgb(red, green, blue) }

  /// From 0 for black to 1 for white.
  var luminance: Double {
    0.2126 * RGBColor.linear(red) + 0.7152 * RGBColor.linear(green)
      + 0.0722 * RGBColor.linear(blue)
  }

  private static func linear(_ part: UInt8) -> Double {
    let value = Double(part) / 255
    if value <= 0.04045 { return value / 12.92 }
    // The power 2.4 is the fifth root of the power 12; the standard library has no `pow`.
    let base = (value + 0.055) / 1.055
    let square = base * base
    let fourth = square * square
    let target = fourth * fourth * fourth
    var root = base * base
    for _ in 0..<24 {
      let power = root * root * root * root
      root -= (root - target / power) / 5
    }
    return root
  }

  /// From 1 for the same color to 21 for black on white.
  static func contrast(_ a: Double, _ b: Double) -> Double {
    (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }

  /// The color at a share of the way to another one.
  func mixed(with other: RGBColor, _ share: Double) -> RGBColor {
    func part(_ a: UInt8, _ b: UInt8) -> UInt8 {
      UInt8((Double(a) + (Double(b) - Double(a)) * share).rounded())
    }
    return RGBColor(part(red, other.red), part(green, other.green), part(blue, other.blue))
  }

  var isGray: Bool { red == green && green == blue }

  /// A rough measure of how different two colors are. Green counts most and red least; a difference in all three
  /// components counts less than a difference in hue.
  func distance(_ other: RGBColor) -> Int {
    let (red, green, blue) = (
      Int(red) - Int(other.red), Int(green) - Int(other.green), Int(blue) - Int(other.blue)
    )
    let (a, b, c) = (red - green, green - blue, blue - red)
    return 2 * red * red + 4 * green * green + 3 * blue * blue + a * a + b * b + c * c
  }
}

/// The 240 indexed colors that users do not change.
struct IndexedColors: Sendable {
  private let colors: [RGBColor]
  private let luminances: [Double]

  static let shared = IndexedColors()

  private init() {
    colors = (16...255).map { RGBColor(Color.indexed($0).value ?? 0) }
    luminances = colors.map(\.luminance)
  }

  /// The index of the nearest color with at least this contrast to a background. A color is never replaced by a gray.
  func nearest(to color: RGBColor, contrast: Double, to background: Double) -> UInt8 {
    var best = (index: 0, distance: Int.max)
    for index in colors.indices {
      guard colors[index].isGray == color.isGray,
        RGBColor.contrast(luminances[index], background) >= contrast
      else { continue }
      let distance = colors[index].distance(color)
      if distance < best.distance { best = (index, distance) }
    }
    return UInt8(16 + best.index)
  }
}
