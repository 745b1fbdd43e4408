import Glibc
import Metrics
import PerfHUDBase
import Sampler

/// Measures what a shell's foreground job uses, from its start to its end.
struct JobMeter {
  private let shell: Int32
  let group: Int32
  private var start: Instant
  /// The CPU time of all processes that the shell had waited for before, in nanoseconds; `nil` if it cannot be read.
  private var waitedBefore: UInt64?
  /// What it used before it was stopped and continued, in nanoseconds.
  private var earlier: (wall: Int64, cpu: UInt64) = (0, 0)
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

  /// Whether the job has only been stopped, and still exists.
  var exists: Bool { kill(-group, 0) == 0 || errno != ESRCH }

  /// The CPU time of what the shell has waited for since the start, in nanoseconds.
  private var waited: UInt64? {
    guard let waitedBefore, let now = WaitedTime.nanoseconds(of: shell), now >= waitedBefore else {
      return nil
    }
    return now - waitedBefore
  }

  /// Notes that the job was stopped. What the shell waits for until it is continued belongs to other jobs.
  mutating func stop(at time: Instant) {
    earlier.wall += time.nanoseconds(since: start)
    earlier.cpu += waited ?? 0
    if waited == nil { waitedBefore = nil }
  }

  /// Notes that the job has the terminal again.
  mutating func resume(at time: Instant) {
    start = time
    if waitedBefore != nil { waitedBefore = WaitedTime.nanoseconds(of: shell) }
  }

  /// What the job has used; `nil` if it has no values.
  func summary(end: Instant) -> JobSummary? {
    guard name != ProcessName() else { return nil }
    let wall = earlier.wall + end.nanoseconds(since: start)
    return JobSummary(
      name: name.text, wallSeconds: Double(wall) * 1e-9,
      cpuSeconds: waited.map { Double($0 + earlier.cpu) * 1e-9 }, peakBytes: peakBytes)
  }
}
