import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Lines whose reader stalls, comes late or is slow.
@Suite struct StalledReaderTests {
  /// Waits until the FIFO is full and rows wait for it.
  private func waitForStall(_ fifo: Fifo) throws {
    try waitUntil(deadline: Perfhud.deadline, "a full FIFO") { fifo.isFull }
    try pass(readings: 20)
    try waitUntil(deadline: Perfhud.deadline, "a FIFO that takes no more") {
      () throws(ToolError) in
      let full = fifo.waiting
      try pass(readings: 10)
      return fifo.waiting == full
    }
  }

  private func lines(_ bytes: some Sequence<UInt8>) throws -> [JSONLine] {
    try String(decoding: Array(bytes), as: UTF8.self).split(separator: "\n").map { line in
      try JSONLine(String(line))
    }
  }

  @Test(arguments: [(SIGTERM, ExitStatus.signal(15)), (SIGINT, .exit(0))])
  func `a reader that has stalled: the end is as ever on signal`(
    number: Int32, status: ExitStatus
  ) throws {
    let load = try Load()
    let fifo = try Fifo()
    let tool = try fifo.perfhud("--pid", "\(load.pid)", "--interval", "20ms")
    try waitForStall(fifo)
    tool.signal(number)
    #expect(try tool.wait(deadline: Perfhud.deadline) == status)
    #expect(tool.stderr.isEmpty)
  }

  @Test func `samples that wait for a reader that has stalled are recorded at the end`() throws {
    let load = try Load()
    let fifo = try Fifo()
    let directory = try TemporaryDirectory()
    let recording = directory.file("run.phr")
    let tool = try fifo.perfhud(
      "--pid", "\(load.pid)", "--interval", "20ms", "--record", recording)
    try waitUntil(deadline: Perfhud.deadline, "a full FIFO") { fifo.isFull }
    // FIFO, queue and ring hold less than 300 lines.
    try pass(readings: 300)
    tool.signal(SIGTERM)
    #expect(try tool.wait(deadline: Perfhud.deadline) == .signal(15))
    let recorded = try lines(Perfhud.run("export", recording).stdoutBytes)
    let taken = try lines(fifo.readAll())
    // The ring alone has 128 samples.
    #expect(recorded.count >= taken.count + 127, "\(recorded.count), \(taken.count)")
  }

  @Test
  func `a standard error that nobody reads: what is gone on without is left out, and no more`()
    throws
  {
    let directory = try TemporaryDirectory()
    // Of what blocks and of what cannot be followed: / is no file.
    let output = try Perfhud.shell(
      """
      mkfifo "$folder/full"; exec 3<>"$folder/full"
      timeout 1 cat /dev/zero >&3
      timeout -s KILL 20 "$perfhud" --pid $$ --batch --samples 2 --format csv --events / 2>&3
      echo "status $?"
      """, environment: ["folder": directory.path])
    #expect(output.lines.count == 4 && output.lines.last == "status 0", "\(output)")
  }

  @Test(arguments: ["0", "60"])
  func `a reader that stalls and comes back: no growth, whole rows, the gap is reported, --tick`(
    tick: String
  ) throws {
    let load = try Load()
    let fifo = try Fifo()
    let tool = try fifo.perfhud("--pid", "\(load.pid)", "--interval", "20ms", "--tick", tick)
    try waitUntil(deadline: Perfhud.deadline, "a full FIFO") { fifo.isFull }
    // FIFO, queue and ring hold less than 300 lines of over 500 bytes; what is due then is lost.
    try pass(readings: 300)
    let before = try ProcessStatus.privateBytes(tool.pid)
    let lost = 250
    try pass(readings: lost)
    let growth = try ProcessStatus.privateBytes(tool.pid) - before
    #expect(growth < lost * 500 / 2, "grew by \(growth)")

    var begun: [UInt8] = []
    var found: [JSONLine] = []
    func read(until condition: () throws -> Bool) throws {
      let deadline = Instant.now().advanced(bySeconds: Perfhud.deadline)
      while Instant.now() < deadline {
        begun += try fifo.read()
        if let end = begun.lastIndex(of: UInt8(ascii: "\n")) {
          found += try lines(begun[..<end])
          begun.removeFirst(end + 1)
        }
        if try condition() { return }
        usleep(5000)
      }
      throw ToolError("no such lines in \(found.count); the last begins: \(quote(begun))")
    }
    try read {
      guard let first = found.first, let last = found.last else { return false }
      return try last.number("missed_samples") ?? 0
        >= (first.number("missed_samples") ?? 0) + Double(lost)
    }
    let first = try #require(found.first)
    let last = try #require(found.last)
    // A reading lies up to one interval after its place on the grid.
    let passed = try (last.number("elapsed_s")! - first.number("elapsed_s")!) / 0.02
    let missed = try last.number("missed_samples")! - first.number("missed_samples")!
    #expect(abs(passed - Double(found.count - 1) - missed) <= 1, "\(passed) periods")
    let times = try found.map { try $0.number("elapsed_s")! }
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    // And it goes on.
    let count = found.count
    try read { found.count >= count + 5 }
    tool.signal(SIGINT)
    #expect(try tool.wait(deadline: Perfhud.deadline) == .exit(0))
    #expect(tool.stderr.isEmpty)
  }

