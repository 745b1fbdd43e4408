import PerfHUDBase
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
