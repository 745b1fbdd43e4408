/// The form of a multibyte UTF-8 character, determined by its first byte.
///
/// Source: the Unicode Standard, table 3-7 (well-formed byte sequences).
@frozen package struct UTF8Form: BitwiseCopyable, Sendable {
  /// Bytes of the character, 2 to 4.
  package let length: Int
  private let least: UInt8
  private let most: UInt8

  /// - Returns: `nil` for a byte that does not begin such a character: ASCII, a continuation byte, or a byte that UTF-8
  ///   does not use.
  package init?(_ lead: UInt8) {
    least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80
    most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF: length = 3
    case 0xF0...0xF4: length = 4
    default: return nil
    }
  }

  /// Whether a byte may be at `index` of the character, 1 to `length - 1`.
  package func allows(_ byte: UInt8, at index: Int) -> Bool {
    index == 1 ? byte >= least && byte <= most : byte & 0xC0 == 0x80
  }

  /// The part of the scalar that the first byte contains.
  package func value(of lead: UInt8) -> UInt32 { UInt32(lead) & (0x7F >> UInt32(length)) }

  /// The character at a position in a text that may be malformed, and its number of bytes. Returns U+FFFD for each
  /// maximal subpart of a malformed character (Unicode, section 3.9).
  ///
  /// - Parameter byte: the byte at an index below `count`.
  @inlinable package static func character(
    at position: Int, count: Int, _ byte: (Int) -> UInt8
  ) -> (Unicode.Scalar, Int) {
    let lead = byte(position)
    if lead < 0x80 { return (Unicode.Scalar(lead), 1) }
    guard let form = UTF8Form(lead) else { return ("\u{FFFD}", 1) }
    var value = form.value(of: lead)
    for index in 1..<form.length {
      guard position + index < count, case let next = byte(position + index),
        form.allows(next, at: index)
      else { return ("\u{FFFD}", index) }
      value = value << 6 | UInt32(next & 0x3F)
    }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", form.length)
  }
}
