/// A number of at most three digits, and the byte after it.
struct ShortNumber {
  var value: Int
  /// The number of its digits; 4 if there are more than three.
  var length: Int
  var next: UInt8

  @inline(__always) func isByte(before byte: UInt8) -> Bool {
    length < 4 && value < 256 && next == byte
  }
}

extension UncheckedBytes {
  /// Sets the high bit of each byte of a word that is not a digit. The word must have been XORed with 0x30 in each
  /// byte.
  @inline(__always) static func notDigits(_ word: UInt64) -> UInt64 {
    (((word & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080
  }

  /// The value of the first digits of such a word, at most three.
  @inline(__always) static func number(_ word: UInt64, _ length: Int) -> Int {
    let digits = (word & 0xFF_FFFF) &<< UInt64(truncatingIfNeeded: 24 &- length &* 8)
    return Int(digits >> 16 & 0xFF) &+ Int(digits >> 8 & 0xFF) &* 10 &+ Int(digits & 0xFF) &* 100
  }

  /// Reads a number; there must be four bytes.
  @inline(__always) func shortNumber(at index: Int) -> ShortNumber {
    let bytes = UInt64(halfWord(at: index))
    let digits = bytes ^ 0x3030_3030
    let length = (UncheckedBytes.notDigits(digits) | 1 << 39).trailingZeroBitCount >> 3
    return ShortNumber(
      value: UncheckedBytes.number(digits, length), length: length,
      next: UInt8(truncatingIfNeeded: bytes &>> UInt64(truncatingIfNeeded: length &* 8)))
  }
}
