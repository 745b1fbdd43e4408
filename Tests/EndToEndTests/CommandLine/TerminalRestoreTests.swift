import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// However the HUD ends, the terminal is as it was.
@Suite struct TerminalRestoreTests {
  /// The modes of a terminal that nobody has changed.
  private let untouched: [UInt32]

  init() throws {
    let pty = try Pty(["true"])
    _ = try pty.wait(deadline: Perfhud.deadline)
    untouched = words(of: pty.modes)
  }

  /// A HUD that has drawn its first figures on a terminal in raw mode.
  private func runningHUD(_ load: Load, tick: String = "60") throws -> Pty {
    let pty = try Perfhud.pty("--pid", "\(load.pid)", "--tick", tick)
    try pty.read(deadline: Perfhud.deadline, until: "iB")
    #expect(words(of: pty.modes) != untouched)
    #expect(pty.text.contains("\u{1B}[?1049h") && pty.text.contains("\u{1B}[?25l"))
    #expect(pty.text.contains("\u{1B}[?1002;1006h"), "the mouse")
    _ = pty.takeOutput()
    return pty
  }

  private func expectRestored(_ pty: Pty, at location: SourceLocation = #_sourceLocation) {
    #expect(words(of: pty.modes) == untouched, sourceLocation: location)
    for sequence in ["\u{1B}[?1049l", "\u{1B}[?25h", "\u{1B}[?1002;1006l"] {
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

  @Test func `kill -STOP, modes set by the shell, kill -CONT: raw again, drawn anew, q restores`()
    throws
  {
    let load = try Load()
    let pty = try runningHUD(load)
    let raw = words(of: pty.modes)
    let link = try Tool.run(["readlink", "/proc/\(pty.pid)/fd/0"])
    let terminal = try Descriptor(
      open: try #require(link.lines.first), .readWrite, options: .init(rawValue: O_NOCTTY))
    pty.signal(SIGSTOP)
    try waitUntil(deadline: Perfhud.deadline, "the stop") {
      ProcessStatus(pty.pid)?.state == "T"
    }
    // What a shell sets when a job of its has stopped.
    var cooked = try Pty(["true"]).modes
    #expect(unsafe tcsetattr(terminal.raw, TCSANOW, &cooked) == 0)
    #expect(words(of: pty.modes) == untouched)
    try pty.read { _ in true }
    _ = pty.takeOutput()
    pty.signal(SIGCONT)
    try pty.read(deadline: Perfhud.deadline, until: " hel")
    #expect(words(of: pty.modes) == raw)
    for text in ["CPU", "MEM", "RSS", "MEM footprint", "why slow"] {
      #expect(pty.text.contains(text), "\(text)")
    }
    _ = pty.takeOutput()
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
    #expect(ProcessStatus(pid) != nil)
    holder.signal(SIGKILL)
    // Whoever adopts it may reap it late.
    try waitUntil(deadline: Perfhud.deadline, "the end of perfhud without a terminal") {
      ProcessStatus(pid).map { $0.state == "Z" } ?? true
    }
  }

  @Test(arguments: ["q", "TERM"])
  func `a terminal that takes no bytes: no growth, and it still obeys`(way: String) throws {
    let load = try Load()
    // Without a tick it wakes up for samples and sizes alone.
    let pty = try runningHUD(load, tick: "0")
    pty.resize(columns: 100, rows: 1000)
    // Each Ctrl-L is a whole new picture, and from here on nobody reads. The switches count its turns:
    // it has woken up, drawn when the picture was due, and come to rest again.
    func draw(pictures: Int) throws {
      for _ in 0..<pictures {
        let switches = try #require(ProcessStatus(pty.pid)).switches
        try pty.send("\u{0C}")
        try waitUntil(deadline: Perfhud.deadline, "a turn of the loop") {
          ProcessStatus(pty.pid).map { $0.switches > switches + 2 } ?? true
        }
      }
    }
    // Until the terminal is full and its queue too it grows, then it must not any more.
    let bound = 65536
    var growth = Int.max
    for _ in 0..<5 where growth > bound {
      let before = try ProcessStatus.privateBytes(pty.pid)
      try draw(pictures: 40)
      growth = try ProcessStatus.privateBytes(pty.pid) - before
    }
    #expect(growth <= bound)
    if way == "q" { try pty.send("q") } else { pty.signal(SIGTERM) }
    // Still nobody reads.
    try waitUntil(deadline: Perfhud.deadline, "the end of perfhud") {
      ProcessStatus(pty.pid)?.state == "Z"
    }
    #expect(try pty.wait(deadline: Perfhud.deadline) == (way == "q" ? .exit(0) : .signal(15)))
    // What the terminal has taken before it was full shows that pictures were drawn, and how large
    // one is: to keep 40 of them would have been a growth.
    let pictures = pty.text.components(of: "\u{1B}[H\u{1B}[2J")
    #expect(pictures > 0)
    #expect(40 * pty.output.count / max(1, pictures) > 4 * bound)
    #expect(words(of: pty.modes) == untouched)
  }

  @Test func `a terminal that was blocked for a while shows the newest picture after`() throws {
    let load = try Load()
    let pty = try runningHUD(load)
    for step in 0..<40 {
      let switches = try #require(ProcessStatus(pty.pid)).switches
      pty.resize(columns: 100 + step % 2, rows: 50)
      try waitUntil(deadline: Perfhud.deadline, "a turn of the loop") {
        ProcessStatus(pty.pid).map { $0.switches > switches + 2 } ?? true
      }
    }
    try load.command("alloc 300000000")
    // A value whose first digits are there already is not written whole: Ctrl-L writes all.
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

extension String {
  /// How often it contains a text.
  func components(of text: String) -> Int { ranges(of: text).count }
}
