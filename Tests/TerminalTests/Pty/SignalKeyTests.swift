import Glibc
import PerfHUDBase
import Terminal
import TestSupport
import Testing

/// Which keys send signals on the terminal of a command.
@Suite struct SignalKeyTests {
  /// A command on a terminal whose modes a test has changed.
  private func start(_ change: (inout termios) -> Void = { _ in }) throws -> Terminal.Pty {
    let pair = try PtyPair(columns: 80, rows: 24)
    var modes = pair.modes
    change(&modes)
    return try Terminal.Pty(
      command: ["sleep", "60"], standard: StandardDescriptors(), modes: modes,
      size: TerminalSize(rows: 24, columns: 80), mask: Terminal.Pty.signalMask())
  }

  @Test func `Ctrl-C is SIGINT and Ctrl-backslash SIGQUIT, the last of them counts`() throws {
    let pty = try start()
    #expect(pty.signalKey(in: [0x03]) == SIGINT)
    #expect(pty.signalKey(in: [0x1C]) == SIGQUIT)
    #expect(pty.signalKey(in: [0x03, 0x61, 0x1C, 0x0D]) == SIGQUIT)
    #expect(pty.signalKey(in: Array("text\r".utf8)) == nil)
    #expect(pty.signalKey(in: [0]) == nil)
  }

  @Test func `in raw mode no key sends one, and stty intr names another`() throws {
    let raw = try start { $0.c_lflag &= ~tcflag_t(ISIG) }
    #expect(raw.signalKey(in: [0x03]) == nil)
    let other = try start { $0.c_cc.0 = 0x18 }
    #expect(other.signalKey(in: [0x03]) == nil)
    #expect(other.signalKey(in: [0x18]) == SIGINT)
    let off = try start { $0.c_cc.0 = 0 }
    #expect(off.signalKey(in: [0]) == nil)
  }
}
