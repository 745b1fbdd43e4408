import PerfHUDBase
import Testing

@testable import Terminal

private let hud = Rect(row: 1, column: 12, rows: 2, columns: 7)

@Suite struct CompositorTests {
  /// What goes out when a HUD at columns 11 to 17 of row 2 is hidden.
  private func hidden(over text: String) -> String {
    let overlay = Overlay()
    overlay.pass(text)
    overlay.show(Rect(row: 1, column: 10, rows: 1, columns: 7))
    overlay.settle()
    overlay.sent = []
    overlay.compositor.hide()
    overlay.settle()
    #expect(overlay.difference(bytes(text)) == nil)
    return String(decoding: overlay.sent, as: UTF8.self).replacing("\u{1B}", with: "^")
  }

  @Test func `the rest of a row that was erased is erased up to its end again`() {
    #expect(hidden(over: "CSI 2;1Habc") == "^[11G^[m^[K^[4G^[m")
    #expect(hidden(over: "CSI 2;12Hxy") == "^[11G^[m^[K^[12Gxy^[14G^[m")
  }

  @Test func `before text beyond the HUD only the cells between are erased`() {
    #expect(hidden(over: "CSI 2;19Hz").hasPrefix("^[11G^[m^[7X"))
  }

  @Test func `the HUD is drawn once the program pauses, and nothing else changes`() {
    let overlay = Overlay()
    overlay.show(hud)
    overlay.pass("hello")
    #expect(overlay.line(2).isEmpty)
    overlay.settle()
    #expect(overlay.line(2) == "            #######")
    #expect(overlay.cursor == Point(row: 0, column: 5))
    #expect(overlay.style == .plain)
  }

  @Test func `bytes pass verbatim while the HUD is hidden`() {
    let overlay = Overlay()
    let input = bytes("aCSI 31mCSI 2;3Hx日CSI SCSI ?1049hOSC 2;t STDCS q~ STCSI 6nend")
    overlay.pass(input)
    overlay.settle()
    #expect(overlay.sent == input)
  }

  @Test func `scrolling erases the HUD first, so that no copy of it scrolls away`() {
    let overlay = Overlay()
    overlay.show(hud)
    overlay.pass("CSI 6;1Hlast")
    overlay.settle()
    overlay.pass("\r\nnext")
    #expect(overlay.line(1).isEmpty)
    overlay.settle()
    #expect(overlay.line(1).isEmpty)
    #expect(overlay.line(2) == "            #######")
    #expect(overlay.line(6) == "next")
  }

  @Test func `what overwrites the HUD is repaired without erasing it`() {
    let overlay = Overlay()
    overlay.show(hud)
    overlay.settle()
    overlay.pass("CSI 2;10Habcdef")
    #expect(overlay.line(2) == "         abcdef####")
    overlay.settle()
    #expect(overlay.line(2) == "         abc#######")
    overlay.compositor.hide()
    overlay.settle()
    #expect(overlay.line(2) == "         abcdef")
    #expect(overlay.line(3).isEmpty)
  }

  @Test func `a repair sends nothing beside the HUD, unless a wide character was cut there`() {
    let overlay = Overlay()
    overlay.show(hud)
    overlay.settle()
    let line = String(repeating: ".", count: 19)
    let edge = "\u{1B}[12G"
    for (text, isSent) in [(line, false), ("CSI 2;12H日", true), (line, true)] {
      overlay.sent = []
      overlay.pass("CSI 2;1H" + text)
      let passed = overlay.sent.count
      overlay.settle()
      let repair = String(decoding: overlay.sent[passed...], as: UTF8.self)
      #expect(repair.contains(edge) == isSent, "\(repair.debugDescription)")
      #expect(overlay.line(2).dropFirst(12).prefix(7) == "#######")
    }
  }

  @Test func `a blank of the HUD takes the look before it, if that shows it alike`() {
    let overlay = Overlay()
    var grid = CellGrid(Size(rows: hud.rows, columns: hud.columns))
    for (column, scalar) in "a b c d".unicodeScalars.enumerated() {
      for row in 0..<hud.rows {
        grid[row, column] = Cell(scalar, style: StyleID(scalar == " " ? 0 : 1))
      }
    }
    overlay.compositor.show(grid, at: hud)
    overlay.settle()
    #expect(overlay.text.contains("a b c d"))
    #expect(overlay.line(2).dropFirst(12).prefix(7) == "a b c d")
  }

  @Test func `a cell of the HUD that did not change is not sent again`() {
    let overlay = Overlay()
    overlay.show(hud, text: "abcdefg")
    overlay.settle()
    overlay.sent = []
    overlay.show(hud, text: "abXdefg")
    overlay.settle()
    let text = overlay.text
    #expect(text.filter(\.isLetter).filter { "abdefg".contains($0) }.isEmpty)
    #expect(text.contains("X"))
    overlay.sent = []
    overlay.show(hud, text: "abXdefg")
    overlay.settle()
    #expect(overlay.sent.isEmpty)
  }

