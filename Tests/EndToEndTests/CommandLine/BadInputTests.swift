import Glibc
import TestSupport
import Testing

/// What is wrong on the command line or with the target: one line that says what to do, and a status.
@Suite struct BadInputTests {
  /// Expects nothing on stdout and one line of perfhud's own on stderr that holds the texts.
  private func expectError(
    _ output: Tool.Output, status: Int, _ texts: String...,
    at location: SourceLocation = #_sourceLocation
  ) {
    #expect(output.status == .exit(status), "\(output.stderr)", sourceLocation: location)
    #expect(output.stdoutBytes.isEmpty, "\(output.stdout)", sourceLocation: location)
    #expect(output.stderr.hasPrefix("perfhud: "), "\(output.stderr)", sourceLocation: location)
    #expect(splitCount(output.stderr) == 1, "\(output.stderr)", sourceLocation: location)
    #expect(output.stderr.hasSuffix("\n"), sourceLocation: location)
    for text in texts {
      #expect(output.stderr.contains(text), "\(output.stderr)", sourceLocation: location)
    }
  }

  @Test func `a process that has ended is status 1 and says how to find others`() throws {
    let load = try Load()
    try load.command("exit 0")
    _ = try load.wait()
    expectError(
      try Perfhud.run("--pid", "\(load.pid)"), status: 1, "no process \(load.pid)", "pgrep")
    expectError(try Perfhud.run("--pid", "2147483647"), status: 1, "no process 2147483647")
  }

  @Test(arguments: ["0", "-1", "text", "", "1x", "99999999999999999999", "1.5", " 1", "--pid"])
  func `a pid that is none is a mistake of the user`(pid: String) throws {
    expectError(try Perfhud.run("--pid=\(pid)"), status: 64, "pid")
    expectError(try Perfhud.run("--pid", pid), status: 64, "pid")
  }

  @Test func `a mistake in an event is told once, with the way to write the value`() throws {
    let empty = try Perfhud.run("emit", "phase", "")
    expectError(empty, status: 64, "phase needs a text; see: perfhud emit phase --help\n")
    let negative = try Perfhud.run("emit", "frame", "--ms", "-3")
    expectError(negative, status: 64, "if it is the value, write --ms=-3")
  }

  @Test func `the number of a thread names the process it belongs to`() throws {
    let load = try Load()
    try load.command("threads 1")
    let threads = try Tool.run(["ls", "/proc/\(load.pid)/task"]).lines.compactMap { Int($0) }
    let thread = try #require(threads.first { $0 != load.pid })
    expectError(
      try Perfhud.run("--pid", "\(thread)"), status: 1, "\(thread) is a thread",
      "--pid \(load.pid)")
  }

  @Test(arguments: [
    ["--interval", "nonsense"], ["--interval", "0"], ["--interval", "-1"], ["--interval", "2h"],
    ["--interval", "1e9"], ["--interval", ""], ["--tick", "x"], ["--tick", "1000"],
    ["--samples", "0"], ["--samples", "many"], ["--duration", "soon"], ["--format", "xml"],
    ["--memory", "vsz"], ["--graph", "pie"], ["--lang", "tlh"], ["--nonsense"], ["--pid"],
    ["vim"], ["--", "vim"],
  ])
  func `a mistake among the options is status 64`(arguments: [String]) throws {
    let all = [try Perfhud.path(), "--pid", "\(getpid())"] + arguments
    let output = try Tool.run(all, environment: Perfhud.environment(), timeout: Perfhud.deadline)
    expectError(output, status: 64)
  }

