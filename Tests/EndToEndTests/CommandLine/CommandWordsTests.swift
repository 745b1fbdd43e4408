import Glibc
import TestSupport
import Testing

/// A command, a process and a subcommand on the command line.
@Suite struct CommandWordsTests {
  @Test func `a bare command runs under a HUD, and all words after its name are its own`() throws {
    let script = "printf '<%s>' \"$@\"; printf ' %s ' \"${PERFHUD:+below}\"; tty; exit 3"
    let pty = try Perfhud.pty(
      "--no-summary", "--size", "line", "sh", "-c", script, "sh", "--version", "--", "-p")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(3))
    #expect(pty.text.contains("<--version><--><-p> below /dev/pts/"), "\(pty.text)")
  }

  @Test func `without a terminal a bare command runs as it is, and is measured`() throws {
    let output = try Perfhud.run("-b", "-d", "20ms", "-f", "csv", "sh", "-c", "exit 5", "--help")
    #expect(output.status == .exit(5) && output.stdout.isEmpty)
    #expect(output.stderr.hasPrefix("t,elapsed_s,"))
  }

  @Test func `a bare number is a process`() throws {
    let load = try Load()
    let output = try Perfhud.run("\(load.pid)", "-n", "1", "-d", "20ms", "-f", "jsonl")
    #expect(output.status == .exit(0), "\(output.stderr)")
    #expect(output.stdout.contains("\"pid\":\(load.pid)"))
  }

  @Test func `a command with the name of a subcommand needs --`() throws {
    let directory = try TemporaryDirectory()
    let program = directory.file("emit")
    try TestFile.write(Array("#!/bin/sh\necho own \"$@\"\n".utf8), to: program)
    #expect(unsafe chmod(program, 0o755) == 0)
    let path = directory.path + ":/usr/bin:/bin"
    let command = try Perfhud.run("--no-summary", "--", "emit", "x", environment: ["PATH": path])
    #expect(command.status == .exit(0) && command.stdout == "own x\n", "\(command.stderr)")
    let event = try Perfhud.run("emit", "phase", "x", environment: ["PATH": path])
    #expect(event.status == .exit(0) && event.stdout.isEmpty)
  }

  @Test func `a command that is not found may be a subcommand with a typo`() throws {
    let output = try Perfhud.run("--no-summary", "emitt", "phase", "x")
    #expect(output.status == .exit(127))
    #expect(output.stderr.hasSuffix("; did you mean: perfhud emit\n"), "\(output.stderr)")
    let plain = try Perfhud.run("--no-summary", "--", "emitt")
    #expect(plain.status == .exit(127) && !plain.stderr.contains("did you mean"))
  }

  @Test func `options do not go before a subcommand`() throws {
    let output = try Perfhud.run("--ascii", "widgets")
    #expect(output.status == .exit(64) && output.stdout.isEmpty)
    #expect(output.stderr.contains("perfhud widgets --help"))
  }

  @Test func `an option of a subcommand is not that of perfhud`() throws {
    #expect(try Perfhud.run("config", "path", "-C", "/x/y").stdout == "/x/y\n")
    let output = try Perfhud.run("widgets", "--lang", "fr")
    #expect(output.status == .exit(64) && output.stderr.contains("lang 'fr'"))
  }

  @Test(arguments: [
    (["help"], "USAGE: perfhud [options]"), (["-h"], "USAGE: perfhud [options]"),
    (["help", "emit"], "USAGE: perfhud emit"), (["emit", "--help"], "USAGE: perfhud emit"),
    (["help", "emit", "phase"], "USAGE: perfhud emit phase"),
    (["help", "config"], "USAGE: perfhud config"), (["reset", "-h"], "USAGE: perfhud reset"),
  ])
  func `help is for stdout`(words: [String], text: String) throws {
    let output = try Tool.run(
      [try Perfhud.path()] + words, environment: Perfhud.environment(), timeout: Perfhud.deadline)
    #expect(output.status == .exit(0) && output.stderr.isEmpty)
    #expect(output.stdout.contains(text), "\(output.stdout)")
  }

  @Test func `the short option of the version is the long one`() throws {
    let output = try Perfhud.run("-V")
    #expect(output.status == .exit(0) && output.stderr.isEmpty)
    #expect(try output.stdout == Perfhud.run("--version").stdout)
  }

  // MARK: Before the runtime

  @Test func `under low limits a bare command runs without perfhud`() throws {
    let output = try Perfhud.shell("ulimit -s 100; exec \"$perfhud\" --size line sh -c 'exit 7'")
    #expect(output.status == .exit(7))
    #expect(output.stderr.contains("the command runs without perfhud"))
  }

  @Test func `a word after a mistake is no command, not even under low limits`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("made")
    for limit in ["", "ulimit -s 100; "] {
      let output = try Perfhud.shell("\(limit)exec \"$perfhud\" --intervall touch \(file)")
      #expect(output.status == .exit(limit.isEmpty ? 64 : 125), "\(output.stderr)")
      #expect(unsafe access(file, F_OK) != 0)
    }
  }

  @Test func `a configuration file that is a pipe is read once`() throws {
    // On this terminal perfhud finds after the split that there is no HUD.
    let script = """
      export TERM=emacs
      PERFHUD_CONFIG=<(echo 'summary = no') "$perfhud" true
      "$perfhud" -C <(echo 'summary = no') true
      """
    let pty = try Pty(["bash", "-c", script], environment: try Overlay.environment())
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    #expect(
      pty.output.split(separator: 0x0A).count == 2, "one line on the terminal each: \(pty.text)")
  }
}