  @Test func `a standard output in O_NONBLOCK with a slow reader: no error, all lines whole`()
    throws
  {
    let load = try Load()
    let fifo = try Fifo()
    // dd sets the flag on the description that it shares with perfhud, and leaves it there.
    let tool = try fifo.perfhud(
      "--pid", "\(load.pid)", "--interval", "20ms", "--samples", "80",
      prepare: "dd oflag=nonblock count=0 status=none < /dev/null")
    try waitUntil(deadline: Perfhud.deadline, "a full FIFO") { fifo.isFull }
    let info = String(
      decoding: try readFile("/proc/\(tool.pid)/fdinfo/1", limit: 4096), as: UTF8.self)
    let flags = try #require(
      info.firstMatch(of: #/flags:\s*([0-7]+)/#).flatMap { Int($0.1, radix: 8) })
    #expect(flags & Int(O_NONBLOCK) != 0)

    var bytes: [UInt8] = []
    for _ in 0..<10 {
      try pass(readings: 5)
      bytes += try fifo.read(atMost: 3000)
    }
    try waitUntil(deadline: Perfhud.deadline, "all lines") { () throws(ToolError) in
      bytes += (try? fifo.read()) ?? []
      return bytes.count { $0 == UInt8(ascii: "\n") } >= 80
    }
    #expect(try tool.wait(deadline: Perfhud.deadline) == .exit(0))
    bytes += try fifo.read()
    #expect(try lines(bytes).count == 80)
    #expect(bytes.last == UInt8(ascii: "\n"))
    #expect(tool.stderr.isEmpty)
  }

  /// perfhud that waits for a reader of the file that it writes.
  private func waitingForReader(_ load: Load, _ path: String) throws -> BatchRun {
    #expect(try Tool.run(["mkfifo", path]).status == .exit(0))
    let run = try BatchRun("--pid", "\(load.pid)", "--output", path)
    // It has opened the process, which comes first, and sleeps.
    try waitUntil(deadline: Perfhud.deadline, "perfhud at the FIFO") { () throws(ToolError) in
      let opened = try Tool.run(["ls", "-l", "/proc/\(run.pid)/fd"]).stdout
      return opened.contains("/proc/\(load.pid)") && ProcessStatus(run.pid)?.state == "S"
    }
    return run
  }

  @Test func `--output to a FIFO without a reader: SIGTERM ends it`() throws {
    let load = try Load()
    let directory = try TemporaryDirectory()
    let run = try waitingForReader(load, directory.file("fifo"))
    run.signal(SIGTERM)
    #expect(try run.wait() == .signal(15))
  }

  @Test func `--output to a FIFO: a reader that comes late gets the lines`() throws {
    let load = try Load()
    let directory = try TemporaryDirectory()
    let path = directory.file("fifo")
    let run = try waitingForReader(load, path)
    let head = try Tool.run(["head", "-n", "3", path])
    #expect(try lines(head.stdoutBytes).count == 3)
    // Its reader has gone.
    #expect(try run.wait() == .exit(0))
    #expect(run.stderr.isEmpty)
  }

  @Test func `--duration 200ms ends at once where a sample takes an hour`() throws {
    let load = try Load()
    // Batch output refuses a duration without room for a row.
    let pty = try Pty(
      [try Perfhud.path(), "\(load.pid)", "--duration", "200ms", "--interval", "1h"],
      environment: try Overlay.environment())
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0), "\(pty.text)")
  }

  @Test func `pss_bytes is that of the new program after exec`() throws {
    let load = try Load()
    try load.command("alloc 50000000")
    let run = try BatchRun("--pid", "\(load.pid)")
    _ = try run.next { line throws(ToolError) in try line.number("pss_bytes") ?? 0 > 50e6 }
    try load.command("exec butterfly", deadline: Perfhud.deadline)
    // PSS is read every 5 s; before that the line has the old figure.
    let line = try run.next { line throws(ToolError) in
      try line.number("pss_bytes").map { $0 < 20e6 } ?? false
    }
    #expect(try line.text("comm") == "butterfly")
    #expect(try line.number("pss_bytes") ?? 0 > 0)
  }
}
