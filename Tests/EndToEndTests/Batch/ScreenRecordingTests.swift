import Glibc
import PerfHUDBase
import TestSupport
import Testing

extension String {
  /// What follows the first place with a text; `nil` if there is none.
  fileprivate func after(_ text: String) -> Substring? {
    firstRange(of: text).map { self[$0.upperBound...] }
  }
}

/// `--record-screen`, and the screen in `perfhud replay` and `perfhud export`.
@Suite struct ScreenRecordingTests {
  /// What tmux showed at a time.
  private struct Moment {
    var time: Instant
    var screen: [String]
  }

  /// A run in tmux whose screen is recorded, with what tmux showed meanwhile.
  private final class Recorded {
    let directory: TemporaryDirectory
    let file: String
    let tmux: Tmux
    private(set) var moments: [Moment] = []

    init(_ command: String...) throws {
      directory = try TemporaryDirectory()
      file = directory.file("run.phr")
      tmux = try Tmux(
        columns: 80, rows: 24,
        command: [
          try Perfhud.path(), "--hidden", "--no-summary", "--record", file, "--record-screen", "--",
        ] + command, environment: try Overlay.environment(), directory: directory.path)
    }

    /// Presses keys, and keeps what tmux shows once that holds.
    func press(_ keys: [String], until condition: ([String]) -> Bool) throws {
      for key in keys { try tmux.sendKeys(key) }
      let screen = try tmux.waitFor(deadline: Perfhud.deadline, condition)
      moments.append(Moment(time: .now(), screen: screen))
    }

