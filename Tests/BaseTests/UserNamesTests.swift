import PerfHUDBase
import TestSupport
import Testing

/// The names of users.
@Suite struct UserNamesTests {
  private func names(_ text: String) throws -> UserNames {
    let made = try Tool.run(["mktemp"])
    let path = try #require(made.lines.first)
    defer { _ = try? Tool.run(["rm", "-f", path]) }
    try TestFile.write(Array(text.utf8), to: path)
    return UserNames(path: path)
  }

  @Test func `a number has the name of its first entry, else it is shown itself`() throws {
    let names = try names(
      """
      root:x:0:0:root:/root:/bin/sh
      kai:x:1000:1000::/home/kai:/bin/sh
      other:x:1000:1000::/home/kai:/bin/sh
      :x:7:7::/:
      broken
      also:x:-1:1
      big:x:4294967296:1::/:
      """)
    #expect(names[0] == "root")
    #expect(names[1000] == "kai")
    #expect(names[7] == "7")
    #expect(names[4_294_967_295] == "4294967295")
  }

  @Test func `a name cannot harm a terminal`() throws {
    #expect(try names("a\u{1B}[2J:x:5:5::/:\n")[5] == "a␛[2J")
  }

  @Test func `without the file there are numbers`() {
    #expect(UserNames(path: "/nonexistent/passwd")[0] == "0")
  }
}
