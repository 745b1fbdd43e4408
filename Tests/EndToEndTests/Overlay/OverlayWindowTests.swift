import PerfHUDBase
import TestSupport
import Testing

/// The windows of the HUD over a command, which they leave as it was.
@Suite struct OverlayWindowTests {
  private func run(_ script: String, columns: Int = 80, rows: Int = 24) throws -> Tmux {
    let tmux = try Tmux(
      columns: columns, rows: rows,
      command: try Overlay.wrap(["sh", "-c", script], options: ["--no-step-aside"]),
      environment: try Overlay.environment())
    try tmux.waitFor("CPU", deadline: Perfhud.deadline)
    return tmux
  }

  /// Fills the screen with text that names row and column, and waits.
  private static let fill = """
    stty -echo; awk 'BEGIN { for (row = 1; row <= ROWS; row++) { printf "\\033[%d;1H", row; \
    for (column = 1; column < COLUMNS; column++) printf "%c", 97 + (row + column) % 26 } }'; cat
    """

  private func filled(_ columns: Int, _ rows: Int) throws -> Tmux {
    let script = Self.fill.replacing("ROWS", with: "\(rows)").replacing(
      "COLUMNS", with: "\(columns)")
    let tmux = try run(script, columns: columns, rows: rows)
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.last?.count == columns - 1 }
    return tmux
  }

  /// What is beside the HUD in its top right corner.
  private func beside(_ screen: [String], _ columns: Int, _ rows: Int) -> [String] {
    let hud = Overlay.rect(columns: columns, rows: rows)
    return screen.enumerated().map { row, text in
      hud.rows.contains(row) ? String(text.prefix(hud.columns.lowerBound)) : text
    }
  }

  @Test(arguments: [(80, 24), (44, 15)])
  func `help over a program, opened and closed, leaves its screen as it was`(
    columns: Int, rows: Int
  ) throws {
    let tmux = try filled(columns, rows)
    let before = try tmux.capture()
    try tmux.sendKeys("F12", "f", "?")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      guard screen.shows("hide or show the HUD") else { return false }
      if rows < 24 { return screen.shows("j k scroll") }
      // No strip of the HUD is beside it.
      return screen.shows("any key closes") && screen[0].contains("╭") && !screen[4].contains("╯")
    }
    if rows < 24 {
      try tmux.sendKeys("End")
      try tmux.waitFor("change the nice value", deadline: Perfhud.deadline)
    }
    try tmux.sendKeys("x")
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("change the nice value") }
    try tmux.sendKeys("Escape")
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("Esc back") }
    let after = try tmux.capture()
    #expect(beside(after, columns, rows) == beside(before, columns, rows))
    try tmux.sendKeys("F12", "h")
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      !screen.shows("CPU") && screen.allSatisfy { $0.count == columns - 1 }
    }
  }

  @Test func `a program that scrolls beneath the help leaves nothing of the help`() throws {
    let tmux = try run(
      "i=1000; while sleep 0.05; do i=$((i+1)); echo line $i; test $i = 1100 && cat; done",
      columns: 110)
    let number = #/line (\d+)/#
    func waitForLine(_ wanted: Int) throws {
      try tmux.waitFor(deadline: Perfhud.deadline) { screen in
        screen.compactMap { $0.firstMatch(of: number).flatMap { Int($0.1) } }.max() ?? 0 >= wanted
      }
    }
    try waitForLine(1010)
    try tmux.sendKeys("F12", "?")
    try tmux.waitFor("any key closes", deadline: Perfhud.deadline)
    try waitForLine(1060)
    try tmux.sendKeys("x", "F12", "h")
    // Until no row holds anything else: a picture may be of half of a frame.
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.shows("line 1100")
        && screen.allSatisfy { $0.isEmpty || $0.wholeMatch(of: number) != nil }
    }
    let lines = try tmux.captureHistory().filter { !$0.isEmpty }
    #expect(lines == (1001...1100).map { "line \($0)" })
  }

  @Test func `a window that changes its size with the help open leaves nothing of the help`()
    throws
  {
    let tmux = try run("printf '\\033[?1049h\\033[2Jtop'; exec cat")
    try tmux.sendKeys("F12", "?")
    try tmux.waitFor("any key closes", deadline: Perfhud.deadline)
    for (columns, rows) in [(60, 20), (100, 30), (44, 15), (80, 24)] {
      try tmux.resize(columns: columns, rows: rows)
      try tmux.waitFor(deadline: Perfhud.deadline) { screen in
        screen.count == rows && screen.shows("hide or show the HUD") && screen.shows("╯")
      }
    }
    try tmux.waitFor("any key closes", deadline: Perfhud.deadline)
    try tmux.sendKeys("x", "F12", "h")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.filter { !$0.isEmpty } == ["top"] }
  }

  @Test func `the prefix key and f focus the log, Esc returns`() throws {
    let tmux = try filled(80, 24)
    let before = try tmux.capture()
    try tmux.sendKeys("F12", "f", "m", "m", "f")
    try tmux.waitFor("┏ log ", deadline: Perfhud.deadline)
    try tmux.sendKeys("g")
    try tmux.waitFor("┃>", deadline: Perfhud.deadline)
    try tmux.sendKeys("/")
    try tmux.sendText("mark")
    try tmux.waitFor("find: mark_", deadline: Perfhud.deadline)
    try tmux.sendKeys("Enter", "n", "Escape")
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("log ") && $0.shows("Esc back") }
    try tmux.sendKeys("Escape")
    try tmux.waitFor(deadline: Perfhud.deadline) {
      !$0.shows("Esc back") && !$0.shows("mark set")
    }
    let after = try tmux.capture()
    #expect(beside(after, 80, 24) == beside(before, 80, 24))
    try tmux.sendText("\ntyped\n")
    try tmux.waitFor("typed", deadline: Perfhud.deadline)
  }

  @Test func `what a key has chosen is shown in the lower edge for a moment`() throws {
    let tmux = try filled(80, 24)
    try tmux.sendKeys("F12", "f", "+")
    var pressed = Instant.now()
    try waitUntil(deadline: Perfhud.deadline, "interval 40 ms") { () throws(ToolError) in
      // In a row below the edge where another one is still shown.
      if try Array(tmux.capture()[4...6]).shows("interval 40 ms") { return true }
      // It is there for 2 s, which a slow test may miss.
      if Instant.now().seconds(since: pressed) > 4 {
        try tmux.sendKeys("-", "+")
        pressed = Instant.now()
      }
      return false
    }
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      !screen.shows("every ") && screen[9...10].allSatisfy { $0.count == 79 }
    }
  }
}
