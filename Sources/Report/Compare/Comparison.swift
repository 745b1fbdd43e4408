import Metrics
import PerfHUDBase
import PerfHUDEvents

/// The differences between the runs of two sides. Pure.
///
/// A value belongs to a run if each side has enough of them, because runs are independent of each other. Otherwise it
/// belongs to a visit to a phase: samples within a visit depend on each other far too much to be compared. The first
/// run or visit is a warm-up and does not count.
package struct Comparison: Sendable {
  /// The whole run, then each phase.
  package let subjects: [ComparedSubject]
  /// The number of recordings of each side.
  package let runs: (base: Int, new: Int)
  /// The reasons why the sides are hard to compare, one sentence each.
  package let remarks: [String]
  /// The number of metrics that were judged together.
  package let familySize: Int

  /// The least number of runs per side, without the first, for which values belong to runs: enough for four metrics.
  static let leastRuns = 6
  /// The greatest number of values per side that are tested. If there are more runs, groups of consecutive runs are
  /// replaced by their medians.
  static let mostRuns = 20
  /// The same for visits. Consecutive visits may depend on each other; fewer values reduce this.
  static let mostVisits = 12

  /// - Parameters:
  ///   - base: the runs before a change; at least one.
  ///   - new: the runs with the change.
  package init(base: [RunMetrics], new: [RunMetrics]) {
    runs = (base.count, new.count)
    let sides = ComparedSides(base: base, new: new)
    remarks = sides.remarks
    var subjects = [sides.wholeRun()] + sides.phaseNames.map { sides.phase($0) }
    let places = subjects.indices.flatMap { subject in
      subjects[subject].rows.indices.filter { subjects[subject].rows[$0].metric.isLeading }
        .map { (subject, $0) }
    }
    let rows = places.map { subjects[$0.0].rows[$0.1] }
    let least = rows.map(\.leastProbability)
    let family = TestFamily(least: least)
    let adjusted = family.adjusted(rows.map(\.probability))
    for (index, place) in places.enumerated() {
      let joining = places.indices.filter { places[$0].0 == place.0 && adjusted[$0] == nil }
      let needed = joining.isEmpty ? 0 : TestFamily.valuesNeeded(for: joining, least: least)
      subjects[place.0].rows[place.1].judge(
        adjusted: adjusted[index], needed: needed, sides: sides)
    }
    self.subjects = subjects
    familySize = family.members.count
  }

  /// The metrics that have changed, worst first, with their subjects.
  package var changes: [(subject: ComparedSubject, row: ComparedRow)] {
    let all = subjects.flatMap { subject in
      subject.rows.filter(\.isChange).map { (subject, $0) }
    }
    return all.filter { $0.1.verdict == .more } + all.filter { $0.1.verdict == .less }
  }

  /// Whether anything has become worse.
  package var isWorse: Bool { changes.contains { $0.row.verdict == .more } }

  /// Whether a metric could not be judged because of a disturbance or missing information, or none for lack of values.
  package var isUndecided: Bool {
    familySize == 0 || subjects.contains { $0.rows.contains(where: \.isUndecided) }
  }
}

/// A subject of the comparison: the whole run, or a phase.
package struct ComparedSubject: Sendable {
  /// `nil` for the whole run.
  package let phase: Event.Name?
  package let unit: ComparedUnit
  /// The number of compared values on each side, without the first one.
  package let counts: (base: Int, new: Int)
  /// The rows, leading metrics first.
  package internal(set) var rows: [ComparedRow]

  /// The name for people.
  package var name: String { phase.map(ReportText.name) ?? "run" }
}

