import TestSupport
import Testing

/// What is on the terminal before and after a run is left as it was.
@Suite struct OverlayScreenTests {
  @Test func `a shell begins on a clear screen, and what stood there is in the history`() throws {
    let tmux = try Overlay.shell()
    try tmux.sendText("export SHELL=/bin/sh; seq 7001 7009\n")
    try tmux.waitFor("7009", deadline: Perfhud.deadline)
    try tmux.sendText("\"$perfhud\" --auto-show off\n")
    try tmux.waitFor("CPU", deadline: Perfhud.deadline)
    try tmux.waitFor("ready>", deadline: Perfhud.deadline)
    let screen = try tmux.capture()
    #expect(!screen.contains { $0.contains("700") })
    // While perfhud draws, the cursor is elsewhere.
    try waitUntil(deadline: Perfhud.deadline, "the cursor in the first row") {
      () throws(ToolError) in try tmux.cursor.row == 0
    }
    let all = try tmux.captureHistory()
    for line in 7001...7009 { #expect(all.contains { $0.hasPrefix("\(line)") }) }
    // A shell is no command whose cost is of interest.
    try tmux.sendText("exit\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("CPU") }
    try tmux.waitForPrompt()
    #expect(try !tmux.captureHistory().contains { $0.contains("perfhud:") })
  }

  @Test(arguments: [("half", "half"), ("whole\\n", "whole"), ("", "")])
  func `the summary begins on a line of its own`(argument: String, line: String) throws {
    let tmux = try Overlay.shell()
    try tmux.sendText("clear; \"$perfhud\" -- printf '\(argument)'; echo after\n")
    try tmux.waitFor("after", deadline: Perfhud.deadline)
    try tmux.waitForPrompt()
    let rows = try tmux.capture()
    let first = try #require(rows.firstIndex { $0.hasPrefix("perfhud: printf") })
    #expect(rows[first + 1] == "  exit    0")
    if !line.isEmpty {
      #expect(rows[first - 1] == line)
    } else {
      #expect(first == 0 || !rows[first - 1].isEmpty, "no line is left blank: \(rows)")
    }
  }

  @Test(.disabled(if: Overlay.isControl))
  func `the HUD shows if the command changes screens before the terminal's last answer`() throws {
    let pty = try Overlay.pty(
      "sh", "-c", "stty -echo; printf '1\\r\\n\\033[?1049h'; seq 50; printf ready; read line")
    try pty.read(deadline: Perfhud.deadline, until: "\u{1B}[c")
    let lastAnswer = "\u{1B}[?62;22c"
    try pty.send(String(SupervisorTests.answers.dropLast(lastAnswer.count)))
    try pty.read(deadline: Perfhud.deadline, until: "ready")
    try pty.send(lastAnswer)
    try pty.read(deadline: Perfhud.deadline) { quote($0.suffix(8192)).contains("CPU") }
    try pty.send("\n")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
  }

  @Test func `on a screen of three rows two are the program's`() throws {
    let tmux = try Tmux(
      columns: 20, rows: 3,
      command: try Overlay.wrap(["sh", "-c", "printf '\\033[2Jone\\ntwo\\nthree'; sleep 1000"]),
      environment: try Overlay.environment())
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows[0].contains("%") && rows[1] == "two" && rows[2] == "three"
    }
  }
}
