import PerfHUDBase
import TestSupport
import Testing

@testable import Terminal

/// The model with tmux's ways against a real tmux: what `capture-pane` and its variables report.
@Suite(.serialized) struct OracleTmuxTests {
  init() throws { for tool in ["tmux", "gcc"] { try requireTool(tool) } }

  @Test(arguments: [(24, 8), (7, 4)])
  func `random streams leave tmux and the model alike`(columns: Int, rows: Int) throws {
    try play(columns: columns, rows: rows, hasRareModes: false)
  }

  @Test(arguments: [(24, 8), (7, 4)])
  func `random streams with modes that are rare leave tmux and the model alike`(
    columns: Int, rows: Int
  ) throws {
    try play(columns: columns, rows: rows, hasRareModes: true)
  }

  private func play(columns: Int, rows: Int, hasRareModes: Bool) throws {
    guard Overlay.plays(columns: columns, rows: rows) else { return }
    let operations = Overlay.number("PERFHUD_STEPS") ?? 100
    let count = Overlay.number("PERFHUD_SEEDS") ?? (Overlay.isLong ? 300 : 15)
    // From 1000 on the streams hold more.
    let seeds = Overlay.seeds(1...count)
    let further = Overlay.isChosen ? [] : Array(1001...1000 + count)
    let size = Size(rows: rows, columns: columns)
    let cells = try playStreams("tmux \(columns)x\(rows)", Array(seeds) + further) {
      seed, isThorough in
      try OracleTmuxRun(
        size, seed: seed, operations: operations, every: isThorough ? 1 : 20,
        hasRareModes: hasRareModes)
    }
    #expect(cells.count > 0 && cells.unknown < cells.count / 2)
  }
}

/// One stream, played to both.
struct OracleTmuxRun: OracleStreamRun {
  private(set) var failure: String?
  private(set) var compared = OracleCells()

  /// - Parameter every: how many operations are played between comparisons.
  init(_ size: Size, seed: Int, operations: Int, every: Int, hasRareModes: Bool) throws {
    let relay = try OracleRelay()
    let tmux = try Tmux(columns: size.columns, rows: size.rows, command: relay.command)
    try relay.begin()
    var player = OraclePlayer(size, quirks: .tmux, seed: seed, hasRareModes: hasRareModes)
    for number in 0...operations {
      _ = try relay.ask(player.play(), [])
      guard number % every == 0 || number == operations else { continue }
      let picture = try tmux.picture()
      compared.add(player.screen)
      guard let difference = OracleTmuxRun.difference(picture, player.screen) else { continue }
      failure = player.report(difference)
      return
    }
  }

  private static func difference(_ picture: TmuxPicture, _ screen: borrowing Screen) -> String? {
    guard screen.isCursorKnown, !screen.isColumnUncertain else { return nil }
    let cursor = screen.cursor
    let margins = screen.margins
    let facts = [
      "cursor_x=\(screen.isPastLineEnd ? screen.size.columns : cursor.column)",
      "cursor_y=\(cursor.row)",
      "insert_flag=\(screen.modes.contains(.insert) ? 1 : 0)",
      "wrap_flag=\(screen.modes.contains(.autowrap) ? 1 : 0)",
      "origin_flag=\(screen.modes.contains(.origin) ? 1 : 0)",
      "alternate_on=\(screen.isAlternate ? 1 : 0)", "scroll_region_upper=\(margins.row)",
      "scroll_region_lower=\(margins.endRow - 1)",
    ]
    for fact in facts where !picture.facts.contains(fact) {
      let name = fact.prefix { $0 != "=" }
      return "tmux \(picture.facts.filter { $0.hasPrefix(name) }), the model \(fact)"
    }
    let grid = Grid.parse(picture.screen, after: picture.history)
    for row in 0..<screen.size.rows {
      let mine = TmuxRow(screen, row)
      guard let column = mine.firstDifference(from: grid[row]) else { continue }
      return """
        cell \(row + 1),\(column + 1)
        tmux       \(grid[row].map(\.text).joined(separator: "|"))
        the model \(mine.description)
        \(picture.screen[row].debugDescription)
        """
    }
    return nil
  }
}
