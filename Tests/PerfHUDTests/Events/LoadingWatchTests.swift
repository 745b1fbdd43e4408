import Glibc
import Metrics
import PerfHUDBase
import PerfHUDEvents
import TestSupport
import Testing

@testable import PerfHUD

/// Whose words a message has, and when it ends.
@Suite struct LoadingWatchTests {
  private static let start = Instant(nanoseconds: 5_000_000_000_000)

  private static func run(_ speaker: Speaker) -> LiveRun {
    var run = LiveRun(Run(RunHeader(start: start, wallClockOffset: 0, interval: 100_000_000)))
    var event = Event(.loading)
    event.name = Event.Name("images")
    event.speaker = speaker
    run.apply(.event(event, start))
    return run
  }

  @Test func `a message ends with the last process of its sender's group`() throws {
    let shell = try RunningTool(["setsid", "sh", "-c", "echo ready; read line"])
    #expect(try shell.readLine() == "ready")
    let speaker = Speaker(process: Int32(shell.pid))
    #expect(speaker.group == Int32(shell.pid))
    var run = Self.run(speaker)
    var watch = LoadingWatch()
    watch.look(&run, now: Self.start)
    #expect(run.value.reports.loading != nil && watch.deadline != nil)
    try shell.send("")
    _ = try shell.wait()
    watch.look(&run, now: Self.start.advanced(bySeconds: 1))
    #expect(run.value.reports.loading == nil && watch.deadline == nil)
  }

  @Test(arguments: [0, -1] as [Int32])
  func `a message of nobody ends after 10 s`(group: Int32) {
    var run = Self.run(Speaker(name: "", process: 0, group: group))
    var watch = LoadingWatch()
    watch.look(&run, now: Self.start.advanced(bySeconds: 9))
    #expect(run.value.reports.loading != nil)
    watch.look(&run, now: Self.start.advanced(bySeconds: 10.5))
    #expect(run.value.reports.loading == nil)
  }

  @Test(arguments: [
    (["bash", "--norc"], true), (["bash", "--norc", "-i"], true), (["sh"], true),
    (["sh", "-c", "read line"], false), (["bash", "-ec", "read line"], false), (["cat"], false),
  ])
  func `a shell with a prompt is recognized`(command: [String], hasPrompt: Bool) throws {
    let tool = try RunningTool(command)
    // Until it has executed the program it is a copy of this process.
    try waitUntil {
      let bytes = try? readFile("/proc/\(tool.pid)/comm")
      return bytes.map { String(decoding: $0, as: UTF8.self) } == command[0] + "\n"
    }
    #expect(Speaker.isInteractiveShell(Int32(tool.pid)) == hasPrompt)
  }

  @Test func `a process that has ended has no name and no group`() throws {
    let speaker = Speaker(process: .max)
    #expect(speaker.name.isEmpty && speaker.group == 0)
    #expect(Speaker(foreground: nil).group == -1)
  }
}
