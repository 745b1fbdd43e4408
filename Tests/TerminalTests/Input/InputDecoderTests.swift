import PerfHUDBase
import Terminal
import TestSupport
import Testing

/// Every way in which a sequence is written, and what it must become.
private let encodings: [(String, [InputEvent])] = [
  ("q", [.key(.character("q"))]),
  ("é日🎨", [.key(.character("é")), .key(.character("日")), .key(.character("🎨"))]),
  ("\u{3}", [.key(.control("c"))]),
  ("\r", [.key(.enter)]),
  ("\n", [.key(.control("j"))]),
  ("\t", [.key(.tab)]),
  ("\u{7F}", [.key(.backspace)]),
  ("\u{8}", [.key(.backspace)]),
  ("\0", [.key(.control(" "))]),
  ("\u{1E}", [.key(.control("^"))]),
  ("\u{1B}[Z", [.key(.backTab)]),
  ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.key(.up), .key(.down), .key(.right), .key(.left)]),
  ("\u{1B}OA\u{1B}OD\u{1B}OH\u{1B}OF", [.key(.up), .key(.left), .key(.home), .key(.end)]),
  ("\u{1B}[H\u{1B}[F", [.key(.home), .key(.end)]),
  ("\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~", [.key(.home), .key(.end), .key(.home), .key(.end)]),
  (
    "\u{1B}[2~\u{1B}[3~\u{1B}[5~\u{1B}[6~",
    [.key(.insert), .key(.delete), .key(.pageUp), .key(.pageDown)]
  ),
  ("\u{1B}OP\u{1B}OS", [.key(.function(1)), .key(.function(4))]),
  ("\u{1B}[11~\u{1B}[15~\u{1B}[17~", [.key(.function(1)), .key(.function(5)), .key(.function(6))]),
  (
    "\u{1B}[21~\u{1B}[23~\u{1B}[24~",
    [.key(.function(10)), .key(.function(11)), .key(.function(12))]
  ),
  ("\u{1B}[[A\u{1B}[[E", [.key(.function(1)), .key(.function(5))]),
  ("\u{1B}[1;5A", [.key(Key(.up, .control))]),
  ("\u{1B}[1;4P", [.key(Key(.function(1), [.shift, .alt]))]),
  ("\u{1B}[3;5~", [.key(Key(.delete, .control))]),
  ("\u{1B}[15;2~", [.key(Key(.function(5), .shift))]),
  ("\u{1B}[1;5R", [.key(Key(.function(3), .control))]),
  ("\u{1B}[5^", [.key(Key(.pageUp, .control))]),
  ("\u{1B}O5A", [.key(Key(.up, .control))]),
  ("\u{1B}Oq\u{1B}OM", [.key(.character("1")), .key(.enter)]),
  ("\u{1B}x", [.key(.alt("x"))]),
  ("\u{1B}é", [.key(.alt("é"))]),
  ("\u{1B}\u{1}", [.key(Key(.character("a"), [.alt, .control]))]),
  ("\u{1B}\u{7F}", [.key(Key(.backspace, .alt))]),
  ("\u{1B}\u{1B}[A", [.key(Key(.up, .alt))]),
  ("\u{1B}\u{1B}OA", [.key(Key(.up, .alt))]),
  ("\u{1B}\u{1B}x", [.key(.escape), .key(.alt("x"))]),
  ("\u{1B}\u{1B}[?6c", [.key(.escape), .answer(.deviceAttributes)]),
  // kitty
  ("\u{1B}[97u", [.key(.character("a"))]),
  ("\u{1B}[97;5u", [.key(.control("a"))]),
  ("\u{1B}[97;2u", [.key(.character("A"))]),
  ("\u{1B}[97:65;2u", [.key(.character("A"))]),
  ("\u{1B}[97;;65u", [.key(.character("A"))]),
  ("\u{1B}[97;6u", [.key(Key(.character("a"), [.control, .shift]))]),
  ("\u{1B}[97;5:1u\u{1B}[97;5:2u", [.key(.control("a")), .key(.control("a"))]),
  ("\u{1B}[97;5:3u", [.keyReleased(.control("a"))]),
  ("\u{1B}[97;69u", [.key(.control("a"))]),
  ("\u{1B}[1;1:3A", [.keyReleased(.up)]),
  (
    "\u{1B}[27u\u{1B}[13u\u{1B}[9;2u\u{1B}[127u",
    [.key(.escape), .key(.enter), .key(.backTab), .key(.backspace)]
  ),
  (
    "\u{1B}[57399u\u{1B}[57414u\u{1B}[57376u",
    [.key(.character("0")), .key(.enter), .key(.function(13))]
  ),
  ("\u{1B}[57441;2u", [.unknown]),
  // F12 in all its forms
  ("\u{1B}[24~", [.key(.function(12))]),
  ("\u{1B}[24;129:1~", [.key(.function(12))]),
  ("\u{1B}[24;1:3~", [.keyReleased(.function(12))]),
  ("\u{1B}[24;5~", [.key(Key(.function(12), .control))]),
  ("\u{1B}[24^", [.key(Key(.function(12), .control))]),
  ("\u{1B}\u{1B}[24~", [.key(Key(.function(12), .alt))]),
  ("\u{1B}[57375u\u{1B}[57364u", [.key(.function(12)), .key(.function(1))]),
  (
    "\u{1B}[235z\u{1B}[224z\u{1B}[X",
    [.key(.function(12)), .key(.function(1)), .key(.function(12))]
  ),
  ("\u{1B}[223z\u{1B}[236z\u{1B}[1X", [.unknown, .unknown, .unknown]),
  // Ctrl-^ in all its forms
  ("\u{1B}[94;5u", [.key(.control("^"))]),
  ("\u{1B}[54;5u", [.key(.control("^"))]),
  ("\u{1B}[54:94;6u", [.key(.control("^"))]),
  ("\u{1B}[54;6u", [.key(.control("^"))]),
  ("\u{1B}[27;6;94~", [.key(.control("^"))]),
  ("\u{1B}[27;5;54~", [.key(.control("^"))]),
  ("\u{1B}[27;5;9~", [.key(Key(.tab, .control))]),
  ("\u{1B}[27;6;65~", [.key(Key(.character("a"), [.control, .shift]))]),
  // Mouse
  ("\u{1B}[<0;1;1M", [.mouse(MouseEvent(.press(button: 1), at: Point(row: 0, column: 0)))]),
  ("\u{1B}[<2;300;70m", [.mouse(MouseEvent(.release(button: 3), at: Point(row: 69, column: 299)))]),
  ("\u{1B}[<35;5;6M", [.mouse(MouseEvent(.drag(button: 0), at: Point(row: 5, column: 4)))]),
  (
    "\u{1B}[<80;2;3M",
    [.mouse(MouseEvent(.wheelUp, at: Point(row: 2, column: 1), modifiers: .control))]
  ),
  ("\u{1B}[<65;2;3M", [.mouse(MouseEvent(.wheelDown, at: Point(row: 2, column: 1)))]),
  (
    "\u{1B}[M !!q",
    [
      .mouse(MouseEvent(.press(button: 1), at: Point(row: 0, column: 0))), .key(.character("q")),
    ]
  ),
  ("\u{1B}[I\u{1B}[O", [.focusGained, .focusLost]),
  // Answers
  ("\u{1B}[?64;1;2;6c", [.answer(.deviceAttributes)]),
  ("\u{1B}[>1;10;0c", [.answer(.other)]),
  ("\u{1B}[12;40R", [.answer(.cursorPosition(Point(row: 11, column: 39)))]),
  ("\u{1B}[?2026;2$y", [.answer(.mode(2026, setting: 2))]),
  ("\u{1B}[?1u", [.answer(.other)]),
  ("\u{1B}[8;24;80t\u{1B}[0n", [.answer(.other), .answer(.other)]),
  ("\u{1B}P>|XTerm(370)\u{1B}\\q", [.answer(.other), .key(.character("q"))]),
  ("\u{1B}]11;rgb:0000/0000/0000\u{7}q", [.answer(.other), .key(.character("q"))]),
  ("\u{1B}_Gi=1;OK\u{1B}\\", [.answer(.other)]),
  // What means nothing is swallowed whole
  ("\u{1B}[123;456zq", [.unknown, .key(.character("q"))]),
  ("\u{1B}[?1;2Zq", [.answer(.other), .key(.character("q"))]),
  ("\u{1B}[1 @q", [.unknown, .key(.character("q"))]),
  ("\u{1B}[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17Aq", [.unknown, .key(.character("q"))]),
  ("\u{1B}[999999999999999999999999~", [.unknown]),
  ("\u{1B}O!q", [.unknown, .key(.character("q"))]),
  // What is cut short does not swallow the next key
  ("\u{1B}[1;\u{3}", [.unknown, .key(.control("c"))]),
  ("\u{1B}[1;\u{1B}[A", [.unknown, .key(.up)]),
  ("\u{1B}]52;c;\u{3}", [.unknown, .key(.control("c"))]),
  ("\u{1B}]52;c;\u{1B}[A", [.unknown, .key(.up)]),
]

