import HUD
import PerfHUDBase
import Terminal
import Testing

@testable import PerfHUD

/// What is typed, at times that the test says, and what of it is passed on.
final class Typing {
  static let start = Instant(nanoseconds: 1_000_000_000)
  /// The answers of a terminal that has everything, to the questions of the start.
  static let answers =
    "\u{1B}P>|XTerm(379)\u{1B}\\\u{1B}[?2026;2$y\u{1B}[?69;1$y\u{1B}[12;34R\u{1B}[?64;1;2c"

  var typed: InputRouter
  private(set) var passed: [UInt8] = []
  let probe: Int

  init(prefixKey: PrefixKey? = nil) {
    var features = TerminalFeatures()
    _ = features.questions(term: "xterm")
    typed = InputRouter(features: features, prefixKey: prefixKey)
    probe = typed.expectCursor(at: Typing.start, isProbe: true)
  }

  /// One whose questions have been answered.
  static func quiet(prefixKey: PrefixKey? = nil) -> Typing {
    let test = Typing(prefixKey: prefixKey)
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
    typed.resolve(now: now, into: &passed)
    var index = 0
    while index < bytes.count {
      index += unsafe typed.take(
        bytes.span.extracting(index..<bytes.count).bytes, at: now, into: &passed)
    }
  }

  func takeCursor() -> InputRouter.CursorReport? { typed.takeCursor() }

  func resolve(after milliseconds: Int64) {
    let now = Typing.start.advanced(byNanoseconds: milliseconds * 1_000_000)
    typed.resolve(now: now, into: &passed)
  }
}

/// What of the bytes from a terminal reaches the command.
@Suite struct InputRouterTests {
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
            == InputRouter.CursorReport(question: test.probe, place: Point(row: 11, column: 33)))
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

  @Test func `late answers are taken out, those after the limit are not`() {
    var test = Typing()
    test.take(Typing.answers, after: 9900)
    #expect(test.text.isEmpty)
    test = Typing()
    test.typed.giveUp()
    test.take("\u{1B}[12;34R\u{1B}[?1;2c", after: 10_000)
    #expect(test.text == "\u{1B}[12;34R\u{1B}[?1;2c" && test.takeCursor() == nil)
  }

  @Test func `DA1 without an answer for the cursor: it is waited for no longer`() {
    let test = Typing()
    #expect(!test.typed.lacksCursorReports)
    test.take("\u{1B}[?1;2c")
    #expect(test.text.isEmpty && !test.typed.isExpecting && test.typed.lacksCursorReports)
    test.take("\u{1B}[3;4R")
    #expect(test.text == "\u{1B}[3;4R")
  }

  @Test func `a question after DA1 is open when that has been answered`() {
    let test = Typing()
    let number = test.typed.expectCursor(at: Typing.start)
    test.take(Typing.answers)
    #expect(test.typed.isExpecting)
    test.take("\u{1B}[5;6R")
    #expect(test.text.isEmpty && test.takeCursor()?.question == number)
  }

  @Test func `an answer after a lone ESC and within a paste's end is taken out`() {
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

  @Test func `half of a sequence that is never completed is passed after 1 s`() throws {
    let test = Typing.quiet()
    _ = test.typed.expectCursor(at: Typing.start)
    test.take("\u{1B}[1;")
    #expect(test.text.isEmpty)
    #expect(
      try #require(test.typed.deadline).nanoseconds(since: Typing.start) == 1_000_000_000)
    test.resolve(after: 999)
    #expect(test.text.isEmpty)
    test.resolve(after: 1000)
    #expect(test.text == "\u{1B}[1;" && test.typed.deadline == nil && test.typed.isExpecting)
    test.take("5A\u{1B}[7;", after: 1001)
    #expect(test.text == "\u{1B}[1;5A")
    test.take("8R", after: 1900)
    #expect(test.text == "\u{1B}[1;5A" && test.takeCursor()?.place == Point(row: 6, column: 7))
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
        test.resolve(after: 20_000)
        #expect(test.passed == bytes, "in pieces of \(piece), \(isQuiet ? "quiet" : "expecting")")
      }
    }
  }

  // MARK: The command's own questions

  @Test func `plain keys are counted and passed as with a decoder, also after half a sequence`() {
    let prefix = PrefixKey(text: "ctrl-o")
    for (first, second) in [
      ("ab\r", "c\t"), ("\u{1B}[", "A"), ("\u{1B}", "x"), ("é", "y\u{1B}[Bz"),
    ] {
      // While perfhud waits for an answer, every byte goes through the decoder.
      let (plain, careful) = (Typing.quiet(prefixKey: prefix), Typing.quiet(prefixKey: prefix))
      _ = careful.typed.expectCursor(at: Typing.start)
      for test in [plain, careful] {
        test.take(first)
        test.take(second)
        test.take("\u{0F}q\u{0F}\u{0F}!")
        test.resolve(after: 2000)
      }
      #expect(plain.passed == careful.passed)
      #expect(plain.typed.passedKeys == careful.typed.passedKeys)
      #expect(plain.typed.takeKeys() == careful.typed.takeKeys())
      #expect(plain.text.hasPrefix(first + second))
    }
  }

  @Test func `the command's answers for the cursor reach it, in the order of asking`() {
    let test = Typing.quiet()
    test.typed.note(cursorQuestions: 2)
    let number = test.typed.expectCursor(at: Typing.start)
    test.typed.note(cursorQuestions: 3)
    test.take("\u{1B}[1;1R\u{1B}[2;2R\u{1B}[3;3R\u{1B}[4;4R")
    #expect(test.text == "\u{1B}[1;1R\u{1B}[2;2R\u{1B}[4;4R")
    #expect(
      test.takeCursor()
        == InputRouter.CursorReport(question: number, place: Point(row: 2, column: 2)))
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
    test.resolve(after: 9999)
    #expect(test.typed.isExpecting)
    test.resolve(after: 10_000)
    test.typed.note(cursorQuestions: 1)
    test.take("\u{1B}[7;7R", after: 10_001)
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
