import PerfHUDBase
import Testing

@testable import Terminal

/// The marks of a shell (OSC 133).
@Suite struct ScreenShellTests {
  @Test func `each OSC 133 is counted, and C starts a command`() {
    let screen = makeScreen()
    screen.feed("OSC 133;A\u{7}$ OSC 133;B\u{7}ls\r\nOSC 133;C;x ST")
    #expect(screen.shell.count == 3)
    #expect(screen.shell.commands == 1)
    #expect(screen.shell.isRunning)
    screen.feed("OSC 133;D;0 ST")
    #expect(!screen.shell.isRunning)
    #expect(screen.shell.commands == 1)
  }

  @Test func `what the screen shows after B is the command`() {
    let screen = makeScreen(columns: 40, rows: 5)
    screen.feed("OSC 133;A\u{7}me $ OSC 133;B\u{7}make test  \r\nOSC 133;C\u{7}")
    #expect(screen.shell.command.text == "make test")
  }

  @Test func `the command is found after the screen has scrolled`() {
    let screen = makeScreen(columns: 40, rows: 3)
    screen.feed("1\r\n2\r\n$ OSC 133;B\u{7}vi x\r\nOSC 133;C\u{7}")
    #expect(screen.shell.command.text == "vi x")
  }

  @Test func `a command that wraps is whole`() {
    let screen = makeScreen(columns: 10, rows: 5)
    screen.feed("$ OSC 133;B\u{7}echo abcdefghij\r\nOSC 133;C\u{7}")
    #expect(screen.shell.command.text == "echo abcdefghij")
  }

  @Test func `C tells the command by itself, percent-encoded`() {
    let screen = makeScreen(columns: 40, rows: 5)
    screen.feed("$ OSC 133;B\u{7}x\r\nOSC 133;C;cmdline_url=git%20log%20%E6%97%A5%1B ST")
    #expect(screen.shell.command.text == "git log 日␛")
  }

  @Test func `without B there is no text`() {
    let screen = makeScreen(columns: 40, rows: 5)
    screen.feed("$ ls\r\nOSC 133;C\u{7}")
    #expect(screen.shell.command.isEmpty)
    #expect(screen.shell.commands == 1)
  }

  @Test func `a mark B on the other screen finds no line of this one`() {
    let screen = makeScreen(columns: 40, rows: 5)
    screen.feed("CSI ?1049hOSC 133;B\u{7}abcCSI ?1049lOSC 133;C\u{7}")
    #expect(screen.shell.command.isEmpty)
  }

  @Test func `a longer command than is kept is cut`() {
    let screen = makeScreen(columns: 80, rows: 10)
    screen.feed("OSC 133;B\u{7}\(String(repeating: "a", count: 500))\r\nOSC 133;C\u{7}")
    #expect(screen.shell.command.count == 256)
  }
}
