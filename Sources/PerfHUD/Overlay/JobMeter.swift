import Glibc
import Metrics
import PerfHUDBase
import Sampler

/// Measures what a shell's foreground job uses, from its start to its end.
struct JobMeter {
  private let shell: Int32
  private let group: Int32
  private var start: Instant
  /// The CPU time of all processes that the shell had waited for before, in nanoseconds; `nil` if it cannot be read.
  private let waitedBefore: UInt64?
  private var name = ProcessName()
  private var peakBytes: Double?

  /// - Parameters:
  ///   - group: the process group of the job.
  ///   - start: when it got the terminal.
  init(shell: Int32, group: Int32, start: Instant) {
    self.shell = shell
    self.group = group
    self.start = start
    waitedBefore = WaitedTime.nanoseconds(of: shell)
  }

  /// Takes the newest row of the run, if it belongs to the job.
  ///
  /// - Parameter memory: the leading memory metric.
  mutating func note(_ row: Row, memory: Metric) {
    // Until the job is sampled, the rows belong to the shell.
    guard row.time >= start, row.pid != shell else { return }
    if name == ProcessName() { name = row.name }
    if let bytes = row[memory].value { peakBytes = max(peakBytes ?? bytes, bytes) }
  }

  /// What the job has used; `nil` if it was only stopped, or has no values.
  func summary(end: Instant) -> JobSummary? {
    // A stopped job still exists.
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
