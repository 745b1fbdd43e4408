import Glibc
import PerfHUDBase
import Sampler

/// The jobs of another terminal, such as a tmux pane: which of them is in the foreground.
final class TerminalJobs {
  private let stat: Descriptor
  private var buffer = [UInt8](repeating: 0, count: 1024)
  private var follower: ForegroundFollower
  /// Whether the process has ended that had the terminal from the start.
  private(set) var hasEnded = false

  /// - Parameter process: the one that leads the terminal's session, usually a shell.
  /// - Throws: where there is no such process.
  init(of process: Int32) throws(RunError) {
    let raw = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard raw >= 0 else {
      throw RunError("no process \(process) (it may have ended); list panes with: tmux list-panes")
    }
    stat = Descriptor(owning: raw)
    follower = ForegroundFollower(shell: process)
  }

  /// Takes note of a sample.
  ///
  /// - Returns: whether it is one of the run: the end of a job is not the end of what is shown.
  func note(_ sample: Sample) -> Bool {
    follower.noteSample(hasEnded: sample.hasEnded)
    follower.noteActivity()
    return !sample.hasEnded
  }

  /// Looks which job is in the foreground, if that is due.
  ///
  /// - Returns: another one to be sampled from now on, if there is one.
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
    return follower.look(fields.foreground, now: now)
  }

  /// When to look although nothing happens.
  var deadline: Instant? { hasEnded ? nil : follower.deadline }
}
