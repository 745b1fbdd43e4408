import PerfHUDBase
import PerfHUDEvents
import Sampler
import TestSupport
import Testing

@testable import PerfHUD

/// Which program a process runs, before and after it executes another one.
@Suite struct ProgramWatchTests {
  @Test func `an exec gives another command line and other directories, and is reported once`()
    throws
  {
    let shell = try RunningTool(
      ["/bin/sh", "-c", "echo ready; read x; exec env -i TMPDIR=/var/tmp sleep 60"])
    #expect(try shell.readLine() == "ready")
    var watch = ProgramWatch(process: Int32(shell.pid), now: Instant(nanoseconds: 0))
    var now = Instant(nanoseconds: 0)
    let first = watch.look(now: now)
    #expect(first?.command.hasPrefix("/bin/sh -c 'echo ready;") == true)
    let again = watch.look(now: now)
    #expect(again == nil, "the next look is not due")
    now = now.advanced(byNanoseconds: 100_000_000)
    let unchanged = watch.look(now: now)
    #expect(unchanged == nil, "nothing has changed")
    try shell.send("go")
    var second: ProgramWatch.Program?
    try waitUntil("the program") { () throws(ToolError) in
      now = now.advanced(byNanoseconds: 1_000_000_000)
      if let found = watch.look(now: now) { second = found }
      return second?.command == "sleep 60"
    }
    #expect(second?.name.text == "sleep")
    #expect(
      second?.surroundings?.directories == SocketDirectories(runtime: nil, temporary: "/var/tmp"))
  }

  @Test func `a process that is no longer young wakes the loop never`() throws {
    let start = Instant(nanoseconds: 0)
    var old = ProgramWatch(process: 1, now: start)
    _ = old.look(now: start)
    #expect(old.deadline == nil)
    let sleep = try RunningTool(["sleep", "60"])
    var young = ProgramWatch(process: Int32(sleep.pid), now: start)
    _ = young.look(now: start)
    #expect(young.deadline == start.advanced(byNanoseconds: 100_000_000))
  }

  @Test func `an exec of an old process is seen by the next look, once a second`() throws {
    let shell = try RunningTool(["/bin/sh", "-c", "echo ready; read x; exec sleep 60"])
    #expect(try shell.readLine() == "ready")
    var watch = ProgramWatch(process: Int32(shell.pid), now: Instant(nanoseconds: 0))
    func look(_ seconds: Double) -> String? {
      watch.look(now: Instant(nanoseconds: 0).advanced(bySeconds: seconds))?.command
    }
    #expect(look(0) != nil)
    #expect(look(10) == nil && look(11) == nil)
    try shell.send("go")
    // The kernel sets the name before the arguments.
    try waitUntil("the program") {
      (try? readFile("/proc/\(shell.pid)/cmdline")) == Array("sleep\u{0}60\u{0}".utf8)
    }
    #expect(look(11.5) == nil, "the next look is not due")
    #expect(look(12) == "sleep 60")
  }

  @Test func `the command line of an old process that executes nothing is read every 5 s`() throws {
    let root = try TemporaryDirectory()
    #expect(try Tool.run(["mkdir", root.file("100")]).status == .exit(0))
    func write(_ name: String, _ text: String) throws {
      try TestFile.write(Array(text.utf8), to: root.file("100/\(name)"))
    }
    try write("stat", "100 (old) S 1 100 100 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 0 0 0")
    try write("status", "Tgid:\t100\n")
    try write("comm", "old\n")
    try write("environ", "A=1\0")
    try write("cmdline", "old\0")
    var watch = ProgramWatch(process: 100, now: Instant(nanoseconds: 0), root: root.path)
    func look(_ seconds: Double) -> String? {
      watch.look(now: Instant(nanoseconds: 0).advanced(bySeconds: seconds))?.command
    }
    #expect(look(0) == "old")
    try write("cmdline", "new\0")
    for second in 1...4 { #expect(look(Double(second)) == nil) }
    #expect(look(5) == "new")
  }

  @Test func `the first look alone reads how old the process is`() throws {
    let root = try TemporaryDirectory()
    let start = Instant(nanoseconds: 0)
    var watch = ProgramWatch(process: 100, now: start, root: root.path)
    #expect(try Tool.run(["mkdir", root.file("100")]).status == .exit(0))
    for (name, text) in [
      ("stat", "100 (old) S 1 100 100 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 0 0 0"),
      ("status", "Tgid:\t100\n"), ("cmdline", "old\0"), ("comm", "old\n"), ("environ", ""),
    ] {
      try TestFile.write(Array(text.utf8), to: root.file("100/\(name)"))
    }
    let program = watch.look(now: start)
    #expect(program?.command == "old")
    // It was started with the machine.
    #expect(watch.deadline == nil)
  }

  @Test func `it wakes the loop every 100 ms for 5 s, and then waits for others to do so`() {
    var watch = ProgramWatch(process: 1, now: Instant(nanoseconds: 0), root: "/nonexistent")
    #expect(watch.deadline == Instant(nanoseconds: 0))
    let found = watch.look(now: Instant(nanoseconds: 0))
    #expect(found == nil, "there is no such process")
    #expect(watch.deadline == Instant(nanoseconds: 100_000_000))
    _ = watch.look(now: Instant(nanoseconds: 4_950_000_000))
    #expect(watch.deadline == nil)
  }
}
