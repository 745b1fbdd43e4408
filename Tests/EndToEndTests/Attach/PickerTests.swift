import Glibc
import TestSupport
import Testing

/// The list of processes to choose one from, in tmux and on a pty.
@Suite struct PickerTests {
  private func wait(_ tmux: Tmux, for filter: String) throws {
    try tmux.sendText(filter)
    try tmux.waitFor("\(filter)_", deadline: Perfhud.deadline)
  }

  @Test(arguments: [(120, 40), (44, 15), (20, 3)])
  func `type, Enter, and the process is shown in the same terminal`(columns: Int, rows: Int) throws
  {
    let load = try Load()
    let tmux = try Perfhud.tmux("--pick", columns: columns, rows: rows)
    try tmux.waitFor("_", deadline: Perfhud.deadline)
    try wait(tmux, for: "\(load.pid)")
    let screen = try tmux.waitFor("perfhud-l", deadline: Perfhud.deadline)
    #expect(rows < 5 || screen.shows(" COMMAND"))
    try tmux.sendKeys("Enter")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      columns > 40 ? screen.bytes("MEM") != nil : screen.shows("MEM")
    }
    if columns > 40 { try tmux.waitFor(" \(load.pid)", deadline: Perfhud.deadline) }
    try tmux.sendText("q")
    try tmux.waitForEnd(.exit(0))
  }

  @Test func `the busiest process comes to the top, with its share of CPU`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux("--pick", columns: 120, rows: 40)
    try wait(tmux, for: "\(load.pid)")
    try load.start("burn 20000")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      guard let row = screen.first(where: { $0.hasPrefix(">") }) else { return false }
      let words = row.split(separator: " ")
      return words.count > 3 && words[1] == "\(load.pid)" && (Double(words[3]) ?? 0) > 20
    }
    load.signal(SIGKILL)
    _ = try load.wait()
    try tmux.waitFor("no process matches", deadline: Perfhud.deadline)
    try tmux.sendKeys("Escape")
    try tmux.waitFor("type to filter", deadline: Perfhud.deadline)
    try tmux.sendKeys("Escape")
    try tmux.waitForEnd(.exit(0))
  }

  @Test func `the screen below comes back, and the terminal is as before`() throws {
    let tmux = try Tmux(
      columns: 80, rows: 24,
      command: [
        "sh", "-c",
        "echo before; stty -g >/dev/null; before=$(stty -g); \"$perfhud\" --pick; echo status $?; "
          + "[ \"$before\" = \"$(stty -g)\" ] && echo same; read x",
      ], environment: Perfhud.environment(["perfhud": try Perfhud.path()]))
    try tmux.waitFor("type to filter", deadline: Perfhud.deadline)
    try tmux.sendKeys("C-c")
    let screen = try tmux.waitFor("same", deadline: Perfhud.deadline)
    #expect(screen.first == "before" && screen.shows("status 0") && !screen.shows("attach to"))
  }

  @Test func `a process of a hostile name is listed as text`() throws {
    let directory = try TemporaryDirectory()
    let name = "ph\u{1B}[7mx\u{202E}y"
    let path = directory.file(name)
    #expect(try Tool.run(["ln", "-s", "/bin/sleep", path]).status == .exit(0))
    let tool = try RunningTool([path, "60"])
    defer { tool.signal(SIGKILL) }
    let tmux = try Perfhud.tmux("--pick", columns: 100, rows: 12)
    try wait(tmux, for: "\(tool.pid)")
    let screen = try tmux.waitFor("ph [7mx\u{FFFD}y 60", deadline: Perfhud.deadline)
    #expect(!screen.joined().unicodeScalars.contains("\u{202E}"))
  }

  @Test func `a resize, a stop and a continue keep the filter`() throws {
    let tmux = try Tmux(
      columns: 80, rows: 24, command: ["bash", "--norc", "-i"],
      environment: Perfhud.environment(["perfhud": try Perfhud.path(), "PS1": "$ "]))
    try tmux.waitFor("$", deadline: Perfhud.deadline)
    try tmux.sendText("\"$perfhud\" --pick\n")
    try tmux.waitFor("type to filter", deadline: Perfhud.deadline)
    try wait(tmux, for: "bash")
    try tmux.resize(columns: 44, rows: 15)
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.count <= 15 && $0.shows("bash_") }
    try tmux.sendKeys("C-z")
    try tmux.waitFor("Stopped", deadline: Perfhud.deadline)
    try tmux.sendText("fg\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("bash_") && $0.shows("COMMAND") }
    try tmux.sendKeys("C-c")
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("bash_") }
  }

  @Test func `in Japanese and without colors`() throws {
    let tmux = try Perfhud.tmux(
      "--pick", "--lang", "ja", columns: 100, rows: 20, environment: ["NO_COLOR": "1"])
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("ユーザー") && $0.shows("入力で絞込") }
    let colored = try tmux.capture(escapes: true).joined()
    #expect(!colored.contains("[38;") && !colored.contains("[31m"))
    try tmux.sendKeys("C-c")
    try tmux.waitForEnd(.exit(0))
  }

  @Test func `no terminal: one line that says what to do, status 64`() throws {
    let output = try Perfhud.run("--pick")
    #expect(output.status == .exit(64) && output.stdout.isEmpty)
    #expect(
      output.stderr
        == "perfhud: --pick needs a terminal; name a process with: perfhud N (find it with: "
        + "pgrep -a NAME)\n")
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func `a signal ends it, and the terminal is restored`(number: Int32) throws {
    let tmux = try Perfhud.tmux("--pick")
    try tmux.waitFor("type to filter", deadline: Perfhud.deadline)
    kill(pid_t(try tmux.pid), number)
    try tmux.waitForEnd(.signal(Int(number)))
    #expect(try tmux.value("alternate_on") == "0")
  }
}
