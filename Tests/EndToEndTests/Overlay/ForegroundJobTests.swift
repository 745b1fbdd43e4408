import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// `perfhud` alone: a shell under the HUD, which shows the job that has the terminal.
@Suite struct ForegroundJobTests {
  /// A shell with a prompt that is known, below `perfhud`.
  private struct Shell {
    let tmux: Tmux
    let home: TemporaryDirectory
    let name: String

    init(_ name: String, options: [String] = [], autoShow: String = "off") throws {
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
        columns: 100, rows: 24, command: setup + ["--auto-show", autoShow] + options,
        environment: try Overlay.environment([
          "HOME": home.path, "ZDOTDIR": home.path, "PS1": nil, "PERFHUD": nil,
          "XDG_CONFIG_HOME": nil, "XDG_DATA_HOME": nil,
        ]))
      try tmux.waitFor("ready>", deadline: Perfhud.deadline)
    }

    /// Types a line at the prompt.
    func type(_ line: String) throws { try tmux.sendText(line + "\n") }

    /// Waits until the title names the job, with what follows the name if that is given.
    func waitForTitle(_ name: String, _ rest: String? = nil) throws {
      try tmux.waitFor(deadline: Perfhud.deadline) { rows in
        guard let title = Shell.title(rows), title.name == name else { return false }
        return rest == nil || title.rest == rest
      }
    }

    /// Waits until a `sleep` of so long runs below this shell, and returns its number.
    func waitForSleep(_ seconds: Int) throws -> Int {
      let line = "sleep\0\(seconds)\0"
      let root = try tmux.pid
      var found: Int?
      try waitUntil(deadline: Perfhud.deadline, "sleep \(seconds)") {
        found =
          ProcessTable.tree(root).first { entry in
            guard let bytes = try? readFile("/proc/\(entry.pid)/cmdline") else { return false }
            return String(decoding: bytes, as: UTF8.self) == line
          }?.pid
        return found != nil
      }
      return try #require(found)
    }

    /// Name, and the number of processes if there are several, in the upper edge of the HUD.
    static func title(_ rows: [String]) -> (name: String, rest: String)? {
      guard let row = rows.first(where: { $0.contains("╭ ") }),
        let match = row.firstMatch(of: #/╭ (\S+) (?:· [A-Za-z] .*? )?(?:· (\d+ processes) )?─/#)
      else { return nil }
      return (String(match.1), match.2.map { String($0) } ?? "")
    }
  }

  @Test func `the HUD shows itself for a long job, says what it used, and goes with the next key`()
    throws
  {
    let shell = try Shell("bash", autoShow: "500ms")
    try shell.type("TIMEFORMAT='used %U %S.'; true")
    try shell.tmux.waitFor(deadline: Perfhud.deadline) { $0.count { $0.hasPrefix("ready>") } >= 2 }
    #expect(Shell.title(try shell.tmux.capture()) == nil)
    try shell.type("time sh -c 'i=0; while [ $i -lt 700000 ]; do i=$((i+1)); done; sleep 0.6'")
    try shell.waitForTitle("sh")
    let line = #/sh: \d+\.\d s, CPU (\d+\.\d) s, peak \d+\.\d+ [KM]iB/#
    var said = ""
    try shell.tmux.waitFor(deadline: Perfhud.deadline) { rows in
      said = rows.joined(separator: "\n")
      return said.contains(line) && said.contains("used ")
    }
    let cpu = try #require(said.firstMatch(of: line)?.1)
    let used = try #require(said.firstMatch(of: #/used (\d+\.\d+) (\d+\.\d+)\./#))
    let truth = try #require(Double(used.1)) + (try #require(Double(used.2)))
    #expect(abs(try #require(Double(cpu)) - truth) < 0.12, "\(cpu), \(truth)")
    try shell.tmux.sendText("x")
    try shell.tmux.waitFor(deadline: Perfhud.deadline) { rows in
      Shell.title(rows) == nil && !rows.contains { $0.contains(line) } && rows.shows("ready> x")
    }
  }

