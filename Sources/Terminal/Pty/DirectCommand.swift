import CProcess
import Glibc
import PerfHUDBase
import SystemPackage

/// A command that runs without a pty, on the terminal or pipes of this process.
///
/// It is in the process group and the session of this process, so the keys of the terminal (Ctrl-C, Ctrl-Z) reach both:
/// the caller must outlive `SIGINT` and `SIGQUIT` to report the end. Its descriptors 0, 1 and 2 stay as they are, and
/// so do higher ones that are not close-on-exec.
///
/// Poll `exitDescriptor` for reading; if there is none, check `hasEnded` on each `SIGCHLD`. Then call `wait`. Until
/// then a command that has ended remains a zombie, and /proc still has its CPU time. If the command still runs at the
/// end of the owner's life, it keeps running. Belongs to the main thread.
package struct DirectCommand: ~Copyable {
  package let processID: pid_t
  private let exitNotice: Descriptor?
  /// The peak RSS that the kernel counts for the command from the start.
  private let floorBytes: UInt64
  private var status: PtyStatus?
  /// What the command used, after `wait`.
  package private(set) var usage: ResourceUsage?

  /// Starts a command, found through `PATH`.
  ///
  /// - Parameters:
  ///   - command: the program and its arguments, as bytes, since file names need not be UTF-8.
  ///   - environment: variables added to those of this process, or replacing them.
  ///   - mask: the signals that were blocked when this process was started: `Pty.signalMask`.
  /// - Throws: if the program cannot be executed, or no process can be created; the exit statuses are those of `Pty`.
  ///   No process remains then.
  ///
  /// Source: `clone(2)`, `execvpe(3)`, `pidfd_open(2)`.
  package init(
    command: [[UInt8]], environment: [String: String] = [:], mask: sigset_t
  ) throws(PtyError) {
    let arguments = CStrings(command.isEmpty ? [[]] : command)
    let variables = CStrings.environment(with: environment)
    var mask = mask
    var started = perfhud_direct()
    let result = unsafe perfhud_direct_start(
      arguments.list, variables.list, &mask, &started)
    guard result == 0 else {
      let code = Errno(rawValue: errno)
      let name = String(decoding: command.first ?? [], as: UTF8.self)
      throw PtyError(command: name, step: started.step, code: code)
    }
    processID = started.command
    floorBytes = started.floor_bytes
    exitNotice = started.exit_notice >= 0 ? Descriptor(owning: started.exit_notice) : nil
  }

  deinit {
    if status == nil { waitpid(processID, nil, WNOHANG) }
  }

  /// Executes a command in place of this process. It keeps the pid and the parent; descriptors that are close-on-exec
  /// are closed.
  ///
  /// - Parameters: as for `init`.
  /// - Returns: only if it cannot be executed: the reason.
  ///
  /// Source: `execvp(3)`.
  package static func replaceProcess(with command: [[UInt8]], mask: sigset_t) -> PtyError {
    let arguments = CStrings(command.isEmpty ? [[]] : command)
    var mask = mask
    _ = unsafe perfhud_become(arguments.list, &mask)
    let code = Errno(rawValue: errno)
    let name = String(decoding: command.first ?? [], as: UTF8.self)
    return PtyError(command: name, step: PERFHUD_PTY_EXEC, code: code)
  }

  /// For a `Poller`: readable when the command has ended; `nil` if the kernel has no `pidfd_open(2)`. It must not
  /// outlive the owner.
  package var exitDescriptor: Int32? {
    switch exitNotice {
    case .some(let notice): notice.raw
    case .none: nil
    }
  }

  /// Whether the command has ended. Source: `waitid(2)`.
  package var hasEnded: Bool { status != nil || perfhud_has_ended(processID) != 0 }

  /// Waits for the end of the command and reaps it; `.exited`, `.signaled`, or `.lost` if someone else has reaped it.
  /// Further calls return the same.
  ///
  /// Source: `wait4(2)`.
  package mutating func wait() -> PtyStatus {
    if let status { return status }
    var word: Int32 = 0
    var found = perfhud_usage()
    let isReaped = unsafe perfhud_wait_usage(processID, floorBytes, &word, &found) == 0
    let result = isReaped ? PtyStatus(waitStatus: word) : .lost
    if isReaped { usage = ResourceUsage(found) }
    status = result
    return result
  }
}

extension PtyStatus {
  /// The end that a status of `wait4(2)` encodes; its macros are not visible to Swift.
  fileprivate init(waitStatus word: Int32) {
    let signal = word & 0x7F
    self =
      signal == 0
      ? .exited(code: word >> 8 & 0xFF) : .signaled(number: signal, core: word & 0x80 != 0)
  }
}
