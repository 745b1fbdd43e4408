/// The modes that a full-screen program switches on in its terminal, and how they are undone.
///
/// Only the listed modes are touched: a program must not switch off a mode that it never set, such as a shell's
/// bracketed paste.
///
/// Source: XTerm Control Sequences, DECSET and DECRST; each mode's number is at its constant.
package struct ScreenModes: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The alternate screen, with saved cursor: 1049. Undoing it also resets margins, insert mode and wrapping as the
  /// shell expects them, since curses uses these to save bytes.
  package static let alternateScreen = ScreenModes(rawValue: 1 << 0)
  /// Hides the cursor: 25.
  package static let hiddenCursor = ScreenModes(rawValue: 1 << 1)
  /// Presses, releases, drags and the wheel as SGR reports: 1002 and 1006.
  package static let mouse = ScreenModes(rawValue: 1 << 2)
  /// Reports of focus gained and lost: 1004.
  package static let focusReports = ScreenModes(rawValue: 1 << 3)
  /// Marks around pasted text: 2004.
  package static let bracketedPaste = ScreenModes(rawValue: 1 << 4)
  /// Cursor keys as SS3 sequences (1) and the application keypad (DECKPAM): what curses sets.
  package static let applicationKeys = ScreenModes(rawValue: 1 << 5)
  /// Frames that appear at once: 2026. Nothing to switch on; undone in case a frame was interrupted.
  package static let synchronizedUpdates = ScreenModes(rawValue: 1 << 6)

  /// The bytes that switch the modes on, the screen first.
  package var setBytes: [UInt8] {
    var bytes: [UInt8] = []
    if contains(.alternateScreen) { bytes += Array("\u{1B}[?1049h".utf8) }
    if contains(.hiddenCursor) { bytes += Array("\u{1B}[?25l".utf8) }
    if contains(.mouse) { bytes += Array("\u{1B}[?1002;1006h".utf8) }
    if contains(.focusReports) { bytes += Array("\u{1B}[?1004h".utf8) }
    if contains(.bracketedPaste) { bytes += Array("\u{1B}[?2004h".utf8) }
    if contains(.applicationKeys) { bytes += Array("\u{1B}[?1h\u{1B}=".utf8) }
    return bytes
  }

  /// The bytes that switch off what can be switched off while a program continues: mouse, focus reports, marks around
  /// pasted text, application keys.
  package var resetBytes: [UInt8] {
    var bytes: [UInt8] = []
    if contains(.applicationKeys) { bytes += Array("\u{1B}[?1l\u{1B}>".utf8) }
    if contains(.bracketedPaste) { bytes += Array("\u{1B}[?2004l".utf8) }
    if contains(.focusReports) { bytes += Array("\u{1B}[?1004l".utf8) }
    if contains(.mouse) { bytes += Array("\u{1B}[?1002;1006l".utf8) }
    return bytes
  }

  /// The bytes that undo the modes in reverse order and reset the pen, for `TTY.enter`.
  ///
  /// They work at any point, because each sequence starts with ESC, which ends an incomplete sequence.
  package var restoreBytes: [UInt8] {
    var bytes: [UInt8] = []
    if contains(.synchronizedUpdates) { bytes += Array("\u{1B}[?2026l".utf8) }
    bytes += resetBytes
    bytes += Array("\u{1B}(B\u{0F}\u{1B}[m".utf8)  // ASCII, no color
    if contains(.alternateScreen) {
      bytes += Array("\u{1B}[r\u{1B}[4l\u{1B}[?7h\u{1B}[?1049l".utf8)
    }
    if contains(.hiddenCursor) { bytes += Array("\u{1B}[?25h".utf8) }
    return bytes
  }
}
