import PerfHUDBase
import Testing

@Suite struct LinePatternTests {
  @Test func `without parentheses the whole match counts`() throws {
    #expect(try LinePattern("scene [a-z]+").match("12:00 scene canvas opened") == "scene canvas")
  }

  @Test func `the first pair of parentheses counts`() throws {
    #expect(try LinePattern("scene ([a-z]+) (opened)").match("scene canvas opened") == "canvas")
  }

  @Test func `a pair that takes no part leaves the whole match`() throws {
    #expect(try LinePattern("a|b(c)").match("xa") == "a")
  }

  @Test func `a line beyond ASCII is matched`() throws {
    #expect(try LinePattern("画面=(.+)").match("画面=日本語") == "日本語")
  }

  @Test func `a line that does not match gives nothing`() throws {
    #expect(try LinePattern("^x$").match("xy") == nil)
  }

  @Test(arguments: ["(a*)*\\1b", "([ab]*)[]x]\\1", "(.)[[:alpha:]]\\9", "(a)\\\\\\1"])
  func `a back-reference is refused, since its match could take for ever`(pattern: String) {
    let mistake = #expect(throws: LinePattern.Mistake.self) { try LinePattern(pattern) }
    #expect(mistake?.description.contains("back-references") == true)
  }

  @Test(arguments: ["a\\\\1", "[\\1]", "[^]\\1]", "[[:alpha:]\\1]x?", "a\\.", "\\("])
  func `a backslash before no digit, or within brackets, is no back-reference`(pattern: String) {
    #expect(throws: Never.self) { try LinePattern(pattern) }
  }

  @Test func `of a long line the first 4096 bytes are matched`() throws {
    let long = String(repeating: "é", count: 100_000)
    #expect(try LinePattern("(é+)x").match(long + "x") == nil)
    #expect(try LinePattern("^(é)").match(long) == "é")
    #expect(
      try LinePattern("((a*)*)*b|(a|aa)*c").match(String(repeating: "a", count: 1 << 20)) == nil)
  }

  @Test func `a pattern that is none says why`() {
    #expect(throws: LinePattern.Mistake.self) { try LinePattern("a(") }
  }
}
