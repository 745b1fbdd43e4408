import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// Files of /proc and of cgroups whose numbers are at the ends of their range, as a file system of somebody else's
/// may show them. A trap in any of the arithmetic ends the tests.
@Suite struct ExtremeFilesTests {
  private static let numbers = [
    "0", "1", "2147483647", "2147483648", "4294967295", "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615", "99999999999999999999999999", "-1", "max",
  ]

  /// The text with another number in the place of each, beside those of the first columns of `stat`.
  private static func replaced(_ text: String, with number: String, isStat: Bool) -> String {
    var head = ""
    var rest = Substring(text)
    if isStat, let end = text.lastIndex(of: ")") {
      // The pid, the name and the state.
      let kept = text.index(end, offsetBy: 3)
      head = String(text[..<kept])
      rest = text[kept...]
    }
    var result = head
    var isNumber = false
    for character in rest {
      let isDigit = character.isASCII && character.isNumber
      if isDigit, !isNumber { result += number }
      if !isDigit { result.append(character) }
      isNumber = isDigit
    }
    return result
  }

  private static func files(of fixture: Fixture) throws -> [String] {
    let found = try Tool.run(
      ["find", ".", "-type", "f"], directory: fixture.directory
    ).lines
    let left = ["pid", "cmdline", "cgroup", "mountinfo"]
    return found.filter { path in !left.contains { path.hasSuffix("/" + $0) } }
  }

  @Test(arguments: ["linux-6.18/process", "by-hand/cgroup-v2", "by-hand/cgroup-v1-container"])
  func `a sample of numbers at the ends of their range has values or reasons`(name: String) throws {
    let fixture = try Fixture(name)
    let files = try Self.files(of: fixture)
    let texts = try files.map {
      String(decoding: try readFile("\(fixture.directory)/\($0)"), as: UTF8.self)
    }
    for first in Self.numbers {
      let tree = try TemporaryTree(copyOf: fixture)
      guard var sampler = try? ProcessSampler(pid: tree.pid, root: tree.root) else { continue }
      _ = sampler.sample()
      for second in [first, Self.numbers[0], first] {
        for (file, text) in zip(files, texts) {
          let isStat = file.hasSuffix("/stat")
          try tree.write(Self.replaced(text, with: second, isStat: isStat), to: file)
        }
        _ = sampler.sample()
        _ = sampler.readMemoryNow()
      }
    }
  }

  @Test func `a change of memory beyond 63 bits stays at the greatest`() {
    var change = MemoryChange()
    for _ in 0..<3 { change.add(resident: .max, before: 0, anonymous: 0, before: .max) }
    #expect(change.resident == .max && change.anonymous == .min)
    var sum = MemoryChange()
    sum.add(change)
    sum.add(change)
    #expect(sum.resident == .max && sum.anonymous == .min)
  }

  @Test func `pids that go down to below zero are numbers that have begun again`() {
    #expect(PIDAllocation.areGone(after: .min, through: .max))
    #expect(PIDAllocation.areGone(after: -1, through: .max))
    #expect(PIDAllocation.areGone(after: .max, through: .min))
  }
}
