import CProcess
import Glibc
import PerfHUDBase
import SystemPackage

/// A change of state of the command on a `Pty`.
package enum PtyStatus: Hashable, Sendable {
  /// It was stopped, by Ctrl-Z (`SIGTSTP`) or another stop signal, and waits to be continued.
  case stopped(signal: Int32)
  /// It was continued after a stop, by whatever process.
  case continued
  /// It ended with this status, from 0 to 255.
  case exited(code: Int32)
  /// A signal ended it; `core` says whether a core was dumped.
  case signaled(number: Int32, core: Bool)
  /// The process that watches it was killed, so its status is unknown; the command's terminal hangs up.
  case lost

  /// Whether it is the last status.
  package var isEnd: Bool {
    switch self {
    case .stopped, .continued: return false
    case .exited, .signaled, .lost: return true
    }
  }
}

/// A command on a terminal of its own, with full job control; this is the terminal emulator's side.
///
/// Between this process and the command is the *holder*, which leads the session on the pty. The command is a job of
/// the holder, as it would be of a shell, so that Ctrl-Z can stop it. Nothing here blocks except the start, which waits
/// until the program has been executed.
///
/// Poll `masterDescriptor` for reading while output is wanted, and for writing while `hasWaitingInput`; poll
/// `statusDescriptor` for reading always. At the end of its life the terminal hangs up, as when a terminal window is
/// closed: a command that still runs gets `SIGHUP`. If the end was reported before, nothing is hung up, and background
/// processes live on. Belongs to the main thread.
package struct Pty: ~Copyable {
  /// At most this much of the command's output can wait in the kernel (measured: 10 to 20 kB), so anything that comes
  /// later after its end was written by others.
  package static let drainLimit = 64 << 10
  /// The kernel returns at most this many bytes of a terminal at once.
  package static let piece = 4095
  /// The maximum number of waiting input bytes. A caller that stops at `isInputFull` never reaches it, if it hands over
  /// at most half of it at once.
  package static let inputLimit = 2 * OutputQueue.highWater

  private let master: Descriptor
  private var holder: Holder
  private var input = OutputQueue()
  private var drainedBytes = 0

  /// The process of the command, and the number of its process group.
  ///
  /// After its end it remains a zombie until the end of this owner's life, so the number never belongs to another
  /// process, and /proc still has its CPU time.
  package let commandProcess: pid_t
  /// What the command used, once `nextStatus` has reported its end; `nil` before that, and if the holder was lost.
  package var usage: ResourceUsage? { holder.usage }
  /// Whether everything that the command wrote before its end has been read; see `read`.
  package private(set) var isDrained = false

  /// Starts a command, found through `PATH`, in the foreground of a new pty.
  ///
  /// It inherits the working directory, the descriptors above 2 that are not close-on-exec, and the set of ignored
  /// signals.
  ///
  /// - Parameters:
  ///   - command: the program and its arguments, as bytes, since file names need not be UTF-8.
  ///   - standard: what it gets as descriptors 0, 1 and 2.
  ///   - modes: those of the real terminal, before it was made raw; `nil` for the kernel's own.
  ///   - size: the real terminal's size as reported, including zeros: `TTY.reportedSize`.
  ///   - environment: variables added to those of this process, or replacing them.
  ///   - mask: the signals that were blocked when this process was started: `signalMask`.
  /// - Throws: if the program cannot be executed, or no pty or process can be created. No process remains then.
  ///
  /// Source: `posix_openpt(3)`, `setsid(2)`, `TIOCSCTTY`, `tcsetpgrp(3)`, `execvpe(3)`.
  package init(
    command: [[UInt8]], standard: StandardDescriptors = .inherited(), modes: termios? = nil,
    size: TerminalSize, environment: [String: String] = [:], mask: sigset_t
  ) throws(PtyError) {
    let started = try startOnPty(
      command: command, standard: standard, modes: modes, size: size.window,
      environment: environment, mask: mask)
    master = Descriptor(owning: started.master)
    holder = Holder(pid: started.holder, reports: started.reports)
    commandProcess = started.command
  }

  /// Takes over the command that a process before this one has started, under the same supervisor.
  package init(adopting: Void) {
    var started = perfhud_pty()
    unsafe perfhud_adopt_pty(&started)
    master = Descriptor(owning: started.master)
    holder = Holder(adopting: started.holder, reports: started.reports)
    commandProcess = started.command
  }

  /// The same for `String`s.
  package init(
    command: [String], standard: StandardDescriptors = .inherited(), modes: termios? = nil,
    size: TerminalSize, environment: [String: String] = [:], mask: sigset_t
  ) throws(PtyError) {
    try self.init(
      command: command.map { Array($0.utf8) }, standard: standard, modes: modes, size: size,
      environment: environment, mask: mask)
  }

  /// The signals that are blocked in this thread. Read it before the first `SignalDescriptor` is made.
  ///
  /// Source: `pthread_sigmask(3)`.
  package static func signalMask() -> sigset_t {
    var mask = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
    return mask
  }

  /// For a `Poller`: the terminal. It must not outlive the owner.
  package var masterDescriptor: Int32 { master.raw }
  /// For a `Poller`: readable when `nextStatus` has something to report. Remove it from the `Poller` after the end. It
  /// must not outlive the owner.
  package var statusDescriptor: Int32 { holder.reports }
  /// The leader of the command's session: a child of this process, which must not wait for it elsewhere, or of its
  /// supervisor.
  package var holderProcess: pid_t { holder.pid }

  // MARK: Output of the command

  /// Reads the command's output, until the buffer is full or nothing is left.
  ///
  /// The end of the output may never come, since background processes may keep the terminal open. So after `nextStatus`
  /// has reported the end of the command, read until `isDrained`: until nothing is left, or more has come than the
  /// command can have written.
  ///
  /// - Parameter isOneCall: whether the result of one system call is enough; not after the end.
  /// - Returns: the number of bytes; `nil` if there is nothing to read; 0 if no process has the terminal open any more.
  ///
  /// Source: `read(2)`; `EIO` on the master of a pty is the end.
  package mutating func read(
    into buffer: UnsafeMutableRawBufferPointer, isOneCall: Bool = false
  ) -> Int? {
    guard buffer.count > 0 else { return nil }
    var count = 0
    var ending: Int?
    while count < buffer.count {
      do {
        // The kernel returns at most `piece` bytes at once.
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        let more = try unsafe readMaster(into: rest)
        guard more > 0 else {
          ending = 0
          break
        }
        count += more
        if isOneCall, holder.end == nil { return count }
      } catch {
        ending = error == .resourceTemporarilyUnavailable ? nil : 0
        break
      }
    }
    if holder.end != nil {
      drainedBytes += count
      isDrained = count < buffer.count || drainedBytes >= Pty.drainLimit
    }
    return count > 0 ? count : ending
  }

  /// `read(2)`, done so that the supervisor knows how much was read even if this process is killed meanwhile.
  private func readMaster(into space: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    guard let start = space.baseAddress else { return 0 }
    while true {
      let count = unsafe perfhud_journal_read(master.raw, start, space.count)
      if count >= 0 { return count }
      let code = Errno(rawValue: errno)
      if code != .interrupted { throw code }
    }
  }

  /// Whether the command has ended and its last output is still to be read.
  package var isEnding: Bool { holder.end != nil && !isDrained }

  // MARK: Input of the command

  /// Whether input waits that the terminal did not take. If so, poll for writing, then call `flush`.
  package var hasWaitingInput: Bool { !input.isEmpty }
  /// Whether so much input waits that no more keys should be read for now.
  package var isInputFull: Bool { input.isAboveHighWater }

  /// Hands over bytes, verbatim and in order. Bytes that the terminal does not take now wait here.
  ///
  /// - Returns: the number of accepted bytes: all, unless `inputLimit` is reached.
  @discardableResult
  package mutating func write(_ bytes: RawSpan) -> Int {
    let count = min(bytes.byteCount, Pty.inputLimit - input.count)
    if count > 0 { input.append(bytes.extracting(first: count)) }
    flush()
    return count
  }

  /// Gives the terminal as many waiting bytes as it takes. They are discarded once the command and everyone else who
  /// had the terminal open have gone.
  package mutating func flush() {
    do {
      try input.flush(to: master.raw)
    } catch {
      input.removeAll()
    }
  }

  /// Sets the size of the command's terminal, in cells and pixels. If it has changed, the foreground group gets
  /// `SIGWINCH`.
  ///
  /// Source: `ioctl_tty(2)`, `TIOCSWINSZ`.
  package func resize(_ size: TerminalSize) {
    var window = size.window
    _ = unsafe ioctl(master.raw, UInt(TIOCSWINSZ), &window)
  }

  // MARK: Job control

  /// The next change of the command's state; `nil` if there is none.
  package mutating func nextStatus() -> PtyStatus? {
    guard holder.end == nil else { return nil }
    let status = holder.nextReport()
    if let status, status.isEnd { holder.end = status }
    return status
  }

  /// The process group in the foreground of the pty: the command's, or that of a job when the command is a shell. `nil`
  /// if there is none any more.
  ///
  /// Source: `tcgetpgrp(3)`.
  package var foregroundGroup: pid_t? {
    let group = tcgetpgrp(master.raw)
    return group > 0 ? group : nil
  }

  /// Sends a signal to the command itself, as `kill` with its pid does.
  ///
  /// Source: `kill(2)`.
  package func signalCommand(_ number: Int32) {
    // Without its holder, another process may have its number now.
    if holder.end != .lost { kill(commandProcess, number) }
  }

  /// Sends a signal to all processes of the foreground group, as a key of the terminal does.
  ///
  /// `SIGINT`, `SIGQUIT` and `SIGTSTP` come from the terminal itself, so they also reach processes of another user
  /// (`sudo`). Use `continueForeground` to continue them.
  ///
  /// Source: `TIOCSIG`, else `kill(2)`.
  package func signalForeground(_ number: Int32) {
    let fromTerminal: UInt = 0x4004_5436  // TIOCSIG, a macro that Swift does not see
    if ioctl(master.raw, fromTerminal, number) == 0 { return }
    if let group = foregroundGroup { kill(-group, number) }
  }

  /// Continues the command and the foreground group, as `fg` does.
  ///
  /// The holder sends the signal, because from outside the session only root and the same user may.
  package func continueForeground() { holder.signal(SIGCONT) }
}

