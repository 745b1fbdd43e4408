import Testing

@testable import Terminal

@Suite struct ParserTests {
  @Test func `no transition is set twice and none is missing`() {
    let table = ParserTable.build()
    #expect(table.doubled.isEmpty)
    #expect(table.missing.isEmpty)
    for entry in table.entries.prefix(ParserState.allCases.count * 256) {
      #expect(ParserAction(rawValue: entry >> 4) != nil)
      #expect(ParserState(rawValue: entry & 15) != nil)
    }
  }

  @Test func `33 parameters are cut to 32`() {
    let screen = makeScreen()
    screen.feed("CSI " + String(repeating: "1;", count: 40) + "31m" + "x")
    #expect(screen.style(1, 1) == Style(attributes: .bold))
  }

  @Test func `CSI 99999999999 C stops at the last column`() {
    let screen = makeScreen()
    screen.feed("CSI 99999999999C")
    screen.expectCursor(1, 20)
  }

  @Test func `CAN and SUB end a sequence, what follows is text`() {
    let screen = makeScreen()
    screen.feed("CSI 3\u{18}1CSI 3\u{1A}2OSC 0;x\u{18}3")
    screen.expectLine(1, "123")
    #expect(screen.title == "")
  }

  @Test func `ESC within a sequence begins a new one`() {
    let screen = makeScreen()
    screen.feed("CSI 3;3CSI 2;2Hx")
    screen.expectLine(2, " x")
  }

  @Test func `control characters within a sequence are carried out at once`() {
    let screen = makeScreen()
    screen.feed("abCSI 2\u{8}CxCSI 1\nGy")
    screen.expectLines("ab x", "y")
  }

  @Test func `CSI with a wrong byte order is read to its end and ignored`() {
    let screen = makeScreen()
    screen.feed("CSI 1?5mCSI  1mCSI ?1?2hx")
    screen.expectLine(1, "x")
    #expect(screen.style(1, 1) == .plain)
  }

  @Test(arguments: ["CSI 5日", "ESC 日", "ESC (é", "CSI ?\u{7F}é", "OSC 2;xESC é"])
  func `a character beyond ASCII within a sequence is lost with it`(sequence: String) {
    let screen = makeScreen()
    screen.feed("ab" + sequence + "Dcd")
    screen.expectLine(1, "abDcd")
    let pieces = makeScreen()
    pieces.feed("ab")
    for byte in bytes(sequence) {
      pieces.feed([byte])
      #expect(pieces.isAtGround == (byte == bytes(sequence).last))
    }
    pieces.feed("Dcd")
    pieces.expectLine(1, "abDcd")
  }

  @Test func `three intermediate bytes are ignored`() {
    let screen = makeScreen()
    screen.feed("CSI 1!\"#pESC #(+8x")
    screen.expectLine(1, "x")
  }

  @Test func `DEL is ignored at ground and in sequences`() {
    let screen = makeScreen()
    screen.feed("a\u{7F}bCSI \u{7F}2\u{7F}Cc")
    screen.expectLine(1, "ab  c")
  }

  @Test func `OSC ends by BEL and by ST, a string with another ESC is dropped`() {
    let screen = makeScreen()
    screen.feed("OSC 0;one\u{7}")
    #expect(screen.title == "one")
    screen.feed("OSC 2;two ST")
    #expect(screen.title == "two")
    screen.feed("OSC 2;threeCSI 5Cx")
    #expect(screen.title == "two")
    screen.expectLine(1, "     x")
  }

  @Test func `DCS, APC, PM and SOS print nothing`() {
    let screen = makeScreen()
    screen.feed("DCS 1$qm STAPC x;y\u{7}z STESC ^pm STESC Xsos STDCS 1;2|q STok")
    screen.expectLine(1, "ok")
  }

  @Test func `a title of 5000 bytes is cut`() {
    let screen = makeScreen()
    screen.feed("OSC 2;" + String(repeating: "x", count: 5000) + "\u{7}y")
    #expect(screen.title.utf8.count == Screen.titleLimit)
    screen.expectLine(1, "y")
  }

  @Test(arguments: [
    ([0xC3, 0xA9], "é"), ([0xE6, 0x97, 0xA5], "日"), ([0xF0, 0x9F, 0x8E, 0xA8], "🎨"),
    ([0x80], "\u{FFFD}"), ([0xC3, 0x41], "\u{FFFD}A"), ([0xE6, 0x97, 0x41], "\u{FFFD}A"),
    ([0xED, 0xA0, 0x80], "\u{FFFD}"), ([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}"),
    ([0xFF, 0x41], "\u{FFFD}A"), ([0xE6, 0xC3, 0xA9], "\u{FFFD}é"),
    ([0xC2, 0x9B, 0x31], "1"), ([0x9B, 0x41], "\u{FFFD}A"),
  ]) func `UTF-8 is read, malformed bytes become U+FFFD`(bytes: [UInt8], text: String) {
    let screen = makeScreen()
    screen.feed(bytes)
    screen.expectLine(1, text)
  }

  /// xterm 379 makes of it a number beyond Unicode.
  @Test(arguments: [
    [0xC0, 0x80], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF8, 0x88, 0x80, 0x80, 0x80],
  ]) func `a character in more bytes than it needs takes one column, and is not known`(
    bytes: [UInt8]
  ) {
    let screen = makeScreen()
    screen.feed(bytes + [0x42, 0x80])
    #expect(screen.cell(1, 1).isUnknown)
    screen.expectLine(1, "?B\u{FFFD}")
    let single = makeScreen()
    single.feed(bytes)
    single.feed("CSI b")
    #expect(single.cell(1, 2).isUnknown)
  }

  @Test func `without UTF-8 C1 controls work and the rest is Latin-1`() {
    let screen = makeScreen(isUTF8: false)
    screen.feed([0xE9, 0x9B, 0x33, 0x43, 0x78])
    screen.expectLine(1, "é   x")
    screen.feed([0x9D] + Array("2;t".utf8) + [0x9C, 0x85, 0x79])
    #expect(screen.title == "t")
    screen.expectLine(2, "y")
  }

  @Test func `an unfinished sequence is pending, a finished one is not`() {
    let screen = makeScreen()
    screen.feed("abCSI 1;")
    #expect(screen.pendingBytes == 4)
    screen.feed("2")
    #expect(screen.pendingBytes == 5)
    screen.feed("Hx")
    #expect(screen.pendingBytes == 0)
    screen.expectLine(1, "ax")
    screen.feed([0xE6, 0x97])
    #expect(screen.pendingBytes == 2)
    #expect(!screen.isAtGround)
    screen.feed([0xA5])
    #expect(screen.isAtGround)
  }

  @Test func `a single shift is pending until its character`() {
    let screen = makeScreen()
    screen.feed("ESC *0aESC N")
    #expect(screen.pendingBytes == 2)
    screen.feed("qq")
    #expect(screen.pendingBytes == 0)
    #expect(screen.cell(1, 2).scalarValue == 0x71 && screen.cell(1, 3).scalarValue == 0x71)
    #expect(screen.cell(1, 2).characterSet == .specialGraphics)
    #expect(screen.cell(1, 3).characterSet == .ascii)
  }

  @Test func `a control in an unfinished sequence is reported`() {
    let screen = makeScreen()
    screen.feed("CSI 1\n")
    #expect(screen.hasExecutedPending)
    screen.feed("G")
    #expect(!screen.hasExecutedPending)
  }
}
