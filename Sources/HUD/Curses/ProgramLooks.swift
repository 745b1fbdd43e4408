import CNcurses
import Terminal

/// The color pairs of curses for the styles of a program, made as they are needed.
struct ProgramLooks {
  private struct Pair: Hashable {
    var foreground: Int32
    var background: Int32
  }

  private var pairs: [Pair: Int32] = [:]

  mutating func removeAll() { pairs.removeAll(keepingCapacity: true) }

  /// Whether most of the pairs are in use, so that it is better to start over.
  func isFull(after first: Int) -> Bool {
    pairs.count > max(0, Int(nc_color_pairs()) - first) * 3 / 4
  }

  /// The number of a pair; 0, the terminal's own colors, if there is no room.
  ///
  /// - Parameter first: the first number that is free.
  mutating func number(_ foreground: Int32, _ background: Int32, after first: Int) -> Int32 {
    if foreground < 0, background < 0 { return 0 }
    let pair = Pair(foreground: foreground, background: background)
    if let number = pairs[pair] { return number }
    let number = Int32(first + pairs.count)
    guard number < nc_color_pairs(), init_extended_pair(number, foreground, background) == OK else {
      return 0
    }
    pairs[pair] = number
    return number
  }

  /// The attributes of a style that curses has.
  static func attributes(_ style: Style) -> attr_t {
    var attributes: attr_t = NC_NORMAL
    if style.attributes.contains(.bold) { attributes |= NC_BOLD }
    if style.attributes.contains(.dim) { attributes |= NC_DIM }
    if style.attributes.contains(.italic) { attributes |= NC_ITALIC }
    if style.attributes.contains(.underline) { attributes |= NC_UNDERLINE }
    if style.attributes.contains(.blink) || style.attributes.contains(.rapidBlink) {
      attributes |= NC_BLINK
    }
    if style.attributes.contains(.reverse) { attributes |= NC_REVERSE }
    return attributes
  }
}

extension Color {
  /// The nearest color that a terminal with fewer colors has.
  func reduced(to depth: ColorDepth) -> Color {
    switch depth {
    case .none: return .standard
    case .direct:
      // A number below 16 is one of the palette only where the description has a palette.
      return self
    case .indexed:
      guard raw >> 24 == 3 else { return self }
      func step(_ part: UInt32) -> UInt32 { part < 48 ? 0 : part < 115 ? 1 : (part - 35) / 40 }
      let (red, green, blue) = (raw >> 16 & 0xFF, raw >> 8 & 0xFF, raw & 0xFF)
      return .indexed(UInt8(16 + 36 * step(red) + 6 * step(green) + step(blue)))
    case .sixteen, .eight:
      if let index = paletteIndex, index < 16 {
        return .ansi(depth == .eight ? index & 7 : index)
      }
      guard let value else { return self }
      let (red, green, blue) = (value >> 16 & 0xFF, value >> 8 & 0xFF, value & 0xFF)
      let bits = (red > 127 ? 1 : 0) | (green > 127 ? 2 : 0) | (blue > 127 ? 4 : 0)
      return .ansi(UInt8(bits))
    }
  }
}
