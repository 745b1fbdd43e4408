// The state that a program has set up, and that is restored after something was injected.

/// The modes of a screen that affect where and how characters appear, and modes that are only watched.
@frozen package struct ProgramModes: OptionSet, Hashable, Sendable, BitwiseCopyable {
  package let rawValue: UInt32
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// DECAWM, `?7`.
  package static let autowrap = ProgramModes(rawValue: 1 << 0)
  /// DECOM, `?6`.
  package static let origin = ProgramModes(rawValue: 1 << 1)
  /// IRM, `4`.
  package static let insert = ProgramModes(rawValue: 1 << 2)
  /// LNM, `20`: LF also does a CR.
  package static let newLine = ProgramModes(rawValue: 1 << 3)
  /// Reverse wraparound, `?45`.
  package static let reverseWrap = ProgramModes(rawValue: 1 << 4)
  /// The other one, XTREVWRAP2, `?1045`: to any line, not only to one that continues in the current line.
  package static let extendedReverseWrap = ProgramModes(rawValue: 1 << 25)
  /// DECLRMM, `?69`: left and right margins can be set.
  package static let sideMargins = ProgramModes(rawValue: 1 << 5)
  /// DECTCEM, `?25`.
  package static let visibleCursor = ProgramModes(rawValue: 1 << 6)
  /// DECSCNM, `?5`.
  package static let reverseVideo = ProgramModes(rawValue: 1 << 7)
  /// `?40`: allows DECCOLM.
  package static let allowsColumnChange = ProgramModes(rawValue: 1 << 8)
  /// DECCOLM, `?3`.
  package static let wideColumns = ProgramModes(rawValue: 1 << 9)
  /// DECNCSM, `?95`: DECCOLM clears nothing.
  package static let keepsOnColumnChange = ProgramModes(rawValue: 1 << 10)
  /// `?2026`: the program's synchronized update is open.
  package static let synchronizedUpdate = ProgramModes(rawValue: 1 << 11)
  /// `?2004`, watched only.
  package static let bracketedPaste = ProgramModes(rawValue: 1 << 12)
  /// `?1004`, watched only.
  package static let focusReports = ProgramModes(rawValue: 1 << 13)
  /// `?9`, `?1000`–`?1003`, watched only: some kind of mouse report.
  package static let mouseReports = ProgramModes(rawValue: 1 << 14)
  /// `?1016`, watched only: mouse reports are in pixels.
  package static let pixelMouse = ProgramModes(rawValue: 1 << 24)
  /// `?41`, in xterm: a tab at the pending wrap continues in the next line.
  package static let tabsWrap = ProgramModes(rawValue: 1 << 26)
  /// `?1046` reset, in xterm: there is no alternate screen.
  package static let noAlternate = ProgramModes(rawValue: 1 << 27)
  /// DECCKM, `?1`, watched only.
  package static let applicationCursorKeys = ProgramModes(rawValue: 1 << 15)
  /// DECSCLM (`?4`): lines scroll one by one.
  package static let smoothScroll = ProgramModes(rawValue: 1 << 16)

  /// After a reset.
  package static let initial: ProgramModes = [.autowrap, .visibleCursor]

  /// The mode with a DECSET number, if it is one bit here.
  static func privateMode(_ number: Int) -> ProgramModes? {
    switch number {
    case 1: .applicationCursorKeys
    case 3: .wideColumns
    case 4: .smoothScroll
    case 5: .reverseVideo
    case 6: .origin
    case 7: .autowrap
    case 9, 1000...1003: .mouseReports
    case 25: .visibleCursor
    case 40: .allowsColumnChange
    case 41: .tabsWrap
    case 45: .reverseWrap
    case 69: .sideMargins
    case 95: .keepsOnColumnChange
    case 1004: .focusReports
    case 1016: .pixelMouse
    case 1045: .extendedReverseWrap
    case 2004: .bracketedPaste
    case 2026: .synchronizedUpdate
    default: nil
    }
  }
}

