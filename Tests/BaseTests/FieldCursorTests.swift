import PerfHUDBase
import Testing

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
  mutating func hexadecimal() -> UInt64? { read { $0.nextHexadecimal(in: $1) } }
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

  @Test func `hexadecimal digits are read in either case, up to what is none`() {
    var reader = Reader(" 00fF\t80000000 g")
    #expect(reader.hexadecimal() == 255)
    #expect(reader.hexadecimal() == 0x8000_0000)
    #expect(reader.hexadecimal() == nil)
    let digits = (UInt8.min...UInt8.max).filter { $0.hexDigitValue != nil }
    #expect(String(decoding: digits, as: UTF8.self) == "0123456789ABCDEFabcdef")
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
