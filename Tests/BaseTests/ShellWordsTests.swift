import Testing

@testable import PerfHUDBase

@Suite struct ShellWordsTests {
  @Test(arguments: [
    (["sleep", "60"], "sleep 60"), (["sh", "-c", "sleep 0.5"], "sh -c 'sleep 0.5'"),
    (["echo", "it's"], "echo 'it'\\''s'"), (["echo", ""], "echo ''"),
    (["ls", "*.swift", "~", "$x"], "ls '*.swift' '~' '$x'"),
    (["cc", "-DX=1", "a_b/c.d:e@f%g+h,i"], "cc -DX=1 a_b/c.d:e@f%g+h,i"),
    (["cat", "日本"], "cat 日本"), (["postgres: writer process"], "postgres: writer process"),
  ])
  func `an argument is in quotes where a shell needs them`(words: [String], line: String) {
    let bytes = Array(words.joined(separator: "\0").utf8)
    if words.count > 1 { #expect(ShellWords.joined(words.map { Array($0.utf8) }) == line) }
    #expect(String(decoding: ShellWords.joined(bytes), as: UTF8.self) == line)
  }
}
