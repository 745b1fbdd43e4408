import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// `perfhud tmux` in a real tmux.
@Suite(.waiting) struct TmuxCommandTests {
  /// A shell in a pane, with `$perfhud`.
  private func shell(columns: Int = 120, rows: Int = 24) throws -> Tmux {
    let tmux = try Tmux(
      columns: columns, rows: rows, command: ["sh"],
      environment: Perfhud.environment([
        "perfhud": try Perfhud.path(), "PS1": "ready> ", "ENV": nil,
      ]))
    try tmux.waitFor("ready>", deadline: Perfhud.deadline)
    return tmux
  }

  private func waitForPanes(_ count: Int, in tmux: Tmux) throws -> [String] {
    var panes: [String] = []
    try waitUntil(deadline: Perfhud.deadline, "\(count) panes") { () throws(ToolError) in
      panes = try tmux.valuesOfPanes("pane_id")
      return panes.count == count
    }
    return panes
  }

  private func wait(for text: String, inPane pane: String, of tmux: Tmux) throws {
    var screen: [String] = []
    do {
      try waitUntil(deadline: Perfhud.deadline, text) { () throws(ToolError) in
        screen = try tmux.capture(pane: pane)
        return screen.contains { $0.contains(text) }
      }
    } catch {
      Issue.record("\(error); the pane shows:\n\(screen.joined(separator: "\n"))")
    }
  }

