extension Array where Element == UInt8 {
  /// Appends a text in quotes, with JSON's escapes for quotes, backslashes and control characters.
  ///
  /// Source: RFC 8259, 7.
  package mutating func append(quoted text: String) {
    var text = text
    append(UInt8(ascii: "\""))
    text.withUTF8 { unsafe appendEscaped($0) }
    append(UInt8(ascii: "\""))
  }

  private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    var plain = 0
    for index in 0..<text.count {
      let byte = unsafe text[index]
      guard byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F else { continue }
      unsafe append(contentsOf: text[plain..<index])
      plain = index + 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append(UInt8(ascii: "\\"))
        append(byte)
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\r"): append("\\r")
      case UInt8(ascii: "\t"): append("\\t")
      default:
        append("\\u00")
        for digit in [byte >> 4, byte & 15] {
          append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
      }
    }
    unsafe append(contentsOf: text[plain...])
  }
}
