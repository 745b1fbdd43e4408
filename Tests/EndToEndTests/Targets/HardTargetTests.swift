import Glibc
import TestSupport
import Testing

/// Processes that are not like others, and surroundings that lack something.
@Suite struct HardTargetTests {
  /// Runs as a user who owns nothing, in a directory that everybody may read.
  private let stranger = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]

  @Test func `another user's process: its figures are there, what needs its user is null`() throws {
    try requireRoot()
    let load = try Load()
    let output = try Tool.run(
      stranger + [
        try Perfhud.path(), "--pid", "\(load.pid)", "--format", "jsonl", "--samples", "25",
      ], environment: Perfhud.environment(), timeout: Perfhud.deadline)
    #expect(output.status == .exit(0))
    let line = try JSONLine(try #require(output.lines.last, "\(output.stderr)"))
    #expect(try line.number("rss_bytes")! > 0)
    #expect(try line.number("footprint_bytes")! > 0)
    #expect(try line.number("cpu_percent") != nil)
    #expect(try line.number("threads") == 1)
    for key in ["pss_bytes", "read_bytes_per_s", "write_bytes_per_s"] {
      #expect(try line[key] == .null)
    }
  }

  @Test func `another user's process: the screen says what it needs`() throws {
    try requireRoot()
    let load = try Load()
    let tmux = try Tmux(
      columns: 100, rows: 30,
      command: stranger + [try Perfhud.path(), "--pid", "\(load.pid)"],
      environment: Perfhud.environment())
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.contains { $0.contains(#/RSS +[0-9.]+[KM]/#) }
        && screen.contains { $0.contains("PSS") && $0.contains("not permitted") }
    }
  }

  @Test func `--explain as another user says which figures have no source and why`() throws {
    try requireRoot()
    let load = try Load()
    let output = try Tool.run(
      stranger + [try Perfhud.path(), "--pid", "\(load.pid)", "--explain"],
      environment: Perfhud.environment())
    let pss = try #require(output.lines.first { $0.hasPrefix("pss") })
    #expect(pss.contains("none") && pss.contains("not permitted"))
  }

  @Test(arguments: [(2, "is hidden"), (1, "may not be read")])
  func `another user's process below /proc with hidepid of`(level: Int, text: String) throws {
    try requireNamespaces()
    let load = try Load()
    let output = try Perfhud.shell(
      """
      exec unshare -m sh -c '
      mount -t proc -o hidepid=\(level) none /proc && exec \(stranger.joined(separator: " ")) \
        "$perfhud" --pid \(load.pid)'
      """)
    #expect(output.status == .exit(1), "\(output.stderr)")
    #expect(output.stderr.hasPrefix("perfhud: process \(load.pid) \(text)"))
    #expect(output.stderr.contains("hidepid") && output.stderr.contains("root"))
    #expect(splitCount(output.stderr) == 1)
  }

  @Test func `a home of another user is a notice and no obstacle`() throws {
    try requireRoot()
    let load = try Load()
    let directory = try TemporaryDirectory()
    let home = directory.file("home")
    _ = try Tool.run(["mkdir", "-m", "700", home])
    let output = try Tool.run(
      stranger + [
        try Perfhud.path(), "--pid", "\(load.pid)", "--format", "jsonl", "--samples", "1",
      ], environment: Perfhud.environment(["HOME": home]), timeout: Perfhud.deadline)
    #expect(output.status == .exit(0))
    #expect(output.lines.count == 1)
    #expect(output.stderr.hasPrefix("perfhud: cannot open \(home)/.config/perfhud/perfhud.conf"))
    #expect(splitCount(output.stderr) == 1)
  }

  @Test func `a zombie is shown as one: one line, status 0`() throws {
    let load = try Load()
    let zombie = try #require(try load.command("zombie").first)
    let output = try Perfhud.run("--pid", "\(zombie)", "--format", "jsonl")
    #expect(output.status == .exit(0))
    #expect(output.lines.count == 1)
    let line = try JSONLine(try #require(output.lines.first))
    #expect(try line.text("state") == "Z")
    #expect(try line.text("comm") == "perfhud-load")
    #expect(output.stderr.contains("\(zombie)") && output.stderr.contains("has ended"))
    #expect(output.stderr.contains("its parent has not reaped it"))
    let tmux = try Perfhud.tmux("--pid", "\(zombie)")
    let screen = try tmux.waitFor("ZOMBIE", deadline: Perfhud.deadline)
    #expect(screen.contains { $0.contains("not reaped by its parent") })
    // With its parent it is reaped.
    load.signal(SIGKILL)
    _ = try load.wait()
    try tmux.waitFor("ENDED", deadline: Perfhud.deadline)
    try tmux.sendText("q")
    try tmux.waitForEnd(.exit(0))
  }

  /// In a container no thread of the kernel may be visible; the captured trees of SamplerTests hold one.
  @Test func `a thread of the kernel, where there is one: no memory, and the HUD says what it is`()
    throws
  {
    let stat = try Tool.run(["cat", "/proc/2/stat"]).stdout
    guard stat.contains("(kthreadd)") else {
      withKnownIssue("no thread of the kernel is visible here") { Issue.record("not tested") }
      return
    }
    let run = try BatchRun("--pid", "2", "--samples", "1")
    let line = try #require(try run.next())
    #expect(try line.text("comm") == "kthreadd")
    #expect(try line.number("cpu_percent") != nil)
    for key in ["rss_bytes", "footprint_bytes", "pss_bytes", "swap_bytes", "memory_limit_bytes"] {
      #expect(try line[key] == .null)
    }
    let tmux = try Perfhud.tmux("--pid", "2")
    let screen = try tmux.waitFor("kernel thread", deadline: Perfhud.deadline)
    #expect(!screen.contains { $0.contains("MEM") && $0.contains("  0 B") })
  }

  @Test func `perfhud on itself`() throws {
    let output = try Perfhud.shell(
      "exec \"$perfhud\" --pid $$ --format jsonl --samples 3")
    #expect(output.status == .exit(0))
    for line in try output.lines.map({ line throws(ToolError) in try JSONLine(line) }) {
      #expect(try line.text("comm") == "perfhud")
      #expect(try line.number("cpu_time_s")! > 0)
      #expect(try line.number("rss_bytes")! > 0)
    }
  }

  @Test func `a process whose main thread has ended goes on, with its memory and its threads`()
    throws
  {
    let load = try Load()
    try load.command("threads 2")
    let run = try BatchRun("--pid", "\(load.pid)")
    let before = try #require(try run.next()?.number("rss_bytes"))
    try load.command("main-exit")
    let taken = try load.command("alloc 20000000")
    let line = try run.next(after: taken[0])
    #expect(try line.number("rss_bytes")! > before + 19_000_000)
    #expect(try line.text("state") != "X")
    let late = try BatchRun("--pid", "\(load.pid)", "--samples", "1")
    #expect(try late.next()?.number("rss_bytes") ?? 0 > before + 19_000_000)
    try load.command("exit 0")
    _ = try load.wait()
    // This test, its parent, may have been too slow to reap it.
    #expect(try ["X", "Z"].contains(run.rest().last?.text("state")))
    #expect(try run.wait() == .exit(0))
  }

  @Test func `a stopped process is watched on, and says that it is stopped`() throws {
    let load = try Load()
    let run = try BatchRun("--pid", "\(load.pid)")
    load.signal(SIGSTOP)
    _ = try run.next { line throws(ToolError) in try line.text("state") == "T" }
    load.signal(SIGCONT)
    _ = try run.next { line throws(ToolError) in try line.text("state") == "S" }
  }

  @Test func `a root with nothing but /proc: lines and the HUD`() throws {
    try requireNamespaces()
    let load = try Load()
    let directory = try TemporaryDirectory()
    let root = directory.file("root")
    // In a mount namespace of its own, which goes with its last process.
    let prepare = """
      mkdir -p \(root)/proc && cp "$perfhud" \(root)/perfhud && mount -t tmpfs none \(root)/proc &&
      mount --rbind /proc \(root)/proc && exec chroot \(root) /perfhud --pid \(load.pid)
      """
    let lines = try Perfhud.shell("unshare -m sh -c '\(prepare) --format jsonl --samples 2'")
    #expect(lines.status == .exit(0), "\(lines.stderr)")
    #expect(lines.lines.count == 2)
    #expect(lines.stderr.isEmpty)

    let tmux = try Tmux(
      columns: 80, rows: 24, command: ["unshare", "-m", "sh", "-c", prepare],
      environment: Perfhud.environment(["perfhud": try Perfhud.path()]))
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.contains { $0.contains("perfhud-load") } && screen.contains { $0.contains("MiB") }
    }
    try tmux.sendText("q")
    try tmux.waitForEnd(.exit(0))
  }

  @Test func `without /proc: one line that says how to mount it`() throws {
    try requireRoot()
    let directory = try TemporaryDirectory()
    let root = directory.file("root")
    let output = try Perfhud.shell(
      """
      mkdir -p \(root)/proc && cp "$perfhud" \(root)/perfhud && chroot \(root) /perfhud --pid 1
      """)
    #expect(output.status == .exit(1))
    #expect(output.stderr.hasPrefix("perfhud: "))
    #expect(output.stderr.contains("mount"))
    #expect(splitCount(output.stderr) == 1)
  }

  @Test func `/proc of the outer pid namespace: CPU time from stat, and the HUD says so`() throws {
    try requireNamespaces()
    let load = try Load()
    let burned = try load.command("burn 300", deadline: Perfhud.deadline)
    let inside = ["unshare", "-p", "-f", "--kill-child", try Perfhud.path()]
    let environment = Perfhud.environment()
    let explained = try Tool.run(
      inside + ["--pid", "\(load.pid)", "--explain"], environment: environment)
    #expect(explained.stdout.contains("/proc/PID/stat, in clock ticks"))
    let output = try Tool.run(
      inside + ["--pid", "\(load.pid)", "--format", "jsonl", "--samples", "2"],
      environment: environment)
    #expect(output.lines.count == 2)
    #expect(output.stderr.hasPrefix("perfhud: /proc is of another pid namespace"))
    #expect(splitCount(output.stderr) == 1)
    let line = try JSONLine(try #require(output.lines.last, "\(output.stderr)"))
    #expect(try line.text("comm") == "perfhud-load")
    // In whole ticks: user and system time have lost up to one each. The load is up for a while more.
    let used = try #require(try line.number("cpu_time_s"))
    let busy = Double(burned[2]) * 1e-9
    #expect(used > busy - 0.03 && used < busy * 1.1 + 0.1, "\(used) s of \(busy) s")
    let tmux = try Tmux(
      columns: 120, rows: 30, command: inside + ["--pid", "\(load.pid)"],
      environment: environment)
    try tmux.waitFor("other pid namespace", deadline: Perfhud.deadline)
  }

  @Test func `/proc of an inner pid namespace, where /proc/self leads nowhere`() throws {
    try requireNamespaces()
    let directory = try TemporaryDirectory()
    let proc = directory.file("proc")
    let ready = directory.file("ready")
    // The first process of the namespace burns for a while and sleeps. Its /proc takes the place of
    // ours for the shell that watches it, as after: nsenter -m -t CONTAINER.
    let inner = """
      mount -t proc none \(proc)
      timeout 0.6 sh -c "while :; do :; done"
      echo ready > \(ready)
      exec sleep 60
      """
    let outer = """
      mkdir \(proc)
      unshare -p -f --kill-child sh -c '\(inner)' > \(directory.file("errors")) 2>&1 < /dev/null &
      while ! test -s \(ready); do sleep 0.05; done
      until [ "$(cat \(proc)/1/comm)" = sleep ]; do sleep 0.05; done
      mount --move \(proc) /proc
      "$perfhud" --pid 1 --format jsonl --samples 2
      "$perfhud" --pid 1 --explain
      kill -9 $!
      """
    let output = try Perfhud.shell("unshare -m sh -c \(quoted(outer))")
    #expect(output.stdout.contains("/proc/PID/stat, in clock ticks"), "\(output.stderr)")
    let lines = output.lines.filter { $0.hasPrefix("{") }
    #expect(lines.count == 2)
    for text in lines {
      let line = try JSONLine(text)
      #expect(try line.text("comm") == "sleep")
      #expect(try line.number("pid") == 1)
      #expect(try line.number("rss_bytes")! > 0)
      // The clock of the number 1 would be that of another process.
      #expect(try line.number("cpu_time_s")! < 0.2)
    }
  }

  /// As one word of a shell.
  private func quoted(_ script: String) -> String {
    "'" + script.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}

extension Tmux {
  /// Waits until the program has ended, and expects it to have ended so.
  func waitForEnd(
    _ expected: ExitStatus, at location: SourceLocation = #_sourceLocation
  ) throws(ToolError) {
    try waitUntil(deadline: Perfhud.deadline, "the end of the program in tmux") {
      () throws(ToolError) in try status != nil
    }
    let found = try status
    #expect(found == expected, sourceLocation: location)
  }
}
