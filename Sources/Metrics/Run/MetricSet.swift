/// A set of metrics in one word.
public struct MetricSet: BitwiseCopyable, Hashable, Sendable, ExpressibleByArrayLiteral {
  private var bits: UInt64 = 0

  public init() {}

  public init(arrayLiteral elements: Metric...) {
    for metric in elements { insert(metric) }
  }

  public var isEmpty: Bool { bits == 0 }

  public func contains(_ metric: Metric) -> Bool { bits & MetricSet.bit(metric) != 0 }

  public mutating func insert(_ metric: Metric) { bits |= MetricSet.bit(metric) }

  /// Puts a metric in or takes it out.
  public mutating func set(_ metric: Metric, _ isMember: Bool) {
    if isMember { insert(metric) } else { bits &= ~MetricSet.bit(metric) }
  }

  public mutating func formUnion(_ other: MetricSet) { bits |= other.bits }

  private static func bit(_ metric: Metric) -> UInt64 { 1 &<< UInt64(metric.rawValue) }
}
