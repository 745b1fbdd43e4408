import TestSupport
import Testing

/// The rig finds what it is there to find: what stands in for perfhud here is careless.
@Suite(.waiting) struct TransparencyRigTests {
  @Test(arguments: [
    // A cell outside the HUD, one below it that is not taken away, a pen that is left, a mode, a
    // title, a line that scrolls into the history, the place of the cursor.
    ("printf '\\033[20;10Hx\\033[H'", TransparencyMode.shown),
    ("printf '\\033[3;60Hx\\033[H'", .ghost), ("printf '\\033[1m'", .ghost),
    ("printf '\\033[?25l'", .shown), ("printf '\\033]2;mine\\007'", .shown),
    ("printf '\\033[H\\033[3;60Hx\\033[24;1H\\n\\n\\n\\n\\033[H'", .shown),
    ("printf '\\033[4;9r\\033[H'", .shown),
  ])
  func `a difference is found in tmux`(script: String, mode: TransparencyMode) throws {
    try Careless.expectFound(script, mode, on: TmuxStage.self)
  }

  @Test func `a HUD that never shows is found`() throws {
    try Careless.expectFound(":", .shown, hasHUD: true, on: TmuxStage.self)
  }

  @Test func `no difference is found where there is none, below the HUD least of all`() throws {
    let rig = try TransparencyRig<TmuxStage>(
      Careless.sequences, hasHUD: false,
      wrapper: Careless.wrapper("printf '\\033[3;60Hx\\033[H'"))
    try rig.play(.shown)
  }
}

/// What stands in for perfhud and does something wrong.
enum Careless {
  /// Text on each row, then a line that scrolls.
  static let sequences = TransparencyCase.played(
    "careless", ["␛[2;50Htext␛[20;1H"], ["␛[24;1H\n"])

  /// A script that does something and then runs the command; the options are left out.
  static func wrapper(
    _ script: String
  ) -> (_ command: [String], _ options: [String]) throws(ToolError) -> [String] {
    { command, _ in ["sh", "-c", script + "; exec \"$@\"", "sh"] + command }
  }

  static func expectFound<Stage: TransparencyStage>(
    _ script: String, _ mode: TransparencyMode, hasHUD: Bool = false, on: Stage.Type
  ) throws {
    let rig = try TransparencyRig<Stage>(
      sequences, hasHUD: hasHUD, wrapper: wrapper(script), keepsPictures: false)
    try withKnownIssue("\(script) in mode \(mode)") {
      try rig.play(mode)
    } matching: { issue in
      // An error of the rig itself is none that it has found.
      issue.error == nil
    }
  }
}
