import TestSupport
import Testing

/// Each pixel of an xterm is the same bare and below the HUD.
@Suite(.serialized) struct TransparencyXtermTests {
  init() throws {
    for tool in ["Xvfb", "xterm", "xdotool", "convert"] { try requireTool(tool) }
  }

  @Test(arguments: [
    ("printf '\\033[20;10Hx\\033[H'", TransparencyMode.shown),
    ("printf '\\033[3;60Hx\\033[H'", .ghost), ("printf '\\033[1m'", .ghost),
    ("printf '\\033[?25l'", .shown),
  ])
  func `a difference is found in xterm`(script: String, mode: TransparencyMode) throws {
    try Careless.expectFound(script, mode, on: XtermStage.self)
  }

  /// In `make test` those that differ most from each other; tmux plays all of them there.
  private static let programs = TransparencyCase.programs.filter {
    Overlay.isLong
      || ["bash", "vim", "less", "curses", "wide text", "bash taller"].contains($0.name)
  }

  @Test(arguments: programs)
  func `below the HUD xterm shows what it shows bare`(program: TransparencyCase) throws {
    try requireTool(program.tool)
    try TransparencyRig<XtermStage>.run(
      program, modes: Overlay.isLong ? [.shown, .ghost] : [.shown])
  }

  @Test(
    arguments: Overlay.isLong
      ? TransparencyCase.vttest + TransparencyCase.xtermVttest
      : Array(TransparencyCase.vttest.prefix(2)))
  func `below the HUD vttest leaves xterm as bare`(menu: TransparencyCase) throws {
    try requireTool("vttest")
    try TransparencyRig<XtermStage>.run(menu, modes: Overlay.isLong ? [.shown, .ghost] : [.ghost])
  }

  @Test(
    arguments: Overlay.isLong ? TransparencyCase.vttestWide + TransparencyCase.vttestBeneath : [])
  func `below --ghost vttest leaves xterm as bare at any width`(
    menu: TransparencyCase
  ) throws {
    try requireTool("vttest")
    try TransparencyRig<XtermStage>.run(menu, modes: [.ghost])
  }

  @Test(arguments: TransparencyCase.sequences + TransparencyCase.xtermSequences)
  func `below the HUD sequences leave xterm as bare`(sequences: TransparencyCase) throws {
    try TransparencyRig<XtermStage>.run(
      sequences, modes: Overlay.isLong ? [.shown, .ghost] : [.shown])
  }

  @Test(arguments: TransparencyCase.streams)
  func `a random stream below --ghost leaves xterm as bare`(stream: TransparencyCase) throws {
    // Of these xterm makes something else without perfhud too when they come in other pieces.
    if ["seed 21", "seed 35"].contains(stream.name) {
      try withKnownIssue("pieces", isIntermittent: true) {
        try TransparencyRig<XtermStage>.run(stream, modes: [.ghost])
      } matching: { issue in
        issue.error == nil
      }
      return
    }
    try TransparencyRig<XtermStage>.run(stream, modes: [.ghost])
  }
}
