/// A fast hash for text. Not safe for a table whose keys are untrusted. Source: FNV-1a, 64 bits.
@frozen package struct FNV1a: BitwiseCopyable, Sendable {
  /// The hash of all bytes so far.
  @inlinable package var value: UInt64 { state }
  @usableFromInline var state: UInt64

  /// - Parameter seed: 0, or the hash of the preceding data.
  @inlinable package init(seed: UInt64 = 0) { state = 0xCBF2_9CE4_8422_2325 ^ seed }

  @inlinable package mutating func combine(_ byte: UInt8) {
    state = (state ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  @inlinable package mutating func combine(_ bytes: RawSpan) {
    for index in 0..<bytes.byteCount { combine(FieldCursor.byte(at: index, in: bytes)) }
  }
}
