import Glibc
import Terminal
import Testing

@testable import PerfHUD

@Suite struct ResetTests {
  @Test func `raw modes become those of a shell`() {
    var raw = termios()
    raw.c_iflag = tcflag_t(IUTF8)
    raw.c_cflag = tcflag_t(CS8 | CREAD)
    let modes = TerminalReset.modes(raw)
    #expect(modes.c_iflag == tcflag_t(IUTF8 | ICRNL | BRKINT | IXON))
    #expect(modes.c_oflag == tcflag_t(OPOST | ONLCR))
    let local = ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE
    #expect(modes.c_lflag == tcflag_t(local))
    #expect(modes.c_cflag == raw.c_cflag)
  }

  @Test func `what a user has chosen stays`() {
    var found = termios()
    found.c_lflag = tcflag_t(ICANON | TOSTOP)
    found.c_cc.2 = 0x08
    let modes = TerminalReset.modes(found)
    #expect(modes.c_iflag & tcflag_t(IXON) == 0)
    #expect(modes.c_lflag & tcflag_t(TOSTOP) != 0)
    #expect(modes.c_cc.2 == 0x08)
  }

  @Test func `sane modes are left alone`() {
    let once = TerminalReset.modes(termios())
    let twice = TerminalReset.modes(once)
    #expect(once.c_iflag == twice.c_iflag && once.c_oflag == twice.c_oflag)
    #expect(once.c_lflag == twice.c_lflag && once.c_cflag == twice.c_cflag)
  }

  @Test(arguments: [
    "?2026l", "?1049l", "?1000l", "?1002l", "?1003l", "?1006l", "?1004l", "?2004l", "?6l", "?69l",
    "r", "4l", "?7h", "?25h", "?1l", "!p", "<99u", ">4m", "0m",
  ])
  func `each mode is undone`(sequence: String) {
    #expect(TerminalReset.sequences.contains("\u{1B}[\(sequence)"))
  }

  @Test func `neither the screen nor the history is cleared`() {
    let text = TerminalReset.sequences
    #expect(!text.contains("\u{1B}c"))
    for final in ["J", "K", "X", "L", "M", "P", "S", "T"] {
      #expect(!text.contains(final), "\(final)")
    }
  }

  @Test func `what a lost command has set is undone, and the cursor stays`() {
    var screen = Screen(Size(rows: 24, columns: 80))
    func feed(_ text: String) {
      let bytes = Array(text.utf8)
      unsafe bytes.withUnsafeBytes { _ = unsafe screen.feed($0) }
    }
    feed("\u{1B}[>1u\u{1B}[?1h\u{1B}[?2004h\u{1B}[4h\u{1B}[3;9r\u{1B}[5;7H")
    let before = (isRich: screen.hasRichKeyboard, modes: screen.modes)
    #expect(before.isRich && before.modes.contains(.insert))
    feed(String(decoding: OverlayFrontend.endBytes, as: UTF8.self))
    let after = (isRich: screen.hasRichKeyboard, modes: screen.modes, cursor: screen.cursor)
    #expect(!after.isRich)
    #expect(!after.modes.contains(.insert) && !after.modes.contains(.applicationCursorKeys))
    #expect(after.cursor.row == 4 && after.cursor.column == 6)
  }

  @Test func `a cut-off sequence is ended first, and renditions are reset last`() {
    #expect(TerminalReset.sequences.hasPrefix("\u{18}\u{1B}\\"))
    #expect(TerminalReset.sequences.hasSuffix("\u{1B}[0m\u{1B}[999;1H\r\n"))
  }
}
