import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Commands with their descendants, whoever waits for them.
@Suite(.serialized) struct TreeTests {
  /// perfhud without a terminal over a storm that is asked to begin at once.
  private func storm(_ kind: String, processes: Int = 200) throws -> (
    truth: Double, measured: Double, stderr: String
  ) {
    let directory = try TemporaryDirectory()
    let path = directory.file("lines")
    let run = try RunningTool(
      [
        try Perfhud.path(), "--batch", "--format", "jsonl", "--output", path, "--interval", "100ms",
        "--summary", "--", try Products.path("perfhud-load"), "storm", "\(processes)", "--kind",
        kind,
      ], environment: Perfhud.environment())
    #expect(try run.readLine(deadline: Perfhud.deadline)?.hasPrefix("ready") == true)
    // The first sample, before anything of the storm.
    try waitUntil("a line") { (try? readFile(path).contains(UInt8(ascii: "\n"))) == true }
    try run.send("go")
    let line = try #require(try run.readLine(deadline: 60))
    let words = line.split(separator: " ").compactMap { Double($0) }
    try #require(words.count == 3, "\(line)")
    // No orphan stays behind as a zombie; one that has told its truth may still be on its way out.
    try waitUntil(deadline: Perfhud.deadline, "all are waited for") {
      ProcessTable.tree(run.pid).count == 2
    }
    // What came last is in a sample that begins after this.
    let lines = try readFile(path).split(separator: UInt8(ascii: "\n")).count
    try waitUntil(deadline: Perfhud.deadline, "three more samples") {
      ((try? readFile(path))?.split(separator: UInt8(ascii: "\n")).count ?? 0) > lines + 3
    }
    run.closeInput()
    #expect(try run.wait(deadline: Perfhud.deadline) == .exit(0))
    let last = try #require(try readFile(path).split(separator: UInt8(ascii: "\n")).last)
    let measured = try JSONLine(String(decoding: last, as: UTF8.self)).number("cpu_time_s") ?? 0
    return ((words[0] + words[1]) * 1e-9, measured, run.stderr)
  }

  @Test(arguments: ["wait", "orphan", "daemon"])
  func `200 processes below a command are counted, nothing is lost`(kind: String) throws {
    let outcome = try storm(kind)
    // The command lives: what it has waited for is told in two numbers of whole ticks.
    #expect(outcome.measured >= 0.999 * outcome.truth - 0.02)
    // The load does not tell what its processes use for their end.
    #expect(outcome.measured <= outcome.truth * 1.25 + 0.1)
    #expect(!outcome.stderr.contains("≥"), "\(outcome.stderr)")
  }

  @Test func `200 processes that the kernel reaps: the summary says that it is a lower bound`()
    throws
  {
    let outcome = try storm("ignore")
    #expect(outcome.measured <= outcome.truth + 0.02)
    #expect(outcome.stderr.contains("≥"), "\(outcome.stderr)")
  }

  @Test func `children from before perfhud was started are not the command's`() throws {
    let run = try shell(
      """
      (i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done) &
      sh -c 'while :; do :; done' & busy=$!
      export busy
      echo $busy
      exec "$perfhud" --batch --format jsonl --interval 100ms --summary -- \
        sh -c 'head -n 1; kill -9 $busy; cat'
      """)
    let busy = try #require(try run.readLine(deadline: Perfhud.deadline))
    // What it has used by then would be seen in the sum. Source: `schedstat` of proc(5), nanoseconds.
    func used() -> Int {
      let text = (try? readFile("/proc/\(busy)/schedstat")).map {
        String(decoding: $0, as: UTF8.self)
      }
      return text?.split(separator: " ").first.flatMap { Int($0) } ?? 0
    }
    try waitUntil(deadline: Perfhud.deadline, "two processes, and work of the one before") {
      () throws(ToolError) in
      try counts(run).contains(2) && used() > 800_000_000
    }
    try run.send("go")
    // perfhud, the shell and cat.
    try waitUntil(deadline: Perfhud.deadline, "the end of the others") {
      let tree = ProcessTable.tree(run.pid)
      return tree.count == 3 && tree.contains { $0.name == "cat" }
    }
    let seen = try counts(run).count
    try waitUntil(deadline: Perfhud.deadline, "five more lines") { () throws(ToolError) in
      try counts(run).count >= seen + 5
    }
    run.closeInput()
    #expect(try run.wait(deadline: Perfhud.deadline) == .exit(0))
    #expect(try lines(run).last?.number("cpu_time_s") ?? .infinity < 0.25, "\(run.stderr)")
    #expect(try counts(run).max() == 2)
    #expect(!run.stderr.contains("≥"))
  }

  /// A shell script in which `$perfhud` runs, whose lines go to the standard error.
  private func shell(_ script: String) throws(ToolError) -> RunningTool {
    try RunningTool(
      ["sh", "-c", script], environment: Perfhud.environment(["perfhud": try Perfhud.path()]))
  }

