/// SGR: the pen's attributes and colors, in the form in which they are sent.
extension Screen {
  /// Executes SGR (ECMA-48 section 8.3.117; colors ISO 8613-6 section 13.1.8 with colons, and xterm's form with
  /// semicolons).
  @inline(__always) mutating func selectGraphicRendition() {
    let count = parser.valueCount
    if count <= 1, parser.value(0) == 0 {
      pen.style = .plain
      penState.sentBackground = .standard
      certainty.isPenUnknown = false
      penChanged()
      return
    }
    applyRendition(count)
  }

  mutating func penChanged() {
    let wasPlain = feeding.isPlain
    setStale()
    if !wasPlain || isPenUnknown || hidesText { updateFastPath() }
  }

  private mutating func applyRendition(_ count: Int) {
    if parser.subparameters != 0, options.quirks.contains(.plainUnderlines) {
      return applyRenditionAsXterm(count)
    }
    var style = pen.style
    var sent = penState.sentBackground
    var index = 0
    while index < count {
      // An unexpected sub-parameter belongs to an unknown form.
      if parser.isSubparameter(index) {
        index &+= 1
        continue
      }
      let code = parser.value(index)
      apply(code, at: &index, count, &style, &sent)
      index &+= 1
    }
    pen.style = style
    penState.sentBackground = sent
    penChanged()
  }

  /// Applies one parameter, and leaves the index at the last one that belongs to it. `PlainSGR` defines most of them.
  @inline(__always) private mutating func apply(
    _ code: Int, at index: inout Int, _ count: Int, _ style: inout Style, _ sent: inout Color
  ) {
    if code < PlainSGR.count, tables.renditions[code].isPlain {
      let rendition = tables.renditions[code]
      rendition.apply(to: &style)
      if rendition.setsBackground { sent = style.background }
      if code == 0 { certainty.isPenUnknown = false }
      return
    }
    switch code {
    case 38: if let color = takeColor(&index, count) { style.foreground = color }
    case 48:
      if let color = takeColor(&index, count) { style.background = color }
      sent = style.background
    case 58 where !options.quirks.contains(.plainUnderlines):
      if let color = takeColor(&index, count) { style.underlineColor = color }
    case 7, 27:
      apply(code, &style.attributes)
      if options.quirks.contains(.remembersBackground) {
        // The number is then read in the form that DECRC has restored: as an index or as a direct color.
        let isMixed = sent != .standard && sent.isDirect != style.background.isDirect
        if isMixed || sent == .unknown { certainty.isPenUnknown = true }
        if sent != .unknown { style.background = sent }
      }
    case 59: style.underlineColor = .standard
    case 4, 21, 6, 53:
      guard !options.quirks.contains(.plainUnderlines) else {
        applyPlain(code, &style.attributes)
        break
      }
      guard code == 4 else {
        apply(code, &style.attributes)
        break
      }
      let kind = parser.isSubparameter(index &+ 1) ? parser.value(index &+ 1) : 1
      if let underline = Attributes.UnderlineStyle(rawValue: UInt32(truncatingIfNeeded: kind)) {
        style.attributes.underlineStyle = underline
      }
    default: apply(code, &style.attributes)
    }
  }

  /// Applies SGR with sub-parameters as xterm 379 reads it. xterm confuses the index of a parameter with its number, so
  /// only the first group is reliably understood, and a group that does not belong to a color is taken for SGR 30.
  private mutating func applyRenditionAsXterm(_ count: Int) {
    var style = pen.style
    var sent = penState.sentBackground
    var index = 0
    while index < count {
      let length = groupLength(index)
      var code = parser.value(index)
      if length > 0, code != 38, code != 48 {
        index += length
        code = 30
      }
      if code == 38 || code == 48 {
        if let color = takeColorAsXterm(&index, count) {
          if code == 38 { style.foreground = color } else { style.background = color }
        }
        if code == 48 { sent = style.background }
      } else {
        apply(code, at: &index, count, &style, &sent)
      }
      index += 1
    }
    pen.style = style
    penState.sentBackground = sent
    penChanged()
  }

