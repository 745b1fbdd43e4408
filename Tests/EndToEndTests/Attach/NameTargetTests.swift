import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Targets by name: chosen, waited for, followed.
@Suite struct NameTargetTests {
  /// A link to the load, whose name is that of its process and of no other.
  private final class NamedLoad {
    let name: String
    private let directory: TemporaryDirectory

    init() throws(ToolError) {
      directory = try TemporaryDirectory()
      name = "phl\(UInt32.random(in: 0...99_999_999))"
      let made = try Tool.run(
        ["ln", "-s", try Products.path("perfhud-load"), directory.file(name)])
      guard made.status == .exit(0) else { throw ToolError("ln: \(made.stderr)") }
    }

    /// perfhud that waits for it in tmux, whose command line does not contain the name: that could be found.
    func wait() throws(ToolError) -> Tmux {
      let file = directory.file("pattern")
      try TestFile.write(Array(name.utf8), to: file)
      return try Tmux(
        columns: 100, rows: 30,
        command: [
          "sh", "-c", "exec \"$perfhud\" --name \"$(cat \"$0\")\" --wait", file,
        ], environment: Perfhud.environment(["perfhud": try Perfhud.path()]))
    }

    func start() throws(ToolError) -> Load { try Load(program: directory.file(name)) }
  }

  /// How often the program is killed and started again.
  private static let restarts = unsafe getenv("LONG_TESTS") == nil ? 8 : 50

  @Test
  func `a program that is killed and started again is followed, with no wrong figure in between`()
    throws
  {
    let program = try NamedLoad()
    let run = try BatchRun("--name", program.name, "--wait", "--tick", "0")
    var former: Load?
    var lastTime = 0.0
    var sawEnd = true
    for number in 0..<NameTargetTests.restarts {
      let load = try program.start()
      let pid = Double(load.pid)
      // So that a figure that spans two processes is far from any of one.
      try load.command("alloc \((1 + number % 4) * 20_000_000)")
      try load.command("burn \(number % 2 == 0 ? 120 : 1)")
      var lines: [JSONLine] = []
      while lines.count < 3 {
        let line = try #require(try run.next())
        #expect(try line.number("pid") == pid, "a line of another process")
        lines.append(line)
      }
      #expect(sawEnd)
      // No rate before two readings of this process.
      if number > 0 { #expect(try lines[0]["cpu_percent"] == .null) }
      load.signal(SIGKILL)
      _ = try load.wait()
      sawEnd = false
      var cpu = -1.0
      while !sawEnd {
        lines.append(try #require(try run.next()))
        sawEnd = try lines.last?.text("state") == "X"
      }
      for line in lines {
        #expect(try line.number("pid") == pid)
        #expect(try line.text("comm") == program.name)
        let time = try #require(try line.number("t"))
        #expect(time > lastTime)
        lastTime = time
        if let percent = try line.number("cpu_percent") { #expect((0...150).contains(percent)) }
        let used = try #require(try line.number("cpu_time_s"))
        #expect(used >= cpu && used < 10)
        cpu = used
        let resident = try #require(try line.number("rss_bytes"))
        #expect(resident < 100_000_000)
      }
      former = load
    }
    #expect(former != nil)
    run.signal(SIGINT)
    _ = try run.rest()
    #expect(try run.wait() == .exit(0))
    #expect(run.stderr.isEmpty)
  }

  @Test func `with --exit-with-target the end is the end`() throws {
    let program = try NamedLoad()
    let load = try program.start()
    let run = try BatchRun("--name", program.name, "--exit-with-target")
    _ = try run.next()
    try load.command("exit 0")
    _ = try load.wait()
    // This test, its parent, may have been too slow to reap it.
    #expect(try ["X", "Z"].contains(run.rest().last?.text("state")))
    #expect(try run.wait() == .exit(0))
    #expect(run.stderr.hasPrefix("perfhud: process \(load.pid) (\(program.name)) has ended"))
  }

  @Test func `nothing of this name: one line that says how to wait, status 1`() throws {
    let output = try Perfhud.run("--name", "no-such-program-here", "--samples", "1")
    #expect(output.status == .exit(1))
    #expect(
      output.stderr
        == "perfhud: no process is called 'no-such-program-here' and no command line matches it; "
        + "wait for one with: perfhud --name no-such-program-here --wait\n")
  }

  @Test func `a shell with the pattern in its command line is not taken for the program`() throws {
    let output = try Perfhud.shell("\"$perfhud\" --name 'phl-[n]one' --samples 1; : phl-none")
    #expect(output.stderr.hasPrefix("perfhud: no process is called"))
    let inner = try Perfhud.shell("sh -c '\"$perfhud\" --name phl-none --samples 1; :'; :")
    #expect(inner.stderr.hasPrefix("perfhud: no process is called"))
  }

  @Test func `several of a name: lines list them with age and command line, and stop`() throws {
    let program = try NamedLoad()
    let loads = [try program.start(), try program.start()]
    let output = try Perfhud.run("--name", program.name, "--samples", "1")
    #expect(output.status == .exit(1))
    let lines = output.stderr.split(separator: "\n").map(String.init)
    #expect(lines.count == 4)
    for load in loads {
      #expect(
        lines.contains { $0.contains(" \(load.pid) ") && $0.contains("\(program.name) serve") })
    }
    #expect(
      lines.last
        == "perfhud: 2 processes match '\(program.name)'; choose one of them with: --pid N")
  }

