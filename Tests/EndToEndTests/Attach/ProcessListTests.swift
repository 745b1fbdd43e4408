import Glibc
import TestSupport
import Testing

/// The list of processes: signals and priorities for the selected one.
@Suite struct ProcessListTests {
  /// The list with the focus, and only rows with a text.
  private func list(of load: Load, only text: String) throws -> Tmux {
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)", "--tree", columns: 120, rows: 40)
    try tmux.waitForValues()
    try tmux.sendText("tf&")
    try tmux.waitFor("only with:", deadline: Perfhud.deadline)
    try tmux.sendText(text)
    try tmux.sendKeys("Enter")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.shows("only with: \"\(text)\" · 1")
        && screen.contains { $0.hasPrefix("┃>") && $0.contains(text) }
    }
    return tmux
  }

  @Test func `k and Enter send SIGTERM to the selected child and to no other`() throws {
    let load = try Load()
    let children = [try load.command("child")[0], try load.command("child")[0]]
    let tmux = try list(of: load, only: "\(children[0])")
    try tmux.sendText("k")
    try tmux.waitFor("SIGTERM", deadline: Perfhud.deadline)
    try tmux.sendKeys("Enter")
    try tmux.waitFor("sent: SIGTERM", deadline: Perfhud.deadline)
    try waitUntil(deadline: Perfhud.deadline, "the end of the child") { () throws(ToolError) in
      try load.command("reap")[0] == 1
    }
    #expect(kill(pid_t(children[0]), 0) != 0 && errno == ESRCH)
    #expect(kill(pid_t(children[1]), 0) == 0)
    #expect(kill(pid_t(load.pid), 0) == 0)
    // What has ended is one row.
    try tmux.sendText("&")
    try tmux.sendKeys("Enter")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.shows(" 1 ended ") && !screen.shows(" \(children[0]) ")
        && screen.shows(" \(children[1]) ")
    }
  }

  @Test func `Esc sends nothing, and the list goes on`() throws {
    let load = try Load()
    let child = try load.command("child")[0]
    let tmux = try list(of: load, only: "\(child)")
    try tmux.sendKeys("F9")
    try tmux.waitFor("SIGKILL", deadline: Perfhud.deadline)
    try tmux.sendKeys("Down", "Down", "Escape")
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("SIGKILL") }
    try tmux.sendText("c")
    try tmux.waitFor(" NAME", deadline: Perfhud.deadline)
    #expect(kill(pid_t(child), 0) == 0)
    try tmux.sendText("q")
    try tmux.waitForEnd(.exit(0))
  }

  @Test func `the keys of htop lower the priority, and the HUD says so`() throws {
    let load = try Load()
    let child = try load.command("child")[0]
    let which = Int32(PRIO_PROCESS.rawValue)
    let before = getpriority(which, id_t(child))
    let tmux = try list(of: load, only: "\(child)")
    try tmux.sendText("[")
    try tmux.waitFor("nice \(before) → \(before + 1)", deadline: Perfhud.deadline)
    #expect(getpriority(which, id_t(child)) == before + 1)
    try tmux.sendKeys("F8")
    try tmux.waitFor("nice \(before + 1) → \(before + 2)", deadline: Perfhud.deadline)
    #expect(getpriority(which, id_t(child)) == before + 2)
  }

  @Test func `over a command the menu takes the keys until it is closed`() throws {
    let overlay = try Perfhud.tmux(
      "--", "sh", "-c", "sleep 600 & exec cat", columns: 120, rows: 40)
    try overlay.waitFor("CPU", deadline: Perfhud.deadline)
    try overlay.sendKeys("F12")
    try overlay.sendText("t")
    try overlay.waitFor("sleep 600", deadline: Perfhud.deadline)
    try overlay.sendKeys("F12", "Tab")
    try overlay.waitFor(deadline: Perfhud.deadline) { $0.shows("Esc back") }
    try overlay.sendText("&sleep 600")
    try overlay.sendKeys("Enter")
    try overlay.waitFor("only with: \"sleep 600\" · 1", deadline: Perfhud.deadline)
    try overlay.sendText("k")
    try overlay.waitFor("SIGTERM", deadline: Perfhud.deadline)
    // Neither the Esc of the menu nor a key in it reaches the command.
    try overlay.sendKeys("Down", "Escape")
    try overlay.waitFor(deadline: Perfhud.deadline) { !$0.shows("SIGTERM") }
    try overlay.sendText("k")
    try overlay.waitFor("SIGTERM", deadline: Perfhud.deadline)
    try overlay.sendKeys("Enter")
    try overlay.waitFor("sent: SIGTERM", deadline: Perfhud.deadline)
    // Its parent does not wait for it.
    try overlay.waitFor(deadline: Perfhud.deadline) { screen in
      screen.contains { $0.contains("SIGTERM") && $0.contains("sleep 600") && !$0.contains("→") }
    }
    try overlay.sendKeys("F12")
    try overlay.sendText("typed")
    try overlay.waitFor(deadline: Perfhud.deadline) { $0.first?.hasPrefix("typed") == true }
  }
}
