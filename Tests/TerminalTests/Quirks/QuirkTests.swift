import Testing

@testable import Terminal

/// Each quirk by name: what the screen does with it and without it.
@Suite struct QuirkTests {
  /// The cursor and the lines after a text, in a screen of 20 columns and 6 rows.
  private func result(_ text: String, _ quirks: TerminalQuirks) -> String {
    let screen = makeScreen(quirks: quirks)
    screen.feed(text)
    let lines = (0..<6).map { screen.screen.text(row: $0) }
    var end = lines
    while end.last == "" { end.removeLast() }
    let wrap = screen.isWrapPending ? "~" : ""
    return "\(screen.cursor.row + 1);\(screen.cursor.column + 1)\(wrap) "
      + end.joined(separator: "/")
  }

  private func expect(
    _ text: String, _ quirk: TerminalQuirks, with: String, without: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let measured = quirk.union(.measured)
    #expect(result(text, measured) == with, "with it", sourceLocation: sourceLocation)
    #expect(result(text, .measured) == without, "without it", sourceLocation: sourceLocation)
  }

  private static let line = "abcdefghijklmnopqrst"

  @Test func `lineFeedKeepsWrap: LF past the last column leaves the wrap pending`() {
    let line = String(repeating: " ", count: 19) + "x"
    for end in ["\n", "ESC D"] {
      expect(
        "CSI 1;20Hx" + end, .lineFeedKeepsWrap, with: "2;20~ \(line)", without: "2;20 \(line)")
    }
  }

  @Test
  func `cursorPastLineEnd: past the last column nothing is erased, BS leads to the last one`() {
    let line = QuirkTests.line
    expect(
      line + "CSI K", .cursorPastLineEnd, with: "1;20~ \(line)", without: "1;20 \(line.dropLast())")
    expect(line + "\u{8}", .cursorPastLineEnd, with: "1;20 \(line)", without: "1;19 \(line)")
    expect(line + "ESC 7ESC 8", .cursorPastLineEnd, with: "1;20 \(line)", without: "1;20~ \(line)")
    expect(
      "CSI ?7l" + line + "x", .cursorPastLineEnd, with: "1;20 \(line.dropLast())x",
      without: "1;20~ \(line.dropLast())x")
  }

