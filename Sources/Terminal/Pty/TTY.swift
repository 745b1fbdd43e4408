import CLinux
import CProcess
import Glibc
import PerfHUDBase
import SystemPackage

/// Owns the terminal: its descriptors, its modes, its size, and how it is restored.
///
/// It opens the terminal itself, since `O_NONBLOCK` belongs to the open file description: if it were set on an
/// inherited descriptor, it would stay set in the shell and in every program that shares it. While `enter` is in force,
/// every way out (leaving, the end of its life, a stop, a crash) restores the same modes and sends the same bytes.
/// Belongs to the main thread.
package struct TTY: ~Copyable {
  private let output: Descriptor
  private let input: Descriptor
  private let hasOneTerminal: Bool
  private var state = State()

  /// Whether a write may block. If the terminal could not be opened again, the inherited description is used, and its
  /// mode is left alone for the sake of other processes that share it. Pass it to `OutputQueue.flush`.
  package let mayBlock: Bool
  /// The same for reading.
  private let mayReadBlock: Bool

  private var lock: TerminalLock?

  private struct State {
    var isEntered = false
    /// Whether it has been entered before.
    var isReturning = false
    var outputModes = termios()
    var inputModes = termios()
    var restore: [UInt8] = []
  }

  /// Opens the terminal for output, and one for keys: `input` if it is a terminal, otherwise the controlling terminal
  /// (`seq 9 | perfhud …`). Changes no modes.
  ///
  /// Each is opened through `/proc/self/fd`, which also works in a container without `/dev`. If that fails, for
  /// instance because it belongs to another user (after `su`), it is opened as `/dev/tty`, which needs no permission.
  /// Otherwise the inherited descriptor is duplicated and stays as it is.
  ///
  /// - Throws: `ENOTTY` if `output` is not a terminal; the error of opening `/dev/tty` if there is no terminal for
  ///   keys.
  ///
  /// Source: `open(2)` with `O_NONBLOCK` and `O_NOCTTY`, `isatty(3)`.
  package init(output: Int32 = STDOUT_FILENO, input: Int32 = STDIN_FILENO) throws(SystemError) {
    guard TTY.isTerminal(output) else {
      throw SystemError(
        call: "use", subject: "the standard output as a terminal", code: Errno(rawValue: ENOTTY),
        advice: "run it in a terminal, or print lines with --batch")
    }
    var isOurs = true
    let screen = try TTY.open(output, mode: .readWrite, isOurs: &isOurs)
    var areKeysOurs = true
    let keys = try TTY.openKeys(input, isOurs: &areKeysOurs)
    let device = TTY.device(of: screen.raw)
    hasOneTerminal = device != nil && device == TTY.device(of: keys.raw)
    mayBlock = !isOurs
    mayReadBlock = !areKeysOurs
    self.output = screen
    self.input = keys
  }

  deinit { restoreTerminal(state) }

  /// The descriptor to which the `OutputQueue` is flushed. It must not outlive the owner.
  package var outputDescriptor: Int32 { output.raw }
  /// The descriptor from which keys come, for a `Poller`.
  package var inputDescriptor: Int32 { input.raw }
  /// Whether `enter` is in force.
  package var isEntered: Bool { state.isEntered }

  /// Whether a descriptor is a terminal. Source: `isatty(3)`.
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Whether this process may use the terminal: its group is in the foreground, or the terminal does not control this
  /// session, so there is no job control.
  ///
  /// Source: `tcgetpgrp(3)`, `getpgrp(2)`.
  package static func isForeground(_ descriptor: Int32) -> Bool {
    let group = tcgetpgrp(descriptor)
    return group < 0 || group == getpgrp()
  }

  /// Whether this process may change modes and read keys.
  package var isForeground: Bool { TTY.isForeground(input.raw) }

  // MARK: Reading

  /// Reads the keys that have arrived.
  ///
  /// - Parameter isReady: whether a `Poller` has just reported that there is something to read.
  /// - Returns: the number of bytes; 0 if the terminal has hung up; `nil` if there is nothing to read.
  /// - Throws: `EIO` if the terminal has gone or the process is in an orphaned background group.
  ///
  /// Source: `read(2)`.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, isReady: Bool = false
  ) throws(Errno) -> Int? {
    // If the terminal could not be opened again, a read would block if another process is faster.
    if !isReady || mayReadBlock {
      var entry = pollfd(fd: input.raw, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&entry, 1, 0) > 0 else { return nil }
    }
    do {
      return try unsafe input.readNext(into: buffer)
    } catch {
      if error == .resourceTemporarilyUnavailable { return nil }
      throw error
    }
  }

  // MARK: Modes

  /// Whether the modes are still those of `enter`. A shell that has had the terminal meanwhile has set its own.
  package var isRaw: Bool {
    guard let modes = try? TTY.modes(of: input.raw) else { return false }
    return modes.c_lflag & tcflag_t(ICANON | ECHO) == 0
  }

  /// Puts the terminal into raw mode: bytes are unchanged in both directions, there is no echo, and Ctrl-C, Ctrl-Z and
  /// Ctrl-S arrive as keys. Saves the previous modes and sets the crash guard.
  ///
  /// Entering again only replaces the bytes. In the background this stops the process group, unless `SIGTTOU` is
  /// blocked: check `isForeground` first.
  ///
  /// - Throws: `EBUSY` while another perfhud draws on the terminal, unless this one did before.
  /// - Parameter restore: bytes that undo everything that is sent to the terminal until `leave`; at most 1024. See
  ///   `ScreenModes.restoreBytes`.
  ///
  /// Source: `tcgetattr(3)`, `tcsetattr(3)`, `cfmakeraw(3)`; keys typed ahead are kept (`TCSANOW`).
  package mutating func enter(restore: [UInt8]) throws(SystemError) {
    if !state.isEntered {
      // If another perfhud has set raw modes, those are not the modes to restore.
      try takeLock()
      state.inputModes = try TTY.firstModes(of: input.raw, isInput: true)
      state.outputModes =
        hasOneTerminal ? state.inputModes : try TTY.firstModes(of: output.raw, isInput: false)
    }
    // The guard comes first: from here on a crash restores the modes that were found.
    var modes = state.outputModes
    if perfhud_is_supervised() != 0 {
      setRestoreModes()
    } else if unsafe perfhud_crash_guard(output.raw, &modes, restore, restore.count) != 0 {
      throw TTY.failure("guard")
    }
    state.restore = restore
    if state.isEntered { return }
    state.isEntered = true
    state.isReturning = true
    do {
      try TTY.makeRaw(input.raw, from: state.inputModes)
      if !hasOneTerminal { try TTY.makeRaw(output.raw, from: state.outputModes) }
    } catch {
      leave()
      throw error
    }
  }

  /// Sets raw mode again after another process has set the modes, as a shell does when it continues a job that `kill
  /// -STOP` has stopped. In the background it stops until the job is in the foreground.
  package func makeRawAgain() throws(SystemError) {
    guard state.isEntered else { return }
    try TTY.makeRaw(input.raw, from: state.inputModes)
    if !hasOneTerminal { try TTY.makeRaw(output.raw, from: state.outputModes) }
  }

  /// Sends the bytes that were given to `enter` and restores the modes; does nothing if that has been done. Flush the
  /// queue first, because waiting bytes are not sent.
  ///
  /// A terminal that takes no bytes is given half a second.
  package mutating func leave() {
    restoreTerminal(state)
    state.isEntered = false
    lock = nil
  }

  /// Makes the supervisor restore the terminal from now on, instead of the crash guard.
  package borrowing func handOver() {
    guard perfhud_is_supervised() != 0, state.isEntered else { return }
    perfhud_hand_over_terminal(output.raw, input.raw)
    setRestoreModes()
    _ = perfhud_crash_guard(output.raw, nil, nil, 0)
  }

  private borrowing func setRestoreModes() {
    var modes = state.outputModes
    unsafe perfhud_set_restore_modes(0, &modes)
    modes = state.inputModes
    if !hasOneTerminal { unsafe perfhud_set_restore_modes(1, &modes) }
  }

  /// Takes the terminal for this process. After a stop it continues without the lock if another process has it.
  private mutating func takeLock() throws(SystemError) {
    guard lock == nil else { return }
    // A background job must not keep the terminal from others.
    var attempts = 0
    while attempts < 100, !isForeground {
      attempts += 1
      TTY.stopGroup(by: SIGTTIN)
    }
    lock = TerminalLock(of: output.raw)
    guard lock == nil, !state.isReturning else { return }
    throw SystemError(
      call: "draw on", subject: "the terminal", code: .resourceBusy,
      advice: "another perfhud draws on it: end that one, or print rows with --batch")
  }

  /// Leaves the terminal, stops this process group as Ctrl-Z does, and enters the terminal again when it is continued
  /// in the foreground. The caller must then read the size and draw everything.
  ///
  /// The stop is real although `SIGTSTP` is blocked and read from a descriptor: during the stop it is unblocked with
  /// its default action, in this thread only (all others must block it). Modes that `stty` has changed meanwhile are
  /// saved as those to restore later. After `bg` it stops again until the group is in the foreground. In an orphaned
  /// group the kernel discards the stop, and the call returns at once. The same happens if `SIGTSTP` was ignored, as
  /// under a shell without job control.
  ///
  /// - Throws: if the terminal has gone or stays with another job.
  ///
  /// Source: `kill(2)` with process 0, `pthread_sigmask(3)`; signal(7) on orphaned groups.
  package mutating func suspend() throws(SystemError) {
    let restore = state.restore
    let wasEntered = state.isEntered
    suspendOnce()
    var attempts = 0
    while !isForeground {
      // If the stop is discarded, nothing will ever bring the group to the foreground.
      attempts += 1
      if attempts > 100 {
        throw SystemError(
          call: "use", subject: "the terminal", code: .notPermitted,
          advice: "it belongs to another job; bring this one back with: fg")
      }
      TTY.stopGroup(by: SIGTTIN)
    }
    if wasEntered { try enter(restore: restore) }
  }

  /// The same, but it also returns if `bg` has continued the group in the background, and it does not enter the
  /// terminal again.
  package mutating func suspendOnce() {
    leave()
    TTY.stopGroup(by: SIGTSTP)
  }
}

