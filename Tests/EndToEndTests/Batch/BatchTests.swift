import Glibc
import TestSupport
import Testing

/// Lines against a load that says what it has done and when.
@Suite struct BatchTests {
  @Test func `100 MB that the load takes and gives back are in the next sample, to the page`()
    throws
  {
    let load = try Load()
    // Code that the load has not run yet comes into its memory 16 pages at a time.
    for command in ["alloc 4096", "free 4096"] { try load.command(command) }
    let run = try BatchRun("--pid", "\(load.pid)")
    let before = try #require(try run.next())
    let bytes = 100_000_000
    let taken = try load.command("alloc \(bytes)")
    let during = try run.next(after: taken[0])
    let freed = try load.command("free \(bytes)")
    let after = try run.next(after: freed[0])

    let pages = (Double(bytes) / KernelMemory.pageBytes).rounded(.up) * KernelMemory.pageBytes
    // A page of tables maps 512 pages, and perfhud counts them in the footprint.
    let tables = pages / 512 + 4 * KernelMemory.pageBytes
    for (key, more) in [("rss_bytes", 0), ("footprint_bytes", tables)] {
      let old = try #require(try before.number(key))
      let grown = try #require(try during.number(key)) - old
      #expect(grown >= pages - KernelMemory.noise + 65536, "\(key) grew by \(grown)")
      #expect(grown <= pages + more + KernelMemory.noise, "\(key) grew by \(grown)")
      let kept = try #require(try after.number(key)) - old
      // Page tables are read once a second only, so that they may still be in the sum.
      #expect(abs(kept) <= more + KernelMemory.noise, "\(key) kept \(kept)")
    }
  }

  @Test func `five more threads show as 6, and as 1 again`() throws {
    let load = try Load()
    let run = try BatchRun("--pid", "\(load.pid)")
    #expect(try run.next()?.number("threads") == 1)
    let started = try load.command("threads 5")
    #expect(try run.next(after: started[0]).number("threads") == 6)
    try load.command("threads 0")
    // A thread that was joined may be in the count for a moment after.
    _ = try run.next { line throws(ToolError) in try line.number("threads") == 1 }
  }

  @Test func `exec changes the name and nothing else`() throws {
    let load = try Load()
    let run = try BatchRun("--pid", "\(load.pid)")
    #expect(try run.next()?.text("comm") == "perfhud-load")
    try load.command("exec butterfly", deadline: Perfhud.deadline)
    let line = try run.next { line throws(ToolError) in try line.text("comm") == "butterfly" }
    #expect(try line.number("pid") == Double(load.pid))
    #expect(try run.next()?.number("rss_bytes") ?? 0 > 0)
  }

  @Test(arguments: [
    ("%1B[2J%1B]0;x%07", "␛[2J␛]0;x␇"), ("a%0Ab%0D%09c", "a␊b␍␉c"), ("%FF%FEx%C3", "��x�"),
    ("%22,%22pid%22:1,", "\",\"pid\":1,"), ("back%5C%22slash%5C", "back\\\"slash\\"),
    ("%E2%80%AEevil", "�evil"),
  ])
  func `the line stays valid JSON and harmless with a name of`(sent: String, shown: String) throws {
    let load = try Load()
    try load.command("name \(sent)")
    let output = try Perfhud.run("--pid", "\(load.pid)", "--format", "jsonl", "--samples", "1")
    #expect(output.status == .exit(0))
    #expect(output.stdoutBytes.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
    #expect(output.lines.count == 1)
    #expect(try JSONLine(try #require(output.lines.first)).text("comm") == shown)
    let csv = try Perfhud.run("--pid", "\(load.pid)", "--format", "csv", "--samples", "1")
    #expect(csv.lines.count == 2)
    let text = try Perfhud.run("--pid", "\(load.pid)", "--format", "text", "--samples", "1")
    #expect(text.lines.count == 2)
    #expect(text.stdoutBytes.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
  }

  @Test func `the end of the target is the last line, said on stderr, and status 0`() throws {
    let load = try Load()
    let run = try BatchRun("--pid", "\(load.pid)")
    _ = try run.next()
    try load.command("exit 7")
    #expect(try load.wait() == .exit(7))
    let last = try #require(try run.rest().last)
    // This test, its parent, may have been too slow to reap it.
    #expect(try ["X", "Z"].contains(last.text("state")))
    #expect(try run.wait() == .exit(0))
    #expect(run.stderr.hasPrefix("perfhud: process \(load.pid) (perfhud-load) has ended"))
    #expect(run.stderr.split(separator: "\n").count == 1)
  }

  @Test func `a target that is killed is an end like any other`() throws {
    let load = try Load()
    let run = try BatchRun("--pid", "\(load.pid)")
    _ = try run.next()
    load.signal(SIGKILL)
    _ = try run.rest()
    #expect(try run.wait() == .exit(0))
    #expect(run.stderr.contains("has ended"))
  }

