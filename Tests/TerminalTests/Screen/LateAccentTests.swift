import PerfHUDBase
import Testing

@testable import Terminal

/// An accent that comes later than its letter, with something of ours in between.
@Suite struct LateAccentTests {
  private let watch = {
    var watch = HUDRegion()
    watch.stopsAtRepeat = true
    return watch
  }()

  @Test(arguments: [
    ("e", "\u{301}"), ("日", "\u{301}"), ("e\u{301}", "\u{308}"), ("👩", "\u{200D}"),
    ("❤", "\u{FE0F}"), ("x", "\u{20D0}"), ("CSI 1;20He", "\u{301}"), ("CSI 1;19H日", "\u{301}"),
    ("CSI 4he", "\u{301}"), ("CSI 31me", "\u{301}"), ("e", "\u{1160}"),
    ("CSI 2;4rCSI ?6hCSI 2;3He", "\u{301}"), ("CSI ?7lCSI 1;20Hab", "\u{301}"),
    ("eCSI 1;31m", "\u{301}"), ("日CSI m", "\u{301}"), ("eCSI 38;5;200mCSI 4:3m", "\u{301}"),
    ("CSI 1;20HeCSI m", "\u{301}"), ("eCSI 7m\u{301}CSI m", "\u{308}"),
  ]) func `what combines with a character of the call before stops on request`(
    before: String, accent: String
  ) {
    let screen = makeScreen()
    screen.feed(before)
    let picture = screen.picture
    let stop = screen.feed(accent + "z", hudRegion: watch)
    #expect(stop == ScreenStop(.willCombine, offset: 0, resume: 0))
    expectSame(screen.picture, picture, "nothing may have changed")
    #expect(screen.feed(accent + "z").reason == .end)
    let bare = makeScreen()
    bare.feed(before + accent + "z")
    expectSame(screen.picture, bare.picture, "after the stop")
  }

  @Test func `it stops at the accent's first byte when that comes in single bytes`() {
    let screen = makeScreen()
    screen.feed("e")
    #expect(screen.feed([0xCC], hudRegion: watch).reason == .end)
    let stop = screen.feed([0xCC, 0x81], from: 1, hudRegion: watch)
    #expect(stop == ScreenStop(.willCombine, offset: 0, resume: 0))
    #expect(screen.isAtGround)
  }

  @Test(arguments: [
    // In one call, without being asked, after a move, with nothing before it, no accent.
    ("", "e\u{301}"), ("eCSI D", "\u{301}"), ("e\r", "\u{301}"), ("", "\u{301}"), ("e", "f\u{301}"),
    ("e", "\u{E9}"), ("e", "日"), ("日", "\u{1F3FB}"),
    // A letter whose look is not known cannot be written again.
    ("CSI #}e", "\u{301}"),
  ]) func `nothing else stops for it`(before: String, after: String) {
    let screen = makeScreen()
    screen.feed(before)
    #expect(screen.feed(after, hudRegion: watch).reason == .end)
    let other = makeScreen()
    other.feed("e")
    #expect(other.feed("\u{301}").reason == .end)
  }

  @Test func `with DECOM a letter left of the margin is not written again`() {
    let screen = makeScreen()
    screen.feed("CSI ?69hCSI 5;9sCSI 1;4Hx")
    #expect(screen.screen.lastPlace == Point(row: 0, column: 3))
    screen.screen.modes.insert(.origin)
    #expect(screen.screen.lastPlace == nil)
  }

  // MARK: What is sent

  private static let hud = Rect(row: 1, column: 12, rows: 2, columns: 7)

  /// What goes out for an accent after a pause in which the HUD was drawn.
  private func sent(_ before: String, _ accent: String = "\u{301}") -> String {
    let overlay = Overlay()
    overlay.show(LateAccentTests.hud)
    overlay.pass(before)
    overlay.settle()
    overlay.sent = []
    overlay.pass(accent)
    return String(decoding: overlay.sent, as: UTF8.self).replacing("\u{1B}", with: "^")
  }

  @Test func `an accent after an injection: its letter is written again, and nothing follows it`() {
    #expect(sent("ae") == "^[1;2H^[me^[m\u{301}")
    #expect(sent("CSI 1;31me") == "^[1;1H^[0;1;31me^[0;1;31m\u{301}")
    #expect(sent("a日") == "^[1;2H^[m日^[m\u{301}")
    #expect(sent("CSI 1;19Hxe") == "^[1;20H^[me^[m\u{301}")
    #expect(sent("CSI 4he") == "^[4l^[1;1H^[me^[4h^[m\u{301}")
    #expect(sent("CSI 2;4rCSI ?6hCSI 2;3He") == "^[2;3H^[me^[m\u{301}")
    #expect(sent("ESC (0q") == "^(B^[1;1H^(0^[mq^[m\u{301}")
    #expect(sent("ESC )0\u{E}q") == "\u{F}^[1;1H^(0^[mq^(B\u{E}^[m\u{301}")
    #expect(sent("OSC 8;;http://a STe") == "^[1;1H^[me^[m\u{301}")
    #expect(sent("CSI 1meCSI 31m") == "^[1;1H^[0;1me^[0;1;31m\u{301}")
  }

  @Test
  func `an accent after SGR, each in a piece of its own, joins the letter before the injection`() {
    let overlay = Overlay()
    overlay.show(LateAccentTests.hud)
    overlay.pass("e")
    overlay.settle()
    overlay.pass("CSI 31m")
    overlay.sent = []
    overlay.pass("\u{301}")
    #expect(String(decoding: overlay.sent, as: UTF8.self).hasSuffix("e\u{1B}[0;31m\u{301}"))
    let bare = makeScreen()
    bare.feed("eCSI 31m\u{301}")
    bare.expectLine(1, overlay.line(1))
    #expect(!bare.cell(1, 1).isUnknown)
  }

  @Test func `after SGR there is nothing for REP to repeat`() {
    let screen = makeScreen()
    screen.feed("eCSI mCSI 3b")
    screen.expectLine(1, "e")
    screen.feed("CSI 2;1HeCSI 1m\u{301}CSI 3bx")
    screen.expectLine(2, "e\u{301}x")
  }

  @Test func `the letter is not written again where nothing was injected`() {
    let overlay = Overlay()
    overlay.pass("e")
    overlay.settle()
    overlay.sent = []
    overlay.pass("\u{301}")
    #expect(overlay.sent == Array("\u{301}".utf8))
  }

  @Test(arguments: [TerminalQuirks.xterm, .tmux, .joinsBefore])
  func `an accent under the HUD: the letter lies there with it when the HUD is gone`(
    quirks: TerminalQuirks
  ) {
    let wide = quirks == .joinsBefore ? [] : ["CSI 3;12H日", "CSI 3;18H日"]
    for before in ["CSI 2;14He", "CSI 2;20He"] + wide {
      let overlay = Overlay(quirks: quirks)
      overlay.show(LateAccentTests.hud)
      overlay.pass(before)
      overlay.settle()
      overlay.pass("\u{301}")
      overlay.settle()
      #expect(overlay.line(2).contains("#"))
      overlay.compositor.hide()
      overlay.settle()
      #expect(overlay.difference(bytes(before + "\u{301}"), quirks: quirks) == nil)
      let bare = makeScreen(quirks: quirks)
      bare.feed(before + "\u{301}")
      for row in 1...6 { bare.expectLine(row, overlay.line(row)) }
    }
  }
}