  @Test func `a wide character at either edge is blank where it is cut, and whole again after`() {
    let overlay = Overlay()
    overlay.pass("CSI 2;12H日CSI 3;12H日CSI 3;18H日本")
    overlay.show(Rect(row: 1, column: 12, rows: 2, columns: 6))
    overlay.settle()
    #expect(overlay.line(2) == "            ######")
    overlay.compositor.hide()
    overlay.settle()
    #expect(overlay.line(2) == "           日")
    #expect(overlay.line(3) == "           日    日")
  }

  @Test func `a REP right after an injection becomes copies`() {
    let overlay = Overlay()
    overlay.show(hud)
    overlay.pass("x")
    overlay.settle()
    overlay.pass("CSI 3bCSI 2by")
    #expect(overlay.line(1) == "xxxxy")
    #expect(!overlay.text.contains("\u{1B}[3b"))
  }

  @Test func `own sequences are taken out, also in pieces`() {
    let overlay = Overlay()
    for byte in bytes("aOSC 7337;perfhud;frame STb") { overlay.pass([byte]) }
    #expect(overlay.sent == Array("ab".utf8))
    #expect(overlay.ownSequences == 1)
  }

  @Test func `what own sequences say is handed over in order, a line each, and once`() {
    let overlay = Overlay()
    overlay.pass("aOSC 7337;perfhud;phase canvas STbOSC 7337;perfhud;frame STc")
    #expect(overlay.takeOwnSequences() == ["phase canvas\n", "frame\n"])
    #expect(overlay.takeOwnSequences() == [])
    #expect(overlay.sent == Array("abc".utf8))
  }

  @Test func `own sequences that are too long or not taken are counted`() {
    let overlay = Overlay()
    overlay.pass("OSC 7337;perfhud;\(String(repeating: "x", count: 5000)) ST")
    #expect(overlay.takeOwnSequences() == [])
    #expect(overlay.compositor.lostOwnSequences == 1)
    let text = String(repeating: "y", count: 4000)
    for _ in 0..<20 { overlay.pass("OSC 7337;perfhud;\(text) ST") }
    let kept = overlay.takeOwnSequences()
    #expect(kept.allSatisfy { $0 == text + "\n" })
    #expect(kept.count + overlay.compositor.lostOwnSequences == 21 && kept.count > 10)
  }

  @Test func `an unfinished sequence is held back, and nothing is drawn into it`() {
    let overlay = Overlay()
    overlay.pass("aCSI 3")
    overlay.show(hud)
    overlay.settle()
    overlay.pass("1mb")
    #expect(overlay.style == Style(foreground: .ansi(1)))
    let text = overlay.text
    #expect(text.hasPrefix("a\u{1B}["))
    #expect(text.hasSuffix("\u{1B}[31mb"))
  }

  @Test func `a string too long to hold passes with the HUD erased`() {
    let overlay = Overlay()
    overlay.show(hud)
    overlay.settle()
    let long = bytes("OSC 52;c;") + Array(repeating: UInt8(ascii: "A"), count: 200_000)
    overlay.pass(long)
    #expect(!overlay.isPainted)
    overlay.settle()
    #expect(!overlay.isPainted)
    overlay.pass(bytes(" STx"))
    overlay.settle()
    #expect(overlay.isPainted)
    #expect(overlay.text.contains("AAA\u{1B}\\x"))
  }

  @Test func `over an image it is not drawn, over what was there before the program it is`() {
    let overlay = Overlay(isUnknown: true)
    overlay.show(hud)
    overlay.settle()
    #expect(!overlay.isPainted)  // the cursor is not known
    overlay.tellCursor(Point(row: 3, column: 0))
    overlay.settle()
    #expect(overlay.isPainted)
    overlay.pass("DCS q#0~~ STCSI 1;1H")
    overlay.settle()
    #expect(!overlay.isPainted)
    overlay.pass("CSI 2J")
    overlay.settle()
    #expect(overlay.isPainted)
  }

  @Test(arguments: [
    "CSI 2;5rCSI ?6hCSI 2;3H", "CSI 4h", "ESC (0", "ESC )0\u{E}", "CSI 1\"q", "ESC V",
    "OSC 8;id=1;http://a STlink", "CSI 1;4:3;38;5;9;48;2;1;2;3m", "CSI 58:2::1:2:3;4m",
    "CSI 1;20Hx", "CSI ?7lCSI 1;20Hx", "CSI 1;19H日", "CSI ?69hCSI 3;9sCSI 1;9Hx",
    "CSI 2;5rCSI ?6hCSI 3;20Hx", "CSI 1;20He\u{301}", "CSI 31;7mCSI 1;20H", "ESC )0\u{E}CSI 1;20Hq",
    "CSI 97;100;3;9;53m", "CSI 4hCSI 2;5rCSI ?6hCSI 1;20Hx",
  ])
  func `every state is as before after it was dropped or erased`(sequence: String) {
    let overlay = Overlay()
    overlay.pass(sequence)
    overlay.show(hud)
    overlay.settle()
    #expect(overlay.isPainted)
    #expect(overlay.difference(bytes(sequence), mask: hud) == nil)
    overlay.pass("CSI S")
    overlay.settle()
    overlay.compositor.hide()
    overlay.settle()
    #expect(overlay.difference(bytes(sequence + "CSI S")) == nil)
  }

