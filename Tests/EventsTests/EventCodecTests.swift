import CMallocCount
import PerfHUDBase
import PerfHUDEvents
import Testing

/// What a test says of an event: its line as the encoder writes it, which has all fields.
func decode(_ line: String) throws(EventLineError) -> String? {
  try decode(Array(line.utf8))
}

func decode(_ bytes: [UInt8]) throws(EventLineError) -> String? {
  guard let event = try unsafe EventCodec.decode(bytes.span.bytes) else { return nil }
  return encode(event)
}

func encode(_ event: Event) -> String {
  var bytes: [UInt8] = []
  EventCodec.encode(event, to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}

@Suite struct EventCodecTests {
  @Test(arguments: [
    "phase canvas", "phase canvas icon=🎨 color=orange seq=7", "action pen.move",
    "phase canvas rss=8192 mem=4096",
    "phase canvas icon=x rss=18446744073709551614 mem=0 faulted=12288",
    "action pen.move n=12 detail=at%2010%2C20", "frame", "frame ms=16.6 seq=3", "toast saved",
    "loading images progress=0.4", "loading big%20images progress=0.5 cover=yes", "loading-done",
    "value cache 12.5 unit=MiB", "value delta -3",
    "value tiny 15e-31", "value huge 123456789012345e40", "value third 0.333333333333333",
  ])
  func `a line as the encoder writes it comes back the same`(line: String) throws {
    let same = line.replacing("%2C", with: ",")
    #expect(try decode(line) == same)
  }

  @Test(arguments: [
    ("  phase   canvas  \r\n", "phase canvas"),
    ("phase photo gallery icon=x", "phase photo%20gallery icon=x"),
    ("phase photo%20gallery", "phase photo%20gallery"),
    ("toast 3 files saved to a=b seq=4", "toast 3%20files%20saved%20to%20a%3Db seq=4"),
    ("loading big images progress=2", "loading big%20images progress=1"),
    ("loading a progress=-1", "loading a progress=0"),
    ("action a n=99999999999999", "action a n=4294967295"),
    ("action a b", "action a%20b"),
    ("phase a%3Db", "phase a%3Db"),
    // Half a report is none.
    ("phase a rss=8192", "phase a"), ("phase a mem=1 faulted=2", "phase a"),
    ("toast 100%", "toast 100%25"),
    ("toast 100%zz", "toast 100%25zz"),
    ("value x 1e3", "value x 1000"),
    ("value x .5", "value x 0.5"),
    ("value x +5", "value x 5"),
    ("value x 1e20", "value x 1e20"),
    ("frame ms=0", "frame ms=0"),
    ("phase a icon=👩\u{200D}🚀", "phase a icon=👩"),
  ])
  func `what a person writes is understood`(line: String, expected: String) throws {
    #expect(try decode(line) == expected)
  }

  @Test(arguments: [
    "phase a later=1 icon=x", "phase a x-y=1 icon=x", "phase a n=0 icon=x", "phase a ms=z icon=x",
  ])
  func `a field that the kind does not have is passed over`(line: String) throws {
    #expect(try decode(line) == "phase a icon=x")
  }

  @Test func `a color that is not known leaves the choice to the HUD`() throws {
    #expect(try decode("phase a color=mauve") == "phase a")
  }

  @Test(arguments: ["", " ", "\r\n", "# perfhud 1", "  # phase a"])
  func `an empty line and a comment say nothing`(line: String) throws {
    #expect(try decode(line) == nil)
  }

  @Test(arguments: [
    ("phases a", EventLineError.unknownKind), ("PHASE a", .unknownKind), ("\u{0}", .unknownKind),
    ("phase", .missingText), ("phase icon=x", .missingText), ("toast", .missingText),
    ("toast seq=1", .missingText), ("value", .missingText), ("value x", .missingText),
    ("value x y", .badNumber), ("value x nan", .badNumber), ("value x inf", .badNumber),
    ("value x 1e999", .badNumber), ("value x 0x10", .badNumber), ("value x 1 2", .strayWord),
    ("value x -", .badNumber), ("value x 1e", .badNumber), ("value x 1.2.3", .badNumber),
    ("action a n=0", .badNumber), ("action a n=-1", .badNumber), ("action a n=", .badNumber),
    ("action a detail=b c", .strayWord), ("frame ms=-1", .badNumber), ("frame 16.6", .strayWord),
    ("phase a seq=x", .badNumber), ("loading a progress=x", .badNumber),
    ("loading-done now", .strayWord),
  ])
  func `a line that is no event says why`(line: String, error: EventLineError) {
    #expect(throws: error) { try decode(line) }
  }

  @Test func `a line of 1024 bytes is read, one more is too long`() throws {
    let text = String(repeating: "x", count: EventCodec.lineLimit - 6)
    #expect(try decode("toast " + text) == "toast " + String(repeating: "x", count: 61) + "…")
    #expect(throws: EventLineError.tooLong) { try decode("toast x" + text) }
  }

  @Test(arguments: ["toast", "loading"])
  func `a text that is cut ends with an ellipsis, one of 64 bytes is whole`(kind: String) throws {
    let whole = String(repeating: "x", count: 64)
    #expect(try decode("\(kind) \(whole)") == "\(kind) \(whole)")
    let cut = String(repeating: "x", count: 61) + "…"
    #expect(try decode("\(kind) \(whole)y") == "\(kind) \(cut)")
    // The names of phases and actions are cut without a mark.
    #expect(try decode("action \(whole)y") == "action \(whole)")
  }

  @Test func `escape sequences, bidi controls and bytes that are not UTF-8 become marks`() throws {
    #expect(try decode("toast a%1B[2Jb") == "toast a␛[2Jb")
    #expect(try decode("toast a\u{1B}[2Jb") == "toast a␛[2Jb")
    #expect(try decode("toast a%E2%80%AEb\u{2066}c") == "toast a\u{FFFD}b\u{FFFD}c")
    #expect(try decode("action a detail=x%0Ay") == "action a detail=x␊y")
    let broken: [UInt8] = [0xFF, 0xE2, 0x82, 0x62]
    #expect(try decode(Array("toast a".utf8) + broken) == "toast a\u{FFFD}\u{FFFD}b")
    // A surrogate, an overlong form, and a scalar beyond the last.
    #expect(try decode("toast %ED%A0%80") == "toast \u{FFFD}\u{FFFD}\u{FFFD}")
    #expect(try decode("toast %C0%80") == "toast \u{FFFD}\u{FFFD}")
    #expect(try decode("toast %F4%90%80%80") == "toast \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}")
  }

  @Test func `every byte in every text comes back as SafeText would have it`() throws {
    for byte in UInt8(0)...255 {
      let line = Array("toast a%".utf8) + Array(hex(byte).utf8) + Array("b".utf8)
      let expected = Event.Name(String(decoding: [0x61, byte, 0x62], as: UTF8.self))
      let decoded = try unsafe EventCodec.decode(line.span.bytes)
      let event = try #require(decoded)
      #expect(event.name == expected, "byte \(byte)")
      #expect(try decode(encode(event)) == encode(event))
    }
  }

  @Test func `random events come back from their lines`() throws {
    var numbers = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let kind = Event.Kind.allCases.randomElement(using: &numbers) ?? .frame
      var event = Event(kind)
      event.name = Event.Name(randomText(&numbers))
      if event.name.isEmpty { event.name = Event.Name("a") }
      switch kind {
      case .phase:
        event.icon = Event.Icon("🎨")
        event.color = EventColor.allCases.randomElement(using: &numbers)
      case .action:
        event.count = .random(in: 1...UInt32.max, using: &numbers)
        event.detail = Event.Detail(randomText(&numbers))
      case .frame: event.number = Double(Int.random(in: 0...99999, using: &numbers)) / 100
      case .loading: event.number = Double(Int.random(in: 0...100, using: &numbers)) / 100
      case .value:
        event.number = Double(Int.random(in: -99999...99999, using: &numbers)) / 1000
        event.unit = Event.Unit(randomText(&numbers))
      case .toast, .loadingDone: break
      }
      event.sequence = .random(in: 0...UInt64.max, using: &numbers)
      let line = encode(event)
      #expect(line.utf8.count <= EventCodec.lineLimit)
      let bytes = Array(line.utf8)
      let decoded = try unsafe EventCodec.decode(bytes.span.bytes)
      let back = try #require(decoded)
      let hasName = kind != .frame && kind != .loadingDone
      #expect(back.name == (hasName ? event.name : Event.Name()))
      #expect(back.detail == event.detail && back.icon == event.icon && back.unit == event.unit)
      #expect(back.color == event.color && back.count == event.count)
      #expect(back.number == event.number || (back.number.isNaN && event.number.isNaN))
      #expect(back.sequence == event.sequence)
    }
  }

  private func randomText(_ numbers: inout SystemRandomNumberGenerator) -> String {
    let pieces = ["a", " ", "=", "%", "%41", "日本", "🎨", "é", "\u{1B}", "#", "seq=1", ",", "\n"]
    return (0..<Int.random(in: 0...40, using: &numbers)).map { _ in
      pieces.randomElement(using: &numbers) ?? ""
    }.joined()
  }

  @Test func `the longest event fits in a line`() throws {
    var event = Event(.action)
    event.name = Event.Name(String(repeating: " ", count: 64))
    event.detail = Event.Detail(String(repeating: "%", count: 128))
    event.count = .max
    event.sequence = .max
    #expect(encode(event).utf8.count < EventCodec.lineLimit)
  }

  @Test(.enabled(if: perfhud_malloc_is_counted() != 0, "a sanitizer replaces malloc"))
  func `decoding and encoding allocate nothing`() throws {
    let line = Array("action pen.move%20x n=12 detail=at%2010 seq=99".utf8)
    let number = Array("value cache 12345.678901234 unit=MiB seq=100".utf8)
    var sink = ShortText()
    var before: UInt64 = 0
    for round in 0...100 {
      // In the first round the runtime makes what it knows of the types.
      if round == 1 { before = perfhud_malloc_count() }
      sink.removeAll()
      if let event = try unsafe EventCodec.decode(line.span.bytes) {
        EventCodec.encode(event, to: &sink)
      }
      if let event = try unsafe EventCodec.decode(number.span.bytes) {
        EventCodec.encode(event, to: &sink)
      }
    }
    #expect(perfhud_malloc_count() - before == 0)
  }
}

private func hex(_ byte: UInt8) -> String {
  let text = String(byte, radix: 16)
  return text.count < 2 ? "0" + text : text
}
