import PerfHUDBase
import TestSupport
import Testing

@testable import Terminal

/// Plain output that is sent before it is modeled: the terminal and the model end up as
/// if both had taken it at once.
@Suite struct CompositorAheadTests {
  private static let hud = Rect(row: 0, column: 10, rows: 2, columns: 8)

  /// Mostly plain output, in pieces of all sizes; every few lines something else.
  private static func stream(_ numbers: inout SeededRandom, lines: Int, isPlain: Bool)
    -> [UInt8]
  {
    var result: [UInt8] = []
    for _ in 0..<lines {
      for _ in 0..<Int.random(in: 0...4, using: &numbers) { result += part(&numbers) }
      result += Int.random(in: 0..<15, using: &numbers) == 0 ? [0x0A] : [0x0D, 0x0A]
      if !isPlain, Int.random(in: 0..<60, using: &numbers) == 0 { result += other(&numbers) }
    }
    return result
  }

  private static func part(_ numbers: inout SeededRandom) -> [UInt8] {
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }
    switch number(0...9) {
    case 0...3:
      return (0..<number(1...30)).map { _ in UInt8.random(in: 0x20...0x7E, using: &numbers) }
    case 4:
      return bytes("CSI \(["0", "", "1", "31", "42", "1;33", "7", "4:3", "22"].pick(&numbers))m")
    case 5:
      return bytes(
        "CSI \([38, 48].pick(&numbers));2;\(number(0...255));\(number(0...255));\(number(0...255))m"
      )
    case 6: return bytes("CSI K")
    case 7: return Array(["日本語", "é", "e\u{301}", "ｆ", "→·", "😀", "\u{302}"].pick(&numbers).utf8)
    case 8: return Array(["👍\u{1F3FD}", "a\u{200D}b", "\u{7}"].pick(&numbers).utf8)
    default: return [0x09]
    }
  }

  private static func other(_ numbers: inout SeededRandom) -> [UInt8] {
    [
      bytes("CSI H"), bytes("CSI 2J"), bytes("CSI 3b"), bytes("ESC M"), bytes("OSC 2;t ST"),
      bytes("CSI ?2026h"), bytes("CSI ?2026l"), bytes("CSI 2;4r"), bytes("CSI r"), [0xC3], [0xFF],
      bytes("CSI ?1049h"), bytes("CSI ?1049l"), bytes("CSI 6n"), bytes("CSI >4;1m"), [0x1B],
      bytes("OSC 7337;x BEL"), bytes("CSI 99;1H"), [0x7F], [0xC2], [0xC2, 0xC2, 0x85],
      [0xC2, 0x0E, 0x0F],
      [0xC2] + bytes("CSI ?25l"), [0xC2] + bytes("CSI 2;4r"), [0xFC, 0x80], [0xFE],
      [0x0E], [0x0F], [0xC2, 0x85], [0x08],
    ].pick(&numbers)
  }

  private enum Look: CaseIterable { case hidden, drawn, ghost, updates, tmux, other }

  @Test(arguments: 1...80, Look.allCases)
  private func `plain output in random pieces leaves the same terminal and model`(
    seed: Int, look: Look
  ) {
    var numbers = SeededRandom(seed: UInt64(seed))
    let quirks: TerminalQuirks = look == .tmux ? .tmux : look == .other ? [] : .xterm
    let input = CompositorAheadTests.stream(&numbers, lines: 200, isPlain: seed % 4 == 0)
    let overlay = Overlay(quirks: quirks, isGhost: look == .ghost)
    overlay.compositor.leastPassthrough = 1
    overlay.compositor.hasSynchronizedUpdates = look == .updates
    overlay.compositor.joinsUpdates = seed % 2 == 0
    if look != .hidden { overlay.show(CompositorAheadTests.hud) }
    var from = 0
    var aheads = 0
    while from < input.count {
      let count = min(input.count - from, Int.random(in: 1...700, using: &numbers))
      overlay.pass(
        Array(input[from..<from + count]), hasMore: Int.random(in: 0..<2, using: &numbers) == 0)
      from += count
      if overlay.hasModelLag { aheads += 1 }
      switch Int.random(in: 0..<12, using: &numbers) {
      case 0: overlay.compositor.hide()
      case 1 where look != .hidden: overlay.show(CompositorAheadTests.hud)
      case 2: overlay.settle(isIdle: false)
      case 3: overlay.settle(isIdle: true)
      default: break
      }
      guard overlay.compositor.screen.isAtGround, !overlay.isUpdating else { continue }
      let isBare = look == .ghost || !overlay.isPainted
      let mask = isBare ? nil : overlay.compositor.covered
      if let text = overlay.difference(Array(input[..<from]), quirks: quirks, mask: mask) {
        let recent = String(decoding: input[..<from].suffix(200), as: UTF8.self)
        Issue.record("seed \(seed) \(look) after \(from): \(text) \(recent.debugDescription)")
        return
      }
    }
    // In a terminal that was not measured plain output may leave the column uncertain.
    if seed % 4 == 0, look != .other { #expect(aheads > 0) }
    overlay.compositor.release(now: overlay.now, to: &overlay.queue)
    overlay.deliver()
    #expect(!overlay.hasModelLag)
    // The model equals the terminal.
    let text = firstDifference(overlay.compositor.screen, overlay.terminal, mask: nil)
    if let text { Issue.record("seed \(seed) \(look), model: \(text)") }
  }

  @Test func `lines go ahead while the HUD is away, and the model follows for the next HUD`() {
    let overlay = Overlay()
    overlay.show(CompositorAheadTests.hud)
    overlay.settle()
    overlay.pass("CSI 6;1H")
    overlay.pass("\n")
    #expect(!overlay.isPainted)
    let lines = (0..<40_000).map { "line \($0)\r\n" }.joined()
    overlay.pass("x")
    overlay.pass(lines)
    #expect(overlay.hasModelLag)
    #expect(overlay.line(5) == "line 39999")
    overlay.settle()
    #expect(!overlay.hasModelLag)
    #expect(overlay.isPainted)
    #expect(overlay.modelLine(5) == "line 39999")
  }

  @Test(arguments: ["\n", "\u{1B}[31m\n", "\n\u{1B}[31m"])
  func `after the line feed that erases the HUD lines are sent at once`(start: String) {
    let overlay = Overlay()
    overlay.show(CompositorAheadTests.hud)
    overlay.settle()
    overlay.pass("CSI 6;1H")
    let lines = (0..<2000).map { "line \($0)\r\n" }.joined()
    overlay.pass(start + lines + "CSI ")
    #expect(overlay.hasModelLag)
    #expect(overlay.line(5) == "line 1999")
    overlay.pass("1mx")
    overlay.settle()
    #expect(overlay.isPainted)
    #expect(overlay.modelLine(5) == "line 1999")
    let difference = overlay.difference(
      overlay.passed, mask: overlay.compositor.covered)
    #expect(difference == nil)
  }

  @Test func `after a line feed that erases the HUD an accent finds its letter, and REP too`() {
    for rest in ["e\u{301}", "xCSI 3b", "\u{301}", "CSI 3b"] {
      let overlay = Overlay()
      overlay.compositor.leastPassthrough = 1
      overlay.show(CompositorAheadTests.hud)
      overlay.settle()
      overlay.pass("CSI 6;1Ha")
      overlay.pass("\n" + rest)
      overlay.settle()
      let difference = overlay.difference(
        overlay.passed, mask: overlay.compositor.covered)
      #expect(difference == nil)
    }
  }

  @Test(arguments: 0...40)
  func `SGR with parameters of any length is plain, and nothing else is`(length: Int) throws {
    let parameters = (0..<length).map { Array("0123456789:;".utf8)[$0 % 12] }
    let start = bytes("xCSI ") + parameters
    let after = Array(repeating: UInt8(ascii: "y"), count: 30)
    func look(_ input: [UInt8]) throws -> (end: Int, isUnfinished: Bool) {
      try unsafe input.withUnsafeBytes { buffer in
        try #require(unsafe UncheckedBytes(buffer)).plainOutput(from: 0, to: input.count)
      }
    }
    for rest in [after, []] {
      for final in "mK".utf8 {
        let all = start + [final] + rest
        #expect(try look(all) == (all.count, false))
      }
      for final in "HhJ?\u{20}\u{7F}\u{C}".utf8 {
        let all = start + [final] + rest
        #expect(try look(all) == (1, false))
      }
    }
    #expect(try look(start) == (1, true))
  }

  @Test func `a character or sequence that has not ended stays until the rest of it comes`() {
    let overlay = Overlay()
    let lines = Array((0..<2000).map { "line \($0)\r\n" }.joined().utf8)
    for (end, rest, text) in [
      (Array("日".utf8.prefix(2)), Array("日".utf8.suffix(1)), "日"),
      (bytes("CSI 38;5;1"), bytes("2mx"), "x"), ([0x1B], bytes("[mx"), "x"), ([0xC2], [0xA9], "©"),
    ] {
      overlay.pass("\r")
      overlay.pass(lines + end)
      #expect(overlay.hasModelLag)
      #expect(overlay.sent.last == 0x0A)
      overlay.pass(rest)
      #expect(overlay.sent.suffix(end.count + rest.count) == (end + rest)[...])
      #expect(overlay.line(6) == text)
    }
  }

  @Test func `a byte C2 hides no sequence after it`() {
    let overlay = Overlay()
    let lines = Array((0..<5000).map { "line \($0)\r\n" }.joined().utf8)
    overlay.pass("CSI 6;1H")
    overlay.pass([0x0A, 0xC2] + bytes("CSI ?25l") + lines)
    #expect(!overlay.showsCursor)
    overlay.pass([0x0A, 0xC2] + bytes("CSI ?1049h") + lines)
    overlay.settle()
    #expect(overlay.isAlternate)
  }

  @Test func `output goes ahead too where the piece before ended within a character or sequence`() {
    let overlay = Overlay()
    let lines = Array((0..<2000).map { "line \($0)\r\n" }.joined().utf8)
    for (end, rest, text) in [
      (Array("日".utf8.prefix(2)), Array("日".utf8.suffix(1)), "日"),
      (bytes("CSI 38;5;1"), bytes("2mx"), "x"),
    ] {
      overlay.pass("CSI 6;1H")
      overlay.pass(end)
      #expect(!overlay.hasModelLag)
      overlay.pass(rest + [0x0D, 0x0A] + lines)
      #expect(overlay.hasModelLag)
      overlay.settle()
      overlay.pass("CSI H")
      let difference = firstDifference(overlay.compositor.screen, overlay.terminal, mask: nil)
      #expect(difference == nil)
      overlay.pass("CSI 2J" + text)
      #expect(overlay.modelLine(1) == text)
    }
    overlay.pass("CSI 38;5;1")
    overlay.pass(Array("\u{1B}7".utf8) + lines)
    #expect(overlay.sent.suffix(lines.count) == lines[...])
  }

  @Test func `a control in between has the model take what went ahead first`() {
    let overlay = Overlay()
    let lines = Array((0..<2000).map { "line \($0)\r\n" }.joined().utf8)
    for control in ["CSI 6n", "CSI ?1049h", "OSC 2;title ST", "ESC c", "\u{9B}5n"] {
      overlay.pass("x")
      overlay.pass(lines)
      #expect(overlay.hasModelLag)
      overlay.pass(control)
      #expect(!overlay.hasModelLag)
      let text = firstDifference(overlay.compositor.screen, overlay.terminal, mask: nil)
      #expect(text == nil)
    }
  }
}

extension Overlay {
  fileprivate var hasModelLag: Bool { compositor.hasModelLag }
  fileprivate var showsCursor: Bool { compositor.screen.modes.contains(.visibleCursor) }
  fileprivate var isAlternate: Bool { compositor.screen.isAlternate }
}
