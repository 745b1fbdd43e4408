import PerfHUDBase
import TestSupport
import Testing

/// The HUD in a real xterm, on a display of its own.
@Suite struct XtermTests {
  @Test func `the HUD paints an xterm, follows its size, and q closes it`() throws {
    for tool in ["Xvfb", "xterm", "xdotool", "import", "identify"] { try requireTool(tool) }
    let load = try Load()
    let directory = try TemporaryDirectory()
    let server = try RunningTool([
      "Xvfb", "-displayfd", "1", "-screen", "0", "900x700x24", "-nolisten", "tcp", "-noreset",
    ])
    guard let number = try server.readLine(deadline: Perfhud.deadline) else {
      throw ToolError("Xvfb has not started: \(server.stderr)")
    }
    let display = ["DISPLAY": ":\(number)"]
    let file = directory.file("status")
    let xterm = try RunningTool(
      [
        "xterm", "-tn", "xterm-256color", "-fn", "6x13", "-bg", "black", "-fg", "white", "-b", "0",
        "-geometry", "80x24+0+0", "-e", "sh", "-c",
        "\"$perfhud\" --pid \(load.pid); echo $? > \(file)",
      ],
      environment: Perfhud.environment(
        ["perfhud": try Perfhud.path(), "TERM": nil].merging(display.mapValues { $0 }) { $1 }))

    /// Colors of a part of the screen, `WIDTHxHEIGHT+X+Y`.
    func colors(_ part: String) throws(ToolError) -> Int {
      let picture = directory.file("screen.png")
      let taken = try Tool.run(
        ["import", "-silent", "-window", "root", "-crop", part, picture],
        environment: display.mapValues { $0 }, timeout: Perfhud.deadline)
      guard taken.status == .exit(0) else { throw ToolError("import: \(taken.stderr)") }
      let counted = try Tool.run(
        ["identify", "-format", "%k", picture], timeout: Perfhud.deadline)
      return Int(counted.stdout) ?? 0
    }
    func type(_ arguments: String...) throws(ToolError) {
      let typed = try Tool.run(
        ["xdotool"] + arguments, environment: display.mapValues { $0 }, timeout: Perfhud.deadline)
      guard typed.status == .exit(0) else { throw ToolError("xdotool: \(typed.stderr)") }
    }

    // Text, titles, axes, and a color for each of CPU, memory and FPS.
    try waitUntil(deadline: Perfhud.deadline, "the HUD in xterm; \(xterm.stderr)") {
      () throws(ToolError) in try colors("480x312+0+0") >= 6
    }
    // 80x24 cells of 6x13 end at 480 and 312: beyond, the screen is empty until the window grows.
    #expect(try colors("120x60+600+400") == 1)
    try type("search", "--onlyvisible", "--class", "xterm", "windowsize", "840", "650")
    try waitUntil(deadline: Perfhud.deadline, "the HUD in the larger window") {
      () throws(ToolError) in try colors("240x300+600+340") >= 3
    }
    try type("mousemove", "100", "100", "key", "q")
    #expect(try xterm.wait(deadline: Perfhud.deadline) == .exit(0))
    #expect(String(decoding: try readFile(file, limit: 64), as: UTF8.self) == "0\n")
  }
}
