import Metrics
import PerfHUDBase
import Recording

/// The run that is going on: the one door through which records enter it, and what is written of it meanwhile.
struct LiveRun: ~Copyable {
  private(set) var value: Run
  private var recorder: RecordingWriter?
  private var metrics: MetricsFile?

  init(
    _ run: consuming Run, recorder: consuming RecordingWriter? = nil,
    metrics: consuming MetricsFile? = nil
  ) {
    value = run
    self.recorder = recorder
    self.metrics = metrics
  }

  /// Whether a recording is made.
  var isRecorded: Bool {
    switch recorder {
    case .some: true
    case .none: false
    }
  }

  /// Applies a record, and records it. Both get the same (`Record.rounded`).
  mutating func apply(_ record: consuming Record) {
    let record = record.rounded()
    recorder?.add(record)
    metrics?.take(record)
    value.apply(record)
  }

  /// When records are to be written; `nil` if nothing waits.
  var deadline: Instant? {
    let recording: Instant? =
      switch recorder {
      case .some(let recorder): recorder.deadline
      case .none: nil
      }
    switch metrics {
    case .some(let metrics): return earliest(recording, metrics.deadline)
    case .none: return recording
    }
  }

  /// Writes the records that have waited long enough, and the metrics.
  mutating func writeIfDue(now: Instant) {
    recorder?.writeIfDue(now: now)
    metrics?.writeIfDue(value, now: now)
  }

  /// Ends the recording, and removes the file of metrics.
  ///
  /// - Returns: what went wrong with it; `nil` if nothing did.
  mutating func finish(_ end: RecordingEnd) -> String? {
    recorder?.finish(end)
    let problems = [recorder?.takeProblem() ?? nil, metrics?.takeProblem() ?? nil]
    metrics = nil
    let known = problems.compactMap(\.self)
    return known.isEmpty ? nil : known.joined(separator: "; ")
  }
}
