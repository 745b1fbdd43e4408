// Styles as the bytes that set them.

extension OutputQueue {
  /// The bytes of `appendRendition` for each style.
  static func renditions(of styles: [Style]) -> [[UInt8]] {
    var queue = OutputQueue()
    return styles.map { style in
      queue.removeAll()
      queue.appendRendition(style)
      return queue.bytes
    }
  }

  /// Appends SGR for a complete style, whatever was set before. Colors keep the form in which they came.
  ///
  /// Two direct colors take two sequences, because mlterm ignores a sequence with that many parameters.
  mutating func appendRendition(_ style: Style) {
    if style == .plain {
      append("\u{1B}[m")
      return
    }
    append("\u{1B}[0")
    let attributes = style.attributes
    if attributes.contains(.bold) { append(";1") }
    if attributes.contains(.dim) { append(";2") }
    if attributes.contains(.italic) { append(";3") }
    switch attributes.underlineStyle {
    case .none: break
    case .single: append(";4")
    case .double: append(attributes.contains(.singleBesideDouble) ? ";4;21" : ";21")
    case .curly: append(";4:3")
    case .dotted: append(";4:4")
    case .dashed: append(";4:5")
    }
    if attributes.contains(.blink) { append(";5") }
    if attributes.contains(.rapidBlink) { append(";6") }
    if attributes.contains(.reverse) { append(";7") }
    if attributes.contains(.invisible) { append(";8") }
    if attributes.contains(.strike) { append(";9") }
    if attributes.contains(.overline) { append(";53") }
    appendColor(style.foreground, named: 30, bright: 90, extended: ";38")
    let isSplit = style.foreground.isDirect && style.background.isDirect
    appendColor(
      style.background, named: 40, bright: 100, extended: isSplit ? "m\u{1B}[48" : ";48")
    appendUnderline(style.underlineColor)
    append(UInt8(ascii: "m"))
  }

  private mutating func appendColor(
    _ color: Color, named: Int, bright: Int, extended: StaticString
  ) {
    let value = Int(color.raw & 0xFF_FFFF)
    switch color.raw >> 24 {
    case 1:
      append(UInt8(ascii: ";"))
      append(decimal: value < 8 ? named + value : bright + value - 8)
    case 2:
      append(extended)
      append(";5;")
      append(decimal: value)
    case 3:
      append(extended)
      append(";2;")
      append(decimal: value >> 16)
      append(UInt8(ascii: ";"))
      append(decimal: value >> 8 & 0xFF)
      append(UInt8(ascii: ";"))
      append(decimal: value & 0xFF)
    default: break
    }
  }

  /// Only with colons: a terminal that does not know 58 would take semicolon-separated values for attributes.
  private mutating func appendUnderline(_ color: Color) {
    let value = Int(color.raw & 0xFF_FFFF)
    switch color.raw >> 24 {
    case 1, 2:
      append(";58:5:")
      append(decimal: value)
    case 3:
      append(";58:2::")
      append(decimal: value >> 16)
      append(UInt8(ascii: ":"))
      append(decimal: value >> 8 & 0xFF)
      append(UInt8(ascii: ":"))
      append(decimal: value & 0xFF)
    default: break
    }
  }
}
