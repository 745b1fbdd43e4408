import Glibc
import TestSupport
import Testing

/// Every key of the HUD, in tmux.
@Suite struct HUDKeyTests {
  private let load: Load
  private let tmux: Tmux

  init() throws {
    load = try Load()
    tmux = try Perfhud.tmux("--pid", "\(load.pid)", columns: 120, rows: 40)
    try tmux.waitForValues()
  }

  @Test(arguments: ["q", "Q", "C-c"])
  func `the HUD quits with status 0 on`(key: String) throws {
    try tmux.sendKeys(key)
    try tmux.waitForEnd(.exit(0))
  }

  @Test func `space freezes the picture while sampling goes on, and space shows it again`() throws {
    try tmux.waitForMemory(0...20e6)
    try tmux.sendKeys("Space")
    let frozen = try tmux.waitFor("PAUSED", deadline: Perfhud.deadline)
    let taken = try load.command("alloc 100000000")
    // Another perfhud has seen the growth ten times: so has this one.
    let run = try BatchRun("--pid", "\(load.pid)")
    _ = try run.next(after: taken[0])
    for _ in 0..<10 { _ = try run.next() }
    #expect(try tmux.capture().gauge("MEM") == frozen.gauge("MEM"))
    try tmux.sendKeys("Space")
    let shown = try tmux.waitForMemory(100e6...105e6)
    #expect(!shown.shows("PAUSED"))
  }

  @Test func `+ and - change the interval, in steps, and stop at the ends`() throws {
    #expect(try tmux.capture().shows("every 100 ms"))
    for (key, text) in [
      ("+", "every 40 ms"), ("=", "every 20 ms"), ("+", "every 20 ms"),
      ("-", "every 40 ms"), ("_", "every 100 ms"), ("-", "every 200 ms"),
    ] {
      try tmux.sendText(key)
      try tmux.waitFor(text, deadline: Perfhud.deadline)
    }
    // The figures go on at the new interval.
    try load.command("alloc 100000000")
    try tmux.waitForMemory(100e6...105e6)
  }

