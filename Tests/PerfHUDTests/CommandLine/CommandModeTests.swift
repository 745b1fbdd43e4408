import Glibc
import HUD
import Recording
import TestSupport
import Testing

@testable import PerfHUD

/// Where perfhud runs with a command or a shell: under a HUD, without one, or not at all.
@Suite struct CommandModeTests {
  private func overlay(
    _ line: String, pid: Int32? = nil, isShell: Bool = false, isGhost: Bool = false
  ) -> LaunchMode {
    .overlay(.init(command: words(line), isShell: isShell, pid: pid, isGhost: isGhost))
  }

  private func direct(
    _ line: String, _ reason: LaunchMode.DirectReason, pid: Int32? = nil
  ) -> LaunchMode {
    .direct(.init(command: words(line), pid: pid, reason: reason))
  }

  @Test func `a command on a terminal runs under a HUD`() throws {
    #expect(try request("-- vim -u x").mode == overlay("vim -u x"))
    #expect(try request("--overlay -- vim").mode == overlay("vim"))
    #expect(try request("--ghost -- vim").mode == overlay("vim", isGhost: true))
    #expect(try request("-- vim").mode.command == words("vim"))
    #expect(try request("-- vim").mode.pid == nil)
  }

  @Test func `the first word that is no option begins the command`() throws {
    #expect(try request("vim -u x").mode == overlay("vim -u x"))
    #expect(try request("make -j8 --pid 3 -- x").mode == overlay("make -j8 --pid 3 -- x"))
    #expect(try request("--hidden -d 2 --tree make").mode == overlay("make"))
    #expect(try request("--corner top-left vim --corner x").settings.corner == .topLeft)
    #expect(try request("-").mode == overlay("-"))
  }

  @Test func `after -- the names of subcommands and numbers are commands`() throws {
    #expect(try request("-- emit x").mode == overlay("emit x"))
    #expect(try request("-- 2048").mode == overlay("2048"))
    #expect(try request("7z a").mode == overlay("7z a"))
  }

  @Test func `everything after the first -- is the command's`() throws {
    #expect(try request("-- vim --pid 3 --batch").mode == overlay("vim --pid 3 --batch"))
    #expect(try request("-- -- vim").mode == overlay("-- vim"))
    #expect(try request("-- sh -c x -- y").mode == overlay("sh -c x -- y"))
  }

