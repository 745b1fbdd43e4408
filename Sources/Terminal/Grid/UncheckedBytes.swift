import CMasks
import Glibc

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
