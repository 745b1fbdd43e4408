import PerfHUDBase
import Testing

@Suite struct InlineTextTests {
  @Test(arguments: [
    "", "canvas", "12345678", "123456789", "1234567é", "12345678é", "é", "a\u{1B}[31m", "a\u{7F}b",
    "a\u{202E}b",
    "🎨🎨", "🎨🎨🎨", "a\u{301}b", "123456789\u{7}",
  ])
  func `a string is taken as its characters are, one by one`(text: String) {
    var expected = InlineText<8>()
    for scalar in text.unicodeScalars where !expected.append(SafeText.replacement(for: scalar)) {
      break
    }
    #expect(InlineText<8>(text) == expected)
    #expect(InlineText<8>(Substring(text)) == expected)
  }

  @Test(arguments: [
    ("", ""), ("12345678", "12345678"), ("123456789", "12345…"), ("1234éé9", "1234…"),
    ("12345678é", "12345…"), ("日日日", "日…"), ("🎨🎨🎨", "🎨…"), ("12345日", "12345日"),
    ("12345日9", "12345…"),
  ])
  func `a text that is cut can end with a mark`(text: String, marked: String) {
    #expect(InlineText<8>(marking: text).text == marked)
  }

  @Test func `what could harm a terminal is replaced behind harmless characters too`() {
    #expect(InlineText<64>("phase \u{1B}[31m").text == "phase ␛[31m")
    #expect(InlineText<4>("canvas").text == "canv")
  }
}
