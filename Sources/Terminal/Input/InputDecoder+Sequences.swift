/// The parameters of a control sequence, in fixed memory.
///
/// A sequence with more parameters, or with a misplaced byte, is malformed and ignored.
struct Parameters: BitwiseCopyable {
  static let limit = 16

  /// `<`, `=`, `>` or `?`; 0 if there is none.
  private(set) var prefix: UInt8 = 0
  private(set) var intermediate: UInt8 = 0
  private(set) var isMalformed = false
  /// The index of the current parameter + 1; 0 before the first.
  private(set) var count = 0
  private var values = InlineArray<16, UInt32>(repeating: 0)
  /// The part after the first colon.
  private var details = InlineArray<16, UInt32>(repeating: 0)
  private var part = 0

  /// The parameter, or 0 if it is missing or empty.
  subscript(index: Int) -> Int { index < count ? Int(values[index]) : 0 }
  /// What follows the first colon in the parameter, or 0.
  func detail(_ index: Int) -> Int { index < count ? Int(details[index]) : 0 }

  /// Reads a byte from 0x20 to 0x3F.
  mutating func take(_ byte: UInt8, isFirst: Bool) {
    switch byte {
    case 0x3C...0x3F:
      if isFirst { prefix = byte } else { isMalformed = true }
    case 0x20...0x2F:
      if intermediate == 0 { intermediate = byte } else { isMalformed = true }
    default: takeNumber(byte)
    }
  }

  private mutating func takeNumber(_ byte: UInt8) {
    if intermediate != 0 { isMalformed = true }
    if count == 0 { count = 1 }
    switch byte {
    case UInt8(ascii: ";"):
      part = 0
      if count == Parameters.limit { isMalformed = true } else { count += 1 }
    case UInt8(ascii: ":"): part += 1
    default:
      let digit = UInt32(byte & 0x0F)
      // No meaningful number has more digits than the largest character.
      if part == 0 { values[count - 1] = min(values[count - 1] * 10 + digit, 0x1F_FFFF) }
      if part == 1 { details[count - 1] = min(details[count - 1] * 10 + digit, 0x1F_FFFF) }
    }
  }
}

/// The meaning of a complete sequence. Source: XTerm Control Sequences, "PC-Style Function Keys" and "Mouse Tracking";
/// the kitty keyboard protocol; console_codes(4).
extension InputDecoder {
  /// The key of a control byte: Ctrl with the letter 0x40 above it, or the key that has a name.
  ///
  /// 0x08 is Backspace on terminals that send it for that key, so Ctrl-H cannot be distinguished from it.
  static func controlKey(_ byte: UInt8) -> Key {
    switch byte {
    case 0x00: return .control(" ")
    case 0x08, 0x7F: return .backspace
    case 0x09: return .tab
    case 0x0D: return .enter
    case 0x1B: return .escape
    case 0x01...0x1A: return .control(Unicode.Scalar(byte | 0x60))
    default: return .control(Unicode.Scalar(byte | 0x40))
    }
  }

  /// F1 to F5 of the Linux console: `CSI [ A` to `CSI [ E`.
  static func linuxFunction(_ byte: UInt8) -> InputEvent {
    (0x41...0x45).contains(byte) ? .key(.function(byte - 0x40)) : .unknown
  }

  // MARK: SS3

  func singleShift(final: UInt8) -> InputEvent {
    if parameters.isMalformed { return .unknown }
    let modifiers = InputDecoder.modifiers(parameters[parameters.count > 1 ? 1 : 0])
    if let code = InputDecoder.cursorOrFunction(final) { return .key(Key(code, modifiers)) }
    switch final {  // the application keypad of the VT100
    case UInt8(ascii: "M"): return .key(Key(.enter, modifiers))
    case UInt8(ascii: "I"): return .key(Key(.tab, modifiers))
    case UInt8(ascii: " "): return .key(Key(.character(" "), modifiers))
    case UInt8(ascii: "X"): return .key(Key(.character("="), modifiers))
    case UInt8(ascii: "j")...UInt8(ascii: "y"):
      return .key(Key(.character(Unicode.Scalar(final - 0x40)), modifiers))
    default: return .unknown
    }
  }

  // MARK: CSI

