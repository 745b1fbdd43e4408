import PerfHUDBase
import TestSupport
import Testing

/// Terminals with more cells than anybody has: their size comes from outside.
@Suite struct LargeTerminalTests {
  private static let sizes = [(40_000, 1000), (100, 40_000), (65_535, 65_535), (5000, 5000)]

  @Test(arguments: sizes)
  func `the full-screen view draws on a part of it, and quits`(columns: Int, rows: Int) throws {
    let load = try Load()
    let pty = try Perfhud.pty("--pid", "\(load.pid)", columns: columns, rows: rows)
    try pty.read(deadline: Perfhud.deadline, until: "MEM")
    try pty.send("q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
  }

  @Test(arguments: sizes)
  func `a command runs without a HUD, which comes once the terminal is smaller`(
    columns: Int, rows: Int
  ) throws {
    let pty = try Overlay.pty(
      "sh", "-c", "stty size; read line; echo end", columns: columns, rows: rows)
    try pty.read(deadline: Perfhud.deadline, until: "\(rows) \(columns)")
    #expect(!pty.text.contains("CPU"))
    pty.resize(columns: 80, rows: 24)
    // The place of the cursor has to be known before anything is drawn.
    try pty.read(deadline: Perfhud.deadline, until: "\u{1B}[6n")
    try pty.send("\u{1B}[3;1R\u{1B}[?62c")
    try pty.send("\r")
    try pty.read(deadline: Perfhud.deadline, until: "end")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
  }
}
