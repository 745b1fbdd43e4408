import Glibc

extension TTY {
  /// The size as the terminal reports it, including zeros. A pty below gets this size.
  ///
  /// Source: `ioctl_tty(2)`, `TIOCGWINSZ`.
  package func reportedSize() -> TerminalSize? {
    var size = winsize()
    guard unsafe ioctl(outputDescriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    return TerminalSize(
      rows: Int(size.ws_row), columns: Int(size.ws_col), pixelWidth: Int(size.ws_xpixel),
      pixelHeight: Int(size.ws_ypixel))
  }

  /// A size to draw on, never 0 and never too large: see `TerminalSize.usable` and `drawable`. Read it at the start,
  /// after `SIGWINCH` and after a stop.
  package func size() -> TerminalSize {
    let reported = reportedSize()
    if let reported, reported.rows > 0, reported.columns > 0 { return reported.drawable }
    return TerminalSize.usable(
      reported, lines: TTY.environment("LINES"), columns: TTY.environment("COLUMNS")
    ).drawable
  }
}
