import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// The socket for events: where it is, who has it, and that it is gone at the end.
@Suite struct EventSocketLifeTests {
  @Test func `an attached HUD receives the events of the process, which finds it by its number`()
    throws
  {
    let directory = try TemporaryDirectory()
    let script = """
      import os, sys, time
      sys.path.insert(0, os.path.dirname(sys.argv[1]))
      import perfhud
      while not perfhud._socket:
          perfhud.action("early")
          time.sleep(0.05)
      sys.stdin.readline()
      """
    let tool = try RunningTool(
      ["python3", "-c", script, clientPath("perfhud.py")],
      environment: Perfhud.environment(isolatedEnvironment(directory)))
    let lines = try RunningTool(
      [try Perfhud.path(), "--pid", "\(tool.pid)", "--format", "jsonl"],
      environment: Perfhud.environment(["XDG_RUNTIME_DIR": "/nonexistent"]))
    // It may not have executed its program when perfhud attaches to it.
    while let line = try lines.readLine(deadline: Perfhud.deadline) {
      if try JSONLine(line).number("actions_per_s") ?? 0 > 0 { break }
    }
    let socket = directory.file("perfhud/\(tool.pid).sock")
    #expect(unsafe access(socket, F_OK) == 0)
    // Another perfhud has no second one, and says so.
    let second = try Perfhud.run("--pid", "\(tool.pid)", "--samples", "1")
    #expect(second.status == .exit(0) && second.stderr.contains("another perfhud"))
    #expect(unsafe access(socket, F_OK) == 0)
    // The program ends when it has found the socket and been asked to.
    try tool.send("")
    #expect(try tool.wait(deadline: Perfhud.deadline) == .exit(0))
    _ = try lines.wait(deadline: Perfhud.deadline)
    #expect(unsafe access(socket, F_OK) != 0)
  }

  @Test func `emit in a script reaches the HUD that watches the script, or the shell above it`()
    throws
  {
    let directory = try TemporaryDirectory()
    let environment = Perfhud.environment(isolatedEnvironment(directory))
    // The inner shell is a child of the watched one, and `emit` one of its own.
    let script = """
      read -r ready
      sh -c '"$perfhud" emit action from-below; :'
      "$perfhud" emit action from-itself
      echo sent
      read -r done
      """
    let perfhud = try Perfhud.path()
    let watched = try RunningTool(
      ["sh", "-c", script.replacing("$perfhud", with: perfhud)], environment: environment)
    let recording = directory.file("run.phr")
    let lines = try RunningTool(
      [perfhud, "--pid", "\(watched.pid)", "--batch", "--record", recording],
      environment: environment)
    _ = try #require(try lines.readLine(deadline: Perfhud.deadline))
    try watched.send("")
    #expect(try watched.readLine(deadline: Perfhud.deadline) == "sent")
    try watched.send("")
    #expect(try watched.wait(deadline: Perfhud.deadline) == .exit(0))
    _ = try lines.wait(deadline: Perfhud.deadline)
    let report = directory.file("run.md")
    #expect(try Perfhud.run("report", recording, "-o", report).status == .exit(0))
    let text = String(decoding: try readFile(report), as: UTF8.self)
    #expect(text.contains("| from-below | 1 |") && text.contains("| from-itself | 1 |"), "\(text)")
  }

  @Test(arguments: [true, false])
  func `what was sent before --duration is over is recorded, attached and in batch mode`(
    isBatch: Bool
  ) throws {
    let directory = try TemporaryDirectory()
    let recording = directory.file("run.phr")
    let environment = Perfhud.environment(isolatedEnvironment(directory))
    // Its environment says where the socket is.
    let target = try RunningTool(["sleep", "1000"], environment: environment)
    defer { target.signal(SIGKILL) }
    try waitUntil(deadline: Perfhud.deadline, "sleep") {
      (try? readFile("/proc/\(target.pid)/comm")) == Array("sleep\n".utf8)
    }
    let options = ["--pid", "\(target.pid)", "--duration", "2s", "--record", recording]
    let pty = try Pty(
      [try Perfhud.path()] + (isBatch ? ["--batch"] : []) + options, environment: environment)
    let start = Instant.now()
    let socket = directory.file("perfhud/\(target.pid).sock")
    try waitUntil(deadline: Perfhud.deadline, "a socket") { unsafe access(socket, F_OK) == 0 }
    try pty.read(deadline: Perfhud.deadline) { !$0.isEmpty }
    // It finds the event and the end of its time at once.
    pty.signal(SIGSTOP)
    try waitUntil(deadline: Perfhud.deadline, "a stopped perfhud") {
      ProcessStatus(pty.pid)?.state == "T"
    }
    let sent = try Perfhud.run(
      "emit", "action", "last.one",
      environment: isolatedEnvironment(directory).merging(["PERFHUD_SOCKET": socket]) { $1 })
    #expect(sent.status == .exit(0), "\(sent.stderr)")
    try waitUntil(deadline: Perfhud.deadline, "the end of the time") {
      Instant.now() > start.advanced(bySeconds: 2.5)
    }
    pty.signal(SIGCONT)
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    let report = try Perfhud.run("report", recording)
    #expect(eventCounts(report.stdout).received == 1, "\(report.stdout)\(report.stderr)")
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
  func `a signal leaves no socket`(signal: Int32) throws {
    let directory = try TemporaryDirectory()
    let load = try Load()
    let lines = try RunningTool(
      [try Perfhud.path(), "--pid", "\(load.pid)", "--format", "jsonl"],
      environment: Perfhud.environment(isolatedEnvironment(directory)))
    _ = try lines.readLine(deadline: Perfhud.deadline)
    lines.signal(signal)
    _ = try lines.wait(deadline: Perfhud.deadline)
    let left = try Tool.run([
      "find", directory.path, IsolatedDirectories.path, "-name", "\(load.pid).sock",
    ])
    #expect(left.stdout == "")
  }

  @Test func `a socket that kill -9 has left is removed by the next perfhud`() throws {
    let directory = try TemporaryDirectory()
    let script = """
      "$perfhud" --batch -- sleep 60 2> /dev/null & own=$!
      until ls "$XDG_RUNTIME_DIR"/perfhud/*.sock > /dev/null 2>&1; do :; done
      first=$(ls "$XDG_RUNTIME_DIR"/perfhud)
      kill -9 $own; wait $own 2> /dev/null
      test -e "$XDG_RUNTIME_DIR/perfhud/$first" && echo left
      "$perfhud" --batch -- true 2> /dev/null
      ls "$XDG_RUNTIME_DIR"/perfhud
      """
    let output = try Perfhud.shell(script, environment: isolatedEnvironment(directory))
    #expect(output.lines == ["left"])
  }

  @Test func `a directory of another user is refused with a line, and the command runs`() throws {
    try requireRoot()
    let directory = try TemporaryDirectory()
    let foreign = directory.file("perfhud")
    _ = try Tool.run(["install", "-d", "-m", "700", "-o", "4242", foreign])
    let output = try Perfhud.run(
      "--batch", "--", "sh", "-c", "echo \"${PERFHUD_SOCKET:-none}\"",
      environment: isolatedEnvironment(directory))
    #expect(output.status == .exit(0) && output.lines == ["none"])
    #expect(output.stderr.contains("belongs to user 4242"))
  }
}