  /// Waits for the border to go, too: until then the popup takes the keys, though its program has ended.
  private func closePopup(in tmux: Tmux) throws {
    try tmux.sendKeys("q")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      !rows.contains { $0.contains("┌───") || $0.contains("CPU") }
    }
  }

  @Test func `side opens 44 columns beside the pane, follows its program, and closes again`() throws
  {
    let tmux = try shell()
    try tmux.sendText("\"$perfhud\" tmux side\n")
    let panes = try waitForPanes(2, in: tmux)
    #expect(try tmux.valuesOfPanes("pane_active") == ["1", "0"], "the focus stays")
    #expect(try tmux.valuesOfPanes("pane_width") == ["75", "44"])
    try wait(for: "CPU", inPane: panes[1], of: tmux)
    try wait(for: "sh ", inPane: panes[1], of: tmux)
    try tmux.sendText("exec 3<>/dev/null; sleep 4711\n")
    try wait(for: "sleep", inPane: panes[1], of: tmux)
    try tmux.sendKeys("C-c")
    try wait(for: "sh ", inPane: panes[1], of: tmux)
    try tmux.sendText("\"$perfhud\" tmux side\n")
    #expect(try waitForPanes(1, in: tmux) == [panes[0]])
  }

  @Test func `the side pane ends with the program of its pane`() throws {
    let tmux = try shell()
    try tmux.sendText("\"$perfhud\" tmux side\n")
    let panes = try waitForPanes(2, in: tmux)
    try wait(for: "CPU", inPane: panes[1], of: tmux)
    try tmux.sendText("exit\n")
    // tmux keeps the dead panes here. It knows the status later than that the terminal was closed.
    try waitUntil(deadline: Perfhud.deadline, "the end of both") { () throws(ToolError) in
      guard try tmux.valuesOfPanes("pane_dead_status") != ["0", "0"] else { return true }
      if try tmux.valuesOfPanes("pane_dead") == ["1", "1"] { try tmux.remindOfEnds() }
      return false
    }
  }

  @Test func `the plugin binds the keys of side pane and popup, and fills the status line`() throws
  {
    let directory = try TemporaryDirectory()
    let server = "perfhud-test-inner-\(getpid())-\(UInt32.random(in: 0...9_999_999))"
    defer { _ = try? Tool.run(["tmux", "-L", server, "kill-server"]) }
    let plugin = Repository.path("contrib/tmux/perfhud.tmux")
    let configuration = """
      set -g status-interval 1
      set -g status-right-length 60
      set -g status-right '<#{perfhud}>'
      set -g @perfhud-command '\(try Perfhud.path())'
      set -g @perfhud-width 40
      run-shell '\(plugin)'

      """
    try TestFile.write(Array(configuration.utf8), to: directory.file("tmux.conf"))
    // The inner one has a client, which a popup needs: the outer one's pane.
    let tmux = try Tmux(
      columns: 120, rows: 24,
      command: [
        "env", "-u", "TMUX", "-u", "TMUX_PANE", "tmux", "-u", "-L", server, "-f",
        directory.file("tmux.conf"), "new-session", "exec env PS1='ready> ' sh",
      ], environment: Perfhud.environment(["ENV": nil]))
    try tmux.waitFor("ready>", deadline: Perfhud.deadline)
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.last?.firstMatch(of: #/<sh [0-9.]+ % [0-9.]+[KM]>/#) != nil
    }
    try tmux.sendKeys("C-b", "P")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains { $0.contains("┌───") } && rows.contains { $0.contains("CPU") }
    }
    try closePopup(in: tmux)
    // Typed in the pane, the command waits in its foreground for the popup to close.
    try tmux.sendText("'\(try Perfhud.path())' tmux popup\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains { $0.contains("│sh ") } && rows.contains { $0.contains("CPU") }
    }
    try closePopup(in: tmux)
    try tmux.sendKeys("C-b", "H")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in rows.contains { $0.contains("CPU") } }
    try tmux.sendKeys("C-b", "H")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in !rows.contains { $0.contains("CPU") } }
  }

  @Test func `status prints the program of a pane, and its CPU from the second time on`() throws {
    let tmux = try shell()
    let pane = try tmux.pid
    let directory = try TemporaryDirectory()
    let environment: [String: String?] = ["XDG_RUNTIME_DIR": directory.path]
    let first = try Perfhud.run("tmux", "status", "\(pane)", environment: environment)
    #expect(first.status == .exit(0) && first.stderr.isEmpty)
    #expect(first.stdout.firstMatch(of: #/^sh – % [0-9.]+[KM]\n$/#) != nil, "\(first.stdout)")
    try tmux.sendText("while :; do :; done\n")
    var line = ""
    try waitUntil(deadline: Perfhud.deadline, "some CPU") { () throws(ToolError) in
      line = try Perfhud.run("tmux", "status", "\(pane)", environment: environment).stdout
      let cpu = line.firstMatch(of: #/^sh ([0-9.]+) % /#).flatMap { Double($0.1) }
      return (cpu ?? 0) > 20
    }
    #expect(line.split(separator: "\n").count == 1)
    let none = try Perfhud.run("tmux", "status", "4194304", environment: environment)
    #expect(none.status == .exit(0) && none.stdout.isEmpty && none.stderr.isEmpty)
  }

  @Test func `the CPU time of a job that has ended is not that of the shell`() throws {
    let tmux = try shell()
    let pane = try tmux.pid
    let directory = try TemporaryDirectory()
    let environment: [String: String?] = ["XDG_RUNTIME_DIR": directory.path]
    func line() throws(ToolError) -> String {
      try Perfhud.run("tmux", "status", "\(pane)", environment: environment).stdout
    }
    #expect(try line().hasPrefix("sh – % "))
    try tmux.sendText("timeout 1 sh -c 'while :; do :; done'; echo en''ded\n")
    try tmux.waitFor("ended", deadline: Perfhud.deadline)
    let last = try line()
    let share = last.firstMatch(of: #/^sh ([0-9.]+) % /#).flatMap { Double($0.1) }
    // The job has used a second, some 100 % of the time since the first line.
    #expect((share ?? 100) < 20, "\(last)")
  }

  @Test func `outside of tmux, side says so`() throws {
    let output = try Perfhud.run("tmux", "side")
    #expect(output.status == .exit(1) && output.stdout.isEmpty)
    #expect(output.stderr.hasPrefix("perfhud: this is not inside tmux"))
    let word = try Perfhud.run("tmux", "sideways")
    #expect(word.status == .exit(64))
  }

  @Test func `status in its own pane shows the shell of the pane`() throws {
    let tmux = try shell()
    try tmux.sendText("echo \"<$(\"$perfhud\" tmux status)>\"; \"$perfhud\" tmux status\n")
    let pane = try tmux.valuesOfPanes("pane_id")[0]
    try wait(for: "sh – %", inPane: pane, of: tmux)
    #expect(try !tmux.capture(pane: pane).contains { $0.hasPrefix("perfhud") })
  }
}
