import CLinux
import CProcess
import Glibc
import PerfHUDBase
import SystemPackage
import Terminal
import TestSupport
import Testing

@Suite struct TTYTests {
  private static let restore = Array("\u{1B}[m\u{1B}[?25h".utf8)

  @Test func `enter is raw, leave restores the modes and sends the bytes, once`() throws {
    let pty = try Pty()
    let before = pty.modes()
    var tty = try TTY(output: pty.slave.raw, input: pty.slave.raw)
    #expect(pty.modes() == before)

    try tty.enter(restore: TTYTests.restore)
    let raw = pty.modes()
    #expect(raw[3] & UInt32(ICANON | ECHO | ISIG | IEXTEN) == 0)
    #expect(raw[1] & UInt32(OPOST) == 0)
    #expect(raw[0] & UInt32(IXON | ICRNL) == 0)
    #expect(pty.drawn() == [])

    tty.leave()
    #expect(pty.modes() == before)
    #expect(pty.drawn() == TTYTests.restore)
    tty.leave()
    #expect(pty.drawn() == [])
  }

  @Test func `entering twice keeps the modes found first and takes the newer bytes`() throws {
    let pty = try Pty()
    let before = pty.modes()
    var tty = try TTY(output: pty.slave.raw, input: pty.slave.raw)
    try tty.enter(restore: [UInt8(ascii: "a")])
    try tty.enter(restore: [UInt8(ascii: "b")])
    tty.leave()
    #expect(pty.modes() == before)
    #expect(pty.drawn() == [UInt8(ascii: "b")])
  }

  @Test func `one at a time draws on a terminal: its modes are nobody else's to restore`() throws {
    let pty = try Pty()
    let before = pty.modes()
    var first = try TTY(output: pty.slave.raw, input: pty.slave.raw)
    var second = try TTY(output: pty.slave.raw, input: pty.slave.raw)
    try first.enter(restore: [])
    do throws(SystemError) {
      try second.enter(restore: [])
      Issue.record("two draw on one terminal")
    } catch {
      #expect(error.code == .resourceBusy)
    }
    // It has changed nothing, and restores nothing.
    second.leave()
    #expect(pty.modes() != before)
    let other = try Pty()
    var third = try TTY(output: other.slave.raw, input: other.slave.raw)
    try third.enter(restore: [])
    first.leave()
    #expect(pty.modes() == before)
    try second.enter(restore: [])
    second.leave()
    #expect(pty.modes() == before)
  }

  @Test func `modes changed between leave and enter are those restored`() throws {
    let pty = try Pty()
    var tty = try TTY(output: pty.slave.raw, input: pty.slave.raw)
    try tty.enter(restore: [])
    tty.leave()
    var modes = termios()
    _ = unsafe tcgetattr(pty.slave.raw, &modes)
    modes.c_lflag &= ~tcflag_t(ECHO)
    _ = unsafe tcsetattr(pty.slave.raw, TCSANOW, &modes)
    let changed = pty.modes()
    try tty.enter(restore: [])
    tty.leave()
    #expect(pty.modes() == changed)
  }

  @Test func `the end of its life restores the terminal`() throws {
    let pty = try Pty()
    let before = pty.modes()
    do {
      var tty = try TTY(output: pty.slave.raw, input: pty.slave.raw)
      try tty.enter(restore: TTYTests.restore)
      #expect(pty.modes() != before)
    }
    #expect(pty.modes() == before)
    #expect(pty.drawn() == TTYTests.restore)
  }

  @Test func `a terminal that takes no bytes still gets its modes back`() throws {
    let pty = try Pty()
    let before = pty.modes()
    var tty = try TTY(output: pty.slave.raw, input: pty.slave.raw)
    try tty.enter(restore: TTYTests.restore)
    var queue = OutputQueue()
    for _ in 0..<200_000 { queue.append(UInt8(ascii: "x")) }
    try queue.flush(to: tty.outputDescriptor, mayBlock: tty.mayBlock)
    #expect(queue.count > 0)
    tty.leave()
    #expect(pty.modes() == before)
  }