// MARK: - Calls

extension TTY {
  private static let openOptions: FileDescriptor.OpenOptions = [
    .nonBlocking, FileDescriptor.OpenOptions(rawValue: O_NOCTTY),
  ]

  private static func openKeys(
    _ descriptor: Int32, isOurs: inout Bool
  ) throws(SystemError) -> Descriptor {
    if isTerminal(descriptor) {
      return try open(descriptor, mode: .readOnly, isOurs: &isOurs)
    }
    do {
      return try Descriptor(open: "/dev/tty", .readOnly, options: openOptions)
    } catch {
      throw SystemError(
        call: "read keys from", subject: "/dev/tty", code: error.code,
        advice: "put a terminal on the standard input")
    }
  }

  /// Opens the terminal of a descriptor again. `isOurs` becomes false if the descriptor had to be duplicated.
  private static func open(
    _ descriptor: Int32, mode: FileDescriptor.AccessMode, isOurs: inout Bool
  ) throws(SystemError) -> Descriptor {
    let device = TTY.device(of: descriptor)
    for path in ["/proc/self/fd/\(descriptor)", "/dev/tty"] {
      guard let opened = try? Descriptor(open: path, mode, options: openOptions) else { continue }
      // Opening the name of a pty's master makes a new pty, and /dev/tty may be another terminal.
      if let device, TTY.device(of: opened.raw) == device { return opened }
    }
    isOurs = false
    return try Descriptor(duplicating: descriptor, subject: "the terminal")
  }