  @Test func `neither command nor process is the user's shell`() throws {
    #expect(
      try request("", environment: ["SHELL": "/bin/zsh"]).mode == overlay("/bin/zsh", isShell: true)
    )
    #expect(try request("").mode == overlay("/bin/sh", isShell: true))
    #expect(try request("", environment: ["SHELL": ""]).mode == overlay("/bin/sh", isShell: true))
    #expect(try request("--overlay").mode == overlay("/bin/sh", isShell: true))
    #expect(try request("--size line").mode == overlay("/bin/sh", isShell: true))
  }

  @Test func `a process can be shown over a command or a shell`() throws {
    #expect(try request("--pid 7 --overlay -- vim").mode == overlay("vim", pid: 7))
    #expect(try request("--pid 7 --overlay").mode == overlay("/bin/sh", pid: 7, isShell: true))
    #expect(try request("--pid 7 --overlay").mode.pid == 7)
    #expect(
      try request("--pid 7 --overlay -- vim", isTerminal: false).mode
        == direct("vim", .noTerminal, pid: 7))
  }

  @Test func `without a terminal, in the background and without keys a command runs directly`()
    throws
  {
    #expect(try request("-- make", isTerminal: false).mode == direct("make", .noTerminal))
    #expect(try request("-- make", isForeground: false).mode == direct("make", .background))
    #expect(try request("-- make", hasKeys: false).mode == direct("make", .noKeys))
    let nowhere = try request("-- make", isTerminal: false, isForeground: false, hasKeys: false)
    #expect(nowhere.mode == direct("make", .noTerminal))
  }

  @Test(arguments: ["dumb", "emacs"])
  func `on a terminal without sequences a command runs directly, with one line`(term: String) throws
  {
    let environment = ["TERM": term]
    let request = try request("-- make", environment: environment)
    #expect(request.mode == direct("make", .noSequences(term: term)))
    let context = LaunchContext(environment: Environment(environment))
    #expect(
      request.notice(context: context)
        == "TERM=\(term) cannot place the cursor: the command runs without a HUD")
    #expect(
      mistake("", environment: environment)
        == "TERM=\(term) cannot place the cursor, so that there is no HUD; set TERM")
  }

  @Test func `how the HUD looks does not matter where there is none`() throws {
    let line = "--corner top-left --size line --hidden --ghost --nested -- make"
    #expect(try request(line, isTerminal: false).mode == direct("make", .noTerminal))
  }

  @Test func `below another perfhud a command runs directly, unless it is to nest`() throws {
    let below = ["PERFHUD": "123"]
    #expect(
      try request("-- vim", environment: below).mode == direct("vim", .nested(below: "123")))
    #expect(try request("--nested -- vim", environment: below).mode == overlay("vim"))
    #expect(try request("-- vim", environment: ["PERFHUD": ""]).mode == overlay("vim"))
    #expect(
      try request("-- vim", isTerminal: false, environment: below).mode
        == direct("vim", .noTerminal))
  }

  @Test func `below another perfhud a shell is not started, so that a start file cannot loop`()
    throws
  {
    let below = ["PERFHUD": "123", "SHELL": "/bin/bash"]
    #expect(try request("", environment: below).mode == .nothing)
    #expect(try request("--pid 7 --overlay", environment: below).mode == .nothing)
    #expect(
      try request("--nested", environment: below).mode == overlay("/bin/bash", isShell: true))
    #expect(try request("--pid 7", environment: below).mode == .attach(pid: 7))
  }

  @Test func `lines about a command go to standard error unless there is a file`() throws {
    #expect(try request("--batch -- make").mode == direct("make", .batch(.init())))
    let csv = LaunchMode.BatchOptions(format: .csv, path: "x.csv")
    for line in [
      "--format csv --output x.csv -- make", "--batch --format csv --output x.csv -- make",
    ] {
      for environment in [[:], ["PERFHUD": "1"]] {
        #expect(
          try request(line, isTerminal: false, environment: environment).mode
            == direct("make", .batch(csv)))
      }
      #expect(try request(line, environment: ["PERFHUD": "1"]).mode == direct("make", .batch(csv)))
      #expect(try request(line, isForeground: false).mode == direct("make", .batch(csv)))
    }
    #expect(
      try request("--batch --format csv --output x.csv -- make").mode == direct("make", .batch(csv))
    )
  }

  @Test func `with a file for the lines the HUD is drawn too, where it has a terminal`() throws {
    let rows = LaunchMode.BatchOptions(format: .jsonl, path: "x.jsonl")
    func overlay(_ line: String, isShell: Bool = false, pid: Int32? = nil) -> LaunchMode {
      .overlay(
        .init(
          command: words(line), isShell: isShell, selection: pid.map { .pid($0) }, rows: rows))
    }
    let output = "--format jsonl --output x.jsonl"
    #expect(try request("\(output) -- vim").mode == overlay("vim"))
    #expect(try request("--overlay \(output) --corner top-left -- vim").mode == overlay("vim"))
    #expect(try request("--pid 7 --overlay \(output) -- vim").mode == overlay("vim", pid: 7))
    #expect(try request(output).mode == overlay("/bin/sh", isShell: true))
    #expect(try request("--pid 7 \(output)").mode == .batch(pid: 7, rows))
    #expect(try request("\(output) -- vim").showsSummary)
    // Without a HUD the options of its looks do not matter.
    #expect(
      try request("--corner top-left \(output) -- vim", isTerminal: false).mode
        == direct("vim", .batch(rows)))
  }

  @Test(arguments: [
    (
      "",
      "no process and no command given; attach with: perfhud N (find it with: pgrep -a NAME), "
        + "or run a command with: perfhud COMMAND"
    ),
    ("--overlay", "--overlay needs a terminal on standard output; run it in one"),
    ("--pid 1 --overlay", "--overlay needs a terminal on standard output; run it in one"),
  ])
  func `without a terminal there must be a command or a process`(line: String, text: String) {
    #expect(mistake(line, isTerminal: false) == text)
  }

  @Test func `a shell needs the foreground and keys`() {
    #expect(
      mistake("", isForeground: false)
        == "a shell needs the foreground of its terminal; start perfhud without &")
    #expect(
      mistake("", hasKeys: false)
        == "no terminal to read keys from; put one on the standard input")
  }

  @Test(arguments: [
    ("--", "no command after --; run one with: perfhud COMMAND"),
    ("--pid 1 --", "no command after --; run one with: perfhud COMMAND"),
    (
      "--pid 1 -- vim",
      "--pid cannot be combined with a command; to show 1 over it: "
        + "perfhud --pid 1 --overlay COMMAND"
    ),
    (
      "--batch",
      "no process and no command given; attach with: perfhud N (find it with: pgrep -a NAME), "
        + "or run a command with: perfhud COMMAND"
    ),
    (
      "--pid 1 --corner top-left",
      "--corner has an effect only over a command: perfhud --corner … COMMAND"
    ),
    (
      "--pid 1 --size line --batch",
      "--size has an effect only over a command: perfhud --size … COMMAND"
    ),
    ("--pid 1 --hidden", "--hidden has an effect only over a command: perfhud --hidden COMMAND"),
    ("--pid 1 --nested", "--nested has an effect only over a command: perfhud --nested COMMAND"),
    ("--pid 1 --ghost", "--ghost has an effect only over a command: perfhud --ghost COMMAND"),
    (
      "--pid 1 --no-summary",
      "--no-summary has an effect only over a command: perfhud --no-summary COMMAND"
    ),
    (
      "--overlay --batch -- make",
      "--overlay draws and --batch prints rows; leave out one of them"
    ),
    (
      "--pid 1 --overlay --format csv",
      "--overlay draws and --format prints rows; for both, write the rows to a file with: "
        + "--output FILE"
    ),
    (
      "--corner top-left --batch --output x -- make",
      "--corner draws and --batch prints rows; leave out one of them"
    ),
    (
      "--duration 3s -- make",
      "--duration cannot end a command; give it a time with: perfhud timeout 30s COMMAND"
    ),
    (
      "--samples 3 -- make",
      "--samples cannot end a command; give it a time with: perfhud timeout 30s COMMAND"
    ),
    (
      "--duration 3s",
      "--duration cannot end a command; give it a time with: perfhud timeout 30s COMMAND"
    ),
    (
      "--exit-with-target -- make",
      "--exit-with-target has an effect only with --pid; perfhud ends when the command has ended"
    ),
  ])
  func `what contradicts itself is a mistake`(line: String, text: String) {
    #expect(mistake(line) == text)
  }

  @Test func `what the file sets for another mode is no mistake`() throws {
    try withFile("corner = top-left\nhidden = on\nsummary = on\nexit-with-target = on\n") { path in
      let environment = ["PERFHUD_CONFIG": path]
      let attach = try request("--pid 1", environment: environment)
      let command = try request("-- vim", environment: environment)
      let lines = try request("--batch -- vim", environment: environment)
      #expect(attach.mode == .attach(pid: 1))
      #expect(command.mode == overlay("vim"))
      #expect(lines.mode == direct("vim", .batch(.init())))
    }
  }

  @Test func `options of the HUD are taken`() throws {
    let settings = try request("--corner bottom-left --size 40x10 --hidden -- vim").settings
    #expect(settings.corner == .bottomLeft && settings.isHidden)
    #expect(settings.size == HUDSize(text: "40x10"))
  }

  @Test(
    arguments: [
      ("-- make", true), ("--no-tree -- make", false), ("--tree -- make", true),
      ("--tree --no-tree -- make", false), ("", true), ("--pid 1", false),
      ("--pid 1 --tree", true), ("--pid 1 --overlay -- make", false),
      ("--pid 1 --overlay --tree", true), ("--batch -- make", true),
    ])
  func `children of a command are counted, those of a process on demand`(line: String, isTree: Bool)
    throws
  {
    #expect(try request(line).countsChildren == isTree)
  }

  @Test(
    arguments: [
      ("-- make", true), ("--no-summary -- make", false), ("--summary -- make", true), ("", false),
      ("--summary", true), ("--batch -- make", false), ("--batch --summary -- make", true),
      ("--pid 1 --overlay -- make", false), ("--pid 1", false),
    ])
  func `a summary comes at the end of a command, not of a shell or after batch output`(
    line: String, hasSummary: Bool
  ) throws {
    #expect(try request(line).showsSummary == hasSummary)
  }

  @Test func `without a HUD the summary is all there is, but below another perfhud`() throws {
    #expect(try request("-- make", isTerminal: false).showsSummary)
    #expect(try request("-- make", isForeground: false).showsSummary)
    let below = ["PERFHUD": "9"]
    #expect(try !request("-- make", environment: below).showsSummary)
    #expect(try request("--summary -- make", environment: below).showsSummary)
    #expect(
      try !request("-- make", isTerminal: false, environment: ["PERFHUD_SUMMARY": "no"])
        .showsSummary)
  }

  @Test func `why there is no HUD is said where it is not plain to see`() throws {
    func notice(_ line: String, hasKeys: Bool = true, _ outer: String?) throws -> String? {
      let variables = outer.map { ["PERFHUD": $0] } ?? [:]
      let context = LaunchContext(environment: Environment(variables))
      return try request(line, hasKeys: hasKeys, environment: variables).notice(context: context)
    }
    #expect(
      try notice("-- vim", "12")
        == "perfhud 12 draws on this terminal already: the command runs without a second HUD "
        + "(--nested draws one)")
    #expect(
      try notice("", "12")
        == "perfhud 12 draws on this terminal already; a second HUD with: perfhud --nested")
    #expect(
      try notice("-- vim", hasKeys: false, nil)
        == "no terminal to read keys from: the command runs without a HUD")
    #expect(try notice("-- vim", nil) == nil)
    #expect(try notice("--batch -- vim", "12") == nil)
    #expect(try notice("-- vim", "\u{1B}]0;x\u{7}")?.contains("\u{1B}") == false)
  }

  @Test(arguments: [
    (
      "emit fase x", "emit has no 'fase'; it has: phase, action, frame, toast, loading, value"
    ), ("emit phas x", "emit has no 'phas'; did you mean: perfhud emit phase"),
    ("config prnt", "config has no 'prnt'; did you mean: perfhud config print"),
    ("config foo", "config has no 'foo'; it has: print, path, edit"),
    ("tmux foo", "tmux has no 'foo'; it has: side, popup, status"),
  ])
  func `an unknown word after a subcommand is named with what is known`(
    line: String, message: String
  ) {
    let words = line.split(separator: " ").map(String.init)
    #expect(throws: UsageError(message)) { try SubcommandLine.checkNested(words) }
  }

  @Test func `a program with the name of a subcommand is run with two dashes`() throws {
    func advice(_ line: String, path: String) -> String {
      let words = line.split(separator: " ").map { Array($0.utf8) }
      return ProgramAdvice.text(for: ArgumentList(words), path: path)
    }
    let folder = try TemporaryDirectory()
    for (name, mode) in [("tmux", 0o755), ("compare", 0o755), ("check", 0o644)] {
      try TestFile.write([], to: folder.file(name))
      #expect(unsafe chmod(folder.file(name), mode_t(mode)) == 0)
    }
    #expect(unsafe mkdir(folder.file("replay"), 0o755) == 0)
    let path = "/nonexistent:\(folder.path)"
    #expect(
      advice("tmux attach", path: path)
        == "; to run the program tmux: perfhud -- tmux attach")
    #expect(
      advice("--size small compare a.png $x", path: path)
        == "; to run the program compare: perfhud --size small -- compare a.png '$x'")
    #expect(
      advice("-C tmux tmux attach", path: path)
        == "; to run the program tmux: perfhud -C tmux -- tmux attach")
    for line in ["report a", "check a", "replay a"] { #expect(advice(line, path: path).isEmpty) }
    #expect(advice("tmux attach", path: "/nonexistent").isEmpty)
    #expect(throws: UsageError("tmux has no 'foo'; it has: side, popup, status; write x")) {
      try SubcommandLine.checkNested(["tmux", "foo"], advice: "; write x")
    }
  }

  @Test(arguments: [
    ("-C f config print", "config print -C f"), ("-Cf config print vim", "config print vim -Cf"),
    ("--config f config path", "config path --config f"),
    ("config --config=f edit", "config edit --config=f"),
    ("-C config config print", "config print -C config"),
    ("config print -C f", "config print -C f"),
    ("config", "config"), ("-C f config", "-C f config"), ("config --help", "config --help"),
    ("--size small config print", "--size small config print"),
  ])
  func `the configuration file may come before config`(line: String, meant: String) {
    let words = ConfigCommand.fileLast(line.split(separator: " ").map(String.init))
    #expect(words.joined(separator: " ") == meant)
  }

  @Test(arguments: [
    "emit", "emit --help", "emit phase x", "emit help", "config print vim", "tmux follow 3",
    "report x", "check a b",
  ])
  func `known words and options pass`(line: String) throws {
    try SubcommandLine.checkNested(line.split(separator: " ").map(String.init))
  }
}
