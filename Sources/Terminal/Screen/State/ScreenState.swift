// What a program has set up, and what is to be restored after something was injected.

/// The modes of a screen that change where and how characters land, and those that are only watched.
@frozen package struct ProgramModes: OptionSet, Hashable, Sendable, BitwiseCopyable {
  package let rawValue: UInt32
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// DECAWM, `?7`.
  package static let autowrap = ProgramModes(rawValue: 1 << 0)
  /// DECOM, `?6`.
  package static let origin = ProgramModes(rawValue: 1 << 1)
  /// IRM, `4`.
  package static let insert = ProgramModes(rawValue: 1 << 2)
  /// LNM, `20`: LF does CR too.
  package static let newLine = ProgramModes(rawValue: 1 << 3)
  /// Reverse wraparound, `?45`.
  package static let reverseWrap = ProgramModes(rawValue: 1 << 4)
  /// The other one, XTREVWRAP2, `?1045`: to any line, not only to one that goes on in this.
  package static let extendedReverseWrap = ProgramModes(rawValue: 1 << 25)
  /// DECLRMM, `?69`: left and right margins can be set.
  package static let sideMargins = ProgramModes(rawValue: 1 << 5)
  /// DECTCEM, `?25`.
  package static let visibleCursor = ProgramModes(rawValue: 1 << 6)
  /// DECSCNM, `?5`.
  package static let reverseVideo = ProgramModes(rawValue: 1 << 7)
  /// `?40`: DECCOLM is obeyed.
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
  /// `?1016`, watched only: reports of the mouse are in pixels.
  package static let pixelMouse = ProgramModes(rawValue: 1 << 24)
  /// `?41`, in xterm: a tab at the pending wrap goes on in the next line.
  package static let tabsWrap = ProgramModes(rawValue: 1 << 26)
  /// `?1046` reset, in xterm: there is no alternate screen.
  package static let noAlternate = ProgramModes(rawValue: 1 << 27)
  /// DECCKM, `?1`, watched only.
  package static let applicationCursorKeys = ProgramModes(rawValue: 1 << 15)
  /// DECSCLM (`?4`): lines scroll one by one.
  package static let smoothScroll = ProgramModes(rawValue: 1 << 16)

  /// After a reset.
  package static let initial: ProgramModes = [.autowrap, .visibleCursor]

  /// The mode with a number of DECSET, if it is one bit here.
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

  /// The set that the next character is read in.
  @inlinable package var current: CharacterSet { self[left] }
}

/// The pen: how what is printed or erased next will look.
@frozen package struct Pen: Hashable, Sendable, BitwiseCopyable {
  package var style = Style.plain
  /// Printed cells are protected (DECSCA 1, SPA).
  package var isProtected = false
  /// The number of the link (OSC 8); 0 is none.
  package var link: UInt16 = 0
}

/// What the pen makes of cells, worked out when it is first needed after a change, and what the terminal keeps beside
/// it.
struct PenState {
  /// The bits of a printed cell apart from its character, unless they are stale.
  var bits: UInt64 = Cell.Bits.space & ~0x20
  var isStale = false
  /// An erased cell, unless it is stale.
  var eraseCell = Cell.erased()
  var isEraseStale = false
  /// The background that SGR has set last: DECRC leaves it as it is, XTPOPSGR brings another one.
  var sentBackground = Color.standard
}

/// Which kind of protection erasing respects.
@frozen package enum Protection: UInt8, Sendable, BitwiseCopyable {
  /// None was used.
  case none
  /// DECSCA: the selective forms (DECSED, DECSEL) spare protected cells.
  case selective
  /// SPA: all of ED, EL and ECH do.
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
  /// Whether the place was known when it was saved.
  var isKnown = true
  /// Whether anything was saved.
  var isFilled = false
  var isColumnUncertain = false
  var columnExcess = 0
}

/// What a program has saved.
struct SavedState {
  /// By DECSC on the screen that shows, and on the other one.
  var cursor = SavedCursor()
  private(set) var otherCursor = SavedCursor()
  /// By `?1049` in tmux, which has a place of its own for it.
  var screenCursor: SavedCursor?
  var screenPen = Pen()
  /// By XTSAVE.
  var modes = ProgramModes.initial
  /// By XTSAVE: whether the alternate screen shows, and whether there is none (`?1046`).
  var isAlternate = false
  var lacksAlternate = false

