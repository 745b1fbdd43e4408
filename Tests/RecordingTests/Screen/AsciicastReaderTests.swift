import PerfHUDBase
import TestSupport
import Testing

@testable import Recording

@Suite struct AsciicastReaderTests {
  private static let head = #"{"version":3,"term":{"cols":80,"rows":24,"type":"xterm"}}"#

  /// The events of a file: code, milliseconds and data.
  private static func read(
    _ text: String, _ body: (borrowing AsciicastReader) -> Void = { _ in }
  ) throws -> [String] {
    let directory = try TemporaryDirectory()
    let path = directory.file("x.cast")
    try TestFile.write(Array(text.utf8), to: path)
    var reader = try AsciicastReader(path: path)
    var events: [String] = []
    while let code = reader.next() {
      guard code != .other else { continue }
      events.append(
        "\(code) \(reader.time / 1_000_000) \(String(decoding: reader.data, as: UTF8.self))")
    }
    body(reader)
    return events
  }

  @Test func `what another program may write is read`() throws {
    let events = try AsciicastReaderTests.read(
      """
      { "version" : 3, "term" : { "rows" : 9, "cols" : 7, "theme": {"fg": "#fff"} }, "tags": [1, {}] }
      # a comment
      [ 0.5 , "o" , "a\\u00e9\\ud83c\\udfa8\\/\\b" ]
      [1e-1, "r", "100x50"]\r
      [1, "i", "key"]
      [0.25, "m", ""]

      """
    ) { reader in
      #expect(reader.header.columns == 7 && reader.header.rows == 9)
      #expect(reader.header.start == nil && reader.badLines == 0)
    }
    #expect(events == ["output 500 aé🎨/\u{8}", "size 600 100x50", "mark 1850 "])
  }

  @Test func `lines that are no events are skipped and counted, and a cut line is not read`() throws
  {
    let bad = [
      "x", "[", "[]", #"[1,"o"]"#, #"[-1,"o","a"]"#, #"[1,"o","a",2]"#, #"["1","o","a"]"#,
      #"[1,"o",2]"#, #"[1,"o","\x"]"#, #"[1,"o","\u12"]"#, #"{"a":1}"#, "[1,\"o\",\"\u{1}\"]",
    ]
    let text = ([AsciicastReaderTests.head] + bad).joined(separator: "\n")
    let events = try AsciicastReaderTests.read(text + "\n[0.001,\"o\",\"good\"]\n[1,\"o\",\"cut") {
      #expect($0.badLines == bad.count)
    }
    #expect(events == ["output 1 good"])
  }

  @Test func `a lone half of a pair becomes U+FFFD, and absurd times have a limit`() throws {
    let text = AsciicastReaderTests.head + "\n" + #"[1e300,"o","\ud83cx\udfa8"]"# + "\n"
    let events = try AsciicastReaderTests.read(text)
    #expect(events == ["output 315360000000 \u{FFFD}x\u{FFFD}"])
  }

  @Test(arguments: [
    "", "{}\n", "[]\n", "hello\n", #"{"version":2,"width":80,"height":24}"# + "\n",
    #"{"version":3,"term":{"cols":0,"rows":24}}"# + "\n", AsciicastReaderTests.head,
    #"{"version":3,"term":{"cols":80,"rows":24},"x":"# + String(repeating: "[", count: 99) + "\n",
  ])
  func `a foreign file is refused`(text: String) throws {
    #expect(throws: RecordingError.self) { _ = try AsciicastReaderTests.read(text) }
  }

  @Test func `what the writer writes comes back`() throws {
    var random = SeededRandom(seed: 8)
    var writer = AsciicastWriter(columns: 80, rows: 24, AsciicastWriter.Origin(title: "t"))
    var all: [UInt8] = []
    var time: UInt64 = 0
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 1..<9, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      time += UInt64.random(in: 0..<99, using: &random) * 1_000_000
      writer.writeOutput(bytes[...], nanoseconds: time)
      all += bytes
    }
    writer.finish()
    let events = try AsciicastReaderTests.read(
      String(decoding: writer.takeBytes(), as: UTF8.self)
    ) { #expect($0.time == time && $0.badLines == 0) }
    let text = events.flatMap { event in
      event.utf8.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)[2]
    }
    // Where characters are cut in pieces, a malformed one may count as more or fewer replacements.
    func known(_ bytes: [UInt8]) -> [Unicode.Scalar] {
      String(decoding: bytes, as: UTF8.self).unicodeScalars.filter { $0 != "\u{FFFD}" }
    }
    #expect(known(text) == known(all))
  }
}
