/// The checksum of a block: CRC-32C (Castagnoli), as in iSCSI and ext4.
///
/// Source: RFC 3720, appendix B.4; polynomial 0x1EDC6F41, reflected, start and end inverted. The check value of
/// `123456789` is 0xE3069283.
enum CRC32C {
  /// Eight tables: the checksum of a byte, and of a byte followed by one to seven zeros.
  private static let tables: [UInt32] = {
    var tables: [UInt32] = (0..<256).map { index in
      var value = UInt32(index)
      for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0x82F6_3B78 : value >> 1 }
      return value
    }
    for index in 256..<8 * 256 {
      let before = tables[index - 256]
      tables.append(before >> 8 ^ tables[Int(before & 0xFF)])
    }
    return tables
  }()

  /// Processes eight bytes at a time ("slicing-by-8": Kounavis and Berry, 2005), so that no byte waits for the previous
  /// one.
  ///
  /// Complexity: linear.
  ///
  /// - Parameter start: the checksum of the preceding bytes.
  static func checksum(_ bytes: RawSpan, continuing start: UInt32 = 0) -> UInt32 {
    let tables = tables.span
    var value = ~start
    var index = 0
    while bytes.byteCount - index >= 8 {
      let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      var rest = UInt64(littleEndian: word) ^ UInt64(value)
      value = 0
      for zeros in (0..<8).reversed() {
        value ^= tables[zeros << 8 + Int(rest & 0xFF)]
        rest >>= 8
      }
      index += 8
    }
    while index < bytes.byteCount {
      let byte = bytes.unsafeLoadByte(index)
      value = (value >> 8) ^ tables[Int(truncatingIfNeeded: value & 0xFF) ^ Int(byte)]
      index += 1
    }
    return ~value
  }
}

extension RawSpan {
  /// The byte at an offset less than `byteCount`.
  @inline(__always) func unsafeLoadByte(_ offset: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}
