extension UInt8 {
  /// The value of an ASCII hexadecimal digit in either case; `nil` for any other byte.
  @inlinable package var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self &- UInt8(ascii: "A") &+ 10
    default: nil
    }
  }
}

/// A position in the bytes of a /proc file, from which fields and numbers are read one after another.
///
/// Reads nothing beyond the end; a missing field reads as `nil`.
@frozen package struct FieldCursor: BitwiseCopyable, Sendable {
  package var position: Int

  @inlinable package init(position: Int = 0) { self.position = position }

  /// The byte at `index`, or 0 beyond the end.
  @inlinable package static func byte(at index: Int, in bytes: RawSpan) -> UInt8 {
    guard index >= 0, index < bytes.byteCount else { return 0 }
    return unsafe bytes.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)
  }

  @inlinable package func isAtEnd(of bytes: RawSpan) -> Bool { position >= bytes.byteCount }

  @inlinable package mutating func skipSpaces(in bytes: RawSpan) {
    while true {
      let byte = FieldCursor.byte(at: position, in: bytes)
      guard byte == 0x20 || byte == 0x09 else { return }
      position &+= 1
    }
  }

  /// Reads an unsigned decimal number after spaces and tabs. If there is none, returns `nil` and takes only the spaces.
  /// Overflow wraps.
  @inlinable package mutating func nextUnsigned(in bytes: RawSpan) -> UInt64? {
    skipSpaces(in: bytes)
    var value: UInt64 = 0
    let start = position
    while true {
      let digit = FieldCursor.byte(at: position, in: bytes) &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      value = value &* 10 &+ UInt64(digit)
      position &+= 1
    }
    return position == start ? nil : value
  }

  /// Reads a hexadecimal number after spaces and tabs: the form in which /proc shows sets of signals. Returns `nil` if
  /// there is none. Only the lowest 64 bits are kept.
  @inlinable package mutating func nextHexadecimal(in bytes: RawSpan) -> UInt64? {
    skipSpaces(in: bytes)
    var value: UInt64 = 0
    let start = position
    while let digit = FieldCursor.byte(at: position, in: bytes).hexDigitValue {
      value = value << 4 | UInt64(digit)
      position &+= 1
    }
    return position == start ? nil : value
  }

  /// Skips `fields` fields, which are separated by blanks or control characters.
  @inlinable package mutating func skip(fields: Int, in bytes: RawSpan) {
    for _ in 0..<fields {
      skipSpaces(in: bytes)
      while FieldCursor.byte(at: position, in: bytes) > 0x20 { position &+= 1 }
    }
  }

  /// Moves to the first byte of the next line.
  @inlinable package mutating func skipLine(in bytes: RawSpan) {
    while position < bytes.byteCount, FieldCursor.byte(at: position, in: bytes) != 0x0A {
      position &+= 1
    }
    position = min(position &+ 1, bytes.byteCount)
  }

  /// Takes the text if it comes next. Returns whether it did.
  @inlinable package mutating func take(_ text: StaticString, in bytes: RawSpan) -> Bool {
    let length = text.utf8CodeUnitCount
    for index in 0..<length {
      let byte = FieldCursor.byte(at: position &+ index, in: bytes)
      guard unsafe byte == text.utf8Start[index] else { return false }
    }
    position &+= length
    return true
  }

  /// Reads the number after a text, if the text comes next.
  @inlinable package mutating func read(
    _ text: StaticString, into number: inout UInt64?, in bytes: RawSpan
  ) {
    if take(text, in: bytes) { number = nextUnsigned(in: bytes) }
  }
}
