import Base
import Testing

private func text(_ fill: (inout [UInt8]) -> Void) -> String {
  var bytes: [UInt8] = []
  fill(&bytes)
  return String(decoding: bytes, as: UTF8.self)
}

private func number(_ value: Double, _ decimals: Int) -> String {
  text { $0.append(value, decimals: decimals) }
}

@Suite struct NumberTests {
  @Test func `numbers are rounded half away from zero`() {
    #expect(number(0.5, 0) == "1")
    #expect(number(-0.5, 0) == "-1")
    #expect(number(2.25, 1) == "2.3")
    #expect(number(0.049, 1) == "0.0")
    #expect(number(9.96, 1) == "10.0")
    #expect(number(99.999, 2) == "100.00")
  }

  @Test func `decimals keep their leading zeros`() {
    #expect(number(1.05, 2) == "1.05")
    #expect(number(3, 3) == "3.000")
    #expect(number(0.001, 3) == "0.001")
    #expect(number(1, 9) == "1.000000000")
  }

  @Test func `what rounds to zero has no sign`() {
    #expect(number(-0.04, 1) == "0.0")
    #expect(number(-0.0, 0) == "0")
    #expect(number(-0.06, 1) == "-0.1")
  }

  @Test func `what is not a number is a dash`() {
    #expect(number(.nan, 1) == "-")
    #expect(number(.infinity, 0) == "-")
    #expect(number(-.infinity, 3) == "-")
  }

  @Test func `numbers too large for their decimals lose them and do not trap`() {
    #expect(number(1e18, 1) == "1000000000000000000")
    #expect(number(.greatestFiniteMagnitude, 2) == "18000000000000000000")
  }

  @Test func `whole numbers come out from the least to the greatest`() {
    #expect(text { $0.append(decimal: 0) } == "0")
    #expect(text { $0.append(decimal: -7) } == "-7")
    #expect(text { $0.append(decimal: Int.min) } == "-9223372036854775808")
    #expect(text { $0.append(decimal: UInt64.max) } == "18446744073709551615")
  }

  @Test func `a width pads on the left and never cuts`() {
    #expect(text { $0.append(decimal: UInt64(7), width: 3) } == "  7")
    #expect(text { $0.append(decimal: UInt64(7), width: 3, pad: UInt8(ascii: "0")) } == "007")
    #expect(text { $0.append(decimal: UInt64(12345), width: 3) } == "12345")
  }
}

@Suite struct ShortTextTests {
  @Test func `the 65th byte is dropped`() {
    var short = ShortText()
    for _ in 0..<100 { short.append(UInt8(ascii: "x")) }
    #expect(short.count == 64)
    #expect(short.description == String(repeating: "x", count: 64))
    short.removeAll()
    #expect(short.count == 0)
  }

  @Test func `texts and numbers are joined`() {
    var short = ShortText("CPU ")
    short.append(12.5, decimals: 1)
    short.append(String(" %"))
    #expect(short.description == "CPU 12.5 %")
    var bytes: [UInt8] = []
    bytes.append(short)
    #expect(bytes == Array("CPU 12.5 %".utf8))
  }
}

/// A cursor with the bytes that it reads.
private struct Reader {
  let bytes: [UInt8]
  var cursor = FieldCursor()

  init(_ bytes: [UInt8]) { self.bytes = bytes }
  init(_ text: String) { bytes = Array(text.utf8) }

  private mutating func read<T>(_ body: (inout FieldCursor, RawSpan) -> T) -> T {
    var moved = cursor
    defer { cursor = moved }
    return unsafe body(&moved, bytes.span.bytes)
  }

  mutating func number() -> UInt64? { read { $0.nextUnsigned(in: $1) } }
  mutating func took(_ text: StaticString) -> Bool { read { $0.take(text, in: $1) } }
  mutating func skipField() { read { $0.skip(fields: 1, in: $1) } }
  mutating func skipLine() { read { $0.skipLine(in: $1) } }
  var isAtEnd: Bool { unsafe cursor.isAtEnd(of: bytes.span.bytes) }
  func byte(at index: Int) -> UInt8 { unsafe FieldCursor.byte(at: index, in: bytes.span.bytes) }
}

@Suite struct FieldCursorTests {
  @Test func `fields and numbers are read one after another`() {
    var reader = Reader("cpu  12\t34 x99\nnext 5")
    #expect(reader.took("cpu") == true)
    #expect(reader.number() == 12)
    #expect(reader.number() == 34)
    #expect(reader.number() == nil)
    reader.skipField()
    #expect(reader.number() == nil)
    reader.skipLine()
    #expect(reader.took("nexT") == false)
    #expect(reader.took("next") == true)
    #expect(reader.number() == 5)
    #expect(reader.isAtEnd)
  }

  @Test func `nothing is read from nothing`() {
    var reader = Reader("")
    #expect(reader.number() == nil)
    #expect(reader.took("x") == false)
    reader.skipField()
    reader.skipLine()
    #expect(reader.cursor.position == 0)
    #expect(reader.isAtEnd)
    #expect(reader.byte(at: -1) == 0)
    #expect(reader.byte(at: Int.max) == 0)
  }

  @Test(arguments: ["  -5", "  x5", "  .5", "  "])
  func `a sign and a letter are no number, and nothing is taken but the blanks`(text: String) {
    var reader = Reader(text)
    #expect(reader.number() == nil)
    #expect(reader.cursor.position == 2)
  }

  @Test func `more digits than a number holds wrap and do not trap`() {
    var reader = Reader(String(repeating: "9", count: 1000))
    #expect(reader.number() != nil)
    #expect(reader.isAtEnd)
  }

  @Test func `garbage never leads beyond the end`() {
    for _ in 0..<2000 {
      var reader = Reader((0..<Int.random(in: 0...40)).map { _ in UInt8.random(in: 0...255) })
      for step in 0..<20 {
        switch step % 4 {
        case 0: _ = reader.number()
        case 1: reader.skipField()
        case 2: _ = reader.took("kB")
        default: reader.skipLine()
        }
        #expect((0...reader.bytes.count).contains(reader.cursor.position), "\(reader.bytes)")
      }
    }
  }
}
