import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// `perfhud config`, and the sheet of settings that writes the same file.
@Suite struct ConfigTests {
  private func config(
    _ arguments: String..., file: String, environment: [String: String?] = [:]
  ) throws -> Tool.Output {
    try Tool.run(
      [try Perfhud.path(), "config"] + arguments,
      environment: Perfhud.environment(environment.merging(["PERFHUD_CONFIG": file]) { $1 }),
      timeout: Perfhud.deadline)
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try readFile(path), as: UTF8.self)
  }

  // MARK: The command

  @Test func `print says each setting with its source, as a file of settings`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("p.conf")
    try TestFile.write(Array("# mine\ntick = 30\ntheme = dark\n".utf8), to: file)
    let output = try config("print", file: file, environment: ["PERFHUD_THEME": "light"])
    #expect(output.status == .exit(0) && output.stderr.isEmpty)
    let lines = output.lines.map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines.contains("tick = 30 # file, line 2"))
    #expect(lines.contains("theme = light # PERFHUD_THEME"))
    #expect(lines.contains("interval = 100ms # default"))
    #expect(lines.contains("# tree = # not set"))
    // What it prints, as the file, gives the same settings.
    try TestFile.write(Array(output.stdout.utf8), to: file)
    let again = try config("print", file: file)
    let values = { (text: [String]) in text.compactMap { $0.split(separator: "#").first } }
    #expect(values(Array(again.lines.dropFirst())) == values(Array(output.lines.dropFirst())))
  }

  @Test func `path prints the path of the file, or that there is none`() throws {
    #expect(try config("path", file: "/x/y.conf").stdout == "/x/y.conf\n")
    let none = try Perfhud.run("config", "path", environment: ["HOME": nil])
    #expect(none.status == .exit(64) && none.stderr.contains("PERFHUD_CONFIG"))
  }

  @Test(arguments: [
    (["config"], "perfhud config --help"),
    (["config", "print", "x", "y"], "perfhud config --help"),
    (["config", "nonsense"], "config has no 'nonsense'; it has: print, path, edit"),
    (["help", "config", "nonsense"], "config has no 'nonsense'; it has: print, path, edit"),
    (["help", "nonsense"], "there is no subcommand 'nonsense'; see: perfhud --help"),
  ])
  func `a mistake is one line that says what to write`(
    arguments: [String], words: String
  ) throws {
    let output = try Tool.run(
      [try Perfhud.path()] + arguments, environment: Perfhud.environment(), timeout: 20)
    #expect(output.status == .exit(64) && output.stdout.isEmpty)
    #expect(output.stderr.contains(words), "\(output.stderr)")
    #expect(output.stderr.split(separator: "\n").count == 1)
  }

  @Test func `edit makes the file, opens it, and says which line is wrong`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("new/folder/p.conf")
    let first = try config("edit", file: file, environment: ["EDITOR": "true", "VISUAL": nil])
    #expect(first.status == .exit(0) && first.stderr.isEmpty)
    #expect(try text(file).contains("\n# interval = 100ms\n"))
    // An editor with an argument of its own; a path with a blank goes to it whole.
    let spaced = directory.file("a b.conf")
    let editor = "sh -c 'echo intervl = 1s >> \"$1\"' editor"
    let second = try config("edit", file: spaced, environment: ["VISUAL": editor])
    #expect(second.status == .exit(64))
    let number = try text(spaced).split(separator: "\n", omittingEmptySubsequences: false).count - 1
    #expect(
      second.stderr.contains(
        "\(spaced):\(number): unknown setting 'intervl'; did you mean interval?"))
    let third = try config(
      "edit", file: file, environment: ["VISUAL": "/nowhere/editor", "EDITOR": nil])
    #expect(third.status == .exit(64) && third.stderr.contains("VISUAL or EDITOR"))
    let fourth = try config("edit", file: file, environment: ["VISUAL": "exit 3; :"])
    #expect(fourth.stderr.contains("status 3"))
  }

  // MARK: The sheet

  private func sheet(_ environment: [String: String?]) throws -> (Load, Tmux) {
    let load = try Load()
    let tmux = try Perfhud.tmux(
      "--pid", "\(load.pid)", columns: 80, rows: 30, environment: environment)
    try tmux.waitForValues()
    return (load, tmux)
  }

  /// Moves the selection of the open sheet down to a setting.
  private func select(_ key: String, in tmux: Tmux) throws {
    func selected(_ rows: [String]) -> Substring? {
      rows.lazy.compactMap { $0.firstMatch(of: #/[┃ ]>([a-z-]+)\s/#)?.1 }.first
    }
    var former: Substring?
    while true {
      let screen = try tmux.waitFor(deadline: Perfhud.deadline) {
        selected($0).map { $0 != former } ?? false
      }
      former = selected(screen)
      if former ?? "" == key { return }
      try tmux.sendKeys("Down")
    }
  }

  @Test func `the sheet changes the picture at once, and S alone changes the file`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("p.conf")
    let link = directory.file("link.conf")
    let before = "# mine\n\ngraph = braille   # dots\n\tlang=en\n"
    try TestFile.write(Array(before.utf8), to: file)
    #expect(unsafe chmod(file, 0o640) == 0)
    #expect(unsafe symlink("p.conf", link) == 0)
    let (_, tmux) = try sheet(["PERFHUD_CONFIG": link])
    try tmux.sendKeys(",")
    try tmux.waitFor("exit-with-target", deadline: Perfhud.deadline)
    try select("graph", in: tmux)
    try tmux.sendKeys("Right")
    try tmux.waitFor("block*", deadline: Perfhud.deadline)
    try select("lang", in: tmux)
    try tmux.sendKeys("Right")
    try tmux.waitFor("設定", deadline: Perfhud.deadline)
    #expect(try text(file) == before, "nothing is saved by itself")
    try tmux.sendKeys("S")
    try tmux.waitFor("に保存しました", deadline: Perfhud.deadline)
    #expect(try text(file) == "# mine\n\ngraph = block   # dots\n\tlang=ja\n")
    var facts = stat()
    #expect(unsafe stat(file, &facts) == 0 && facts.st_mode & 0o777 == 0o640)
    #expect(unsafe lstat(link, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK)
    try tmux.sendKeys("Escape")
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("exit-with-target") }
    try tmux.sendKeys("q")
    try tmux.waitForEnd(.exit(0))
    // Nothing else is beside it.
    let listing = try Tool.run(["ls", "-A", directory.path], timeout: 20).lines.sorted()
    #expect(listing == ["link.conf", "p.conf"])
  }

  @Test func `over a program the sheet moves and colors the HUD, and Esc takes it back`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("p.conf")
    try TestFile.write(Array("theme = light\n".utf8), to: file)
    let tmux = try Tmux(
      columns: 80, rows: 30, command: try Overlay.wrap(["cat"], options: ["--no-step-aside"]),
      environment: try Overlay.environment(["PERFHUD_CONFIG": file]))
    let start = try tmux.waitFor("CPU", deadline: Perfhud.deadline)
    try tmux.sendKeys("F12", ",")
    try tmux.waitFor("no-osc-events", deadline: Perfhud.deadline)
    try select("corner", in: tmux)
    try tmux.sendKeys("Right", "Right", "Right")
    try tmux.waitFor("bottom-left*", deadline: Perfhud.deadline)
    try tmux.sendKeys("Escape")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      !screen.shows("no-osc-events") && screen[0].contains("╭")
    }
    try tmux.sendText("typed\n")
    let end = try tmux.waitFor("typed", deadline: Perfhud.deadline)
    #expect(end[0].contains("╭") == start[0].contains("╭"))
    #expect(try text(file) == "theme = light\n")
  }

  @Test func `a file that cannot be written is said in the sheet`() throws {
    let directory = try TemporaryDirectory()
    let folder = directory.file("config")
    let (_, tmux) = try sheet(["XDG_CONFIG_HOME": folder])
    try tmux.sendKeys(",")
    try select("graph", in: tmux)
    try tmux.sendKeys("Right")
    try tmux.waitFor("block*", deadline: Perfhud.deadline)
    // A file in the place of the folder is in the way of root too.
    try TestFile.write([], to: folder)
    try tmux.sendKeys("S")
    try tmux.waitFor("cannot", deadline: Perfhud.deadline)
    try tmux.sendKeys("C-c")
    try tmux.waitForEnd(.exit(0))
  }

  @Test func `without a file S makes one, with all settings as comments`() throws {
    let directory = try TemporaryDirectory()
    let (_, tmux) = try sheet(["XDG_CONFIG_HOME": directory.path + "/config"])
    try tmux.sendKeys(",")
    try select("graph", in: tmux)
    try tmux.sendKeys("Right")
    try tmux.waitFor("block*", deadline: Perfhud.deadline)
    try tmux.sendKeys("S")
    try tmux.waitFor("saved to", deadline: Perfhud.deadline)
    let file = directory.path + "/config/perfhud/perfhud.conf"
    #expect(try text(file).contains("\n# graph = braille\ngraph = block\n"))
    let printed = try Perfhud.run(
      "config", "print", environment: ["XDG_CONFIG_HOME": directory.path + "/config"])
    #expect(printed.stdout.contains("graph = block"))
  }
}
