import Recording
import Testing

/// A line of a recording, read as strictly as `JSONLine` reads an object: `[number,"code","data"]`.
private struct CastEvent: Equatable {
  var interval: Double
  var code: String
  var data: String

  init(_ interval: Double, _ code: String, _ data: String) {
    self.interval = interval
    self.code = code
    self.data = data
  }

  init?(_ line: Substring) {
    var rest = line.unicodeScalars[...]
    guard rest.popFirst() == "[", rest.last == "]" else { return nil }
    rest.removeLast()
    guard let comma = rest.firstIndex(of: ","), let interval = Double(String(rest[..<comma])) else {
      return nil
    }
    rest = rest[rest.index(after: comma)...]
    guard let code = CastEvent.string(&rest), rest.popFirst() == ",",
      let data = CastEvent.string(&rest), rest.isEmpty
    else { return nil }
    self.init(interval, code, data)
  }

  private static func string(_ rest: inout Substring.UnicodeScalarView) -> String? {
    guard rest.popFirst() == "\"" else { return nil }
    var text = ""
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return text
      case "\\":
        switch rest.popFirst() {
        case "n": text += "\n"
        case "r": text += "\r"
        case "t": text += "\t"
        case "\"": text += "\""
        case "\\": text += "\\"
        case "u":
          let digits = String(rest.prefix(4))
          rest = rest.dropFirst(4)
          guard let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) else {
            return nil
          }
          text.unicodeScalars.append(scalar)
        default: return nil
        }
      case "\u{0}"..."\u{1F}": return nil
      default: text.unicodeScalars.append(scalar)
      }
    }
    return nil
  }
}

@Suite struct AsciicastWriterTests {
  private func lines(_ bytes: [UInt8]) -> [Substring] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
  }

  private func events(_ body: (inout AsciicastWriter) -> Void) -> [CastEvent?] {
    var writer = AsciicastWriter(columns: 80, rows: 24, AsciicastWriter.Origin(title: "t"))
    body(&writer)
    writer.finish()
    return lines(writer.takeBytes()).dropFirst().map { CastEvent($0) }
  }

  @Test func `the first line has the version, the size and the title`() {
    var writer = AsciicastWriter(
      columns: 80, rows: 24, AsciicastWriter.Origin(title: "a \"b\" \\ \u{1B}"))
    #expect(
      lines(writer.takeBytes()) == [
        "{\"version\":3,\"term\":{\"cols\":80,\"rows\":24,\"type\":\"xterm-256color\"},"
          + "\"title\":\"a \\\"b\\\" \\\\ \\u001b\"}"
      ])
  }

  @Test func `times are those since the event before, and add up to the true ones`() {
    let events = events { writer in
      for number in UInt64(1)...5 {
        writer.writeOutput([0x61], nanoseconds: number * 333_999_999)
      }
      writer.writeOutput([0x62], nanoseconds: 0)
    }
    #expect(events.map { $0?.interval } == [0.333, 0.334, 0.334, 0.334, 0.334, 0])
  }

  @Test func `every byte of ASCII comes back as it was`() {
    let data = (UInt8(0)..<0x80).map { $0 }
    let events = events { $0.writeOutput(data[...], nanoseconds: 0) }
    #expect(events == [CastEvent(0, "o", String(decoding: data, as: UTF8.self))])
  }

  @Test func `a character that is cut between two pieces is written whole`() {
    for text in ["é", "日", "🎨"] {
      let bytes = Array(text.utf8)
      for cut in 1..<bytes.count {
        let events = events { writer in
          writer.writeOutput([0x78] + bytes[..<cut], nanoseconds: 0)
          writer.writeOutput(bytes[cut...] + [0x79], nanoseconds: 1_000_000)
        }
        #expect(events == [CastEvent(0, "o", "x"), CastEvent(0.001, "o", text + "y")])
      }
    }
  }

  @Test func `what is no UTF-8, or never becomes whole, is replaced`() {
    let events = events { writer in
      writer.writeOutput([0xFF, 0x80, 0x61], nanoseconds: 0)
      writer.writeOutput([0xE6, 0x97], nanoseconds: 2_000_000)
    }
    #expect(
      events == [CastEvent(0, "o", "\u{FFFD}\u{FFFD}a"), CastEvent(0.002, "o", "\u{FFFD}")])
  }

  @Test func `a mark has its name`() {
    let events = events { $0.writeMark("canvas 🎨", nanoseconds: 1_500_000_000) }
    #expect(events == [CastEvent(1.5, "m", "canvas 🎨")])
  }
}
