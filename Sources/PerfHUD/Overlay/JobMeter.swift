import Glibc
import Metrics
import PerfHUDBase
import Sampler

/// Measures what a shell's foreground job uses, from its start to its end.
struct JobMeter {
  private let shell: Int32
  let group: Int32
  /// When it was first seen to have the terminal. Rows from before belong to others.
  private let seen: Instant
  private let start: Instant
  /// The CPU time of all processes that the shell had waited for before, in nanoseconds; `nil` if it cannot be read.
  private let waitedBefore: UInt64?
  /// Its CPU time at its last row, in seconds.
  private var sampled: (time: Instant, cpuSeconds: Double)?
  private var name = ProcessName()
  private var peakBytes: Double?
  private var peakIsLowerBound = false

  /// - Parameters:
  ///   - group: the process group of the job.
  ///   - seen: when it was first seen to have the terminal.
  init(shell: Int32, group: Int32, seen: Instant) {
    self.shell = shell
    self.group = group
    self.seen = seen
    start = JobMeter.start(of: group, seen: seen)
    waitedBefore = WaitedTime.nanoseconds(of: shell)
  }

  /// When a new job has started: the start of its first process, if that was since the last look at the terminal, which
  /// may have been late. A job that comes back to the foreground is older.
  private static func start(of group: Int32, seen: Instant) -> Instant {
    guard let leader = try? ProcessFacts(pid: group) else { return seen }
    let start = Instant.now().advanced(byNanoseconds: -Int64(leader.target.age() * 1e9))
    let lead = seen.nanoseconds(since: start)
    return (0...2 * ForegroundFollower.lookPeriod).contains(lead) ? start : seen
  }

  /// Takes the newest row of the run, if it belongs to the job.
  ///
  /// - Parameter memory: the leading memory metric.
  mutating func note(_ row: Row, memory: Metric) {
    // Until the job is sampled, the rows belong to the shell.
    guard row.time >= seen, row.pid != shell else { return }
    if name == ProcessName() { name = row.name }
    if let bytes = row[memory].value, bytes >= peakBytes ?? bytes {
      peakBytes = bytes
      peakIsLowerBound = row.lowerBounds.contains(memory)
    }
    if let seconds = row[.cpuTime].value { sampled = (row.time, seconds) }
  }

  /// Whether the job has only been stopped, and still exists.
  var exists: Bool { kill(-group, 0) == 0 || errno != ESRCH }

  /// What the job has used, from its start, or from when it came to the foreground; `nil` if it has no values.
  func summary(end: Instant) -> JobSummary? {
    guard name != ProcessName() else { return nil }
    return JobSummary(
      name: name.text, wallSeconds: Double(end.nanoseconds(since: start)) * 1e-9,
      cpuSeconds: cpuSeconds(end: end), peakBytes: peakBytes,
      peakIsLowerBound: peakIsLowerBound)
  }

  /// The CPU time of what the shell has waited for. That includes jobs in the background which have ended meanwhile, so
  /// it is at most what the samples saw, and what all processors can have done since the last one.
  private func cpuSeconds(end: Instant) -> Double? {
    guard let waitedBefore, let waited = WaitedTime.nanoseconds(of: shell), waited >= waitedBefore
    else { return nil }
    let seconds = Double(waited - waitedBefore) * 1e-9
    guard let sampled else { return seconds }
    let unseen =
      max(0, end.seconds(since: sampled.time))
      * Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    return min(seconds, sampled.cpuSeconds + unseen)
  }
}
