/// The number of columns that a character takes on a terminal.
///
/// Never libc's `wcwidth`: it depends on a locale that a static executable may not find, and is −1
/// for every wide character in the C locale. The rules:
/// - 0: control characters, combining marks (Mn, Me), invisible format characters (Cf: zero-width
///   joiner and space, bidi controls, tags), variation selectors, Hangul vowels and finals, which
///   join the consonant before them.
/// - 2: East Asian wide and fullwidth, to which emoji with emoji presentation belong.
/// - 1: everything else, including those of ambiguous width, the soft hyphen, and each half of a flag.
///
/// Characters are measured one by one. Terminals disagree about clusters (a variation selector that turns a symbol into
/// an emoji, a joined family), so code that depends on them must ask for the cursor position.
///
/// Source: Unicode Standard Annex 11, East Asian Width, in the version that the table names.
package enum CharacterWidth {
  /// The columns of a character: 0, 1 or 2. Complexity: O(1).
  @inlinable @inline(__always) package static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value &- 0x20 < 0x5F { return 1 }
    return value &- 0xA0 < 0x260 ? 1 : lookUp(value)
  }

  /// The columns of a text: the sum over its characters.
  ///
  /// Complexity: O(length). An allocation only for a text that is not stored as UTF-8.
  @inlinable package static func of(_ text: String) -> Int {
    var columns = 0
    for scalar in text.unicodeScalars { columns &+= of(scalar) }
    return columns
  }

  @usableFromInline static func lookUp(_ value: UInt32) -> Int {
    switch value {
    case 0...0x1_FFFF:
      let block = Int(CharacterWidthTable.blocks[Int(value >> 8)])
      let word = CharacterWidthTable.words[block &* 8 &+ Int(value >> 5 & 7)]
      return Int(word >> (UInt64(value & 31) &* 2) & 3)
    case 0x2_0000...0x2_FFFD, 0x3_0000...0x3_FFFD: return 2  // ideographs, assigned or not
    case 0xE_0000...0xE_0FFF: return 0  // tags and variation selectors
    default: return 1
    }
  }
}
