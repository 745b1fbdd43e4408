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

  @Test(
    arguments: [
      [0x41], [0x80], [0xC1, 0x80], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80],
      [0xF0, 0x8F, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC2, 0x41], [0xE1, 0x80, 0xC0],
    ] as [[UInt8]])
  func `what is no character is refused`(bytes: [UInt8]) { #expect(decode(bytes) == nil) }
}
