import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// The HUD dies, and the command goes on.
@Suite(.disabled(if: Overlay.isControl)) struct SupervisorTests {
  static let engine = "perfhud-hud"
  private static let lastWords = "the HUD ended"
  /// What an xterm answers to perfhud's questions.
  static let answers =
    "\u{1B}P>|XTerm(390)\u{1B}\\\u{1B}[?2026;2$y\u{1B}[?69;0$y\u{1B}[1;1R\u{1B}[?62;22c"
  private static let count = 30_000

  /// Numbered sequences of its own, which nothing of the HUD's can be within, and text.
  private static func flood(_ count: Int) -> String {
    let line = #"printf "\033]7777;%d\007line %d of a log with some text\n", i, i"#
    return "awk 'BEGIN { for (i = 0; i < \(count); i++) \(line) }'; exit 42"
  }

  private static func numbers(in output: [UInt8]) -> [Int] {
    String(decoding: output, as: UTF8.self).matches(of: #/\u{1B}\]7777;(\d+)\u{07}/#)
      .compactMap { Int($0.output.1) }
  }

  /// Starts a command that floods the terminal, and kills the HUD after a number of bytes.
  private func killInFlood(by signal: Int32, after bytes: Int, options: [String]) throws -> Pty {
    let pty = try Overlay.pty("sh", "-c", Self.flood(Self.count), options: options)
    try pty.read(deadline: Perfhud.deadline, until: "\u{1B}[c")
    try pty.send(Self.answers)
    let engine = try waitForProcess(Self.engine, below: pty.pid)
    try pty.read(deadline: Perfhud.deadline, bytes: bytes)
    kill(pid_t(engine), signal)
    return pty
  }

  @Test(arguments: 0..<(Overlay.isLong ? 1000 : 24))
  func `no byte is lost or sent twice when the HUD dies at any moment`(round: Int) throws {
    var random = SeededRandom(scatteredSeed: UInt64(round))
    let signal = [SIGKILL, SIGKILL, SIGSEGV, SIGABRT, SIGTRAP][
      Int.random(in: 0..<5, using: &random)]
    let bytes = Int.random(in: 5_000..<1_200_000, using: &random)
    let isHidden = round % 2 == 0
    let pty = try killInFlood(by: signal, after: bytes, options: isHidden ? ["--hidden"] : [])
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(42))
    #expect(Self.numbers(in: pty.output) == Array(0..<Self.count))
    #expect(pty.text.contains(Self.lastWords))
    #expect(words(of: pty.modes) == words(of: try Pty(["true"]).modes))
    guard isHidden else { return }
    // perfhud's own question for the cursor may be anywhere.
    let text = pty.text.replacing("\u{1B}[6n", with: "")
    let lines = text.matches(of: #/\u{07}line (\d+) of a log with some text\r\n/#)
    #expect(lines.compactMap { Int($0.output.1) } == Array(0..<Self.count))
  }

  @Test(arguments: [([], 0), (["--strict"], 98)])
  func `a HUD that dies with budgets says that none is judged`(
    options: [String], status: Int
  ) throws {
    let pty = try Overlay.pty(
      "sh", "-c", "echo begun; read a", options: ["--budget", "rss.peak <= 1GiB"] + options)
    try pty.read(deadline: Perfhud.deadline, until: "begun")
    kill(pid_t(try waitForProcess(Self.engine, below: pty.pid)), SIGKILL)
    try pty.send("\r")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(status))
    #expect(pty.text.contains("and no budget is judged"), "\(pty.text)")
  }

  @Test func `a HUD that is stopped is replaced while output waits`() throws {
    let pty = try Overlay.pty(
      "sh", "-c", "for i in 1 2 3 4 5 6 7 8; do echo \"tick $i;\"; sleep 0.5; done; exit 5")
    try pty.read(deadline: Perfhud.deadline, until: "tick 1;")
    kill(pid_t(try waitForProcess(Self.engine, below: pty.pid)), SIGSTOP)
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(5))
    #expect(pty.text.contains("(no sign of life)"))
    let ticks = pty.text.matches(of: #/tick (\d);/#).map(\.output.1)
    #expect(ticks == ["1", "2", "3", "4", "5", "6", "7", "8"])
  }

  @Test func `a HUD that is stopped while the command rests is left alone`() throws {
    let pty = try Overlay.pty("sh", "-c", "echo begun; read line; exit 6")
    try pty.read(deadline: Perfhud.deadline, until: "begun")
    let engine = pid_t(try waitForProcess(Self.engine, below: pty.pid))
    kill(engine, SIGSTOP)
    try waitUntil(deadline: Perfhud.deadline, "the stop") {
      ["T", "t"].contains(ProcessEntry(Int(engine))?.state)
    }
    kill(engine, SIGCONT)
    try pty.send("\r")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(6))
    #expect(!pty.text.contains(Self.lastWords))
  }

  @Test func `what was beneath the HUD is there again, and keys reach the shell`() throws {
    let tmux = try Overlay.shell()
    let fill = { (first: Int, last: Int) in
      "for i in $(seq \(first) \(last)); do printf '%079d\\n' $i; done"
    }
    try tmux.sendText("clear; \(fill(1, 30)); \"$perfhud\" -- bash --norc -i\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") }
    try tmux.sendText("clear; \(fill(31, 60))\n")
    let shown = try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.shows("CPU") && $0.shows("000060") && $0.last { !$0.isEmpty } == "ready>"
        && !$0.shows(" 0s ")
    }
    #expect(shown.contains { $0.hasPrefix("00000000000000000000") })
    let panePid = try #require(Int(try tmux.value("pane_pid")))
    kill(pid_t(try waitForProcess(Self.engine, below: panePid)), SIGKILL)
    // All rows of the fill are whole again.
    let after = try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("CPU") }
    #expect(
      after.dropLast().filter { !$0.isEmpty }.allSatisfy { $0.contains(#/^0+\d+$|ready>/#) },
      "\(after)")
    try tmux.sendText("echo $((6 * 7))\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("42") && $0.shows(Self.lastWords) }
    try tmux.sendText("exit 3\n")
    // What is typed before would go to the shell that ends.
    try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.filter { !$0.isEmpty }.suffix(2) == ["exit", "ready>"]
    }
    try tmux.sendText("echo status $?\n")
    try tmux.waitFor("status 3", deadline: Perfhud.deadline)
  }

  @Test func `if the supervisor is killed, the shell goes on below the last line`() throws {
    let tmux = try Overlay.shell()
    try tmux.sendText("clear; \"$perfhud\" -- sh -c 'seq 60; echo full; read x'\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") && $0.shows("full") }
    let panePid = try #require(Int(try tmux.value("pane_pid")))
    kill(pid_t(try waitForProcess("perfhud", below: panePid)), SIGKILL)
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("CPU") && $0.shows("Killed") }
    try tmux.sendText("echo $((6 * 7)) after\n")
    let rows = try tmux.waitFor("42 after", deadline: Perfhud.deadline)
    let last = try #require(rows.lastIndex(of: "full"))
    #expect(try #require(rows.firstIndex { $0.hasPrefix("42 after") }) > last, "\(rows)")
  }

  @Test func `a program on the whole screen draws it anew`() throws {
    let tmux = try Overlay.shell()
    try tmux.sendText("\"$perfhud\" -- sh -c 'seq 200 | less'\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") && $0.contains("20") }
    let panePid = try #require(Int(try tmux.value("pane_pid")))
    kill(pid_t(try waitForProcess(Self.engine, below: panePid)), SIGSEGV)
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.prefix(23) == (1...23).map(String.init)[...]
    }
    #expect(try tmux.value("alternate_on") == "1")
    try tmux.type("G") { $0.contains("200") }
    try tmux.sendText("q")
    // On the main screen it is said at last.
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows(Self.lastWords) }
  }

  @Test func `Ctrl-Z, fg and the exit status still work`() throws {
    let tmux = try Overlay.shell()
    try tmux.sendText("\"$perfhud\" -- sh -c 'echo begun; sleep 1000; exit 9'; echo status $?\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") }
    let panePid = try #require(Int(try tmux.value("pane_pid")))
    let sleep = try waitForProcess("sleep", below: panePid)
    kill(pid_t(try waitForProcess(Self.engine, below: panePid)), SIGKILL)
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("CPU") }
    try tmux.stopJob()
    try tmux.sendText("fg\n")
    try waitUntil(deadline: Perfhud.deadline, "the command to go on") {
      ProcessEntry(sleep)?.state == "S"
    }
    try tmux.sendKeys("C-c")
    try tmux.waitForPrompt()
  }

  @Test(arguments: [[], ["--restart-hud"]])
  func `fg of a job whose HUD was killed while it was stopped goes on at once`(
    options: [String]
  ) throws {
    let tmux = try Overlay.shell()
    let words = options.joined(separator: " ")
    try tmux.sendText(
      "\"$perfhud\" \(words) -- sh -c 'sleep 1000 | { echo be\"\"gun; read line; }'\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") && $0.shows("begun") }
    let panePid = try #require(Int(try tmux.value("pane_pid")))
    let engine = pid_t(try waitForProcess(Self.engine, below: panePid))
    let sleep = try waitForProcess("sleep", below: panePid)
    try tmux.stopJob()
    kill(engine, SIGKILL)
    try tmux.sendText("clear; fg\n")
    try waitUntil(deadline: Perfhud.deadline, "the command to go on") {
      ProcessEntry(sleep)?.state == "S"
    }
    // A shell whose job stops again would print this.
    try tmux.sendText("still here")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("still here") }
    #expect(try !tmux.capture().contains { $0.contains("Stopped") })
    #expect(ProcessEntry(sleep)?.state == "S")
    try tmux.sendKeys("C-c")
    try tmux.waitForPrompt()
  }

  @Test func `a hang-up after the HUD has died restores the terminal`() throws {
    let pty = try Overlay.pty(
      "sh", "-c", "trap 'echo resized' WINCH; echo begun; while :; do sleep 0.1; done")
    try pty.read(deadline: Perfhud.deadline, until: "begun")
    kill(pid_t(try waitForProcess(Self.engine, below: pty.pid)), SIGKILL)
    // Said at the end of a line that the program writes when it is asked to draw anew.
    try pty.read(deadline: Perfhud.deadline, until: Self.lastWords)
    kill(pid_t(pty.pid), SIGHUP)
    #expect(try pty.wait(deadline: Perfhud.deadline) == .signal(Int(SIGHUP)))
    #expect(words(of: pty.modes) == words(of: try Pty(["true"]).modes))
  }

  @Test func `the supervisor has less than 1 MiB of its own, and no Swift`() throws {
    let pty = try Overlay.pty("sleep", "1000")
    let engine = try waitForProcess(Self.engine, below: pty.pid)
    #expect(ProcessEntry(engine)?.parent == pty.pid)
    #expect(ProcessEntry(pty.pid)?.name == "perfhud")
    let bytes = try readFile("/proc/\(pty.pid)/smaps_rollup", limit: 1 << 16)
    let found = String(decoding: bytes, as: UTF8.self).matches(of: #/Private_\w+: +(\d+) kB/#)
    let kilobytes = found.compactMap { Int($0.output.1) }.reduce(0, +)
    #expect(!found.isEmpty && kilobytes < 1024, "\(kilobytes) kB")
  }
}
