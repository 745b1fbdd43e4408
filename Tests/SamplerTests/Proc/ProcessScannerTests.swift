import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// The processes that a user may choose.
@Suite struct ProcessScannerTests {
  /// A program that runs until the end of the test.
  private func shell(_ script: String) throws -> RunningTool {
    try RunningTool(["/bin/sh", "-c", script])
  }

  /// Scans until a process is there and the condition on it holds.
  private func wait(
    for pid: Int, _ scanner: inout ProcessScanner,
    _ condition: (ProcessCandidate) -> Bool = { _ in true }
  ) throws -> ProcessCandidate {
    var found: ProcessCandidate?
    try waitUntil("the process \(pid)") { () throws(ToolError) in
      do {
        found = try scanner.scan().first { $0.target.pid == pid && condition($0) }
      } catch {
        throw ToolError("\(error)")
      }
      return found != nil
    }
    return try #require(found)
  }

  @Test func `a process has its user, name, command line, CPU and memory`() throws {
    var scanner = ProcessScanner()
    let tool = try shell("while :; do :; done # phscan")
    defer { kill(pid_t(tool.pid), SIGKILL) }
    let found = try wait(for: tool.pid, &scanner) {
      $0.commandLine.hasSuffix("phscan") && ($0.cpuPercent ?? 0) > 1
    }
    #expect(found.user == geteuid())
    #expect(found.name.text == "sh")
    #expect(found.commandLine == "/bin/sh -c while :; do :; done # phscan")
    #expect(try ProcessFacts(pid: Int32(tool.pid)).target == found.target)
    #expect(found.cpuNanoseconds > 0)
    #expect(found.memoryBytes ?? 0 > 0)
  }

  @Test func `the share of CPU is the CPU time between two scans`() throws {
    var scanner = ProcessScanner()
    let tool = try shell("while :; do :; done")
    defer { kill(pid_t(tool.pid), SIGKILL) }
    /// A scan with a time before and after it.
    func scan() throws -> (start: Instant, found: ProcessCandidate, end: Instant) {
      let start = Instant.now()
      let found = try scanner.scan().first { $0.target.pid == tool.pid }
      return (start, try #require(found), .now())
    }
    let first = try scan()
    var next = first
    try waitUntil("50 ms of CPU time") { () throws(ToolError) in
      (readClock(clockid_t(~Int32(tool.pid) << 3 | 2)) ?? 0) > first.found.cpuNanoseconds
        + 50_000_000
    }
    next = try scan()
    let used = Double(next.found.cpuNanoseconds - first.found.cpuNanoseconds)
    let percent = try #require(next.found.cpuPercent)
    #expect(percent >= 100 * used / Double(next.end.nanoseconds(since: first.start)))
    #expect(percent <= 100 * used / Double(next.start.nanoseconds(since: first.end)))
  }

  @Test func `the first scan has no share of CPU`() throws {
    var scanner = ProcessScanner()
    #expect(try scanner.scan().allSatisfy { $0.cpuPercent == nil })
  }

  @Test func `perfhud itself, threads of the kernel and zombies are left out`() throws {
    var scanner = ProcessScanner()
    let parent = try shell("sleep 0 & exec sleep 60")
    defer { kill(pid_t(parent.pid), SIGKILL) }
    // The child is never waited for.
    var zombie: Int32 = 0
    try waitUntil("the zombie") { () throws(ToolError) in
      let children =
        (try? readFile("/proc/\(parent.pid)/task/\(parent.pid)/children")) ?? []
      zombie = Int32(String(decoding: children, as: UTF8.self).prefix { $0 != " " }) ?? 0
      return zombie > 0 && (try? ProcessFacts(pid: zombie))?.state == .zombie
    }
    let all = try scanner.scan()
    #expect(all.contains { $0.target.pid == parent.pid })
    #expect(!all.contains { $0.target.pid == zombie || $0.target.pid == getpid() })
    #expect(!all.contains { $0.name.text == "kthreadd" })
  }

  @Test func `an exec is noticed, and only the wanted ones are read`() throws {
    var scanner = ProcessScanner()
    let tool = try shell("read x; exec sleep 61")
    defer { kill(pid_t(tool.pid), SIGKILL) }
    let before = try wait(for: tool.pid, &scanner) { $0.commandLine.hasPrefix("/bin/sh") }
    let only = try scanner.scan(only: [before.target])
    #expect(only.map(\.target) == [before.target])
    try tool.send("go")
    let after = try wait(for: tool.pid, &scanner) { $0.commandLine == "sleep 61" }
    #expect(after.target == before.target)
  }

  @Test func `a command line that was empty in the middle of an exec is read again`() throws {
    let copy = try TemporaryTree(copyOf: Fixture("linux-6.18/process"))
    var scanner = ProcessScanner(root: copy.root)
    func line() throws -> String? {
      try scanner.scan().first { $0.target.pid == copy.pid }?.commandLine
    }
    try copy.write("", to: "proc/\(copy.pid)/cmdline")
    #expect(try line()?.hasPrefix("[") == true)
    try copy.write("prog\0x\0", to: "proc/\(copy.pid)/cmdline")
    #expect(try line() == "prog x")
  }

  @Test func `memory is the footprint that a view of the process shows, with swap`() throws {
    let copy = try TemporaryTree(copyOf: Fixture("linux-6.18/process"))
    let file = "proc/\(copy.pid)/status"
    let status = String(decoding: try readFile("\(copy.root)/\(copy.pid)/status"), as: UTF8.self)
    try copy.write("5000 200 175 6 0 3000 0\n", to: "proc/\(copy.pid)/statm")
    try copy.write(
      status.replacing(#/VmSwap:.*/#, with: "VmSwap:\t  153600 kB")
        .replacing(#/VmPTE:.*/#, with: "VmPTE:\t  400 kB"), to: file)
    var scanner = ProcessScanner(root: copy.root)
    let found = try scanner.scan().first { $0.target.pid == copy.pid }
    #expect(found?.memoryBytes == (25 * 4 + 153600 + 400) * 1024)
    TestFile.remove("\(copy.root)/\(copy.pid)/status")
    #expect(try scanner.scan().first?.memoryBytes == 25 * 4 * 1024)
  }

  @Test(arguments: [
    ("process", true), ("main-thread-ended", true), ("zombie", false), ("kernel-thread", false),
  ])
  func `a captured process is listed`(name: String, isListed: Bool) throws {
    let fixture = try Fixture("linux-6.18/\(name)")
    var scanner = ProcessScanner(root: fixture.root)
    let found = try scanner.scan().filter { $0.target.pid == fixture.pid }
    #expect(found.count == (isListed ? 1 : 0))
    for process in found {
      #expect(!process.commandLine.isEmpty)
      for scalar in process.commandLine.unicodeScalars {
        #expect(SafeText.replacement(for: scalar) == scalar)
      }
    }
  }

  @Test func `without a /proc it says so`() throws {
    var scanner = ProcessScanner(root: "/nonexistent")
    #expect(throws: SamplerError.procUnusable(root: "/nonexistent")) { try scanner.scan() }
  }
}
