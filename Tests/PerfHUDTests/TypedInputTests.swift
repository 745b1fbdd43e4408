import Base
import HUD
import Terminal
import Testing

@testable import PerfHUD

/// What is typed, at times that the test says, and what of it is passed on.
private final class Typing {
  static let start = Instant(nanoseconds: 1_000_000_000)
  /// The answers of a terminal that has everything, to the questions of the start.
  static let answers =
    "\u{1B}P>|XTerm(379)\u{1B}\\\u{1B}[?2026;2$y\u{1B}[?69;1$y\u{1B}[12;34R\u{1B}[?64;1;2c"

  var typed: TypedInput
  private(set) var passed: [UInt8] = []
  let probe: Int

  init(leader: Leader? = nil) {
    var features = TerminalFeatures()
    _ = features.questions(term: "xterm")
    typed = TypedInput(features: features, leader: leader)
    probe = typed.expectCursor(at: Typing.start, isProbe: true)
  }

  /// One whose questions have been answered.
  static func quiet(leader: Leader? = nil) -> Typing {
    let test = Typing(leader: leader)
    test.take(answers)
    _ = test.takeCursor()
    test.passed.removeAll()
    return test
  }

  var text: String { String(decoding: passed, as: UTF8.self) }

  func take(_ text: String, after milliseconds: Int64 = 0) {
    take(Array(text.utf8)[...], after: milliseconds)
  }

  func take(_ bytes: ArraySlice<UInt8>, after milliseconds: Int64 = 0) {
    let now = Typing.start.advanced(byNanoseconds: milliseconds * 1_000_000)
    let bytes = Array(bytes)
    unsafe typed.take(bytes.span.bytes, at: now, into: &passed)
  }

  func takeCursor() -> TypedInput.CursorReport? { typed.takeCursor() }

  func resolve(after milliseconds: Int64) {
    let now = Typing.start.advanced(byNanoseconds: milliseconds * 1_000_000)
    typed.resolve(now: now, into: &passed)
  }
}

/// What of the bytes from a terminal reaches the command.
@Suite struct TypedInputTests {
  // MARK: Answers to perfhud

