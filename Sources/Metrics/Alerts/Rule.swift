import PerfHUDBase

/// A rule over a metric, such as `cpu > 90% for 10s`, `mem growth > 1MiB/s for 30s` or
/// `rss.peak < 500MiB`: one grammar for alerts and for limits that a run has to keep.
///
/// It consists of a metric, a statistic of it, a comparison, a number with its unit, and the time for which it has to
/// hold:
///
///     rule      = metric [ ( "." | " " ) statistic ] comparison number [ unit ] [ "for" time ]
///     statistic = "growth" | "peak" | "min" | "mean" | "median" | "p" number
///
/// Without a statistic the value itself is compared. `growth` is the sustained slope over the time after `for`, or over
/// 10 s; the other statistics are over the whole run. A statistic needs a number of samples: see `leastSamples`.
package struct Rule: Equatable, Sendable {
  /// What is compared.
  package enum Subject: Equatable, Sendable {
    /// The leading memory metric.
    case leadingMemory
    case metric(Metric)

    /// The metric, given the leading memory metric.
    package func metric(leading: MemoryMetric) -> Metric {
      switch self {
      case .leadingMemory: leading.metric
      case .metric(let metric): metric
      }
    }

    var unit: Unit {
      if case .metric(let metric) = self { return metric.unit }
      return .bytes
    }
  }

  /// The statistic of the metric.
  package enum Statistic: Equatable, Sendable {
    case value
    /// The slope, per second.
    case growth
    case peak
    case least
    case mean
    /// The value that this percentage of the samples does not exceed.
    case percentile(Double)
  }

  package enum Comparison: String, CaseIterable, Sendable {
    case atLeast = ">="
    case atMost = "<="
    case above = ">"
    case below = "<"

    /// Whether greater values are further on the side where the rule holds.
    package var isUpward: Bool { self == .above || self == .atLeast }

    func holds(_ value: Double, _ threshold: Double) -> Bool {
      switch self {
      case .atLeast: value >= threshold
      case .atMost: value <= threshold
      case .above: value > threshold
      case .below: value < threshold
      }
    }
  }

  package let subject: Subject
  package let statistic: Statistic
  package let comparison: Comparison
  /// In the unit of the metric; for a growth, per second.
  package let threshold: Double
  /// How long it has to hold, or the window of a growth; nanoseconds.
  package let duration: UInt64
  /// The rule in its canonical form, in ASCII.
  package let text: String

  /// The greatest number of rules.
  package static let capacity = 16
  /// The default window of a growth, in nanoseconds.
  package static let growthWindow: UInt64 = 10_000_000_000

  /// Parses a rule.
  ///
  /// - Throws: what is wrong, and in which column, counted from 1.
  package init(_ source: String) throws(RuleError) {
    var parser = RuleParser(source)
    self = try parser.parse()
  }

  init(
    subject: Subject, statistic: Statistic, comparison: Comparison, threshold: Double,
    duration: UInt64, text: String
  ) {
    self.subject = subject
    self.statistic = statistic
    self.comparison = comparison
    self.threshold = threshold
    self.duration = duration
    self.text = text
  }

  /// The number of samples that the statistic needs.
  ///
  /// A mean needs 10. A percentile needs 10, and enough that at least one sample may be beyond it: 20 for `p95`,
  /// 100 for `p99`.
  package var leastSamples: Int { Rule.leastSamples(of: statistic) }

  static func leastSamples(of statistic: Statistic) -> Int {
    switch statistic {
    case .value, .growth, .peak, .least: 1
    case .mean: Rule.samplesOfMean
    case .percentile(let percent):
      max(Rule.samplesOfMean, Int(min(1e9, (100 / min(percent, 100 - percent)).rounded(.up))))
    }
  }

  private static let samplesOfMean = 10

  /// Whether it holds for a value, ignoring its duration.
  package func holds(_ value: Double) -> Bool { comparison.holds(value, threshold) }

  /// Whether a value is far enough on the other side for an alert to end: by a twentieth of the threshold; for values
  /// that are whole numbers any distance is enough.
  package func isClear(_ value: Double) -> Bool {
    guard !holds(value) else { return false }
    let margin = subject.unit == .count ? 0 : threshold.magnitude * 0.05
    return comparison.isUpward ? value <= threshold - margin : value >= threshold + margin
  }

  /// A value of the rule's metric as it is displayed, with its unit.
  package func formatted(_ value: Double) -> ShortText {
    var text = NumberFormat.trimmed(value, unit: subject.unit)
    if statistic == .growth { text.append("/s") }
    return text
  }
}

/// What is wrong with a rule.
package struct RuleError: Error, Equatable, CustomStringConvertible {
  /// The column of the mistake in the text, counted from 1.
  package let column: Int
  package let message: String

  package var description: String { "column \(column): \(message)" }
}
