import Testing

@testable import Terminal

/// screen, or a tmux that does not say its name: what one of them does and the other does not is in doubt.
@Suite struct QuirkScreenTests {
  @Test(arguments: [
    "abCSI 2b", "CSI 2;2HCSI sCSI 1;1HCSI u", "CSI ?1049h", "CSI ?47h", "CSI ?1049l", "CSI ?1048l",
    "CSI 2;4rCSI ?6h", "CSI 2;4rCSI ?6hCSI 2;2H", "CSI 2I", "ESC 8",
  ]) func `mayBeScreen: what screen and tmux do not have in common leaves the cursor in doubt`(
    text: String
  ) {
    let screen = makeScreen(quirks: .screen)
    screen.feed(text)
    #expect(!screen.isRestorable)
    screen.feed("CSI ?6lCSI mCSI 3;3H")
    #expect(screen.isRestorable && screen.isCursorKnown)
    screen.expectCursor(3, 3)
  }

  @Test(arguments: [
    ("CSI 2;2HabcCSI ?1049h", 2, 2), ("CSI ?1049hCSI 2;2HabcCSI ?1049l", 2, 2),
    ("CSI 5;1HabcCSI 2;3rCSI 5;1HCSI M", 5, 1), ("CSI 2;2HabcCSI 2;1HCSI 15@", 2, 2),
    ("CSI 44mCSI K", 1, 1), ("abcCSI H\u{1B}[3K", 1, 1), ("abcCSI HCSI 5J", 1, 1),
    ("abcCSI 5;1HxCSI HCSI 3J", 5, 1), ("CSI 1;20HCSI ?7l日", 2, 1),
    ("abcCSI 6;1H" + "abcdefghijklmnopqrst" + "CSI C", 1, 1), ("ESC (A#", 1, 1), ("aCSI ^", 2, 1),
    ("日CSI 1;2HCSI X", 1, 1),
  ]) func `mayBeScreen: what screen and tmux do not have in common leaves cells in doubt`(
    text: String, row: Int, column: Int
  ) {
    let screen = makeScreen(quirks: .screen)
    screen.feed(text)
    #expect(screen.cell(row, column).isUnknown)
  }

  @Test func `mayBeScreen: behind ?1049l the pen is known if it is the one that was saved`() {
    for (text, isUnknown) in [("CSI m", false), ("CSI 31m", true)] {
      let screen = makeScreen(quirks: .screen)
      screen.feed("CSI ?1049hCSI 32mabc\(text)CSI ?1049l")
      #expect(screen.screen.isPenUnknown == isUnknown)
    }
  }

  @Test(arguments: ["ESC 7ESC )0CSI u", "CSI sESC )0ESC 8", "ESC 7\u{E}ESC )0CSI u\u{F}"])
  func `mayBeScreen: a set that may have been brought back is not known`(text: String) {
    let screen = makeScreen(quirks: .screen)
    screen.feed(text + "CSI HCSI m\u{E}abc")
    #expect(screen.cell(1, 1).isUnknown)
  }

  @Test func `mayBeScreen: DECALN is known, and no longer what is printed behind it anywhere`() {
    let screen = makeScreen(quirks: .screen)
    screen.feed("CSI 2;4rCSI ?6hxESC #8")
    #expect(!screen.cell(2, 2).isUnknown && !screen.isCursorKnown)
    screen.feed("x")
    #expect(screen.cell(2, 2).isUnknown)
  }

  @Test(arguments: ["CSI 2;0r", "CSI 0;0r", "CSI 2;99r", "ESC #8"])
  func
    `mayBeScreen: what leaves the margins in doubt does so until they are set`(
      end: String
    )
  {
    let screen = makeScreen(quirks: .screen)
    screen.feed("CSI 2;4r\(end)CSI 3;3HCSI ?6l\u{1B}7\u{1B}8")
    #expect(!screen.isCursorKnown && !screen.isRestorable)
    screen.feed("CSI 2;4r")
    #expect(screen.isRestorable && screen.margins.rows == 3)
    screen.expectCursor(1, 1)
  }

  @Test(arguments: [
    "CSI ?6h", "CSI ?1049h", "CSI ?1048l", "CSI u", "CSI I", "aCSI b", "CSI 2;0r", "CSI 2;99r",
  ])
  func `mayBeScreen: the HUD is lifted before`(sequence: String) {
    let screen = makeScreen(quirks: .screen)
    let stop = screen.feed(sequence, hudRegion: hudRegion(rows: 2...3, columns: 11...19))
    #expect(stop.reason != .end)
  }

  @Test func `mayBeScreen: what clear sends leaves the screen blank and known`() {
    let screen = makeScreen(quirks: .screen)
    screen.feed("abcCSI 3;3HdefCSI HCSI 2JCSI 3J")
    for row in 1...6 { #expect(!screen.cell(row, 1).isUnknown && !screen.cell(row, 20).isUnknown) }
    #expect(screen.isRestorable)
  }
}
