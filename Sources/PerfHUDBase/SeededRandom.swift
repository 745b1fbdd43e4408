/// Random numbers that are the same in every run. Source: Vigna, splitmix64.
public struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// With states of neighbouring seeds that lie far apart, else a stream could be the other one, shifted.
  public init(scatteredSeed seed: UInt64) { state = SeededRandom.mix(seed) }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return SeededRandom.mix(state)
  }

  /// Another number for each number, with nothing left of what lay side by side.
  private static func mix(_ number: UInt64) -> UInt64 {
    var z = number
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
