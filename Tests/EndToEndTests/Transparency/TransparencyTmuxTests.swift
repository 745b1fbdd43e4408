import TestSupport
import Testing

/// What tmux knows is the same bare and below the HUD: cells, attributes, cursor, modes, title,
/// history.
@Suite(.waiting) struct TransparencyTmuxTests {
  @Test(arguments: TransparencyCase.programs)
  func `below the HUD tmux shows what it shows bare`(program: TransparencyCase) throws {
    try requireTool(program.tool)
    try TransparencyRig<TmuxStage>.run(
      program, modes: Overlay.isLong ? [.shown, .ghost] : [.shown])
  }

  @Test(
    arguments: Overlay.isLong
      ? TransparencyCase.vttestWide + TransparencyCase.vttest
      : Array(TransparencyCase.vttestWide.prefix(2)))
  func `below the HUD vttest leaves tmux as bare`(menu: TransparencyCase) throws {
    try requireTool("vttest")
    try TransparencyRig<TmuxStage>.run(menu, modes: Overlay.isLong ? [.shown, .ghost] : [.shown])
  }

  @Test(arguments: Overlay.isLong ? TransparencyCase.vttestBeneath : [])
  func `below --ghost vttest leaves tmux as bare where the HUD stays away`(
    menu: TransparencyCase
  ) throws {
    try requireTool("vttest")
    try TransparencyRig<TmuxStage>.run(menu, modes: [.ghost])
  }

  @Test(arguments: TransparencyCase.sequences)
  func `below the HUD sequences leave tmux as bare`(sequences: TransparencyCase) throws {
    try TransparencyRig<TmuxStage>.run(sequences)
  }

  @Test(arguments: TransparencyCase.streams)
  func `a random stream below --ghost leaves tmux as bare`(stream: TransparencyCase) throws {
    try TransparencyRig<TmuxStage>.run(stream, modes: [.ghost])
  }
}
