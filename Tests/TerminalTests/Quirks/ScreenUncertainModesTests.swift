import PerfHUDBase
import Testing

@testable import Terminal

/// Modes, pens and screens that some terminals change with a sequence and others do not.
@Suite struct ScreenUncertainModesTests {
  @Test func `DECSTR: with all as after a reset nothing is uncertain`() {
    let screen = makeScreen(quirks: [])
    screen.feed("abcCSI !p")
    #expect(screen.isRestorable)
    screen.feed("ESC 8")
    #expect(!screen.isRestorable)
  }

  @Test func `DECSTR resets the pen or not, until SGR 0`() {
    let screen = makeScreen(quirks: [])
    screen.feed("CSI 31mCSI !pCSI Jx")
    #expect(
      screen.screen.isPenUnknown && screen.cell(1, 1).isUnknown && screen.cell(2, 1).isUnknown)
    screen.feed("CSI mx")
    #expect(screen.isRestorable && !screen.cell(1, 2).isUnknown)
    let measured = makeScreen(quirks: .xterm)
    measured.feed("CSI 31mCSI !p")
    #expect(measured.isRestorable)
  }

  @Test(arguments: [
    ("CSI 4h", "CSI 4l"), ("CSI ?6h", "CSI ?6l"), ("CSI ?7l", "CSI ?7h"), ("CSI 2;4r", "CSI r"),
    ("ESC (0", "ESC (B"), ("ESC )0\u{E}", "\u{F}ESC )B"),
  ])
  func `DECSTR resets modes or not, until the program sets them`(before: String, after: String) {
    let screen = makeScreen(quirks: [])
    screen.feed("CSI 5;1Habc" + before + "CSI !pCSI HxCSI 2J")
    #expect(!screen.isRestorable)
    screen.feed(after)
    #expect(screen.cell(5, 1).isUnknown && screen.cell(1, 5).isUnknown)
    screen.feed("CSI 2JCSI H")
    #expect(screen.isRestorable && !screen.cell(5, 1).isUnknown)
    let reset = makeScreen(quirks: [])
    reset.feed(before + "CSI !pESC c")
    #expect(reset.isRestorable)
    let measured = makeScreen(quirks: .xterm)
    measured.feed(before + "CSI !pCSI H")
    #expect(measured.isRestorable)
  }

  @Test func `XTRESTORE brings modes back or not`() {
    let screen = makeScreen(quirks: [])
    screen.feed("CSI ?7sCSI ?7lCSI ?7rCSI H")
    #expect(!screen.isRestorable)
    screen.feed("CSI ?7hCSI H")
    #expect(screen.isRestorable)
  }

  @Test func `the alternate screen has the pen or a plain one`() {
    for (pen, isKnown) in [("CSI 31m", false), ("", true)] {
      let screen = makeScreen(quirks: [])
      screen.feed(pen + "CSI ?1049hCSI H")
      #expect(screen.isRestorable == isKnown)
      screen.feed("CSI mCSI ?1049l")
      #expect(
        screen.isRestorable && screen.pen.style.foreground == (isKnown ? .standard : .ansi(1)))
    }
  }

  @Test(arguments: [
    "CSI ?47h", "CSI ?1047h", "CSI ?47l", "CSI ?1047l", "CSI ?1049l", "CSI ?1049hCSI HxCSI ?1049h",
  ])
  func `what some terminals do not switch leaves both screens unknown`(text: String) {
    let screen = makeScreen(quirks: [])
    screen.feed("abc" + text)
    #expect(screen.cell(1, 1).isUnknown && !screen.isCursorKnown)
    screen.feed("CSI ?47lCSI H")
    #expect(screen.cell(1, 1).isUnknown && screen.isCursorKnown)
  }

  @Test func `autowrap set at the last column leaves it open whether the wrap is pending`() {
    let screen = makeScreen(quirks: [])
    screen.feed("CSI ?7lCSI 1;20Hx")
    #expect(screen.isRestorable)
    screen.feed("CSI ?7h")
    #expect(!screen.isRestorable)
    screen.feed("y")
    #expect(!screen.isCursorKnown)
  }

  @Test func `what has an intermediate may be carried out without it`() {
    for text in ["CSI 2 @", "CSI 2 A", "CSI 1;1;2;2$r"] {
      let screen = makeScreen(quirks: [])
      screen.feed("abcCSI 1;1H" + text)
      #expect(!screen.isCursorKnown || screen.cell(1, 1).isUnknown)
    }
  }

  @Test(arguments: [
    "CSI 31m|CSI !p", "CSI 4h|CSI !p", "|CSI ?6h", "|CSI ?6l", "|CSI ?1049l", "|CSI ?47l",
    "|CSI ?1048l", "CSI ?7lCSI 1;20Hx|CSI ?7h", "CSI ?7s|CSI ?7r", "|CSI 3 @",
  ]) func `what covers it is erased before`(text: String) {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    let hud = hudRegion(rows: 5...6, columns: 11...19)
    let screen = makeScreen(quirks: [])
    screen.feed(parts[0])
    #expect(screen.isRestorable)
    let stop = screen.feed(parts[1], hudRegion: hud)
    #expect(stop.reason == .willBecomeUnrestorable || stop.reason == .willMoveCovered)
  }

  @Test func `alternateAsTmux: a cursor that was unknown before ?1049 is so after it`() {
    func isKnown(_ before: String) -> Bool {
      let screen = makeScreen(quirks: [.alternateAsTmux, .measured])
      screen.feed(before + "CSI ?1049hCSI 2;2HaCSI ?1049l")
      return screen.isCursorKnown
    }
    // A picture may move the cursor.
    #expect(!isKnown("ESC _Ga ST") && isKnown("ESC _Ga STCSI 3;3H"))
  }
}