  mutating func controlSequence(final: UInt8) -> InputEvent {
    if parameters.isMalformed { return .unknown }
    switch parameters.prefix {
    case 0: break
    case UInt8(ascii: "<"): return sgrMouse(final: final)
    default: return answer(final: final)
    }
    if parameters.intermediate != 0 {
      return final == UInt8(ascii: "y") ? .answer(.other) : .unknown
    }
    if final == UInt8(ascii: "R"), let answer = cursorReport() { return answer }
    if let code = InputDecoder.cursorOrFunction(final) { return key(code) }
    switch final {
    case UInt8(ascii: "Z"): return key(.tab, adding: .shift)
    case UInt8(ascii: "~"): return tilde()
    case UInt8(ascii: "^"): return numbered(adding: .control)  // rxvt
    case UInt8(ascii: "@"): return numbered(adding: [.control, .shift])  // rxvt
    case UInt8(ascii: "u"): return kittyKey()
    case UInt8(ascii: "z") where (224...235).contains(parameters[0]):  // Sun
      return key(.function(UInt8(parameters[0] - 223)))
    case UInt8(ascii: "X") where parameters.count == 0: return .key(.function(12))  // SCO
    case UInt8(ascii: "I"): return parameters.count == 0 ? .focusGained : .unknown
    case UInt8(ascii: "O"): return parameters.count == 0 ? .focusLost : .unknown
    case UInt8(ascii: "M"):  // urxvt
      guard parameters.count == 3 else { return .unknown }
      return mouse(bits: parameters[0] - 32, column: parameters[1], row: parameters[2])
    case UInt8(ascii: "n"), UInt8(ascii: "t"), UInt8(ascii: "x"): return .answer(.other)
    default: return .unknown
    }
  }

  private func answer(final: UInt8) -> InputEvent {
    let isPrivate = parameters.prefix == UInt8(ascii: "?")
    switch final {
    case UInt8(ascii: "c") where isPrivate: return .answer(.deviceAttributes)
    case UInt8(ascii: "y") where isPrivate && parameters.intermediate == UInt8(ascii: "$"):
      return .answer(.mode(parameters[0], setting: parameters[1]))
    case UInt8(ascii: "R") where isPrivate:
      return .answer(
        .cursorPosition(Point(row: max(0, parameters[0] - 1), column: max(0, parameters[1] - 1))))
    default: return .answer(.other)
    }
  }

  /// The reported cursor position, unless it must be F3.
  private mutating func cursorReport() -> InputEvent? {
    if expectedCursorReports > 0, parameters.count == 2 {
      expectedCursorReports -= 1
    } else if parameters.count == 0 || parameters[0] == 1 && (2...16).contains(parameters[1]) {
      return nil
    }
    return .answer(
      .cursorPosition(Point(row: max(0, parameters[0] - 1), column: max(0, parameters[1] - 1))))
  }

  // MARK: Keys

  private static func modifiers(_ parameter: Int) -> Modifiers {
    // Bits 6 and 7 are the lock keys.
    Modifiers(rawValue: UInt8(truncatingIfNeeded: max(1, parameter) - 1) & 0x3F)
  }

  /// A key with its modifiers and event type in the second parameter.
  private func key(_ code: KeyCode, adding more: Modifiers = []) -> InputEvent {
    let key = Key(code, InputDecoder.modifiers(parameters[1]).union(more))
    return parameters.detail(1) == 3 ? .keyReleased(key) : .key(key)
  }

  private static func cursorOrFunction(_ final: UInt8) -> KeyCode? {
    switch final {
    case UInt8(ascii: "A"): return .up
    case UInt8(ascii: "B"): return .down
    case UInt8(ascii: "C"): return .right
    case UInt8(ascii: "D"): return .left
    case UInt8(ascii: "H"): return .home
    case UInt8(ascii: "F"): return .end
    case UInt8(ascii: "P")...UInt8(ascii: "S"): return .function(final - UInt8(ascii: "P") + 1)
    default: return nil
    }
  }

  private func tilde() -> InputEvent {
    switch parameters[0] {
    case 27: return key(typing: parameters[2])  // modifyOtherKeys
    case 200: return .pasteBegan
    default: return numbered()
    }
  }

  /// The editing and function keys of the VT220, whose numbers have gaps.
  private func numbered(adding more: Modifiers = []) -> InputEvent {
    switch parameters[0] {
    case 1, 7: return key(.home, adding: more)
    case 2: return key(.insert, adding: more)
    case 3: return key(.delete, adding: more)
    case 4, 8: return key(.end, adding: more)
    case 5: return key(.pageUp, adding: more)
    case 6: return key(.pageDown, adding: more)
    case 11...15: return key(.function(UInt8(parameters[0] - 10)), adding: more)
    case 17...21: return key(.function(UInt8(parameters[0] - 11)), adding: more)
    case 23...26: return key(.function(UInt8(parameters[0] - 12)), adding: more)
    case 28, 29: return key(.function(UInt8(parameters[0] - 13)), adding: more)
    case 31...34: return key(.function(UInt8(parameters[0] - 14)), adding: more)
    default: return .unknown
    }
  }