  @Test(arguments: [
    "CSI 1;20HxCSI Z", "CSI 2;4rCSI ?6hESC 7CSI ?6lCSI 1;1HCSI rCSI 5;6rESC 8",
    "CSI 44mESC 7CSI 41mESC 8",
  ])
  func `in a state that cannot be restored nothing is drawn, and the HUD is away before it`(
    sequence: String
  ) {
    let overlay = Overlay()
    overlay.show(hud)
    overlay.settle()
    overlay.pass(sequence)
    overlay.settle()
    #expect(!overlay.isPainted)
    #expect(overlay.difference(bytes(sequence)) == nil)
    overlay.pass("CSI 0mCSI ?6lCSI 1;1H")
    overlay.settle()
    #expect(overlay.isPainted)
  }

  @Test func `a link too long to be kept is erased for, and ends with its own end alone`() {
    let overlay = Overlay()
    overlay.show(hud)
    overlay.settle()
    let long = String(repeating: "a", count: 5000)
    overlay.pass("ESC 7OSC 8;;http://\(long) STlink CSI 0mESC 8CSI 6;1H LF ")
    overlay.settle()
    #expect(!overlay.isPainted)
    #expect(overlay.lateErases == 0)
    overlay.pass("OSC 8;; STx")
    overlay.settle()
    #expect(overlay.isPainted)
  }

  @Test func `in tmux a REP after an injection ends with the line too`() {
    let overlay = Overlay(quirks: .tmux)
    overlay.show(hud)
    overlay.pass("CSI 4;10Ha")
    overlay.settle()
    overlay.pass("CSI 200b")
    overlay.settle()
    #expect(overlay.line(4) == String(repeating: " ", count: 9) + String(repeating: "a", count: 11))
    #expect(overlay.line(5).isEmpty)
  }

  @Test func `release leaves the terminal as the program has it`() {
    let overlay = Overlay()
    overlay.compositor.hasSynchronizedUpdates = true
    overlay.show(hud)
    overlay.settle()
    overlay.pass("CSI 6;1H\nCSI 3")
    overlay.compositor.release(now: overlay.now, to: &overlay.queue)
    overlay.deliver()
    #expect(!overlay.isUpdating)
    #expect(overlay.sent.suffix(3) == bytes("CSI 3")[...])
    overlay.pass("1m")
    #expect(overlay.style == Style(foreground: .ansi(1)))
  }

  // MARK: Random

  private enum Look: CaseIterable { case drawn, ghost, tmux, updates }

  @Test(arguments: 1...60, Look.allCases)
  private func `random streams in random pieces leave the same terminal`(seed: Int, look: Look) {
    let quirks: TerminalQuirks = look == .tmux ? .tmux : .xterm
    var numbers = SeededRandom(seed: UInt64(seed) &+ 77)
    // SPA beside DECSCA: which of the two a cell was protected by is not kept.
    let input = ScreenRandomTests.stream(UInt64(seed), steps: 120, omitted: ["ESC V", "ESC W"])
    let overlay = Overlay(quirks: quirks, isGhost: look == .ghost)
    overlay.compositor.hasSynchronizedUpdates = look == .updates
    overlay.show(hud, text: "a")
    var from = 0
    var picture = 0
    while from < input.count {
      let count = min(input.count - from, Int.random(in: 1...12, using: &numbers))
      overlay.pass(Array(input[from..<from + count]))
      from += count
      if overlay.compositor.lateErases > 0 {
        let recent = String(decoding: input[..<from].suffix(60), as: UTF8.self)
        Issue.record("seed \(seed), forced: \(recent.debugDescription)")
        return
      }
      if Int.random(in: 0..<3, using: &numbers) == 0 {
        overlay.settle(isIdle: Bool.random(using: &numbers))
      }
      switch Int.random(in: 0..<20, using: &numbers) {
      case 0: overlay.compositor.hide()
      case 1...5:
        picture += 1
        overlay.show(hud, text: ["a", "ab", "xyz", "日"][picture % 3])
      default: break
      }
      if overlay.compositor.screen.isAtGround, !overlay.compositor.screen.isUpdating {
        let isWhole = look == .ghost || !overlay.compositor.isPainted
        let mask = isWhole ? nil : overlay.compositor.covered
        if let text = overlay.difference(Array(input[..<from]), quirks: quirks, mask: mask) {
          let recent = String(decoding: input[..<from].suffix(120), as: UTF8.self)
          Issue.record("seed \(seed) \(look) after \(from): \(text) \(recent.debugDescription)")
          return
        }
      }
    }
  }
}
