import PerfHUDBase
import Testing

@testable import Report

struct RankSumTests {
  /// Probabilities of scipy.stats.mannwhitneyu(method: "exact") without ties, and of all splits enumerated with them.
  @Test(arguments: [
    ([1.1, 2.2, 3.3, 4.4], [5, 6, 7, 8], 0.02857142857142857),
    ([1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12], 0.0021645021645021645),
    ([12.1, 9.8, 11.5, 10.2, 13.3], [8.7, 9.9, 9.1, 10, 8.2, 9.4], 0.017316017316017316),
    ([3, 1, 4, 1, 5], [9, 2, 6, 5, 3, 5], 0.1406926406926407),
    ([0, 0, 0, 0, 1, 1], [1, 1, 1, 0, 2, 2, 2], 0.04836829836829837),
  ])
  func `the probability of two samples is the one of scipy`(
    _ first: [Double], _ second: [Double], _ expected: Double
  ) {
    #expect((RankSum.probability(first, second) - expected).magnitude < 1e-12)
    #expect(RankSum.probability(second, first) == RankSum.probability(first, second))
  }

  @Test func `the probability is the share of all splits`() {
    var numbers = SeededRandom(seed: 11)
    for _ in 0..<40 {
      let first = (0..<numbers.next(below: 5) + 1).map { _ in Double(numbers.next(below: 5)) }
      let second = (0..<numbers.next(below: 5) + 1).map { _ in Double(numbers.next(below: 5)) }
      let expected = share(of: first, second)
      #expect((RankSum.probability(first, second) - expected).magnitude < 1e-12)
    }
  }

  /// Goes through all splits, by pairs instead of by ranks.
  private func share(of first: [Double], _ second: [Double]) -> Double {
    let all = first + second
    func distance(_ mask: Int) -> Int {
      var doubled = 0
      for index in all.indices where mask >> index & 1 == 1 {
        for other in all.indices where mask >> other & 1 == 0 {
          doubled += all[index] > all[other] ? 2 : all[index] == all[other] ? 1 : 0
        }
      }
      return (doubled - first.count * second.count).magnitude.asInt
    }
    let found = distance(1 << first.count - 1)
    let splits = (0..<1 << all.count).filter { $0.nonzeroBitCount == first.count }
    return Double(splits.count { distance($0) >= found }) / Double(splits.count)
  }

  @Test func `equal values say nothing, however many`() {
    #expect(
      RankSum.probability(Array(repeating: 7, count: 20), Array(repeating: 7, count: 20)) == 1)
    #expect(RankSum.probability([], [1, 2]) == 1)
  }

  @Test(arguments: [(4, 0.028571), (5, 0.0079365), (6, 0.0021645), (9, 0.000041135)])
  func `the least probability of n values a side is 2 : C(2n, n)`(
    _ count: Int, _ expected: Double
  ) {
    #expect((RankSum.leastProbability(count, count) - expected).magnitude < expected * 1e-4)
    let low = (0..<count).map { Double($0) }
    let found = RankSum.probability(low, low.map { $0 + 100 })
    #expect((found - RankSum.leastProbability(count, count)).magnitude < 1e-15)
  }
}

extension UInt { fileprivate var asInt: Int { Int(self) } }

struct MedianDifferenceTests {
  @Test func `the interval of two samples is the same on each run, and covers the difference`()
    throws
  {
    let base = [10.1, 10.4, 9.8, 10.0, 10.2, 9.9, 10.3]
    let new = base.map { $0 + 3 }
    let first = try #require(MedianDifference(base: base, new: new))
    #expect(first == MedianDifference(base: base, new: new))
    #expect((first.difference - 3).magnitude < 1e-9)
    #expect(first.least > 2 && first.least < 3 && first.greatest > 3 && first.greatest < 4)
  }

  @Test func `the interval covers the true difference in 95 % of samples of a normal distribution`()
    throws
  {
    var numbers = SeededRandom(seed: 5)
    func sample() -> [Double] { (0..<12).map { _ in numbers.normal() } }
    let rounds = 200
    let covered = try (0..<rounds).count { _ in
      let found = try #require(MedianDifference(base: sample(), new: sample()))
      return found.least <= 0 && found.greatest >= 0
    }
    #expect(covered > rounds * 90 / 100)
  }

  @Test func `equal samples differ by nothing`() throws {
    let found = try #require(MedianDifference(base: [5, 5, 5], new: [5, 5, 5]))
    #expect(found.least == 0 && found.greatest == 0)
    #expect(MedianDifference(base: [], new: [1]) == nil)
  }

  @Test(arguments: [([3.0, 1, 2], 2.0), ([4.0, 1, 3, 2], 2.5)])
  func `the median of an even number is between the middle two`(
    _ values: [Double], _ expected: Double
  ) {
    #expect(MedianDifference.median(values) == expected)
  }
}

struct TestFamilyTests {
  private func least(_ counts: [Int]) -> [Double] {
    counts.map { RankSum.leastProbability($0, $0) }
  }

  @Test func `four metrics of six visits are judged together`() {
    let family = TestFamily(least: least([6, 6, 6, 6]))
    #expect(family.members == [0, 1, 2, 3])
    let adjusted = family.adjusted(least([6, 6, 6, 6]))
    #expect(adjusted.allSatisfy { $0 ?? 1 < TestFamily.level })
  }

  @Test func `five metrics of six visits are too many, and need seven`() {
    let family = TestFamily(least: least([6, 6, 6, 6, 6]))
    #expect(family.members.isEmpty)
    #expect(TestFamily.valuesNeeded(for: [0, 1, 2, 3, 4], least: least([6, 6, 6, 6, 6])) == 7)
    #expect(TestFamily.valuesNeeded(for: [0, 1, 2, 3], least: least([5, 5, 5, 5, 5])) == 6)
  }

  @Test func `a phase with few visits does not make it harder for another one`() {
    let family = TestFamily(least: least([2, 2, 2, 2, 6, 6, 6, 6]))
    #expect(family.members == [4, 5, 6, 7])
    let needed = TestFamily.valuesNeeded(
      for: [0, 1, 2, 3], least: least([2, 2, 2, 2, 6, 6, 6, 6]))
    #expect(needed == 7)
  }

  @Test func `Holm's probabilities rise with the rank and never fall`() {
    let family = TestFamily(least: least([9, 9, 9]))
    let adjusted = family.adjusted([0.004, 0.03, 0.001]).map { $0 ?? -1 }
    for (found, expected) in zip(adjusted, [0.008, 0.03, 0.003]) {
      #expect((found - expected).magnitude < 1e-12)
    }
    #expect(family.adjusted([0.02, 0.02, 0.02]).map { ($0 ?? 0) < 0.0601 } == [true, true, true])
  }

  @Test(arguments: [(1, 5), (4, 6), (5, 7), (17, 7), (18, 8), (64, 8), (65, 9), (243, 9)])
  func `more metrics need more visits`(_ metrics: Int, _ visits: Int) {
    let least = Array(repeating: 1.0, count: metrics)
    #expect(TestFamily.valuesNeeded(for: Array(0..<metrics), least: least) == visits)
  }
}

extension SeededRandom {
  /// Normally distributed enough for a test: a sum of twelve (Irwin–Hall).
  mutating func normal() -> Double {
    (0..<12).reduce(-6.0) { sum, _ in sum + Double(next(below: 1 << 30)) / Double(1 << 30) }
  }
}
