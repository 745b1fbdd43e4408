import PerfHUDBase
import SystemPackage
import Testing

@Suite struct SafeTextTests {
  @Test func `plain text in any script stays as it is`() {
    for text in ["", "nginx: worker", "日本語 é 🎨", "naïve «x»"] {
      #expect(SafeText.clean(text) == text)
    }
  }

  @Test func `an escape sequence loses its power and stays visible`() {
    #expect(SafeText.clean("a\u{1B}[2Jb") == "a␛[2Jb")
    #expect(SafeText.clean("\u{1B}]0;title\u{7}") == "␛]0;title␇")
    #expect(SafeText.clean("x\u{9B}31m") == "x\u{FFFD}31m")
    #expect(SafeText.clean("a\r\n\tb\u{7F}\0") == "a␍␊␉b␡␀")
  }

  @Test func `bytes that are not UTF-8 become replacement characters`() {
    #expect(SafeText.clean(bytes: [0x61, 0xFF, 0x62]) == "a\u{FFFD}b")
    #expect(SafeText.clean(bytes: [0x61, 0xE6, 0x97]) == "a\u{FFFD}")
    #expect(SafeText.clean(bytes: [0x9B, 0x33, 0x31, 0x6D]) == "\u{FFFD}31m")
  }

  @Test func `characters that turn the direction of text are replaced`() {
    for scalar in "\u{61C}\u{200E}\u{200F}\u{202A}\u{202E}\u{2066}\u{2069}".unicodeScalars {
      #expect(SafeText.replacement(for: scalar) == "\u{FFFD}")
    }
    #expect(SafeText.clean("a\u{202E}cba") == "a\u{FFFD}cba")
  }

  @Test func `invisible characters and tags are replaced`() {
    for scalar in "\u{200B}\u{200D}\u{2028}\u{2060}\u{FEFF}\u{FFFA}\u{E0041}".unicodeScalars {
      #expect(SafeText.replacement(for: scalar) == "\u{FFFD}")
    }
  }

  @Test func `a text beyond the limit is cut and says so`() {
    #expect(SafeText.clean("abcdef", limit: 6) == "abcdef")
    let cut = SafeText.clean("abcdefg", limit: 6)
    #expect(cut.hasPrefix("abc") && cut.hasSuffix("…"))
  }

  @Test func `no control character survives, whatever the bytes`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
      let isClean = SafeText.clean(bytes: bytes).unicodeScalars.allSatisfy {
        $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)
      }
      #expect(isClean, "\(bytes)")
    }
  }
}

@Suite struct SystemErrorTests {
  @Test func `an error says what failed, on what, why, and what to do, on one line`() {
    let error = SystemError(
      call: "open", subject: "/x\n\u{1B}[2J", code: .noSuchFileOrDirectory,
      advice: "list them with: ls")
    #expect(
      error.description
        == "cannot open /x␊␛[2J: No such file or directory; list them with: ls")
  }

  @Test func `an error without advice ends with its reason`() {
    let error = SystemError(call: "read", subject: "it", code: .ioError)
    #expect(error.description == "cannot read it: Input/output error")
  }
}
