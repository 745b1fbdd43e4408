import HUD
import Metrics
import Recording
import Testing

@testable import PerfHUD

@Suite struct LaunchModeTests {
  @Test func `on a terminal the HUD fills it`() throws {
    let request = try request("--pid 42")
    #expect(request.mode == .attach(pid: 42))
    #expect(request.mode.pid == 42 && request.mode.command == nil)
    #expect(request.duration == nil && !request.explains)
    #expect(request.settings == Settings())
  }

  @Test(arguments: ["-p 42", "-p42", "--pid=42", "42", "42 --tree", "--tree 42", "-t 42 -d 1"])
  func `a number alone is a process, with options before and after it`(line: String) throws {
    #expect(try request(line).mode == .attach(pid: 42))
    #expect(try request(line + " --overlay vim").mode.command == words("vim"))
  }

  @Test func `short options are the long ones`() throws {
    let short = try request("-p 42 -n 5 -d 2 -b -o x -t -f csv")
    let long = try request(
      "--pid 42 --samples 5 --interval 2s --batch --output x --tree --format csv")
    #expect(short == long)
    #expect(try request("-p42 -bn 5 -d2s -ox -t -fcsv") == long)
  }

  @Test func `options that were renamed keep their old names`() throws {
    #expect(try request("--leader f9 vim") == request("--prefix f9 vim"))
    #expect(try CommandLineArguments.parse(["--reset"]).reset)
  }

