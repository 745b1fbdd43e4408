import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// perfhud does half of its work while nobody looks. Readings are counted: each wakes the thread that samples
/// once. A slow machine makes fewer of them, never more than the grid has places.
@Suite struct UnwatchedTests {
  /// How often the thread has slept.
  private func sleeps(_ thread: Int) throws -> Int {
    try #require(ProcessStatus(thread), "the thread has ended").switches
  }

  /// The thread of a perfhud that samples, once it has made some readings.
  private func samplingThread(_ pid: Int) throws -> Int {
    var found: Int?
    try waitUntil(deadline: Perfhud.deadline, "the readings") { () throws(ToolError) in
      var threads: [Int] = []
      for process in ProcessTable.tree(pid) where process.name.hasPrefix("perfhud") {
        threads += try Tool.run(["ls", "/proc/\(process.pid)/task"]).lines.compactMap { Int($0) }
      }
      found = threads.first { ProcessEntry($0)?.name == "perfhud-sampler" }
      return found.flatMap { ProcessStatus($0) }.map { $0.switches > 10 } ?? false
    }
    return try #require(found)
  }

  /// Readings in the time that the clock shows around them.
  private struct Window {
    let readings: Int
    let seconds: Double

    /// More than there are places in a grid of 40 ms, with some to spare for a sleep that is no reading; at
    /// full speed there are half as many again.
    var isFull: Bool { Double(readings) > seconds / 0.032 + 2 }
    /// As many as a grid of 80 ms has places.
    var isAtMostQuarter: Bool { Double(readings) <= seconds / 0.08 + 2 }
  }

  /// Looks for a second, while the terminal takes what perfhud draws.
  private func window(_ pty: Pty, _ thread: Int) throws -> Window {
    let begin = Instant.now()
    let before = try sleeps(thread)
    try pty.read(deadline: Perfhud.deadline) { _ in Instant.now().seconds(since: begin) >= 1 }
    let readings = try sleeps(thread) - before
    return Window(readings: readings, seconds: Instant.now().seconds(since: begin))
  }

  /// Waits for the first second of which the condition holds.
  private func wait(
    _ pty: Pty, _ thread: Int, _ what: String, until condition: (Window) -> Bool
  ) throws {
    let deadline = Instant.now().advanced(bySeconds: Perfhud.deadline)
    while true {
      let last = try window(pty, thread)
      if condition(last) { return }
      guard Instant.now() < deadline else { throw ToolError("\(what): \(last)") }
    }
  }

  private func waitForAll(_ pty: Pty, _ thread: Int) throws {
    try wait(pty, thread, "not every 20 ms") { $0.isFull }
  }

  /// Waits until perfhud has slowed down, and expects that it stays so, at half of the readings.
  private func expectHalf(_ pty: Pty, _ thread: Int) throws {
    try wait(pty, thread, "not every 40 ms") { !$0.isFull }
    var windows: [Window] = []
    try wait(pty, thread, "less than half") {
      windows.append($0)
      return !$0.isAtMostQuarter
    }
    #expect(!windows.contains { $0.isFull }, "\(windows)")
  }

  @Test func `a HUD without the focus samples half as often, until it is back`() throws {
    let load = try Load()
    let pty = try Perfhud.pty("--pid", "\(load.pid)", "--interval", "20ms")
    try pty.read(deadline: Perfhud.deadline, until: "CPU")
    #expect(pty.text.contains("\u{1B}[?1004h"), "it asks for reports")
    let thread = try samplingThread(pty.pid)
    try waitForAll(pty, thread)
    try pty.send("\u{1B}[O")
    try expectHalf(pty, thread)
    try pty.send("\u{1B}[I")
    try waitForAll(pty, thread)
    try pty.send("\u{1B}[O")
    try expectHalf(pty, thread)
    // Whoever types is there.
    try pty.send("g")
    try waitForAll(pty, thread)
    try pty.send("q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    #expect(pty.text.contains("\u{1B}[?1004l"), "it takes that back")
  }

  @Test func `a hidden HUD over a command samples half as often`() throws {
    let pty = try Overlay.pty("cat", options: ["--interval", "20ms"])
    let thread = try samplingThread(pty.pid)
    try waitForAll(pty, thread)
    pty.signal(SIGUSR1)
    try expectHalf(pty, thread)
    pty.signal(SIGUSR1)
    try waitForAll(pty, thread)
    try pty.send([4])
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
  }

  @Test func `focus counts over a command that has asked for it, and reaches it`() throws {
    let pty = try Overlay.pty(
      "sh", "-c", "stty raw -echo; printf '\\033[?1004h'; exec cat -v",
      options: ["--interval", "20ms"])
    try pty.read(deadline: Perfhud.deadline, until: "?1004h")
    let thread = try samplingThread(pty.pid)
    try waitForAll(pty, thread)
    try pty.send("\u{1B}[O")
    try pty.read(deadline: Perfhud.deadline, until: "^[[O")
    try expectHalf(pty, thread)
    pty.signal(SIGHUP)
    _ = try pty.wait(deadline: Perfhud.deadline)
  }
}
