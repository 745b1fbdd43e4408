import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// `perfhud check`: budgets on recorded runs.
@Suite struct CheckEndToEndTests {
  private static let rule = "rss.peak <= 1GiB"

  private func record(_ file: String, _ script: String) throws {
    let run = try Perfhud.run("--record", file, "--batch", "-d", "20ms", "--", "sh", "-c", script)
    #expect(run.status == .exit(0), "\(run.stderr)")
  }

  @Test func `recordings are judged as runs are`() throws {
    let directory = try TemporaryDirectory()
    let (short, long) = (directory.file("short.phr"), directory.file("long.phr"))
    try record(short, "sleep 0.1")
    try record(long, "sleep 1.2")
    let kept = try Perfhud.run("check", short, "--budget", "rss.peak <= 1GiB")
    #expect(kept.status == .exit(0) && kept.stdout.contains("holds: "), "\(kept.stdout)")
    let junit = directory.file("out.xml")
    let missed = try Perfhud.run(
      "check", short, long, "--budget", "wall >= 1s", "--junit", junit)
    #expect(missed.status == .exit(99), "\(missed.stdout)\(missed.stderr)")
    #expect(missed.stdout.contains("short.phr:\n") && missed.stdout.contains("long.phr:\n"))
    let xml = String(decoding: try readFile(junit), as: UTF8.self)
    #expect(xml.split(separator: "<testsuite ").count == 3)
    #expect(xml.contains("tests=\"2\" failures=\"1\""))
    #expect(xml.contains("short.phr)\"") && xml.contains("long.phr)\""), "\(xml)")
  }