  @Test func `several of a name over a shell: the HUD shows the newest and says so`() throws {
    let program = try NamedLoad()
    let first = try program.start()
    // Starts differ by ticks of 10 ms.
    usleep(30_000)
    let second = try program.start()
    let tmux = try Perfhud.tmux(
      "--name", program.name, "--overlay", "--size", "large", "--", "cat", columns: 100, rows: 30)
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.shows("the newest is shown") && screen.shows("2 match")
        && screen.shows("\(program.name) \(second.pid)")
    }
    #expect(!screen.shows("\(program.name) \(first.pid)"))
  }

  @Test func `several of a name: a list of them, and the chosen one is followed`() throws {
    let program = try NamedLoad()
    let loads = [try program.start(), try program.start()]
    let tmux = try Perfhud.tmux("--name", program.name, columns: 100)
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.shows("attach to:") && loads.allSatisfy { screen.shows(" \($0.pid) ") }
        && screen.filter { $0.contains(program.name) }.count == 2
    }
    try tmux.sendText("\(loads[0].pid)")
    try tmux.waitFor("\(loads[0].pid)_", deadline: Perfhud.deadline)
    try tmux.sendKeys("Enter")
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.showsValues && screen.title.shows(program.name, loads[0].pid)
    }
    #expect(!screen.shows("the newest is shown"))
    loads[0].signal(SIGKILL)
    _ = try loads[0].wait()
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.title.shows(program.name, loads[1].pid) && !screen.shows("ENDED")
    }
  }

  @Test func `the HUD says what it waits for, and marks the restart`() throws {
    let program = try NamedLoad()
    let tmux = try program.wait()
    try tmux.waitFor("waiting for \(program.name)", deadline: Perfhud.deadline)
    let first = try program.start()
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.showsValues && screen.title.shows(program.name, first.pid)
    }
    first.signal(SIGKILL)
    _ = try first.wait()
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.shows("ENDED") && screen.shows("waiting for \(program.name)")
    }
    let second = try program.start()
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.title.shows(program.name, second.pid) && screen.shows("↻")
        && !screen.shows("ENDED")
    }
    try tmux.sendText("l")
    try tmux.waitFor("\(program.name) restarted", deadline: Perfhud.deadline)
    try tmux.sendText("q")
    try tmux.waitForEnd(.exit(0))
  }

  @Test func `exec keeps the target and renames it`() throws {
    let program = try NamedLoad()
    let load = try program.start()
    let run = try BatchRun("--name", program.name)
    _ = try run.next()
    try load.command("exec other-name", deadline: Perfhud.deadline)
    let line = try run.next { line throws(ToolError) in try line.text("comm") == "other-name" }
    #expect(try line.number("pid") == Double(load.pid))
  }

  @Test func `--explain names the process that a name means, and what becomes of it`() throws {
    let program = try NamedLoad()
    let load = try program.start()
    let explained = try Perfhud.run("--name", program.name, "--explain")
    #expect(explained.stdout.contains("process       \(load.pid) \(program.name)"))
    #expect(explained.stdout.contains("followed when it is started again"))
    let waiting = try Perfhud.run("--name", "no-such-program-here", "--wait", "--explain")
    #expect(waiting.stdout.contains("none yet"))
  }

  @Test func `under a command the named process is measured, and lines go to standard error`()
    throws
  {
    let program = try NamedLoad()
    let load = try program.start()
    let output = try Perfhud.run(
      "--name", program.name, "--overlay", "--", "sh", "-c", "echo out; sleep 0.2")
    // Without a terminal the command runs directly.
    #expect(output.status == .exit(0) && output.stdout == "out\n")
    let lines = try Perfhud.shell(
      "\"$perfhud\" --name \(program.name) --batch --format jsonl --samples 1; true")
    #expect(try JSONLine(try #require(lines.lines.first)).number("pid") == Double(load.pid))
  }

  @Test func `under a command exit-with-target from the environment follows nothing`() throws {
    let program = try NamedLoad()
    let first = try program.start()
    let tmux = try Perfhud.tmux(
      "--name", program.name, "--overlay", "--", "cat", columns: 100, rows: 30,
      environment: ["PERFHUD_EXIT_WITH_TARGET": "true"])
    try tmux.waitFor("CPU", deadline: Perfhud.deadline)
    first.signal(SIGKILL)
    _ = try first.wait()
    try tmux.waitFor("ENDED", deadline: Perfhud.deadline)
    let second = try program.start()
    // Long enough for it to be found and shown, if anybody looked.
    let until = Instant.now().advanced(bySeconds: 2)
    try waitUntil("the time") { Instant.now() >= until }
    #expect(try tmux.capture().contains { $0.contains("ENDED") })
    _ = second
  }

  @Test func `another user's process below /proc with hidepid is not found by its name`() throws {
    try requireNamespaces()
    let program = try NamedLoad()
    let load = try program.start()
    let output = try Perfhud.shell(
      """
      exec unshare -m sh -c '
      mount -t proc -o hidepid=2 none /proc &&
      exec setpriv --reuid=65534 --regid=65534 --clear-groups -- "$perfhud" --name \(program.name)'
      """)
    #expect(output.status == .exit(1), "\(output.stderr)")
    #expect(output.stderr.hasPrefix("perfhud: no process is called '\(program.name)'"))
    _ = load
  }

  @Test func `another user's process is found by its name, and its switches are read`() throws {
    try requireRoot()
    let program = try NamedLoad()
    let load = try program.start()
    let output = try Tool.run(
      ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] + [
        try Perfhud.path(), "--name", program.name, "--format", "jsonl", "--samples", "25",
      ], environment: Perfhud.environment(), timeout: Perfhud.deadline)
    // Switches are read once a second.
    let line = try JSONLine(try #require(output.lines.last, "\(output.stderr)"))
    #expect(try line.number("pid") == Double(load.pid))
    #expect(try line.number("voluntary_switches_per_s") != nil)
    #expect(try line["read_bytes_per_s"] == .null)
  }
}

extension String {
  /// Whether a title is that of a process with this name.
  fileprivate func shows(_ name: String, _ pid: Int) -> Bool {
    hasPrefix("\(name) ") && contains(" \(pid) ")
  }
}
