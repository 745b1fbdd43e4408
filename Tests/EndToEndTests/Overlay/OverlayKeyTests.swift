import Glibc
import TestSupport
import Testing

/// The prefix key of the HUD over a command, and the keys after it.
@Suite struct OverlayKeyTests {
  /// A command that shows what it is typed, with the HUD on the screen.
  private func echoing(_ options: String...) throws -> Tmux {
    let tmux = try Tmux(
      columns: 80, rows: 24,
      command: try Overlay.wrap(
        ["sh", "-c", "printf '\\033[2J\\033[20;1Hready\\r\\n'; stty -isig; exec cat -v"],
        options: options),
      environment: try Overlay.environment())
    // The HUD may come first, and then the command erases the screen.
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains("ready") && $0.shows("CPU") }
    return tmux
  }

  /// The row and column of the HUD's upper left corner; `nil` if it is not on the screen.
  private func corner(_ rows: [String]) -> [Int]? {
    for (row, text) in rows.enumerated() {
      if let column = Array(text).firstIndex(of: "╭") { return [row, column] }
    }
    return nil
  }

  private func waitForCorner(_ tmux: Tmux, _ row: Int, _ column: Int) throws {
    try tmux.waitFor(deadline: Perfhud.deadline) { corner($0) == [row, column] }
  }

  @Test func `after the prefix key, keys move, hide and show the HUD, none is the command's`()
    throws
  {
    let tmux = try echoing("--no-step-aside")
    try waitForCorner(tmux, 0, 41)
    try tmux.sendKeys("F12", "f")
    try tmux.waitFor("Esc", deadline: Perfhud.deadline)
    try tmux.sendKeys("Down")
    try waitForCorner(tmux, 19, 41)
    try tmux.sendKeys("1")
    try waitForCorner(tmux, 0, 0)
    try tmux.sendKeys("Right", "s")
    try waitForCorner(tmux, 0, 27)
    try tmux.sendKeys("?")
    try tmux.waitFor("hide or show the HUD", deadline: Perfhud.deadline)
    try tmux.sendKeys("x", "h")
    try tmux.waitFor(deadline: Perfhud.deadline) { corner($0) == nil }
    try tmux.sendText("typed\n")
    try tmux.waitFor("typed", deadline: Perfhud.deadline)
    try tmux.sendKeys("F12")
    try waitForCorner(tmux, 0, 27)
    try tmux.sendKeys("Escape")
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("Esc") }
    try tmux.sendText("again\n")
    // Each line twice: by the terminal's echo and by the command.
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.filter { $0 == "again" }.count == 2
    }
    #expect(screen.filter { $0 == "typed" }.count == 2)
    #expect(!screen.dropFirst(16).contains { $0.contains("^") }, "\(screen)")
  }

  @Test func `the prefix key twice reaches the command once`() throws {
    let tmux = try echoing()
    try tmux.sendKeys("F12", "F12", "a", "Enter")
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.filter { $0 == "^[[24~a" }.count == 2
    }
    #expect(!screen.contains { $0.contains("~^") })
  }

  @Test(arguments: [("f12", "F12"), ("^^", "C-^"), ("alt-x", "M-x")])
  func `a key after the prefix key is the HUD's, the next one the command's`(
    prefix: String, key: String
  ) throws {
    let tmux = try echoing("--no-step-aside", "--prefix", prefix)
    try waitForCorner(tmux, 0, 41)
    try tmux.sendKeys(key, "1", "a", key, "s", "b", "Enter")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.filter { $0.hasPrefix("ab") }.count == 2
    }
    try waitForCorner(tmux, 0, 0)
    // A key without a meaning is not the command's either.
    try tmux.sendKeys(key, "x", "c", "Enter")
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.filter { $0.hasPrefix("c ") || $0 == "c" }.count == 2
    }
    let typed = screen.dropFirst(16).filter { !$0.contains("no such key: ") }
    #expect(!typed.contains { $0.hasPrefix("x") || $0.contains("^") }, "\(typed)")
  }

  /// The width of a sequence of emoji differs between terminals, so the HUD cannot be where one is.
  @Test func `where the HUD cannot be drawn, the key after the prefix key is still its own`() throws
  {
    let tmux = try Overlay.shell()
    try tmux.sendText(
      "clear; \"$perfhud\" -- sh -c 'seq 24; printf \"👨‍👩‍👧 \"; exec cat -v'\n")
    // The typed command has all of it too. What is typed before the command runs is echoed before its output.
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains("24") && rows.contains { $0.unicodeScalars.first == "👨" }
    }
    for key in ["h", "s", "1"] {
      try tmux.sendKeys("F12")
      try tmux.sendText(key)
      try tmux.sendText("x")
    }
    let rows = try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("xxx") }
    #expect(!rows.contains { $0.contains(#/[hs1]x/#) }, "\(rows)")
    try tmux.sendKeys("C-c")
  }

  @Test func `a hidden HUD is shown by the prefix key and h, and hidden by the same`() throws {
    let tmux = try echoing("--no-step-aside")
    for isShown in [false, true, false, true] {
      try tmux.sendKeys("F12", "h")
      try tmux.waitFor(deadline: Perfhud.deadline) { (corner($0) != nil) == isShown }
    }
    try tmux.sendText("typed\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.filter { $0 == "typed" }.count == 2
    }
  }

  @Test func `without a prefix key, and with another one, the key is the command's`() throws {
    for option in ["none", "ctrl-g"] {
      let tmux = try echoing("--leader", option)
      try tmux.sendKeys("F12", "h", "Enter")
      try tmux.waitFor(deadline: Perfhud.deadline) { rows in
        rows.filter { $0 == "^[[24~h" }.count == 2
      }
      #expect(corner(try tmux.capture()) != nil)
      guard option != "none" else { continue }
      try tmux.sendKeys("C-g", "h")
      try tmux.waitFor(deadline: Perfhud.deadline) { corner($0) == nil }
    }
  }

  @Test func `the HUD steps aside from a cursor that rests under it, and comes back`() throws {
    let tmux = try Tmux(
      columns: 80, rows: 24,
      command: try Overlay.wrap([
        "sh", "-c",
        "printf '\\033[2J\\033[3;60H'; read a; printf '\\033[22;60H'; read a; printf '\\033[?25l'; read a",
      ]), environment: try Overlay.environment())
    try waitForCorner(tmux, 19, 41)
    try tmux.sendKeys("Enter")
    try waitForCorner(tmux, 0, 41)
    // Back where it would be under the HUD if that had stayed below.
    try tmux.sendKeys("Enter")
    try waitUntil(deadline: Perfhud.deadline, "a hidden cursor") { () throws(ToolError) in
      try tmux.value("cursor_flag") == "0"
    }
    #expect(corner(try tmux.capture()) == [0, 41])
  }

  @Test func `SIGUSR1 hides the HUD and gives the keys back`() throws {
    let tmux = try echoing()
    try tmux.sendKeys("F12")
    try tmux.waitFor("Esc", deadline: Perfhud.deadline)
    kill(pid_t(try tmux.pid), SIGUSR1)
    try tmux.waitFor(deadline: Perfhud.deadline) { corner($0) == nil }
    try tmux.sendText("typed\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.filter { $0 == "typed" }.count == 2
    }
  }

  @Test func `a HUD that is hidden after a stop can be shown`() throws {
    let tmux = try Overlay.shell()
    try tmux.sendText("clear; \"$perfhud\" --hidden --no-summary -- cat\n")
    let cat = try tmux.waitForProcess("cat")
    try tmux.sendText("one\n")
    try tmux.waitFor("one", deadline: Perfhud.deadline)
    try tmux.sendKeys("C-z")
    try tmux.waitFor("Stopped", deadline: Perfhud.deadline)
    try tmux.sendText("fg\n")
    try waitUntil(deadline: Perfhud.deadline, "cat going on") { ProcessEntry(cat)?.state == "S" }
    try tmux.sendText("two\n")
    try tmux.waitFor("two", deadline: Perfhud.deadline)
    try tmux.sendKeys("F12")
    try tmux.waitFor("CPU", deadline: Perfhud.deadline)
    try tmux.sendKeys("Escape")
    try tmux.sendKeys("C-d")
    try waitForEnd(of: [cat])
  }
}
