import Metrics
import PerfHUDBase
import Recording

/// The run that is going on: the one door through which records enter it, and the recording where one is made.
struct LiveRun: ~Copyable {
  private(set) var value: Run
  private var recorder: RecordingWriter?

  init(_ run: consuming Run, recorder: consuming RecordingWriter? = nil) {
    value = run
    self.recorder = recorder
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
    value.apply(record)
  }

  /// When records are to be written; `nil` if nothing waits.
  var deadline: Instant? {
    switch recorder {
    case .some(let recorder): recorder.deadline
    case .none: nil
    }
  }

  /// Writes the records that have waited long enough.
  mutating func writeIfDue(now: Instant) { recorder?.writeIfDue(now: now) }

  /// Ends the recording.
  ///
  /// - Returns: what went wrong with it; `nil` if nothing did.
  mutating func finish(_ end: RecordingEnd) -> String? {
    recorder?.finish(end)
    return recorder?.takeProblem() ?? nil
  }
}