/// The process that leads the session, and the descriptor on which it reports. Not private, because release builds of
/// other modules refer to it.
struct Holder: ~Copyable {
  let pid: pid_t
  let reports: Int32
  /// A descriptor for the holder if it is not a child of this process.
  private let process: Int32?
  /// The final status of the command.
  var end: PtyStatus?
  /// What the command used up to its end.
  private(set) var usage: ResourceUsage?

  init(pid: pid_t, reports: Int32) {
    self.pid = pid
    self.reports = reports
    process = nil
  }

  /// A holder that is the supervisor's child.
  ///
  /// Source: `pidfd_open(2)`.
  init(adopting pid: pid_t, reports: Int32) {
    self.pid = pid
    self.reports = reports
    process = perfhud_process_open(pid)
  }

  deinit {
    // Until this process has taken over the command, the holder belongs to the supervisor.
    if perfhud_is_taking_over() != 0 { return }
    // The holder that has reported the end waits for this, and then exits, even if it was stopped.
    close(reports)
    perfhud_release_holder()
    signal(SIGCONT)
    // In any other case the holder is killed; the end of a session leader causes a hang-up.
    if end == nil || end == .lost { signal(SIGKILL) }
    if let process {
      if process >= 0 { close(process) }
      return
    }
    while waitpid(pid, nil, 0) < 0, errno == EINTR {}
  }

