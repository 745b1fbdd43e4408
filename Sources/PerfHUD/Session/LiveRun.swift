import Metrics
import PerfHUDBase
import Recording

/// The current run. All records enter it here, and are written to its outputs from here.
struct LiveRun: ~Copyable {
  private(set) var value: Run
  private var recorder: RunRecorder?
  /// The result of a file that was due for an alert.
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

  /// Whether the run is being recorded.
  var isRecorded: Bool { recorder != nil }

  /// Begins anew with or without the children of the target.
  mutating func startAnew(includesChildren: Bool, at time: Instant) {
    value.startAnew(includesChildren: includesChildren, at: time)
  }

  /// Applies and records a record. Both get the same values (`Record.rounded`).
  mutating func apply(_ record: consuming Record) {
    let record = record.rounded()
    recorder?.add(record)
    for file in metrics { file.take(record) }
    value.apply(record)
    if let begin = value.newestPhaseBegin, recorder?.awaitsMark(begin) == true { markPhase(begin) }
  }

  /// Applies and records something frequent: the same as for its record, but faster.
  mutating func apply(activity: Activity) {
    let activity = activity.rounded()
    recorder?.add(activity: activity)
    for file in metrics { file.take(.activity(activity)) }
    value.apply(activity: activity)
  }

  /// Marks a new phase in the recording of the screen. Not inlined, since `apply` runs for each frame.
  @inline(never) private func markPhase(_ begin: Instant) {
    recorder?.mark(value.phaseName, at: begin)
  }

  /// When to write records next; `nil` if nothing waits.
  var deadline: Instant? {
    metrics.reduce(recorder?.deadline) { earliest($0, $1.deadline) }
  }

  /// Writes the metrics, and the records that have waited long enough.
  mutating func writeIfDue(now: Instant) {
    if let result = recorder?.writeIfDue(now: now) { lastRecording = result }
    for file in metrics { file.writeIfDue(value, now: now) }
  }

  /// Whether the last part of the run is kept in memory.
  var keepsLast: Bool { recorder?.keepsLast == true }

  /// Writes what is kept in memory to a file.
  mutating func writeLast(now: Instant) -> LastRecording { recorder?.writeLast(now: now) ?? .off }

  /// Notes an alert: the part kept in memory should be written.
  mutating func noteAlert() { recorder?.noteAlert() }

  /// The result of a file that was due for an alert; returned only once.
  mutating func takeLastRecording() -> LastRecording? { lastRecording.take() }

  /// Ends the recording, and removes the metrics file.
  ///
  /// - Parameter listsFiles: see `RunRecorder.finish`.
  /// - Returns: a line about it for standard error; `nil` if there is nothing to report.
  mutating func finish(_ end: RecordingEnd, listsFiles: Bool) -> String? {
    var lines = recorder?.finish(end, listsFiles: listsFiles) ?? []
    for file in metrics {
      file.finish(value, end)
      if let problem = file.takeProblem() { lines.append(problem) }
    }
    metrics = []
    return lines.isEmpty ? nil : lines.joined(separator: "; ")
  }
}
