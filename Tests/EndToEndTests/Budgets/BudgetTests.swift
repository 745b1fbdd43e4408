import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Budgets from the command line to the exit status.
@Suite struct BudgetTests {
  /// The lines that are not empty.
  private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

  @Test func `what holds leaves the status alone, and each budget has a line after the summary`()
    throws
  {
    let output = try Perfhud.run(
      "--budget", "rss.peak <= 500MiB", "--budget", "wall<=1h", "--", "sh", "-c", "sleep 0.3")
    #expect(output.status == .exit(0))
    let lines = self.lines(output.stderr)
    let first = try #require(lines.firstIndex { $0.hasPrefix("budget") })
    #expect(first > 0 && lines[first - 1].hasPrefix("  memory"), "\(output.stderr)")
    #expect(lines[first].hasPrefix("budget  rss.peak <= 500 MiB  holds: "))
    #expect(lines[first + 1].hasPrefix("budget  wall <= 1 h          holds: 0."))
    let quiet = try Perfhud.run(
      "--no-summary", "--budget", "rss.peak <= 500MiB", "--", "sh", "-c", "sleep 0.3")
    #expect(quiet.status == .exit(0) && self.lines(quiet.stderr).count == 1)
  }

  @Test func `what fails ends with 99, but the command's own status wins`() throws {
    func status(_ command: String, _ budget: String = "rss.peak <= 1KiB") throws -> ExitStatus {
      let output = try Perfhud.run("--budget", budget, "--", "sh", "-c", command)
      #expect(budgetLines(output).count == 1, "\(output.stderr)")
      return output.status
    }
    #expect(try status("sleep 0.2") == .exit(99))
    #expect(try status("exit 7") == .exit(7))
    #expect(try status("kill -TERM $$") == .signal(15))
    #expect(try status("sleep 0.2", "rss.peak <= 1KiB warn") == .exit(0))
    #expect(try status("sleep 0.2", "frame.p99 <= 16ms") == .exit(99))
    #expect(try status("sleep 0.2", "frame.p99 <= 16ms optional") == .exit(0))
  }

  @Test
  func `without a sample, the peak of resident memory decides on a limit of memory`()
    throws
  {
    let holds = try Perfhud.run("--budget", "memory.peak <= 500MiB", "--", "true")
    #expect(holds.status == .exit(0))
    #expect(budgetLines(holds).first?.contains("holds: ") == true, "\(holds.stderr)")
    let cannotBeTold = try Perfhud.run("--budget", "memory.peak <= 1KiB", "--", "true")
    #expect(budgetLines(cannotBeTold).first?.contains("no data") == false)
  }

  @Test func `the peak of an orphan counts, though no sample may have seen it`() throws {
    // It is waited for once its number is free.
    let script = """
      orphan=$(perl -e '$x = "x" x (80 << 20); undef $x' > /dev/null & echo $!)
      while kill -0 $orphan 2> /dev/null; do sleep 0.02; done
      """
    let output = try Perfhud.run("--budget", "rss.peak <= 60MiB", "--", "sh", "-c", script)
    #expect(output.status == .exit(99), "\(output.stderr)")
    #expect(budgetLines(output).first?.contains("fails: ") == true, "\(output.stderr)")
  }

  @Test func `a phase does not begin with the memory of a child that has ended`() throws {
    let script = """
      for round in 1 2 3; do
        "$0" emit phase big
        perl -e '$x = "x" x (60 << 20); select undef, undef, undef, 0.35'
        "$0" emit phase small
        sleep 0.3
      done
      """
    let output = try Perfhud.run("--", "sh", "-c", script, try Perfhud.path())
    let small = output.stderr.firstMatch(of: /small: 3 visits, peak (?:≥ )?([0-9.]+) ([KM]iB)/)
    let peak = try #require(small, "\(output.stderr)")
    #expect(peak.2 == "KiB" || Double(peak.1) ?? .infinity < 20, "\(output.stderr)")
  }

