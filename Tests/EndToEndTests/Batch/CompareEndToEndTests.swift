import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// `perfhud compare`: recordings, and commands that it runs in turns.
@Suite struct CompareEndToEndTests {
  private func record(_ file: String, _ script: String) throws {
    let run = try Perfhud.run("--record", file, "--batch", "-d", "20ms", "--", "sh", "-c", script)
    #expect(run.status == .exit(0), "\(run.stderr)")
  }

  @Test func `two recordings are compared as a table, and written as CSV and JSON`() throws {
    let directory = try TemporaryDirectory()
    let (old, new) = (directory.file("old.phr"), directory.file("new.phr"))
    try record(old, "sleep 0.1")
    try record(new, "sleep 0.2")
    let table = try Perfhud.run("compare", old, new)
    #expect(table.status == .exit(0), "\(table.stderr)")
    #expect(table.stdout.hasPrefix("Not enough runs: "), "\(table.stdout)")
    #expect(table.stdout.contains("\nThe run (1 run)\n"))
    #expect(!table.stdout.contains("\u{1B}"))
    let csv = directory.file("out.csv")
    let both = try Perfhud.run("compare", "--base", old, "--new", new, "-o", csv)
    #expect(both.stdout == table.stdout)
    let lines = String(decoding: try readFile(csv), as: UTF8.self).split(separator: "\n")
    #expect(lines.first?.hasPrefix("phase,metric,unit,") == true)
    #expect(lines.dropFirst().first?.hasPrefix(",time,seconds,run,1,1,0.") == true, "\(lines)")
    let json = try Perfhud.run("compare", old, new, "-f", "json")
    #expect(json.stdout.hasPrefix("{\n  \"verdict\": \"Not enough"), "\(json.stdout)")
    #expect(json.stdout.contains("\"metric\":\"cpu-time\""), "\(json.stdout)")
  }

  @Test func `two commands are run in turns, without output, and nothing is left`() throws {
    let directory = try TemporaryDirectory()
    let (log, kept) = (directory.file("log"), directory.file("kept"))
    let result = try Perfhud.run(
      "compare", "--runs", "3", "--keep", kept, "--", "sh", "-c", "echo old >>\(log); echo noise",
      "---", "sh", "-c", "echo new >>\(log); echo noise >&2")
    #expect(result.status == .exit(0), "\(result.stderr)")
    #expect(!result.stdout.contains("noise") && !result.stderr.contains("noise"))
    #expect(result.stdout.contains("\nThe run (2 runs after the first)\n"), "\(result.stdout)")
    let order = String(decoding: try readFile(log), as: UTF8.self).split(separator: "\n")
    #expect(order.count == 6)
    for round in 0..<3 { #expect(Set(order[2 * round..<2 * round + 2]) == ["old", "new"]) }
    let again = try Perfhud.run("compare", "\(kept)/base-01.phr", "\(kept)/new-03.phr")
    #expect(again.status == .exit(0), "\(again.stderr)")

    let mixed = try Perfhud.run(
      "compare", "--runs", "1", "--keep", kept, "--", "true", "---", "true")
    #expect(mixed.status == .exit(1))
    #expect(
      mixed.stderr
        == "perfhud: \(kept)/base-01.phr is of another comparison: remove it, or name another folder\n"
    )
  }

