import CMasks
import Glibc

/// A block of plain values of fixed length, for the hot state of a screen.
///
/// Indices are checked in debug builds only, which the tests and the parser's fuzzing use. For each cell the check
/// would cost more than the work that it guards.
@safe struct UncheckedBuffer<Element: BitwiseCopyable>: ~Copyable {
  private let base: UnsafeMutablePointer<Element>
  let count: Int
  private let isOwner: Bool

  init(repeating value: Element, count: Int) {
    self.init(zeroed: count)
    unsafe base.update(repeating: value, count: count)
  }

  /// Makes a block with all bits 0. A page that is never written is never touched.
  init(zeroed count: Int) {
    let length = max(1, count)
    guard let memory = unsafe calloc(length, MemoryLayout<Element>.stride) else {
      preconditionFailure("out of memory")
    }
    unsafe base = memory.bindMemory(to: Element.self, capacity: length)
    self.count = count
    isOwner = true
  }

  /// Uses memory that somebody else owns and that outlives the block.
  init(sharing memory: UnsafeMutablePointer<Element>, count: Int) {
    unsafe base = memory
    self.count = count
    isOwner = false
  }

  deinit { if isOwner { unsafe free(base) } }

  @inline(__always) subscript(index: Int) -> Element {
    get {
      assert(index >= 0 && index < count)
      return unsafe base[index]
    }
    nonmutating _modify {
      assert(index >= 0 && index < count)
      yield unsafe &base[index]
    }
  }

  /// Sets `length` values from `start` on.
  @inline(__always) func fill(_ start: Int, _ length: Int, with value: Element) {
    assert(start >= 0 && length >= 0 && start + length <= count)
    unsafe (base + start).update(repeating: value, count: length)
  }

  /// Copies `length` values; the ranges may overlap.
  @inline(__always) func move(from source: Int, to target: Int, _ length: Int) {
    assert(source >= 0 && target >= 0 && length >= 0)
    assert(source + length <= count && target + length <= count)
    unsafe (base + target).update(from: base + source, count: length)
  }

  /// Copies values of another block.
  func copy(
    from other: borrowing UncheckedBuffer<Element>, _ source: Int, to target: Int, _ length: Int
  ) {
    assert(source + length <= other.count && target + length <= count)
    unsafe (base + target).update(from: other.base + source, count: length)
  }

  /// The first values, valid while the block lives.
  func prefix(_ length: Int) -> UnsafeBufferPointer<Element> {
    unsafe UnsafeBufferPointer(start: base, count: min(length, count))
  }
}

extension UncheckedBuffer where Element == UInt8 {
  /// The first bytes, valid while the block lives.
  func rawBytes(_ length: Int) -> UnsafeRawBufferPointer {
    assert(length >= 0 && length <= count)
    return unsafe UnsafeRawBufferPointer(start: base, count: length)
  }

  /// Writes a character beyond ASCII in UTF-8; U+FFFD if it is not a character.
  ///
  /// - Returns: the index after it.
  func addUTF8(_ scalar: UInt32, at start: Int) -> Int {
    let isCharacter = scalar &- 0xD800 >= 0x800 && scalar <= 0x10_FFFF
    let scalar = isCharacter ? scalar : 0xFFFD
    let length = scalar < 0x800 ? 2 : scalar < 0x1_0000 ? 3 : 4
    let lead: UInt32 = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0
    var rest = scalar
    for place in (start + 1..<start + length).reversed() {
      self[place] = 0x80 | UInt8(truncatingIfNeeded: rest) & 0x3F
      rest >>= 6
    }
    self[start] = UInt8(truncatingIfNeeded: lead | rest)
    return start + length
  }

  /// A part that can be written to, valid while the block lives.
  func rawSpace(from start: Int, _ length: Int) -> UnsafeMutableRawBufferPointer {
    assert(start >= 0 && length >= 0 && start + length <= count)
    return unsafe UnsafeMutableRawBufferPointer(start: base + start, count: length)
  }
}