/// The designated character sets and which of them is in use (ECMA-35).
@frozen package struct CharacterSets: Hashable, Sendable, BitwiseCopyable {
  /// The sets of G0 to G3, two bits each.
  @usableFromInline var sets: UInt8 = 0
  /// Which of G0 to G3 the codes 0x20–0x7E stand for: SI, SO, LS2, LS3.
  package internal(set) var left = 0
  /// Which of them the codes 0xA0–0xFF stand for: LS1R, LS2R, LS3R. Without effect in UTF-8.
  package internal(set) var right = 2

  /// ASCII everywhere.
  @inlinable package init() {}

  /// The set of G0, G1, G2 or G3.
  @inlinable package subscript(index: Int) -> CharacterSet {
    get { CharacterSet(rawValue: sets >> UInt8((index & 3) * 2) & 3) ?? .ascii }
    set {
      let shift = UInt8((index & 3) * 2)
      sets = sets & ~(3 << shift) | newValue.rawValue << shift
    }
  }

  /// The set in which the next character is read.
  @inlinable package var current: CharacterSet { self[left] }
}

/// The pen: the look of whatever is printed or erased next.
@frozen package struct Pen: Hashable, Sendable, BitwiseCopyable {
  package var style = Style.plain
  /// Whether printed cells are protected (DECSCA 1, SPA).
  package var isProtected = false
  /// The number of the link (OSC 8); 0 for none.
  package var link: UInt16 = 0
}

/// Values derived from the pen, computed when first needed after a change, and what the terminal stores besides the
/// pen.
struct PenState {
  /// The bits of a printed cell without its character, unless stale.
  var bits: UInt64 = Cell.Bits.space & ~0x20
  var isStale = false
  /// An erased cell, unless stale.
  var eraseCell = Cell.erased()
  var isEraseStale = false
  /// The background that SGR has set last. DECRC does not change it, XTPOPSGR replaces it.
  var sentBackground = Color.standard
}

/// The kind of protection that erasing respects.
@frozen package enum Protection: UInt8, Sendable, BitwiseCopyable {
  /// None has been used.
  case none
  /// DECSCA: the selective forms (DECSED, DECSEL) spare protected cells.
  case selective
  /// SPA: all of ED, EL and ECH spare protected cells.
  case always
}

/// What DECSC saves.
struct SavedCursor {
  var row = 0
  var column = 0
  var isWrapPending = false
  var pen = Pen()
  var characterSets = CharacterSets()
  var isOrigin = false
  var isPenUnknown = false
  /// Whether the position was known when it was saved.
  var isKnown = true
  /// Whether anything was saved.
  var isFilled = false
  var isColumnUncertain = false
  var columnExcess = 0
}

/// What a program has saved.
struct SavedState {
  /// Saved by DECSC on the shown screen, and on the other one.
  var cursor = SavedCursor()
  private(set) var otherCursor = SavedCursor()
  /// Saved by `?1049` in tmux, which has a separate slot for it.
  var screenCursor: SavedCursor?
  var screenPen = Pen()
  /// Saved by XTSAVE.
  var modes = ProgramModes.initial
  /// Saved by XTSAVE: whether the alternate screen is shown, and whether there is none (`?1046`).
  var isAlternate = false
  var lacksAlternate = false

  mutating func switchScreens() { swap(&cursor, &otherCursor) }
}

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
  /// The remains of cut wide characters are as in xterm's functions; see `Screen+Shift`.
  package static let cutsAsXterm = TerminalQuirks(rawValue: 1 << 18)
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

  /// A combining character joins the character before the cursor, if that has one column (kitty, VTE).
  package static let joinsBefore = TerminalQuirks(rawValue: 1 << 32)
  /// Lines added by scrolling may or may not have the pen's background (kitty: not).
  package static let scrollsInAnyColor = TerminalQuirks(rawValue: 1 << 33)

  /// REP within a line repeats the character before it, directly after it (kitty, VTE, alacritty).
  package static let repeats = TerminalQuirks(rawValue: 1 << 34)

  /// This terminal has been measured where terminals differ; see `Screen+UnknownTerminal`.
  package static let measured = TerminalQuirks(rawValue: 1 << 25)

  /// As measured on xterm 379.
  package static let xterm: TerminalQuirks = [
    .measured,
    .eraseKeepsHistory, .widthsAddUp, .remembersBackground, .plainUnderlines, .invisibleIsBlank,
    .noTabReset, .cutsAsXterm, .britishIsLatin1, .columnModeNeedsPermission,
    .reverseWrapsAnywhere, .ignoresSubstitute,
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
    .resetsAsTmux,
  ]
}
