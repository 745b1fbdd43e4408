import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// `--record FILE`, and what `report` and `export` make of the file.
@Suite struct RecordingEndToEndTests {
  private static let kills = Overlay.isLong ? 500 : 20

  @Test func `a recorded batch run is reported and exported as it was printed`() throws {
    let directory = try TemporaryDirectory()
    let (file, rows) = (directory.file("run.phr"), directory.file("rows"))
    let output = try Perfhud.run(
      "--record", file, "--record-command", "--batch", "-f", "jsonl", "-o", rows, "--summary", "--",
      "sh", "-c", "i=0; while [ $i -lt 90000 ]; do i=$((i+1)); done; sleep 0.5; exit 3")
    #expect(output.status == .exit(3))
    let report = try Perfhud.run("report", file)
    #expect(report.status == .exit(0) && report.stderr.isEmpty, "\(report.stderr)")
    #expect(report.stdout == output.stderr)
    #expect(report.stdout.contains("while"))
    let printed = String(decoding: try readFile(rows), as: UTF8.self)
    #expect(printed.split(separator: "\n").count >= 4)
    #expect(try Perfhud.run("export", file).stdout == printed)
    #expect(try Perfhud.run("export", file, "-o", "-").stdout == printed)
    let unknown = try Perfhud.run("export", file, "-o", directory.file("run.foo"))
    #expect(unknown.status == .exit(64) && unknown.stderr.contains(".csv"), "\(unknown.stderr)")
    let table = directory.file("run.csv")
    #expect(try Perfhud.run("export", file, "-o", table).status == .exit(0))
    let lines = String(decoding: try readFile(table), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == printed.split(separator: "\n").count + 1)
    let trace = directory.file("run.pftrace")
    #expect(try Perfhud.run("export", file, "-o", trace).status == .exit(0))
    // Each packet is field 1 of the trace.
    #expect(try readFile(trace).first == 0x0A)
    let cast = try Perfhud.run("export", file, "-o", directory.file("run.cast"))
    #expect(cast.status == .exit(1) && cast.stderr.contains("no screen"), "\(cast.stderr)")
    var status = stat()
    #expect(unsafe stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func `the demo under the HUD is reported as its summary was`() throws {
    let directory = try TemporaryDirectory()
    let (file, rows) = (directory.file("run.phr"), directory.file("rows"))
    let pty = try Pty(
      try Overlay.wrap(
        [try Products.path("perfhud-demo"), "--visits", "2", "--pace", "10"],
        options: ["--record", file, "-f", "jsonl", "-o", rows, "--record-command"]),
      environment: try Overlay.environment([
        "XDG_RUNTIME_DIR": directory.path, "TMPDIR": nil, "PERFHUD_SOCKET": nil,
      ]))
    #expect(try pty.wait(deadline: 90) == .exit(0), "\(quote(pty.output))")
    let report = try Perfhud.run("report", file)
    // Where the machine was too busy for all events, the count is a lower bound.
    #expect(report.stdout.contains(#/canvas: (≥ )?2 visits/#), "\(report.stdout)\(report.stderr)")
    let shown = pty.text.replacing("\r\n", with: "\n")
    #expect(shown.contains(report.stdout), "\(report.stdout) in \(quote(pty.output.suffix(2000)))")
    #expect(
      try Perfhud.run("export", file).stdout == String(decoding: try readFile(rows), as: UTF8.self))
  }

  @Test func `after kill -9 all but the last second is there`() throws {
    let directory = try TemporaryDirectory()
    let target = try RunningTool(["sleep", "1000"])
    defer { target.signal(SIGKILL) }
    for number in 0..<RecordingEndToEndTests.kills {
      let file = directory.file("run\(number).phr")
      let run = try BatchRun(
        "--pid", "\(target.pid)", "--interval", "20ms", "--record", file)
      var last = try #require(try run.next())
      let first = last
      for _ in 0..<Int.random(in: 0...130) { last = try run.next() ?? last }
      run.signal(SIGKILL)
      for line in try wholeLines(of: run) { last = line }
      _ = try run.wait()
      let times = (try first.number("t") ?? 0, try last.number("t") ?? 0)
      let export = try Perfhud.run("export", file)
      let lines = export.stdout.split(separator: "\n")
      guard let end = lines.last, export.status == .exit(0) else {
        // Nothing was written yet: a file without a block is none.
        #expect(times.1 - times.0 < 1, "\(export.stderr)")
        continue
      }
      #expect(export.stderr.contains("it was cut"), "\(export.stderr)")
      let missing = times.1 - (try JSONLine(String(end)).number("t") ?? 0)
      #expect(missing < 1, "\(missing) s of \(times.1 - times.0) s")
    }
  }

  /// What is left, without a line that was cut.
  private func wholeLines(of run: BatchRun) throws -> [JSONLine] {
    var lines: [JSONLine] = []
    while let line = try? run.next() { lines.append(line) }
    return lines
  }

  @Test func `a file that is no recording is not overwritten, and the command does not start`()
    throws
  {
    let directory = try TemporaryDirectory()
    let file = directory.file("letter")
    _ = try Tool.run(["sh", "-c", "echo dear >\(file)"])
    let output = try Perfhud.run("--record", file, "--", "sh", "-c", "echo started")
    #expect(output.status == .exit(125) && output.stdout.isEmpty)
    #expect(output.stderr.contains("is no recording"), "\(output.stderr)")
    #expect(String(decoding: try readFile(file), as: UTF8.self) == "dear\n")
    for command in ["report", "export"] {
      let read = try Perfhud.run(command, file)
      #expect(read.status == .exit(1) && read.stdout.isEmpty)
      #expect(read.stderr.split(separator: "\n").count == 1, "\(read.stderr)")
    }
  }

  @Test func `a recording that can no longer be written leaves the command alone`() throws {
    let output = try Perfhud.run(
      "--record", "/dev/full", "--no-summary", "--", "sh", "-c", "sleep 0.3; exit 4")
    #expect(output.status == .exit(4))
    #expect(output.stderr.contains("the recording ends there"), "\(output.stderr)")
    #expect(output.stderr.split(separator: "\n").count == 1, "\(output.stderr)")
  }

  @Test func `a recording is whole where the rows cannot be written`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("run.phr")
    let load = try Load()
    let output = try Perfhud.shell(
      "\"$perfhud\" --pid \(load.pid) --interval 100ms --record \(file) --batch > /dev/full")
    #expect(output.status == .exit(1))
    #expect(output.stderr.contains("No space left on device"), "\(output.stderr)")
    #expect(splitCount(output.stderr) == 1, "\(output.stderr)")
    let rows = try Perfhud.run("export", file)
    #expect(rows.status == .exit(0) && rows.stderr.isEmpty, "\(rows.stderr)")
    #expect(splitCount(rows.stdout) >= 1)
  }

  @Test func `a recording on standard output is read from a pipe`() throws {
    let directory = try TemporaryDirectory()
    let output = try Perfhud.shell(
      """
      sleep 100 & "$perfhud" --pid $! --duration 1s -o \(directory.file("rows")) --record - |
        "$perfhud" export - -f csv; kill $!
      """)
    #expect(output.stdout.split(separator: "\n").count >= 5, "\(output.stderr)")
    let refused = try Perfhud.run("--record", "-", "--", "true")
    #expect(refused.status == .exit(64) && refused.stderr.contains("--record -"))
  }

  @Test func `the reader in Python finds the samples that are exported`() throws {
    try requireTool("python3")
    let directory = try TemporaryDirectory()
    let file = directory.file("run.phr")
    let output = try Perfhud.run(
      "--record", file, "--no-summary", "--interval", "20ms", "--", "sh", "-c",
      "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
    #expect(output.status == .exit(0), "\(output.stderr)")
    let script = Repository.path("clients/perfhud_recording.py")
    let read = try Tool.run(["python3", script, file])
    #expect(read.status == .exit(0) && read.stderr.isEmpty, "\(read.stderr)")
    let samples = try read.stdout.split(separator: "\n").map { try JSONLine(String($0)) }
      .filter { try $0.number("sequence") != 0 && $0.number("provisional") == 0 }
    let rows = try Perfhud.run("export", file).stdout.split(separator: "\n")
      .map { try JSONLine(String($0)) }
    try #require(samples.count == rows.count && rows.count >= 8)
    var compared = 0
    for (sample, row) in zip(samples, rows) {
      #expect(try sample.number("pid") == row.number("pid"))
      guard try sample.number("ended") == 0 else { continue }
      #expect(try sample.number("resident") == row.number("rss_bytes"))
      let seconds = try sample.number("cpu").map { $0 * 1e-9 } ?? 0
      #expect(abs(seconds - (try row.number("cpu_time_s") ?? 0)) < 0.000_002)
      compared += 1
    }
    #expect(compared >= 8)
  }

  @Test func `--record-last records after a crash, and on SIGUSR2, which the command does not get`()
    throws
  {
    let directory = try TemporaryDirectory()
    let file = directory.file("run.phr")
    let output = try Perfhud.run(
      "--record", file, "--record-last", "10s", "--no-summary", "--", "sh", "-c",
      "kill -USR2 \"$PERFHUD\"; while [ ! -e \"$0\" ]; do sleep 0.1; done; kill -SEGV $$", file)
    #expect(output.status == .signal(Int(SIGSEGV)), "\(output)")
    let second = directory.file("run-2.phr")
    for path in [file, second] {
      #expect(output.stderr.contains("perfhud: recorded in \(path)\n"), "\(output.stderr)")
      let report = try Perfhud.run("report", path)
      #expect(report.status == .exit(0) && report.stderr.isEmpty, "\(report.stderr)")
      #expect(report.stdout.contains("SIGSEGV") == (path == second), "\(report.stdout)")
    }
  }

  @Test func `--record-last writes nothing where nothing happens`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("run.phr")
    let output = try Perfhud.run(
      "--record", file, "--record-last", "10s", "--no-summary", "--", "sh", "-c", "exit 3")
    #expect(output.status == .exit(3) && output.stderr.isEmpty, "\(output)")
    #expect(unsafe access(file, F_OK) != 0)
  }
}
