import Base
import Glibc
import TestSupport
import Testing

/// However the HUD ends, the terminal is as it was.
@Suite struct WayOutTests {
  /// The modes of a terminal that nobody has changed.
  private let untouched: [UInt32]

  init() throws {
    let pty = try Pty(["true"])
    _ = try pty.wait(deadline: Perfhud.deadline)
    untouched = words(of: pty.modes)
  }

  /// A HUD that has drawn its first figures on a terminal in raw mode.
  private func runningHUD(_ load: Load) throws -> Pty {
    let pty = try Perfhud.pty("--pid", "\(load.pid)")
    try pty.read(deadline: Perfhud.deadline, until: "iB")
    #expect(words(of: pty.modes) != untouched)
    #expect(pty.text.contains("\u{1B}[?1049h") && pty.text.contains("\u{1B}[?25l"))
    _ = pty.takeOutput()
    return pty
  }

  private func expectRestored(_ pty: Pty, at location: SourceLocation = #_sourceLocation) {
    #expect(words(of: pty.modes) == untouched, sourceLocation: location)
    for sequence in ["\u{1B}[?1049l", "\u{1B}[?25h"] {
      #expect(
        pty.text.components(of: sequence) == 1, "\(quote(pty.output.suffix(200)))",
        sourceLocation: location)
    }
  }

  @Test(arguments: [
    (SIGINT, ExitStatus.exit(0)), (SIGTERM, .signal(15)), (SIGHUP, .signal(1)),
    (SIGQUIT, .signal(3)),
  ])
  func `the terminal is restored and the status is right after signal`(
    number: Int32, status: ExitStatus
  ) throws {
    let load = try Load()
    let pty = try runningHUD(load)
    pty.signal(number)
    #expect(try pty.wait(deadline: Perfhud.deadline) == status)
    expectRestored(pty)
  }

  @Test(arguments: [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE])
  func `a crash restores the terminal and dies by its own signal`(number: Int32) throws {
    let load = try Load()
    let pty = try runningHUD(load)
    pty.signal(number)
    #expect(try pty.wait(deadline: Perfhud.deadline) == .signal(Int(number)))
    expectRestored(pty)
  }

  @Test func `q restores the terminal`() throws {
    let load = try Load()
    let pty = try runningHUD(load)
    try pty.send("q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    expectRestored(pty)
  }

  @Test func `an error before the first picture leaves the terminal alone`() throws {
    let pty = try Perfhud.pty("--pid", "2147483647")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(1))
    #expect(words(of: pty.modes) == untouched)
    #expect(pty.text.hasPrefix("perfhud: no process") && !pty.text.contains("\u{1B}"))
  }

  /// script(1) holds the terminal; killed, it takes it away.
  @Test(arguments: ["", "trap '' HUP; "])
  func `a terminal that is pulled away ends the HUD, after`(preparation: String) throws {
    let load = try Load()
    let directory = try TemporaryDirectory()
    let file = directory.file("pid")
    let command =
      "stty rows 24 cols 80; \(preparation)echo $$ > \(file); exec \"$perfhud\" --pid \(load.pid)"
    let picture = directory.file("picture")
    let holder = try RunningTool(
      ["sh", "-c", "exec script -qfc \"$0\" \(picture) > /dev/null", command],
      environment: Perfhud.environment([
        "perfhud": try Perfhud.path(), "TERM": "xterm-256color", "SHELL": "/bin/sh",
      ]))
    try waitUntil(deadline: Perfhud.deadline, "the HUD below script(1)") {
      String(decoding: (try? readFile(picture, limit: 1 << 20)) ?? [], as: UTF8.self)
        .contains("iB")
    }
    let text = String(decoding: try readFile(file, limit: 64), as: UTF8.self)
    let pid = try #require(Int(text.split(separator: "\n").first ?? ""))
    #expect(Process(pid) != nil)
    holder.signal(SIGKILL)
    // Whoever adopts it may reap it late.
    try waitUntil(deadline: Perfhud.deadline, "the end of perfhud without a terminal") {
      Process(pid).map { $0.state == "Z" } ?? true
    }
  }

  @Test(arguments: ["q", "TERM"])
  func `a terminal that takes no bytes: no growth, and it still obeys`(way: String) throws {
    let load = try Load()
    let pty = try runningHUD(load)
    // Each new size is a whole new picture, and from here on nobody reads. The switches count its
    // turns: it has woken up and come to rest again.
    func drawTwenty() throws {
      for step in 0..<20 {
        let switches = try #require(Process(pty.pid)).switches
        pty.resize(columns: 100 + step % 2, rows: 50)
        try waitUntil(deadline: Perfhud.deadline, "a turn of the loop") {
          Process(pty.pid).map { $0.switches > switches + 2 } ?? true
        }
      }
    }
    try drawTwenty()
    let before = try #require(Process(pty.pid)).residentBytes
    for _ in 0..<5 { try drawTwenty() }
    let after = try #require(Process(pty.pid)).residentBytes
    #expect(after - before < 4_000_000, "grew from \(before) to \(after)")
    if way == "q" { try pty.send("q") } else { pty.signal(SIGTERM) }
    // Still nobody reads.
    try waitUntil(deadline: Perfhud.deadline, "the end of perfhud") {
      Process(pty.pid)?.state == "Z"
    }
    #expect(try pty.wait(deadline: Perfhud.deadline) == (way == "q" ? .exit(0) : .signal(15)))
    #expect(words(of: pty.modes) == untouched)
  }

  @Test func `a terminal that was blocked for a while shows the newest picture after`() throws {
    let load = try Load()
    let pty = try runningHUD(load)
    for step in 0..<40 {
      let switches = try #require(Process(pty.pid)).switches
      pty.resize(columns: 100 + step % 2, rows: 50)
      try waitUntil(deadline: Perfhud.deadline, "a turn of the loop") {
        Process(pty.pid).map { $0.switches > switches + 2 } ?? true
      }
    }
    try load.command("alloc 300000000")
    // A figure whose first digits stand already is not written whole: Ctrl-L writes all.
    try waitUntil(deadline: Perfhud.deadline, "the newest memory") { () throws(ToolError) in
      try pty.send("\u{0C}")
      do {
        try pty.read(deadline: 1) { bytes in
          // Without the page tables, which are read more rarely, and with them.
          let text = String(decoding: bytes, as: UTF8.self)
          return text.contains("286.") || text.contains("287.")
        }
        return true
      } catch {
        return false
      }
    }
    try pty.send("q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    expectRestored(pty)
  }
}

/// A process as /proc shows it now.
private struct Process {
  let state: String
  /// Of the main thread, since its start.
  let switches: Int
  let residentBytes: Int

  /// `nil` if there is none of that number.
  init?(_ pid: Int) {
    guard let bytes = try? readFile("/proc/\(pid)/status", limit: 1 << 16) else { return nil }
    var fields: [Substring: Substring] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { fields[parts[0]] = parts[1].drop { $0 == "\t" || $0 == " " } }
    }
    guard let state = fields["State"]?.first else { return nil }
    self.state = String(state)
    func number(_ key: Substring) -> Int {
      fields[key]?.split(separator: " ").first.flatMap { Int($0) } ?? 0
    }
    switches = number("voluntary_ctxt_switches")
    residentBytes = number("VmRSS") * 1024
  }
}

extension String {
  /// How often a text stands in it.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
