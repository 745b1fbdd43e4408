import Glibc
import PerfHUDBase

/// The identity of a process. A pid is reused after its process has ended; the pair of pid and start time is not.
public struct Target: Hashable, Sendable, BitwiseCopyable {
  /// The pid in the pid namespace of the /proc that was read.
  public let pid: Int32
  /// Field 22 of `/proc/PID/stat`: the start time, in clock ticks since boot.
  public let startTicks: UInt64

  public init(pid: Int32, startTicks: UInt64) {
    self.pid = pid
    self.startTicks = startTicks
  }

  /// How long the process has existed, in seconds: CLOCK_BOOTTIME minus its start time.
  ///
  /// Source: clock_gettime(2), `sysconf(_SC_CLK_TCK)`.
  public func age() -> Double {
    let start = Double(startTicks &* KernelUnits().tickNanoseconds)
    return max(0, (Double(readClock(CLOCK_BOOTTIME) ?? 0) - start) * 1e-9)
  }
}

/// The properties of a process that do not change while it lives, and its name; read once at the attach.
public struct ProcessFacts: Sendable, Equatable {
  public let target: Target
  /// Field 2 of `/proc/PID/stat`. The process may change it later; samples have the newest name.
  public let name: ProcessName
  /// The arguments, separated by spaces, in quotes where a shell needs them, and harmless for a terminal. For a kernel
  /// thread and for a process that cleared its arguments, the name in brackets, as ps shows it. At most 4096
  /// characters.
  ///
  /// Source: `/proc/PID/cmdline`, which the process may overwrite.
  public let commandLine: String
  /// The effective user; `nil` if /proc does not show it. Source: `Uid` of `/proc/PID/status`.
  public let user: UInt32?
  /// Field 4 of `/proc/PID/stat`; 0 if the parent lives in another pid namespace.
  public let parent: Int32
  /// Whether it is a kernel thread, which has no memory of its own: PF_KTHREAD in field 9 of `/proc/PID/stat`.
  public let isKernelThread: Bool
  /// The state at the attach. A zombie has ended; its first sample says so.
  public let state: ProcessState

  /// Reads the facts of a process without sampling it.
  ///
  /// - Parameters:
  ///   - pid: a process, not a thread.
  ///   - root: where /proc is mounted.
  /// - Throws: what `SamplerError` lists, except `.system`.
  public init(pid: Int32, root: String = "/proc") throws(SamplerError) {
    let directory = try ProcDirectory.ofProcess(pid, root: root)
    try self.init(pid: pid, directory: directory, root: root)
  }

  init(
    pid: Int32, directory: borrowing ProcDirectory, root: String
  ) throws(SamplerError) {
    let stat: StatFields?
    let status: StatusFields?
    var commandLine: [UInt8]
    do {
      let statFile = try directory.file("stat", capacity: StatFields.capacity)
      stat = try statFile.read(as: StatFields.self)
      let statusFile = try directory.file("status", capacity: StatusFields.capacity)
      status = try statusFile.read(as: StatusFields.self)
      let file = try directory.file("cmdline", capacity: 4096)
      commandLine = try file.withBytes { bytes in
        (0..<bytes.byteCount).map { FieldCursor.byte(at: $0, in: bytes) }
      }
    } catch {
      throw SamplerError(error, pid: pid, root: root)
    }
    guard let stat else { throw SamplerError.procUnusable(root: root) }
    if let group = status?.threadGroup, group != pid {
      throw SamplerError.isThread(pid, of: group)
    }
    while commandLine.last == 0 { commandLine.removeLast() }
    commandLine = ShellWords.joined(commandLine)

    target = Target(pid: pid, startTicks: stat.startTicks)
    name = stat.name
    self.commandLine =
      commandLine.isEmpty ? "[\(stat.name.text)]" : SafeText.clean(bytes: commandLine)
    user = status?.user
    parent = stat.parent
    isKernelThread = stat.isKernelThread
    state = stat.state
  }

  /// The facts of a target without a process: a cgroup, or a process that has not started yet. The pid is 0.
  ///
  /// - Parameter title: the path of the cgroup, or the pattern; made harmless.
  init(name: ProcessName, title: String) {
    target = Target(pid: 0, startTicks: 0)
    self.name = name
    commandLine = SafeText.clean(title)
    user = nil
    parent = 0
    isKernelThread = false
    state = .unknown
  }
}

extension ProcDirectory {
  /// The directory of a process below the root of a /proc.
  static func ofProcess(_ pid: Int32, root: String) throws(SamplerError) -> ProcDirectory {
    // In kill(2), zero and negative numbers mean process groups; such a number must not get that far.
    guard pid > 0 else { throw SamplerError.noSuchProcess(pid) }
    do {
      return try ProcDirectory(path: "\(root)/\(pid)")
    } catch {
      throw SamplerError(error, pid: pid, root: root)
    }
  }
}

/// Checks what a mounted /proc shows.
package enum ProcMount {
  /// Whether anything of a /proc exists: `self`, or in another pid namespace, where `self` is missing, `meminfo`.
  static func isUsable(root: String) -> Bool {
    unsafe access("\(root)/self", F_OK) == 0 || access("\(root)/meminfo", F_OK) == 0
  }

  /// Whether system calls accept the pids shown there: it is the real /proc and shows this process under the pid that
  /// the process has for itself.
  ///
  /// Source: field 1 of `/proc/self/stat` and `getpid(2)`.
  package static func showsOurNamespace(root: String) -> Bool {
    root == "/proc" && StatFields(path: "/proc/self/stat")?.pid == getpid()
  }
}
