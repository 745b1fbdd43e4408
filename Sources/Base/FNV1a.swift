/// A fast hash of texts; not for untrusted keys of a table. Source: FNV-1a, 64 bits.
@frozen public struct FNV1a: BitwiseCopyable, Sendable {
  /// The hash of all bytes so far.
  @inlinable public var value: UInt64 { state }
  @usableFromInline var state: UInt64

  /// - Parameter seed: 0, or the value of what comes before.
  @inlinable public init(seed: UInt64 = 0) { state = 0xCBF2_9CE4_8422_2325 ^ seed }

  @inlinable public mutating func combine(_ byte: UInt8) {
    state = (state ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  @inlinable public mutating func combine(_ bytes: RawSpan) {
    for index in 0..<bytes.byteCount { combine(FieldCursor.byte(at: index, in: bytes)) }
  }
}