  @Test func `the answers are taken out, wherever the bytes are cut`() {
    let bytes = Array("ab\(Typing.answers)cd\u{1B}[A".utf8)
    for first in 0...bytes.count {
      for second in stride(from: first, through: bytes.count, by: 5) {
        let test = Typing()
        test.take(bytes[..<first])
        test.take(bytes[first..<second])
        test.take(bytes[second...])
        #expect(test.text == "abcd\u{1B}[A", "cut at \(first) and \(second)")
        #expect(
          test.takeCursor()
            == TypedInput.CursorReport(question: test.probe, place: Point(row: 11, column: 33)))
        #expect(!test.typed.isExpecting && test.typed.features.isComplete)
        #expect(test.typed.features.hasSynchronizedUpdates && test.typed.features.hasSideMargins)
        #expect(test.typed.features.version == "XTerm(379)")
      }
    }
  }

  @Test func `keys between the answers keep their order`() {
    let test = Typing()
    test.take("1\u{1B}[?2026;2$y2\u{1B}[A\u{1B}[?69;1$y日\u{1B}[1;1R\u{3}\u{1B}[?1;2c4")
    #expect(test.text == "12\u{1B}[A日\u{3}4")
  }

  @Test func `answers that come late are taken out, behind the limit they are not`() {
    var test = Typing()
    test.take(Typing.answers, after: 2900)
    #expect(test.text.isEmpty)
    test = Typing()
    test.typed.giveUp()
    test.take("\u{1B}[12;34R\u{1B}[?1;2c", after: 3000)
    #expect(test.text == "\u{1B}[12;34R\u{1B}[?1;2c" && test.takeCursor() == nil)
  }

  @Test func `DA1 without an answer for the cursor: it is waited for no longer`() {
    let test = Typing()
    test.take("\u{1B}[?1;2c")
    #expect(test.text.isEmpty && !test.typed.isExpecting)
    test.take("\u{1B}[3;4R")
    #expect(test.text == "\u{1B}[3;4R")
  }

  @Test func `a question behind DA1 is open when that has been answered`() {
    let test = Typing()
    let number = test.typed.expectCursor(at: Typing.start)
    test.take(Typing.answers)
    #expect(test.typed.isExpecting)
    test.take("\u{1B}[5;6R")
    #expect(test.text.isEmpty && test.takeCursor()?.question == number)
  }

  @Test func `an answer behind a lone ESC and within a paste's end is taken out`() {
    var test = Typing.quiet()
    test.take("\u{1B}")
    #expect(test.text == "\u{1B}")
    var number = test.typed.expectCursor(at: Typing.start)
    test.take("\u{1B}[5;6R", after: 5)
    #expect(test.text == "\u{1B}" && test.takeCursor()?.question == number)
    test = Typing.quiet()
    test.take("\u{1B}[200~pasted")
    number = test.typed.expectCursor(at: Typing.start)
    test.take(" more\u{1B}[201~\u{1B}[5;6Rx")
    #expect(test.text == "\u{1B}[200~pasted more\u{1B}[201~x")
    #expect(test.takeCursor()?.question == number)
  }

  @Test func `what looks like an answer within a paste is pasted`() {
    let test = Typing()
    test.take("\u{1B}[200~\u{1B}[1;1R\u{1B}[?1;2c\u{1B}[201~")
    #expect(test.text == "\u{1B}[200~\u{1B}[1;1R\u{1B}[?1;2c\u{1B}[201~" && test.typed.isExpecting)
  }

  // MARK: Keys

  @Test func `a lone ESC is passed at once when nothing is expected`() {
    let test = Typing.quiet()
    test.take("\u{1B}")
    #expect(test.text == "\u{1B}" && test.typed.deadline == nil)
    test.take("[A")
    #expect(test.text == "\u{1B}[A")
  }

  @Test func `a lone ESC is passed after 25 ms when something is expected`() throws {
    let test = Typing()
    test.take("\u{1B}")
    #expect(test.text.isEmpty)
    #expect(
      try #require(test.typed.deadline).nanoseconds(since: Typing.start) == 25_000_000)
    test.resolve(after: 24)
    #expect(test.text.isEmpty)
    test.resolve(after: 25)
    #expect(test.text == "\u{1B}" && test.typed.deadline == nil)
    test.take("\u{1B}O", after: 30)
    test.resolve(after: 60)
    #expect(test.text == "\u{1B}\u{1B}O")
  }

  @Test func `half of a sequence that is never completed is passed when no answer can come`() throws
  {
    let test = Typing.quiet()
    _ = test.typed.expectCursor(at: Typing.start)
    test.take("\u{1B}[1;")
    #expect(test.text.isEmpty)
    #expect(
      try #require(test.typed.deadline).nanoseconds(since: Typing.start) == 3_000_000_000)
    test.resolve(after: 3000)
    #expect(test.text == "\u{1B}[1;" && test.typed.deadline == nil && !test.typed.isExpecting)
    test.take("5A", after: 3001)
    #expect(test.text == "\u{1B}[1;5A")
  }

  @Test func `every byte passes verbatim, expected answers or not, wherever it is cut`() {
    var bytes: [UInt8] = (0...255).map { UInt8($0) }
    bytes += Array("\u{1B}\u{1B}[A\u{1B}P1$r0m\u{1B}\\\u{1B}]52;c;".utf8)
    bytes += [UInt8](repeating: 0x41, count: 10_000) + [0x07]
    bytes += Array(
      "\u{1B}[M !!\u{1B}[<0;1;1M\u{1B}[[A\u{1B}OP\u{1B}[200~a\u{1B}[20b\u{1B}[201~x".utf8)
    bytes += Array("\u{1B}]11;rgb:0/0/0\u{1B}[A\u{1B}P\u{18}é".utf8)
    for piece in [1, 2, 3, 7, 64, 4096, 20_000] {
      for isQuiet in [false, true] {
        let test = isQuiet ? Typing.quiet() : Typing()
        var rest = bytes[...]
        while !rest.isEmpty {
          test.take(rest.prefix(piece))
          rest = rest.dropFirst(piece)
        }
        test.resolve(after: 10_000)
        #expect(test.passed == bytes, "in pieces of \(piece), \(isQuiet ? "quiet" : "expecting")")
      }
    }
  }

  // MARK: The command's own questions

  @Test func `the command's answers for the cursor reach it, in the order of asking`() {
    let test = Typing.quiet()
    test.typed.note(cursorQuestions: 2)
    let number = test.typed.expectCursor(at: Typing.start)
    test.typed.note(cursorQuestions: 3)
    test.take("\u{1B}[1;1R\u{1B}[2;2R\u{1B}[3;3R\u{1B}[4;4R")
    #expect(test.text == "\u{1B}[1;1R\u{1B}[2;2R\u{1B}[4;4R")
    #expect(
      test.takeCursor()
        == TypedInput.CursorReport(question: number, place: Point(row: 2, column: 2)))
  }

  @Test func `more open questions of the command than anyone counts`() {
    let test = Typing.quiet()
    test.typed.note(cursorQuestions: 1000)
    let number = test.typed.expectCursor(at: Typing.start)
    for _ in 0..<1000 { test.take("\u{1B}[9;9R") }
    #expect(test.passed.count == 6000)
    test.take("\u{1B}[8;8R")
    #expect(test.passed.count == 6000 && test.takeCursor()?.question == number)
  }

  @Test func `the first DA1 and mode answers are perfhud's, the second the command's`() {
    let test = Typing()
    test.typed.note(cursorQuestions: 1)
    let command = "\u{1B}P>|XTerm(379)\u{1B}\\\u{1B}[?2026;2$y\u{1B}[5;5R\u{1B}[?64c"
    test.take(Typing.answers + command)
    #expect(test.text == command)
  }

  @Test func `a question that is never answered does not take the answer to a later one`() {
    let test = Typing.quiet()
    _ = test.typed.expectCursor(at: Typing.start)
    test.resolve(after: 3000)
    test.typed.note(cursorQuestions: 1)
    test.take("\u{1B}[7;7R", after: 3001)
    #expect(test.text == "\u{1B}[7;7R" && test.takeCursor() == nil)
  }

  @Test func `an answer has the number of its question`() {
    let test = Typing.quiet()
    let first = test.typed.expectCursor(at: Typing.start)
    let second = test.typed.expectCursor(at: Typing.start)
    test.take("\u{1B}[1;1R")
    #expect(test.takeCursor()?.question == first)
    test.take("\u{1B}[2;2R")
    #expect(test.takeCursor()?.question == second)
  }

  @Test func `CSI 1;5 R is Ctrl-F3 when nobody has asked`() {
    let test = Typing.quiet()
    test.take("\u{1B}[1;5R\u{1B}[?3;4;1R")
    #expect(test.text == "\u{1B}[1;5R\u{1B}[?3;4;1R")
  }

  @Test func `after a stop nothing is expected and what comes is the command's`() {
    let test = Typing()
    test.take("\u{1B}[")
    test.typed.reset()
    test.take("x\u{1B}[1;9R\u{1B}[?1;2c")
    #expect(test.text == "x\u{1B}[1;9R\u{1B}[?1;2c" && !test.typed.isExpecting)
  }
}

