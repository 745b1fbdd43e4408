import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// A command below the HUD as a job of a shell.
@Suite struct OverlayJobTests {
  /// The modes of the terminal that the shell at its prompt reports.
  private func modes(_ tmux: Tmux) throws -> String {
    try tmux.sendText("clear; stty -g\n")
    let pattern = #/^[0-9a-f]+(:[0-9a-f]+){10}/#
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.contains { $0.contains(pattern) } && screen.last { !$0.isEmpty } == "ready>"
    }
    return try #require(screen.first { $0.contains(pattern) })
  }

  @Test(arguments: [
    ("sleep", "sleep 1000", ""), ("vim", "vim -u NONE -i NONE -n \"$text\"", "line 12"),
    ("less", "less \"$text\"", "line 12"),
  ])
  func `Ctrl-Z stops the command, fg continues it, twice`(
    name: String, command: String, shows: String
  ) throws {
    try requireTool(name)
    let directory = try TemporaryDirectory()
    let text = directory.file("text")
    try TestFile.write(Array((1...90).map { "line \($0)\n" }.joined().utf8), to: text)
    let tmux = try Overlay.shell()
    try tmux.sendText("text=\(text)\n")
    let before = try modes(tmux)
    try tmux.sendText("clear; \"$perfhud\" -- \(command)\n")
    let pid = try tmux.waitForProcess(name)
    for _ in 0..<2 {
      try tmux.waitFor(deadline: Perfhud.deadline) { shows.isEmpty || $0.shows(shows) }
      try waitUntil(deadline: Perfhud.deadline, "\(name) at rest") {
        ProcessEntry(pid)?.state == "S"
      }
      try tmux.sendKeys("C-z")
      try tmux.waitFor("Stopped", deadline: Perfhud.deadline)
      try tmux.waitForPrompt()
      #expect(ProcessEntry(pid)?.state == "T")
      #expect(try tmux.value("alternate_on") == "0")
      #expect(try modes(tmux) == before)
      // bash has written over all that stood there; nothing of the HUD may come back.
      #expect(try tmux.capture().allSatisfy { !$0.contains("CPU") && !$0.contains("MEM") })
      try tmux.sendText("clear; fg\n")
      try waitUntil(deadline: Perfhud.deadline, "\(name) going on") {
        ProcessEntry(pid)?.state == "S"
      }
    }
    try tmux.waitFor(deadline: Perfhud.deadline) { shows.isEmpty || $0.shows(shows) }
    switch name {
    case "vim": try tmux.sendText(":q!\n")
    case "less": try tmux.sendText("q")
    default: try tmux.sendKeys("C-c")
    }
    try waitForEnd(of: [pid])
    try tmux.waitForPrompt()
    #expect(try modes(tmux) == before)
  }

  @Test func `a shell below the HUD has jobs of its own`() throws {
    let tmux = try Overlay.shell()
    try tmux.sendText("clear; PS1='inner> ' \"$perfhud\" -- bash --norc -i\n")
    // The typed command has the prompt too.
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("inner>") }
    try tmux.sendText("sleep 1000\n")
    let pid = try tmux.waitForProcess("sleep")
    try tmux.stopJob()
    #expect(ProcessEntry(pid)?.state == "T")
    try tmux.sendText("fg\n")
    try waitUntil(deadline: Perfhud.deadline, "sleep going on") { ProcessEntry(pid)?.state == "S" }
    try tmux.sendKeys("C-c")
    try waitForEnd(of: [pid])
    try tmux.sendText("exit 5\n")
    try tmux.waitForPrompt()
    try tmux.sendText("echo status $?\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("status 5") }
  }

  @Test func `kill -STOP of the command gives the shell its terminal`() throws {
    let tmux = try Overlay.shell()
    try tmux.sendText("clear; \"$perfhud\" -- sleep 1000\n")
    let pid = try tmux.waitForProcess("sleep")
    kill(pid_t(pid), SIGSTOP)
    try tmux.waitFor("Stopped", deadline: Perfhud.deadline)
    try tmux.waitForPrompt()
    try tmux.sendText("fg\n")
    try waitUntil(deadline: Perfhud.deadline, "sleep going on") { ProcessEntry(pid)?.state == "S" }
    try tmux.sendKeys("C-c")
    try waitForEnd(of: [pid])
    try tmux.waitForPrompt()
    try tmux.sendText("echo status $?\n")
    try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.contains("status 0") || $0.contains("status 130")
    }
  }

  @Test func `seq 9 | perfhud -- less: text from the pipe, keys from the terminal`() throws {
    let tmux = try Overlay.shell()
    try tmux.sendText("clear; seq 200 | \"$perfhud\" -- less; echo status $?\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("22") && !$0.shows("seq") }
    try tmux.sendText("G")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("200") }
    try tmux.sendText("q")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("status 0") }
  }

  @Test func `a background job of the command lives on, and the status comes at once`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("pid")
    let tmux = try Overlay.shell()
    try tmux.sendText(
      "clear; \"$perfhud\" -- sh -c 'sleep 1000 & echo $! > \(file); exit 3'; echo status $?\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("status 3") }
    let text = String(decoding: try readFile(file), as: UTF8.self)
    let pid = try #require(Int(text.split(separator: "\n").first ?? ""))
    defer { kill(pid_t(pid), SIGKILL) }
    // It has its number before it has its program.
    try waitUntil(deadline: Perfhud.deadline, "sleep") { ProcessEntry(pid)?.name == "sleep" }
    // What would end it would have come with the end of perfhud, which the shell has seen.
    try tmux.sendText("echo typed\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("typed") }
    #expect(ProcessEntry.isAlive(pid))
  }

  @Test func `in the background of its terminal the command runs without a HUD`() throws {
    let tmux = try Overlay.shell()
    // The echo of what is typed does not hold the text.
    try tmux.sendText("clear; \"$perfhud\" -- sh -c 'echo in the back\"\"ground; exit 4' &\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("in the background") }
    // bash knows the status of its last job also when it has reported its end before.
    try tmux.sendText("wait $!; echo status $?\n")
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("status 4") }
    #expect(screen.shows("in the background"))
    #expect(screen.allSatisfy { !$0.contains("CPU") || $0.contains("sh -c") }, "\(screen)")
  }

  /// One process: where a shell forks with vfork(2), Ctrl-Z may stop its child alone.
  private static let alive =
    "import time; [print(\"alive\", flush=True) or time.sleep(0.1) for _ in range(10000)]"

  @Test func `bg lets the command go on in the background, and fg brings the HUD back`() throws {
    let tmux = try Overlay.shell()
    try tmux.sendText("\"$perfhud\" -- python3 -c '\(OverlayJobTests.alive)'\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") && $0.contains("alive") }
    try tmux.stopJob()
    try tmux.sendText("clear; bg\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.count { $0.contains("alive") } > 3 }
    // The keys are the shell's.
    try tmux.sendText("echo $((6 * 7))\n")
    let background = try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("42") }
    #expect(!background.shows("CPU"))
    try tmux.sendText("fg\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") }
    try tmux.sendKeys("C-c")
    try tmux.waitForPrompt()
  }

  @Test func `kill ends a command that was stopped`() throws {
    let tmux = try Overlay.shell()
    try tmux.sendText("\"$perfhud\" -- sh -c 'echo begun; sleep 1000; :'\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") && $0.shows("begun") }
    try tmux.stopJob()
    try tmux.sendText("clear; kill %1\n")
    // The summary of perfhud.
    try tmux.waitFor("SIGTERM", deadline: Perfhud.deadline)
    // The shell knows of the end with its next prompt at the latest.
    try tmux.sendText("clear; kill %1; echo status $?\n")
    try tmux.waitFor("status 1", deadline: Perfhud.deadline)
  }

  @Test func `kill -9 of the command: status 137, and nothing of the HUD is left`() throws {
    let tmux = try Overlay.shell()
    let before = try modes(tmux)
    try tmux.sendText("clear; \"$perfhud\" -- sleep 1000; echo status $?\n")
    let pid = try tmux.waitForProcess("sleep")
    kill(pid_t(pid), SIGKILL)
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("status 137") }
    // bash reports the end in a line of its own, which may be as long.
    #expect(screen.allSatisfy { !$0.contains("│") }, "\(screen)")
    #expect(try tmux.value("cursor_flag") == "1" && tmux.value("alternate_on") == "0")
    #expect(try modes(tmux) == before)
  }
}
