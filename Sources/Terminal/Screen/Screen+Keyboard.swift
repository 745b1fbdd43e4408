/// Keyboard protocols that a program requests. They are only watched, since the keys come as sequences.
extension Screen {
  /// Whether the program has requested keys as sequences: by kitty's protocol (`CSI > n u` and related sequences) or by
  /// modifyOtherKeys (`CSI > 4 ; n m`).
  package var hasRichKeyboard: Bool { reported.keyboards.isRich }

  /// Notes a sequence with the prefix `<`, `=` or `>` and the final byte `u` or `m`.
  mutating func noteKeyboard(_ final: UInt8) {
    let number = parser.value(0)
    switch (parser.prefix, final) {
    case (0x3E, UInt8(ascii: "u")): reported.keyboards.depth = min(reported.keyboards.depth + 1, 99)
    case (0x3C, UInt8(ascii: "u")):
      reported.keyboards.depth = max(0, reported.keyboards.depth - max(1, number))
      if reported.keyboards.depth == 0 { reported.keyboards.isSet = false }
    case (0x3D, UInt8(ascii: "u")):
      // 1 sets all flags, 2 adds some, 3 removes some.
      let mode = parser.valueCount > 1 ? parser.value(1) : 1
      if mode == 1 {
        reported.keyboards.isSet = number != 0
      } else if mode == 2, number != 0 {
        reported.keyboards.isSet = true
      }
    case (0x3E, UInt8(ascii: "m")):
      if parser.valueCount == 0 {
        reported.keyboards.hasOtherKeys = false
      } else if number == 4 {
        reported.keyboards.hasOtherKeys = parser.valueCount > 1 && parser.value(1) != 0
      }
    default: break
    }
  }
}

/// What is known about the keyboard protocols that a program has requested.
struct Keyboards: Sendable {
  /// The number of entries on kitty's stack.
  var depth = 0
  /// Whether flags were set without the stack.
  var isSet = false
  var hasOtherKeys = false

  var isRich: Bool { depth > 0 || isSet || hasOtherKeys }
}
