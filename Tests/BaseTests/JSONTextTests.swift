import PerfHUDBase
import Testing

@Suite struct JSONTextTests {
  private func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.append(quoted: text)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `quotes, backslashes and control characters are escaped, and nothing else is`() {
    #expect(quoted("") == #""""#)
    #expect(quoted(#"a "b" \c/"#) == #""a \"b\" \\c/""#)
    #expect(quoted("\n\r\t\u{0}\u{1F}\u{7F}") == #""\n\r\t\u0000\u001f\u007f""#)
    #expect(quoted("é\u{2028}🎨") == "\"é\u{2028}🎨\"")
  }
}
