import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// The HUD as a job of a shell.
@Suite struct JobControlTests {
  private func shell(_ command: [String]) throws -> Tmux {
    let tmux = try Tmux(
      columns: 80, rows: 24, command: command,
      environment: Perfhud.environment([
        "PS1": "ready> ", "perfhud": try Perfhud.path(), "ENV": nil, "HISTFILE": nil,
      ]))
    try tmux.waitFor("ready>", deadline: Perfhud.deadline)
    return tmux
  }

  @Test func `after q the shell finds its screen and its modes as they were`() throws {
    let load = try Load()
    let tmux = try shell(["sh"])
    try tmux.sendText("stty -g; echo above\n")
    // The prompt may come in a write of its own.
    let before = try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.contains("above") && screen.last { !$0.isEmpty } == "ready>"
    }
    try tmux.sendText("\"$perfhud\" --pid \(load.pid); echo status $?; stty -g\n")
    try tmux.waitForValues()
    #expect(try tmux.value("alternate_on") == "1")
    try tmux.sendText("q")
    let after = try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.contains("status 0") && screen.count { $0.contains("ready>") } == 3
    }
    #expect(try tmux.value("alternate_on") == "0")
    #expect(try tmux.value("cursor_flag") == "1")
    // The rows above the prompt are where they were, and below comes what the shell has written.
    let prompt = try #require(before.lastIndex { $0.hasPrefix("ready>") })
    #expect(after.prefix(prompt) == before.prefix(prompt))
    let modes = after.filter { $0.contains(#/^[0-9a-f]+(:[0-9a-f]+){10}/#) }
    #expect(modes.count == 2 && Set(modes).count == 1, "\(after)")
    #expect(after.firstIndex(of: "status 0") == prompt + 1)
    // Keys still do what they did.
    try tmux.sendText("echo typed\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("typed") }
  }

  @Test func `Ctrl-Z gives the terminal to the shell, fg brings the HUD back and it goes on`()
    throws
  {
    let load = try Load()
    let tmux = try shell(["bash", "--norc", "-i"])
    try tmux.sendText("\"$perfhud\" --pid \(load.pid)\n")
    try tmux.waitForMemory(0...20e6)
    for bytes in [100_000_000, 200_000_000] {
      try tmux.sendKeys("C-z")
      try tmux.waitFor("Stopped", deadline: Perfhud.deadline)
      try tmux.waitFor(deadline: Perfhud.deadline) { $0.last { !$0.isEmpty } == "ready>" }
      #expect(try tmux.value("alternate_on") == "0")
      #expect(try tmux.value("cursor_flag") == "1")
      try tmux.sendText("clear; echo $((6 * 7))\n")
      try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("42") }
      try load.command("alloc 100000000")
      try tmux.sendText("fg\n")
      try tmux.waitForMemory(Double(bytes)...(Double(bytes) + 5e6))
      #expect(try tmux.value("alternate_on") == "1")
    }
    // The keys are the HUD's again.
    try tmux.sendText("m")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.hasMark }
    try tmux.sendText("q")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.last { !$0.isEmpty } == "ready>" }
  }

  @Test func `the time for which it was stopped has no missed samples`() throws {
    let load = try Load()
    let tmux = try shell(["bash", "--norc", "-i"])
    try tmux.sendText("\"$perfhud\" --pid \(load.pid) --interval 20ms\n")
    try tmux.waitForValues()
    try tmux.sendKeys("C-z")
    try tmux.waitFor("Stopped", deadline: Perfhud.deadline)
    let end = Instant.now().advanced(bySeconds: 4)
    try waitUntil("four seconds") { Instant.now() >= end }
    try tmux.sendText("clear; fg\n")
    let screen = try tmux.waitForValues()
    // 200 samples would have been due meanwhile.
    let missed = screen.compactMap { $0.firstMatch(of: #/missed +(\d+)/#)?.1 }.first ?? "0"
    #expect(try #require(Int(missed)) < 100, "\(screen.joined(separator: "\n"))")
    try tmux.sendKeys("q")
  }

  @Test func `a size that changed while it was stopped is taken on`() throws {
    let load = try Load()
    let tmux = try shell(["bash", "--norc", "-i"])
    try tmux.sendText("\"$perfhud\" --pid \(load.pid)\n")
    try tmux.waitForValues()
    try tmux.sendKeys("C-z")
    try tmux.waitFor("Stopped", deadline: Perfhud.deadline)
    try tmux.resize(columns: 60, rows: 18)
    try tmux.sendText("fg\n")
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.showsValues && screen.count == 18 && screen[17].hasSuffix("? help")
    }
    #expect(screen[17].count == 60)
  }

  @Test func `in the background the HUD does not touch the terminal, and fg brings it`() throws {
    let load = try Load()
    let tmux = try shell(["bash", "--norc", "-i"])
    try tmux.sendText("\"$perfhud\" --pid \(load.pid) &\n")
    // The answer to each question is waited for: those to many would push one another off the screen.
    var attempt = 0
    try waitUntil(deadline: Perfhud.deadline, "the stop of the job") { () throws(ToolError) in
      attempt += 1
      try tmux.sendText("clear; jobs; echo try \(attempt)\n")
      return try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("try \(attempt)") }
        .shows("Stopped")
    }
    #expect(try tmux.value("alternate_on") == "0")
    try tmux.sendText("fg\n")
    try tmux.waitForValues()
    try tmux.sendText("q")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.last { !$0.isEmpty } == "ready>" }
    try tmux.sendText("echo typed\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("typed") }
  }

  @Test func `keys come from the terminal where standard input is a pipe`() throws {
    let load = try Load()
    let tmux = try shell(["sh"])
    try tmux.sendText("echo x | \"$perfhud\" --pid \(load.pid); echo status $?\n")
    try tmux.waitForValues()
    try tmux.sendText("q")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("status 0") }
  }

  @Test func `after ENDED, Ctrl-Z and fg leave a HUD that sleeps`() throws {
    let load = try Load()
    let tmux = try shell(["bash", "--norc", "-i"])
    try tmux.sendText("\"$perfhud\" --pid \(load.pid)\n")
    try tmux.waitForValues()
    load.signal(SIGKILL)
    _ = try load.wait()
    try tmux.waitFor("ENDED", deadline: Perfhud.deadline)
    try tmux.sendKeys("C-z")
    try tmux.waitFor("Stopped", deadline: Perfhud.deadline)
    try tmux.sendText("echo pid $(jobs -p) end\n")
    let pattern = #/pid (\d+) end/#
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.contains { $0.contains(pattern) }
    }
    let found = screen.compactMap { $0.firstMatch(of: pattern)?.1 }.first
    let pid = try #require(found.flatMap { Int($0) })
    try tmux.sendText("fg\n")
    try tmux.waitFor("ENDED", deadline: Perfhud.deadline)
    // A tick would wake it 60 times in a second.
    let deadline = Instant.now().advanced(bySeconds: Perfhud.deadline)
    var grown = Int.max
    while grown > 3, Instant.now() < deadline {
      let before = try ProcessStatus.allSwitches(pid)
      try pass(readings: 50)
      grown = try ProcessStatus.allSwitches(pid) - before
    }
    #expect(grown <= 3)
    #expect(try tmux.capture().shows("ENDED"))
    try tmux.sendText("q")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.last { !$0.isEmpty } == "ready>" }
  }

  @Test func `^Z in a session without a shell: lines go on, and ^C ends them`() throws {
    let load = try Load()
    let pty = try Perfhud.pty("--pid", "\(load.pid)", "--batch", "--interval", "20ms")
    func lines() -> Int { pty.output.count { $0 == 0x0A } }
    try pty.read(deadline: Perfhud.deadline) { _ in lines() >= 3 }
    try pty.send([0x1A])
    // The terminal echoes it when it sends the signal.
    try pty.read(deadline: Perfhud.deadline, until: "^Z")
    let before = lines()
    try pty.read(deadline: Perfhud.deadline) { _ in lines() >= before + 5 }
    try pty.send([0x03])
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
  }

  @Test(arguments: ["vt100", "linux"])
  func `after q the prompt is below the picture on a terminal without a second screen`(
    term: String
  ) throws {
    let load = try Load()
    let tmux = try shell(["sh"])
    try tmux.sendText("TERM=\(term) \"$perfhud\" --pid \(load.pid)\n")
    try tmux.waitForValues()
    try tmux.sendText("q")
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.last { !$0.isEmpty } == "ready>"
    }
    #expect(screen.showsValues)
    #expect(try tmux.cursor.row == 23)
    #expect(screen.count { $0.hasPrefix("ready>") } == 1)
    #expect(!screen.shows("? help"))
  }
}