extension UncheckedBuffer where Element == Cell {
  /// The number of cells that are written at once: after the last cell there must be room for `block - 1` more.
  static let block = 8

  /// Turns eight bytes of ASCII into cells.
  @inline(__always) func store(_ bytes: UInt64, _ bits: UInt64, at start: Int) {
    assert(start >= 0 && start + 8 <= count)
    unsafe UnsafeMutableRawPointer(base + start)
      .storeBytes(of: UncheckedBuffer.cells(bytes, bits), as: SIMD8<UInt64>.self)
  }

  /// Turns the first `length` of eight bytes of ASCII into cells, and leaves the cells after them as they are.
  ///
  /// No branch depends on how many there are, because that cannot be predicted and would cost the most.
  @inline(__always) func store(_ bytes: UInt64, _ bits: UInt64, at start: Int, first length: Int) {
    assert(start >= 0 && start + 8 <= count && length > 0 && length < 8)
    let place = unsafe UnsafeMutableRawPointer(base + start)
    let chosen = UInt64(1) &<< UInt64(truncatingIfNeeded: length &* 8) &- 1
    let mask = SIMD8<Int64>(truncatingIfNeeded: unsafe unsafeBitCast(chosen, to: SIMD8<Int8>.self))
    let wide = unsafe unsafeBitCast(mask, to: SIMD8<UInt64>.self)
    let old = unsafe place.loadUnaligned(as: SIMD8<UInt64>.self)
    unsafe place.storeBytes(
      of: (UncheckedBuffer.cells(bytes, bits) & wide) | (old & ~wide), as: SIMD8<UInt64>.self)
  }

  @inline(__always) private static func cells(_ bytes: UInt64, _ bits: UInt64) -> SIMD8<UInt64> {
    let narrow = unsafe unsafeBitCast(bytes.littleEndian, to: SIMD8<UInt8>.self)
    return SIMD8<UInt64>(truncatingIfNeeded: narrow) | SIMD8<UInt64>(repeating: bits)
  }
}

/// The bytes that are fed to a screen; indices are checked in debug builds only.
@safe struct UncheckedBytes {
  private let base: UnsafeRawPointer
  let count: Int

  /// - Parameter buffer: must outlive the view.
  init?(_ buffer: UnsafeRawBufferPointer) {
    guard let start = buffer.baseAddress else { return nil }
    unsafe base = start
    count = buffer.count
  }

  /// The same bytes up to `end`.
  func upTo(_ end: Int) -> UncheckedBytes { UncheckedBytes(self, end) }

  private init(_ other: UncheckedBytes, _ end: Int) {
    assert(end >= 0 && end <= other.count)
    unsafe base = other.base
    count = end
  }

  @inline(__always) subscript(index: Int) -> UInt8 {
    assert(index >= 0 && index < count)
    return unsafe base.load(fromByteOffset: index, as: UInt8.self)
  }