  @Test func `SIGINT ends with status 0, SIGTERM with death by it, both without a word`() throws {
    let load = try Load()
    let expected: [(Int32, ExitStatus)] = [
      (SIGINT, .exit(0)), (SIGTERM, .signal(15)), (SIGHUP, .signal(1)),
    ]
    for (number, status) in expected {
      let run = try BatchRun("--pid", "\(load.pid)")
      _ = try run.next()
      run.signal(number)
      _ = try run.rest()
      #expect(try run.wait() == status)
      #expect(run.stderr.isEmpty)
    }
  }

  @Test func `a reader that has had enough ends it with status 0 and without a word`() throws {
    let load = try Load()
    let output = try Perfhud.shell(
      "{ \"$perfhud\" --pid \(load.pid) --batch --format jsonl; echo $? >&2; } | head -1")
    #expect(output.lines.count == 1)
    #expect(output.stderr == "0\n")
  }

  @Test func `--samples 3 is three lines, of readings one after the other`() throws {
    let load = try Load()
    let run = try BatchRun("--pid", "\(load.pid)", "--samples", "3")
    let times = try run.rest().map { try $0.number("t") ?? 0 }
    #expect(times.count == 3)
    #expect(times == times.sorted() && Set(times).count == 3)
    #expect(try run.wait() == .exit(0))
    #expect(run.stderr.isEmpty)
  }

  @Test func `--duration ends the run in time with status 0`() throws {
    let load = try Load()
    let run = try BatchRun("--pid", "\(load.pid)", "--duration", "500ms")
    // One each 100 ms, if none is missed.
    #expect(try run.rest().count <= 5)
    #expect(try run.wait() == .exit(0))
    // A slow machine may miss all of those, but hardly one of them.
    let long = try BatchRun("--pid", "\(load.pid)", "--duration", "3s")
    #expect(try (1...30).contains(long.rest().count))
    #expect(try long.wait() == .exit(0))
  }

  @Test func `an object has the keys of the manual, in their order, and null where nothing is`()
    throws
  {
    let load = try Load()
    let run = try BatchRun("--pid", "\(load.pid)", "--samples", "1")
    let line = try #require(try run.next())
    #expect(
      line.keys == [
        "t", "elapsed_s", "pid", "comm", "state", "cpu_percent", "cpu_percent_window",
        "cpu_time_s", "rss_bytes", "footprint_bytes", "pss_bytes", "swap_bytes",
        "memory_limit_bytes", "threads", "processes", "minor_faults_per_s",
        "major_faults_per_s", "cpu_wait_percent", "read_bytes_per_s", "write_bytes_per_s", "fps",
        "frame_p50_ms", "frame_p99_ms", "hitch_ms_per_s", "fps_source", "key_to_frame_p50_ms",
        "bytes_per_frame", "phase", "actions_per_s", "missed_samples",
        "unchanged_cells_percent",
        "voluntary_switches_per_s", "involuntary_switches_per_s", "throttled_ms_per_s",
        "cpu_pressure_some_percent", "cpu_pressure_full_percent", "memory_pressure_some_percent",
        "memory_pressure_full_percent", "io_pressure_some_percent", "io_pressure_full_percent",
        "cgroup_memory_bytes", "memory_high_events", "memory_max_events", "oom_kills",
        "pss_age_s", "lower_bounds", "cpu_system_percent",
      ])
    #expect(try line.number("pid") == Double(load.pid))
    #expect(try line.text("fps_source") == "tick")
    #expect(try line["phase"] == .null)
    #expect(try line["key_to_frame_p50_ms"] == .null)
  }

  @Test func `--tick 0 takes no frames: fps is null`() throws {
    let load = try Load()
    let run = try BatchRun("--pid", "\(load.pid)", "--samples", "2", "--tick", "0")
    for line in try run.rest() {
      #expect(try line["fps"] == .null)
      #expect(try line["fps_source"] == .null)
    }
  }

  @Test func `csv is a header and as many columns in each line`() throws {
    let load = try Load()
    let output = try Perfhud.run("--pid", "\(load.pid)", "--format", "csv", "--samples", "2")
    #expect(output.status == .exit(0))
    #expect(output.lines.count == 3)
    #expect(output.lines[0].hasPrefix("t,elapsed_s,pid,comm,state,cpu_percent,"))
    let columns = output.lines.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(Set(columns.map(\.count)) == [47])
    #expect(output.lines[1].contains(",\(load.pid),\"perfhud-load\","))
  }

  @Test func `text names process and units, and stdout that is no terminal is enough for it`()
    throws
  {
    let load = try Load()
    let output = try Perfhud.run("--pid", "\(load.pid)", "--samples", "3")
    #expect(output.status == .exit(0))
    let lines = output.lines
    #expect(lines.first?.contains("perfhud-load") == true)
    #expect(lines.first?.contains("\(load.pid)") == true)
    for line in lines.dropFirst() {
      for part in ["CPU", "%", "MEM", "KiB", "RSS", "tick", "threads"] {
        #expect(line.contains(part), "\(line)")
      }
    }
    #expect(lines.count == 4)
  }
}
