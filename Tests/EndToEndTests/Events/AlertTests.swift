import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Alerts from the rule to the bell, on a load whose truth is known.
@Suite struct AlertTests {
  private func text(_ path: String) -> String {
    (try? readFile(path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// How often the rule of the first test was raised, as the page of alerts says in the row of a state.
  private func row(of state: String, in screen: [String]) -> (state: String, count: String)? {
    for line in screen {
      let words = line.split(separator: " ").map(String.init)
      // The state, the rule, the value and its unit, the number.
      guard let first = words.firstIndex(of: state), words.count > first + 8,
        words[(first + 1)...(first + 5)] == ["rss", ">", "150MB", "for", "500ms"]
      else { continue }
      return (state, words[first + 8])
    }
    return nil
  }

  @Test func `memory beyond the threshold raises the alert once, and coming back ends it`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux(
      "--pid", "\(load.pid)", "--alert", "rss > 150MB for 500ms", columns: 100, rows: 30)
    try tmux.waitForValues()
    try tmux.sendKeys("!")
    try tmux.waitFor(deadline: Perfhud.deadline) { row(of: "ok", in: $0) != nil }
    try load.command("alloc 300000000")
    try tmux.waitFor("ALERT", deadline: Perfhud.deadline)
    let raised = try tmux.waitFor(deadline: Perfhud.deadline) { row(of: "ALERT", in: $0) != nil }
    #expect(raised.title.contains("ALERT"))
    try load.command("free 300000000")
    let over = try tmux.waitFor(deadline: Perfhud.deadline) { row(of: "ended", in: $0) != nil }
    #expect(!over.title.contains("ALERT"))
    #expect(row(of: "ended", in: over)?.count == "1")
    try load.command("alloc 300000000")
    try tmux.waitFor(deadline: Perfhud.deadline) { row(of: "ALERT", in: $0)?.count == "2" }
    try tmux.sendKeys("q")
    try tmux.waitForEnd(.exit(0))
  }

  @Test func `a busy loop raises an alert, once`() throws {
    // On a busy machine it may get no core for a sample of 100 ms.
    let output = try Perfhud.shell(
      """
      sh -c 'while :; do :; done' & pid=$!
      "$perfhud" --pid $pid --batch --format csv --interval 500ms --duration 8s \
        --alert 'cpu > 5% for 1s' --alert 'cpu < 1% for 1s'
      kill $pid
      """)
    let lines = output.stderr.split(separator: "\n").filter { $0.contains("alert: ") }
    #expect(lines.count == 1, "\(output.stderr)")
    #expect(lines.first?.hasPrefix("perfhud: alert: cpu > 5% for 1s: ") == true)
  }

  @Test func `the command has the facts in its environment, and the shell runs none of them`()
    throws
  {
    let directory = try TemporaryDirectory()
    let file = directory.file("told")
    let load = try Load()
    // A name that a shell would take for more than a name.
    try load.command("name $(id)`id`;#'\"")
    let command = """
      printf '%s|' "$PERFHUD_ALERT_RULE" "$PERFHUD_ALERT_VALUE" "$PERFHUD_ALERT_TARGET" \
      "$PERFHUD_ALERT_PID" "$PERFHUD_ALERT_COUNT" > \(file).new; \
      test -t 0 || echo no terminal >> \(file).new; mv \(file).new \(file)
      """
    let tmux = try Perfhud.tmux(
      "--pid", "\(load.pid)", "--alert", "threads >= 1", "--alert-command", command)
    try waitUntil(deadline: Perfhud.deadline, "the command") { TestFile.size(file) > 0 }
    let parts = text(file).split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    #expect(parts.count == 6)
    #expect(parts[0] == "threads >= 1" && parts[1] == "1")
    #expect(parts[2].hasPrefix("$(id)`id`;#"))
    #expect(parts[3] == "\(load.pid)" && parts[4] == "1")
    #expect(parts[5] == "no terminal\n")
    try tmux.sendKeys("q")
    try tmux.waitForEnd(.exit(0))
  }

  @Test func `what the command of an alert uses is not the measured program's`() throws {
    let directory = try TemporaryDirectory()
    let fifo = directory.file("told")
    // One that it starts outlives it, in its session.
    let command = """
      (i=0; while [ $i -lt 800000 ]; do i=$((i+1)); done; echo > \(fifo)) & \
      i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done
      """
    // The target waits without using any CPU, with a child that has been seen when the alert is raised.
    let output = try Perfhud.shell(
      """
      mkfifo \(fifo)
      "$perfhud" --batch --format jsonl --interval 100ms --alert 'processes >= 2' \
        --alert-command "$command" -- sh -c 'sleep 1000 & read line < \(fifo); kill $!'
      """, environment: ["command": command])
    let lines = try output.stderr.split(separator: "\n").filter { $0.hasPrefix("{") }
      .map { try JSONLine(String($0)) }
    let last = try #require(lines.last)
    #expect(try last.number("cpu_time_s") ?? .infinity < 0.15)
    #expect(try lines.compactMap { try $0.number("processes") }.max() == 2)
  }

  @Test func `no command of an alert stays a zombie after the target has ended`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux(
      "--pid", "\(load.pid)", "--alert", "threads >= 1", "--alert-command",
      "while kill -0 \(load.pid); do sleep 0.05; done; sleep 0.5")
    try tmux.waitForValues()
    let perfhud = try tmux.pid
    // Others run beside it.
    func hasCommand() -> Bool {
      ProcessTable.all().contains {
        $0.name == "sh" && $0.session == $0.pid && $0.parent == perfhud
      }
    }
    try waitUntil(deadline: Perfhud.deadline, "the command") { hasCommand() }
    load.signal(SIGKILL)
    _ = try load.wait()
    try tmux.waitFor("ENDED", deadline: Perfhud.deadline)
    try waitUntil(deadline: Perfhud.deadline, "its end") { !hasCommand() }
    try tmux.sendKeys("q")
    try tmux.waitForEnd(.exit(0))
  }

  @Test func `the bell rings for an alert where it is wanted, and not otherwise`() throws {
    let load = try Load()
    for wants in [true, false] {
      let pty = try Perfhud.pty(
        "--pid", "\(load.pid)", "--alert", "threads >= 1",
        wants ? "--alert-bell" : "--no-alert-bell")
      try pty.read(deadline: Perfhud.deadline, until: "ALERT")
      if wants { try pty.read(deadline: Perfhud.deadline) { $0.contains(0x07) } }
      try pty.send("q")
      #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
      #expect(pty.output.contains(0x07) == wants)
    }
  }

  @Test func `over a command the bell waits for the end of a sequence`() throws {
    let directory = try TemporaryDirectory()
    let (fifo, told) = (directory.file("fifo"), directory.file("told"))
    #expect(try Tool.run(["mkfifo", fifo]).status == .exit(0))
    // perfhud has half a title with the word before it; the rest comes when the alert has been raised, for a
    // child that the command has only from then on.
    let command = """
      printf 'ready\\033]2;half'; read line < \(fifo); until test -e \(told); do sleep 0.05; done
      printf ' whole\\033\\\\'; exec cat
      """
    let pty = try Overlay.pty(
      "sh", "-c", command,
      options: [
        "--alert", "processes >= 2", "--alert-bell", "--alert-command", "touch \(told)",
      ])
    try pty.read(deadline: Perfhud.deadline, until: "ready")
    #expect(try Tool.run(["sh", "-c", "echo > \(fifo)"]).status == .exit(0))
    try pty.read(deadline: Perfhud.deadline) { bytes in
      guard let end = bytes.firstRange(of: Array(" whole\u{1B}\\".utf8)) else { return false }
      return bytes[end.upperBound...].contains(0x07)
    }
    let output = pty.output
    let start = try #require(output.firstRange(of: Array("\u{1B}]2;half".utf8)))
    let end = try #require(output.firstRange(of: Array(" whole\u{1B}\\".utf8)))
    #expect(!output[start.lowerBound..<end.upperBound].contains(0x07))
    try pty.send([4])
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
  }

  @Test func `beside a command on the terminal an alert is said when it has ended`() throws {
    let directory = try TemporaryDirectory()
    // Half a line stands on the terminal until the alert has been raised and two more lines are out.
    let command = """
      printf ha; until test -e \(directory.file("told")); do sleep 0.05; done
      lines() { wc -l < \(directory.file("lines")); }
      end=$(($(lines) + 2)); until test $(lines) -ge $end; do sleep 0.05; done
      echo lf
      """
    let pty = try Perfhud.pty(
      "--batch", "--output", directory.file("lines"), "--interval", "100ms",
      "--alert", "processes >= 1", "--alert-command", "touch \(directory.file("told"))",
      "--", "sh", "-c", command)
    try pty.read(deadline: Perfhud.deadline, until: "perfhud: alert: processes >= 1: ")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    let output = String(decoding: pty.output, as: UTF8.self)
    #expect(output.hasPrefix("half\r\nperfhud: alert: "), "\(output.debugDescription)")
  }

  @Test func `without a HUD and without lines an alert is said when the command has ended`()
    throws
  {
    let directory = try TemporaryDirectory()
    let output = try Perfhud.shell(
      """
      "$perfhud" --no-summary --alert 'processes >= 1' --alert-command "touch $told" -- \
        sh -c 'until test -e $told; do sleep 0.05; done; echo end >&2'
      """, environment: ["told": directory.file("told")])
    #expect(output.status == .exit(0))
    #expect(
      output.stderr.hasPrefix("end\nperfhud: alert: processes >= 1: "),
      "\(output.stderr.debugDescription)")
  }

  @Test(arguments: [
    ("cpux > 3", "alert: column 1: unknown metric 'cpux'; did you mean cpu?"),
    ("rss > 500", "alert: column 10: the number needs a unit"),
  ])
  func `a bad rule is an error with its column`(rule: String, message: String) throws {
    let output = try Perfhud.run("--pid", "1", "--alert", rule)
    #expect(output.status == .exit(64) && output.stderr.contains(message), "\(output.stderr)")
    let directory = try TemporaryDirectory()
    try TestFile.write(Array("# x\nalert = \(rule)\n".utf8), to: directory.file("p.conf"))
    let fromFile = try Perfhud.run(
      "--pid", "1", environment: ["PERFHUD_CONFIG": directory.file("p.conf")])
    #expect(fromFile.stderr.contains("p.conf:2: \(message)"), "\(fromFile.stderr)")
  }
}