  @Test func `wrapsInDefaultColor: a line that a wrap adds has no background, after LF it has`() {
    for (quirks, isColored) in [
      (TerminalQuirks.wrapsInDefaultColor.union(.measured), false), (.measured, true),
    ] {
      let screen = makeScreen(quirks: quirks)
      screen.feed("CSI 6;1HCSI 42m" + QuirkTests.line + "x")
      let wrapped = screen.screen.cell(row: 5, column: 10)
      #expect(
        (screen.screen.style(wrapped.style).background != Style.plain.background) == isColored)
      screen.feed("\r\n")
      let fed = screen.screen.cell(row: 5, column: 10)
      #expect(screen.screen.style(fed.style).background != Style.plain.background)
      // Not where nothing scrolls: that line was empty before.
      screen.feed("CSI mCSI HCSI JCSI 42m" + QuirkTests.line + "x")
      let below = screen.screen.cell(row: 1, column: 10)
      #expect(screen.screen.style(below.style).background == Style.plain.background)
    }
  }

  @Test func `noSideMargins: DECLRMM, SL, SR, DECIC, DECDC, DECBI and DECFI do nothing`() {
    expect(
      "CSI ?69hCSI 3;5sab", .noSideMargins, with: "1;3 ab",
      without: "1;5 ab".replacing("1;5", with: "1;3"))
    for sequence in ["CSI 2 @", "CSI 2'~"] {
      expect("abcd\r" + sequence, .noSideMargins, with: "1;1 abcd", without: "1;1 cd")
    }
    for sequence in ["CSI 2 A", "CSI 2'}"] {
      expect("abcd\r" + sequence, .noSideMargins, with: "1;1 abcd", without: "1;1   abcd")
    }
    expect("abcd\rESC 6", .noSideMargins, with: "1;1 abcd", without: "1;1  abcd")
    expect("abcdCSI 1;20HESC 9", .noSideMargins, with: "1;20 abcd", without: "1;20 bcd")
    let screen = makeScreen(quirks: .noSideMargins)
    screen.feed("CSI ?69hCSI 3;5s")
    #expect(screen.margins.column == 0 && !screen.modes.contains(.sideMargins))
  }

  @Test func `noProtection: DECSCA and SPA do nothing`() {
    expect("CSI 1\"qabCSI 0\"qcCSI ?2J", .noProtection, with: "1;4 abc", without: "1;4 ab")
    expect("abCSI ?1K", .noProtection, with: "1;3 ab", without: "1;3 ")
  }

  @Test func `noForwardTabs: CHT, HPR, VPR, SD as CSI ^, LNM and ?1048 are not there`() {
    expect("aCSI 2Ix", .noForwardTabs, with: "1;3 ax", without: "1;18 a               x")
    expect("aCSI 3ax", .noForwardTabs, with: "1;3 ax", without: "1;6 a   x")
    expect("aCSI 2ex", .noForwardTabs, with: "1;3 ax", without: "3;3 a// x")
    expect("aCSI ^", .noForwardTabs, with: "1;2 a", without: "1;2 /a")
    expect("CSI 20hab\nc", .noForwardTabs, with: "2;4 ab/  c", without: "2;2 ab/c")
    expect("CSI 2;3HCSI ?1048hCSI HCSI ?1048l", .noForwardTabs, with: "1;1 ", without: "2;3 ")
  }

  @Test func `shiftsLinesAsTmux: IL keeps the column, and works outside the region`() {
    expect("abCSI L", .shiftsLinesAsTmux, with: "1;3 /ab", without: "1;1 /ab")
    expect(
      "CSI 5;1HabCSI 2;3rCSI 5;1HCSI L", .shiftsLinesAsTmux, with: "5;1 /////ab",
      without: "5;1 ////ab")
    // What is inserted outside the region beyond what is shifted is not blank.
    #expect(result("CSI 5;6rCSI 2;1HabCSI 2L", .shiftsLinesAsTmux) == "2;3 ///ab")
    #expect(result("CSI 5;6rCSI 2;1HabCSI 4L", .shiftsLinesAsTmux).contains("?"))
  }

  @Test func `shiftsAsTmux: ICH up to the end of the line does nothing`() {
    expect("abc\rCSI 20@", .shiftsAsTmux, with: "1;1 abc", without: "1;1 ")
  }

  @Test func `shiftsAsTmux: ICH of more than it pushes leaves what lies in between`() {
    let line = QuirkTests.line
    expect(
      line + "\rCSI 15@", .shiftsAsTmux, with: "1;1      fghijklmnoabcde",
      without: "1;1                abcde")
    expect(
      line + "CSI 1;20HCSI 3@", .shiftsAsTmux, with: "1;20 \(line.dropLast())",
      without: "1;20 \(line.dropLast())")
  }

  /// What remains of a wide character that is cut is `?`.
  @Test(arguments: [
    // ECH, EL, DCH and ICH over one half, and over the end of the line.
    ("日aCSI 1;1HCSI X", " ?a"), ("日aCSI 1;2HCSI X", "? a"), ("a日CSI 1;3HCSI K", "a?"),
    ("日aCSI 1;1HCSI P", "?a"), ("日aCSI 1;2HCSI P", "?a"), ("日aCSI 1;2HCSI @", "? ?a"),
    ("CSI 1;18H日CSI 1;1HCSI 2@", String(repeating: " ", count: 19) + "?"),
    // Text over the right half, in the second column and in another.
    ("日aCSI 1;2Hx", "?xa"), ("a日bCSI 1;3Hx", "a xb"), ("日aCSI 1;2H本", " 本"),
    ("日aCSI 1;1Hx", "x a"),
    // Text over a half that was left alone: what lies left of it may go with it.
    ("ab日CSI 1;3HCSI XCSI 1;4Hx", "ab?x"), ("日aCSI 1;2HCSI XCSI 1;1Hx", "x a"),
  ]) func `shiftsAsTmux: halves of wide characters that are cut stay, and are not known`(
    text: String, line: String
  ) {
    #expect(result(text, .tmux).split(separator: " ", maxSplits: 1).last ?? "" == line, "\(text)")
  }

  @Test
  func `shiftsAsTmux: IRM with a wide character that does not fit erases the last column`() {
    let line = QuirkTests.line
    let text = "CSI 2;1HxyCSI H" + line + "CSI 1;20HCSI 4h日"
    expect(
      text, [.shiftsAsTmux], with: "2;3 \(line.dropLast())/日", without: "2;3 \(line)/日xy")
  }

  @Test
  func `reverseWrapsAnywhere: reverse wrap goes to any line; else where it goes is not known`() {
    for sequence in ["CSI D", "\u{8}", "CSI 25D"] {
      let text = "CSI ?45hCSI 3;1H" + sequence
      let measured = makeScreen(quirks: .xterm)
      measured.feed(text)
      #expect(measured.isCursorKnown && measured.cursor.row < 2)
      let later = makeScreen(quirks: .laterXterm)
      later.feed(text)
      #expect(!later.isCursorKnown)
      later.feed("CSI 3;5HCSI 4D")
      #expect(later.isCursorKnown)
      later.expectCursor(3, 1)
    }
    // XTREVWRAP2 is not there where reverse wrap goes anywhere by itself.
    for (quirks, isKnown) in [(TerminalQuirks.xterm, true), (.laterXterm, false), ([], false)] {
      let screen = makeScreen(quirks: quirks)
      screen.feed("CSI ?1045hCSI 3;1HCSI D")
      #expect(screen.isCursorKnown == isKnown)
      screen.feed("CSI !pCSI 3;1HCSI D")
      #expect(screen.isCursorKnown)
    }
  }

  @Test func `backspaceFollowsWrap: BS in the first column may lead to a line that went on`() {
    func isKnown(_ text: String, _ quirks: TerminalQuirks) -> Bool {
      let screen = makeScreen(quirks: quirks)
      screen.feed(text)
      return screen.isCursorKnown
    }
    let wrapped = QuirkTests.line + "xCSI 2;1H"
    #expect(!isKnown(wrapped + "\u{8}", .tmux))
    #expect(!isKnown(wrapped + "CSI 1;5HCSI KCSI 2;1H\u{8}", .tmux))
    #expect(isKnown(wrapped + "CSI D", .tmux))
    // Erased as a whole, a line goes on no more.
    #expect(isKnown(wrapped + "CSI 1;5HCSI 2KCSI 2;1H\u{8}", .tmux))
    #expect(isKnown("abCSI 2;1H\u{8}", .tmux))
    // Others may go to any line.
    #expect(!isKnown("abCSI 2;1H\u{8}", []))
    #expect(isKnown("abCSI ?7lCSI 2;1H\u{8}", []))
    #expect(isKnown("ab\r\u{8}", []))
    #expect(isKnown(wrapped + "\u{8}", .xterm))
  }

  @Test func `ignoresSubstitute: SUB shows nothing; else what it shows is not known`() {
    for (quirks, isUncertain) in [
      (TerminalQuirks.xterm, false), (.tmux, false), (.laterXterm, true), ([], true),
    ] {
      let screen = makeScreen(quirks: quirks)
      screen.feed("ab\u{1A}")
      #expect(screen.isColumnUncertain == isUncertain)
      #expect(screen.cell(1, 1).isUnknown == isUncertain)
      let full = makeScreen(quirks: quirks)
      full.feed(QuirkTests.line + "CSI 3\u{1A}")
      #expect(full.isCursorKnown == !isUncertain)
    }
  }

  @Test func `noSoftReset: DECSTR, XTRESTORE, XTPOPSGR and DECSCL do nothing`() {
    let text = "CSI 4hCSI 2;4rCSI ?6hCSI ?7lCSI ?7s"
    for sequence in ["CSI !p", "CSI ?7hCSI ?7r", "CSI #}", "CSI 62\"p"] {
      let screen = makeScreen(quirks: .tmux)
      screen.feed(text)
      let before = screen.picture
      screen.feed(sequence)
      if sequence.hasPrefix("CSI ?7h") {
        #expect(screen.modes.contains(.autowrap))
      } else {
        expectSame(screen.picture, before, sequence)
      }
    }
    let screen = makeScreen(quirks: .xterm)
    screen.feed(text + "CSI !p")
    #expect(screen.margins.rows == 6 && !screen.modes.contains(.insert))
  }

  @Test func `resetsAsTmux: RIS stays on the alternate screen, DECALN leaves DECOM and the pen`() {
    let screen = makeScreen(quirks: .tmux)
    screen.feed("CSI ?1049hxESC c")
    #expect(screen.isAlternate)
    screen.expectLine(1, "")
    screen.feed("CSI ?6hESC 7ESC cESC 8")
    #expect(screen.modes.contains(.origin))
    screen.feed("CSI ?6l")
    screen.feed("CSI 1;31mCSI 2;4rCSI ?6hESC #8")
    #expect(screen.modes.contains(.origin) && screen.pen.style.attributes == .bold)
    #expect(screen.style(2, 2) == .plain && !screen.cell(2, 2).isUnknown)
    screen.expectCursor(1, 1)
  }

  @Test
  func `marginsHomeOnScreen: a last row of 0 that is written is the first, a missing one the last`()
  {
    for (end, rows) in [
      ("2;0r", 3), ("0;0r", 3), ("0;00r", 3), ("2;r", 5), ("r", 6), ("0r", 6), (";r", 6),
    ] {
      let tmux = makeScreen(quirks: .tmux)
      tmux.feed("CSI 2;4rCSI \(end)")
      #expect(tmux.margins.rows == rows, "\(end)")
      let single = makeScreen(quirks: .tmux)
      for byte in bytes("CSI 2;4rCSI \(end)") { single.feed([byte]) }
      #expect(single.margins.rows == rows, "\(end)")
      let xterm = makeScreen(quirks: .xterm)
      xterm.feed("CSI 2;4rCSI \(end)")
      #expect(xterm.margins.rows == (rows == 3 ? (end.hasPrefix("2") ? 5 : 6) : rows), "\(end)")
    }
  }

  @Test
  func `CSI 1;2;3;4;5 T scrolls in tmux, in xterm it is about the mouse, else it is not known`() {
    let text = "abCSI 1;2;3;4;5T"
    #expect(result(text, .tmux) == "1;3 /ab")
    #expect(result(text, .xterm) == "1;3 ab")
    #expect(result(text, []).contains("?"))
  }

  @Test func `repeatStaysInLine: REP ends with the line`() {
    let line = String(repeating: "x", count: 20)
    expect(
      "xCSI 30b", .repeatStaysInLine, with: "1;20~ \(line)", without: "2;12 \(line)/xxxxxxxxxxx")
  }

  @Test func `erasesBackgroundOnly: the foreground does not stay in what is erased`() {
    func style(_ quirks: TerminalQuirks) -> Style {
      let screen = makeScreen(quirks: quirks)
      screen.feed("CSI 31;42mCSI 2J")
      return screen.style(1, 1)
    }
    #expect(style(.erasesBackgroundOnly) == Style(background: .ansi(2)))
    #expect(style([]) == Style(foreground: .ansi(1), background: .ansi(2)))
  }

  @Test func `alternateAsTmux: one place for DECSC, another for ?1049`() {
    let text = "CSI 2;2HESC 7CSI 3;3HCSI ?1049hCSI HCSI ?1049l"
    expect(text + "ESC 8", .alternateAsTmux, with: "2;2 ", without: "3;3 ")
    // Entered without a place, it restores none.
    expect("CSI 4;4HCSI ?47hCSI HCSI ?1049l", .alternateAsTmux, with: "1;1 ", without: "1;1 ")
  }

  @Test func `noDoubleSize: DECDWL leaves the row known`() {
    func isKnown(_ quirks: TerminalQuirks) -> Bool {
      let screen = makeScreen(quirks: quirks)
      screen.feed("aESC #6")
      return !screen.cell(1, 1).isUnknown
    }
    #expect(isKnown(.noDoubleSize) && !isKnown([]))
  }

  @Test func `noRectangles: DECERA does nothing, else its rows are unknown`() {
    let row = String(repeating: "?", count: 20)
    expect("abcCSI 1;1;1;2$z", .noRectangles, with: "1;4 abc", without: "1;4 \(row)")
  }

  @Test func `noTabReset: DECST8C does nothing`() {
    expect("CSI 3gCSI ?5W\t", .noTabReset, with: "1;20 ", without: "1;9 ")
  }

  @Test func `columnModeNeedsPermission: DECCOLM does nothing without ?40`() {
    let text = "CSI 2;3rCSI 2;2HabCSI ?3l"
    #expect(result(text, .columnModeNeedsPermission) == "2;4 / ab")
    #expect(result("CSI ?40h" + text, .columnModeNeedsPermission).contains("?"))
    // Of the columns that it asks for, it clears the screen and the margins.
    let wide = makeScreen(columns: 80, quirks: .xterm)
    wide.feed("CSI ?40h" + text)
    wide.expectLine(2, "")
    wide.expectCursor(1, 1)
    #expect(wide.margins == Rect(wide.size))
    wide.feed("ESC cxCSI ?95hCSI ?3l")
    #expect(wide.cell(1, 1).isUnknown)
    wide.feed("CSI ?3h")
    #expect(wide.cell(1, 1).isUnknown && !wide.isCursorKnown)
  }

  @Test func `columnModeOnlyClears: DECCOLM clears the screen, the margins stay`() {
    let screen = makeScreen(quirks: .columnModeOnlyClears)
    screen.feed("CSI 2;3rCSI 2;2HabCSI ?3h")
    screen.expectLines("", "")
    screen.expectCursor(1, 1)
    #expect(screen.margins.row == 1)
    // Of any other nobody knows.
    let other = makeScreen(quirks: [])
    other.feed("abCSI ?3l")
    #expect(other.cell(1, 1).isUnknown && !other.isCursorKnown)
  }

  @Test func `noVT52: ?2 does nothing; else nothing is drawn until ESC <`() {
    let screen = makeScreen(quirks: .noVT52)
    screen.feed("abCSI ?2lc")
    screen.expectLine(1, "abc")
    let other = makeScreen(quirks: .xterm)
    other.feed("abCSI ?2lCSI H")
    #expect(other.isVT52 && !other.isRestorable && other.cell(1, 1).isUnknown)
    other.feed("ESC Y  CSI HxESC <CSI Hy")
    #expect(!other.isVT52 && other.isRestorable)
    other.expectLine(1, "y???????????????????")
    other.feed("CSI ?2lESC c")
    #expect(!other.isVT52)
  }

  @Test func `DECNRCM ends UTF-8 in xterm: nothing is drawn until it is reset`() {
    let screen = makeScreen()
    screen.feed("abCSI ?42hCSI HxESC c")
    #expect(!screen.isRestorable)
    screen.feed("CSI Hx")
    #expect(screen.cell(1, 1).isUnknown)
    screen.feed("CSI ?42lCSI HyCSI ?42l")
    #expect(screen.isRestorable && screen.cell(1, 1).scalarValue == 0x79)
    let stop = makeScreen().feed("CSI ?42h", hudRegion: hudRegion(rows: 2...3, columns: 11...20))
    #expect(stop.reason == .willMoveCovered)
  }

  @Test func `twoCharacterSets: ESC ( A, G2, G3, LS2 and SS2 are not there`() {
    let line = "ESC (Aa#CSI 1;4HESC *0ESC nqESC NqCSI 1;7Hq"
    #expect(result(line, .twoCharacterSets) == "1;8 a# qq q")
    #expect(result(line, []) != "1;8 a# qq q")
    #expect(result("ESC )0\u{E}qESC )1q\u{F}q", .twoCharacterSets) == "1;4 ──q")
  }

  @Test func `marginsHomeOnScreen: DECSTBM leads to the first row with DECOM too`() {
    expect("CSI ?6hCSI 3;4rx", .marginsHomeOnScreen, with: "1;2 x", without: "3;2 //x")
    let screen = makeScreen(quirks: .tmux)
    screen.feed("CSI ?6h")
    #expect(
      screen.feed("CSI 3;4r", hudRegion: hudRegion(rows: 2...3, columns: 11...20)).reason
        == .willBecomeUnrestorable)
  }

  @Test func `marginsHomeOnScreen: CHA and HPA with DECOM leave a row outside the margins`() {
    for final in ["G", "`"] {
      expect(
        "CSI ?6hCSI 3;4rCSI 5\(final)x", .marginsHomeOnScreen, with: "1;6     x",
        without: "3;6 //    x")
    }
    // Of others nobody knows.
    let screen = makeScreen(quirks: [])
    screen.feed("CSI ?6hCSI HESC 7CSI 3;4rESC 8")
    #expect(screen.isCursorKnown && screen.cursor.row == 0 && screen.modes.contains(.origin))
    screen.feed("CSI 5G")
    #expect(!screen.isCursorKnown)
    screen.feed("CSI 1;5HCSI 7G")
    #expect(screen.isCursorKnown)
    screen.expectCursor(3, 7)
  }

  /// screen has no REP and no SCORC, tmux 3.3a no CHT; `?1049` is as `altscreen` says; DECOM differs.
}