private let start = Instant(nanoseconds: 1_000_000_000)

private func collect(_ decoder: inout InputDecoder, _ bytes: [UInt8], at now: Instant = start)
  -> [InputEvent]
{
  var events: [InputEvent] = []
  unsafe decoder.feed(bytes.span.bytes, at: now) { events.append($0) }
  return events
}

private func decode(_ text: String) -> [InputEvent] {
  var decoder = InputDecoder()
  let events = collect(&decoder, Array(text.utf8))
  #expect(decoder.isAtGround)
  return events
}

@Suite struct InputDecoderTests {
  @Test func `each encoding becomes its events`() {
    for (text, events) in encodings { #expect(decode(text) == events, "\(text.debugDescription)") }
  }

  @Test func `each encoding becomes the same events wherever it is cut`() {
    for (text, events) in encodings {
      let bytes = Array(text.utf8)
      for cut in 0...bytes.count {
        var decoder = InputDecoder()
        let found =
          collect(&decoder, Array(bytes[..<cut])) + collect(&decoder, Array(bytes[cut...]))
        #expect(found == events, "\(text.debugDescription) cut at \(cut)")
      }
    }
  }

  @Test func `each encoding becomes the same events byte by byte, and no byte is lost or doubled`()
  {
    for (text, events) in encodings {
      var decoder = InputDecoder()
      var found: [InputEvent] = []
      var tokens: [UInt8] = []
      for byte in text.utf8 {
        unsafe decoder.feed([byte].span.bytes, at: start) { (event: InputEvent, token: RawSpan) in
          found.append(event)
          for index in 0..<token.byteCount { tokens.append(FieldCursor.byte(at: index, in: token)) }
        }
      }
      #expect(found == events, "\(text.debugDescription)")
      #expect(tokens == Array(text.utf8), "\(text.debugDescription)")
    }
  }

  // MARK: What waits for the clock

  @Test func `a lone ESC is the Esc key after 25 ms, not before`() {
    var decoder = InputDecoder()
    #expect(decoder.pendingDeadline == nil)
    #expect(collect(&decoder, [0x1B]) == [])
    #expect(decoder.pendingDeadline == start.advanced(byNanoseconds: 25_000_000))
    var events: [InputEvent] = []
    decoder.resolve(now: start.advanced(byNanoseconds: 24_999_999)) { events.append($0) }
    #expect(events == [])
    decoder.resolve(now: start.advanced(byNanoseconds: 25_000_000)) { events.append($0) }
    #expect(events == [.key(.escape)])
    #expect(decoder.pendingDeadline == nil)
  }

  @Test(arguments: [
    ("\u{1B}[", [InputEvent.key(.alt("["))]), ("\u{1B}O", [.key(.alt("O"))]),
    ("\u{1B}P", [.key(.alt("P"))]), ("\u{1B}]", [.key(.alt("]"))]),
    ("\u{1B}\u{1B}", [.key(.escape), .key(.escape)]),
    ("\u{1B}\u{1B}[", [.key(.escape), .key(.alt("["))]),
  ])
  func `ESC and an introducer alone are keys when a later read brings more`(
    text: String, events: [InputEvent]
  ) {
    var decoder = InputDecoder()
    #expect(collect(&decoder, Array(text.utf8)) == [])
    let later = start.advanced(bySeconds: 1)
    #expect(collect(&decoder, Array("q".utf8), at: later) == events + [.key(.character("q"))])
  }

  @Test func `a sequence with a parameter waits for its end without a deadline`() {
    var decoder = InputDecoder()
    #expect(collect(&decoder, Array("\u{1B}[1".utf8)) == [])
    #expect(decoder.pendingDeadline == nil)
    #expect(collect(&decoder, Array("~".utf8), at: start.advanced(bySeconds: 9)) == [.key(.home)])
  }

  @Test func `CSI 1;5R is the cursor's position when that has been asked for, once`() {
    var decoder = InputDecoder()
    decoder.expectedCursorReports = 1
    let bytes = Array("\u{1B}[1;5R\u{1B}[1;5R".utf8)
    #expect(
      collect(&decoder, bytes) == [
        .answer(.cursorPosition(Point(row: 0, column: 4))), .key(Key(.function(3), .control)),
      ])
  }

