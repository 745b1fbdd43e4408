import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Which perfhud receives the events of a process that it is attached to, and who says so.
@Suite struct EventListenerTests {
  private static let script = """
    import os, sys, time
    sys.path.insert(0, os.path.dirname(sys.argv[1]))
    import perfhud
    while True:
        perfhud.action("tock")
        time.sleep(0.05)
    """

  private func places(_ directory: TemporaryDirectory) -> [String: String?] {
    ["XDG_RUNTIME_DIR": directory.path, "TMPDIR": nil, "PERFHUD_SOCKET": nil]
  }

  private var command: [String] {
    ["python3", "-c", EventListenerTests.script, Repository.path("clients/perfhud.py")]
  }

  /// Waits until the lines show actions.
  private func waitForActions(_ lines: RunningTool) throws {
    while let line = try lines.readLine(deadline: Perfhud.deadline) {
      if try JSONLine(line).number("actions_per_s") ?? 0 > 0 { return }
    }
    Issue.record("no actions")
  }

  @Test
  func `the second HUD says that another receives the events, and does so when that has gone`()
    throws
  {
    let directory = try TemporaryDirectory()
    let program = try RunningTool(command, environment: Perfhud.environment(places(directory)))
    let first = try RunningTool(
      [try Perfhud.path(), "--pid", "\(program.pid)", "--format", "jsonl"],
      environment: Perfhud.environment(places(directory)))
    // That another one is there matters once the program has reported something.
    try waitForActions(first)
    let second = try Tmux(
      columns: 80, rows: 24, command: [try Perfhud.path(), "--pid", "\(program.pid)"],
      environment: Perfhud.environment(places(directory)))
    try second.waitFor("another perfhud receives its events", deadline: Perfhud.deadline)
    try second.sendKeys("a")
    try second.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains { $0.contains("─ actions ") }
        && rows.contains { $0.hasPrefix("│ another perfhud receives its events") }
    }
    let explained = try Perfhud.run(
      "--explain", "--pid", "\(program.pid)", environment: places(directory))
    #expect(
      explained.stdout.contains("(not received: another perfhud receives its events)"))

    first.signal(SIGTERM)
    _ = try first.wait(deadline: Perfhud.deadline)
    try second.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains { $0.contains(#/tock +[0-9]+/#) }
    }
    program.signal(SIGKILL)
    _ = try program.wait(deadline: Perfhud.deadline)
  }

  /// `prog & perfhud --pid $!`: the shell's child may not have executed its program yet.
  @Test func `perfhud attached before the exec receives the events of the program after it`() throws
  {
    let directory = try TemporaryDirectory()
    let script = "read go; XDG_RUNTIME_DIR=$after exec python3 -c \"$program\" \"$client\""
    let shell = try RunningTool(
      ["sh", "-c", script],
      environment: Perfhud.environment([
        "after": directory.path, "program": EventListenerTests.script,
        "client": Repository.path("clients/perfhud.py"),
      ]))
    let lines = try RunningTool(
      [try Perfhud.path(), "--pid", "\(shell.pid)", "--format", "jsonl"],
      environment: Perfhud.environment())
    #expect(try lines.readLine(deadline: Perfhud.deadline) != nil)
    let before = IsolatedDirectories.runtime + "/perfhud/\(shell.pid).sock"
    #expect(unsafe access(before, F_OK) == 0)
    try shell.send("go")
    try waitForActions(lines)
    #expect(unsafe access(directory.file("perfhud/\(shell.pid).sock"), F_OK) == 0)
    #expect(unsafe access(before, F_OK) != 0, "the socket has moved with the program")
    shell.signal(SIGKILL)
    _ = try shell.wait(deadline: Perfhud.deadline)
  }

  @Test
  func
    `perfhud that is attached to a command under a HUD reports that the HUD above receives its events`()
    throws
  {
    let directory = try TemporaryDirectory()
    let words = command.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ")
    let script = """
      "$perfhud" --batch --format jsonl --output /dev/null -- sh -c 'echo $$; exec "$@"' sh \(words) &
      wait
      """
    let above = try RunningTool(
      ["sh", "-c", script],
      environment: Perfhud.environment(places(directory)).merging(
        ["perfhud": try Perfhud.path()]) { $1 })
    let pid = try above.readLine(deadline: Perfhud.deadline) ?? ""
    // It knows once the program has sent the first event.
    let attached = try RunningTool(
      [try Perfhud.path(), "--pid", pid, "--output", "/dev/null"],
      environment: Perfhud.environment(places(directory)))
    try waitUntil(deadline: Perfhud.deadline, "the remark") {
      attached.stderr.contains("runs under receives its events")
    }
    attached.signal(SIGINT)
    #expect(try attached.wait(deadline: Perfhud.deadline) == .exit(0))
    let explained = try Perfhud.run("--explain", "--pid", pid, environment: places(directory))
    #expect(
      explained.stdout.contains("(not received: the perfhud it runs under receives its events)"))
    if let number = Int32(pid) { kill(number, SIGKILL) }
    _ = try above.wait(deadline: Perfhud.deadline)
  }
}