  @Test func `what was asked for and cannot be written is status 1`() throws {
    let directory = try TemporaryDirectory()
    let run = directory.file("run.phr")
    let made = try Perfhud.run("--record", run, "--batch", "-o", "/dev/null", "--", "sleep", "0.1")
    #expect(made.status == .exit(0), "\(made.stderr)")
    for words in [
      "report $run", "report $run -f md", "compare $run $run", "compare $run $run -f csv",
      "check $run --budget 'rss.peak <= 1GiB'", "replay $run", "export $run", "config print",
      "config path -C /none", "widgets", "--explain --pid $$", "--version", "--help",
      "report --help",
    ] {
      let output = try Perfhud.shell(
        "eval \"\\\"\\$perfhud\\\" $words\" >/dev/full",
        environment: ["run": run, "words": words])
      #expect(output.status == .exit(1), "\(words)")
      #expect(
        output.stderr == "perfhud: cannot write to standard output: No space left on device\n",
        "\(words)")
      let closed = try Perfhud.shell(
        "eval \"\\\"\\$perfhud\\\" $words\" >&-", environment: ["run": run, "words": words])
      #expect(closed.status == .exit(1) && splitCount(closed.stderr) == 1, "\(words), \(closed)")
    }
  }

  @Test(arguments: ["EINTR", "EAGAIN"])
  func `a text is whole on a standard output that does not take it at once`(error: String) throws {
    try requireTool("gcc")
    let directory = try TemporaryDirectory()
    let fault = Fault(call: "write", error: error, first: 1, each: 2)
    let report = directory.file("report")
    let output = try Tool.run(
      try fault.wrap([try Perfhud.path(), "--version"], report: report),
      environment: Perfhud.environment(), timeout: Perfhud.deadline)
    #expect(output.status == .exit(0) && output.stderr.isEmpty, "\(output.stderr)")
    #expect(output.stdout == (try Perfhud.run("--version")).stdout)
    #expect(!FaultReport(path: report).targets.isEmpty)
  }

  @Test func `no target at all is status 64`() throws {
    expectError(try Perfhud.run(), status: 64, "perfhud N")
  }

  @Test func `escape sequences in an argument do not reach the terminal`() throws {
    let output = try Perfhud.run("--pid", "\u{1B}[2J\u{7}\n")
    expectError(output, status: 64)
    #expect(!output.stderr.contains("\u{1B}"))
    let option = try Perfhud.run("--\u{1B}[2J")
    expectError(option, status: 64)
    #expect(!option.stderr.contains("\u{1B}"))
  }

  @Test func `an interval between two steps is rounded up and says so`() throws {
    let load = try Load()
    let output = try Perfhud.run(
      "--pid", "\(load.pid)", "--samples", "1", "--interval", "33ms", "--format", "jsonl")
    #expect(output.status == .exit(0))
    #expect(output.lines.count == 1)
    #expect(output.stderr.hasPrefix("perfhud: interval 33ms rounded up to 40ms"))
    #expect(splitCount(output.stderr) == 1)
  }

  @Test func `an unknown key in the settings file is an error with its line and the nearest name`()
    throws
  {
    let directory = try TemporaryDirectory()
    let file = directory.file("perfhud.conf")
    _ = try Tool.run(["sh", "-c", "printf '# mine\\n\\nintervall = 1s\\n' > \(file)"])
    let output = try Perfhud.run(
      "--pid", "\(getpid())", environment: ["PERFHUD_CONFIG": file])
    expectError(output, status: 64, "\(file):3", "intervall", "interval?")
    let missing = try Perfhud.run(
      "--pid", "\(getpid())", environment: ["PERFHUD_CONFIG": directory.file("none")])
    expectError(missing, status: 64, "none", "PERFHUD_CONFIG")
  }

  @Test func `--version and --help are for stdout and status 0`() throws {
    let version = try Perfhud.run("--version")
    #expect(version.status == .exit(0) && version.stderr.isEmpty)
    #expect(version.lines.count == 1)
    let help = try Perfhud.run("--help")
    #expect(help.status == .exit(0) && help.stderr.isEmpty)
    #expect(help.stdout.contains("--pid") && help.stdout.contains("--batch"))
  }

  @Test func `--explain says mode, sources and what cannot be read, and draws nothing`() throws {
    let load = try Load()
    let pty = try Perfhud.pty("--pid", "\(load.pid)", "--explain")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    #expect(pty.text.contains("attach"))
    #expect(pty.text.contains("perfhud-load"))
    #expect(pty.text.contains("smaps_rollup"))
    #expect(!pty.text.contains("\u{1B}"))
  }

  @Test func `--explain of a command names the prefix key and where phases come from`() throws {
    let pty = try Perfhud.pty(
      "--leader", "ctrl-g", "--phase-from", "title", "--explain", "--", "vim")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    #expect(pty.text.contains("all for the command, but for Ctrl-g and the key after it"))
    #expect(pty.text.contains("phases        from title"))
  }
}