    /// The start on the clock of the moments, from the first line of the file.
    func start() throws -> Instant {
      let first = try #require(try lines().first)
      let key = try #require(first.after("\"start\":\""))
      return Instant(nanoseconds: try #require(UInt64(key.prefix { $0.isNumber })))
    }

    func lines() throws -> [String] {
      let bytes = try readFile(file + ".cast", limit: 64 << 20)
      #expect(bytes.last == 0x0A)
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  @Test(arguments: [(1, 24), (1, 1), (80, 1)])
  func `a replay outlives a terminal of one column and one of one row`(
    columns: Int, rows: Int
  ) throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("run.phr")
    let recorded = try Perfhud.pty(
      "--no-summary", "--record", file, "--record-screen", "--", "sh", "-c", "echo here; sleep 1",
      environment: isolatedEnvironment(directory))
    #expect(try recorded.wait(deadline: Perfhud.deadline) == .exit(0))
    let pty = try Perfhud.pty("replay", file, "--paused")
    try pty.read(deadline: Perfhud.deadline, until: "PAUSED")
    pty.resize(columns: columns, rows: rows)
    _ = pty.takeOutput()
    // It draws all of it again.
    try pty.send("\u{0C}")
    try pty.read(deadline: Perfhud.deadline) { !$0.isEmpty }
    pty.resize(columns: 80, rows: 24)
    _ = pty.takeOutput()
    try pty.send("\u{0C}")
    try pty.read(deadline: Perfhud.deadline, until: "PAUSED")
    try pty.send("q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
  }

  /// Checks with a reader of JSON that is not ours that each line is what the format says.
  private static func check(_ path: String) throws {
    let script = """
      import json, sys
      lines = open(sys.argv[1], "rb").read().decode().split("\\n")
      assert lines.pop() == ""
      header = json.loads(lines[0])
      assert header["version"] == 3 and header["term"]["cols"] > 0 and header["term"]["rows"] > 0
      for line in lines[1:]:
          interval, code, data = json.loads(line)
          assert interval >= 0 and code in ("o", "r", "m") and isinstance(data, str), line
      print(len(lines))
      """
    let output = try Tool.run(["python3", "-c", script, path])
    #expect(output.status == .exit(0), "\(output.stderr)")
  }

  @Test func `vim, less and a shell are played back, and backwards, as tmux showed them`() throws {
    let run = try Recorded("bash", "--norc", "-i")
    try run.press([], until: { $0.first == "ready>" })
    try run.press(
      ["seq 30; printf '\\033[31mred\\033[m 日本\\n'", "Enter"],
      until: { $0.contains { $0.hasPrefix("red 日本") } && $0.last { !$0.isEmpty } == "ready>" })
    try run.press(
      ["seq 500 | less", "Enter"], until: { $0.first == "1" && $0.last?.hasPrefix(":") == true })
    try run.press(["Space"], until: { $0.first == "24" && $0.last?.hasPrefix(":") == true })
    try run.press(["q"], until: { $0.last { !$0.isEmpty } == "ready>" })
    try run.press(
      ["vim -u NONE -n new.txt", "Enter"],
      until: { $0[1] == "~" && $0.last?.contains("new.txt") == true })
    try run.press(
      ["i", "hello", "Escape"],
      until: { $0.first == "hello" && $0.last?.contains("INSERT") == false })
    try run.press([":q!", "Enter"], until: { $0.last { !$0.isEmpty } == "ready>" })
    try run.tmux.sendKeys("exit", "Enter")
    #expect(try run.tmux.waitForEnd(deadline: Perfhud.deadline) == .exit(0))
    try ScreenRecordingTests.check(run.file + ".cast")
    let start = try run.start()
    let replay = try Perfhud.tmux("replay", run.file, "--paused")
    try replay.waitFor("full view", deadline: Perfhud.deadline)
    try replay.sendKeys("h")
    for moment in run.moments.reversed() + run.moments {
      let milliseconds = Int(moment.time.seconds(since: start) * 1000)
      let fraction = "\(1000 + milliseconds % 1000)".dropFirst()
      try replay.sendKeys(":", "\(milliseconds / 1000).\(fraction)", "Enter")
      try replay.waitFor(deadline: Perfhud.deadline) { $0 == moment.screen }
    }
    // The HUD is back where it was live, and the full-screen view is one key away.
    try replay.sendKeys("h")
    try replay.waitFor(deadline: Perfhud.deadline) { $0.first?.hasSuffix("╮") == true }
    try replay.sendKeys("V")
    try replay.waitFor("1 Overview", deadline: Perfhud.deadline)
    try replay.sendKeys("V")
    try replay.waitFor("full view", deadline: Perfhud.deadline)
    try replay.sendKeys("q")
    #expect(try replay.waitForEnd() == .exit(0))
  }

  @Test func `after kill -9 the file has whole lines, and what was shown before is in it`() throws {
    let run = try Recorded("sh", "-c", "echo first; while :; do echo 'some more'; sleep 0.01; done")
    try run.press([], until: { $0.contains("some more") })
    try waitUntil(deadline: Perfhud.deadline, "the first lines and the first block in the files") {
      TestFile.size(run.file) > 0 && ((try? run.lines()) ?? []).contains { $0.contains("first") }
    }
    let engine = try run.tmux.waitForProcess("perfhud-hud")
    kill(pid_t(engine), SIGKILL)
    try waitForEnd(of: [engine])
    try ScreenRecordingTests.check(run.file + ".cast")
    let replay = try Perfhud.tmux("replay", run.file, "--paused", "--start", "0.2")
    try replay.waitFor("first", deadline: Perfhud.deadline)
  }

  @Test func `a hostile file reaches the terminal as cells only`() throws {
    let run = try Recorded("sh", "-c", "echo hello; sleep 1")
    try run.press([], until: { $0.contains("hello") })
    #expect(try run.tmux.waitForEnd(deadline: Perfhud.deadline) == .exit(0))
    let hostile = [
      #"[0,"o","\u001b]52;c;aGk=\u0007\u001b]0;TITLE\u0007\u001bP$q\"p\u001b\\\u001b[6n"]"#,
      #"[0,"r","99999x99999"]"#, #"[0,"r","0x-1"]"#, #"[0,"o","\ud800"]"#,
      #"[0,"q","x"]"#, "not json", "[[[[[[[[[[", #"{"a":1}"#, "[0,\"o\",\"\u{1}\"]",
      #"[0,"o","\u001b[999999999b\u001b[2147483648;1H\u001b]8;;http://evil\u001b\\x"]"#,
      #"[1e300,"o","late"]"#, #"[0,"o","cut"#,
    ]
    let lines = try run.lines()
    let bytes = Array((lines + hostile).joined(separator: "\n").utf8)
    try TestFile.write(bytes, to: run.file + ".cast")
    let pty = try Perfhud.pty("replay", run.file)
    try pty.read(deadline: Perfhud.deadline, until: "hello")
    try pty.send("\u{1B}[F")
    try pty.read(deadline: Perfhud.deadline, until: "only its top left fits")
    try pty.send("q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    let all = pty.text
    for part in ["]52;", "TITLE", "\u{1B}P", "[6n", "http://evil"] {
      #expect(!all.contains(part), "\(part.debugDescription)")
    }
  }

  @Test func `a screen is exported, and a recording without one says how to get one`() throws {
    let run = try Recorded("sh", "-c", "echo hello; sleep 1")
    try run.press([], until: { $0.contains("hello") })
    #expect(try run.tmux.waitForEnd(deadline: Perfhud.deadline) == .exit(0))
    let copy = run.directory.file("x.cast")
    // Even if the file existed, and others could read it.
    close(unsafe open(copy, O_WRONLY | O_CREAT, 0o644))
    let export = try Perfhud.run("export", run.file, "-o", copy)
    #expect(export.status == .exit(0) && export.stderr.isEmpty, "\(export.stderr)")
    #expect(try readFile(copy) == readFile(run.file + ".cast"))
    var facts = stat()
    #expect(unsafe stat(copy, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    try ScreenRecordingTests.check(copy)
    let same = try Perfhud.run("export", run.file, "-o", run.file + ".cast")
    #expect(same.status == .exit(1) && same.stderr.contains("name another file"))
    TestFile.remove(run.file + ".cast")
    let none = try Perfhud.run("export", run.file, "-o", copy)
    #expect(none.status == .exit(1), "\(none.stderr)")
    #expect(none.stderr.contains("record it with: perfhud --record FILE --record-screen COMMAND"))
  }

  @Test func `the screen of another run is not shown`() throws {
    let run = try Recorded("sh", "-c", "echo hello; sleep 1")
    try run.press([], until: { $0.contains("hello") })
    #expect(try run.tmux.waitForEnd(deadline: Perfhud.deadline) == .exit(0))
    let start = try run.start().nanoseconds
    let other = try run.lines().joined(separator: "\n").replacing("\(start)", with: "\(start + 1)")
    try TestFile.write(Array((other + "\n").utf8), to: run.file + ".cast")
    let replay = try Perfhud.tmux("replay", run.file, "--paused")
    try replay.waitFor("is the screen of another run", deadline: Perfhud.deadline)
    try replay.sendKeys("V")
    try replay.waitFor("no recorded screen", deadline: Perfhud.deadline)
  }

  @Test func `where the terminal is smaller, the top left part is shown, and a line says so`()
    throws
  {
    let run = try Recorded("sh", "-c", "seq 20; sleep 1")
    try run.press([], until: { $0.contains("20") })
    #expect(try run.tmux.waitForEnd(deadline: Perfhud.deadline) == .exit(0))
    let replay = try Perfhud.tmux("replay", run.file, "--paused", columns: 44, rows: 15)
    try replay.waitFor("only its top left fits", deadline: Perfhud.deadline)
    try replay.sendKeys("h", "End")
    try replay.waitFor(deadline: Perfhud.deadline) { $0 == (1...15).map { "\($0)" } }
  }
}
