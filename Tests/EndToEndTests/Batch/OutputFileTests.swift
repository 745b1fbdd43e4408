import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Where lines go, and what happens where they cannot.
@Suite struct OutputFileTests {
  @Test func `--output writes the lines to a file, each as soon as it is there`() throws {
    let load = try Load()
    let directory = try TemporaryDirectory()
    let path = directory.file("lines")
    let run = try BatchRun("--pid", "\(load.pid)", "--output", path)
    func written() -> String {
      String(decoding: (try? readFile(path, limit: 1 << 24)) ?? [], as: UTF8.self)
    }
    // The program goes on while the file is read: only what was flushed is there.
    try waitUntil(deadline: Perfhud.deadline, "two lines in the file") {
      written().utf8.count { $0 == 0x0A } >= 2
    }
    #expect(written().hasSuffix("}\n"))
    run.signal(SIGINT)
    #expect(try run.wait() == .exit(0))
    #expect(try run.next() == nil)
    for line in written().split(separator: "\n") { _ = try JSONLine(String(line)) }
  }

  @Test(arguments: [SIGINT, SIGKILL])
  func `lines that wait for one another are written when a signal or the target ends the run`(
    number: Int32
  ) throws {
    let load = try Load()
    let directory = try TemporaryDirectory()
    let path = directory.file("lines")
    let run = try BatchRun(
      "--pid", "\(load.pid)", "--tick", "0", "--interval", "20ms", "--output", path)
    func lines() -> [Substring] {
      let bytes = (try? readFile(path, limit: 1 << 24)) ?? []
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
    try waitUntil(deadline: Perfhud.deadline, "the lines of a second") { !lines().isEmpty }
    var count = lines().count
    #expect(count > 1)
    // Since the last lines were written some more wait: the sampler sleeps before each, and of the
    // other threads none wakes so often.
    func switches() throws(ToolError) -> Int { try ProcessStatus.allSwitches(run.pid) }
    var before = try switches()
    try waitUntil(deadline: Perfhud.deadline, "lines that wait") { () throws(ToolError) in
      let written = lines().count
      if written != count { (count, before) = (written, try switches()) }
      return try switches() >= before + 10
    }
    if number == SIGKILL {
      load.signal(SIGKILL)
    } else {
      run.signal(number)
    }
    #expect(try run.wait() == .exit(0))
    #expect(lines().count > count)
    let last = try JSONLine(String(try #require(lines().last)))
    if number == SIGKILL { #expect(try ["X", "Z"].contains(last.text("state"))) }
  }

  @Test func `a file that exists is written anew`() throws {
    let load = try Load()
    let directory = try TemporaryDirectory()
    let path = directory.file("lines")
    for _ in 0..<2 {
      let output = try Perfhud.run(
        "--pid", "\(load.pid)", "--format", "csv", "--samples", "1", "--output", path)
      #expect(output.status == .exit(0))
      #expect(output.stdoutBytes.isEmpty)
    }
    let text = String(decoding: try readFile(path, limit: 1 << 20), as: UTF8.self)
    #expect(text.split(separator: "\n").count == 2)
  }

  @Test func `a file that cannot be made is one line and status 1`() throws {
    let load = try Load()
    let output = try Perfhud.run(
      "--pid", "\(load.pid)", "--samples", "1", "--output", "/nonexistent/lines")
    #expect(output.status == .exit(1))
    #expect(output.stdoutBytes.isEmpty)
    #expect(output.stderr.hasPrefix("perfhud: "))
    #expect(output.stderr.contains("/nonexistent/lines"))
    #expect(output.stderr.contains("No such file or directory"))
    #expect(splitCount(output.stderr) == 1)
  }

  @Test func `the name of the file sets the format`() throws {
    let directory = try TemporaryDirectory()
    let load = try Load()
    for (name, first) in [("run.csv", "t,elapsed_s,"), ("run.jsonl", "{\"t\":"), ("run.log", "# ")]
    {
      let file = directory.file(name)
      let output = try Perfhud.run("--pid", "\(load.pid)", "-b", "-n", "1", "-o", file)
      #expect(output.status == .exit(0), "\(output.stderr)")
      #expect(String(decoding: try readFile(file), as: UTF8.self).hasPrefix(first), "\(name)")
    }
    let file = directory.file("text.csv")
    _ = try Perfhud.run("--pid", "\(load.pid)", "-b", "-n", "1", "-f", "text", "-o", file)
    #expect(String(decoding: try readFile(file), as: UTF8.self).hasPrefix("# "))
  }

  @Test func `a duration without room for a row is refused`() throws {
    let load = try Load()
    let output = try Perfhud.run("--pid", "\(load.pid)", "-b", "-d", "3s", "--duration", "1s")
    #expect(output.status == .exit(64) && output.stdout.isEmpty)
    #expect(output.stderr.contains("no row would be printed"), "\(output.stderr)")
  }

  @Test func `metrics are not appended to a file of something else`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("notes.txt")
    _ = try Tool.run(["sh", "-c", "echo important > \(file)"])
    let output = try Perfhud.run("--otlp", file, "-b", "--", "true")
    #expect(output.status == .exit(125), "\(output.stderr)")
    #expect(output.stderr.contains("which perfhud has not written"), "\(output.stderr)")
    #expect(String(decoding: try readFile(file), as: UTF8.self) == "important\n")
    let metrics = directory.file("metrics.jsonl")
    for _ in 0..<2 {
      let written = try Perfhud.run("--otlp", metrics, "-b", "--", "sleep", "0.3")
      #expect(written.status == .exit(0), "\(written.stderr)")
    }
    #expect(splitCount(String(decoding: try readFile(metrics), as: UTF8.self)) >= 2)
  }

  @Test(arguments: ["text", "csv", "jsonl"])
  func `a full disk is one line and status 1, with the format`(format: String) throws {
    let load = try Load()
    let output = try Perfhud.shell("\"$perfhud\" --pid \(load.pid) --format \(format) > /dev/full")
    #expect(output.status == .exit(1))
    #expect(output.stderr.hasPrefix("perfhud: "))
    #expect(output.stderr.contains("No space left on device"))
    #expect(splitCount(output.stderr) == 1)
  }

  @Test func `a closed standard output is one line and status 1`() throws {
    let load = try Load()
    let output = try Perfhud.shell("\"$perfhud\" --pid \(load.pid) --samples 1 >&-")
    #expect(output.status == .exit(1))
    #expect(output.stderr.hasPrefix("perfhud: "))
    #expect(splitCount(output.stderr) == 1)
  }

  @Test func `a closed standard error and input are no obstacle`() throws {
    let load = try Load()
    let output = try Perfhud.shell(
      "\"$perfhud\" --pid \(load.pid) --format jsonl --samples 1 <&- 2>&-")
    #expect(output.status == .exit(0))
    #expect(output.lines.count == 1)
  }

  @Test(arguments: ["--tree", "--no-tree"])
  func `with SIGCHLD ignored the command ignores it too, and its status is known`(
    tree: String
  ) throws {
    let output = try Perfhud.shell(
      """
      env --ignore-signal=CHLD "$perfhud" --no-summary \(tree) -- \
        grep -q '^SigIgn:.*[13579bdf]....$' /proc/self/status
      """)
    #expect(output.status == .exit(0), "\(output)")
    #expect(output.stderr.isEmpty)
  }

  @Test func `the rows of a command end with that of its end, at an interval of an hour too`()
    throws
  {
    let directory = try TemporaryDirectory()
    let path = directory.file("rows")
    let output = try Perfhud.run(
      "--batch", "--format", "jsonl", "--interval", "1h", "--output", path, "--", "sh", "-c",
      "exit 9")
    #expect(output.status == .exit(9))
    let rows = try String(decoding: readFile(path), as: UTF8.self).split(separator: "\n")
    #expect(rows.count == 1)
    #expect(try JSONLine(String(try #require(rows.last))).text("state") == "X")
  }

  @Test func `the reader of a command's rows goes: the command runs on, its status is perfhud's`()
    throws
  {
    let output = try Perfhud.shell(
      """
      { "$perfhud" --batch --interval 20ms -- sh -c 'sleep 0.3; echo end >&3; exit 9' 2>&1 >/dev/null
        echo "status $?" >&3; } 3>&2 | head -n 1
      """)
    #expect(output.lines.count == 1)
    #expect(output.stderr == "end\nstatus 9\n")
  }

  @Test func `a full disk for the rows of a command is one line, and the command runs on`() throws {
    let output = try Perfhud.run(
      "--batch", "--interval", "20ms", "--output", "/dev/full", "--", "sh", "-c",
      "sleep 0.3; echo end; exit 7")
    #expect(output.status == .exit(7))
    #expect(output.stdout == "end\n")
    #expect(output.stderr.contains("No space left on device") && splitCount(output.stderr) == 1)
  }

  @Test func `a limit of the size of files is a full disk, and no end by SIGXFSZ`() throws {
    let directory = try TemporaryDirectory()
    let output = try Perfhud.shell(
      """
      ulimit -f 1; "$perfhud" --batch --interval 20ms --format jsonl --output \(directory.file("rows")) \
        -- sh -c 'sleep 0.6; exit 7'
      """)
    #expect(output.status == .exit(7), "\(output)")
    #expect(output.stderr.contains("File too large") && splitCount(output.stderr) == 1, "\(output)")
  }

  @Test(arguments: ["--batch --output fifo", "--output fifo"])
  func `a FIFO whose reader has gone: the command runs on, and perfhud does not spin`(
    options: String
  ) throws {
    let directory = try TemporaryDirectory()
    let script = """
      cd \(directory.path); mkfifo fifo; head -n 1 fifo > row &
      "$perfhud" \(options) --interval 20ms --no-summary -- sh -c '
        until [ -s row ]; do sleep 0.02; done; sleep 1
        echo ticks $(cut -d " " -f 14,15 /proc/$PERFHUD/stat) end; kill -TERM $PERFHUD; sleep 60'; exit $?
      """
    let output: String
    if options.contains("--batch") {
      let run = try Perfhud.shell(script)
      #expect(run.status == .exit(143), "\(run)")
      output = run.stdout
    } else {
      let pty = try Overlay.script(script)
      #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(143), "\(quote(pty.output))")
      output = pty.text
    }
    let found = try #require(output.firstMatch(of: #/ticks (\d+) (\d+) end/#), "\(output)")
    // In a second of 100 ticks.
    let ticks = try #require(Int(found.1)) + (try #require(Int(found.2)))
    #expect(ticks < 30, "\(ticks) ticks")
  }
}

/// The number of lines; an empty one counts.
func splitCount(_ text: String) -> Int { text.utf8.count { $0 == 0x0A } }