  private func kittyKey() -> InputEvent {
    let modifiers = InputDecoder.modifiers(parameters[1])
    // The text that the key types, if reported; otherwise the key with Shift, or the key itself.
    if parameters[2] > 0x20, modifiers.isSubset(of: [.shift, .alt]) {
      return key(typing: parameters[2])
    }
    let shifted = parameters.detail(0)
    return key(typing: modifiers.contains(.shift) && shifted != 0 ? shifted : parameters[0])
  }

  /// The key of a character code, or of kitty's private codes.
  private func key(typing value: Int) -> InputEvent {
    switch value {
    case 9: return key(.tab)
    case 13: return key(.enter)
    case 27: return key(.escape)
    case 8, 127: return key(.backspace)
    case 0xE000...0xF8FF: return InputDecoder.kittyCode(value).map { key($0) } ?? .unknown
    default:
      guard value >= 0x20, !(0x80..<0xA0).contains(value),
        let scalar = Unicode.Scalar(UInt32(value))
      else { return .unknown }
      return key(.character(scalar))
    }
  }

  /// The keys that type nothing, in the private use area. Source: kitty keyboard protocol, "Functional key
  /// definitions"; media, lock and modifier keys are ignored.
  private static func kittyCode(_ value: Int) -> KeyCode? {
    switch value {
    // Keys with older encodings, which the protocol keeps; not every terminal does.
    case 57364...57375: return .function(UInt8(value - 57364 + 1))
    case 57376...57398: return .function(UInt8(value - 57376 + 13))
    case 57399...57408: return .character(Unicode.Scalar(UInt8(value - 57399) + UInt8(ascii: "0")))
    case 57409: return .character(".")
    case 57410: return .character("/")
    case 57411: return .character("*")
    case 57412: return .character("-")
    case 57413: return .character("+")
    case 57414: return .enter
    case 57415: return .character("=")
    case 57416: return .character(",")
    case 57417: return .left
    case 57418: return .right
    case 57419: return .up
    case 57420: return .down
    case 57421: return .pageUp
    case 57422: return .pageDown
    case 57423: return .home
    case 57424: return .end
    case 57425: return .insert
    case 57426: return .delete
    default: return nil
    }
  }

  // MARK: Mouse

  private func sgrMouse(final: UInt8) -> InputEvent {
    let isRelease = final == UInt8(ascii: "m")
    guard parameters.count == 3, isRelease || final == UInt8(ascii: "M") else { return .unknown }
    return mouse(
      bits: parameters[0], column: parameters[1], row: parameters[2], isRelease: isRelease)
  }

  /// `CSI M` and three bytes, each 32 above its value.
  func legacyMouse() -> InputEvent {
    let end = token.count
    return mouse(
      bits: Int(token[end - 3]) - 32, column: Int(token[end - 2]) - 32,
      row: Int(token[end - 1]) - 32)
  }

  private func mouse(bits: Int, column: Int, row: Int, isRelease: Bool = false) -> InputEvent {
    guard bits >= 0 else { return .unknown }
    var modifiers: Modifiers = []
    if bits & 4 != 0 { modifiers.insert(.shift) }
    if bits & 8 != 0 { modifiers.insert(.alt) }
    if bits & 16 != 0 { modifiers.insert(.control) }
    let low = UInt8(bits & 3)
    let action: MouseAction
    if bits & 64 != 0 {
      if isRelease { return .unknown }
      let wheel: InlineArray<4, MouseAction> = [.wheelUp, .wheelDown, .wheelLeft, .wheelRight]
      action = wheel[Int(low)]
    } else {
      let button = bits & 128 != 0 ? 8 + low : low == 3 ? 0 : low + 1
      if bits & 32 != 0 {
        action = .drag(button: button)
      } else if isRelease || button == 0 {
        action = .release(button: button)
      } else {
        action = .press(button: button)
      }
    }
    let point = Point(row: max(0, row - 1), column: max(0, column - 1))
    return .mouse(MouseEvent(action, at: point, modifiers: modifiers))
  }
}
