import Glibc
import PerfHUDBase
import Sampler

/// The jobs of another terminal, such as a tmux pane, and which of them is in the foreground.
final class TerminalJobs {
  private let stat: Descriptor
  private var buffer = [UInt8](repeating: 0, count: 1024)
  private var follower: ForegroundFollower
  /// The process group that waits for this view to close, if any: it is not the program.
  private let waiting: Int32?
  /// Whether the process that had the terminal from the start has ended.
  private(set) var hasEnded = false

  /// - Parameters:
  ///   - process: the leader of the terminal's session, usually a shell.
  ///   - waiting: the process group in that terminal that waits for this view to close, if any. While it is in the
  ///     foreground, the shell is the program.
  /// - Throws: if there is no such process.
  init(of process: Int32, waiting: Int32? = nil) throws(RunError) {
    let raw = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard raw >= 0 else {
      throw RunError("no process \(process) (it may have ended); list panes with: tmux list-panes")
    }
    stat = Descriptor(owning: raw)
    self.waiting = waiting
    follower = ForegroundFollower(shell: process)
  }

  /// Notes a sample.
  ///
  /// - Returns: whether the sample belongs to the run: the end of a job is not the end of the run.
  func note(_ sample: Sample) -> Bool {
    follower.noteSample(hasEnded: sample.hasEnded)
    follower.noteActivity()
    return !sample.hasEnded
  }

  /// Checks which job is in the foreground, if that is due.
  ///
  /// - Returns: another group to sample from now on, if any.
  ///
  /// Source: field 8 (`tpgid`) of `/proc/PID/stat`.
  func look(now: Instant) -> ForegroundFollower.Change? {
    guard !hasEnded, follower.isLookDue(now: now) else { return nil }
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe pread(stat.raw, $0.baseAddress, $0.count, 0)
    }
    let bytes = buffer
    guard count > 0, let fields = unsafe StatFields(bytes.span.extracting(first: count).bytes),
      !fields.hasEnded
    else {
      hasEnded = true
      return nil
    }
    let isWaiting = fields.foreground == waiting
    return follower.look(isWaiting ? follower.shell : fields.foreground, now: now)
  }

  /// When to check although nothing happens.
  var deadline: Instant? { hasEnded ? nil : follower.deadline }
}
