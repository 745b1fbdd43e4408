import Metrics
import PerfHUDBase
import PerfHUDEvents
import Recording
import Sampler

/// Everything that a report says of one recording.
package struct RunReport: Sendable {
  /// The name of the file.
  package let file: String
  package let host: HostFacts
  package let run: Run
  package let summary: RunSummary
  package let budgets: BudgetReport
  package let series: TimeSeries
  /// Times from keys to the frames that answered them.
  package let answers: FrameHistogram
  package let damage: RecordingDamage
  /// The phase in which the leading memory metric had its greatest value; `nil` without a phase.
  package let peakPhase: Event.Name?
  /// When the run was over.
  package let end: Instant

  /// Reads a recording to its end.
  ///
  /// - Parameters:
  ///   - file: its name, for the title.
  ///   - budgets: limits that the run is judged by.
  ///   - progress: called with the recorded time so far, in seconds, about every thousand records.
  package init(
    _ reader: inout RecordingReader, file: String, budgets: [Budget] = [],
    progress: (Double) -> Void = { _ in }
  ) {
    var collector = ReportCollector(reader.header.run, budgets: budgets)
    collector.takeAll(from: &reader, progress: progress)
    self.init(
      collector, file: file, host: reader.header.host, end: reader.end, damage: reader.damage)
  }

  init(
    _ collector: ReportCollector, file: String, host: HostFacts, end recorded: RecordingEnd?,
    damage: RecordingDamage
  ) {
    end = recorded?.time ?? collector.last
    self.file = SafeText.clean(file, limit: 200)
    self.host = host
    self.damage = damage
    run = collector.run
    series = collector.series
    answers = collector.isAnswerTimeClear ? collector.answers : FrameHistogram()
    peakPhase = collector.peak.phase
    summary = RunSummary(run, asOf: end, end: recorded?.command)
    budgets = BudgetReport(run, asOf: end, end: recorded?.command)
  }

  /// How long the run took, in seconds.
  package var seconds: Double { summary.wallSeconds }

  /// What was recorded: the command or the name of the process.
  package var title: String {
    let command = SafeText.clean(summary.command, limit: 120)
    return command.isEmpty ? file : command
  }

  /// The name of the leading memory metric.
  var memoryName: String {
    switch run.header.memory {
    case .footprint: "MEM"
    case .rss: "RSS"
    case .pss: "PSS"
    }
  }

  /// The frames of the program; those of perfhud's own tick say nothing of it.
  var frameTimes: FrameHistogram? {
    guard let found = run.totalFrames, found.source != .tick, found.times.timed > 0 else {
      return nil
    }
    return found.times
  }

  /// When the run began, by the user's clock: `2026-11-25 06:05:48 +01:00`.
  var startText: String {
    let header = run.header
    let unix = Int64(clamping: (header.start.nanoseconds &+ header.wallClockOffset) / 1_000_000_000)
    return CivilTime(unixSeconds: unix, secondsFromUTC: header.secondsFromUTC).text
  }
}

/// Folds the records of a run into what a report needs.
struct ReportCollector: RecordCollector {
  private var fold: RunCollector
  private let start: Instant
  private let memory: Metric
  private(set) var series: TimeSeries
  private(set) var answers = FrameHistogram()
  private var unclearAnswers: UInt64 = 0
  /// Whether most keys have an answer that is clear; else their times say nothing, as in budgets.
  var isAnswerTimeClear: Bool { unclearAnswers <= answers.timed }
  /// The greatest value of the leading memory metric, and the phase in which it was.
  private(set) var peak: (bytes: Double, phase: Event.Name?) = (-1, nil)

  init(_ header: RunHeader, budgets: [Budget]) {
    var header = header
    header.budgets = budgets
    fold = RunCollector(header)
    start = header.start
    memory = header.memory.metric
    series = TimeSeries(
      interval: Double(header.interval) * 1e-9, memory: header.memory.metric)
  }

  var run: Run { fold.run }
  var last: Instant { fold.last }

  mutating func next(from reader: inout RecordingReader) -> Record? { fold.next(from: &reader) }

  mutating func take(_ record: Record) {
    fold.take(record)
    switch record {
    case .answer(let nanoseconds, _): answers.add(nanoseconds)
    case .unclearAnswer: unclearAnswers += 1
    case .sample(let sample):
      guard let row = fold.newestRow() else { return }
      let bytes = row[memory].value
      if let bytes, bytes > peak.bytes { peak = (bytes, row.phase?.name) }
      if !sample.isProvisional {
        series.take(row, elapsed: row.time.seconds(since: start))
      }
    default: break
    }
  }
}

/// A moment of the Gregorian calendar.
struct CivilTime {
  private let unixSeconds: Int64
  private let secondsFromUTC: Int

  init(unixSeconds: Int64, secondsFromUTC: Int) {
    self.unixSeconds = min(max(unixSeconds, 0), 250_000_000_000)
    self.secondsFromUTC = secondsFromUTC
  }

  /// `2026-11-25 06:05:48 +01:00`. Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
  var text: String {
    let local = max(0, unixSeconds + Int64(secondsFromUTC))
    let days = local / 86_400 + 719_468
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let zone = Int64(secondsFromUTC.magnitude) / 60
    let sign = secondsFromUTC < 0 ? "-" : "+"
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let second = local % 86_400
    return "\(year)-\(two(month))-\(two(day)) \(two(second / 3600)):\(two(second / 60 % 60)):"
      + "\(two(second % 60)) \(sign)\(two(zone / 60)):\(two(zone % 60))"
  }
}

/// Values as text of a report.
enum ReportText {
  static func bytes(_ value: Double) -> String { "\(NumberFormat.trimmed(value, unit: .bytes))" }
  static func percent(_ value: Double) -> String {
    "\(NumberFormat.trimmed(value, unit: .percent))"
  }
  static func milliseconds(_ value: Double) -> String {
    "\(NumberFormat.trimmed(value, unit: .milliseconds))"
  }

  static func number(_ value: Double, decimals: Int) -> String {
    var text = ShortText()
    text.append(value, decimals: decimals)
    return text.description
  }

  /// `12.34 s`; from a minute on `3m12s`.
  static func seconds(_ value: Double) -> String {
    guard value < 60 else { return "\(NumberFormat.duration(seconds: value))" }
    return "\(number(value, decimals: value < 10 ? 3 : 2)) s"
  }

  /// A name from outside, made harmless, with a limit that tables bear.
  static func name(_ name: Event.Name) -> String { SafeText.clean(name.text, limit: 80) }

  /// `1 visit`, `2 visits`.
  static func count(_ count: UInt64, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
