/// Random numbers that are the same in every run. Source: G. L. Steele et al., "Fast Splittable Pseudorandom Number
/// Generators", 2014 (SplitMix64).
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// Scatters the states of neighboring seeds; otherwise one stream could be a shifted copy of another.
  package init(scatteredSeed seed: UInt64) { state = SeededRandom.mix(seed) }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return SeededRandom.mix(state)
  }

  /// Maps different numbers to different numbers, and neighboring ones to unrelated ones.
  private static func mix(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