  @Test func `O_NONBLOCK is set on its own descriptions, not on the inherited one`() throws {
    let pty = try Pty()
    let tty = try TTY(output: pty.slave.raw, input: pty.slave.raw)
    #expect(isNonblocking(tty.outputDescriptor))
    #expect(isNonblocking(tty.inputDescriptor))
    let mayBlock = tty.mayBlock
    #expect(!mayBlock)
    #expect(!isNonblocking(pty.slave.raw))
    #expect(fcntl(tty.outputDescriptor, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test func `keys typed ahead are read after enter, and nothing there is nil`() throws {
    let pty = try Pty()
    var tty = try TTY(output: pty.slave.raw, input: pty.slave.raw)
    try tty.enter(restore: [])
    var buffer = [UInt8](repeating: 0, count: 64)
    #expect(try unsafe buffer.withUnsafeMutableBytes { try unsafe tty.read(into: $0) } == nil)
    pty.type([0x03, 0x1B, UInt8(ascii: "q")])
    let count = try unsafe buffer.withUnsafeMutableBytes { try unsafe tty.read(into: $0) }
    #expect(count == 3)
    #expect(Array(buffer[..<3]) == [0x03, 0x1B, UInt8(ascii: "q")])
    tty.leave()
  }

  @Test func `a terminal that has hung up reads as the end`() throws {
    func openAndHangUp() throws -> TTY {
      let pty = try Pty()
      return try TTY(output: pty.slave.raw, input: pty.slave.raw)
    }
    let tty = try openAndHangUp()
    var buffer = [UInt8](repeating: 0, count: 64)
    #expect(try unsafe buffer.withUnsafeMutableBytes { try unsafe tty.read(into: $0) } == 0)
  }

  @Test func `the size is the terminal's own, with its pixels`() throws {
    let pty = try Pty()
    let tty = try TTY(output: pty.slave.raw, input: pty.slave.raw)
    pty.resize(rows: 31, columns: 97, pixelWidth: 970, pixelHeight: 620)
    let size = TerminalSize(rows: 31, columns: 97, pixelWidth: 970, pixelHeight: 620)
    #expect(tty.size() == size)
    #expect(tty.reportedSize() == size)
    #expect(tty.size().cells == Size(rows: 31, columns: 97))
  }

  @Test func `of a terminal of 65535 by 40000 a part is drawn on, and the whole is reported`()
    throws
  {
    let pty = try Pty()
    let tty = try TTY(output: pty.slave.raw, input: pty.slave.raw)
    pty.resize(rows: 65535, columns: 40000, pixelWidth: 0, pixelHeight: 0)
    #expect(tty.size().cells == TerminalSize.largestPicture)
    #expect(tty.reportedSize()?.cells == Size(rows: 65535, columns: 40000))
    #expect(tty.reportedSize()?.isTooLarge == true && !tty.size().isTooLarge)
  }

  @Test func `a terminal of 0 by 0 is reported as such, and drawn on with a usable size`() throws {
    let pty = try Pty(rows: 0, columns: 0)
    let tty = try TTY(output: pty.slave.raw, input: pty.slave.raw)
    #expect(tty.reportedSize() == TerminalSize(rows: 0, columns: 0))
    #expect(tty.size().rows > 0 && tty.size().columns > 0)
  }

