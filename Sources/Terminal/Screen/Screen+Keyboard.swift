/// Keyboards that a program asks for: watched only, since their keys come as sequences.
extension Screen {
  /// Whether the program has asked for keys as sequences: by kitty's protocol (`CSI > n u` and its kin) or
  /// by modifyOtherKeys (`CSI > 4 ; n m`).
  package var hasRichKeyboard: Bool { reported.keyboards.isRich }

  /// A sequence marked with `<`, `=` or `>`, with the final byte `u` or `m`.
  mutating func noteKeyboard(_ final: UInt8) {
    let number = parser.value(0)
    switch (parser.prefix, final) {
    case (0x3E, UInt8(ascii: "u")): reported.keyboards.depth = min(reported.keyboards.depth + 1, 99)
    case (0x3C, UInt8(ascii: "u")):
      reported.keyboards.depth = max(0, reported.keyboards.depth - max(1, number))
      if reported.keyboards.depth == 0 { reported.keyboards.isSet = false }
    case (0x3D, UInt8(ascii: "u")):
      // 1 sets all flags, 2 adds some, 3 takes some away.
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

/// What is known of the keyboards that a program has asked for.
struct Keyboards: Sendable {
  /// Entries on kitty's stack.
  var depth = 0
  /// Flags were set without the stack.
  var isSet = false
  var hasOtherKeys = false

  var isRich: Bool { depth > 0 || isSet || hasOtherKeys }
}
