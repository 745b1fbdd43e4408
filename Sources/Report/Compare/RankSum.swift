/// The two-sided test of Mann and Whitney (Wilcoxon's rank-sum test), exact for every sample and with ties.
///
/// Source: H. B. Mann, D. R. Whitney, "On a Test of Whether one of Two Random Variables is Stochastically Larger than
/// the Other" (1947). Ties have their mean rank.
package enum RankSum {
  /// The share of all ways to split the values into two groups of these sizes whose rank sum is at least as far from
  /// its mean as the observed one. This is not an approximation: all splits are counted.
  ///
  /// - Returns: from 2 / C(n + m, n) to 1; 1 for an empty group.
  ///
  /// Complexity: cubic in the number of values, and linear in the size of the smaller group. Intended for at most 40
  /// values, whose counts are exact in a `Double`.
  package static func probability(_ first: [Double], _ second: [Double]) -> Double {
    let few = first.count <= second.count ? first : second
    let many = first.count <= second.count ? second : first
    guard !few.isEmpty else { return 1 }
    let ranks = doubledRanks(few + many)
    let total = ranks.count
    let found = ranks.prefix(few.count).reduce(0, +)
    // Twice the mean of the rank sum.
    let mean = few.count * (total + 1)
    let ways = rankSumCounts(ranks, choose: few.count)
    let distance = (found - mean).magnitude
    var all = 0.0
    var asFar = 0.0
    for (sum, count) in ways.enumerated() {
      all += count
      if (sum - mean).magnitude >= distance { asFar += count }
    }
    return min(1, asFar / all)
  }

  /// The least possible value of `probability` for groups of these sizes: 2 / C(n + m, n).
  package static func leastProbability(_ first: Int, _ second: Int) -> Double {
    guard first > 0, second > 0 else { return 1 }
    var ways = 1.0
    for index in 1...min(first, second) {
      ways *= Double(max(first, second) + index) / Double(index)
    }
    return min(1, 2 / ways)
  }

  /// Twice the rank of each value, which is an integer even if equal values share their mean rank.
  private static func doubledRanks(_ values: [Double]) -> [Int] {
    let order = values.indices.sorted { values[$0] < values[$1] }
    var ranks = Array(repeating: 0, count: values.count)
    var start = 0
    while start < order.count {
      var end = start
      while end < order.count, values[order[end]] == values[order[start]] { end += 1 }
      for position in start..<end { ranks[order[position]] = start + 1 + end }
      start = end
    }
    return ranks
  }

  /// The number of ways to choose `count` of the ranks, for each sum of the chosen ones.
  private static func rankSumCounts(_ ranks: [Int], choose count: Int) -> [Double] {
    let width = ranks.reduce(0, +) + 1
    var ways = Array(repeating: 0.0, count: (count + 1) * width)
    ways[0] = 1
    for (index, rank) in ranks.enumerated() {
      for chosen in stride(from: min(index + 1, count), through: 1, by: -1) {
        let from = (chosen - 1) * width
        let to = chosen * width + rank
        for sum in 0..<width - rank where ways[from + sum] > 0 {
          ways[to + sum] += ways[from + sum]
        }
      }
    }
    return Array(ways[(count * width)...])
  }
}
