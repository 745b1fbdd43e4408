/// What is needed to print a character without a branch: tables that decode UTF-8 and give the width in columns.
struct CharacterTables: ~Copyable {
  /// How the bytes of a character are combined.
  struct Form: BitwiseCopyable {
    /// The bits of the first byte that belong to the character.
    var lead: UInt32
    /// How far to shift the combined bits of four bytes.
    var shift: UInt32
    /// The least character that needs this many bytes.
    var least: UInt32
    /// The bits that show whether the other bytes are continuation bytes.
    var mask: UInt32
    var continuation: UInt32
  }

  /// The number of bytes of the character that a byte begins; 0 if it begins none, or a control character.
  private let lengths = UncheckedBuffer<UInt8>(repeating: 0, count: 256)
  private let forms: UncheckedBuffer<Form>
  /// As in `CharacterWidthTable`, with 0 for code points that are not characters.
  private let blocks = UncheckedBuffer<UInt8>(zeroed: Int(CharacterTables.limit >> 8))
  private let words: UncheckedBuffer<UInt64>

  /// The tables have no entries for characters from this one on.
  private static let limit: UInt32 = 0x2_0000

  init() {
    lengths.fill(0x20, 0x5F, with: 1)
    lengths.fill(0xC2, 0x1E, with: 2)
    lengths.fill(0xE0, 0x10, with: 3)
    lengths.fill(0xF0, 0x05, with: 4)
    // The first form is for bytes that begin no character: it matches nothing.
    forms = UncheckedBuffer(
      repeating: Form(lead: 0, shift: 0, least: 0, mask: 0, continuation: 1), count: 5)
    forms[1] = Form(lead: 0x7F, shift: 18, least: 0, mask: 0, continuation: 0)
    forms[2] = Form(lead: 0x1F, shift: 12, least: 0x80, mask: 0xC000, continuation: 0x8000)
    forms[3] = Form(lead: 0x0F, shift: 6, least: 0x800, mask: 0xC0_C000, continuation: 0x80_8000)
    forms[4] = Form(
      lead: 0x07, shift: 0, least: 0x1_0000, mask: 0xC0C0_C000, continuation: 0x8080_8000)
    let count = (Int(CharacterWidthTable.blocks.max() ?? 0) + 1) * 8
    words = UncheckedBuffer(zeroed: count + 16)
    for index in 0..<count { words[index] = CharacterWidthTable.words[index] }
    for index in 0..<blocks.count { blocks[index] = CharacterWidthTable.blocks[index] }
    // Surrogates, then a block whose last two code points are not characters.
    blocks.fill(0xD8, 8, with: UInt8(count / 8))
    let last = Int(blocks[0xFF]) * 8
    for index in 0..<8 { words[count + 8 + index] = words[last + index] }
    words[count + 15] &= 0x0FFF_FFFF_FFFF_FFFF
    blocks[0xFF] = UInt8(count / 8 + 1)
  }

  /// Decodes four bytes, the first one lowest: the character that they begin with, and its length in bytes. The
  /// character is 0 if it is incomplete, malformed, a control character, or beyond plane 1.
  @inline(__always) func decode(_ word: UInt32) -> (scalar: UInt32, length: Int) {
    let length = Int(lengths[Int(word & 0xFF)])
    let form = forms[length]
    let merged =
      (word & form.lead) << 18 | (word >> 8 & 0x3F) << 12 | (word >> 16 & 0x3F) << 6
      | (word >> 24 & 0x3F)
    let scalar = merged &>> form.shift
    let wrong =
      ((word & form.mask) ^ form.continuation) | (scalar &- form.least) >> 31
      | scalar / CharacterTables.limit
    return (wrong == 0 ? scalar : 0, length)
  }

  /// The number of columns of a decoded character; 0 for the character 0.
  @inline(__always) func width(_ scalar: UInt32) -> Int {
    let block = Int(blocks[Int(scalar >> 8)])
    let word = words[block &* 8 &+ Int(scalar >> 5 & 7)]
    return Int(truncatingIfNeeded: word &>> UInt64(scalar &* 2 & 63)) & 3
  }
}

/// The tables of a screen: what the numbers in its cells stand for, and the properties of characters and SGR
/// parameters.
struct ScreenTables: ~Copyable {
  var styles = InternTable<Style>(first: .plain, capacity: 32768)
  var clusters = InternTable<ClusterLink>(
    first: ClusterLink(base: 0, isCluster: false, scalar: 0), capacity: 8192)
  var links = LinkTable()
  let renditions = PlainSGR.table()
  let characters = CharacterTables()
}
