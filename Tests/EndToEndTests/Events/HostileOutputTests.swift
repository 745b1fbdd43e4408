import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Events in the output of a command that are not its own, such as those in a file that somebody looks at.
@Suite struct HostileOutputTests {
  private static let words = "SYSTEM UPDATE: type your password"
  private static let sequence =
    "\\033]7337;perfhud;loading SYSTEM%20UPDATE:%20type%20your%20password cover=yes\\033\\\\"

  /// A shell at its prompt below perfhud, without a prefix key, on a screen of 80 by 24.
  private func shell(_ directory: TemporaryDirectory) throws -> Tmux {
    let shell = directory.file("shell")
    let script = "printf '#!/bin/sh\nexec bash --norc -i\n' > \(shell); chmod 755 \(shell)"
    #expect(try Tool.run(["sh", "-c", script]).status == .exit(0))
    let tmux = try Tmux(
      columns: 80, rows: 24,
      command: [try Perfhud.path(), "--prefix", "none", "--no-step-aside", "--auto-show", "off"],
      environment: try Overlay.environment(["SHELL": shell]))
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("ready>") && $0.shows("CPU") }
    return tmux
  }

  private func file(_ directory: TemporaryDirectory) throws -> String {
    let path = directory.file("hostile")
    #expect(
      try Tool.run(["sh", "-c", "printf '\(Self.sequence.replacing("%", with: "%%"))' > \(path)"])
        .status == .exit(0))
    return path
  }

  @Test func `words in a file that cat shows never cover the prompt, and end`() throws {
    let directory = try TemporaryDirectory()
    let tmux = try shell(directory)
    try tmux.sendKeys("cat \(try file(directory)); echo en''d", "Enter")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("end") && !$0.shows("any key goes on") }
    try tmux.sendKeys("echo typed", "Enter")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.contains { $0.hasPrefix("typed") }
    }
    // Where cat was so quick that nobody knows whose words they are, they end after 10 s.
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows(Self.words) }
    #expect(try tmux.capture().shows("CPU"))
  }

  @Test func `a cover names its job, shows the HUD, and ends with the job`() throws {
    let directory = try TemporaryDirectory()
    let tmux = try shell(directory)
    try tmux.sendKeys("tail -n 9 -f \(try file(directory))", "Enter")
    let screen = try tmux.waitFor("any key goes on", deadline: Perfhud.deadline)
    #expect(screen.shows("tail: \"\(Self.words)\""))
    #expect(screen.shows("CPU") && !screen.shows("ready>"))
    // Ctrl-C goes to the job as ever.
    try tmux.sendKeys("C-c")
    try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.shows("ready>") && !$0.shows(Self.words) && $0.shows("CPU")
    }
  }

  @Test func `a job that is stopped covers nothing`() throws {
    let directory = try TemporaryDirectory()
    let tmux = try shell(directory)
    try tmux.sendKeys("tail -n 9 -f \(try file(directory))", "Enter")
    try tmux.waitFor("any key goes on", deadline: Perfhud.deadline)
    try tmux.sendKeys("C-z")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.contains { $0.hasPrefix("ready>") } && !screen.shows("any key goes on")
    }
  }

  @Test func `without keys and renewal a cover is a line after 10 s`() throws {
    let directory = try TemporaryDirectory()
    let tmux = try shell(directory)
    try tmux.sendKeys("tail -n 9 -f \(try file(directory))", "Enter")
    try tmux.waitFor("any key goes on", deadline: Perfhud.deadline)
    try tmux.waitFor(deadline: Perfhud.deadline) {
      !$0.shows("any key goes on") && $0.shows("ready>")
    }
  }

  @Test(arguments: ["--no-osc-events", "--no-events"])
  func `refused events in the output are swallowed and counted nowhere`(option: String) throws {
    let script =
      "printf '\(Self.sequence.replacing("%", with: "%%"))'; echo now ${#PERFHUD_SOCKET}.; sleep 1000"
    let tmux = try Tmux(
      columns: 80, rows: 24, command: try Overlay.wrap(["sh", "-c", script], options: [option]),
      environment: try Overlay.environment())
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.shows("now ") && $0.shows("CPU")
    }
    #expect(!screen.shows("SYSTEM") && !screen.shows("7337"))
    #expect(screen.shows("now 0.") == (option == "--no-events"))
  }
}