/// One metric of a subject on both sides.
package struct ComparedRow: Sendable {
  package enum Verdict: Equatable, Sendable {
    /// The value has become greater, or less.
    case more, less
    /// No change was found.
    case same
    /// There are too few values; at least this many more runs or visits per side are needed.
    case needs(Int)
    /// No verdict is possible, with the reason.
    case inconclusive(String)
    /// A detail is not judged.
    case none
  }

  package let metric: ComparedMetric
  package let unit: ComparedUnit
  /// The number of values of each side.
  package let counts: (base: Int, new: Int)
  /// `nil` if a side has no value.
  package let difference: MedianDifference?
  /// Whether values of each side are only lower bounds.
  package let areBounds: (base: Bool, new: Bool)
  /// The probability that the values of both sides come from the same distribution: two-sided, for this metric alone.
  package let probability: Double
  /// The same, adjusted for the number of metrics that are judged together; `nil` for others.
  package private(set) var adjusted: Double?
  package private(set) var verdict = Verdict.none
  let leastProbability: Double
  private let isAtBorders: Bool
  /// How far the values of one side are from its median.
  private let spread: Double

  /// Consecutive visits in a run may depend on each other, so their values drift. A difference counts only if it is at
  /// least this multiple of their spread, which drift does not explain.
  private static let clearSpreads = 4.0

  /// - Parameter limit: the maximum number of values per side that are tested.
  init(
    _ metric: ComparedMetric, unit: ComparedUnit, base: [Double], new: [Double], limit: Int,
    isAtBorders: Bool, areBounds: (base: Bool, new: Bool) = (false, false)
  ) {
    self.metric = metric
    self.unit = unit
    self.isAtBorders = isAtBorders
    self.areBounds = areBounds
    counts = (base.count, new.count)
    let before = ComparedRow.groups(base, limit: limit)
    let after = ComparedRow.groups(new, limit: limit)
    difference = MedianDifference(base: before, new: after)
    probability = RankSum.probability(before, after)
    leastProbability = RankSum.leastProbability(before.count, after.count)
    spread = ComparedRow.spread(before, after)
  }

  /// The standard deviation within the sides, estimated from the median distance to the medians, so that single
  /// outliers have no effect.
  private static func spread(_ sides: [Double]...) -> Double {
    let distances = sides.flatMap { values in
      let middle = MedianDifference.median(values) ?? 0
      return values.map { ($0 - middle).magnitude }
    }
    return 1.4826 * (MedianDifference.median(distances) ?? 0)
  }

  /// Replaces groups of consecutive values by their medians, so that at most `limit` values are left.
  static func groups(_ values: [Double], limit: Int) -> [Double] {
    guard values.count > limit else { return values }
    return (0..<limit).compactMap { group in
      let range = group * values.count / limit..<(group + 1) * values.count / limit
      return MedianDifference.median(Array(values[range]))
    }
  }

  package var isChange: Bool { verdict == .more || verdict == .less }

  package var isUndecided: Bool {
    if case .inconclusive = verdict { true } else { false }
  }

  /// Whether it has too few values.
  var needsMore: Bool {
    if case .needs = verdict { true } else { false }
  }

  /// The difference in percent; `nil` if the base is 0.
  package var percent: Double? {
    guard let difference, difference.base.magnitude > 0 else { return nil }
    return 100 * difference.difference / difference.base.magnitude
  }

  mutating func judge(adjusted: Double?, needed: Int, sides: ComparedSides) {
    self.adjusted = adjusted
    guard let difference else { return }
    guard let adjusted else {
      // The first run counts until there is another one.
      let isSingle = unit == .run && min(sides.base.count, sides.new.count) == 1
      verdict = .needs(max(1, needed - (isSingle ? 0 : min(counts.base, counts.new))))
      return
    }
    let threshold = metric.threshold(
      base: difference.base, unit: unit, isAtBorders: isAtBorders)
    let isChange =
      adjusted < TestFamily.level
      && (difference.least > threshold || difference.greatest < -threshold)
      && (unit == .run
        || difference.difference.magnitude >= ComparedRow.clearSpreads * spread)
    let direction = difference.difference > 0 ? Verdict.more : .less
    if let reason = sides.doubt(of: metric, isChange: isChange, isMore: direction == .more) {
      verdict = .inconclusive(reason)
    } else {
      verdict = isChange ? direction : .same
    }
  }
}