  @Test func `a missing dimension comes from the environment if it is a number, else 80 by 24`() {
    let none = TerminalSize.usable(nil, lines: nil, columns: nil)
    #expect(none == TerminalSize(rows: 24, columns: 80))
    let named = TerminalSize.usable(nil, lines: "50", columns: "132")
    #expect(named == TerminalSize(rows: 50, columns: 132))
    let half = TerminalSize(rows: 0, columns: 40, pixelWidth: 400)
    #expect(
      TerminalSize.usable(half, lines: "x", columns: "132")
        == TerminalSize(rows: 24, columns: 40, pixelWidth: 400))
    #expect(
      TerminalSize.usable(nil, lines: "0", columns: "-1") == TerminalSize(rows: 24, columns: 80))
  }

  @Test func `a file is not a terminal, and the error says what to do`() throws {
    let file = try Descriptor(open: "/dev/null", .readWrite)
    #expect(!TTY.isTerminal(file.raw))
    do {
      _ = try TTY(output: file.raw, input: file.raw)
      Issue.record("opened /dev/null as a terminal")
    } catch {
      #expect(error.code == Errno(rawValue: ENOTTY))
      #expect(error.description.contains("--batch"))
    }
  }

  @Test func `a terminal that controls nobody is usable from anywhere`() throws {
    let pty = try Pty()
    #expect(TTY.isTerminal(pty.slave.raw))
    #expect(TTY.isForeground(pty.slave.raw))
  }

  @Test func `a crash restores the modes, sends the bytes and dies by its own signal`()
    async throws
  {
    let pty = try Pty()
    let before = pty.modes()
    let path = pty.path
    await #expect(processExitsWith: .signal(SIGSEGV)) { [path = path as String] in
      let slave = try Descriptor(open: path, .readWrite, options: .init(rawValue: O_NOCTTY))
      var tty = try TTY(output: slave.raw, input: slave.raw)
      try tty.enter(restore: ScreenModes([.alternateScreen, .hiddenCursor]).restoreBytes)
      raise(SIGSEGV)
      tty.leave()
    }
    #expect(pty.modes() == before)
    #expect(pty.drawn() == ScreenModes([.alternateScreen, .hiddenCursor]).restoreBytes)
  }

  @Test func `a crash waits for a full non-blocking terminal, and sends the bytes`() async throws {
    let folder = try Tool.run(["mktemp", "-d"]).lines[0]
    defer { _ = try? Tool.run(["rm", "-rf", folder]) }
    let made = try Tool.run(["mkfifo", "\(folder)/pipe"])
    #expect(made.status == .exit(0))
    // Reads nothing before the pipe is full. It must not end by itself: the wait for the exit test would take it.
    let reader = try RunningTool([
      "sh", "-c",
      "exec 3<\"$1/pipe\"; until [ -e \"$1/full\" ]; do sleep 0.01; done; tr -d x <&3; echo; read _",
      "sh",
      folder,
    ])
    await #expect(processExitsWith: .signal(SIGSEGV)) { [folder = folder as String] in
      let pipe = try Descriptor(open: "\(folder)/pipe", .writeOnly)
      _ = fcntl(pipe.raw, F_SETFL, O_NONBLOCK)
      let filler = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
      while (try? unsafe filler.withUnsafeBytes { try unsafe pipe.write($0) }) != nil {}
      while (try? unsafe filler.withUnsafeBytes { try unsafe pipe.write(.init(rebasing: $0[..<1])) })
        != nil
      {}
      let restore = Array("restored".utf8)
      guard unsafe perfhud_crash_guard(pipe.raw, nil, restore, restore.count) == 0 else { exit(2) }
      _ = try Descriptor(
        open: "\(folder)/full", .writeOnly, options: .create, permissions: .ownerReadWrite)
      raise(SIGSEGV)
    }
    #expect(try reader.readLine() == "restored")
  }

  @Test func `in an orphaned group a stop is discarded, and the terminal is entered again`()
    async throws
  {
    let pty = try Pty()
    let path = pty.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      // A session of its own: the signal reaches nobody else, and the group is orphaned.
      guard setsid() > 0 else { exit(2) }
      let signals = try SignalDescriptor([SIGTSTP, SIGTTIN, SIGTTOU])
      let slave = try Descriptor(open: path, .readWrite, options: .init(rawValue: O_NOCTTY))
      var tty = try TTY(output: slave.raw, input: slave.raw)
      try tty.enter(restore: [UInt8(ascii: "r")])
      try tty.suspend()
      var modes = termios()
      _ = unsafe tcgetattr(slave.raw, &modes)
      guard tty.isEntered, modes.c_lflag & tcflag_t(ICANON) == 0 else { exit(3) }
      guard signals.next() == nil else { exit(4) }
      tty.leave()
    }
    #expect(pty.drawn() == Array("rr".utf8))
  }
}

@Suite struct ScreenModesTests {
  @Test func `modes that were not set are not reset`() {
    let text = String(decoding: ScreenModes.hiddenCursor.restoreBytes, as: UTF8.self)
    #expect(text.hasSuffix("\u{1B}[?25h"))
    for number in ["1049", "2004", "1004", "1002", "2026"] { #expect(!text.contains(number)) }
  }

  @Test func `all that is set is reset, and fits the crash guard`() {
    let modes: ScreenModes = [
      .alternateScreen, .hiddenCursor, .mouse, .focusReports, .bracketedPaste, .applicationKeys,
      .synchronizedUpdates,
    ]
    let text = String(decoding: modes.restoreBytes, as: UTF8.self)
    for number in ["?1049l", "?2004l", "?1004l", "?1002;1006l", "?25h", "?1l", "?2026l", "[m"] {
      #expect(text.contains(number))
    }
    #expect(modes.restoreBytes.count <= 1024)
  }
}
