/// Decodes UTF-8 that is known to be valid: the program's own words.
struct UTF8Decoder {
  private var value: UInt32 = 0
  private var missing = 0

  mutating func feed(_ byte: UInt8) -> Unicode.Scalar? {
    switch byte {
    case ..<0x80: return Unicode.Scalar(byte)
    case ..<0xC0:
      value = value << 6 | UInt32(byte & 0x3F)
      missing -= 1
      return missing == 0 ? Unicode.Scalar(value) : nil
    case ..<0xE0: (value, missing) = (UInt32(byte & 0x1F), 1)
    case ..<0xF0: (value, missing) = (UInt32(byte & 0x0F), 2)
    default: (value, missing) = (UInt32(byte & 0x07), 3)
    }
    return nil
  }
}