  @Test func `a cut recording is not enough with --strict, and no recording is overwritten`() throws
  {
    let directory = try TemporaryDirectory()
    let file = directory.file("run.phr")
    try record(file, "sleep 0.1")
    let whole = try readFile(file)
    let cut = directory.file("cut.phr")
    let bytes = Array(whole.dropLast(20))
    let output = try Descriptor(
      open: cut, .writeOnly, options: .create, permissions: .ownerReadWrite)
    try unsafe bytes.withUnsafeBytes { try unsafe output.writeAll($0) }
    #expect(try Perfhud.run("check", cut, "--budget", CheckEndToEndTests.rule).status == .exit(0))
    #expect(
      try Perfhud.run("check", cut, "--strict", "--budget", CheckEndToEndTests.rule).status
        == .exit(98))
    // Only the index is gone, so the end still says how long it took.
    let wall = try Perfhud.run("check", cut, "--budget", "wall <= 1h")
    #expect(wall.stdout.contains("holds: "), "\(wall.stdout)")
    let half = directory.file("half.phr")
    try TestFile.write(Array(whole.prefix(whole.count / 2)), to: half)
    let unknown = try Perfhud.run("check", half, "--budget", "wall <= 1h")
    #expect(!unknown.stdout.contains("holds"), "\(unknown.stdout)\(unknown.stderr)")
    for result in [
      try Perfhud.run("check", "--junit", file, cut, "--budget", CheckEndToEndTests.rule),
      try Perfhud.run("export", file, "-f", "csv", "-o", file),
      try Perfhud.run("report", file, "-f", "md", "-o", file),
      try Perfhud.run("--pid", "\(getpid())", "-b", "-n", "1", "-o", file),
      try Perfhud.run("--pid", "\(getpid())", "-b", "-n", "1", "--otlp", file),
    ] {
      #expect(result.status == .exit(1), "\(result.stdout)")
      #expect(result.stderr.contains("is a recording and is not overwritten"), "\(result.stderr)")
    }
    for result in [
      try Perfhud.run("--batch", "-o", file, "--", "true"),
      try Perfhud.run("--budget", "wall <= 1h", "--junit", file, "--batch", "--", "true"),
    ] {
      #expect(result.status != .exit(0) && result.stderr.contains("is not overwritten"))
    }
    #expect(try readFile(file) == whole)
  }

  @Test func `a mistyped command leaves the recording and the rows of the last run alone`() throws {
    let directory = try TemporaryDirectory()
    let (file, rows) = (directory.file("run.phr"), directory.file("rows.csv"))
    try record(file, "true")
    let before = try readFile(file)
    try TestFile.write(Array("1,2\n".utf8), to: rows)
    for (command, status) in [("mistyped-command", 127), ("/etc", 126)] {
      let arguments = ["--record", file, "-f", "csv", "-o", rows, command]
      #expect(try Tool.run([try Perfhud.path(), "-b"] + arguments).status == .exit(status))
      let pty = try Pty([try Perfhud.path()] + arguments, environment: try Overlay.environment())
      #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(status), "\(pty.text)")
      #expect(pty.text.contains("cannot run \(command)"))
    }
    #expect(try readFile(file) == before)
    #expect(try readFile(rows) == Array("1,2\n".utf8))
  }

  @Test func `a recording of the last seconds has the CPU time of these alone`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("last.phr")
    let script =
      "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; echo $i; sleep 3.5; kill -ABRT $$"
    let run = try Perfhud.run(
      "--record", file, "--record-last", "1s", "--batch", "--budget", "cpu-time >= 0.15s", "--",
      "sh", "-c", script)
    // Inconclusive beside other work.
    #expect(run.stderr.contains(#/cpu-time >= [0-9. ms]+  (holds|inconclusive)/#), "\(run.stderr)")
    let rule = "cpu-time <= 0.1s"
    let part = try Perfhud.run("check", file, "--budget", rule)
    #expect(part.status == .exit(0), "\(part.stdout)\(part.stderr)")
    #expect(try Perfhud.run("check", file, "--strict", "--budget", rule).status == .exit(98))
  }

  @Test func `all files of budgets count, and a report never replaces a pipe`() throws {
    let directory = try TemporaryDirectory()
    let (file, pipe) = (directory.file("run.phr"), directory.file("pipe"))
    try record(file, "sleep 0.1")
    let (low, high) = (directory.file("low"), directory.file("high"))
    // Memory: beside other work, a budget of time would be inconclusive.
    try TestFile.write(Array("rss.peak <= 1KiB\n".utf8), to: low)
    try TestFile.write(Array("rss.peak <= 1GiB\n".utf8), to: high)
    #expect(
      try Perfhud.run("check", file, "--budgets", low, "--budgets", high).status == .exit(99))
    let twice = try Perfhud.run("--batch", "--budgets", low, "--budgets", high, "--", "true")
    #expect(twice.status == .exit(64) && twice.stderr.contains("can be given once"))
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    // Opened for reading too, so that nobody waits.
    let reader = try Descriptor(open: pipe, .readWrite, options: .nonBlocking)
    #expect(try Perfhud.run("report", file, "-f", "csv", "-o", pipe).status == .exit(0))
    var facts = stat()
    #expect(unsafe stat(pipe, &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO)
    var start = [UInt8](repeating: 0, count: 64)
    #expect(unsafe read(reader.raw, &start, 64) == 64)
  }

  @Test func `a recording sets the limit of another run, or of one that begins`() throws {
    let directory = try TemporaryDirectory()
    let (base, long) = (directory.file("my base.phr"), directory.file("long.phr"))
    try record(base, "sleep 0.1")
    // Memory: beside other work, a budget of time would be inconclusive.
    try record(long, "x=$(head -c 30000000 /dev/zero | tr '\\0' a); sleep 0.3")
    let larger = try Perfhud.run("check", long, "--budget", "rss.peak <= +300% of \"\(base)\"")
    #expect(larger.status == .exit(99), "\(larger.stdout)\(larger.stderr)")
    #expect(larger.stdout.contains("fails: ") && larger.stdout.contains(" (base "))
    let live = try Perfhud.run(
      "--batch", "--budget", "wall <= +1h of \"\(base)\"", "--", "sh", "-c", "sleep 0.2")
    #expect(live.status == .exit(0) && live.stderr.contains("  holds: 0."), "\(live.stderr)")
    let marker = directory.file("started")
    for (rule, words) in [
      ("wall <= +5% of \(directory.file("none.phr"))", "No such file"),
      ("frame.p99 <= +5% of \"\(base)\"", "has no such value"),
    ] {
      let wrong = try Perfhud.run("--budget", rule, "--", "sh", "-c", "echo started > \(marker)")
      #expect(wrong.status == .exit(64) && wrong.stderr.contains(words), "\(wrong.stderr)")
      #expect(wrong.stderr.split(separator: "\n").count == 1 && TestFile.size(marker) == 0)
    }
  }

  @Test func `without a budget, or with a wrong one, nothing is read`() throws {
    let none = try Perfhud.run("check", "nothing.phr")
    #expect(none.status == .exit(64) && none.stderr.contains("nothing to check"), "\(none.stderr)")
    let wrong = try Perfhud.run("check", "nothing.phr", "--budget", "rss.peek <= 1")
    #expect(wrong.status == .exit(64), "\(wrong.stderr)")
  }
}
