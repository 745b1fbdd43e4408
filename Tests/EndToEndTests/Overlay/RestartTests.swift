import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// With `--restart-hud` the HUD comes back after its death, over the program that goes on. `LONG_TESTS=1` plays 200
/// deaths.
@Suite(.disabled(if: Overlay.isControl)) struct RestartTests {
  private static let lastWords = "the HUD ended"
  private static let option = ["--restart-hud"]
  private static let rounds = 0..<(Overlay.isLong ? 40 : 2)
  private static let signals = [SIGKILL, SIGKILL, SIGSEGV, SIGABRT, SIGTRAP, SIGSTOP]
  /// The end of the questions that each HUD asks at its start.
  private static let lastQuestion = "\u{1B}[c"
  private static let questions =
    "\u{1B}[>q\u{1B}]11;?\u{1B}\\\u{1B}[?2026$p\u{1B}[?69$p\u{1B}[6n\u{1B}[c"

  /// Answers the questions of the HUD with this number, from 1 on.
  private func answer(_ pty: Pty, number: Int) throws {
    try pty.read(deadline: Perfhud.deadline) {
      String(decoding: $0, as: UTF8.self).ranges(of: Self.lastQuestion).count >= number
    }
    try pty.send(SupervisorTests.answers)
  }

  /// Kills the HUD; returns the one that follows it.
  private func replaceHUD(_ engine: Int, below process: Int, by signal: Int32) throws -> Int {
    kill(pid_t(engine), signal)
    var next: Int?
    try waitUntil(deadline: Perfhud.deadline, "another HUD") {
      next =
        ProcessTable.tree(process)
        .first { $0.name == SupervisorTests.engine && $0.pid != engine && $0.state != "Z" }?.pid
      return next != nil
    }
    return try #require(next)
  }

  // MARK: Bytes

  private static func flood(_ count: Int, marks file: String) -> String {
    let line = #"printf "\033]7777;%d\007line %d of a lög\n", i, i"#
    return
      "echo once >>\(file); awk 'BEGIN { for (i = 0; i < \(count); i++) \(line) }'; exit 42"
  }

  @Test(arguments: rounds)
  func `no byte is lost or sent twice when three HUDs die in a flood`(round: Int) throws {
    var random = SeededRandom(scatteredSeed: UInt64(round))
    let directory = try TemporaryDirectory()
    let file = directory.file("runs")
    let count = 60_000
    let isHidden = round % 2 == 0
    let pty = try Overlay.pty(
      "sh", "-c", Self.flood(count, marks: file),
      options: Self.option + (isHidden ? ["--hidden"] : []))
    try answer(pty, number: 1)
    var engine = try waitForProcess(SupervisorTests.engine, below: pty.pid)
    for death in 1...3 {
      let bytes = Int.random(in: 5000..<400_000, using: &random)
      try pty.read(deadline: Perfhud.deadline, bytes: pty.output.count + bytes)
      let signal = Self.signals[Int.random(in: 0..<Self.signals.count, using: &random)]
      kill(pid_t(engine), signal)
      try answer(pty, number: death + 1)
      engine = try waitForProcess(SupervisorTests.engine, below: pty.pid)
    }
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(42))
    let numbers = pty.text.matches(of: #/\u{1B}\]7777;(\d+)\u{07}/#)
    #expect(numbers.compactMap { Int($0.output.1) } == Array(0..<count))
    #expect(!pty.text.contains(Self.lastWords))
    #expect(words(of: pty.modes) == words(of: try Pty(["true"]).modes))
    #expect(try readFile(file, limit: 100) == Array("once\n".utf8))
    guard isHidden else { return }
    let text = pty.text.replacing(Self.questions, with: "").replacing("\u{1B}[6n", with: "")
    let lines = text.matches(of: #/\u{07}line (\d+) of a lög\r\n/#)
    #expect(lines.compactMap { Int($0.output.1) } == Array(0..<count))
  }

  @Test(arguments: rounds)
  func `a HUD that dies before it has taken over is followed by another one`(round: Int) throws {
    var random = SeededRandom(scatteredSeed: UInt64(round) + 1000)
    let pty = try Overlay.pty(
      "sh", "-c",
      "for i in $(seq 0 199); do printf '\\033]7777;%d\\007' $i; sleep 0.02; done; exit 9",
      options: Self.option)
    try answer(pty, number: 1)
    kill(pid_t(try waitForProcess(SupervisorTests.engine, below: pty.pid)), SIGKILL)
    // The next one has another name until it has read its command line.
    let started = Instant.now()
    let wait = Int64.random(in: 0..<60_000_000, using: &random)
    try waitUntil(deadline: Perfhud.deadline, "the time of the second death") {
      Instant.now().nanoseconds(since: started) >= wait
    }
    for child in ProcessTable.all() where child.parent == pty.pid {
      if ["perfhud", SupervisorTests.engine].contains(child.name) {
        kill(pid_t(child.pid), SIGKILL)
      }
    }
    try waitUntil(deadline: Perfhud.deadline, "another HUD") {
      ProcessTable.all().contains { $0.parent == pty.pid && $0.name == SupervisorTests.engine }
    }
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(9))
    let numbers = pty.text.matches(of: #/\u{1B}\]7777;(\d+)\u{07}/#)
    #expect(numbers.compactMap { Int($0.output.1) } == Array(0...199))
    #expect(!pty.text.contains(Self.lastWords))
  }

  // MARK: What the user sees

  private func startShell(_ command: String) throws -> (Tmux, Int) {
    let tmux = try Overlay.shell()
    try tmux.sendText("clear; \"$perfhud\" --restart-hud -- \(command); echo status $?\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") }
    return (tmux, try #require(Int(try tmux.value("pane_pid"))))
  }

  /// Waits until a HUD that has followed another one is drawn: it obeys the signal that hides and shows it.
  private func waitForHUD(_ tmux: Tmux, _ engine: Int) throws {
    let supervisor = pid_t(try #require(ProcessEntry(engine)).parent)
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") }
    kill(supervisor, SIGUSR1)
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("CPU") }
    kill(supervisor, SIGUSR1)
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") && $0.shows("RESTARTED") }
  }

  @Test(arguments: [SIGKILL, SIGSEGV, SIGSTOP])
  func `over a shell the HUD is back, and what is beneath it is whole`(signal: Int32) throws {
    let (tmux, pane) = try startShell("bash --norc -i")
    try tmux.sendText("clear; for i in $(seq 30); do printf '%079d\\n' $i; done\n")
    try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.shows("CPU") && $0.shows("000030") && $0.last { !$0.isEmpty } == "ready>"
        && !$0.shows(" 0s ")
    }
    let engine = try waitForProcess(SupervisorTests.engine, below: pane)
    // A HUD that is stopped is only missed while something waits for it.
    if signal == SIGSTOP {
      kill(pid_t(engine), SIGSTOP)
      try tmux.sendText(" ")
    }
    try waitForHUD(tmux, try replaceHUD(engine, below: pane, by: signal))
    let next = try #require(
      ProcessEntry(try waitForProcess(SupervisorTests.engine, below: pane)))
    kill(pid_t(next.parent), SIGUSR1)
    let after = try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("CPU") }
    #expect(
      after.dropLast().filter { !$0.isEmpty }.allSatisfy { $0.contains(#/^0+\d+$|ready>/#) },
      "\(after)")
    try tmux.sendText("exit 3\n")
    try tmux.waitFor("status 3", deadline: Perfhud.deadline)
    #expect(!(try tmux.captureHistory()).shows(Self.lastWords))
  }

  @Test(arguments: [SIGKILL, SIGABRT])
  func `over a program on the whole screen the HUD is back`(signal: Int32) throws {
    let (tmux, pane) = try startShell("sh -c 'seq 200 | less; exit 4'")
    let engine = try waitForProcess(SupervisorTests.engine, below: pane)
    try waitForHUD(tmux, try replaceHUD(engine, below: pane, by: signal))
    try tmux.type("G") { $0.shows("CPU") && $0.contains("200") }
    #expect(try tmux.value("alternate_on") == "1")
    try tmux.sendText("q")
    try tmux.waitFor("status 4", deadline: Perfhud.deadline)
    #expect(try tmux.value("alternate_on") == "0")
  }

  @Test func `vim goes on with its keys and modes`() throws {
    try requireTool("vim")
    let directory = try TemporaryDirectory()
    let file = directory.file("text")
    let (tmux, pane) = try startShell("vim -N -u NONE -i NONE -n '\(file)'")
    try tmux.sendText("ione")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.first?.hasPrefix("one") == true }
    let engine = try waitForProcess(SupervisorTests.engine, below: pane)
    try waitForHUD(tmux, try replaceHUD(engine, below: pane, by: SIGKILL))
    try tmux.sendText(" two")
    try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.first?.hasPrefix("one two") == true && $0.shows("CPU")
    }
    try tmux.sendKeys("Escape")
    try tmux.sendText(":wq\n")
    try tmux.waitFor("status 0", deadline: Perfhud.deadline)
    #expect(try readFile(file, limit: 100) == Array("one two\n".utf8))
  }

  @Test func `the pen, the margins and the cursor are those of the program`() throws {
    let (tmux, pane) = try startShell(
      "sh -c 'printf \"\\033[2J\\033[10;15r\\033[12;5H\\033[31mred \"; read a; "
        + "printf \"more\\nnext\"; read a; printf \"\\033[r\"'")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("red") && $0.shows("CPU") }
    let engine = try waitForProcess(SupervisorTests.engine, below: pane)
    try waitForHUD(tmux, try replaceHUD(engine, below: pane, by: SIGKILL))
    try tmux.sendKeys("Enter")
    let rows = try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("next") && $0.shows("CPU") }
    #expect(rows[11].hasPrefix("    red"))
    #expect(rows[12].hasPrefix("more") && rows[13].hasPrefix("next"))
    // tmux names a color where it begins.
    let colored = try tmux.capture(escapes: true)[11...13].joined(separator: "\n")
    #expect(
      colored.contains(#/\u{1B}\[31mred more\n.*next|\u{1B}\[31mred\s*\nmore\nnext/#), "\(colored)")
    try tmux.sendKeys("Enter")
    try tmux.waitFor("status 0", deadline: Perfhud.deadline)
  }

  @Test func `nothing is left of a HUD that died if the next one is hidden before it is drawn`()
    throws
  {
    // The program never rests, so the supervisor does not know what is beneath the HUD.
    let pty = try Overlay.pty(
      "sh", "-c", "while :; do printf '\\r.'; sleep 0.005; done", options: Self.option)
    try answer(pty, number: 1)
    try pty.read(deadline: Perfhud.deadline, until: "CPU")
    let engine = try replaceHUD(
      try waitForProcess(SupervisorTests.engine, below: pty.pid), below: pty.pid, by: SIGKILL)
    try waitUntil(deadline: Perfhud.deadline, "the next HUD") {
      ProcessEntry(engine)?.name == SupervisorTests.engine
    }
    kill(pid_t(pty.pid), SIGUSR1)
    try answer(pty, number: 2)
    try pty.read(deadline: Perfhud.deadline) { !rowsShown(after: $0).shows("CPU") }
  }

  @Test func `after the death of a hidden HUD the next one can be shown`() throws {
    let (tmux, pane) = try startShell("bash --norc -i")
    try tmux.sendText("seq 30\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("30") && $0.shows("CPU") }
    let engine = try waitForProcess(SupervisorTests.engine, below: pane)
    try tmux.sendKeys("F12", "h")
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("CPU") }
    _ = try replaceHUD(engine, below: pane, by: SIGKILL)
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") && $0.shows("RESTARTED") }
    try tmux.sendText("exit 7\n")
    try tmux.waitFor("status 7", deadline: Perfhud.deadline)
  }

  @Test func `after the fourth death in a minute the program keeps running without a HUD`() throws {
    let (tmux, pane) = try startShell("bash --norc -i")
    var engine = try waitForProcess(SupervisorTests.engine, below: pane)
    for _ in 1...3 {
      engine = try replaceHUD(engine, below: pane, by: SIGKILL)
      try waitForHUD(tmux, engine)
    }
    kill(pid_t(engine), SIGKILL)
    try waitForEnd(of: [engine])
    try tmux.sendText("echo $((6 * 7))\n")
    let rows = try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.shows("42") && $0.shows(Self.lastWords)
    }
    #expect(rows.filter { $0.contains(Self.lastWords) }.count == 1)
    try tmux.sendText("clear\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("CPU") && $0.shows("ready>") }
    try tmux.sendText("exit 5\n")
    try tmux.waitFor("status 5", deadline: Perfhud.deadline)
  }

  // MARK: What else has to go on

  @Test func `events of the program reach the next HUD`() throws {
    let (tmux, pane) = try startShell("bash --norc -i")
    let engine = try waitForProcess(SupervisorTests.engine, below: pane)
    try waitForHUD(tmux, try replaceHUD(engine, below: pane, by: SIGKILL))
    try tmux.sendText("\"$perfhud\" emit phase canvas; sleep 1000\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains { $0.contains("╭ ") && $0.contains(" canvas ") }
    }
    try tmux.sendKeys("C-c")
    try tmux.sendText("exit 6\n")
    try tmux.waitFor("status 6", deadline: Perfhud.deadline)
  }

  @Test func `Ctrl-Z and fg work with the next HUD`() throws {
    let (tmux, pane) = try startShell("sh -c 'echo begun; sleep 1000; exit 9'")
    let sleep = try waitForProcess("sleep", below: pane)
    let engine = try waitForProcess(SupervisorTests.engine, below: pane)
    try waitForHUD(tmux, try replaceHUD(engine, below: pane, by: SIGKILL))
    try tmux.stopJob()
    try tmux.sendText("fg\n")
    try waitUntil(deadline: Perfhud.deadline, "the command to go on") {
      ProcessEntry(sleep)?.state == "S"
    }
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") }
    try tmux.sendKeys("C-c")
    try tmux.waitForPrompt()
  }

  @Test func `where the next HUD cannot start, the program keeps running without one`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("perfhud.conf")
    try TestFile.write(Array("restart-hud = yes\n".utf8), to: file)
    let pty = try Pty(
      try Overlay.wrap(["sh", "-c", "echo begun; read a; echo after; read b; exit 8"]),
      environment: try Overlay.environment(["PERFHUD_CONFIG": file]))
    try answer(pty, number: 1)
    try pty.read(deadline: Perfhud.deadline, until: "begun")
    let engine = try waitForProcess(SupervisorTests.engine, below: pty.pid)
    try TestFile.write(Array("size = wrong\n".utf8), to: file)
    kill(pid_t(engine), SIGKILL)
    try waitUntil(deadline: Perfhud.deadline, "the end of the HUD") {
      !ProcessTable.tree(pty.pid).contains { $0.name == SupervisorTests.engine }
    }
    try pty.send("\r")
    try pty.read(deadline: Perfhud.deadline, until: "(\(file):1: size 'wrong'")
    try pty.send("\r")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(8))
    #expect(pty.text.ranges(of: "begun").count == 1)
  }

  @Test func `where perfhud splits late, it says that no HUD follows`() throws {
    let directory = try TemporaryDirectory()
    let pty = try Overlay.pty(
      "sh", "-c", "echo begun; read a; exit 2",
      options: Self.option + ["--output", directory.file("rows")])
    try answer(pty, number: 1)
    try pty.read(deadline: Perfhud.deadline, until: "begun")
    #expect(pty.text.contains("perfhud: restart-hud has no effect here"))
    kill(pid_t(try waitForProcess(SupervisorTests.engine, below: pty.pid)), SIGKILL)
    try pty.send("\r")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(2))
    #expect(pty.text.contains(Self.lastWords))
  }

  @Test func `a recording goes on in a file of its own`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("run")
    let pty = try Overlay.pty(
      "sh", "-c", "echo begun; read a; exit 2", options: Self.option + ["--record", file])
    try answer(pty, number: 1)
    try waitUntil(deadline: Perfhud.deadline, "the first block of the recording") {
      (try? Perfhud.run("report", file).status) == .exit(0)
    }
    kill(pid_t(try waitForProcess(SupervisorTests.engine, below: pty.pid)), SIGKILL)
    try answer(pty, number: 2)
    try pty.send("\r")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(2))
    let report = try Perfhud.run("report", file + ".2")
    #expect(report.status == .exit(0) && report.stdout.contains(#/exit +2\n/#), "\(report.stdout)")
    #expect(try Perfhud.run("report", file).status == .exit(0))
  }
}
