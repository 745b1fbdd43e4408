/// The tests of a comparison that are judged together, with at most a 1 % probability of any false alarm.
///
/// With n values per side, the probability of a test cannot be less than 2 / C(2n, n), whatever the values are. Tests
/// that could never be significant among the others would only make it harder for these. So they are left out, based
/// only on their number of values. The rest is judged with Holm's correction.
///
/// Source: R. E. Tarone, "A modified Bonferroni method for discrete data" (1990); S. Holm, "A simple sequentially
/// rejective multiple test procedure" (1979).
package struct TestFamily: Sendable {
  /// The greatest allowed probability of any false alarm in a comparison.
  package static let level = 0.01

  /// The indices of the judged tests.
  package let members: [Int]

  /// - Parameter least: the least probability that each test can have.
  package init(least: [Double]) {
    var size = 1
    while least.count(where: { $0 <= TestFamily.level / Double(size) }) > size { size += 1 }
    let limit = TestFamily.level / Double(size)
    members = least.indices.filter { least[$0] <= limit }
  }

  /// The members' probabilities, adjusted for their number; `nil` for other tests.
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

  /// The number of values per side with which some of the tests would become members.
  ///
  /// - Parameters:
  ///   - tests: their indices; at least one.
  ///   - least: the current least probabilities of all tests.
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
