/// Reads the values of a JSON text one after another, from bytes that may contain anything.
///
/// Source: RFC 8259.
struct JSONScanner {
  private let bytes: ArraySlice<UInt8>
  private var index: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  /// The maximum nesting of a skipped value.
  private static let depthLimit = 16

  private var next: UInt8? { index < bytes.endIndex ? bytes[index] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      index += 1
    }
  }

  /// Takes a punctuation character and the blanks around it. Returns whether it was there.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    skipBlanks()
    return true
  }

  /// Whether everything has been taken.
  var isAtEnd: Bool { index == bytes.endIndex }

  /// Takes a number that is not negative; `nil` if there is none.
  mutating func number() -> Double? {
    skipBlanks()
    let start = index
    while let byte = next, (0x30...0x39).contains(byte) || ".eE+-".utf8.contains(byte) {
      index += 1
    }
    guard index - start <= 40, start < index, (0x30...0x39).contains(bytes[start]) else {
      return nil
    }
    return Double(String(decoding: bytes[start..<index], as: UTF8.self))
  }

  /// Takes a string, in UTF-8.
  ///
  /// - Parameter text: cleared first.
  /// - Returns: whether there was one.
  mutating func string(into text: inout [UInt8]) -> Bool {
    text.removeAll(keepingCapacity: true)
    skipBlanks()
    guard next == UInt8(ascii: "\"") else { return false }
    index += 1
    var plain = index
    while let byte = next {
      if byte == UInt8(ascii: "\"") {
        text.append(contentsOf: bytes[plain..<index])
        index += 1
        return true
      }
      guard byte >= 0x20 else { return false }
      index += 1
      guard byte == UInt8(ascii: "\\") else { continue }
      text.append(contentsOf: bytes[plain..<index - 1])
      guard escape(into: &text) else { return false }
      plain = index
    }
    return false
  }

  /// Takes the characters after a backslash.
  private mutating func escape(into text: inout [UInt8]) -> Bool {
    guard let byte = next else { return false }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      guard let unit = unit() else { return false }
      text.append(contentsOf: String(scalar(unit)).utf8)
    default: return false
    }
    return true
  }

  /// Reads the four digits of an escaped UTF-16 unit.
  private mutating func unit() -> UInt16? {
    guard bytes.endIndex - index >= 4 else { return nil }
    var value: UInt16 = 0
    for byte in bytes[index..<index + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      value = value << 4 | UInt16(digit)
    }
    index += 4
    return value
  }

  /// The scalar of a unit, or of a surrogate pair; U+FFFD for half of a pair.
  private mutating func scalar(_ unit: UInt16) -> Unicode.Scalar {
    guard unit & 0xF800 == 0xD800 else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
    guard unit & 0xFC00 == 0xD800, bytes.endIndex - index >= 6,
      bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
    else { return "\u{FFFD}" }
    let before = index
    index += 2
    guard let low = self.unit(), low & 0xFC00 == 0xDC00 else {
      index = before
      return "\u{FFFD}"
    }
    return Unicode.Scalar(0x1_0000 + UInt32(unit & 0x3FF) << 10 + UInt32(low & 0x3FF)) ?? "\u{FFFD}"
  }

  /// Takes the members of an object.
  ///
  /// - Parameter body: gets each key, and must take its value.
  /// - Returns: whether it was an object.
  mutating func object(_ body: (String, inout JSONScanner) -> Bool) -> Bool {
    guard take("{") else { return false }
    if take("}") { return true }
    var key: [UInt8] = []
    repeat {
      guard string(into: &key), take(":"), body(String(decoding: key, as: UTF8.self), &self) else {
        return false
      }
    } while take(",")
    return take("}")
  }

  /// Takes a value of any kind.
  mutating func skip(depth: Int = 0) -> Bool {
    skipBlanks()
    var text: [UInt8] = []
    switch next {
    case UInt8(ascii: "\""): return string(into: &text)
    case UInt8(ascii: "{"):
      return depth < JSONScanner.depthLimit
        && object { _, scanner in scanner.skip(depth: depth + 1) }
    case UInt8(ascii: "["):
      guard depth < JSONScanner.depthLimit, take("[") else { return false }
      if take("]") { return true }
      repeat { guard skip(depth: depth + 1) else { return false } } while take(",")
      return take("]")
    default:
      let start = index
      while let byte = next, !",]} \t".utf8.contains(byte) { index += 1 }
      return index > start
    }
  }
}
