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

  @Test func `a pattern that is none says why`() {
    #expect(throws: LinePattern.Mistake.self) { try LinePattern("a(") }
  }
}
