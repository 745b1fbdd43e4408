/// Random numbers that are the same on each run. Source: G. L. Steele et al., "Fast Splittable Pseudorandom Number
/// Generators", 2014 (SplitMix64).
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// With states of neighboring seeds that lie far apart, else a stream could be the other one, shifted.
  package init(scatteredSeed seed: UInt64) { state = SeededRandom.mix(seed) }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return SeededRandom.mix(state)
  }

  /// Another number for each number, with nothing left of what lay side by side.
  private static func mix(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
