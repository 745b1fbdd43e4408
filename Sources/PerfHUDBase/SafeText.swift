/// Text from outside, made harmless for a terminal.
///
/// Process names, command lines, event texts and file contents are never trusted: a name may contain an
/// escape sequence, a newline or half a character.
public enum SafeText {
  /// Replaces bytes that are not UTF-8 with U+FFFD. Replaces control characters, invisible formatting characters and
  /// characters that change the direction of text with a visible mark.
  ///
  /// - Parameter limit: the maximum number of characters; a cut text ends with `…`, which counts.
  public static func clean(bytes: some Sequence<UInt8>, limit: Int = 4096) -> String {
    clean(String(decoding: Array(bytes), as: UTF8.self), limit: limit)
  }

  public static func clean(_ text: String, limit: Int = 4096) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      if count == limit {
        result.unicodeScalars.removeLast()
        result.append("…")
        break
      }
      result.unicodeScalars.append(replacement(for: scalar))
      count += 1
    }
    return result
  }

  /// The scalar itself, or the mark that replaces it.
  ///
  /// C0 controls become their control pictures (U+2400…), DEL U+2421, C1 controls, bidi controls
  /// (UAX #9: U+061C, U+200E–F, U+202A–E, U+2066–9), zero-width and line-separating characters U+FFFD.
  public static func replacement(for scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x00...0x1F: return Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    case 0x7F: return "\u{2421}"
    case 0x80...0x9F, 0xAD, 0x061C, 0x115F, 0x1160, 0x180E, 0x200B...0x200F, 0x2028...0x202E,
      0x2060...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF9...0xFFFB, 0xE0000...0xE007F:
      return "\u{FFFD}"
    default: return scalar
    }
  }
}
