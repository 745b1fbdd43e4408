import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// Facts about a process, read for people.
@Suite struct ProcessDetailsTests {
  private func target(_ pid: Int32) throws -> Target {
    let stat = try #require(StatFields(path: "/proc/\(pid)/stat"))
    return Target(pid: pid, startTicks: stat.startTicks)
  }

  @Test func `they are those of the process`() throws {
    let tool = try RunningTool(["/bin/sh", "-c", "cd /usr; exec nice -n 7 sleep 63 9</dev/null"])
    defer { tool.signal(SIGKILL) }
    let pid = Int32(tool.pid)
    try waitUntil("sleep") { () throws(ToolError) in
      StatFields(path: "/proc/\(pid)/stat")?.name.text == "sleep"
    }
    let details = try #require(ProcessDetails(try target(pid)))
    #expect(details.user == geteuid())
    #expect(details.parent == getpid())
    #expect(details.parentName.count > 0)
    #expect(details.nice == 7)
    #expect(details.directory == "/usr")
    #expect(details.program?.hasSuffix("/sleep") == true)
    #expect(!details.isProgramDeleted)
    // Standard input, output, error, and the one that the shell opened.
    #expect(details.openFiles ?? 0 >= 4)
    #expect(details.openFilesLimit ?? 0 >= 4)
    #expect(details.processors?.isEmpty == false)
    #expect(details.cgroup?.hasPrefix("/") == true)
  }

  @Test func `a program that was deleted is marked, without the kernel's suffix`() throws {
    let directory = try TemporaryDirectory()
    let copy = directory.path + "/copy of sleep"
    _ = try Tool.run(["cp", "/bin/sleep", copy])
    let tool = try RunningTool([copy, "63"])
    defer { tool.signal(SIGKILL) }
    let target = try target(Int32(tool.pid))
    try waitUntil("the exec") { () throws(ToolError) in
      ProcessDetails(target)?.program == copy
    }
    #expect(unsafe unlink(copy) == 0)
    let details = try #require(ProcessDetails(target))
    #expect(details.program == copy)
    #expect(details.isProgramDeleted)
  }

  @Test func `there are none of another process with the same pid`() throws {
    var target = try target(getpid())
    #expect(ProcessDetails(target) != nil)
    target = Target(pid: target.pid, startTicks: target.startTicks + 1)
    #expect(ProcessDetails(target) == nil)
  }
}
