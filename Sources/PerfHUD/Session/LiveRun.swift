import Metrics
import PerfHUDBase
import Recording

/// The run that is going on: the one door through which records enter it, and what is written of it meanwhile.
struct LiveRun: ~Copyable {
  private(set) var value: Run
  private var recorder: RunRecorder?
  /// What became of a file that was due for an alert.
  private var lastRecording: LastRecording?
  private var metrics: [any MetricsOutput]

  init(
    _ run: consuming Run, recorder: RunRecorder? = nil,
    metrics: [any MetricsOutput] = []
  ) {
    value = run
    self.recorder = recorder
    self.metrics = metrics
  }

  /// Whether a recording is made.
  var isRecorded: Bool { recorder != nil }

  /// Applies a record, and records it. Both get the same (`Record.rounded`).
  mutating func apply(_ record: consuming Record) {
    let record = record.rounded()
    recorder?.add(record)
    for file in metrics { file.take(record) }
    value.apply(record)
    if let begin = value.newestPhaseBegin, recorder?.awaitsMark(begin) == true { markPhase(begin) }
  }

  /// Applies and records something that happens often: the same as its record, but faster.
  mutating func apply(activity: Activity) {
    let activity = activity.rounded()
    recorder?.add(activity: activity)
    for file in metrics { file.take(.activity(activity)) }
    value.apply(activity: activity)
  }

  /// Marks a new phase in the recording of the screen. Apart, since `apply` runs for each frame.
  @inline(never) private func markPhase(_ begin: Instant) {
    recorder?.mark(value.phaseName, at: begin)
  }

  /// When records are to be written; `nil` if nothing waits.
  var deadline: Instant? {
    metrics.reduce(recorder?.deadline) { earliest($0, $1.deadline) }
  }

  /// Writes the records that have waited long enough, and the metrics.
  mutating func writeIfDue(now: Instant) {
    if let result = recorder?.writeIfDue(now: now) { lastRecording = result }
    for file in metrics { file.writeIfDue(value, now: now) }
  }

  /// Whether the last part of the run is kept in memory.
  var keepsLast: Bool { recorder?.keepsLast == true }

  /// Writes what is kept in memory to a file.
  mutating func writeLast(now: Instant) -> LastRecording { recorder?.writeLast(now: now) ?? .off }

  /// An alert was raised: what is kept in memory is to be written.
  mutating func noteAlert() { recorder?.noteAlert() }

  /// What became of a file that was due for an alert, once.
  mutating func takeLastRecording() -> LastRecording? { lastRecording.take() }

  /// Ends the recording, and removes the file of metrics.
  ///
  /// - Parameter listsFiles: see `RunRecorder.finish`.
  /// - Returns: a line on it for standard error; `nil` if there is nothing to say.
  mutating func finish(_ end: RecordingEnd, listsFiles: Bool) -> String? {
    var lines = recorder?.finish(end, listsFiles: listsFiles) ?? []
    for file in metrics {
      file.finish(value, now: end.time)
      if let problem = file.takeProblem() { lines.append(problem) }
    }
    metrics = []
    return lines.isEmpty ? nil : lines.joined(separator: "; ")
  }
}
