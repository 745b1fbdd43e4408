/// The fields of a Protocol Buffers message on the wire, as far as a trace needs them.
///
/// A field consists of a key, which is its number times eight plus the type of the value, and the value. Source:
/// "Encoding" of the Protocol Buffers documentation.
extension [UInt8] {
  /// Appends a nonnegative number: `uint64`, `uint32`, `bool` or an enumeration.
  mutating func append(field number: UInt64, _ value: UInt64) {
    append(varint: number << 3)
    append(varint: value)
  }

  /// Appends an `int64` or `int32`. A negative one takes ten bytes.
  mutating func append(field number: UInt64, signed value: Int64) {
    append(field: number, UInt64(bitPattern: value))
  }

  /// Appends a `double`.
  mutating func append(field number: UInt64, double value: Double) {
    append(varint: number << 3 | 1)
    append(littleEndian: value.bitPattern)
  }

  /// Appends a `string`.
  mutating func append(field number: UInt64, text: String) {
    append(varint: number << 3 | 2)
    append(varint: UInt64(text.utf8.count))
    append(contentsOf: text.utf8)
  }

  /// Appends a message; its fields are appended by `fill`.
  ///
  /// Complexity: linear in the size of the message, since its length precedes it.
  mutating func append(field number: UInt64, message fill: (inout [UInt8]) -> Void) {
    append(varint: number << 3 | 2)
    let start = count
    fill(&self)
    var length = UInt64(count - start)
    var position = start
    while length >= 0x80 {
      insert(UInt8(truncatingIfNeeded: length) | 0x80, at: position)
      length >>= 7
      position += 1
    }
    insert(UInt8(truncatingIfNeeded: length), at: position)
  }
}
