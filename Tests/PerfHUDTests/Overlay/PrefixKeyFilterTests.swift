import HUD
import PerfHUDBase
import Terminal
import TestSupport
import Testing

@testable import PerfHUD

/// The prefix key and the keys after it, in every form in which a keyboard sends them.
@Suite struct PrefixKeyFilterTests {
  static let esc = "\u{1B}"

  static let f12 = "\(esc)[24~"

  func typing(_ prefix: String = "ctrl-^", isRich: Bool = false) -> Typing {
    let test = Typing.quiet(prefixKey: PrefixKey(text: prefix))
    test.typed.hasRichKeyboard = isRich
    return test
  }

  /// Each cut of the text in three pieces.
  func forEachCut(_ text: String, _ body: ([ArraySlice<UInt8>], String) -> Void) {
    let bytes = Array(text.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        body([bytes[..<first], bytes[first..<second], bytes[second...]], "\(first), \(second)")
      }
    }
  }

  @Test(arguments: ["f", "\r"])
  func `f and Enter keep the focus until Esc or the prefix key`(keep: String) {
    for (end, isKey) in [(Self.esc, true), ("q", true), ("\u{3}", true), (Self.f12, false)] {
      let test = typing("f12")
      test.take(Self.f12 + keep + "gsg")
      #expect(test.typed.hasHUDFocus && test.passed.isEmpty)
      #expect(test.typed.takeKeys().count == 4)
      test.take(end, after: 100)
      test.resolve(after: 130)
      #expect(!test.typed.hasHUDFocus && test.passed.isEmpty)
      #expect(test.typed.takeKeys().count == (isKey ? 1 : 0))
      test.take("g", after: 200)
      #expect(test.text == "g")
    }
  }

  @Test func `a window that needs keys has them until it is closed`() {
    // The help; a setting that is typed; a filter in the list; the help over the list.
    for keys in ["?j?", ",\r5\r,", "\t&text\rq", "\t?xjq"] {
      let test = typing("f12")
      test.take(Self.f12 + keys.dropLast())
      #expect(test.typed.hasHUDFocus && test.passed.isEmpty)
      test.take(String(keys.suffix(1)))
      #expect(!test.typed.hasHUDFocus && test.passed.isEmpty)
      #expect(test.typed.takeKeys().count == keys.count)
      test.take("x")
      #expect(test.text == "x")
    }
  }

  @Test func `keys after it are the HUD's, all else is the command's`() {
    let mouse = "\(Self.esc)[<0;10;20M"
    let paste = "\(Self.esc)[200~h\u{1E}m\(Self.esc)[201~"
    forEachCut("\u{1E}f\(mouse)s\(paste)\(Self.esc)[A\(Self.esc)[I1") { pieces, cut in
      let test = typing()
      for piece in pieces { test.take(piece) }
      #expect(test.text == "\(mouse)\(paste)\(Self.esc)[I", "cut at \(cut)")
      #expect(
        test.typed.takeKeys() == [.character("f"), .character("s"), .up, .character("1")],
        "cut at \(cut)")
    }
  }

  @Test func `in a paste it is text`() {
    let paste = "\(Self.esc)[200~a\u{1E}b\(Self.f12)c\(Self.esc)xd\(Self.esc)[201~"
    forEachCut(paste + "z") { pieces, cut in
      for (prefix, isRich) in [
        ("ctrl-^", false), ("ctrl-^", true), ("f12", false), ("alt-x", false),
      ] {
        let test = typing(prefix, isRich: isRich)
        for piece in pieces { test.take(piece) }
        test.resolve(after: 500)
        #expect(test.text == paste + "z", "cut at \(cut)")
        #expect(!test.typed.hasHUDFocus)
      }
    }
  }

  @Test func `the Esc key after it is recognized by the pause that follows`() {
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
    test.typed.endHUDFocus()
    test.take("\(Self.esc)[104;1:3u\(Self.esc)[120u\(Self.esc)[120;1:3u")
    #expect(test.text == "\(Self.esc)[120u\(Self.esc)[120;1:3u")
  }

  @Test func `no ESC is held up on a keyboard that sends keys as bytes`() {
    let test = typing()
    test.take(Self.esc)
    #expect(test.text == Self.esc && test.typed.deadline == nil)
    test.take("\u{1E}")
    #expect(test.text == "\(Self.esc)\u{1E}", "Alt with the prefix key is another key")
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
    "fsqlast",
    "f\(esc)abc",
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
    #expect(!whole.typed.hasHUDFocus && !single.typed.hasHUDFocus)
    if keys.hasPrefix(Self.esc + Self.esc) {
      #expect(whole.text == "\(Self.esc)[A")
    } else {
      #expect(whole.text == single.text)
      #expect(whole.typed.takeKeys() == single.typed.takeKeys())
      #expect(!whole.text.isEmpty)
    }
  }

  @Test func `a prefixKey that is held down is pressed once`() {
    let test = typing(isRich: true)
    test.take("\(Self.esc)[54;5u\(Self.esc)[54;5:2u\(Self.esc)[54;5:2u\(Self.esc)[54;5:2u")
    #expect(test.typed.hasHUDFocus && test.passed.isEmpty)
    // Ctrl was let go first: the release names another key.
    test.take("\(Self.esc)[54;1:3u")
    #expect(test.passed.isEmpty)
    let twice = "\(Self.esc)[54;5u\(Self.esc)[54;5:2u\(Self.esc)[54;5:3u"
    test.take(twice)
    #expect(test.text == twice && !test.typed.hasHUDFocus, "the second is the command's")
  }

  @Test func `a key whose release never came is the command's when it is pressed again`() {
    let test = typing(isRich: true)
    test.take("\(Self.esc)[94;5u\(Self.esc)[103u")
    #expect(test.typed.takeKeys() == [.character("g")] && !test.typed.hasHUDFocus)
    let pressed = "\(Self.esc)[103u\(Self.esc)[103;1:3u"
    test.take(pressed)
    #expect(test.text == pressed)
    // Shift let go before the key that it changed.
    test.take("\(Self.esc)[94;5u\(Self.esc)[47:63;2u\(Self.esc)[47;1:3u")
    #expect(test.text == pressed)
  }

  @Test func `in the log Esc goes back to the HUD, and from there to the command`() {
    forEachCut("\u{1E}ff/q\rjffq?qqab") { pieces, cut in
      let test = typing()
      for piece in pieces { test.take(piece) }
      // Typed, Enter, down, left; again with the keys, left; the help; then q gives them back.
      let keys = "ff/q\rjffq?qq".unicodeScalars.map { $0 == "\r" ? Key.enter : .character($0) }
      #expect(test.typed.takeKeys() == keys, "cut at \(cut)")
      #expect(test.text == "ab" && !test.typed.hasHUDFocus, "cut at \(cut)")
    }
    for (typed, rest) in [
      ("ff\u{3}\u{3}", "h"), ("ff/\u{3}\u{3}\u{3}", "h"), ("fffh", "h"), ("\t\u{3}", "h"),
    ] {
      let test = typing()
      test.take("\u{1E}\(typed)\(rest)")
      #expect(test.text == rest, "\(typed.debugDescription)")
    }
  }

  @Test
  func `while the HUD has the keys, the mouse in its windows is the HUD's, elsewhere it is not`() {
    let inside = "\(Self.esc)[<0;12;3M\(Self.esc)[<32;13;3M\(Self.esc)[<64;12;3M"
    let outside = "\(Self.esc)[<0;2;9M\(Self.esc)[<0;12;3m\(Self.esc)[<65;1;1M"
    let release = "\(Self.esc)[<0;40;20m"
    forEachCut(inside + release + outside) { pieces, cut in
      let test = typing()
      test.typed.setWindows(RectList(Rect(row: 1, column: 10, rows: 4, columns: 6)))
      test.take(inside)
      #expect(test.text == inside && test.typed.takeMouse().isEmpty)
      test.take("\u{1E}")
      for piece in pieces { test.take(piece) }
      #expect(test.text == inside + outside, "cut at \(cut)")
      #expect(
        test.typed.takeMouse() == [
          MouseEvent(.press(button: 1), at: Point(row: 2, column: 11)),
          MouseEvent(.wheelUp, at: Point(row: 2, column: 11)),
        ], "cut at \(cut)")
    }
  }

  @Test func `reports in pixels count by the cell that they are in`() {
    let test = typing()
    test.typed.setWindows(
      RectList(Rect(row: 1, column: 10, rows: 4, columns: 6)), pixels: Size(rows: 20, columns: 10))
    test.take("\u{1E}\(Self.esc)[<64;113;45M\(Self.esc)[<64;12;3M")
    #expect(test.text == "\(Self.esc)[<64;12;3M", "in cells it would have been a hit")
    #expect(
      test.typed.takeMouse() == [MouseEvent(.wheelUp, at: Point(row: 2, column: 11))])
  }

  @Test func `a button that was pressed in the HUD is the HUD's until it is released`() {
    let test = typing()
    test.typed.setWindows(RectList(Rect(row: 0, column: 0, rows: 2, columns: 2)))
    test.take("\u{1E}\(Self.esc)[<0;1;1M")
    test.typed.endHUDFocus()
    test.take("\(Self.esc)[<0;1;1m")
    #expect(test.passed.isEmpty)
    test.take("\(Self.esc)[<0;1;1M\(Self.esc)[<0;1;1m")
    #expect(test.text == "\(Self.esc)[<0;1;1M\(Self.esc)[<0;1;1m")
  }

  /// What is taken of the bytes up to the next that is for the HUD, and whether it has the keys then.
  private func step(_ test: Typing, _ rest: inout ArraySlice<UInt8>) -> (
    keys: [Key], hasHUDFocus: Bool
  ) {
    var passed: [UInt8] = []
    let bytes = Array(rest)
    rest.removeFirst(unsafe test.typed.take(bytes.span.bytes, at: Typing.start, into: &passed))
    return (test.typed.takeKeys(), test.typed.hasHUDFocus)
  }

  @Test func `of several keys in one read each can be served before the next is looked at`() {
    let test = typing()
    var rest = Array("ab\u{1E}f\u{1E}\u{1E}\(Self.esc)[Aqx\u{1E}\u{1E}".utf8)[...]
    var steps: [String] = []
    while !rest.isEmpty {
      let (keys, hasHUDFocus) = step(test, &rest)
      steps.append("\(keys.count)\(hasHUDFocus)")
    }
    #expect(steps == ["0true", "1true", "0false", "0true", "1false", "0true", "0false"])
  }

  @Test func `where a click has put the keys decides what the next key means`() {
    for isInList in [false, true] {
      let test = typing()
      test.take("\u{1E}f")
      var focus = KeyFocus(.overlay)
      _ = focus.take(.character("f"))
      if isInList { focus.enterList() }
      test.typed.follow(focus)
      test.take("qab")
      #expect(test.typed.hasHUDFocus == isInList)
      #expect(test.text == (isInList ? "" : "ab"))
    }
  }

  @Test func `half of a sequence after the prefix key waits for the other half`() {
    let test = typing()
    test.take("\u{1E}\(Self.esc)[1;")
    test.resolve(after: 5000)
    #expect(test.passed.isEmpty)
    test.take("5A", after: 5100)
    #expect(test.passed.isEmpty && test.typed.takeKeys().count == 1)
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
      #expect(test.text == "\u{1B}\u{1B}\t" && test.typed.hasHUDFocus)
      test.take("\u{1B}\u{1B}")
      test.resolve(after: 100)
      test.resolve(after: 230)
      #expect(test.typed.takeKeys() == [.escape])
      #expect(test.text == "\u{1B}\u{1B}\t\u{1B}", "the second is the command's")
    }
  }

  @Test func `without a prefixKey every byte goes through`() {
    let bytes = (0...255).map { UInt8($0) } + Array("\(Self.esc)[94;5u".utf8)
    let test = Typing.quiet()
    test.take(bytes[...])
    test.resolve(after: 3000)
    #expect(test.passed == bytes)
  }

  /// 5000 times four tokens from printed seeds: what is neither the prefix key nor after it comes through whole.
  @Test(arguments: 1...20)
  func `no key is lost and none is taken that is the command's`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    let others = [
      "x", "日本", "é", "\r", "\t", "\u{3}", "\(Self.esc)[A", "\(Self.esc)OP", "\(Self.esc)[1;5C",
      "\(Self.esc)[<35;10;20M", "\(Self.esc)[<0;1;2m", "\(Self.esc)[M !!", "\(Self.esc)[I",
      "\(Self.esc)[200~a\u{1E}b\(Self.esc)[201~", "\(Self.esc)x", "\(Self.esc)[24;5~",
      "\(Self.esc)[97;5u", "\(Self.esc)]11;rgb:0/0/0\u{7}", "\(Self.esc)[?1;2c",
    ]
    // These are what they are only by the pause after them.
    let short = [Self.esc, "\(Self.esc)\(Self.esc)", "\(Self.esc)["]
    let prefix = seed % 3 == 0 ? "ctrl-^" : "f12"
    let prefixBytes = seed % 3 == 0 ? "\u{1E}" : Self.f12
    let test = typing(prefix, isRich: seed.isMultiple(of: 2))
    var expected: [UInt8] = []
    var keys: [Key] = []
    var taken: [Key] = []
    var waiting: [UInt8] = []
    var time: Int64 = 10_000
    func type() {
      var index = 0
      while index < waiting.count {
        var end = min(waiting.count, index + 1 + number(40))
        while end < waiting.count, Self.endsInStart(waiting[..<end]) { end += 1 }
        test.take(waiting[index..<end], after: time)
        taken += test.typed.takeKeys()
        index = end
      }
      waiting.removeAll()
    }
    for _ in 0..<5000 {
      switch number(20) {
      case 0:
        // Keys for the HUD, and the focus back by the prefix key.
        waiting += Array("\(prefixBytes)fx5\(Self.esc)[B\(prefixBytes)".utf8)
        keys += [.character("f"), .character("x"), .character("5"), .down]
      case 1:
        waiting += Array("\(prefixBytes)x".utf8)
        keys += [.character("x")]
      case 2:
        waiting += Array("\(prefixBytes)\(prefixBytes)".utf8)
        expected += Array(prefixBytes.utf8)
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
