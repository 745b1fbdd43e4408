import Glibc
import Metrics
import PerfHUDBase
import Sampler
import Testing

@testable import PerfHUD

@Suite struct LastWordsTests {
  @Test func `a process that has executed another program has the latest name`() throws {
    let facts = try ProcessFacts(pid: getpid())
    let header = RunHeader(
      start: .now(), wallClockOffset: 0, interval: 100_000_000, command: "bash")
    let pid = facts.target.pid
    #expect(
      Session.lastWords(header, facts, nil) == "process \(pid) (\(facts.name.text)) has ended")
    var row = Row()
    row.pid = pid
    for byte in "renamed".utf8 { row.name.append(byte) }
    #expect(Session.lastWords(header, facts, row) == "process \(pid) (renamed) has ended")
    row.processEnd = .signaled(11)
    #expect(
      Session.lastWords(header, facts, row) == "process \(pid) (renamed) has ended: SIGSEGV")
    row.pid = 1
    #expect(
      Session.lastWords(header, facts, row) == "process \(pid) (\(facts.name.text)) has ended")
  }
}
