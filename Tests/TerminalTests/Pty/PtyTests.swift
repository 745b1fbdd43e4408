import CLinux
import CProcess
import Glibc
import PerfHUDBase
import SystemPackage
import TestSupport
import Testing

@testable import Terminal

/// One after another, since some of them change for a moment which signals this process ignores.
@Suite(.serialized) struct PtyTests {
  @Test(arguments: [0, 7, 255]) func `the exit status is passed on`(code: Int32) throws {
    var command = try CommandOnPty("sh", "-c", "exit \(code)")
    #expect(try command.waitForStatus() == .exited(code: code))
    #expect(try command.drain().isEmpty)
  }

  @Test func `death by a signal is passed on`() throws {
    var command = try CommandOnPty("sh", "-c", "kill -TERM $$")
    #expect(try command.waitForStatus() == .signaled(number: SIGTERM, core: false))
    #expect(command.pty.nextStatus() == nil)
  }

  @Test func `a program that is not there is 127, with the reason`() throws {
    let error = #expect(throws: PtyError.self) { _ = try CommandOnPty("no such program", "x") }
    #expect(error?.exitStatus == 127)
    #expect(error?.cause.code == .noSuchFileOrDirectory)
    #expect(error?.description.contains("cannot run no such program") == true)
  }

  /// As `execve` finds it, but before anything else is prepared for the command.
  @Test(arguments: ["sh", "/bin/sh", "no such program", "", "/etc/passwd", "/etc", "/etc/passwd/x"])
  func `whether a command can start is known beforehand`(name: String) throws {
    var found: PtyError?
    do throws(PtyError) { try CommandSearch.check([Array(name.utf8)]) } catch { found = error }
    var started: PtyError?
    do {
      _ = try CommandOnPty(name, "-c", "exit")
    } catch let error as PtyError {
      started = error
    }
    #expect(found == started)
  }

  @Test(arguments: ["/etc/passwd", "/etc", "/etc/passwd/x"])
  func `a file that cannot be executed is 126`(path: String) throws {
    let error = #expect(throws: PtyError.self) { _ = try CommandOnPty(path) }
    #expect(error?.exitStatus == 126)
    #expect(error?.description.hasSuffix("check with: ls -ld \(path)") == true)
  }

  @Test(arguments: [
    ("./a b", "with: ls -ld './a b'"), ("./it's", "with: ls -ld './it'\\''s'"),
    ("./\u{1B}[2J", "with: ls -ld './␛[2J'"), ("x", "the files of that name in PATH"),
  ])
  func `the advice has the name of the file as a shell reads it`(command: String, advice: String) {
    let error = PtyError(command: command, step: PERFHUD_PTY_EXEC, code: .permissionDenied)
    #expect(error.cause.advice == "it must be an executable file: check \(advice)")
  }

