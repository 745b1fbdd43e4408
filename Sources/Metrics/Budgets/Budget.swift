import PerfHUDBase
import PerfHUDEvents

/// A limit that a run has to keep, such as `rss.peak <= 500MiB` or `phase(canvas).kept <= 2MiB warn`.
///
/// The grammar is that of alerts (`Rule`), with more values and without a time:
///
///     budget = value comparison limit { "warn" | "optional" }
///     limit  = number [ unit ] | ( "+" | "-" ) number ( "%" | unit ) "of" recording
///     value  = metric "." statistic | "cpu-time" | "wall" | "hitches" | "io.read" | "io.written"
///            | "frame." statistic | "key-to-frame." statistic
///            | "phase(" name ")." ( "kept" | "grows" | "peak" | "visits" )
///            | "action(" name ")." ( "rate" | "count" )
///
/// `Run.result(of:)` judges it at the end of a run.
package struct Budget: Equatable, Sendable {
  /// Which phases or actions the budget is for.
  package enum Scope: Equatable, Sendable {
    /// `*`: the worst of all.
    case all
    case named(Event.Name)
  }

  package enum PhaseMetric: String, CaseIterable, Sendable {
    /// What a visit keeps: the median over the visits, in bytes.
    case kept
    /// How much the process grows with each visit, in bytes.
    case grows
    /// The greatest reading in any visit, in bytes.
    case peak
    case visits
  }

  package enum ActionMetric: String, CaseIterable, Sendable {
    /// The greatest rate.
    case rate
    case count
  }

  package let metric: BudgetMetric
  package let comparison: Rule.Comparison
  /// In the unit of the metric; 0 until an earlier run has set it.
  package internal(set) var limit: Double
  /// The earlier run that sets the limit; `nil` if the rule has the limit.
  package internal(set) var base: Base?
  /// Whether a missed budget is only reported.
  package let isWarning: Bool
  /// Whether a budget without data passes.
  package let isOptional: Bool
  /// The rule in its canonical form, in ASCII except for names, without the words after the limit.
  package let text: String
  /// Where it was read: the file name, made harmless, and the line, counted from 1; `nil` if it does not come from a
  /// file.
  package var place: Place?

  package struct Place: Equatable, Sendable {
    package let file: String
    package let line: Int

    package init(file: String, line: Int) {
      self.file = file
      self.line = line
    }
  }

  /// The greatest number of budgets of a run.
  package static let capacity = 64

  /// Reads a budget.
  ///
  /// - Throws: what is wrong, and in which column, counted from 1.
  package init(_ source: String) throws(RuleError) {
    var parser = RuleParser(source)
    self = try parser.parseBudget()
  }

  init(
    _ metric: BudgetMetric, _ comparison: Rule.Comparison, limit: Double, isWarning: Bool,
    isOptional: Bool, text: String, base: Base? = nil
  ) {
    self.metric = metric
    self.comparison = comparison
    self.limit = limit
    self.base = base
    self.isWarning = isWarning
    self.isOptional = isOptional
    self.text = text
  }

  /// Whether it is about key-to-frame times. The run keeps all of them only for such a budget.
  var needsAnswers: Bool {
    if case .answerTime = metric { true } else { false }
  }

  /// The whole rule, in a form that can be parsed again.
  package var source: String {
    text + (isWarning ? " warn" : "") + (isOptional ? " optional" : "")
  }
}

/// The value that is compared: one number for a whole run.
package enum BudgetMetric: Equatable, Sendable {
  /// A statistic over the samples.
  case sampled(Rule.Subject, Rule.Statistic)
  /// CPU time, in seconds.
  case cpuTime
  /// From the start to the end of the run, in seconds.
  case wall
  /// Bytes read from storage and written to it.
  case bytesRead
  case bytesWritten
  /// The times of all frames of the program, in milliseconds.
  case frameTime(Rule.Statistic)
  /// 1000 / mean frame time.
  case frameRate
  /// Hitch time for each second in which frames were drawn, in milliseconds.
  case hitches
  /// The times from a key to the frame that answers it, in milliseconds.
  case answerTime(Rule.Statistic)
  case phase(Budget.Scope, Budget.PhaseMetric)
  case action(Budget.Scope, Budget.ActionMetric)
}

extension BudgetMetric {
  var unit: Unit {
    switch self {
    case .sampled(let subject, _): subject.unit
    case .cpuTime, .wall: .seconds
    case .bytesRead, .bytesWritten: .bytes
    case .frameTime, .answerTime: .milliseconds
    case .frameRate: .framesPerSecond
    case .hitches: .millisecondsPerSecond
    case .phase(_, .visits), .action(_, .count): .count
    case .phase: .bytes
    case .action: .perSecond
    }
  }

  /// Whether more of a run can only raise the value.
  var onlyGrows: Bool {
    switch self {
    case .cpuTime, .wall, .bytesRead, .bytesWritten, .sampled(_, .peak), .frameTime(.peak),
      .answerTime(.peak), .phase(_, .peak), .phase(_, .visits), .action:
      true
    case .sampled, .frameTime, .frameRate, .hitches, .answerTime, .phase: false
    }
  }

  /// How other load on the machine changes this value.
  package var disturbance: DisturbanceEffect {
    switch self {
    case .sampled(let subject, _):
      guard case .metric(let metric) = subject else { return [] }
      return metric.disturbance
    // A program paced by a clock uses less CPU time when other programs use the processor too.
    case .cpuTime: return [.raises, .lowers]
    case .wall, .frameTime, .hitches, .answerTime: return .raises
    case .frameRate: return .lowers
    case .action(_, .rate): return [.raises, .lowers]
    case .bytesRead, .bytesWritten, .phase, .action: return []
    }
  }
}

/// What load from other programs does to a metric. Empty for memory and counts, which it does not change.
package struct DisturbanceEffect: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let raises = DisturbanceEffect(rawValue: 1)
  package static let lowers = DisturbanceEffect(rawValue: 2)
}

extension Metric {
  var disturbance: DisturbanceEffect {
    switch self {
    // These metrics are the disturbance itself.
    case .cpuWait, .throttled, .involuntarySwitches, .cpuPressure, .cpuPressureFull,
      .memoryPressure, .memoryPressureFull, .ioPressure, .ioPressureFull, .missedSamples:
      []
    case .unchangedCells: []
    case .fps: .lowers
    case .frameMedian, .frameP99, .hitches, .keyToFrame: .raises
    default:
      switch unit {
      case .bytes, .count: []
      case .percent, .seconds, .perSecond, .bytesPerSecond, .framesPerSecond, .milliseconds,
        .millisecondsPerSecond:
        [.raises, .lowers]
      }
    }
  }
}
