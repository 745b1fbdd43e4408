/// The tests of a comparison that are judged together, so that all of them raise a false alarm with at most 1 %.
///
/// A sample of n values a side can reach no less than 2 / C(2n, n), whatever they are. Tests that could never be
/// significant among the others only make these harder, so they are left out, by their number of values alone. What is
/// left is judged with Holm's correction.
///
/// Source: R. E. Tarone, "A modified Bonferroni method for discrete data" (1990); S. Holm, "A simple sequentially
/// rejective multiple test procedure" (1979).
package struct TestFamily: Sendable {
  /// The most that the chance of any false alarm in a comparison may be.
  package static let level = 0.01

  /// The indices of the tests that are judged.
  package let members: [Int]

  /// - Parameter least: the least probability that each test can reach.
  package init(least: [Double]) {
    var size = 1
    while least.count(where: { $0 <= TestFamily.level / Double(size) }) > size { size += 1 }
    let limit = TestFamily.level / Double(size)
    members = least.indices.filter { least[$0] <= limit }
  }

  /// The probabilities of the members, adjusted for their number; those of others are `nil`.
  package func adjusted(_ probabilities: [Double]) -> [Double?] {
    var result: [Double?] = Array(repeating: nil, count: probabilities.count)
    var greatest = 0.0
    let order = members.sorted { probabilities[$0] < probabilities[$1] }
    for (rank, index) in order.enumerated() {
      greatest = max(greatest, probabilities[index] * Double(order.count - rank))
      result[index] = min(1, greatest)
    }
    return result
  }

  /// The number of values a side with which some of the tests become members.
  ///
  /// - Parameters:
  ///   - tests: their indices; at least one.
  ///   - least: of all tests, as they are now.
  package static func valuesNeeded(for tests: [Int], least: [Double]) -> Int {
    var values = 1
    while true {
      var least = least
      for index in tests { least[index] = RankSum.leastProbability(values, values) }
      if TestFamily(least: least).members.contains(tests[0]) { return values }
      values += 1
    }
  }
}
