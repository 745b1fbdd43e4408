import Testing

@testable import Terminal

/// A sequence, what comes before it, and why it must stop under a cover of rows 2–3, columns 11–20.
private struct Case: CustomTestStringConvertible, Sendable {
  var before = ""
  var sequence: String
  var reason: ScreenStop.Reason
  var testDescription: String { before + " | " + sequence }

  init(_ before: String, _ sequence: String, _ reason: ScreenStop.Reason = .willMoveCovered) {
    self.before = before
    self.sequence = sequence
    self.reason = reason
  }
}

private let stopping: [Case] = [
  Case("CSI 6;1H", "\n"), Case("CSI 6;1H", "\u{B}"), Case("CSI 6;1H", "ESC D"),
  Case("CSI 6;1H", "ESC E"), Case("", "ESC M"), Case("", "CSI S"), Case("", "CSI T"),
  Case("", "CSI ^"), Case("CSI 6;20Hx", "y"), Case("CSI 6;20H", "日"), Case("CSI 6;20Hx", "日"),
  Case("CSI 6;20Hx", "CSI b"), Case("CSI 5;1Hx", "CSI 99b"), Case("CSI 2;1H", "CSI L"),
  Case("CSI 1;1H", "CSI M"), Case("CSI 2;1H", "CSI @"), Case("CSI 3;20H", "CSI P"),
  Case("CSI 4hCSI 2;3H", "x"), Case("CSI 4hCSI 2;3H", "日"), Case("CSI 2;4rCSI 4;1H", "\n"),
  Case("CSI 2;4rCSI 2;1H", "ESC M"), Case("CSI 2;4r", "CSI S"),
  Case("", "CSI ?1049h", .willSwitchScreens), Case("", "CSI ?47h", .willSwitchScreens),
  Case("", "CSI ?1047h", .willSwitchScreens), Case("CSI ?47h", "CSI ?47l", .willSwitchScreens),
  Case("CSI ?1049h", "CSI ?1049l", .willSwitchScreens),
  Case("", "CSI ?25;1049h", .willSwitchScreens), Case("CSI ?40h", "CSI ?3h"),
  Case("CSI ?47h", "CSI ?1046l", .willSwitchScreens), Case("", "CSI ?1049r", .willSwitchScreens),
  Case("", "ESC %@"), Case("CSI ?41hCSI 6;20Hx", "\t"), Case("CSI ?41hCSI 6;20Hx", "CSI I"),
  Case("", "CSI 3J"), Case("", "CSI 22J"), Case("", "ESC c"), Case("", "ESC 6"),
  Case("", "ESC 9"), Case("", "CSI 2 @"), Case("", "CSI 2 A"), Case("", "CSI 2'}"),
  Case("", "CSI 2'~"), Case("", "CSI 1;1;2;2;1;4;4;1$v"), Case("", "CSI 65;1;1;2;2$x"),
  Case("", "ESC #3"), Case("", "ESC #6"), Case("", "CSI 62\"p"), Case("", "CSI 8;50;100t"),
  Case("", "DCS q#0~ ST"), Case("", "APC Gx ST"), Case("", "OSC 1337;File=:x\u{7}"),
  Case("", "CSI 2\nC"), Case("", "ESC \rD"), Case("", "CSI 1;1;1;1;2;2*y", .willReadCells),
  Case("", "CSI 1;1;2;2#|", .willReadCells), Case("", "CSI i", .willReadCells),
  Case("", "CSI 6n", .willQueryState), Case("", "CSI ?6n", .willQueryState),
  Case("", "CSI c", .willQueryState), Case("", "CSI >c", .willQueryState),
  Case("", "CSI >q", .willQueryState), Case("", "CSI ?2026$p", .willQueryState),
  Case("", "CSI 4$p", .willQueryState), Case("", "CSI ?2026s", .willQueryState),
  Case("", "DCS $qm ST", .willQueryState), Case("", "DCS +q544e ST", .willQueryState),
  Case("", "OSC 11;? ST", .willQueryState), Case("", "OSC 4;1;?\u{7}", .willQueryState),
  Case("", "OSC 52;c;?\u{7}", .willQueryState), Case("", "CSI 18t", .willQueryState),
  Case("", "CSI ?u", .willQueryState), Case("", "\u{5}", .willQueryState),
  Case("", "ESC Z", .willQueryState), Case("", "CSI 1$w", .willQueryState),
  Case("CSI ?2026h", "CSI ?2026l", .willEndUpdate),
  Case("CSI ?2026h", "CSI ?25;2026l", .willEndUpdate),
  Case("DCS =1s ST", "DCS =2s ST", .willEndUpdate),
  Case("CSI ?2026h", "CSI ?2026r", .willEndUpdate),
]

