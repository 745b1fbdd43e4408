import Metrics
import PerfHUDBase
import PerfHUDEvents
import Recording
import Sampler

/// Folds the records of a run into what a report needs.
struct ReportCollector: RecordCollector {
  private var fold: RunCollector
  private let start: Instant
  private let memory: Metric
  private(set) var series: TimeSeries
  private(set) var answers = FrameHistogram()
  private var unclearAnswers: UInt64 = 0
  /// Whether most keys have a clear answer. If not, their times mean nothing, as in budgets.
  var isAnswerTimeClear: Bool { unclearAnswers <= answers.timed }
  /// The greatest value of the leading memory metric, and the phase in which it occurred.
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

  mutating func take(_ activities: Span<Activity>) { fold.take(activities) }

  mutating func take(_ found: borrowing NextRecord) {
    fold.take(found)
    if found.isSample {
      takeRow(isProvisional: found.sample.isProvisional)
      return
    }
    switch found.record {
    case .answer(let nanoseconds, _): answers.add(nanoseconds)
    case .unclearAnswer: unclearAnswers += 1
    default: break
    }
  }

  private mutating func takeRow(isProvisional: Bool) {
    guard let row = fold.newestRow() else { return }
    if let bytes = row[memory].value, bytes > peak.bytes { peak = (bytes, row.phase?.name) }
    if !isProvisional { series.take(row, elapsed: row.time.seconds(since: start)) }
  }
}
