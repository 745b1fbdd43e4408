import Base
import Glibc
import TestSupport
import Testing

/// `perfhud` alone: a shell under the HUD, which shows the job that has the terminal.
@Suite struct ForegroundJobTests {
  /// A shell with a prompt that is known, below `perfhud`.
  private struct Shell {
    let tmux: Tmux
    let home: TemporaryDirectory
    let name: String

    init(_ name: String, options: [String] = []) throws {
      try requireTool(name)
      self.name = name
      home = try TemporaryDirectory()
      try TestFile.write(Array("PS1='ready> '\n".utf8), to: home.file(".bashrc"))
      try TestFile.write(Array("PS1='ready> '\n".utf8), to: home.file(".zshrc"))
      try TestFile.write(
        Array("function fish_prompt; echo -n 'ready> '; end\nset -g fish_greeting\n".utf8),
        to: home.file("config.fish"))
      let setup = [
        "sh", "-c",
        "mkdir -p \"$HOME/.config/fish\"; cp \"$HOME/config.fish\" \"$HOME/.config/fish/\"; "
          + "SHELL=$(command -v \(name)); export SHELL; exec \"$perfhud\" \"$@\"", "sh",
      ]
      tmux = try Tmux(
        columns: 100, rows: 24, command: setup + options,
        environment: try Overlay.environment([
          "HOME": home.path, "ZDOTDIR": home.path, "PS1": nil, "PERFHUD": nil,
          "XDG_CONFIG_HOME": nil, "XDG_DATA_HOME": nil,
        ]))
      try tmux.waitFor("ready>", deadline: Perfhud.deadline)
    }

    /// Types a line at the prompt.
    func type(_ line: String) throws { try tmux.sendText(line + "\n") }

    /// Waits until the title names the job, and returns what stands behind the name.
    @discardableResult
    func waitForTitle(_ name: String) throws -> String {
      var found = ""
      try tmux.waitFor(deadline: Perfhud.deadline) { rows in
        guard let title = Shell.title(rows), title.name == name else { return false }
        found = title.rest
        return true
      }
      return found
    }

    /// Name, and pid or number of processes, in the upper edge of the HUD.
    static func title(_ rows: [String]) -> (name: String, rest: String)? {
      guard let row = rows.first(where: { $0.contains("┌ ") }),
        let match = row.firstMatch(of: #/┌ (\S+) (\d+( processes)?) ─/#)
      else { return nil }
      return (String(match.1), String(match.2))
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `a job, Ctrl-Z and fg: the title goes to it, to the shell, and to it again`(
    name: String
  ) throws {
    let shell = try Shell(name)
    try shell.waitForTitle(name)
    try shell.type("sleep 1000")
    let job = try shell.tmux.waitForProcess("sleep")
    #expect(try shell.waitForTitle("sleep") == "\(job)")
    // A mark on the graph.
    #expect(try shell.tmux.capture().shows("▾"))
    try shell.tmux.sendKeys("C-z")
    try shell.waitForTitle(name)
    try shell.type("fg")
    #expect(try shell.waitForTitle("sleep") == "\(job)")
    try shell.tmux.sendKeys("C-c")
    try shell.waitForTitle(name)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `a pipeline is one job, also without the process that has led it`(name: String) throws {
    let shell = try Shell(name)
    try shell.type("sleep 1000 | cat")
    #expect(try shell.waitForTitle("sleep") == "2 processes")
    let leader = try shell.tmux.waitForProcess("sleep")
    try shell.tmux.sendKeys("C-c")
    try waitForEnd(of: [leader])
    try shell.waitForTitle(name)
    try shell.type("sleep 0.7 | sleep 1000")
    try shell.tmux.waitFor(deadline: Perfhud.deadline) {
      Shell.title($0)?.rest == "2 processes"
    }
    try waitUntil(deadline: Perfhud.deadline, "the rest of the pipeline") { () throws(ToolError) in
      guard let title = Shell.title(try shell.tmux.capture()) else { return false }
      return title.name == "sleep" && !title.rest.hasSuffix("processes")
    }
    try shell.tmux.sendKeys("C-c")
    try shell.waitForTitle(name)
  }

  @Test func `a full-screen program with a child is whole, in a shell in the shell too`() throws {
    try requireTool("vim")
    let shell = try Shell("bash")
    try shell.type("bash --norc -i")
    try shell.tmux.waitFor(deadline: Perfhud.deadline) {
      $0.contains { $0.hasPrefix("bash-") } && Shell.title($0)?.name == "bash"
    }
    try shell.type("vim -u NONE -i NONE -n '+silent call job_start([\"sleep\",\"1000\"])'")
    #expect(try shell.waitForTitle("vim") == "2 processes")
    try shell.type(":qa!")
    try shell.waitForTitle("bash")
  }

  @Test func `a background job at 60 % is not in the figure of the job at 25 %`() throws {
    let shell = try Shell("bash")
    let load = try Products.path("perfhud-load")
    let truth = shell.home.file("truth")
    try shell.type("\(load) duty --percent 60 --truth \(shell.home.file("other")) >/dev/null &")
    try shell.waitForTitle("bash")
    try shell.type("\(load) duty --percent 25 --period 20 --truth \(truth) >/dev/null")
    try shell.waitForTitle("perfhud-load")
    // Until the window of the figure holds nothing from before.
    var shown: [(time: Instant, percent: Double)] = []
    let begin = Instant.now()
    try waitUntil(deadline: Perfhud.deadline, "figures for 3 s") { () throws(ToolError) in
      let rows = try shell.tmux.capture()
      let now = Instant.now()
      let row = rows.first { $0.contains("│CPU") } ?? ""
      if now.seconds(since: begin) > 1.2, let match = row.firstMatch(of: #/CPU +([0-9.]+) %/#),
        let percent = Double(match.1)
      {
        shown.append((now, percent))
      }
      return now.seconds(since: begin) > 4
    }
    try shell.tmux.sendKeys("C-c")
    try shell.waitForTitle("bash")
    try shell.type("kill %1")
    let real = try LoadTruth(file: truth)
    #expect(shown.count > 3)
    for (time, percent) in shown {
      // The figure is of half a second, and was drawn up to 0.7 s ago.
      let ends = stride(from: -0.9, through: 0, by: 0.05).map { time.advanced(bySeconds: $0) }
      let truths = ends.map { real.percent(from: $0.advanced(bySeconds: -0.5), to: $0) }
      let range = (truths.min() ?? 0) - 3...(truths.max() ?? 0) + 3
      #expect(range.contains(percent), "\(percent) shown, \(range)")
    }
  }

  @Test func `with --tree the whole tree below the shell is shown`() throws {
    let shell = try Shell("bash", options: ["--tree"])
    try shell.type("sleep 1000")
    try shell.tmux.waitFor(deadline: Perfhud.deadline) { Shell.title($0)?.rest == "2 processes" }
    #expect(Shell.title(try shell.tmux.capture())?.name == "bash")
    try shell.tmux.sendKeys("C-c")
  }

  @Test func `a command that is named is shown with all its jobs`() throws {
    let tmux = try Overlay.shell(
      try Overlay.wrap(["bash", "--norc", "-i"]))
    try tmux.sendText("sleep 1000\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { Shell.title($0)?.rest == "2 processes" }
    #expect(Shell.title(try tmux.capture())?.name == "bash")
    try tmux.sendKeys("C-c")
  }
}