  @Test func `what a job used is not said below the HUD of the next job`() throws {
    let shell = try Shell("bash")
    try shell.waitForTitle("bash")
    try shell.type("sleep 1")
    let line = #/sleep: \d+\.\d s, CPU /#
    try shell.tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains { $0.contains(line) }
    }
    try shell.waitForTitle("bash")
    try shell.type("sleep 1000")
    var next: [String] = []
    try shell.tmux.waitFor(deadline: Perfhud.deadline) { rows in
      next = rows
      return Shell.title(rows)?.name == "sleep"
    }
    #expect(!next.contains { $0.contains(line) }, "\(next.joined(separator: "\n"))")
    try shell.tmux.sendKeys("C-c")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `a job, Ctrl-Z and fg: the title goes to it, to the shell, and to it again`(
    name: String
  ) throws {
    let shell = try Shell(name)
    try shell.waitForTitle(name)
    try shell.type("sleep 1000")
    try shell.waitForTitle("sleep", "")
    try shell.tmux.sendKeys("C-z")
    try shell.waitForTitle(name)
    try shell.type("fg")
    try shell.waitForTitle("sleep", "")
    try shell.tmux.sendKeys("C-c")
    try shell.waitForTitle(name)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `a pipeline is one job, also without the process that has led it`(name: String) throws {
    let shell = try Shell(name)
    try shell.type("sleep 1000 | cat")
    try shell.waitForTitle("sleep", "2 processes")
    let first = try shell.waitForSleep(1000)
    try shell.tmux.sendKeys("C-c")
    try waitForEnd(of: [first])
    try shell.waitForTitle(name)
    try shell.type("sleep 2000 | sleep 3000")
    try shell.waitForTitle("sleep", "2 processes")
    let leader = try shell.waitForSleep(2000)
    _ = try shell.waitForSleep(3000)
    kill(pid_t(leader), SIGTERM)
    try shell.waitForTitle("sleep", "")
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
    try shell.waitForTitle("vim", "2 processes")
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
    var shown: [(before: Instant, after: Instant, percent: Double)] = []
    let figure = #/CPU +([0-9.]+) %/#
    let begin = Instant.now()
    try waitUntil(deadline: Perfhud.deadline, "figures for 3 s") { () throws(ToolError) in
      let before = Instant.now()
      let row = try shell.tmux.capture().first { $0.contains("│ CPU") } ?? ""
      let after = Instant.now()
      if before.seconds(since: begin) > 3.6, let match = row.firstMatch(of: figure),
        let percent = Double(match.1)
      {
        shown.append((before, after, percent))
      }
      return shown.count > 3 && before.seconds(since: begin) > 6
    }
    try shell.tmux.sendKeys("C-c")
    try shell.waitForTitle("bash")
    try shell.type("kill %1")
    let real = try LoadTruth(file: truth)
    for (before, after, percent) in shown {
      // The figure is of half a second, and was drawn 3 s ago at most, also on a slow machine.
      let ends = stride(from: -3, through: after.seconds(since: before), by: 0.05).map {
        before.advanced(bySeconds: $0)
      }
      let truths = ends.map { real.percent(from: $0.advanced(bySeconds: -0.5), to: $0) }
      let range = (truths.min() ?? 0) - 3...(truths.max() ?? 0) + 3
      #expect(range.contains(percent), "\(percent) shown, \(range)")
    }
  }

  @Test func `with --tree the whole tree below the shell is shown`() throws {
    let shell = try Shell("bash", options: ["--tree"])
    try shell.type("sleep 1000")
    try shell.waitForTitle("bash", "2 processes")
    try shell.tmux.sendKeys("C-c")
  }

  @Test func `a command that is named is shown with all its jobs`() throws {
    let tmux = try Overlay.shell(
      try Overlay.wrap(["bash", "--norc", "-i"]))
    try tmux.sendText("sleep 1000\n")
    try tmux.waitFor(deadline: Perfhud.deadline) {
      Shell.title($0).map { $0 == ("bash", "2 processes") } ?? false
    }
    try tmux.sendKeys("C-c")
  }
}
