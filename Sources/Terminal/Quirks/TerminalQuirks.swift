/// How the modeled terminal differs from others.
///
/// Without any: the functions of xterm, and a cautious choice wherever terminals differ in what they push into the
/// history, in the width of clusters, and in what `Screen+UnknownTerminal` lists.
@frozen package struct TerminalQuirks: OptionSet, Hashable, Sendable, BitwiseCopyable {
  package let rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// A line feed (LF, IND) at the pending wrap keeps it (tmux).
  package static let lineFeedKeepsWrap = TerminalQuirks(rawValue: 1 << 0)
  /// With the wrap pending, the cursor is past the last column, where there is nothing to erase or shift, and the last
  /// column is one column to its left. Without autowrap it never gets there. DECRC does not restore this (tmux).
  package static let cursorPastLineEnd = TerminalQuirks(rawValue: 1 << 1)
  /// Lacks DECLRMM, DECSLRM, SL, SR, DECIC, DECDC (tmux, most others).
  package static let noSideMargins = TerminalQuirks(rawValue: 1 << 2)
  /// Lacks DECSCA, SPA and selective erasing.
  package static let noProtection = TerminalQuirks(rawValue: 1 << 3)
  /// Lacks DECERA, DECFRA, DECCRA and similar functions.
  package static let noRectangles = TerminalQuirks(rawValue: 1 << 4)
  /// Lacks DECDWL and DECDHL.
  package static let noDoubleSize = TerminalQuirks(rawValue: 1 << 5)
  /// ED 2 leaves the history alone, even on the primary screen (xterm, Linux console).
  package static let eraseKeepsHistory = TerminalQuirks(rawValue: 1 << 6)
  /// Clusters are as wide as the sum of their characters: joiners, variation selectors and flags make nothing uncertain
  /// (xterm, Linux console).
  package static let widthsAddUp = TerminalQuirks(rawValue: 1 << 7)

  /// SGR 7 and 27 restore the background that SGR has set last, not that of DECRC (xterm).
  package static let remembersBackground = TerminalQuirks(rawValue: 1 << 8)

  /// IL and DL leave the cursor in its column, and outside the region they shift the lines down to the end of the
  /// screen (tmux).
  package static let shiftsLinesAsTmux = TerminalQuirks(rawValue: 1 << 9)
  /// ICH that would reach the end of the line does nothing, and one that inserts more columns than it pushes leaves
  /// those in between as they are. Neither shifting nor erasing cares about a wide character that it cuts: see
  /// `Screen+Tmux` (tmux).
  package static let shiftsAsTmux = TerminalQuirks(rawValue: 1 << 10)
  /// REP stops at the end of the line (tmux).
  package static let repeatStaysInLine = TerminalQuirks(rawValue: 1 << 11)
  /// Lacks CHT, HPR, VPR, SD as `CSI ^`, LNM and `?1048` (tmux).
  package static let noForwardTabs = TerminalQuirks(rawValue: 1 << 12)

  /// Erased cells keep the pen's background but not its foreground (tmux).
  package static let erasesBackgroundOnly = TerminalQuirks(rawValue: 1 << 13)
  /// DECSC has one slot for both screens, and `?1049` a separate one, from which it restores only what it has saved
  /// itself. The alternate screen is blank whenever it is entered, and entering it twice does nothing (tmux).
  package static let alternateAsTmux = TerminalQuirks(rawValue: 1 << 14)

  /// SGR knows neither the styles nor the color of underlines: it takes sub-parameters only for 38 and 48 and skips
  /// others, 58 does not take the numbers after it, and 4 and 21 are two attributes, which can both be set. SGR 5 and 6
  /// are the same (xterm 379).
  package static let plainUnderlines = TerminalQuirks(rawValue: 1 << 15)
  /// SGR 8 stores no characters: what is printed with it becomes a blank (xterm).
  package static let invisibleIsBlank = TerminalQuirks(rawValue: 1 << 16)
  /// Lacks DECST8C (xterm 379, tmux).
  package static let noTabReset = TerminalQuirks(rawValue: 1 << 17)
  /// Behaves like xterm where no other quirk describes the difference, mostly in what remains of cut wide characters;
  /// see `Screen+Shift`.
  package static let isXterm = TerminalQuirks(rawValue: 1 << 18)
  /// The British set is the right half of Latin-1, unless national sets are on (xterm).
  package static let britishIsLatin1 = TerminalQuirks(rawValue: 1 << 19)

  /// DECCOLM does nothing unless `?40` allows it (xterm).
  package static let columnModeNeedsPermission = TerminalQuirks(rawValue: 1 << 20)
  /// DECCOLM only clears the screen and moves the cursor home, allowed or not (tmux).
  package static let columnModeOnlyClears = TerminalQuirks(rawValue: 1 << 21)
  /// Lacks the VT52 mode: `?2` does nothing (tmux).
  package static let noVT52 = TerminalQuirks(rawValue: 1 << 22)

  /// Has only G0 and G1 with ASCII and line drawing, `SI` and `SO`; lacks other sets, LS2, LS3, SS2, SS3 and GR (tmux).
  package static let twoCharacterSets = TerminalQuirks(rawValue: 1 << 23)
  /// DECSTBM moves the cursor to the first row of the screen, even with DECOM, and CHA and HPA leave it in a row
  /// outside the margins (tmux).
  package static let marginsHomeOnScreen = TerminalQuirks(rawValue: 1 << 24)

  /// Shows nothing for bytes that are not UTF-8 (tmux).
  package static let dropsInvalid = TerminalQuirks(rawValue: 1 << 26)

  /// Reverse wrap goes to any line, whether or not that line continues in the next one (xterm up to 379).
  package static let reverseWrapsAnywhere = TerminalQuirks(rawValue: 1 << 27)
  /// BS in the first column leads to the end of the previous line if that line continues in this one (tmux).
  package static let backspaceFollowsWrap = TerminalQuirks(rawValue: 1 << 28)
  /// SUB ends a sequence and shows nothing (xterm 379, tmux).
  package static let ignoresSubstitute = TerminalQuirks(rawValue: 1 << 29)
  /// Lacks DECSTR, DECSCL, XTSAVE, XTRESTORE, XTPUSHSGR and XTPOPSGR (tmux).
  package static let noSoftReset = TerminalQuirks(rawValue: 1 << 30)
  /// RIS keeps the alternate screen and the DECOM in the slot of DECSC; DECALN keeps DECOM and the pen (tmux).
  package static let resetsAsTmux = TerminalQuirks(rawValue: 1 << 31)

  /// A combining character joins the character before the cursor, if that character has one column (kitty, VTE).
  package static let joinsBefore = TerminalQuirks(rawValue: 1 << 32)
  /// Lines added by scrolling may or may not have the pen's background (kitty: not).
  package static let scrollsInAnyColor = TerminalQuirks(rawValue: 1 << 33)

  /// A line that a wrap adds by scrolling has the default background (tmux).
  package static let wrapsInDefaultColor = TerminalQuirks(rawValue: 1 << 37)

  /// REP within a line repeats the character before it, directly after it (kitty, VTE, alacritty).
  package static let repeats = TerminalQuirks(rawValue: 1 << 34)

  /// With another width it wraps lines again, up to the last cell that was ever written in them. With another height,
  /// lines go into the history or come back; see `ReflowGrid` (tmux).
  package static let rewrapsLines = TerminalQuirks(rawValue: 1 << 35)

  /// With another width it cuts lines. When it gets taller, lines come back from the history; see `ReflowGrid` (xterm).
  package static let takesLinesBack = TerminalQuirks(rawValue: 1 << 36)

  /// This terminal has been measured where terminals differ; see `Screen+UnknownTerminal`.
  package static let measured = TerminalQuirks(rawValue: 1 << 25)

  /// As measured on xterm 379.
  package static let xterm: TerminalQuirks = [
    .measured,
    .eraseKeepsHistory, .widthsAddUp, .remembersBackground, .plainUnderlines, .invisibleIsBlank,
    .noTabReset, .isXterm, .britishIsLatin1, .columnModeNeedsPermission,
    .reverseWrapsAnywhere, .ignoresSubstitute, .takesLinesBack,
  ]
  /// xterm from 380 on: without what has changed since.
  package static let laterXterm = xterm.subtracting([
    .reverseWrapsAnywhere, .noTabReset, .ignoresSubstitute,
  ])
  /// As measured on tmux 3.3a.
  package static let tmux: TerminalQuirks = [
    .measured,
    .lineFeedKeepsWrap, .cursorPastLineEnd, .shiftsLinesAsTmux, .shiftsAsTmux, .repeatStaysInLine,
    .noForwardTabs, .erasesBackgroundOnly, .alternateAsTmux, .noSideMargins, .noProtection,
    .noRectangles, .noDoubleSize, .noTabReset, .columnModeOnlyClears, .noVT52, .twoCharacterSets,
    .marginsHomeOnScreen, .dropsInvalid, .backspaceFollowsWrap, .ignoresSubstitute, .noSoftReset,
    .resetsAsTmux, .rewrapsLines, .wrapsInDefaultColor,
  ]
}