  @Test func `C counts the children from now on, and a second time no longer`() throws {
    let child = try load.command("child")[0]
    defer { kill(pid_t(child), SIGKILL) }
    let alone = "children: 1 not counted (press C)"
    try tmux.waitFor(alone, deadline: Perfhud.deadline)
    try tmux.sendText("C")
    try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.shows("2 processes") && !$0.shows("not counted")
    }
    try tmux.sendText("C")
    try tmux.waitFor(alone, deadline: Perfhud.deadline)
    #expect(try !tmux.capture().shows("2 processes"))
  }

  @Test func `g changes the style of the graphs: braille, block, ASCII, braille`() throws {
    func graph(_ screen: [String]) -> String {
      screen.drop { !$0.contains("MEM footprint") }.prefix { !$0.contains(" memory ") }.joined()
    }
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.hasBraille }
    try tmux.sendText("g")
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.hasBraille && graph($0).contains("█") }
    try tmux.sendText("g")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      !screen.hasBraille && !graph(screen).contains("█") && graph(screen).contains("#")
    }
    try tmux.sendText("g")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.hasBraille && !graph($0).contains("#") }
  }

  @Test func `I shows the CPU as a share of all processors, and of one again`() throws {
    #expect(try tmux.capture().gauge("CPU")?.contains("100% = 1 core") == true)
    try tmux.sendText("I")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.gauge("CPU")?.contains(#/100% = \d+(\.\d)? cores/#) ?? false
    }
    try tmux.sendText("i")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.gauge("CPU")?.contains("100% = 1 core ") == true
    }
  }

  @Test func `m sets a mark on the graphs`() throws {
    #expect(try !tmux.capture().hasMark)
    try tmux.sendText("m")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.hasMark }
  }

  @Test func `r resets the peaks`() throws {
    try load.command("alloc 200000000")
    try tmux.waitForMemory(200e6...205e6)
    try load.command("free 200000000")
    try tmux.waitForMemory(0...20e6)
    #expect(try tmux.capture().gauge("MEM")?.contains("peak 19") == true)
    try tmux.sendText("r")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.gauge("MEM")?.contains("peak") == true
        && screen.gauge("MEM")?.contains("peak 19") == false
    }
  }

  @Test func `P reads PSS of a process that is too large to be read unasked`() throws {
    try load.command("alloc 400000000")
    let figure = #/PSS( [0-9]+s old)? +38\dM/#
    let screen = try tmux.waitFor("off above 300 MiB", deadline: Perfhud.deadline)
    #expect(!screen.contains { $0.contains(figure) })
    try tmux.sendText("P")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.contains { $0.contains(figure) } && !screen.shows("off above")
    }
  }

  @Test func `? lists the keys, any key closes the list and does nothing else, q too`() throws {
    try tmux.sendText("?")
    let keys = ["q", "space", "+", "-", "g", "I", "m", "r", "P", "?", "^L", "^Z"]
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      // In two columns.
      screen.shows("freeze the picture")
        && keys.allSatisfy { key in
          let label = key + String(repeating: " ", count: 7 - key.count)
          return screen.shows("│ \(label)") || screen.shows("   \(label)")
        }
    }
    try tmux.sendText("m")
    let closed = try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("freeze the picture") }
    #expect(!closed.hasMark)
    try tmux.sendText("?")
    try tmux.waitFor("freeze the picture", deadline: Perfhud.deadline)
    try tmux.sendText("q")
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("freeze the picture") }
    try tmux.sendText("q")
    try tmux.waitForEnd(.exit(0))
  }

  @Test func `a click on a tab, the wheel and the digits reach the HUD`() throws {
    let load = try Load()
    let pty = try Perfhud.pty("--pid", "\(load.pid)")
    try pty.read(deadline: Perfhud.deadline, until: "iB")
    _ = pty.takeOutput()
    try pty.send("\u{1B}[<0;15;1M\u{1B}[<0;15;1m")
    try pty.read(deadline: Perfhud.deadline, until: "mappings")
    _ = pty.takeOutput()
    try pty.send("\u{1B}[<64;20;12M6")
    try pty.read(deadline: Perfhud.deadline, until: "no action yet")
    try pty.send("q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
  }

  @Test func `--no-mouse leaves the mouse to the terminal`() throws {
    let load = try Load()
    let pty = try Perfhud.pty("--pid", "\(load.pid)", "--no-mouse")
    try pty.read(deadline: Perfhud.deadline, until: "iB")
    try pty.send("q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    #expect(!pty.text.contains("1006"))
  }

  @Test func `the mouse is taken and left as the sheet of settings says`() throws {
    let load = try Load()
    let pty = try Perfhud.pty("--pid", "\(load.pid)", "--no-mouse")
    try pty.read(deadline: Perfhud.deadline, until: "iB")
    #expect(!pty.text.contains("1006"))
    // Up to the setting, and one value on.
    let place = 9
    try pty.send("," + String(repeating: "j", count: place) + "l")
    try pty.read(deadline: Perfhud.deadline, until: "\u{1B}[?1002;1006h")
    _ = pty.takeOutput()
    try pty.send("l")
    try pty.read(deadline: Perfhud.deadline, until: "\u{1B}[?1002;1006l")
    try pty.send("l")
    try pty.read(deadline: Perfhud.deadline, until: "\u{1B}[?1002;1006h")
    _ = pty.takeOutput()
    try pty.send(",q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    #expect(pty.text.contains("\u{1B}[?1002;1006l"))
  }

  @Test func `keys without a meaning do nothing`() throws {
    for key in ["Up", "F1", "Escape", "x", "Enter", "BTab", "M-q", "DC", "PPage"] {
      try tmux.sendKeys(key)
    }
    try tmux.sendText("é日\u{1F600}")
    try tmux.sendText("m")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.hasMark }
    #expect(try tmux.status == nil)
  }

  @Test func `Ctrl-L draws over what another program has written on the terminal`() throws {
    let path = try tmux.value("pane_tty")
    let stain = "printf '\\033[3;3HSTAIN\\033[20;40HSTAIN' > \(path)"
    #expect(try Tool.run(["sh", "-c", stain]).status == .exit(0))
    try tmux.waitFor("STAIN", deadline: Perfhud.deadline)
    try tmux.sendKeys("C-l")
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("STAIN") && $0.showsValues }
  }

  @Test(arguments: 0..<8)
  func `a terminal that goes away ends the view by SIGHUP, whatever comes first`(
    round: Int
  ) throws {
    let target = try RunningTool(["sleep", "60"])
    let terminal = try ManualTerminal(
      [try Perfhud.path(), "--pid", "\(target.pid)"], environment: Perfhud.environment())
    var seen: [UInt8] = []
    try waitUntil(deadline: Perfhud.deadline, "the first value") {
      seen += terminal.takeAll()
      return String(decoding: seen, as: UTF8.self).contains("MEM")
    }
    terminal.hangUp()
    var status: ExitStatus?
    try waitUntil(deadline: Perfhud.deadline, "the end") {
      status = terminal.status
      return status != nil
    }
    #expect(status == .signal(Int(SIGHUP)))
  }
}