  mutating func switchScreens() { swap(&cursor, &otherCursor) }
}

/// How the terminal that is modelled differs from others.
///
/// None set: the functions of xterm, and the cautious answer wherever terminals differ in what they
/// push into the history, in the width of clusters, and in what `Screen+UnknownTerminal` lists.
@frozen package struct TerminalQuirks: OptionSet, Hashable, Sendable, BitwiseCopyable {
  package let rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// A line feed (LF, IND) at the pending wrap keeps it (tmux).
  package static let lineFeedKeepsWrap = TerminalQuirks(rawValue: 1 << 0)
  /// With the wrap pending the cursor is past the last column, where there is nothing to erase or shift, and the last
  /// column is one column to its left. Without autowrap it never gets there. DECRC
  /// does not bring it back (tmux).
  package static let cursorPastLineEnd = TerminalQuirks(rawValue: 1 << 1)
  /// DECLRMM, DECSLRM, SL, SR, DECIC, DECDC are not there (tmux, most others).
  package static let noSideMargins = TerminalQuirks(rawValue: 1 << 2)
  /// DECSCA, SPA and selective erasing are not there.
  package static let noProtection = TerminalQuirks(rawValue: 1 << 3)
  /// DECERA, DECFRA, DECCRA and their like are not there.
  package static let noRectangles = TerminalQuirks(rawValue: 1 << 4)
  /// DECDWL and DECDHL are not there.
  package static let noDoubleSize = TerminalQuirks(rawValue: 1 << 5)
  /// ED 2 leaves the history alone, also on the primary screen (xterm, Linux console).
  package static let eraseKeepsHistory = TerminalQuirks(rawValue: 1 << 6)
  /// Clusters are as wide as their characters together: nothing becomes uncertain from joiners, variation
  /// selectors and flags (xterm, Linux console).
  package static let widthsAddUp = TerminalQuirks(rawValue: 1 << 7)

  /// SGR 7 and 27 bring back the background that SGR has set last, not that of DECRC (xterm).
  package static let remembersBackground = TerminalQuirks(rawValue: 1 << 8)

  /// IL and DL leave the cursor in its column, and outside the region they shift the lines down to the
  /// last of the screen (tmux).
  package static let shiftsLinesAsTmux = TerminalQuirks(rawValue: 1 << 9)
  /// ICH that would reach the end of the line does nothing, and one of more columns than it pushes leaves
  /// those in between as they are. Neither shifting nor erasing sees to a wide character that it cuts: see
  /// `Screen+Tmux` (tmux).
  package static let shiftsAsTmux = TerminalQuirks(rawValue: 1 << 10)
  /// REP ends with the line (tmux).
  package static let repeatStaysInLine = TerminalQuirks(rawValue: 1 << 11)
  /// CHT, HPR, VPR, SD as `CSI ^`, LNM and `?1048` are not there (tmux).
  package static let noForwardTabs = TerminalQuirks(rawValue: 1 << 12)

  /// What is erased keeps the pen's background and not its foreground (tmux).
  package static let erasesBackgroundOnly = TerminalQuirks(rawValue: 1 << 13)
  /// There is one place for DECSC on both screens, and another for `?1049`, which restores only what it
  /// has saved itself; the alternate screen is blank whenever it is entered, and entering it twice
  /// does nothing (tmux).
  package static let alternateAsTmux = TerminalQuirks(rawValue: 1 << 14)

  /// SGR knows neither the styles nor the color of underlines: it takes sub-parameters for 38 and 48
  /// alone and skips others, 58 does not take the numbers after it, and 4 and 21 are two attributes,
  /// of which both can be set. SGR 5 and 6 are one (xterm 379).
  package static let plainUnderlines = TerminalQuirks(rawValue: 1 << 15)
  /// SGR 8 keeps no characters: what is printed with it becomes a blank (xterm).
  package static let invisibleIsBlank = TerminalQuirks(rawValue: 1 << 16)
  /// DECST8C is not there (xterm 379, tmux).
  package static let noTabReset = TerminalQuirks(rawValue: 1 << 17)
  /// What is left of wide characters that are cut is as in xterm's functions; see `Screen+Shift`.
  package static let cutsAsXterm = TerminalQuirks(rawValue: 1 << 18)
  /// The British set is the right half of Latin-1, as long as national sets are not on (xterm).
  package static let britishIsLatin1 = TerminalQuirks(rawValue: 1 << 19)

  /// DECCOLM does nothing unless `?40` allows it (xterm).
  package static let columnModeNeedsPermission = TerminalQuirks(rawValue: 1 << 20)
  /// DECCOLM clears the screen and puts the cursor home, allowed or not, and does nothing else (tmux).
  package static let columnModeOnlyClears = TerminalQuirks(rawValue: 1 << 21)
  /// There is no VT52 mode: `?2` does nothing (tmux).
  package static let noVT52 = TerminalQuirks(rawValue: 1 << 22)

  /// There are G0 and G1 with ASCII and line drawing, `SI` and `SO`; other sets, LS2, LS3, SS2, SS3 and
  /// GR are not there (tmux).
  package static let twoCharacterSets = TerminalQuirks(rawValue: 1 << 23)
  /// DECSTBM puts the cursor into the first row of the screen, with DECOM too, and CHA and HPA leave it in
  /// a row outside the margins (tmux).
  package static let marginsHomeOnScreen = TerminalQuirks(rawValue: 1 << 24)

  /// Bytes that are no UTF-8 are not shown (tmux).
  package static let dropsInvalid = TerminalQuirks(rawValue: 1 << 26)

  /// Reverse wrap goes to any line, whether that goes on in the next or not (xterm up to 379).
  package static let reverseWrapsAnywhere = TerminalQuirks(rawValue: 1 << 27)
  /// BS in the first column leads to the end of the line before if that goes on in this one (tmux).
  package static let backspaceFollowsWrap = TerminalQuirks(rawValue: 1 << 28)
  /// SUB ends a sequence and shows nothing (xterm 379, tmux).
  package static let ignoresSubstitute = TerminalQuirks(rawValue: 1 << 29)
  /// DECSTR, DECSCL, XTSAVE, XTRESTORE, XTPUSHSGR and XTPOPSGR are not there (tmux).
  package static let noSoftReset = TerminalQuirks(rawValue: 1 << 30)
  /// RIS leaves the alternate screen shown, and DECOM in the slot of DECSC; DECALN leaves DECOM and the pen
  /// (tmux).
  package static let resetsAsTmux = TerminalQuirks(rawValue: 1 << 31)

  /// What combines joins the character before the cursor, if that has one column (kitty, VTE).
  package static let joinsBefore = TerminalQuirks(rawValue: 1 << 32)
  /// Lines that come in by scrolling have the pen's background or not (kitty: not).
  package static let scrollsInAnyColor = TerminalQuirks(rawValue: 1 << 33)

  /// REP within a line repeats the character before it, right after that (kitty, VTE, alacritty).
  package static let repeats = TerminalQuirks(rawValue: 1 << 34)

  /// It was measured what this terminal does where others do something else; see `Screen+UnknownTerminal`.
  package static let measured = TerminalQuirks(rawValue: 1 << 25)

  /// What was measured on xterm 379.
  package static let xterm: TerminalQuirks = [
    .measured,
    .eraseKeepsHistory, .widthsAddUp, .remembersBackground, .plainUnderlines, .invisibleIsBlank,
    .noTabReset, .cutsAsXterm, .britishIsLatin1, .columnModeNeedsPermission,
    .reverseWrapsAnywhere, .ignoresSubstitute,
  ]
  /// xterm from 380 on: without what was changed since.
  package static let laterXterm = xterm.subtracting([
    .reverseWrapsAnywhere, .noTabReset, .ignoresSubstitute,
  ])
  /// What was measured on tmux 3.3a.
  package static let tmux: TerminalQuirks = [
    .measured,
    .lineFeedKeepsWrap, .cursorPastLineEnd, .shiftsLinesAsTmux, .shiftsAsTmux, .repeatStaysInLine,
    .noForwardTabs, .erasesBackgroundOnly, .alternateAsTmux, .noSideMargins, .noProtection,
    .noRectangles, .noDoubleSize, .noTabReset, .columnModeOnlyClears, .noVT52, .twoCharacterSets,
    .marginsHomeOnScreen, .dropsInvalid, .backspaceFollowsWrap, .ignoresSubstitute, .noSoftReset,
    .resetsAsTmux,
  ]
}