  @Test func `a mistake ends with 64 before the command starts`() throws {
    let directory = try TemporaryDirectory()
    let marker = directory.file("started")
    let rules = directory.file("rules")
    _ = try Tool.run(
      ["sh", "-c", "printf '# limits\\nwall <= 1h # all of it\\n\\nrss <= 1MiB\\n' > \(rules)"])
    func refused(_ arguments: [String], _ message: String, _ status: Int = 64) throws {
      let output = try Tool.run(
        [try Perfhud.path()] + arguments + ["--", "sh", "-c", "echo started > \(marker)"],
        environment: Perfhud.environment(), timeout: Perfhud.deadline)
      #expect(output.status == .exit(status), "\(arguments)")
      #expect(output.stderr.hasPrefix("perfhud: " + message), "\(output.stderr)")
      #expect(lines(output.stderr).count == 1)
      #expect(TestFile.size(marker) == 0, "it has started")
    }
    try refused(
      ["--budget", "rss <= 1MiB"],
      "budget: column 5: rss changes during the run: write rss.peak, rss.mean or rss.p95")
    try refused(["--budget", "wall <= 1parsec"], "budget: column 10: 'parsec' is no unit of wall")
    try refused(["--budgets", rules], "\(rules):4: column 5: rss changes")
    try refused(["--budgets", "/dev/null"], "/dev/null has no budget")
    try refused(["--budgets", directory.file("none")], "")
    try refused(["--strict"], "--strict has an effect only with a budget")
    try refused(
      ["--budget", "wall <= 1h", "--junit", directory.path], "cannot open \(directory.path)", 125)
  }

  @Test func `a JUnit file that cannot be written is no status of the command`() throws {
    let output = try Perfhud.run(
      "--budget", "wall <= 1h", "--junit", "/dev/full", "--batch", "--", "true")
    #expect(output.status == .exit(125))
    #expect(output.stderr.contains("perfhud: cannot write /dev/full: No space left on device"))
  }