/// What must not stop: it moves nothing that is covered.
private let passing: [Case] = [
  Case("", "CSI 2;15Hxyz"), Case("CSI 5;1H", "\n"), Case("CSI 4;6rCSI 6;1H", "\n"),
  Case("CSI 4;6r", "CSI SCSI T"), Case("CSI 4;6rCSI 4;1H", "ESC M"), Case("CSI 2;1H", "ESC M"),
  Case("CSI 4;1H", "CSI LCSI M"), Case("CSI 4;1H", "CSI @CSI P"), Case("CSI 4hCSI 4;3H", "x日"),
  Case("CSI 5;20Hx", "y"), Case("CSI 6;20H", "x"), Case("CSI 6;20Hx", "\r"), Case("", "xCSI 20b"),
  Case("", "CSI ?1;25;2004h"), Case("", "CSI 1;31m"), Case("", "CSI KCSI JCSI 1J"),
  Case("", "CSI ?2026hx"), Case("", "OSC 2;what?\u{7}"), Case("", "OSC 8;;http://a/?q=;? ST"),
  Case("CSI ?69hCSI 1;8sCSI 6;1H", "\n"), Case("CSI ?69hCSI 1;8s", "CSI SCSI TCSI L"),
  Case("CSI ?69hCSI 1;8s", "CSI @CSI P"), Case("", "ESC 7ESC 8"),
  Case("", "CSI 2;4r"), Case("", "CSI 22;0tCSI 23;0t"), Case("", "DCS 1;2|q ST"),
  Case("", "CSI ?47l"),
]

@Suite struct ScreenStopTests {
  private let hud = {
    var hud = hudRegion(rows: 2...3, columns: 11...20)
    hud.stopsAtQueries = true
    hud.stopsAtUpdateEnd = true
    return hud
  }()

  @Test(arguments: stopping)
  private func `stops before what moves, reads or asks`(_ example: Case) {
    let screen = makeScreen()
    screen.feed("text" + example.before)
    let before = screen.picture
    let input = bytes(example.sequence + "more")
    let stop = screen.feed(input, hudRegion: hud)
    #expect(stop == ScreenStop(example.reason, offset: 0, resume: 0))
    expectSame(screen.picture, before, "nothing may have changed")
    #expect(screen.isAtGround)
    #expect(screen.feed(input, from: stop.resume).reason == .end)

    let bare = makeScreen()
    bare.feed("text" + example.before)
    #expect(bare.feed(input).reason == .end)
    expectSame(screen.picture, bare.picture, "after the stop")
  }

  @Test(arguments: stopping)
  private func `stops at the same byte when the sequence comes in single bytes`(_ example: Case) {
    let screen = makeScreen()
    screen.feed("text" + example.before)
    let input = bytes("a" + example.sequence + "CSI m")
    // After the character the pending wrap is another one: those cases stand above.
    guard !example.before.hasSuffix("x"), !example.before.hasPrefix("CSI 4h") else { return }
    var held: [UInt8] = []
    for byte in input {
      let known = held.count
      held.append(byte)
      let stop = screen.feed(held, from: known, hudRegion: hud)
      if stop.reason != .end {
        #expect(stop.reason == example.reason)
        #expect(stop.offset == 0)
        #expect(held.first != UInt8(ascii: "a"))
        return
      }
      held = Array(held.suffix(screen.pendingBytes))
    }
    Issue.record("no stop")
  }

  @Test(arguments: passing)
  private func `passes what moves nothing under the HUD`(_ example: Case) {
    let screen = makeScreen()
    screen.feed("text" + example.before)
    #expect(screen.feed(example.sequence, hudRegion: hud).reason == .end)
  }

  @Test func `ED 2 stops where it fills the history, not in xterm`() {
    for sequence in ["CSI 2J", "CSI HCSI J", "CSI 6;20HCSI 1J"] {
      #expect(makeScreen(quirks: .tmux).feed(sequence, hudRegion: hud).reason == .willMoveCovered)
      #expect(makeScreen(quirks: []).feed(sequence, hudRegion: hud).reason == .willMoveCovered)
      #expect(makeScreen().feed(sequence, hudRegion: hud).reason == .end)
    }
  }

  @Test func `a run stops before the character that would scroll`() {
    let screen = makeScreen(columns: 5, rows: 2)
    let stop = screen.feed("123451234567", hudRegion: hudRegion(rows: 1...1, columns: 1...2))
    #expect(stop == ScreenStop(.willMoveCovered, offset: 10, resume: 10))
    screen.expectLines("12345", "12345")
  }

