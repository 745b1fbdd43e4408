import PerfHUDBase

/// The difference between the medians of two samples, with its 95 % interval.
package struct MedianDifference: Equatable, Sendable {
  package let base: Double
  package let new: Double
  /// The ends of the interval of `new - base`: the 2.5th and 97.5th percentiles of 2000 bootstrap samples.
  package let least: Double
  package let greatest: Double

  package var difference: Double { new - base }

  private static let samples = 2000
  /// Always the same seed, so that the same recordings give the same interval.
  private static let seed: UInt64 = 0x7065_7266_6875_6421

  /// `nil` if a sample is empty.
  ///
  /// Source: B. Efron, "Bootstrap Methods: Another Look at the Jackknife" (1979).
  package init?(base: [Double], new: [Double]) {
    guard let first = MedianDifference.median(base), let second = MedianDifference.median(new)
    else { return nil }
    self.base = first
    self.new = second
    var numbers = SeededRandom(seed: MedianDifference.seed)
    var differences: [Double] = []
    differences.reserveCapacity(MedianDifference.samples)
    var drawn: [Double] = []
    for _ in 0..<MedianDifference.samples {
      let before = MedianDifference.median(of: base, &numbers, &drawn)
      differences.append(MedianDifference.median(of: new, &numbers, &drawn) - before)
    }
    differences.sort()
    let tail = MedianDifference.samples / 40
    least = differences[tail]
    greatest = differences[MedianDifference.samples - 1 - tail]
  }

  /// `nil` if there are no values.
  package static func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    return middle(values.sorted())
  }

  /// The median of the same number of values, drawn with replacement.
  private static func median(
    of values: [Double], _ numbers: inout SeededRandom, _ drawn: inout [Double]
  ) -> Double {
    drawn.removeAll(keepingCapacity: true)
    for _ in values.indices {
      let value = values[numbers.next(below: values.count)]
      var position = drawn.count
      drawn.append(value)
      while position > 0, drawn[position - 1] > value {
        drawn[position] = drawn[position - 1]
        position -= 1
      }
      drawn[position] = value
    }
    return middle(drawn)
  }

  private static func middle(_ sorted: [Double]) -> Double {
    let half = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
  }
}

extension SeededRandom {
  /// A number from 0 to `limit` - 1. The bias is below 2^-32 for the few values of a sample.
  package mutating func next(below limit: Int) -> Int {
    Int(((next() >> 32) &* UInt64(limit)) >> 32)
  }
}
