import Base
import Glibc
import TestSupport
import Testing

/// perfhud does half of its work while nobody looks. Readings are counted, not timed: each wakes the
/// thread that samples once.
@Suite struct PaceTests {
  /// How often the thread that samples has slept.
  private func sleeps(_ pid: Int) throws -> Int {
    let names = try Tool.run(["ls", "/proc/\(pid)/task"], timeout: 20).lines
    let threads = names.compactMap { Int($0) }
    guard let thread = threads.first(where: { $0 != pid }) else {
      throw ToolError("no thread samples in \(pid)")
    }
    let status = String(
      decoding: try readFile("/proc/\(pid)/task/\(thread)/status"), as: UTF8.self)
    let line = try #require(
      status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") })
    return try #require(line.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) })
  }

  private func waitForReadings(_ pid: Int) throws {
    try waitUntil(deadline: Perfhud.deadline, "the readings") { ((try? sleeps(pid)) ?? 0) > 10 }
  }

  /// Readings in two seconds.
  private func readings(_ pid: Int) throws -> Int {
    let before = try sleeps(pid)
    let end = Instant.now().advanced(bySeconds: 2)
    while Instant.now() < end { usleep(10_000) }
    return try sleeps(pid) - before
  }

  /// Two counts of the same length, one after the other: the machine may be slow in either.
  private func expectHalf(_ some: Int, of all: Int) {
    #expect(some > 0 && all > 0)
    #expect(Double(some) < 0.75 * Double(all), "\(some) of \(all)")
    #expect(Double(some) > 0.25 * Double(all), "\(some) of \(all)")
  }

  @Test func `a HUD without the focus samples half as often, until it is back`() throws {
    let load = try Load()
    let pty = try Perfhud.pty("--pid", "\(load.pid)", "--interval", "20ms")
    try pty.read(deadline: Perfhud.deadline, until: "CPU")
    #expect(pty.text.contains("\u{1B}[?1004h"), "it asks to be told")
    let all = try readings(pty.pid)
    try pty.send("\u{1B}[O")
    let some = try readings(pty.pid)
    expectHalf(some, of: all)
    try pty.send("\u{1B}[I")
    expectHalf(some, of: try readings(pty.pid))
    try pty.send("\u{1B}[O")
    let again = try readings(pty.pid)
    // Whoever types is there.
    try pty.send("g")
    expectHalf(again, of: try readings(pty.pid))
    try pty.send("q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    #expect(pty.text.contains("\u{1B}[?1004l"), "it takes that back")
  }

  @Test func `a hidden HUD over a command samples half as often`() throws {
    let pty = try Overlay.pty("cat", options: ["--interval", "20ms"])
    try waitForReadings(pty.pid)
    let all = try readings(pty.pid)
    pty.signal(SIGUSR1)
    let some = try readings(pty.pid)
    expectHalf(some, of: all)
    pty.signal(SIGUSR1)
    expectHalf(some, of: try readings(pty.pid))
    try pty.send([4])
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
  }

  @Test func `focus counts over a command that has asked for it, and reaches it`() throws {
    let pty = try Overlay.pty(
      "sh", "-c", "stty raw -echo; printf '\\033[?1004h'; exec cat -v",
      options: ["--interval", "20ms"])
    try pty.read(deadline: Perfhud.deadline, until: "?1004h")
    try waitForReadings(pty.pid)
    let all = try readings(pty.pid)
    try pty.send("\u{1B}[O")
    try pty.read(deadline: Perfhud.deadline, until: "^[[O")
    expectHalf(try readings(pty.pid), of: all)
    pty.signal(SIGHUP)
    _ = try pty.wait(deadline: Perfhud.deadline)
  }
}