  @Test func `stops at a switch of screens where nothing is covered, if asked to`() {
    var region = HUDRegion()
    region.stopsAtScreenSwitch = true
    for example in stopping {
      let screen = makeScreen()
      screen.feed(example.before)
      let isSwitch = example.reason == .willSwitchScreens
      #expect(
        screen.feed(example.sequence, hudRegion: region).reason
          == (isSwitch ? .willSwitchScreens : .end), "\(example)")
    }
  }

  @Test func `without a hudRegion nothing stops but an own sequence`() {
    let screen = makeScreen()
    for example in stopping { #expect(screen.feed(example.sequence).reason == .end) }
  }

  @Test func `an own sequence is reported with its text and swallowed`() {
    let screen = makeScreen()
    let input = bytes("abOSC 7337;perfhud;phase canvas STc")
    let stop = screen.feed(input)
    #expect(stop == ScreenStop(.ownSequence, offset: 2, resume: input.count - 1))
    #expect(screen.ownSequence == "phase canvas")
    #expect(screen.feed(input, from: stop.resume).reason == .end)
    screen.expectLine(1, "abc")
  }

  @Test func `an own sequence in pieces, ended by BEL`() {
    let screen = makeScreen()
    screen.feed("OSC 7337;perf")
    let held = bytes("OSC 7337;perf")
    let stop = screen.feed(held + bytes("hud;frame\u{7}x"), from: held.count)
    #expect(stop == ScreenStop(.ownSequence, offset: 0, resume: held.count + 10))
    #expect(screen.ownSequence == "frame")
  }

  @Test func `the REP after an own sequence still repeats`() {
    let screen = makeScreen()
    let input = bytes("xOSC 7337;perfhud;frame\u{7}CSI 2b")
    let stop = screen.feed(input)
    screen.feed(input, from: stop.resume)
    screen.expectLine(1, "xxx")
  }

  @Test func `OSC 7337 of others is no own sequence`() {
    #expect(makeScreen().feed("OSC 7337;other;x\u{7}").reason == .end)
    #expect(makeScreen().feed("OSC 73370;perfhud;x\u{7}").reason == .end)
  }

  @Test func `the end of an update stops on request without a hudRegion`() {
    var watch = HUDRegion()
    watch.stopsAtUpdateEnd = true
    let screen = makeScreen()
    let stop = screen.feed("CSI ?2026habCSI ?2026l", hudRegion: watch)
    #expect(stop.reason == .willEndUpdate && stop.offset == 10)
    #expect(makeScreen().feed("CSI ?2026lCSI 6nCSI S", hudRegion: watch).reason == .end)
  }

  @Test func `REP as the first thing stops on request`() {
    var watch = HUDRegion()
    watch.stopsAtRepeat = true
    let screen = makeScreen()
    screen.feed("x")
    #expect(screen.feed("CSI 3b", hudRegion: watch).reason == .willRepeat(count: 3))
    #expect(screen.lastPrinted.scalarValue == 0x78)
    #expect(screen.feed("CSI 3b").reason == .end)
    screen.expectLine(1, "xxxx")
    #expect(screen.feed("yCSI 3b", hudRegion: watch).reason == .end)
  }

  // MARK: Damage

  @Test(arguments: [
    ("CSI 2;9Habc", 2, 8..<11), ("CSI 3;15HCSI K", 3, 14..<20), ("CSI 3;20HCSI X", 3, 19..<20),
    ("CSI 2J", 2, 0..<20), ("CSI 2;11H日", 2, 10..<12), ("CSI 2;10H日", 2, 9..<11),
  ]) func `what is written or erased under the HUD is damage`(
    sequence: String, row: Int, columns: Range<Int>
  ) {
    let screen = makeScreen()
    screen.feed(sequence, hudRegion: hud)
    #expect(screen.hasDamage)
    #expect(screen.damage(row: row) == columns)
  }

  @Test func `what is written beside the HUD is no damage`() {
    let screen = makeScreen()
    screen.feed("CSI 1;1H12345678901234567890CSI 2;1H1234567890CSI 4;11Hx", hudRegion: hud)
    #expect(!screen.hasDamage)
    screen.feed("CSI 2;11Hx")
    #expect(!screen.hasDamage)
  }

  @Test func `a wide character cut by what is written beside the HUD is damage`() {
    let screen = makeScreen()
    screen.feed("CSI 2;10H日")
    screen.feed("CSI 2;10Hx", hudRegion: hud)
    #expect(screen.hasDamage)
  }
}