  /// The device number of a descriptor's terminal.
  private static func device(of descriptor: Int32) -> UInt32? {
    var device: UInt32 = 0
    return unsafe perfhud_terminal_device(descriptor, &device) == 0 ? device : nil
  }

  /// The modes that `enter` has found, which a command below should get.
  package var foundModes: termios? { state.isReturning ? state.outputModes : nil }

  /// The modes of a terminal before perfhud changed them. A previous engine may have done that.
  private static func firstModes(
    of descriptor: Int32, isInput: Bool
  ) throws(SystemError) -> termios {
    var modes = termios()
    if unsafe perfhud_first_modes(isInput ? 1 : 0, &modes) == 0 { return modes }
    return try TTY.modes(of: descriptor)
  }

  private static func modes(of descriptor: Int32) throws(SystemError) -> termios {
    var modes = termios()
    guard unsafe tcgetattr(descriptor, &modes) == 0 else { throw failure("read the modes of") }
    return modes
  }

  private static func makeRaw(_ descriptor: Int32, from modes: termios) throws(SystemError) {
    var raw = modes
    unsafe cfmakeraw(&raw)
    guard setModes(descriptor, raw) else { throw failure("set the modes of") }
  }

  private static func setModes(_ descriptor: Int32, _ modes: termios) -> Bool {
    var modes = modes
    while unsafe tcsetattr(descriptor, TCSANOW, &modes) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  private static func failure(_ call: String) -> SystemError {
    SystemError(
      call: call, subject: "the terminal", code: Errno(rawValue: errno),
      advice: "check it with: stty -a")
  }

  static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// The only way back: bytes, modes, guard. `SIGTTOU` is blocked, so that a process in the background can still
  /// restore what it changed instead of being stopped halfway.
  private borrowing func restoreTerminal(_ state: State) {
    guard state.isEntered else { return }
    var before = sigset_t()
    var blocked = sigset_t()
    unsafe sigemptyset(&blocked)
    unsafe sigaddset(&blocked, SIGTTOU)
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
    send(state.restore)
    _ = TTY.setModes(output.raw, state.outputModes)
    if !hasOneTerminal { _ = TTY.setModes(input.raw, state.inputModes) }
    _ = perfhud_crash_guard(output.raw, nil, nil, 0)
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  private borrowing func send(_ bytes: [UInt8]) {
    var queue = OutputQueue()
    queue.append(bytes)
    let deadline = Instant.now().advanced(bySeconds: 0.5)
    while !queue.isEmpty, (try? queue.flush(to: output.raw, mayBlock: mayBlock)) != nil {
      let left = deadline.nanoseconds(since: Instant.now())
      if queue.isEmpty || left <= 0 { return }
      var entry = pollfd(fd: output.raw, events: Int16(POLLOUT), revents: 0)
      _ = unsafe poll(&entry, 1, Int32(left / 1_000_000) + 1)
    }
  }

  /// Stops the process group with a signal that is otherwise blocked, and returns when the group is continued.
  ///
  /// Unlike `SIGSTOP` it does nothing in an orphaned group, which no process could continue.
  package static func stopGroup(by signal: Int32) {
    var before = sigaction()
    guard unsafe sigaction(signal, nil, &before) == 0 else { return }
    // It has been ignored since the start: the parent process does not expect this process to stop.
    if unsafe unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1 { return }
    var standard = sigaction()
    unsafe sigaction(signal, &standard, nil)
    var stopping = sigset_t()
    var mask = sigset_t()
    unsafe sigemptyset(&stopping)
    unsafe sigaddset(&stopping, signal)
    kill(0, signal)
    unsafe pthread_sigmask(SIG_UNBLOCK, &stopping, &mask)  // stops here, continues here
    unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    unsafe sigaction(signal, &before, nil)
  }
}