  /// Sends the holder a signal, if it is still a child that this process has to reap. If it was reaped elsewhere (by
  /// the kernel, if `SIGCHLD` is ignored), another process may have its number.
  ///
  /// Source: `kill(2)`, `waitid(2)`.
  borrowing func signal(_ number: Int32) {
    if let process {
      _ = perfhud_process_signal(process, number)
      return
    }
    if perfhud_is_child(pid) != 0 { kill(pid, number) }
  }

  mutating func nextReport() -> PtyStatus? {
    var report = perfhud_pty_report()
    let size = MemoryLayout<perfhud_pty_report>.size
    // The supervisor has to know it too, even if this process dies before it can do anything.
    let shared = unsafe perfhud_journal_report()
    var count: Int
    repeat {
      count =
        if let shared = unsafe shared { unsafe Glibc.read(reports, shared, size) } else {
          unsafe Glibc.read(reports, &report, size)
        }
    } while count < 0 && errno == EINTR
    if count == size, let shared = unsafe shared {
      report = unsafe shared.load(as: perfhud_pty_report.self)
    }
    if count < 0, errno == EAGAIN { return nil }
    guard count == size else { return .lost }
    if report.has_usage != 0 { usage = ResourceUsage(report.usage) }
    switch report.kind {
    case PERFHUD_PTY_STOPPED: return .stopped(signal: report.value)
    case PERFHUD_PTY_CONTINUED: return .continued
    case PERFHUD_PTY_EXITED: return .exited(code: report.value)
    case PERFHUD_PTY_KILLED: return .signaled(number: report.value, core: report.detail != 0)
    default: return .lost
    }
  }
}

extension TerminalSize {
  fileprivate var window: winsize {
    winsize(
      ws_row: UInt16(clamping: rows), ws_col: UInt16(clamping: columns),
      ws_xpixel: UInt16(clamping: pixelWidth), ws_ypixel: UInt16(clamping: pixelHeight))
  }
}
