import Glibc
import PerfHUDBase
import SystemPackage
import TestSupport
import Testing

@testable import PerfHUD

/// What is read as a configuration file, and what is refused.
@Suite struct ConfigSourceTests {
  private func text(_ path: String) throws(SystemError) -> String {
    String(decoding: try ConfigSource.read(path), as: UTF8.self)
  }

  @Test func `a file that never ends is refused`() {
    let error = #expect(throws: SystemError.self) { try ConfigSource.read("/dev/zero") }
    #expect(error?.code == .fileTooLarge)
    #expect(error?.description.contains("1 MiB") == true)
  }

  @Test func `no file, an empty one and a directory`() throws {
    #expect(try text("/dev/null") == "")
    #expect(throws: SystemError.self) { try ConfigSource.read("/nonexistent") }
    #expect(throws: SystemError.self) { try ConfigSource.read("/tmp") }
  }

  @Test func `a FIFO that nobody writes to is given up, one with a writer is read`() throws {
    let directory = try #require(Tool.run(["mktemp", "-d"]).lines.first)
    defer { _ = try? Tool.run(["rm", "-rf", directory]) }
    let path = directory + "/fifo"
    unsafe mkfifo(path, 0o600)
    let error = #expect(throws: SystemError.self) { try ConfigSource.read(path) }
    #expect(error?.code == .timedOut)
    let writer = try RunningTool(["sh", "-c", "echo tick = 0 > \(path)"])
    #expect(try text(path) == "tick = 0\n")
    _ = try writer.wait()
  }
}
