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
