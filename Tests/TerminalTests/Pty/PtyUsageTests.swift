import Glibc
import PerfHUDBase
import Terminal
import TestSupport
import Testing

@Suite struct PtyUsageTests {
  /// CPU seconds that the shell's `times` prints for its children: the last line.
  private let burn = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"

  @Test func `the usage is told with the end and not before`() throws {
    var command = try CommandOnPty("sh", "-c", burn)
    #expect(command.pty.usage == nil)
    #expect(try command.waitForStatus() == .exited(code: 0))
    let found = command.pty.usage
    let usage = try #require(found)
    #expect(usage.userNanoseconds > 1_000_000)
    #expect(usage.userNanoseconds + usage.systemNanoseconds < 10_000_000_000)
    #expect(usage.maxResidentBytes > 500_000)
    #expect(usage.minorFaults > 50)
  }

  @Test func `descendants that were waited for are in the usage, the clock of the command is not`()
    throws
  {
    var command = try CommandOnPty("sh", "-c", "sh -c '\(burn)'; exit 3")
    #expect(try command.waitForStatus() == .exited(code: 3))
    let found = command.pty.usage
    let usage = try #require(found)
    let all = usage.userNanoseconds + usage.systemNanoseconds
    let own = try #require(readClock(clockid_t(~command.pty.commandProcess << 3 | 2)))
    #expect(all > 3 * own)
  }

  @Test func `a command that was killed has its usage`() throws {
    var command = try CommandOnPty("sh", "-c", "\(burn); kill -KILL $$")
    #expect(try command.waitForStatus() == .signaled(number: SIGKILL, core: false))
    #expect(command.pty.usage?.userNanoseconds ?? 0 > 1_000_000)
  }

  @Test func `a large command shows its own greatest memory, a small one not that of this process`()
    throws
  {
    let own = 128 << 20
    // Held by this process, of which the command is no copy.
    let memory = UnsafeMutableRawPointer.allocate(byteCount: own, alignment: 4096)
    defer { unsafe memory.deallocate() }
    unsafe memset(memory, 1, own)
    let size = 64 << 20
    var large = try CommandOnPty("perl", "-e", "$x = 'x' x \(size); exit 0")
    #expect(try large.waitForStatus() == .exited(code: 0))
    let most = large.pty.usage
    #expect(try #require(most).maxResidentBytes > UInt64(size))
    #expect(try !#require(most).maxResidentIsBound)
    var small = try CommandOnPty("true")
    #expect(try small.waitForStatus() == .exited(code: 0))
    let found = small.pty.usage
    let shown = try #require(found).maxResidentBytes
    #expect(shown < 32 << 20, "\(shown)")
    var direct = try DirectCommand(command: [Array("true".utf8)], mask: CommandOnPty.noSignals)
    #expect(direct.wait() == .exited(code: 0))
    let usage = direct.usage
    let beside = try #require(usage).maxResidentBytes
    #expect(beside < 32 << 20, "\(beside)")
  }
}

@Suite(.serialized) struct DirectCommandTests {
  private func start(_ words: String..., environment: [String: String] = [:]) throws(PtyError)
    -> DirectCommand
  {
    try DirectCommand(
      command: words.map { Array($0.utf8) }, environment: environment,
      mask: CommandOnPty.noSignals)
  }

  private func waitForEnd(_ command: borrowing DirectCommand) throws {
    var poller = Poller()
    let notice = command.exitDescriptor
    let slot = poller.add(try #require(notice))
    let deadline = Instant.now().advanced(bySeconds: 10)
    while !poller.isReady(slot) {
      guard Instant.now() < deadline else { throw ToolError("no end") }
      poller.wait(until: deadline, now: Instant.now())
    }
  }

  @Test(arguments: [0, 7, 255]) func `the exit status is that of the command`(code: Int32) throws {
    var command = try start("sh", "-c", "exit \(code)")
    #expect(command.wait() == .exited(code: code))
    #expect(command.wait() == .exited(code: code))
    #expect(waitpid(command.processID, nil, WNOHANG) == -1 && errno == ECHILD)
  }

  @Test func `death by a signal is told`() throws {
    var command = try start("sh", "-c", "kill -TERM $$")
    #expect(command.wait() == .signaled(number: SIGTERM, core: false))
  }

  @Test func `the end is announced while the zombie can still be read`() throws {
    var command = try start("sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done")
    #expect(command.usage == nil)
    try waitForEnd(command)
    #expect(Proc.state(of: command.processID) == "Z")
    let clock = try #require(readClock(clockid_t(~command.processID << 3 | 2)))
    #expect(command.wait() == .exited(code: 0))
    let found = command.usage
    let usage = try #require(found)
    #expect(Proc.state(of: command.processID) == nil)
    // The kernel's two ways of counting agree to a tick.
    let difference =
      Int64(usage.userNanoseconds + usage.systemNanoseconds) - Int64(clock)
    #expect(difference.magnitude < 20_000_000)
  }

  @Test func `group and session are those of the caller, and the environment is added to`() throws {
    var command = try start(
      "sh", "-c",
      "read line < /proc/$$/stat; set -- ${line##*)}; "
        + "test $2 = \(getpid()) && test $3 = \(getpgrp()) && test $4 = \(getsid(0)) "
        + "&& test \"$PERFHUD_TEST\" = 'a b' && test -n \"$PATH\"",
      environment: ["PERFHUD_TEST": "a b"])
    #expect(command.wait() == .exited(code: 0))
  }

  @Test func `a descriptor beyond 2 is inherited, those that are close-on-exec are not`() throws {
    let pipe = try Pty()
    let inherited = Descriptor(owning: dup(pipe.slave.raw))
    var command = try start(
      "sh", "-c",
      "test -e /proc/self/fd/\(inherited.raw) "
        + "&& ! test -e /proc/self/fd/\(pipe.slave.raw) && ! test -e /proc/self/fd/\(pipe.master.raw)"
    )
    #expect(command.wait() == .exited(code: 0))
  }

  @Test func `the signal mask is the given one and ignored signals stay ignored`() throws {
    let before = signal(SIGURG, SIG_IGN)
    defer { signal(SIGURG, before) }
    var mask = sigset_t()
    unsafe sigemptyset(&mask)
    unsafe sigaddset(&mask, SIGUSR1)
    for pattern in ["^SigBlk:.*0000000200$", "^SigIgn:.*[4-7c-f].....$"] {
      let words = ["grep", "-q", pattern, "/proc/self/status"]
      var command = try DirectCommand(command: words.map { Array($0.utf8) }, mask: mask)
      #expect(command.wait() == .exited(code: 0))
    }
  }

  @Test func `a script without a first line runs as it does on a pty`() throws {
    let path = try Tool.run(["mktemp"]).lines[0]
    defer { _ = unsafe unlink(path) }
    _ = try Tool.run(["sh", "-c", "echo 'exit 9' > \(path); chmod +x \(path)"])
    var command = try start(path)
    #expect(command.wait() == .exited(code: 9))
  }

  @Test(arguments: [("no such program", 127), ("", 127), ("/etc/passwd", 126), ("/etc", 126)])
  func `what cannot be executed has the status of env(1)`(name: String, status: Int32) {
    let error = #expect(throws: PtyError.self) { _ = try start(name) }
    #expect(error?.exitStatus == status)
  }

  @Test func `an empty command is 127`() {
    let error = #expect(throws: PtyError.self) { _ = try start() }
    #expect(error?.exitStatus == 127)
  }
}
