import Glibc
import PerfHUDBase
import SystemPackage

/// The directories for a user's sockets: `$XDG_RUNTIME_DIR/perfhud`, or else `perfhud-UID` in the temporary directory.
///
/// A directory is used only if the user owns it and no other user has access to it (0700): anyone who can put a socket
/// there can read the events of programs, or send events in their name.
package struct SocketDirectories: Sendable, Equatable {
  /// The directories to try, the best one first.
  let directories: [String]
  let user: uid_t
  /// The group of what is created there.
  let group: gid_t

  /// - Parameters:
  ///   - runtime: `XDG_RUNTIME_DIR`, if set. It is used only if the user owns it.
  ///   - temporary: `TMPDIR`, if it is set.
  ///   - group: the group of what is created; `nil` for this process's own, or for another user, the group with the
  ///     same number.
  package init(
    runtime: String?, temporary: String?, user: UInt32 = geteuid(), group: UInt32? = nil
  ) {
    var found: [String] = []
    if let runtime, runtime.hasPrefix("/"), SocketDirectories.owner(runtime) == user {
      found.append(runtime + "/perfhud")
    }
    let base = temporary.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    found.append((base == "/" ? "" : base) + "/perfhud-\(user)")
    directories = found
    self.user = user
    self.group = group ?? (user == geteuid() ? getegid() : user)
  }

  /// The directories of this process. Source: getenv(3).
  package static func current() -> SocketDirectories {
    SocketDirectories(runtime: variable("XDG_RUNTIME_DIR"), temporary: variable("TMPDIR"))
  }

  /// The directories of another process, determined by its own environment and user. If its environment cannot be read,
  /// the directories of this process.
  ///
  /// Source: `/proc/PID/environ`, the owner of `/proc/PID`.
  package static func of(process pid: Int32, root: String = "/proc") -> SocketDirectories {
    variables(of: pid, root: root).map { SocketDirectories($0, of: pid, root: root) } ?? current()
  }

  private init(_ variables: [String: String], of pid: Int32, root: String) {
    self.init(
      runtime: variables["XDG_RUNTIME_DIR"], temporary: variables["TMPDIR"],
      user: SocketDirectories.owner("\(root)/\(pid)") ?? geteuid(),
      group: SocketDirectories.group("\(root)/\(pid)"))
  }

  /// The socket of the HUD below which a process was started, if it is still listening: a client tries this first.
  /// `nil` also if the process's environment cannot be read.
  ///
  /// Source: `PERFHUD_SOCKET` in `/proc/PID/environ`.
  package static func socketAbove(process pid: Int32) -> String? {
    listenedSocket(in: variables(of: pid, root: "/proc"))
  }

  /// What a process's environment says, read at one moment: the directories, and the socket of the HUD below which it
  /// was started. `nil` if it cannot be read. An environment is empty for a moment while the process executes a
  /// program.
  package static func surroundings(
    of pid: Int32, root: String = "/proc"
  ) -> (directories: SocketDirectories, socketAbove: String?)? {
    guard let found = variables(of: pid, root: root) else { return nil }
    return (SocketDirectories(found, of: pid, root: root), listenedSocket(in: found))
  }

  private static func listenedSocket(in variables: [String: String]?) -> String? {
    guard let path = variables?["PERFHUD_SOCKET"], EventSocket.hasListener(at: path) else {
      return nil
    }
    return path
  }

  /// Whether someone listens where a process looks for its socket (`PID.sock`).
  package func isTaken(_ process: Int32) -> Bool { listenedSocket(of: process) != nil }

  /// The socket on which someone listens where a process looks for it; `nil` if there is none.
  package func listenedSocket(of process: Int32) -> String? {
    existing().map { "\($0)/\(process).sock" }.first { EventSocket.hasListener(at: $0) }
  }

  /// The variables that matter here; `nil` if the environment cannot be read.
  private static func variables(of pid: Int32, root: String) -> [String: String]? {
    guard let bytes = try? readFile("\(root)/\(pid)/environ", limit: 1 << 20) else { return nil }
    var found: [String: String] = [:]
    for entry in bytes.split(separator: 0) {
      let text = String(decoding: entry, as: UTF8.self)
      for name in ["XDG_RUNTIME_DIR", "TMPDIR", "PERFHUD_SOCKET"]
      where text.hasPrefix(name + "=") && found[name] == nil {
        found[name] = String(text.dropFirst(name.count + 1))
      }
    }
    return found
  }

  static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  private static func group(_ path: String) -> gid_t? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_gid : nil
  }

  private static func owner(_ path: String) -> uid_t? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_uid : nil
  }

  /// The first directory that exists and is safe, or that could be created as its user.
  ///
  /// - Throws: why there is none. A directory that is not safe is an error and never skipped, since programs look
  ///   there.
  package func make() throws(SystemError) -> String {
    var failure = SystemError(call: "make", subject: "a directory", code: .noSuchFileOrDirectory)
    for directory in directories {
      if unsafe mkdir(directory, 0o700) != 0, errno != EEXIST {
        failure = SystemError(
          call: "make", subject: directory, code: Errno(rawValue: errno),
          advice: "set XDG_RUNTIME_DIR or TMPDIR to a directory that can be written")
        continue
      }
      try check(directory)
      return directory
    }
    throw failure
  }

  /// The directories that exist and are safe.
  func existing() -> [String] {
    directories.filter { directory in
      do throws(SystemError) {
        try check(directory)
        return true
      } catch {
        return false
      }
    }
  }

  /// Checks that a directory is safe. Source: `lstat(2)`.
  private func check(_ directory: String) throws(SystemError) {
    var status = stat()
    guard unsafe lstat(directory, &status) == 0 else {
      throw SystemError(call: "use", subject: directory, code: Errno(rawValue: errno))
    }
    let fault: String
    if status.st_mode & S_IFMT != S_IFDIR {
      fault = "it is no directory"
    } else if status.st_uid != user {
      fault = "it belongs to user \(status.st_uid), and not to \(user)"
    } else if status.st_mode & 0o077 != 0 {
      fault = "others have access to it: chmod 700 it"
    } else {
      return
    }
    throw SystemError(
      call: "use", subject: directory, code: .permissionDenied,
      advice: "\(fault); remove it, or set XDG_RUNTIME_DIR to a directory of your own")
  }
}