  @Test func `an empty command is 127`() throws {
    for command in [[], [""]] {
      let error = #expect(throws: PtyError.self) {
        _ = try Terminal.Pty(
          command: command, size: CommandOnPty.size, mask: CommandOnPty.noSignals)
      }
      #expect(error?.exitStatus == 127)
    }
  }

  @Test func `the command is alone in the foreground of its own terminal`() throws {
    // The fields 4 to 8 of /proc/PID/stat: parent, group, session, terminal, foreground group.
    var command = try CommandOnPty("sh", "-c", "tty; tty <&1; tty <&2; cat /proc/$$/stat; exit 0")
    let pid = Int(command.pty.commandProcess)
    let holder = Int(command.pty.holderProcess)
    #expect(command.pty.foregroundGroup == command.pty.commandProcess)
    let lines = try command.run()
    #expect(lines.first?.hasPrefix("/dev/pts/") == true)
    #expect(lines[0] == lines[1] && lines[1] == lines[2])
    let fields = lines[3].split(separator: ")").last?.split(separator: " ") ?? []
    let numbers = fields.compactMap { Int($0) }
    #expect(Array(numbers.prefix(3)) == [holder, pid, holder])
    #expect(numbers[4] == pid)
  }

  @Test func `size and pixels are there before the command starts, zeros too`() throws {
    // 0x5413 is TIOCGWINSZ.
    let ask = "$w = ''; ioctl(STDIN, 0x5413, $w); print join ' ', unpack 'S4', $w"
    let sizes = [
      TerminalSize(rows: 31, columns: 97, pixelWidth: 970, pixelHeight: 620),
      TerminalSize(rows: 0, columns: 0),
    ]
    for size in sizes {
      var command = try CommandOnPty(["perl", "-e", ask], size: size)
      let found = try command.run().joined()
      #expect(
        found == "\(size.rows) \(size.columns) \(size.pixelWidth) \(size.pixelHeight)")
    }
  }

  @Test func `a new size is seen, and SIGWINCH comes`() throws {
    var command = try CommandOnPty(
      "sh", "-c", "trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.01; done")
    try command.read(until: "ready")
    command.pty.resize(TerminalSize(rows: 40, columns: 120, pixelWidth: 1200, pixelHeight: 800))
    try command.read(until: "40 120")
    #expect(try command.waitForStatus() == .exited(code: 0))
  }

  @Test func `modes of the terminal are copied`() throws {
    let outer = try Pty()
    var modes = termios()
    _ = unsafe tcgetattr(outer.slave.raw, &modes)
    modes.c_lflag &= ~tcflag_t(ECHO)
    modes.c_cc.0 = 0x18
    var command = try CommandOnPty(["stty", "-a"], modes: modes)
    let text = try command.run().joined(separator: "\n")
    #expect(text.contains("intr = ^X;"))
    #expect(text.contains(" -echo "))
  }

  @Test func `variables are added and replaced, the others are kept byte for byte`() throws {
    // Not UTF-8, as a file name in a variable may be.
    let bytes: [CChar] = [0x61, CChar(bitPattern: 0xFF), 0x62, 0]
    unsafe setenv("PERFHUD_TEST_BYTES", bytes, 1)
    unsafe setenv("PERFHUD_TEST_OLD", "old", 1)
    defer {
      unsafe unsetenv("PERFHUD_TEST_BYTES")
      unsafe unsetenv("PERFHUD_TEST_OLD")
    }
    let script = "printf %s $PERFHUD_TEST_BYTES | od -An -tx1; env | grep ^PERFHUD_TEST_[ON]"
    var command = try CommandOnPty(
      ["sh", "-c", script], environment: ["PERFHUD_TEST_OLD": "new", "PERFHUD_TEST_N": "1 2"])
    let lines = try command.run()
    #expect(lines.first == " 61 ff 62")
    #expect(lines.dropFirst().sorted() == ["PERFHUD_TEST_N=1 2", "PERFHUD_TEST_OLD=new"])
    #expect(unsafe String(cString: getenv("PERFHUD_TEST_OLD")) == "old")
  }

  @Test func `arguments are passed on byte for byte`() throws {
    let script = Array("printf %s \"$1\" | od -An -tx1".utf8)
    let command = [Array("sh".utf8), Array("-c".utf8), script, [0x78], [0x61, 0xFF, 0xFE, 0x20]]
    var running = try CommandOnPty(bytes: command)
    #expect(try running.run() == [" 61 ff fe 20"])
  }

  // MARK: Signals

  @Test func `the mask is the one given, not that of this thread`() throws {
    var blocked = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&blocked)
    for signal in [SIGCHLD, SIGWINCH, SIGINT, SIGTSTP] { unsafe sigaddset(&blocked, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var free = try CommandOnPty("grep", "SigBlk", "/proc/self/status")
    #expect(try free.run() == ["SigBlk:\t0000000000000000"])

    var user = sigset_t()
    unsafe sigemptyset(&user)
    unsafe sigaddset(&user, SIGUSR1)
    var masked = try CommandOnPty(["grep", "SigBlk", "/proc/self/status"], mask: user)
    #expect(try masked.run() == ["SigBlk:\t0000000000000200"])
    // And this thread has its own back.
    var now = Terminal.Pty.signalMask()
    for signal in 1..<Int32(32) {
      let expected = unsafe sigismember(&before, signal) | sigismember(&blocked, signal)
      #expect(unsafe sigismember(&now, signal) == expected)
    }
  }

  @Test func `ignored signals stay ignored, others have their default action`() throws {
    let lines = try SignalActions.alone {
      let interrupt = signal(SIGINT, SIG_IGN)
      let hangUp = signal(SIGHUP, SIG_IGN)
      let user = signal(SIGUSR2, { _ in })
      defer {
        signal(SIGINT, interrupt)
        signal(SIGHUP, hangUp)
        signal(SIGUSR2, user)
      }
      var command = try CommandOnPty("cat", "/proc/self/status")
      return try command.run()
    }
    func set(_ name: String) -> UInt64? {
      lines.first { $0.hasPrefix(name) }.flatMap { UInt64($0.dropFirst(8), radix: 16) }
    }
    let ignored = try #require(set("SigIgn:"))
    for signal in [SIGINT, SIGHUP] { #expect(ignored & 1 << UInt64(signal - 1) != 0) }
    for signal in [SIGTSTP, SIGTTIN, SIGTTOU, SIGCHLD, SIGCONT, SIGUSR2] {
      #expect(ignored & 1 << UInt64(signal - 1) == 0)
    }
    #expect(set("SigCgt:") == 0)
  }

  // MARK: Descriptors

  @Test func `a descriptor beyond 2 is inherited, ours are not`() throws {
    let ends = try FileDescriptor.pipe(options: .closeOnExec)
    let readEnd = Descriptor(owning: ends.readEnd.rawValue)
    try writeAndClose(ends.writeEnd, "through the pipe\n")
    let inherited = Descriptor(owning: dup(readEnd.raw))
    var command = try CommandOnPty(
      "sh", "-c", "cat /dev/fd/\(inherited.raw); echo ready; read x")
    try command.read(until: "ready")
    #expect(command.text.contains("through the pipe"))

    let reports = try Proc.link("/proc/self/fd/\(command.pty.statusDescriptor)")
    let index = try Proc.ptyIndex(process: getpid(), descriptor: command.pty.masterDescriptor)
    for descriptor in try Proc.descriptors(of: command.pty.commandProcess) {
      let process = command.pty.commandProcess
      #expect(try Proc.link("/proc/\(process)/fd/\(descriptor)") != reports)
      #expect(try Proc.ptyIndex(process: process, descriptor: Int32(descriptor)) != index)
    }
  }

  @Test func `the holder has the terminal and its reports, no master and nothing else`() throws {
    let command = try CommandOnPty("sleep", "100")
    let holder = command.pty.holderProcess
    #expect(try Proc.descriptors(of: holder) == [0, 1])
    #expect(try Proc.link("/proc/\(holder)/fd/0").hasPrefix("/dev/pts/"))
    let reports = try Proc.link("/proc/self/fd/\(command.pty.statusDescriptor)")
    #expect(try Proc.link("/proc/\(holder)/fd/1") == reports)
    let name = try readFile("/proc/\(holder)/comm")
    #expect(String(decoding: name, as: UTF8.self) == "perfhud-holder\n")
  }

  @Test func `standard descriptors that are no terminals are passed on`() throws {
    let input = try FileDescriptor.pipe(options: .closeOnExec)
    let inputEnd = Descriptor(owning: input.readEnd.rawValue)
    try writeAndClose(input.writeEnd, "from a pipe\n")
    let error = try FileDescriptor.pipe(options: .closeOnExec)
    let errorEnd = Descriptor(owning: error.readEnd.rawValue)
    let errorWriter = Descriptor(owning: error.writeEnd.rawValue)
    var command = try CommandOnPty(
      ["sh", "-c", "cat; test -t 0 || echo no; test -t 1 && echo yes; echo oh >&2"],
      standard: StandardDescriptors(input: inputEnd.raw, error: errorWriter.raw))
    #expect(try command.run() == ["from a pipe", "no", "yes"])
    var text = [UInt8](repeating: 0, count: 16)
    let count = try unsafe text.withUnsafeMutableBytes { try unsafe errorEnd.readNext(into: $0) }
    #expect(String(decoding: text[..<count], as: UTF8.self) == "oh\n")
  }

  @Test func `standard descriptors may change places`() throws {
    // Whatever this process has there, each is asked for by the number of another.
    var command = try CommandOnPty(
      ["perl", "-e", "print STDERR readlink(\"/proc/$$/fd/$_\"), \"\\n\" for 0, 1"],
      standard: StandardDescriptors(input: 1, output: 0))
    let found = try command.run()
    let expected = try [Proc.link("/proc/self/fd/1"), Proc.link("/proc/self/fd/0")]
    #expect(found == expected)
  }

  @Test func `nothing is left of 100 commands: no descriptor, no zombie`() throws {
    let before = try terminals()
    for number in 0..<100 {
      let (holder, process) = try runOnce(number % 2 == 0 ? "true" : "no such program")
      guard let holder, let process else { continue }
      #expect(waitpid(holder, nil, WNOHANG) == -1 && errno == ECHILD)
      #expect(kill(process, 0) == -1 && errno == ESRCH)
    }
    // Other tests run at the same time; a leak would show as 100 and more.
    #expect(try terminals() < before + 50)
  }

  /// How many terminals this process is the owner of.
  private func terminals() throws -> Int {
    try Proc.descriptors(of: getpid()).count {
      (try? Proc.link("/proc/self/fd/\($0)"))?.hasSuffix("/ptmx") == true
    }
  }

  private func runOnce(_ name: String) throws -> (pid_t?, pid_t?) {
    guard var command = try? CommandOnPty(name) else { return (nil, nil) }
    let ids = (command.pty.holderProcess, command.pty.commandProcess)
    _ = try command.waitForStatus()
    // Until its owner goes it keeps its number.
    #expect(kill(ids.1, 0) == 0)
    return ids
  }
}