  /// Eight bytes, the first one lowest.
  @inline(__always) func word(at index: Int) -> UInt64 {
    assert(index >= 0 && index + 8 <= count)
    return UInt64(
      littleEndian: unsafe base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// Four bytes, the first one lowest.
  @inline(__always) func halfWord(at index: Int) -> UInt32 {
    assert(index >= 0 && index + 4 <= count)
    return UInt32(
      littleEndian: unsafe base.loadUnaligned(fromByteOffset: index, as: UInt32.self))
  }

  /// The index of the next ESC from `start` on; the end if there is none.
  func nextEscape(from start: Int) -> Int {
    guard start < count,
      let place = unsafe memchr(base + start, 0x1B, count &- start)
    else { return count }
    return unsafe UnsafeRawPointer(place) - base
  }

  /// The index of the last ESC between `start` and `end`.
  func lastEscape(from start: Int, before end: Int) -> Int? { last(0x1B, from: start, before: end) }

  /// The index of the last LF between `start` and `end`.
  func lastLineFeed(from start: Int, before end: Int) -> Int? {
    last(0x0A, from: start, before: end)
  }

  /// Sets the high bit of each byte that equals `byte`. Nothing is carried from one byte to the next.
  @inline(__always) private static func bytes(_ word: UInt64, equalTo byte: UInt8) -> UInt64 {
    let other = word ^ UInt64(byte) &* 0x0101_0101_0101_0101
    return ~((other & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F | other)
      & 0x8080_8080_8080_8080
  }

  @inline(__always) private func last(_ byte: UInt8, from start: Int, before end: Int) -> Int? {
    var index = end
    while index &- 8 >= start {
      let found = UncheckedBytes.bytes(word(at: index &- 8), equalTo: byte)
      if found != 0 { return index &- 1 &- found.leadingZeroBitCount >> 3 }
      index &-= 8
    }
    while index > start {
      index &-= 1
      if self[index] == byte { return index }
    }
    return nil
  }

  /// The index of the next byte that is neither a character nor a line end, or that is the lead of a C1 control in
  /// UTF-8. Looks at eight bytes at a time.
  @inline(__always) func nextUnusual(from start: Int, to end: Int) -> Int {
    var index = start
    while index &+ 8 <= end {
      let word = word(at: index)
      let isOther = (word & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x6060_6060_6060_6060 | word
      var found = ~isOther & 0x8080_8080_8080_8080 | UncheckedBytes.bytes(word, equalTo: 0xC2)
      if found != 0 {
        found &= ~UncheckedBytes.bytes(word, equalTo: 0x0A)
        found &= ~UncheckedBytes.bytes(word, equalTo: 0x0D)
        found &= ~UncheckedBytes.bytes(word, equalTo: 0x09)
        if found != 0 { return index &+ found.trailingZeroBitCount >> 3 }
      }
      index &+= 8
    }
    while index < end {
      let byte = self[index]
      let isControl = byte < 0x20 && byte != 0x0A && byte != 0x0D && byte != 0x09
      if isControl || byte == 0xC2 { break }
      index &+= 1
    }
    return index
  }

  /// Which of `block` bytes are not plain: control characters except BEL, HT, LF and CR, and the byte C2. The lowest
  /// bit is the first byte.
  @inline(__always) func unplainMask(at index: Int) -> UInt64 {
    assert(index >= 0 && index + UncheckedBytes.block <= count)
    return unsafe perfhud_unplain_mask(base.assumingMemoryBound(to: UInt8.self) + index)
  }

  /// Which of `block` bytes may be parts of SGR and EL.
  @inline(__always) func sequenceMasks(at index: Int) -> perfhud_sequence_masks {
    assert(index >= 0 && index + UncheckedBytes.block <= count)
    return unsafe perfhud_sequence_masks(base.assumingMemoryBound(to: UInt8.self) + index)
  }

  /// The number of bytes from `start` on that are printable ASCII (0x20–0x7E). Looks at eight bytes at a time.
  @inline(__always) func printableRun(from start: Int) -> Int {
    var index = start
    while index &+ 8 <= count {
      let word = unsafe base.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      // The first term sets the high bit of a byte below 0x20, the second that of 0x7F, the third that of a byte above.
      // A borrow or carry comes only from a lower byte that is flagged itself.
      let flags = UInt64(littleEndian: word)
      let odd =
        ((flags &- 0x2020_2020_2020_2020) | (flags &+ 0x0101_0101_0101_0101) | flags)
        & 0x8080_8080_8080_8080
      if odd != 0 { return index &+ (odd.trailingZeroBitCount >> 3) &- start }
      index &+= 8
    }
    while index < count, self[index] &- 0x20 < 0x5F { index &+= 1 }
    return index &- start
  }
}