  @Test func `a JUnit file has a case a budget, and annotations name the line of the file`() throws
  {
    let directory = try TemporaryDirectory()
    let rules = directory.file("rules")
    let xml = directory.file("out.xml")
    _ = try Tool.run(
      [
        "sh", "-c",
        "printf 'wall <= 1h\\nrss.peak <= 1KiB\\nthreads.peak <= 0 warn\\n' > \(rules)",
      ])
    let output = try Perfhud.run(
      "--budgets", rules, "--junit", xml, "--github", "--", "sh", "-c", "sleep 0.3 # <&>")
    #expect(output.status == .exit(99))
    let notes = lines(output.stderr).filter { $0.hasPrefix("::") }
    #expect(notes.count == 2)
    #expect(
      notes.first?.hasPrefix("::error file=\(rules),line=2,title=Budget rss.peak <= 1 KiB::fails: ")
        == true)
    #expect(notes.last?.hasPrefix("::warning file=\(rules),line=3,") == true)
    let script = """
      import sys, xml.etree.ElementTree as tree
      suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
      print(suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("skipped"))
      for case in suite.findall("testcase"):
          failure = case.find("failure")
          print(case.get("name"), failure is not None and failure.get("message")[:6])
      """
    let read = try Tool.run(["python3", "-c", script, xml])
    #expect(
      read.lines.filter { !$0.isEmpty } == [
        "perfhud: sh -c 'sleep 0.3 # <&>' 3 1 0", "wall <= 1 h False", "rss.peak <= 1 KiB fails:",
        "threads.peak <= 0 False",
      ], "\(read.stdout) \(read.stderr)")
  }

  // MARK: Truth

  @Test func `the memory of a load is the value of its budget, in batch mode and until its end`()
    throws
  {
    let load = try Load()
    try load.command("alloc 300000000")
    func run(_ limit: String) throws -> Tool.Output {
      try Perfhud.run(
        "--pid", "\(load.pid)", "--batch", "--output", "/dev/null", "--duration", "500ms",
        "--budget", "rss.peak <= \(limit)")
    }
    let held = try run("320MB")
    #expect(held.status == .exit(0))
    // Field 2 of /proc/PID/statm, in pages.
    let statm = String(decoding: try readFile("/proc/\(load.pid)/statm"), as: UTF8.self)
    let pages = Double(statm.split(separator: " ")[1]) ?? 0
    let truth = pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    let value = budgetLines(held).first?.firstMatch(of: #/holds: ([0-9.]+) MiB/#)
      .flatMap { Double($0.1) }
    #expect(((value ?? 0) - truth).magnitude < 1, "\(truth) \(held.stderr)")
    let failed = try run("299MB")
    #expect(failed.status == .exit(99) && budgetLines(failed).first?.contains("fails: ") == true)
    let run = try RunningTool(
      [
        try Perfhud.path(), "--pid", "\(load.pid)", "--batch", "--output", "/dev/null", "--budget",
        "rss.peak <= 299MB",
      ], environment: Perfhud.environment())
    try pass(readings: 20)
    load.signal(SIGKILL)
    _ = try load.wait()
    #expect(try run.wait(deadline: Perfhud.deadline) == .exit(99))
  }

  @Test func `the view of a process judges when it is left`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)", "--budget", "threads.peak <= 0")
    try tmux.waitForValues()
    try tmux.sendKeys("q")
    try tmux.waitForEnd(.exit(99))
  }

  @Test func `a HUD over a command judges at its end`() throws {
    let tmux = try Perfhud.tmux(
      "--budget", "rss.peak <= 1KiB", "--", "sh", "-c", "read line", columns: 80, rows: 24)
    try tmux.waitFor("CPU", deadline: Perfhud.deadline)
    try tmux.sendKeys("Enter")
    try tmux.waitForEnd(.exit(99))
  }

  @Test(arguments: [false, true])
  func `what the demo keeps is found, and nothing where it keeps nothing`(leaks: Bool) throws {
    let demo = try Products.path("perfhud-demo")
    let output = try Tool.run(
      [
        try Perfhud.path(), "--batch", "--output", "/dev/null", "--budget",
        "phase(canvas).kept <= 2MiB", "--budget", "phase(*).grows <= 64KiB/visit", "--budget",
        "action(pen.move).count >= 1", "--", demo, "--visits", "4", "--pace", "4",
      ] + (leaks ? ["--leak"] : []), environment: Perfhud.environment(), timeout: 90)
    let lines = budgetLines(output)
    #expect(lines.count == 3 && lines[2].contains("  holds: "))
    // On a busy machine the demo's events may be lost; then another phase may be the one that keeps it.
    let hasLost = lines[2].contains("≥") && output.status == .exit(0)
    let found = hasLost ? "inconclusive: it or another phase, measured ≥ " : "  fails: "
    #expect(output.status == .exit(leaks && !hasLost ? 99 : 0), "\(output.stderr)")
    for line in lines.prefix(2) {
      #expect(line.contains(leaks ? found : "  holds: "), "\(line)")
      // The demo keeps 12 MiB a visit. Other memory of it may come and go.
      let amount = line.firstMatch(of: #/(?:fails:|measured ≥) ([0-9.]+) MiB/#)?.1
      let kept = amount.flatMap { Double($0) }
      #expect(leaks ? kept.map { (11.5...13).contains($0) } == true : kept == nil, "\(line)")
    }
    if leaks { #expect(lines[1].contains("(canvas)")) }
  }
}

/// The lines about budgets that perfhud has printed.
func budgetLines(_ output: Tool.Output) -> [String] {
  output.stderr.split(separator: "\n").filter { $0.hasPrefix("budget  ") }.map(String.init)
}