/// The leader and the keys behind it, in every form in which a keyboard sends them.
@Suite struct LeaderKeyTests {
  private static let esc = "\u{1B}"

  private func typing(isRich: Bool = false) -> Typing {
    let test = Typing.quiet(leader: .standard)
    test.typed.hasRichKeyboard = isRich
    return test
  }

  /// Each cut of the text in three pieces.
  private func forEachCut(_ text: String, _ body: ([ArraySlice<UInt8>], String) -> Void) {
    let bytes = Array(text.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        body([bytes[..<first], bytes[first..<second], bytes[second...]], "\(first), \(second)")
      }
    }
  }

  @Test(arguments: [
    "\u{1E}", "\(esc)[94;5u", "\(esc)[54;5u", "\(esc)[54:94;6u", "\(esc)[94;5:1u",
    "\(esc)[27;5;94~",
    "\(esc)[27;6;94~", "\(esc)[27;5;54~",
  ])
  func `the leader takes the keys, wherever it is cut`(leader: String) {
    forEachCut("ab\(leader)g") { pieces, cut in
      let test = typing(isRich: leader.utf8.count > 1)
      for piece in pieces { test.take(piece) }
      #expect(test.text == "ab", "cut at \(cut)")
      #expect(test.typed.isLeading)
      #expect(test.typed.takeKeys() == [.character("g")])
      test.typed.endLeading()
      test.take("cd")
      #expect(test.text == "abcd")
    }
  }

  @Test(arguments: ["\u{1E}", "\(esc)[94;5u", "\(esc)[27;5;94~"])
  func `twice it goes through once, as it came`(leader: String) {
    forEachCut("a\(leader)\(leader)b") { pieces, cut in
      let test = typing(isRich: leader.utf8.count > 1)
      for piece in pieces { test.take(piece) }
      #expect(test.text == "a\(leader)b", "cut at \(cut)")
      #expect(!test.typed.isLeading && test.typed.takeKeys().isEmpty)
    }
  }

  @Test func `keys behind it are the HUD's, all else is the command's`() {
    let mouse = "\(Self.esc)[<0;10;20M"
    let paste = "\(Self.esc)[200~h\u{1E}m\(Self.esc)[201~"
    forEachCut("\u{1E}\(mouse)s\(paste)\(Self.esc)[A\(Self.esc)[I1") { pieces, cut in
      let test = typing()
      for piece in pieces { test.take(piece) }
      #expect(test.text == "\(mouse)\(paste)\(Self.esc)[I", "cut at \(cut)")
      #expect(test.typed.takeKeys() == [.character("s"), .up, .character("1")], "cut at \(cut)")
    }
  }

  @Test func `in a paste it is text`() {
    let paste = "\(Self.esc)[200~a\u{1E}b\(Self.esc)[94;5uc\(Self.esc)[201~"
    forEachCut(paste + "z") { pieces, cut in
      for isRich in [false, true] {
        let test = typing(isRich: isRich)
        for piece in pieces { test.take(piece) }
        test.resolve(after: 500)
        #expect(test.text == paste + "z", "cut at \(cut)")
        #expect(!test.typed.isLeading)
      }
    }
  }

  @Test func `the Esc key behind it is known by the pause after it`() {
    let test = typing()
    test.take("\u{1E}")
    test.take(Self.esc)
    #expect(test.typed.takeKeys().isEmpty && test.typed.deadline != nil)
    test.resolve(after: 30)
    #expect(test.typed.takeKeys() == [.escape] && test.passed.isEmpty)
  }

  @Test func `releases of keys that were taken are taken, others are the command's`() {
    let test = typing(isRich: true)
    // Ctrl-^ down and up, h down; then the HUD gives the keys back; h up, x down and up.
    test.take("\(Self.esc)[94;5u\(Self.esc)[94;5:3u\(Self.esc)[104u")
    #expect(test.typed.takeKeys() == [.character("h")])
    test.typed.endLeading()
    test.take("\(Self.esc)[104;1:3u\(Self.esc)[120u\(Self.esc)[120;1:3u")
    #expect(test.text == "\(Self.esc)[120u\(Self.esc)[120;1:3u")
  }

  @Test func `no ESC is held up on a keyboard that sends keys as bytes`() {
    let test = typing()
    test.take(Self.esc)
    #expect(test.text == Self.esc && test.typed.deadline == nil)
    test.take("\u{1E}")
    #expect(test.text == "\(Self.esc)\u{1E}", "Alt with the leader is another key")
  }

  @Test func `on a rich keyboard what turns out to be nothing is passed on`() {
    let test = typing(isRich: true)
    test.take("\(Self.esc)[9")
    #expect(test.text.isEmpty)
    test.resolve(after: 150)
    #expect(test.text == "\(Self.esc)[9")
    test.take("4;2u")
    #expect(test.text == "\(Self.esc)[94;2u")
  }

  @Test(arguments: [
    "hl s\n", "qabc", "\u{3}abc", "\(esc)abc", "?xsqlast", "\(esc)\(esc)[A", "\(esc)\u{4}x",
  ])
  func `what ends it ends it wherever the bytes are cut`(keys: String) {
    let whole = typing()
    whole.take("\u{1E}" + keys)
    whole.resolve(after: 50)
    let single = typing()
    for (index, byte) in Array(("\u{1E}" + keys).utf8).enumerated() {
      single.take([byte][...], after: Int64(index) * 200)
      single.resolve(after: Int64(index) * 200 + 100)
    }
    #expect(!whole.typed.isLeading && !single.typed.isLeading)
    if keys.hasPrefix(Self.esc + Self.esc) {
      #expect(whole.text == "\(Self.esc)[A")
    } else {
      #expect(whole.text == single.text)
      #expect(whole.typed.takeKeys() == single.typed.takeKeys())
      #expect(!whole.text.isEmpty)
    }
  }

  @Test func `a leader that is held down is pressed once`() {
    let test = typing(isRich: true)
    test.take("\(Self.esc)[54;5u\(Self.esc)[54;5:2u\(Self.esc)[54;5:2u\(Self.esc)[54;5:2u")
    #expect(test.typed.isLeading && test.passed.isEmpty)
    // Ctrl was let go first: the release names another key.
    test.take("\(Self.esc)[54;1:3u")
    #expect(test.passed.isEmpty)
    let twice = "\(Self.esc)[54;5u\(Self.esc)[54;5:2u\(Self.esc)[54;5:3u"
    test.take(twice)
    #expect(test.text == twice && !test.typed.isLeading, "the second is the command's")
  }

  @Test func `a key whose release never came is the command's when it is pressed again`() {
    let test = typing(isRich: true)
    test.take("\(Self.esc)[94;5u\(Self.esc)[103u\(Self.esc)[27u")
    #expect(test.typed.takeKeys() == [.character("g"), .escape] && !test.typed.isLeading)
    let pressed = "\(Self.esc)[103u\(Self.esc)[103;1:3u"
    test.take(pressed)
    #expect(test.text == pressed)
    // Shift let go before the key that it changed.
    test.take("\(Self.esc)[94;5u\(Self.esc)[47:63;2u\(Self.esc)[47;1:3u")
    #expect(test.text == pressed)
  }

  @Test func `half of a sequence behind the leader waits for the other half`() {
    let test = typing()
    test.take("\u{1E}\(Self.esc)[1;")
    test.resolve(after: 5000)
    #expect(test.passed.isEmpty)
    test.take("5A", after: 5100)
    #expect(test.passed.isEmpty && test.typed.isLeading)
  }

  @Test(arguments: [false, true])
  func `Esc twice, and then nothing, is Esc twice`(isRich: Bool) {
    for pieces in [["\u{1B}\u{1B}"], ["\u{1B}", "\u{1B}"]] {
      let test = typing(isRich: isRich)
      for piece in pieces { test.take(piece) }
      test.resolve(after: 30)
      test.resolve(after: 60)
      #expect(test.text == "\u{1B}\u{1B}")
      test.take("\t\u{1E}")
      #expect(test.text == "\u{1B}\u{1B}\t" && test.typed.isLeading)
      test.take("\u{1B}\u{1B}")
      test.resolve(after: 100)
      test.resolve(after: 230)
      #expect(test.typed.takeKeys() == [.escape])
      #expect(test.text == "\u{1B}\u{1B}\t\u{1B}", "the second is the command's")
    }
  }

  @Test func `without a leader every byte goes through`() {
    let bytes = (0...255).map { UInt8($0) } + Array("\(Self.esc)[94;5u".utf8)
    let test = Typing.quiet()
    test.take(bytes[...])
    test.resolve(after: 3000)
    #expect(test.passed == bytes)
  }

  /// 5000 times four tokens from printed seeds: what is not the leader or behind it comes through whole.
  @Test(arguments: 1...20)
  func `no key is lost and none is taken that is the command's`(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    func number(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(limit))
    }
    let others = [
      "x", "日本", "é", "\r", "\t", "\u{3}", "\(Self.esc)[A", "\(Self.esc)OP", "\(Self.esc)[1;5C",
      "\(Self.esc)[<35;10;20M", "\(Self.esc)[<0;1;2m", "\(Self.esc)[M !!", "\(Self.esc)[I",
      "\(Self.esc)[200~a\u{1E}b\(Self.esc)[201~", "\(Self.esc)x", "\(Self.esc)[24~",
      "\(Self.esc)[97;5u", "\(Self.esc)]11;rgb:0/0/0\u{7}", "\(Self.esc)[?1;2c",
    ]
    // These are what they are by the pause behind them alone.
    let short = [Self.esc, "\(Self.esc)\(Self.esc)", "\(Self.esc)["]
    let test = typing(isRich: seed.isMultiple(of: 2))
    var expected: [UInt8] = []
    var keys: [Key] = []
    var taken: [Key] = []
    var waiting: [UInt8] = []
    var time: Int64 = 10_000
    func type() {
      var index = 0
      while index < waiting.count {
        let end = min(waiting.count, index + 1 + number(40))
        test.take(waiting[index..<end], after: time)
        taken += test.typed.takeKeys()
        index = end
      }
      waiting.removeAll()
    }
    for _ in 0..<5000 {
      switch number(20) {
      case 0, 1:
        // Keys for the HUD, and the keys back by the leader, which goes through then.
        waiting += Array("\u{1E}x5\(Self.esc)[B\u{1E}".utf8)
        expected.append(0x1E)
        keys += [.character("x"), .character("5"), .down]
      default:
        let token = Array(others[number(others.count)].utf8)
        waiting += token
        expected += token
        if number(30) == 0 {
          let pause = Array(short[number(short.count)].utf8)
          waiting += pause
          expected += pause
          type()
          test.resolve(after: time + 200)
          time += 1000
        }
      }
    }
    type()
    test.resolve(after: time + 5000)
    #expect(test.passed == expected, "seed \(seed)")
    #expect(taken == keys, "seed \(seed)")
  }
}