  @Test func `an option can stand for a variable`() throws {
    try withFile("tick = 10\n") { path in
      let arguments = try CommandLineArguments.parse(["-C", path, "--no-color"])
      let context = LaunchContext(environment: Environment([:])).applying(arguments)
      #expect(context.environment.wantsNoColor)
      #expect(
        try request("-C \(path) 1", environment: ["PERFHUD_CONFIG": "/none"]).settings.tick == 10)
      #expect(mistake("-C /none/x 1")?.hasSuffix("check --config") == true)
    }
  }

  @Test func `without a terminal there are lines`() throws {
    #expect(try request("--pid 42", isTerminal: false).mode == .batch(pid: 42, .init()))
  }

  @Test(arguments: [
    "--batch", "--format text", "--output -", "--samples 3", "--format jsonl --samples 1",
  ])
  func `an option of lines asks for lines, terminal or not`(options: String) throws {
    for isTerminal in [true, false] {
      let mode = try request("--pid 42 \(options)", isTerminal: isTerminal).mode
      #expect(mode != .attach(pid: 42))
    }
  }

  @Test func `the options of lines are taken`() throws {
    let lines = LaunchMode.BatchOptions(format: .csv, path: "/tmp/x.csv", samples: 5)
    #expect(
      try request("--pid 42 --format csv --output /tmp/x.csv --samples 5").mode
        == .batch(pid: 42, lines))
  }

  @Test func `a target by name, waited for or not, and a cgroup are shown as a process is`() throws
  {
    #expect(try request("--name web").mode == .attach(.name("web", waits: false)))
    #expect(
      try request("--name web --wait", isTerminal: false).mode
        == .batch(.name("web", waits: true), .init()))
    #expect(try request("--cgroup web.service").mode == .attach(.cgroup("web.service")))
    #expect(try request("--cgroup web.service").mode.pid == nil)
    #expect(
      try request("--name web --overlay -- vim").mode
        == .overlay(.init(command: words("vim"), selection: .name("web", waits: false))))
    #expect(
      try request("--cgroup a/b --overlay -- make", isTerminal: false).mode
        == .direct(
          .init(command: words("make"), selection: .cgroup("a/b"), reason: .noTerminal)))
  }

  @Test func `a list of processes needs a terminal for the picture and one for the keys`() throws {
    #expect(try request("--pick --interval 1s").mode == .pick)
    let text =
      "--pick needs a terminal; name a process with: perfhud N (find it with: pgrep -a NAME)"
    #expect(mistake("--pick", isTerminal: false) == text)
    #expect(mistake("--pick", hasKeys: false) == text)
    #expect(try !request("--pick").countsChildren)
    #expect(try request("--pick --tree").countsChildren)
  }

  @Test func `the children of a named process are not counted unless asked for`() throws {
    #expect(try !request("--name web").countsChildren)
    #expect(try request("--name web --tree").countsChildren)
    #expect(try !request("--name web --overlay -- vim").countsChildren)
    #expect(try !request("--name web --overlay -- vim").showsSummary)
  }

  @Test func `a duration and explain are taken`() throws {
    let request = try request("--pid 1 --duration 1.5m --explain")
    #expect(request.duration == 90_000_000_000)
    #expect(request.explains)
  }

  @Test func `all settings of the command line are taken`() throws {
    let line =
      "--pid 1 --interval 2s --tick 30 --memory rss --graph block --ascii --lang ja --exit-with-target"
    let settings = try request(line).settings
    #expect(settings.interval == 2_000_000_000 && settings.tick == 30)
    #expect(settings.memory == .rss && settings.graph == .block)
    #expect(settings.isASCII && settings.language == .japanese && settings.exitsWithTarget)
  }

  @Test(arguments: [
    ("--pid vim", "pid 'vim' is not a positive number; find it with: pgrep -a NAME"),
    ("--pid 0", "pid '0' is not a positive number; find it with: pgrep -a NAME"),
    ("--pid=-5", "pid '-5' is not a positive number; find it with: pgrep -a NAME"),
    (
      "--pid 99999999999", "pid '99999999999' is not a positive number; find it with: pgrep -a NAME"
    ),
    (
      "--pid 1 one two",
      "--pid cannot be combined with a command; to show 1 over it: perfhud --pid 1 --overlay COMMAND"
    ),
    (
      "12 vim",
      "--pid cannot be combined with a command; to show 12 over it: perfhud --pid 12 --overlay COMMAND"
    ),
    (
      "12 34",
      "--pid cannot be combined with a command; to show 12 over it: perfhud --pid 12 --overlay COMMAND"
    ),
    ("0", "pid '0' is not a positive number; find it with: pgrep -a NAME"),
    ("-p 1 2", "both --pid and the process 2 are given, but one target is shown"),
    ("--name x 2", "--pid and --name exclude each other: one target is shown"),
    ("--intervall 1s vim", "Unknown option '--intervall'. Did you mean '--interval'?"),
    ("-x vim", "Unknown option '-x'"),
    ("--pid 1 --duration soon", "duration 'soon' is not a time such as 30s or 5m"),
    ("--pid 1 --duration 0", "duration '0' is not a time such as 30s or 5m"),
    ("--pid 1 --format xml", "format 'xml' is none of: text, csv, jsonl"),
    ("--pid 1 --samples 0", "samples '0' is not a positive whole number"),
    ("--pid 1 --samples 1.5", "samples '1.5' is not a positive whole number"),
    ("--pid 1 --interval fast", "interval 'fast' is not a time such as 100ms, 0.5 or 2s"),
    ("--pid 1 --interval 2h", "interval '2h' is longer than an hour"),
    ("--pid 1 --tick 241", "tick '241' is not a whole number from 0 (off) to 240"),
    ("--pid 1 --tick 59.9", "tick '59.9' is not a whole number from 0 (off) to 240"),
    ("--pid 1 --memory vsz", "memory 'vsz' is none of: footprint, rss, pss"),
    ("--pid 1 --graph dots", "graph 'dots' is none of: braille, block, ascii"),
    ("--pid 1 --lang fr", "lang 'fr' is none of: en, ja"),
    (
      "--pid 1 --corner middle",
      "corner 'middle' is none of: top-right, top-left, bottom-right, bottom-left"
    ),
    (
      "--size huge -- vim",
      "size 'huge' is none of: line, small, medium, large, or columns and rows from 1 to 1000 such "
        + "as 40x10"
    ),
    ("--pid 1 --intervall 1s", "Unknown option '--intervall'. Did you mean '--interval'?"),
    ("--pid", "Missing value for '--pid <N>'"),
    ("--pid 1 --name x", "--pid and --name exclude each other: one target is shown"),
    ("--name x --cgroup y", "--name and --cgroup exclude each other: one target is shown"),
    ("--pick --pid 1", "--pid and --pick exclude each other: one target is shown"),
    (
      "--pick -- vim",
      "--pick cannot be combined with a command: it fills this terminal"
    ),
    (
      "--pick --overlay",
      "--pick cannot be combined with --overlay: it fills this terminal"
    ),
    (
      "--pick --format csv",
      "--pick cannot be combined with --format: it fills this terminal"
    ),
    ("--pick --hidden", "--hidden has an effect only over a command: perfhud --hidden COMMAND"),
    ("--wait --pid 1", "--wait has an effect only with --name: perfhud --name NAME --wait"),
    (
      "--cgroup x --tree",
      "--tree has no effect with --cgroup: a cgroup is always counted as a whole"
    ),
    (
      "--name x -- vim",
      "--name cannot be combined with a command; to show x over it: perfhud --name x --overlay COMMAND"
    ),
  ])
  func `a mistake is one line that says what to do`(line: String, text: String) {
    #expect(mistake(line) == text)
  }

  @Test func `a name that is no regular expression says what is wrong with it`() {
    let text = mistake("--name a(b")
    #expect(text?.hasPrefix("name 'a(b' is not a regular expression: ") == true)
  }

  @Test func `control characters of an argument do not reach the terminal`() {
    #expect(mistake("--pid \u{1B}[2J")?.contains("\u{1B}") == false)
    #expect(mistake("--pid 1 --format \u{1B}]0;x\u{7}")?.contains("\u{7}") == false)
    let long = String(repeating: "x", count: 500)
    #expect(mistake("--pid \(long)").map { $0.count < 120 } == true)
  }
}
