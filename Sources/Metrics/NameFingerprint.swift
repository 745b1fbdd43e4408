import Base

extension InlineText {
  /// A number that tells names apart quickly; equal names have the same. Source: FNV-1a, 64 bits.
  var fingerprint: UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in 0..<count {
      hash = (hash ^ UInt64(self[index])) &* 0x0000_0100_0000_01B3
    }
    return hash
  }
}
