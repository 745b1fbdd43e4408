import CProcess
import Glibc
import PerfHUDBase
import SystemPackage

/// A command that runs without a pty: on the terminal, or the pipes, that this process has.
///
/// It is in the process group and the session of this process, so the keys of the terminal (Ctrl-C,
/// Ctrl-Z) reach both: the caller must outlive `SIGINT` and `SIGQUIT` to report the end. Nothing is
/// done to its descriptors 0, 1 and 2 or to those beyond that are not close-on-exec.
///
/// Poll `exitDescriptor` for reading, or where there is none ask `hasEnded` on each `SIGCHLD`; then call
/// `wait`. Until then the command that has ended remains as a zombie, and /proc still has its CPU time. A
/// command that still runs at the end of
/// the owner's life is left alone. Belongs to the main thread.
package struct DirectCommand: ~Copyable {
  package let processID: pid_t
  private let exitNotice: Descriptor?
  /// What the kernel counts as the command's peak RSS from the start.
  private let floorBytes: UInt64
  private var status: PtyStatus?
  /// What the command used, after `wait`.
  package private(set) var usage: ResourceUsage?

  /// Starts a command, found through `PATH`.
  ///
  /// - Parameters:
  ///   - command: the program and its arguments, as bytes, since file names need not be UTF-8.
  ///   - environment: variables beside those of this process, or instead of them.
  ///   - mask: the signals that this process found blocked when it was started: `Pty.signalMask`.
  /// - Throws: when the program cannot be executed, or there is no process left for it; the exit
  ///   statuses are those of `Pty`. Then no process remains.
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

  /// Executes a command in place of this process, whose number and parent it keeps; descriptors that are
  /// close-on-exec are closed.
  ///
  /// - Parameters: as of `init`.
  /// - Returns: only when it cannot be executed, the reason.
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

  /// For a `Poller`: readable when the command has ended; `nil` where the kernel has no `pidfd_open(2)`. It
  /// must not outlive the owner.
  package var exitDescriptor: Int32? {
    switch exitNotice {
    case .some(let notice): notice.raw
    case .none: nil
    }
  }

  /// Whether the command has ended. Source: `waitid(2)`.
  package var hasEnded: Bool { status != nil || perfhud_has_ended(processID) != 0 }

  /// Waits for the end of the command and reaps it; `.exited`, `.signaled`, or `.lost` if someone else
  /// has reaped it. Further calls say the same.
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
