import TestSupport
import Testing

/// The full-screen view on a terminal that says which background it has, or does not.
@Suite struct BackgroundTests {
  private static let question = "\u{1B}]11;?\u{1B}\\\u{1B}[c"
  /// CPU in `light` and in `dark`, of 256 colors.
  private static let light = "\u{1B}[38;5;25m"
  private static let dark = "\u{1B}[38;5;75m"

  private func start(_ load: Load, _ environment: [String: String] = [:]) throws -> Pty {
    let pty = try Perfhud.pty("--pid", "\(load.pid)", environment: environment)
    try pty.read(deadline: Perfhud.deadline, until: BackgroundTests.question)
    return pty
  }

  @Test(
    arguments: [("ffff/ffff/ffff", light, dark), ("1e1e/1e1e/1e1e", dark, light)],
    ["mOD", "OmD", "ODm"])
  func `the first picture has the colors for the background, and no key is lost`(
    background: (color: String, wanted: String, other: String), order: String
  ) throws {
    let load = try Load()
    let pty = try start(load)
    // The key before, between and after the answers.
    let typed = order.map { part in
      switch part {
      case "O": "\u{1B}]11;rgb:\(background.color)\u{1B}\\"
      case "D": "\u{1B}[?62c"
      default: "\(part)"
      }
    }
    try pty.send(typed.joined())
    try pty.read(deadline: Perfhud.deadline, until: background.wanted)
    try pty.read(deadline: Perfhud.deadline, until: "mark set")
    #expect(!pty.text.contains(background.other))
    try pty.send("q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
  }

  @Test func `a late answer changes the colors, and is no key`() throws {
    let load = try Load()
    let pty = try start(load)
    try pty.read(deadline: Perfhud.deadline, until: BackgroundTests.dark)
    try pty.send("\u{1B}]11;rgb:ff/ff/ff\u{7}\u{1B}[?62c")
    try pty.read(deadline: Perfhud.deadline, until: BackgroundTests.light)
    try pty.send("q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
  }

  @Test func `without an answer COLORFGBG says it`() throws {
    let load = try Load()
    let pty = try start(load, ["COLORFGBG": "0;15"])
    try pty.read(deadline: Perfhud.deadline, until: BackgroundTests.light)
    #expect(!pty.text.contains(BackgroundTests.dark))
    // What is typed while the answer is waited for is served.
    try pty.send("q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
  }
}
