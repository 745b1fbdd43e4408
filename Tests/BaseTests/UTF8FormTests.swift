import PerfHUDBase
import Testing

@Suite struct UTF8FormTests {
  /// Decodes with the form alone; `nil` if the bytes are not one whole character of several bytes.
  private func decode(_ bytes: [UInt8]) -> Unicode.Scalar? {
    guard let form = UTF8Form(bytes[0]), bytes.count == form.length else { return nil }
    var value = form.value(of: bytes[0])
    for index in 1..<form.length {
      guard form.allows(bytes[index], at: index) else { return nil }
      value = value << 6 | UInt32(bytes[index] & 0x3F)
    }
    return Unicode.Scalar(value)
  }

  @Test func `every scalar beyond ASCII is decoded`() {
    for value in stride(from: UInt32(0x80), through: 0x10FFFF, by: 7) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      #expect(decode(Array(String(scalar).utf8)) == scalar)
    }
  }

  @Test func `a broken text is read part by part, as Swift does`() {
    for text in [
      [0x41, 0xC3, 0xA9, 0xF0, 0x9F, 0x8E, 0xA8], [0x80, 0x41], [0xE1, 0x80, 0x41],
      [0xF0, 0x9F, 0x8E],
      [0xED, 0xA0, 0x80], [0xC3, 0xC3, 0xA9], [0xF5, 0xFF],
    ] as [[UInt8]] {
      var scalars = ""
      var position = 0
      while position < text.count {
        let (scalar, length) = UTF8Form.character(at: position, count: text.count) { text[$0] }
        scalars.unicodeScalars.append(scalar)
        position += length
      }
      #expect(scalars == String(decoding: text, as: UTF8.self), "\(text)")
    }
  }

  @Test(
    arguments: [
      [0x41], [0x80], [0xC1, 0x80], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80],
      [0xF0, 0x8F, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC2, 0x41], [0xE1, 0x80, 0xC0],
    ] as [[UInt8]])
  func `what is no character is refused`(bytes: [UInt8]) { #expect(decode(bytes) == nil) }
}