  /// The lines so far.
  private func lines(_ run: RunningTool) throws(ToolError) -> [JSONLine] {
    let text = run.stderr
    // The last one may not be whole.
    guard let end = text.lastIndex(of: "\n") else { return [] }
    let texts = text[..<end].split(separator: "\n").filter { $0.hasPrefix("{") }
    return try texts.map { text throws(ToolError) in try JSONLine(String(text)) }
  }

  /// The number of processes in each line so far that has one.
  private func counts(_ run: RunningTool) throws(ToolError) -> [Double] {
    try lines(run).map { line throws(ToolError) in try line.number("processes") }.compactMap { $0 }
  }

  @Test func `an orphan below the overlay has perfhud as its parent and leaves no zombie`() throws {
    let pty = try Overlay.pty(
      "sh", "-c", "(setsid sleep 1000 &); (sh -c 'exit 3' &); echo begun; sleep 1000")
    try pty.read(deadline: Perfhud.deadline, until: "begun")
    let engine = try waitForProcess("perfhud-hud", below: pty.pid)
    let sleeper = try waitForProcess("sleep", below: pty.pid)
    try waitUntil(deadline: Perfhud.deadline, "the orphan") {
      ProcessTable.all().contains { $0.parent == engine && $0.name == "sleep" }
    }
    try waitUntil(deadline: Perfhud.deadline, "no zombie") {
      !ProcessTable.tree(pty.pid).contains { $0.state == "Z" }
    }
    let orphan = try #require(
      ProcessTable.all().first { $0.parent == engine && $0.name == "sleep" })
    defer { kill(Int32(orphan.pid), SIGKILL) }
    _ = sleeper
    // It outlives the command and perfhud.
    pty.signal(SIGHUP)
    _ = try pty.wait(deadline: Perfhud.deadline)
    try waitUntil(deadline: Perfhud.deadline, "another parent") {
      ProcessEntry(orphan.pid).map { $0.parent != engine } ?? false
    }
    #expect(ProcessEntry.isAlive(orphan.pid))
  }

  @Test func `key t shows the processes of a command, T its threads, and the program stays`() throws
  {
    let tmux = try Tmux(
      columns: 100, rows: 40,
      command: try Overlay.wrap(
        ["sh", "-c", "printf bottom; sleep 1000; true"], options: ["--size", "large"]),
      environment: try Overlay.environment())
    try tmux.waitFor("CPU", deadline: Perfhud.deadline)
    try tmux.sendKeys("F12", "f", "t")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.shows("processes") && screen.shows("└─ sleep")
    }
    try tmux.sendKeys("T")
    try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.shows("threads · CPU") && !$0.shows("sleep ")
    }
    try tmux.sendKeys("T", "Escape")
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("threads · CPU") }
    #expect(try tmux.capture().first?.hasPrefix("bottom") == true)
  }

  @Test func `attached without --tree the list of processes is there, and ended ones stay in it`()
    throws
  {
    let load = try Load()
    let child = Int32(try load.command("child")[0])
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)", columns: 100, rows: 40)
    try tmux.waitFor("CPU", deadline: Perfhud.deadline)
    try tmux.sendKeys("t")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("\(child)") }
    kill(child, SIGKILL)
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("SIGKILL") }
    try load.command("reap")
    try tmux.sendKeys("v", "o")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("processes · MEM") }
  }

  @Test func `another user's processes and threads are listed`() throws {
    try requireRoot()
    let load = try Load()
    try load.command("child")
    let tmux = try Tmux(
      columns: 100, rows: 40,
      command: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        + [try Perfhud.path(), "--pid", "\(load.pid)", "--tree"],
      environment: Perfhud.environment())
    try tmux.waitFor("CPU", deadline: Perfhud.deadline)
    try tmux.sendKeys("t")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.count { $0.contains("perfhud-load serve") && $0.contains(#/[0-9]K /#) } >= 2
    }
    try tmux.sendKeys("T")
    try tmux.waitFor("threads · CPU", deadline: Perfhud.deadline)
  }

  @Test func `below /proc with hidepid the tree of one's own processes is whole`() throws {
    try requireNamespaces()
    let run = try shell(
      """
      exec unshare -m sh -c '
      mount -t proc -o hidepid=2 none /proc && exec setpriv --reuid=65534 --regid=65534 --clear-groups -- \
        "$perfhud" --batch --format jsonl -- sh -c "sleep 1000 & cat; kill \\$!"'
      """)
    try waitUntil(deadline: Perfhud.deadline, "three processes") { () throws(ToolError) in
      try counts(run).contains(3)
    }
    run.closeInput()
    #expect(try run.wait(deadline: Perfhud.deadline) == .exit(0), "\(run.stderr)")
    #expect(try counts(run).max() == 3, "\(run.stderr)")
  }
}
