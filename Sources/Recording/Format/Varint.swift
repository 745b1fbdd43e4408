/// Integers of one to ten bytes: seven bits per byte, lowest first, with the top bit set in all but the last (LEB128).
extension [UInt8] {
  mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends the bytes, lowest first.
  mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
    var rest = value
    for _ in 0..<Value.bitWidth / 8 {
      append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// Replaces the bytes at an offset, the lowest first.
  mutating func put<Value: FixedWidthInteger>(littleEndian value: Value, at offset: Int) {
    for index in 0..<Value.bitWidth / 8 {
      self[offset + index] = UInt8(truncatingIfNeeded: value >> Value(index * 8))
    }
  }
}

/// Maps small differences of either sign to small numbers: 0, -1, 1, -2 become 0, 1, 2, 3.
func zigzag(_ value: UInt64) -> UInt64 {
  let signed = Int64(bitPattern: value)
  return UInt64(bitPattern: (signed << 1) ^ (signed >> 63))
}

/// The inverse of `zigzag`.
func unzigzag(_ value: UInt64) -> UInt64 { (value >> 1) ^ (0 &- (value & 1)) }

/// Reads from bytes that may be damaged. Beyond the end it returns `nil`.
struct ByteReader {
  let bytes: [UInt8]
  private(set) var offset: Int
  let end: Int

  init(_ bytes: [UInt8], from offset: Int = 0, to end: Int? = nil) {
    self.bytes = bytes
    self.offset = offset
    self.end = min(end ?? bytes.count, bytes.count)
  }

  var isAtEnd: Bool { offset >= end }

  mutating func byte() -> UInt8? {
    guard offset < end else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = byte() {
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
      if shift > 63 { return nil }
    }
    return nil
  }

  /// A length that does not exceed the remaining bytes.
  mutating func length() -> Int? {
    guard let value = varint(), value <= UInt64(end - offset) else { return nil }
    return Int(value)
  }

  mutating func skip(_ count: Int) { offset = min(end, offset + count) }

  mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
    guard end - offset >= Value.bitWidth / 8 else { return nil }
    var value: Value = 0
    for index in 0..<Value.bitWidth / 8 {
      value |= Value(truncatingIfNeeded: bytes[offset + index]) << Value(index * 8)
    }
    offset += Value.bitWidth / 8
    return value
  }
}
