import Glibc
import HUD
import Sampler
import TestSupport
import Testing

@testable import PerfHUD

/// Signals and priorities for a process that is named by its number and its start.
@Suite struct ProcessControlTests {
  private let which = Int32(PRIO_PROCESS.rawValue)

  private func sleeper() throws -> (tool: RunningTool, target: Target) {
    let tool = try RunningTool(["/bin/sleep", "60"])
    return (tool, try ProcessFacts(pid: Int32(tool.pid)).target)
  }

  @Test func `a signal reaches the process`() throws {
    let (tool, target) = try sleeper()
    #expect(ProcessControl.send(SIGTERM, to: target) == .sent)
    #expect(try tool.wait() == .signal(Int(SIGTERM)))
  }

  @Test func `a process of the same number that started at another time gets nothing`() throws {
    let (tool, target) = try sleeper()
    let other = Target(pid: target.pid, startTicks: target.startTicks + 1)
    #expect(ProcessControl.send(SIGKILL, to: other) == .ended)
    #expect(ProcessControl.renice(other, by: 1) == .ended)
    #expect(getpriority(which, id_t(target.pid)) == getpriority(which, 0))
    // It lives: a signal of the test ends it, not the first one.
    #expect(ProcessControl.send(SIGTERM, to: target) == .sent)
    #expect(try tool.wait() == .signal(Int(SIGTERM)))
    #expect(ProcessControl.send(SIGTERM, to: target) == .ended)
    #expect(ProcessControl.renice(target, by: 1) == .ended)
  }

  @Test func `nice is added to every thread and stays within its range`() throws {
    let load = try Load()
    try load.command("threads 3")
    let target = try ProcessFacts(pid: Int32(load.pid)).target
    let before = Int(getpriority(which, id_t(target.pid)))
    #expect(ProcessControl.renice(target, by: 2) == .reniced(from: before, to: before + 2))
    let listed = try Tool.run(["ls", "/proc/\(load.pid)/task"])
    let threads = listed.lines.compactMap { Int32($0) }
    #expect(threads.count == 4)
    for thread in threads {
      #expect(Int(getpriority(which, id_t(thread))) == before + 2)
    }
    #expect(ProcessControl.renice(target, by: 100) == .reniced(from: before + 2, to: 19))
  }

  @Test func `where numbers mean other processes nothing is sent`() throws {
    let (tool, target) = try sleeper()
    defer { tool.signal(SIGKILL) }
    #expect(ProcessControl.send(SIGKILL, to: target, root: "/nonexistent") == .unsupported)
  }
}