  /// The index of a sub-parameter of a parameter, whose number is counted without sub-parameters. Sub-parameter 0 is
  /// the parameter itself.
  private func place(_ number: Int, _ sub: Int) -> Int? {
    var index = 0
    for _ in 0..<number {
      index += 1
      while parser.isSubparameter(index) { index += 1 }
    }
    guard index < parser.valueCount else { return nil }
    for _ in 0..<sub {
      index += 1
      guard parser.isSubparameter(index) else { return nil }
    }
    return index
  }

  /// The number of sub-parameters of a parameter.
  private func groupLength(_ number: Int) -> Int {
    guard let first = place(number, 0) else { return 0 }
    var last = first
    while parser.isSubparameter(last + 1) { last += 1 }
    return last - first
  }

  private func takeColorAsXterm(_ index: inout Int, _ count: Int) -> Color? {
    var base = place(index, 0) ?? -1
    var length = groupLength(index)
    var values: [Int?] = []
    let code: Int?
    func value(_ sub: Int) -> Int? {
      guard base >= 0 else { return nil }
      return place(base, sub).map { parser.value($0) }
    }
    if length > 0 {
      code = value(1)
      for offset in 0..<3 { values.append(value(2 + offset + (length > 4 ? 1 : 0))) }
      index += length
    } else {
      guard index + 1 < count else { return nil }
      index += 1
      base += 1
      length = groupLength(index)
      if length > 0 {
        code = value(0)
        for offset in 0..<3 { values.append(value(1 + offset + (length > 3 ? 1 : 0))) }
        index = base + length
      } else {
        let first = index
        code = parser.value(first)
        for offset in 1...3 {
          values.append(first + offset < count ? parser.value(first + offset) : nil)
        }
        index += code == 5 ? 1 : code == 2 ? 3 : 0
      }
    }
    guard let first = values[0], first < 256 else { return nil }
    if code == 5 { return .indexed(UInt8(first)) }
    guard code == 2, let second = values[1], let third = values[2], second < 256, third < 256 else {
      return nil
    }
    return .rgb(UInt8(first), UInt8(second), UInt8(third))
  }

  /// Applies codes that differ on a terminal without underline styles.
  private func applyPlain(_ code: Int, _ attributes: inout Attributes) {
    let style = attributes.underlineStyle
    switch code {
    case 4 where style == .double: attributes.insert(.singleBesideDouble)
    case 4: attributes.underlineStyle = .single
    case 21 where style == .single:
      attributes.underlineStyle = .double
      attributes.insert(.singleBesideDouble)
    case 21 where style == .none: attributes.underlineStyle = .double
    case 6: attributes.insert(.blink)
    default: break
    }
  }

  private func apply(_ code: Int, _ attributes: inout Attributes) {
    switch code {
    case 6: attributes.insert(.rapidBlink)
    case 7: attributes.insert(.reverse)
    case 8: attributes.insert(.invisible)
    case 21: attributes.underlineStyle = .double
    case 24: attributes.underlineStyle = .none
    case 27: attributes.remove(.reverse)
    case 28: attributes.remove(.invisible)
    case 53: attributes.insert(.overline)
    case 55: attributes.remove(.overline)
    default: break
    }
  }

  /// Reads the color after 38, 48 or 58, and leaves the index at its last value.
  ///
  /// With colons, `38:2::r:g:b` has the number of a color space before the red, and `38:2:r:g:b` does not.
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
      // In xterm only a known form takes the following numbers with it.
      let code = parser.value(start + 1)
      let isForm = code == 2 || code == 5
      index = options.quirks.contains(.plainUnderlines) && !isForm ? min(start + 1, count) : count
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

  /// DECSCA and SPA.
  mutating func protect(_ isOn: Bool, _ kind: Protection) {
    guard !options.quirks.contains(.noProtection) else { return }
    certainty.isProtectionKnown = true
    protection = kind
    setProtected(isOn)
  }

  /// EPA: protected cells stay protected.
  mutating func endProtection() {
    guard !options.quirks.contains(.noProtection) else { return }
    setProtected(false)
  }

  private mutating func setProtected(_ isOn: Bool) {
    pen.isProtected = isOn
    penState.isStale = true
    updateFastPath()
  }
}