  // MARK: Pastes

  @Test func `a paste that holds keys and sequences makes none, wherever it is cut`() {
    let content = "q\u{3}\u{1B}[A\u{1B}[201\u{1B}[20\u{1B}\u{1B}[200~é\n"
    let bytes = Array("a\u{1B}[200~\(content)\u{1B}[201~b".utf8)
    for cut in 0...bytes.count {
      var decoder = InputDecoder()
      var events: [InputEvent] = []
      var pasted: [UInt8] = []
      for part in [Array(bytes[..<cut]), Array(bytes[cut...])] {
        unsafe decoder.feed(part.span.bytes, at: start) { (event: InputEvent, token: RawSpan) in
          guard event == .pasted else { return events.append(event) }
          for index in 0..<token.byteCount { pasted.append(FieldCursor.byte(at: index, in: token)) }
        }
      }
      #expect(
        events == [.key(.character("a")), .pasteBegan, .pasteEnded, .key(.character("b"))],
        "cut at \(cut)")
      #expect(pasted == Array(content.utf8), "cut at \(cut)")
    }
  }

  @Test func `a paste without an end mark ends after 2 s of silence`() {
    var decoder = InputDecoder()
    #expect(collect(&decoder, Array("\u{1B}[200~ab\u{1B}[20".utf8)) == [.pasteBegan, .pasted])
    let later = start.advanced(bySeconds: 2)
    #expect(decoder.pendingDeadline == later)
    #expect(
      collect(&decoder, Array("q".utf8), at: later) == [
        .pasted, .pasteEnded, .key(.character("q")),
      ])
  }

  @Test func `a paste of 1 MB comes whole`() {
    var decoder = InputDecoder()
    let content = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
    var pasted: [UInt8] = []
    var ends = 0
    let bytes = Array("\u{1B}[200~".utf8) + content + Array("\u{1B}[201~".utf8)
    unsafe decoder.feed(bytes.span.bytes, at: start) { (event: InputEvent, token: RawSpan) in
      if event == .pasteEnded { ends += 1 }
      guard event == .pasted else { return }
      for index in 0..<token.byteCount { pasted.append(FieldCursor.byte(at: index, in: token)) }
    }
    #expect(pasted == content)
    #expect(ends == 1)
  }

  // MARK: What does not belong to a keyboard

  @Test func `bytes that are not UTF-8 are unknown and do not swallow the next key`() {
    for bytes: [UInt8] in [
      [0xFF], [0xC0], [0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xE6, 0x97], [0xC2, 0x9B],
    ] {
      var decoder = InputDecoder()
      let events = collect(&decoder, bytes + [UInt8(ascii: "q")])
      #expect(events.last == .key(.character("q")), "\(bytes)")
      #expect(events.dropLast().allSatisfy { $0 == .unknown } && events.count > 1, "\(bytes)")
    }
  }

  @Test func `a string of more than 4 KiB is unknown, and nothing of it leaks`() {
    let text = "\u{1B}]52;c;" + String(repeating: "A", count: 100_000) + "\u{1B}\\q"
    #expect(decode(text) == [.unknown, .key(.character("q"))])
  }

  @Test func `garbage never traps, and Ctrl-C comes through within a paste's end`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    func next() -> UInt64 { random.next() >> 1 }
    let likely = Array("\u{1B}\u{1B}\u{1B}[[[O;:<?>$0123456789~uMmRAP]\\_\u{7}\u{18}".utf8)
    for _ in 0..<2000 {
      var decoder = InputDecoder()
      var bytes: [UInt8] = []
      for _ in 0..<(next() % 200) {
        let isLikely = next() % 4 != 0
        bytes.append(
          isLikely ? likely[Int(next()) % likely.count] : UInt8(truncatingIfNeeded: next()))
      }
      _ = collect(&decoder, bytes)
      // Ends a paste; cuts a character or a mouse report short; ends anything else.
      let ending = Array("\u{1B}[201~\u{3}\u{3}\u{3}\u{3}".utf8)
      #expect(collect(&decoder, ending).last == .key(.control("c")), "seed \(seed): \(bytes)")
      #expect(decoder.isAtGround, "seed \(seed): \(bytes)")
    }
  }

  @Test func `reset forgets what was pending`() {
    var decoder = InputDecoder()
    _ = collect(&decoder, Array("\u{1B}[200~abc".utf8))
    decoder.reset()
    #expect(collect(&decoder, Array("q".utf8)) == [.key(.character("q"))])
  }
}

@Suite struct KeyTests {
  @Test func `a key has one form whatever form it is given`() {
    #expect(Key.control("C") == Key.control("c"))
    #expect(Key.control("6") == Key.control("^"))
    #expect(Key.control("/") == Key.control("_"))
    #expect(Key.control("@") == Key.control(" "))
    #expect(Key(.character("a"), .shift) == Key.character("A"))
    #expect(Key(.character("a"), [.alt, .shift]) == Key.alt("A"))
    #expect(Key(.character("?"), .shift) == Key.character("?"))
    #expect(Key(.character("a"), [.control, .shift]) != Key.control("a"))
  }

  @Test func `a key finds its command in a dictionary`() {
    let table: [Key: Int] = [.character("q"): 1, .control("c"): 2, .function(1): 3, .backTab: 4]
    #expect(table[Key(.tab, .shift)] == 4)
    #expect(table[Key(.character("c"), .control)] == 2)
    #expect(table[.character("Q")] == nil)
  }
}
