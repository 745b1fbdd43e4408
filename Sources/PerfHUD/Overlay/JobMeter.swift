import Glibc
import Metrics
import PerfHUDBase
import Sampler

/// What the foreground job of a shell uses, from its start to its end.
struct JobMeter {
  private let shell: Int32
  private let group: Int32
  private var start: Instant
  /// CPU time of all that the shell had waited for before, in nanoseconds; `nil` where it cannot be read.
  private let waitedBefore: UInt64?
  private var name = ProcessName()
  private var peakBytes: Double?

  /// - Parameters:
  ///   - group: the process group of the job.
  ///   - start: when it was given the terminal.
  init(shell: Int32, group: Int32, start: Instant) {
    self.shell = shell
    self.group = group
    self.start = start
    waitedBefore = WaitedTime.nanoseconds(of: shell)
  }

  /// Takes the newest row of the run, if it is one of the job's.
  ///
  /// - Parameter memory: the leading memory metric.
  mutating func note(_ row: Row, memory: Metric) {
    // Until the job is sampled, the rows are those of the shell.
    guard row.time >= start, row.pid != shell else { return }
    if name == ProcessName() { name = row.name }
    if let bytes = row[memory].value { peakBytes = max(peakBytes ?? bytes, bytes) }
  }

  /// What it has used; `nil` if it was only stopped, or has no values.
  func summary(end: Instant) -> JobSummary? {
    // A stopped job is still there.
    guard name != ProcessName(), kill(-group, 0) != 0, errno == ESRCH else { return nil }
    let waited = WaitedTime.nanoseconds(of: shell)
    var cpu: Double?
    if let waited, let waitedBefore, waited >= waitedBefore {
      cpu = Double(waited - waitedBefore) * 1e-9
    }
    return JobSummary(
      name: name.text, wallSeconds: Double(end.nanoseconds(since: start)) * 1e-9, cpuSeconds: cpu,
      peakBytes: peakBytes)
  }
}
