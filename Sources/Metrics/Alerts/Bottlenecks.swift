import Sampler

/// What may hold a program back, each with its metric and how bad it is.
///
/// A value that is a share of time is as bad as the share. Of the others a major fault counts as a
/// millisecond that was lost, and a switch that took the processor away as a tenth of one.
public struct Bottlenecks: Sendable {
  /// How bad it is: a twentieth of the time and more is felt, a hundredth is seen.
  public enum Grade: Int, Comparable, Sendable {
    case missing, calm, seen, felt

    public static func < (a: Grade, b: Grade) -> Bool { a.rawValue < b.rawValue }
  }

  public struct Reason: Sendable, Equatable {
    public let metric: Metric
    /// In units of the metric.
    public let reading: Reading<Double>
    public let grade: Grade
  }

  public static let feltPercent = 5.0
  public static let seenPercent = 1.0

  /// The order of reasons of the same grade: the most direct sign first.
  public static let metrics: [Metric] = [
    .cpuWait, .throttled, .memoryPressure, .ioPressure, .cpuPressure, .majorFaults,
    .involuntarySwitches, .readRate, .writeRate, .voluntarySwitches,
  ]

  /// The worst first. Reasons of one grade keep their places, so that little changes move nothing.
  public private(set) var reasons = Reasons()
  /// Whether the program fills a processor and none of these holds it back: it is its own work.
  public private(set) var isOwnWork = false

  /// It allocates nothing.
  public init(_ row: Row) {
    for metric in Bottlenecks.metrics {
      reasons.insert(
        Reason(metric: metric, reading: row[metric], grade: Bottlenecks.grade(metric, of: row)))
    }
    let isHeld = reasons[0].grade == .felt
    isOwnWork = !isHeld && row[.cpuWindow].value ?? 0 >= 90
  }

  /// One reason for each metric, kept in place.
  public struct Reasons: RandomAccessCollection, Sendable {
    private var storage = InlineArray<10, Reason>(
      repeating: Reason(metric: .cpuWait, reading: .absent(.pending), grade: .missing))
    public private(set) var count = 0

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public subscript(position: Int) -> Reason {
      precondition(position < count)
      return storage[position]
    }

    /// After those that are as bad.
    fileprivate mutating func insert(_ reason: Reason) {
      var position = count
      while position > 0, storage[position - 1].grade < reason.grade {
        storage[position] = storage[position - 1]
        position -= 1
      }
      storage[position] = reason
      count += 1
    }
  }

  /// Pressure on the whole machine need not affect this program: its grade is at most `seen`, and for cores `calm`
  /// where the program's own wait is known.
  private static func grade(_ metric: Metric, of row: Row) -> Grade {
    let own = Bottlenecks.grade(metric, row[metric])
    guard !row.isPressureOfCgroup, own > .calm else { return own }
    switch metric {
    case .cpuPressure: return row[.cpuWait].value == nil ? .seen : .calm
    case .memoryPressure, .ioPressure: return .seen
    default: return own
    }
  }

  static func grade(_ metric: Metric, _ reading: Reading<Double>) -> Grade {
    guard case .value(let value) = reading else { return .missing }
    let percent: Double =
      switch metric {
      case .throttled, .majorFaults: value / 10
      case .involuntarySwitches: value / 100
      // What it does, not what it waits for.
      case .readRate, .writeRate, .voluntarySwitches: 0
      default: value
      }
    return percent >= feltPercent ? .felt : percent >= seenPercent ? .seen : .calm
  }
}