  @Test func `without room for the recordings, the error says so`() throws {
    let directory = try TemporaryDirectory()
    let result = try Perfhud.shell(
      """
      trap '' XFSZ; ulimit -f 0
      "$perfhud" compare --runs 1 -- true --- true
      """, environment: ["TMPDIR": directory.path])
    #expect(result.status == .exit(1))
    #expect(
      result.stderr.contains("could not be recorded in \(directory.path)/perfhud-compare-"),
      "\(result.stderr)")
    #expect(!result.stderr.dropLast().contains("\n"))
  }

  @Test func `the recordings of the runs are removed, and the output is shown on request`() throws {
    let directory = try TemporaryDirectory()
    let result = try Perfhud.run(
      "compare", "--runs", "1", "--show-output", "--", "sh", "-c", "echo $TMPDIR; ls $TMPDIR >&2",
      "---", "true", environment: ["TMPDIR": directory.path])
    #expect(result.stdout.hasPrefix(directory.path + "\n"), "\(result.stdout)")
    #expect(result.stderr.contains("perfhud-compare-"), "\(result.stderr)")
    #expect(try Tool.run(["ls", directory.path]).stdout.isEmpty)
  }

  @Test func `a command that fails ends the comparison, unless that is ignored`() throws {
    let failed = try Perfhud.run(
      "compare", "--runs", "2", "--", "sh", "-c", "exit 7", "---", "true")
    #expect(failed.status == .exit(1))
    #expect(failed.stderr.contains("run 1 of sh ended with status 7; "), "\(failed.stderr)")
    #expect(failed.stderr.split(separator: "\n").count == 1)
    let ignored = try Perfhud.run(
      "compare", "--runs", "2", "--ignore-failure", "--", "sh", "-c", "exit 7", "---", "true")
    #expect(ignored.status == .exit(0), "\(ignored.stderr)")
    let missing = try Perfhud.run("compare", "--", "/none", "---", "true")
    #expect(missing.status == .exit(1))
    #expect(missing.stderr == "perfhud: /none was not found\n")
  }

  @Test func `without pidfd_open the end of each run is noticed`() throws {
    try requireTool("gcc")
    let directory = try TemporaryDirectory()
    let fault = Fault(call: "pidfd_open", error: "ENOSYS", first: 1, each: 1)
    let report = directory.file("report")
    let output = try Tool.run(
      try fault.wrap(
        [try Perfhud.path(), "compare", "--runs", "1", "--", "sleep", "0.1", "---", "true"],
        report: report), environment: Perfhud.environment(), timeout: Perfhud.deadline)
    #expect(output.status == .exit(0), "\(output.stderr)")
    #expect(output.stdout.contains("\nThe run (1 run)\n"), "\(output.stdout)")
    #expect(!FaultReport(path: report).targets.isEmpty)
  }

  @Test func `a standard output that cannot be kept for the comparison is an error`() throws {
    try requireTool("gcc")
    let directory = try TemporaryDirectory()
    let (report, text) = (directory.file("report"), directory.file("text"))
    // The first call is whether it is open.
    let fault = Fault(call: "fcntl", error: "EMFILE", first: 2, each: 1, file: text)
    let words = try fault.wrap(
      [try Perfhud.path(), "compare", "--runs", "1", "--", "true", "---", "true"], report: report)
    let output = try Tool.run(
      ["sh", "-c", "exec >\"$0\"; exec \"$@\"", text] + words,
      environment: Perfhud.environment(), timeout: Perfhud.deadline)
    #expect(!FaultReport(path: report).targets.isEmpty)
    #expect(output.status == .exit(1), "\(output.stderr)")
    #expect(output.stderr.hasPrefix("perfhud: cannot keep "), "\(output.stderr)")
    #expect(output.stderr.split(separator: "\n").count == 1, "\(output.stderr)")
  }

  @Test func `what is no recording is an error of one line, and no recording is overwritten`()
    throws
  {
    let directory = try TemporaryDirectory()
    let file = directory.file("run.phr")
    try record(file, "sleep 0.1")
    let whole = try readFile(file)
    let foreign = try Perfhud.run("compare", file, "/bin/sh")
    #expect(foreign.status == .exit(1))
    #expect(foreign.stderr == "perfhud: /bin/sh is not a perfhud recording\n")
    let same = try Perfhud.run("compare", file, file, "-f", "md", "-o", file)
    #expect(same.stderr.contains("is a recording and is not overwritten"), "\(same.stderr)")
    #expect(try readFile(file) == whole)
  }

  @Test(arguments: [
    ["compare"], ["compare", "one.phr"], ["compare", "--runs", "3", "a", "b"],
    ["compare", "--base", "a"], ["compare", "--runs", "0", "--", "a", "---", "b"],
    ["compare", "--", "---", "b"], ["compare", "x", "--", "a", "---", "b"],
    ["compare", "a", "b", "-o", "out.txt"], ["compare", "-", "-"],
  ])
  func `a wrong command line is one line and status 64`(_ words: [String]) throws {
    let result = try Tool.run([try Perfhud.path()] + words, environment: Perfhud.environment())
    #expect(result.status == .exit(64), "\(result.stdout)")
    #expect(result.stderr.split(separator: "\n").count == 1, "\(result.stderr)")
  }

  @Test func `an interrupt ends command and comparison, and leaves nothing`() throws {
    let directory = try TemporaryDirectory()
    let started = directory.file("started")
    let sleeper = ["sh", "-c", "echo >\(started); exec sleep 60"]
    let run = try RunningTool(
      [try Perfhud.path(), "compare", "--"] + sleeper + ["---"] + sleeper,
      environment: Perfhud.environment(["TMPDIR": directory.path]))
    try waitUntil("the first run has begun") { unsafe access(started, F_OK) == 0 }
    run.signal(SIGINT)
    #expect(try run.wait() == ExitStatus.signal(Int(SIGINT)))
    #expect(try Tool.run(["ls", directory.path]).stdout == "started\n")
  }
}
