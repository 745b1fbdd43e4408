import Sampler

/// What may hold a program back, each with its metric and how bad it is.
///
/// A share of time counts as it is. Of the other values, a major fault counts as a lost millisecond, and an involuntary
/// context switch as a tenth of one.
package struct Bottlenecks: Sendable {
  /// How bad it is: a tenth of the time or more is felt, a hundredth is seen.
  package enum Grade: Int, Comparable, Sendable {
    case missing, calm, seen, felt

    package static func < (a: Grade, b: Grade) -> Bool { a.rawValue < b.rawValue }
  }

  package struct Reason: Sendable, Equatable {
    package let metric: Metric
    /// In units of the metric.
    package let reading: Reading<Double>
    package let grade: Grade
  }

  package static let feltPercent = 10.0
  package static let seenPercent = 1.0

  /// The order of the reasons, and of the same grade the most direct sign first.
  package static let metrics: [Metric] = [
    .cpuWait, .throttled, .memoryPressure, .ioPressure, .cpuPressure, .majorFaults,
    .involuntarySwitches, .readRate, .writeRate, .voluntarySwitches,
  ]

  /// In the order of the metrics, whatever their grades: a row that changes places cannot be read.
  package private(set) var reasons = Reasons()
  /// The index of the first reason with the highest grade.
  private var worst = 0
  /// Whether the program keeps a processor busy and none of the reasons holds it back: the time goes into its own work.
  package private(set) var isOwnWork = false
  /// How much of the time the program sleeps, if none of the reasons holds it back; what it waits for then is not known.
  package enum Sleep: Equatable, Sendable {
    /// A share of the time in percent, at least 10. Several threads sleep at least that long at once.
    case percent(Double, isLowerBound: Bool)
    /// More than half of the time; more is not known, since the CPU share or the waits of some processes are missing.
    case mostly
  }

  package private(set) var sleep: Sleep?
  /// The index of a pressure on the whole machine that is at least a tenth of the time, if no other reason costs
  /// that much. The program may or may not be affected.
  private var busyMachine: Int?

  /// Finds the reasons. Allocates nothing.
  package init(_ row: Row) {
    for metric in Bottlenecks.metrics {
      let grade = Bottlenecks.grade(metric, of: row)
      reasons.append(Reason(metric: metric, reading: row[metric], grade: grade))
      // A wait that the quota explains has at most its grade, and the quota is the more direct sign.
      let isCause = metric == .throttled && worst == 0 && Bottlenecks.isWaitOfQuota(in: row)
      if grade > reasons[worst].grade || isCause { worst = reasons.count - 1 }
    }
    let isHeld = reasons[worst].grade == .felt
    isOwnWork = !isHeld && row[.cpuWindow].value ?? 0 >= 90
    if !isHeld {
      busyMachine = reasons.firstIndex {
        $0.grade == .seen && Bottlenecks.grade($0.metric, $0.reading) == .felt
      }
    }
    if !isHeld, !isOwnWork { sleep = Bottlenecks.sleep(in: row) }
  }

  /// The reason to name: the worst, or pressure on the whole machine that is far greater.
  package var named: Reason { reasons[namedIndex] }
  package var namedIndex: Int { busyMachine ?? worst }

  /// The verdict if no reason costs enough to be named.
  package var verdictWithoutReason: Word {
    if busyMachine != nil { return .slowMachine }
    if isOwnWork { return .slowOwnWork }
    if sleep != nil { return .slowAsleep }
    return reasons[worst].grade == .seen ? .slowLittle : .slowNothing
  }

  private static func sleep(in row: Row) -> Sleep? {
    guard row.state != .diskSleep, let used = row[.cpuWindow].value else { return nil }
    let hasOthers = row[.processes].value ?? 1 > 1
    guard let wait = row[.cpuWait].value, !row.cpuShareIsLowerBound,
      !hasOthers || !row.lowerBounds.contains(.cpuWait)
    else { return used < 50 ? .mostly : nil }
    var asleep = 100 - used - wait
    asleep -= row[.majorFaults].value.flatMap { percent($0, of: .majorFaults) } ?? 0
    if row.isPressureOfCgroup {
      asleep -= (row[.memoryPressure].value ?? 0) + (row[.ioPressure].value ?? 0)
    }
    guard asleep >= feltPercent else { return nil }
    return .percent(asleep, isLowerBound: hasOthers || row[.threads].value ?? 1 > 1)
  }

  /// One reason for each metric, stored inline.
  package struct Reasons: RandomAccessCollection, Sendable {
    private var storage = InlineArray<10, Reason>(
      repeating: Reason(metric: .cpuWait, reading: .absent(.pending), grade: .missing))
    package private(set) var count = 0

    package var startIndex: Int { 0 }
    package var endIndex: Int { count }
    package subscript(position: Int) -> Reason {
      precondition(position < count)
      return storage[position]
    }

    fileprivate mutating func append(_ reason: Reason) {
      storage[count] = reason
      count += 1
    }
  }

  /// Pressure on the whole machine need not affect this program, so its grade is `seen` where that of its own cgroup
  /// would be `felt`, else `calm`. For cores it is `calm` if the program's own wait is known: of several processes, if
  /// it is not a lower bound.
  private static func grade(_ metric: Metric, of row: Row) -> Grade {
    let own = Bottlenecks.grade(metric, row[metric])
    if metric == .throttled, isWaitOfQuota(in: row) {
      return max(own, Bottlenecks.grade(.cpuWait, row[.cpuWait]))
    }
    guard !row.isPressureOfCgroup, own > .calm else { return own }
    let ofMachine: Grade = own == .felt ? .seen : .calm
    switch metric {
    case .cpuPressure:
      let isPartOfIt = row[.processes].value ?? 1 > 1 && row.lowerBounds.contains(.cpuWait)
      let isWaitKnown = row[.cpuWait].value != nil && !isPartOfIt
      return isWaitKnown ? .calm : ofMachine
    case .memoryPressure, .ioPressure: return ofMachine
    default: return own
    }
  }

  /// The least share of a wait for a core that the quota must have held back to count as its cause.
  private static let leastShareOfQuota = 0.25

  /// Whether the CPU quota of the cgroup is the likely cause of a wait for a core. The kernel counts the time for which
  /// a quota holds a thread back as a wait for a core too.
  ///
  /// The two times cannot be subtracted: throttled time is the sum over the cores, and other processes of the cgroup
  /// may have used up the quota. So a fair part of the wait is enough, and of a wait of several threads a part of one
  /// core.
  package static func isWaitOfQuota(in row: Row) -> Bool {
    isWaitOfQuota(in: row, least: leastShareOfQuota)
  }

  private static func isWaitOfQuota(in row: Row, least: Double) -> Bool {
    guard let wait = row[.cpuWait].value, let held = row[.throttled].value.map({ $0 / 10 }) else {
      return false
    }
    return held >= seenPercent && held >= least * min(wait, 100)
  }

  /// Whether a value in a row amounts to a tenth of the time or more.
  package static func isFelt(_ metric: Metric, in row: Row) -> Bool {
    grade(metric, of: row) == .felt
  }

  /// The shares of time, in percent: a wait is shown from the first on, until it falls below the second.
  private static let waitBegins = 2.0
  private static let waitEnds = 0.5

  /// What the target itself waits for most, so that it can be shown in one place.
  ///
  /// - Parameter former: The wait that was shown before. It stays while it continues and no other is twice as long.
  package static func wait(in row: Row, after former: Metric?) -> Metric? {
    var worst: (metric: Metric, percent: Double)?
    var formerPercent = 0.0
    let isOfQuota = isWaitOfQuota(
      in: row, least: former == .throttled ? leastShareOfQuota / 2 : leastShareOfQuota)
    for index in waits.indices {
      let metric = waits[index]
      guard let value = row[metric].value else { continue }
      let isPressure = metric == .memoryPressure || metric == .ioPressure
      // Pressure on the machine need not affect the target.
      if isPressure, !row.isPressureOfCgroup { continue }
      if metric == .cpuWait, isOfQuota { continue }
      var percent = metric == .throttled || metric == .majorFaults ? value / 10 : value
      if metric == .throttled, isOfQuota { percent = max(percent, row[.cpuWait].value ?? 0) }
      if metric == former { formerPercent = percent }
      if percent > worst?.percent ?? 0 { worst = (metric, percent) }
    }
    if let former, formerPercent >= waitEnds, worst?.percent ?? 0 < 2 * formerPercent {
      return former
    }
    guard let worst, worst.percent >= waitBegins else { return nil }
    return worst.metric
  }

  private static var waits: InlineArray<5, Metric> {
    [.cpuWait, .throttled, .memoryPressure, .ioPressure, .majorFaults]
  }

  static func grade(_ metric: Metric, _ reading: Reading<Double>) -> Grade {
    guard case .value(let value) = reading else { return .missing }
    let percent = percent(value, of: metric) ?? 0
    return percent >= feltPercent ? .felt : percent >= seenPercent ? .seen : .calm
  }

  /// The share of the time that a value represents, in percent; `nil` for work that the program does rather than
  /// something that it waits for.
  static func percent(_ value: Double, of metric: Metric) -> Double? {
    switch metric {
    case .throttled, .majorFaults: value / 10
    case .involuntarySwitches: value / 100
    case .readRate, .writeRate, .voluntarySwitches: nil
    default: value
    }
  }
}
