/// SGR: the pen's attributes and colours, in the form in which they are sent.
extension Screen {
  /// Carries out SGR (ECMA-48 section 8.3.117; colours ISO 8613-6 section 13.1.8 with colons, and
  /// xterm's form with semicolons).
  @inline(__always) mutating func selectGraphicRendition() {
    let count = parser.valueCount
    if count <= 1, parser.value(0) == 0 {
      pen.style = .plain
      sentBackground = .standard
      isPenUnknown = false
      penChanged()
      return
    }
    applyRendition(count)
  }

  mutating func penChanged() {
    let wasPlain = isPlain
    setStale()
    if !wasPlain || isPenUnknown { updateFastPath() }
  }

  private mutating func applyRendition(_ count: Int) {
    var style = pen.style
    var sent = sentBackground
    var index = 0
    while index < count {
      // A sub-parameter that nobody asked for belongs to a form that is not known.
      if parser.isSubparameter(index) {
        index &+= 1
        continue
      }
      let code = parser.value(index)
      switch code {
      case 0:
        style = .plain
        sent = .standard
        isPenUnknown = false
      case 30...37: style.foreground = .ansi(UInt8(code &- 30))
      case 40...47:
        style.background = .ansi(UInt8(code &- 40))
        sent = style.background
      case 90...97: style.foreground = .ansi(UInt8(code &- 82))
      case 100...107:
        style.background = .ansi(UInt8(code &- 92))
        sent = style.background
      case 38: if let color = takeColor(&index, count) { style.foreground = color }
      case 48:
        if let color = takeColor(&index, count) { style.background = color }
        sent = style.background
      case 58: if let color = takeColor(&index, count) { style.underlineColor = color }
      case 39: style.foreground = .standard
      case 49:
        style.background = .standard
        sent = .standard
      case 7, 27:
        apply(code, &style.attributes)
        if options.quirks.contains(.remembersBackground) { style.background = sent }
      case 59: style.underlineColor = .standard
      case 4:
        let kind = parser.isSubparameter(index &+ 1) ? parser.value(index &+ 1) : 1
        if let underline = Attributes.UnderlineStyle(rawValue: UInt16(truncatingIfNeeded: kind)) {
          style.attributes.underlineStyle = underline
        }
      default: apply(code, &style.attributes)
      }
      index &+= 1
    }
    pen.style = style
    sentBackground = sent
    penChanged()
  }

  private func apply(_ code: Int, _ attributes: inout Attributes) {
    switch code {
    case 1: attributes.insert(.bold)
    case 2: attributes.insert(.dim)
    case 3: attributes.insert(.italic)
    case 5: attributes.insert(.blink)
    case 6: attributes.insert(.rapidBlink)
    case 7: attributes.insert(.reverse)
    case 8: attributes.insert(.invisible)
    case 9: attributes.insert(.strike)
    case 21: attributes.underlineStyle = .double
    case 22: attributes.subtract([.bold, .dim])
    case 23: attributes.remove(.italic)
    case 24: attributes.underlineStyle = .none
    case 25: attributes.subtract([.blink, .rapidBlink])
    case 27: attributes.remove(.reverse)
    case 28: attributes.remove(.invisible)
    case 29: attributes.remove(.strike)
    case 53: attributes.insert(.overline)
    case 55: attributes.remove(.overline)
    default: break
    }
  }

  /// Reads the colour behind 38, 48 or 58, and leaves the index at its last value.
  ///
  /// With colons `38:2::r:g:b` has the number of a colour space before the red, `38:2:r:g:b` has not.
  private func takeColor(_ index: inout Int, _ count: Int) -> Color? {
    let start = index
    if parser.isSubparameter(start + 1) {
      var last = start + 1
      while parser.isSubparameter(last + 1) { last += 1 }
      index = last
      let length = last - start
      switch parser.value(start + 1) {
      case 5 where length >= 2: return indexed(parser.value(start + 2))
      case 2 where length >= 5: return direct(start + 3)
      case 2 where length == 4: return direct(start + 2)
      default: return nil
      }
    }
    switch parser.value(start + 1) {
    case 5 where start + 2 < count:
      index = start + 2
      return indexed(parser.value(start + 2))
    case 2 where start + 4 < count:
      index = start + 4
      return direct(start + 2)
    default:
      index = count
      return nil
    }
  }

  private func indexed(_ value: Int) -> Color? { value < 256 ? .indexed(UInt8(value)) : nil }

  private func direct(_ start: Int) -> Color? {
    let red = parser.value(start)
    let green = parser.value(start + 1)
    let blue = parser.value(start + 2)
    guard red < 256, green < 256, blue < 256 else { return nil }
    return .rgb(UInt8(red), UInt8(green), UInt8(blue))
  }

  /// DECSCA, SPA and EPA.
  mutating func protect(_ isOn: Bool, _ kind: Protection) {
    guard !options.quirks.contains(.noProtection) else { return }
    protection = kind
    pen.isProtected = isOn
    isPenStale = true
  }
}
