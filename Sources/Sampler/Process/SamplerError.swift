import Glibc
import PerfHUDBase
import SystemPackage

/// Why a process cannot be sampled. The description is one line that says what to do.
public enum SamplerError: Error, Equatable, CustomStringConvertible {
  /// No process has this pid.
  case noSuchProcess(Int32)
  /// The number belongs to a thread of the process `of`.
  case isThread(Int32, of: Int32)
  /// The process exists but /proc does not show it to this user (hidepid=2 or ptraceable).
  case hidden(Int32)
  /// /proc shows the process but none of its files to this user (hidepid=1, a security module).
  case notPermitted(Int32)
  /// /proc, or the directory given as its root, does not exist or is not a /proc.
  case procUnusable(root: String)
  /// No hierarchy of cgroups is mounted.
  case noCgroups
  /// There is no cgroup with this path, and no running unit with this name.
  case noSuchCgroup(String)
  /// Several cgroups have the name of the unit: their paths.
  case severalCgroups(String, [String])
  /// The kernel accounts neither CPU time nor memory for this cgroup.
  case cgroupWithoutMetrics(String)
  /// A descriptor or a thread could not be made.
  case system(SystemError)

  public var description: String {
    switch self {
    case .noSuchProcess(let pid):
      return "no process \(pid) (it may have ended); list candidates with: pgrep -a NAME"
    case .isThread(let thread, of: let process):
      return "\(thread) is a thread of process \(process); use --pid \(process)"
    case .hidden(let pid):
      return "process \(pid) is hidden: /proc is mounted with hidepid; "
        + "run as the user of the process or as root"
    case .notPermitted(let pid):
      return "process \(pid) may not be read: it belongs to another user and /proc is mounted with "
        + "hidepid=1; run as its user or as root"
    case .procUnusable(root: "/proc"):
      return "/proc is not mounted; mount it with: mount -t proc proc /proc"
    case .procUnusable(let root):
      return "\(SafeText.clean(root)) is not a /proc; mount one there with: "
        + "mount -t proc proc \(SafeText.clean(root))"
    case .noCgroups:
      return "no cgroup hierarchy is mounted here; mount one with: "
        + "mount -t cgroup2 none /sys/fs/cgroup"
    case .noSuchCgroup(let name):
      return "no cgroup or running unit '\(SafeText.clean(name, limit: 200))'; "
        + "list them with: systemd-cgls, or find /sys/fs/cgroup -type d"
    case .severalCgroups(let name, let paths):
      let list = paths.prefix(4).map { SafeText.clean($0, limit: 200) }.joined(separator: ", ")
      return "\(paths.count) cgroups are called '\(SafeText.clean(name, limit: 200))'; "
        + "name one by its path: \(list)\(paths.count > 4 ? ", …" : "")"
    case .cgroupWithoutMetrics(let path):
      return "the kernel counts neither CPU time nor memory for cgroup "
        + "'\(SafeText.clean(path, limit: 200))'; choose one below it, or switch its controllers on "
        + "(cgroup.subtree_control)"
    case .system(let error):
      return error.description
    }
  }
}

extension SamplerError {
  /// Maps a failure to open /proc itself to its meaning.
  init(openingRoot root: String, code: Int32) {
    let error = SystemError(call: "open", subject: root, code: Errno(rawValue: code))
    self = code == ENOENT || code == ENOTDIR ? .procUnusable(root: root) : .system(error)
  }

  /// Maps a failure to open or read a file of `/proc/PID` to its meaning.
  init(_ error: ProcError, pid: Int32, root: String) {
    switch error {
    case .denied, .hidden:
      self = .notPermitted(pid)
    case .ended:
      self = .noSuchProcess(pid)
    case .notFound where !ProcMount.isUsable(root: root),
      .other where !ProcMount.isUsable(root: root):
      self = .procUnusable(root: root)
    case .other(let code):
      self = .system(
        SystemError(call: "read", subject: "\(root)/\(pid)", code: Errno(rawValue: code)))
    case .notFound:
      // kill(2) does not use /proc: it sees processes that hidepid hides.
      let isThere = kill(pid, 0) == 0 || errno == EPERM
      self = ProcMount.showsOurNamespace(root: root) && isThere ? .hidden(pid) : .noSuchProcess(pid)
    }
  }
}
