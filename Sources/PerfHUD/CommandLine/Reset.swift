import ArgumentParser
import Glibc
import PerfHUDBase
import SystemPackage
import Terminal

/// `perfhud reset`.
struct ResetCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Repair a terminal that a program left in a bad state.",
    discussion: "Clears neither the screen nor the scrollback.")

  func perform(_ environment: Environment) throws -> Int32 {
    try TerminalReset.run(environment: environment)
    return ExitStatus.done
  }
}

/// `perfhud reset`: repairs a terminal that a program has left in a bad state, such as perfhud itself after `kill -9`.
/// It clears nothing on the screen or in the history.
enum TerminalReset {
  /// Repairs the terminal on standard output, or else the controlling terminal.
  ///
  /// It also works in the background, and on a terminal stopped by Ctrl-S. It believes `TERM=dumb`: such a terminal has
  /// modes but no sequences.
  ///
  /// Source: `tcsetattr(3)`, `tcflow(3)`.
  static func run(environment: Environment) throws(RunError) {
    let terminal: Descriptor
    do throws(SystemError) {
      terminal = try open()
    } catch {
      throw RunError(error)
    }
    var before = sigset_t()
    var blocked = sigset_t()
    unsafe sigemptyset(&blocked)
    unsafe sigaddset(&blocked, SIGTTOU)
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }

    var found = termios()
    guard unsafe tcgetattr(terminal.raw, &found) == 0 else {
      throw failure("read the modes of")
    }
    var wanted = modes(found)
    while unsafe tcsetattr(terminal.raw, TCSANOW, &wanted) != 0 {
      guard errno == EINTR else { throw failure("set the modes of") }
    }
    tcflow(terminal.raw, TCOON)
    if environment["TERM"] != "dumb" { Console.put(sequences, on: terminal.raw) }
  }

  private static func open() throws(SystemError) -> Descriptor {
    if TTY.isTerminal(STDOUT_FILENO) {
      return try Descriptor(duplicating: STDOUT_FILENO, subject: "standard output")
    }
    do {
      return try Descriptor(
        open: "/dev/tty", .readWrite, options: FileDescriptor.OpenOptions(rawValue: O_NOCTTY))
    } catch {
      throw SystemError(
        call: "repair", subject: "/dev/tty", code: error.code,
        advice: "name the terminal with: perfhud reset > /dev/pts/N")
    }
  }

  private static func failure(_ call: String) -> RunError {
    RunError(
      SystemError(
        call: call, subject: "the terminal", code: Errno(rawValue: errno),
        advice: "check it with: stty -a"))
  }

  /// The modes that a shell expects. Unlike with `stty sane`, the user's own choices stay: the characters for erase,
  /// interrupt and so on, UTF-8, `tostop`.
  ///
  /// Flow control by Ctrl-S is switched on only if the terminal was raw, which switches it off. Otherwise the user may
  /// have switched it off on purpose.
  static func modes(_ found: termios) -> termios {
    var modes = found
    let isRaw = modes.c_lflag & tcflag_t(ICANON) == 0
    modes.c_iflag &= ~tcflag_t(IGNBRK | PARMRK | ISTRIP | INLCR | IGNCR | IUCLC)
    modes.c_iflag |= tcflag_t(ICRNL)
    if isRaw { modes.c_iflag |= tcflag_t(BRKINT | IXON) }
    modes.c_oflag &= ~tcflag_t(OLCUC | OCRNL | ONOCR | ONLRET | OFILL)
    modes.c_oflag |= tcflag_t(OPOST | ONLCR)
    modes.c_cflag |= tcflag_t(CREAD)
    modes.c_lflag &= ~tcflag_t(ECHONL | ECHOPRT | FLUSHO | NOFLSH | EXTPROC)
    modes.c_lflag |= tcflag_t(
      ICANON | ISIG | IEXTEN | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE)
    return modes
  }

  /// Undoes the modes that change what the terminal sends: of the keyboard, the mouse and reports.
  static let inputModes =
    "\u{1B}[<99u"  // kitty's keyboard protocol, on the current screen
    + "\u{1B}[>4m"  // xterm's modifyOtherKeys
    + "\u{1B}[?9l\u{1B}[?1000l\u{1B}[?1001l\u{1B}[?1002l\u{1B}[?1003l"  // mouse reports
    + "\u{1B}[?1005l\u{1B}[?1006l\u{1B}[?1015l\u{1B}[?1016l"  // and their formats
    + "\u{1B}[?1004l\u{1B}[?2004l\u{1B}[?2031l\u{1B}[?2048l"  // focus, paste, colors, size

  /// Undoes the modes that programs set, in an order that no terminal misreads: numbers that some terminal takes for a
  /// rendition come before all renditions are reset.
  ///
  /// There is no way to find out where a shell's cursor belongs, and leaving the alternate screen moves it on some
  /// terminals. So the cursor goes to a new last row, where it overwrites nothing. RIS (ESC c) would clear the screen
  /// and, on many terminals, the history.
  ///
  /// Source: ECMA-48; xterm's control sequences (ctlseqs); the keyboard protocol of kitty.
  static let sequences =
    "\u{18}\u{1B}\\"  // CAN and ST end an unfinished sequence and string
    + "\u{1B}[?2026l"  // end a synchronized update, so that what follows is visible
    + "\u{1B}[<99u"  // kitty's keyboard protocol, on this screen
    + "\u{1B}[?1049l"  // the alternate screen
    + inputModes  // with the keyboard protocol of the other screen
    + "\u{1B}[!p"  // DECSTR: most of what follows, on terminals that have it
    + "\u{1B}[?6l\u{1B}[?69l\u{1B}[r"  // origin mode and margins
    + "\u{1B}[4l\u{1B}[20l\u{1B}[?7h\u{1B}[?25h"  // insert and newline mode, autowrap, the cursor
    + "\u{1B}[?1l\u{1B}>\u{1B}[0 q"  // cursor keys, keypad, the cursor's shape
    + "\u{1B}(B\u{1B})B\u{0F}"  // ASCII in G0 and G1, and G0 in use
    + "\u{1B}]8;;\u{1B}\\"  // a hyperlink
    + "\u{1B}[0m\u{1B}[999;1H\r\n"
}
