/// The size of the numbers in a column so far, which determines how many low bits of the next one are stored directly.
struct CodeWidth: BitwiseCopyable, Sendable {
  /// The mean number of bits in sixteenths; negative before the first number.
  private var mean: Int16 = -1

  /// The number of low bits; negative before the first number.
  @inline(__always) var low: Int { min(Int(mean) >> 4, CodeWidth.greatest) }

  /// With more low bits, a number could have more bits than a reader examines at once.
  private static let greatest = 48

  @inline(__always) mutating func note(_ value: UInt64) {
    let bits = Int16(truncatingIfNeeded: (64 - value.leadingZeroBitCount) << 4)
    mean = mean < 0 ? bits : mean &+ (bits &- mean) >> 2
  }
}

/// Numbers as bits, the lowest first. docs/RECORDING.md is the specification.
struct BitWriter {
  /// 64 bits each: appending single bytes took longer than everything else.
  private var words: [UInt64] = []
  /// The bits that do not fill a word yet.
  private var rest: UInt64 = 0
  private var restCount: UInt64 = 0

  /// This many ones begin a number whose length is stored.
  static let escape = 8

  /// - Parameter count: the number of bytes.
  mutating func reserve(_ count: Int) { words.reserveCapacity(count / 8) }

  /// The number of bytes, including an incomplete last one.
  var count: Int { words.count * 8 + Int(restCount + 7) / 8 }

  mutating func removeAll() {
    words.removeAll(keepingCapacity: true)
    (rest, restCount) = (0, 0)
  }

  /// Appends all bits to bytes, and pads the last byte.
  func write(to bytes: inout [UInt8]) {
    for word in words {
      unsafe withUnsafeBytes(of: word.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }
    for shift in stride(from: 0, to: restCount, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: rest >> shift))
    }
  }

  /// - Parameter count: the number of bits, at most 63; the value must fit in them.
  @inline(__always) mutating func append(_ value: UInt64, bits count: Int) {
    rest |= value &<< restCount
    restCount &+= UInt64(count)
    guard restCount >= 64 else { return }
    words.append(rest)
    restCount &-= 64
    rest = value >> (UInt64(count) &- restCount)
  }

  /// - Parameter low: `CodeWidth.low`.
  mutating func append(_ value: UInt64, low: Int) {
    guard low >= 0 else {
      append(value == 0 ? 0 : 1, bits: 1)
      return value == 0 ? () : appendLength(value)
    }
    let high = value >> UInt64(low)
    guard high < UInt64(BitWriter.escape) else {
      append(0xFF, bits: BitWriter.escape)
      return appendLength(value)
    }
    append(1 << high - 1, bits: Int(high) + 1)
    append(value & (1 << UInt64(low) - 1), bits: low)
  }

  /// - Parameter value: not 0.
  private mutating func appendLength(_ value: UInt64) {
    let length = 63 - value.leadingZeroBitCount
    append(UInt64(length), bits: 6)
    append(value ^ 1 << UInt64(length), bits: length)
  }
}

/// Reads numbers from bytes that may be damaged. Beyond the end it reads zeros.
struct BitReader {
  private let bytes: [UInt8]
  /// The position in bits.
  private(set) var position: Int
  private let end: Int

  /// This many bytes must follow the ones that are read.
  static let padding = 8

  init() { self.init([], from: 0, count: 0) }

  init(_ bytes: [UInt8], from offset: Int, count: Int) {
    self.bytes = bytes
    position = offset * 8
    end = (offset + count) * 8
  }

  /// Whether more was read than exists.
  var isBeyondEnd: Bool { position > end }

  /// The number of complete bytes that are left.
  var bytesLeft: Int { max(0, end - position) / 8 }

  /// At least the next 57 bits.
  @inline(__always) private func peek() -> UInt64 {
    let offset = position >> 3
    guard offset <= bytes.count - 8 else { return 0 }
    return unsafe UInt64(
      littleEndian: bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      >> UInt64(position & 7)
  }

  @inline(__always) mutating func bit() -> Bool {
    defer { position += 1 }
    return peek() & 1 == 1
  }

  /// - Parameter count: the number of bits, at most 63.
  @inline(__always) mutating func number(bits count: Int) -> UInt64 {
    guard count <= 56 else {
      let low = number(bits: 32)
      return low | number(bits: count - 32) << 32
    }
    defer { position += count }
    return peek() & (1 << UInt64(count) - 1)
  }

  /// - Parameter low: `CodeWidth.low`.
  @inline(__always) mutating func number(low: Int) -> UInt64 {
    let word = peek()
    guard low >= 0 else {
      position += 1
      return word & 1 == 0 ? 0 : numberOfLength()
    }
    let ones = (~word).trailingZeroBitCount
    guard ones < BitWriter.escape else {
      position += BitWriter.escape
      return numberOfLength()
    }
    position += ones + 1 + low
    return UInt64(ones) << UInt64(low) | (word >> UInt64(ones + 1)) & (1 << UInt64(low) - 1)
  }

  private mutating func numberOfLength() -> UInt64 {
    let length = Int(number(bits: 6))
    return 1 << UInt64(length) | number(bits: length)
  }
}
