import Glibc
import PerfHUDBase
import Terminal
import TestSupport
import Testing

/// How a launcher finds and starts a program.
@Suite(.serialized) struct LaunchTests {
  /// A folder with the files `a/x`, which is not executable, `b/x`, which is a script, and `file`.
  private func withFolder(_ script: String, _ body: (String) throws -> Void) throws {
    let path = try Tool.run(["mktemp", "-d"]).lines[0]
    defer { _ = try? Tool.run(["rm", "-rf", path]) }
    let made = try Tool.run([
      "sh", "-c",
      "cd \"$1\" && mkdir a b && : > a/x && : > file && echo \"$2\" > b/x && chmod +x b/x", "sh",
      path, script,
    ])
    #expect(made.status == .exit(0))
    try body(path)
  }

  private func start(_ words: [String], path: String) throws(PtyError) -> DirectCommand {
    try DirectCommand(
      command: words.map { Array($0.utf8) }, environment: ["PATH": path],
      mask: CommandOnPty.noSignals)
  }

  @Test func `PATH: what is no folder, not there or not executable is passed over`() throws {
    try withFolder("exit 9") { folder in
      let places = ["file", "none", "a", "b"].map { "\(folder)/\($0)" }
      var command = try start(["x"], path: places.joined(separator: ":"))
      #expect(command.wait() == .exited(code: 9))
    }
  }

  @Test(arguments: [("a:none", 126), ("none:file", 127), ("", 127)])
  func `PATH without the program`(places: String, status: Int32) throws {
    try withFolder("exit 9") { folder in
      let path = places.split(separator: ":").map { "\(folder)/\($0)" }.joined(separator: ":")
      let error = #expect(throws: PtyError.self) { _ = try start(["x"], path: path) }
      #expect(error?.exitStatus == status)
    }
  }

  @Test func `a script without a first line gets 20000 arguments, on a pty and without`() throws {
    try withFolder("test $# = 20000 && test ${20000} = 20000 && exit 9") { folder in
      let words = ["\(folder)/b/x"] + (1...20000).map { "\($0)" }
      var direct = try DirectCommand(
        command: words.map { Array($0.utf8) }, mask: CommandOnPty.noSignals)
      #expect(direct.wait() == .exited(code: 9))
      var pty = try CommandOnPty(words)
      #expect(try pty.waitForStatus() == .exited(code: 9))
    }
  }

  @Test func `the holder bears neither the plan nor the command's arguments`() throws {
    let command = try CommandOnPty("sleep", "4242")
    let holder = command.pty.holderProcess
    let line = try readFile("/proc/\(holder)/cmdline")
    #expect(String(decoding: line.prefix { $0 != 0 }, as: UTF8.self) == "perfhud-holder")
    #expect(line.drop { $0 != 0 }.allSatisfy { $0 == 0 })
    let name = try readFile("/proc/\(holder)/comm")
    #expect(String(decoding: name, as: UTF8.self) == "perfhud-holder\n")
  }
}
