import PerfHUDBase
import PerfHUDEvents

/// A limit that a run has to keep, such as `rss.peak <= 500MiB` or `phase(canvas).kept <= 2MiB warn`.
///
/// The grammar is that of alerts (`Rule`), with more figures and without a time:
///
///     budget = figure comparison number [ unit ] { "warn" | "optional" }
///     figure = metric "." statistic | "cpu-time" | "wall" | "hitches" | "io.read" | "io.written"
///            | "frame." statistic | "key-to-frame." statistic
///            | "phase(" name ")." ( "kept" | "grows" | "peak" | "visits" )
///            | "action(" name ")." ( "rate" | "count" )
///
/// `Run.result(of:)` judges it at the end of a run.
package struct Budget: Equatable, Sendable {
  /// What is compared. Each is one number for a whole run.
  package enum Figure: Equatable, Sendable {
    /// A statistic over the samples.
    case sampled(Rule.Subject, Rule.Statistic)
    /// CPU time, in seconds.
    case cpuTime
    /// From the start to the end of the run, in seconds.
    case wall
    /// Read from storage and written to it, in bytes.
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
    case phase(Scope, PhaseFigure)
    case action(Scope, ActionFigure)
  }

  /// The phases or actions that are meant.
  package enum Scope: Equatable, Sendable {
    /// `*`: the worst of all.
    case all
    case named(Event.Name)
  }

  package enum PhaseFigure: String, CaseIterable, Sendable {
    /// What a visit keeps: the median over the visits, in bytes.
    case kept
    /// What the process grows by with each visit, in bytes.
    case grows
    /// The greatest reading in any visit, in bytes.
    case peak
    case visits
  }

  package enum ActionFigure: String, CaseIterable, Sendable {
    /// The greatest rate.
    case rate
    case count
  }

  package let figure: Figure
  package let comparison: Rule.Comparison
  /// In the unit of the figure.
  package let limit: Double
  /// A budget that is missed is only reported.
  package let isWarning: Bool
  /// Nothing to measure is no failure.
  package let isOptional: Bool
  /// The rule in one form, in ASCII but for names, without the words after the limit.
  package let text: String
  /// Where it was read: the file, made harmless, and the line from 1 on; `nil` if it comes from no file.
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
    _ figure: Figure, _ comparison: Rule.Comparison, limit: Double, isWarning: Bool,
    isOptional: Bool, text: String
  ) {
    self.figure = figure
    self.comparison = comparison
    self.limit = limit
    self.isWarning = isWarning
    self.isOptional = isOptional
    self.text = text
  }

  /// Whether it is about the times from keys to frames, of which the run keeps all only for it.
  var needsAnswers: Bool {
    if case .answerTime = figure { true } else { false }
  }

  /// The whole rule, as it can be read again.
  package var source: String {
    text + (isWarning ? " warn" : "") + (isOptional ? " optional" : "")
  }
}

extension Budget.Figure {
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

  /// The values that another load on the machine changes, and in which direction.
  var disturbance: DisturbanceEffect {
    switch self {
    case .sampled(let subject, _):
      guard case .metric(let metric) = subject else { return [] }
      return metric.disturbance
    // What takes its time by the clock uses less of a processor that others use too.
    case .cpuTime: return [.raises, .lowers]
    case .wall, .frameTime, .hitches, .answerTime: return .raises
    case .frameRate: return .lowers
    case .action(_, .rate): return [.raises, .lowers]
    case .bytesRead, .bytesWritten, .phase, .action: return []
    }
  }
}

/// What a load of other programs does to a figure. Empty for memory and counts, which it does not change.
struct DisturbanceEffect: OptionSet, Sendable {
  let rawValue: UInt8

  static let raises = DisturbanceEffect(rawValue: 1)
  static let lowers = DisturbanceEffect(rawValue: 2)
}

extension Metric {
  var disturbance: DisturbanceEffect {
    switch self {
    // These are the disturbance.
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
