import Base
import TestSupport
import Testing

@testable import Terminal

/// The shadow with tmux's ways against a real tmux: what `capture-pane` and its variables tell.
@Suite(.serialized) struct OracleTmuxTests {
  init() throws { for tool in ["tmux", "gcc"] { try requireTool(tool) } }

  @Test(arguments: [(24, 8), (7, 4)])
  func `random streams leave tmux and the shadow alike`(columns: Int, rows: Int) throws {
    try play(columns: columns, rows: rows, hasRareModes: false)
  }

  @Test(arguments: [(24, 8), (7, 4)])
  func `random streams with modes that are rare leave tmux and the shadow alike`(
    columns: Int, rows: Int
  ) throws {
    try play(columns: columns, rows: rows, hasRareModes: true)
  }

  @Test(arguments: [false, true])
  func `wherever the shadow of a tmux that does not say its name knows what it shows it is so`(
    hasRareModes: Bool
  ) throws {
    try play(columns: 24, rows: 8, hasRareModes: hasRareModes, quirks: .screen)
  }

  private func play(
    columns: Int, rows: Int, hasRareModes: Bool, quirks: TerminalQuirks = .tmux
  ) throws {
    guard Overlay.plays(columns: columns, rows: rows) else { return }
    let operations = Overlay.number("PERFHUD_STEPS") ?? 100
    let count = Overlay.number("PERFHUD_SEEDS") ?? (Overlay.isLong ? 300 : 15)
    // From 1000 on the streams hold more.
    let seeds = Overlay.seeds(1...count)
    let further = Overlay.isChosen ? [] : Array(1001...1000 + count)
    var failed = 0
    var cells = 0
    var unknown = 0
    for seed in seeds + further {
      func run(every: Int) throws -> OracleTmuxRun {
        try OracleTmuxRun(
          Size(rows: rows, columns: columns), seed: seed, operations: operations, every: every,
          hasRareModes: hasRareModes, quirks: quirks)
      }
      let quick = try run(every: 20)
      cells += quick.cells
      unknown += quick.unknown
      guard quick.failure != nil else { continue }
      let thorough = try run(every: 1)
      let text = thorough.failure ?? quick.failure ?? ""
      Issue.record("seed \(seed), \(columns)x\(rows): \(text)")
      failed += 1
      if failed == (Overlay.isLong ? 40 : 8) { break }
    }
    print(
      "oracle tmux \(columns)x\(rows): \(seeds.count + further.count) seeds, \(failed) differ,",
      "\(cells) cells compared, \(unknown) unknown")
    #expect(cells > 0 && (unknown * 2 < cells || quirks == .screen && unknown < cells))
  }
}

/// One stream, played to both.
struct OracleTmuxRun {
  private(set) var failure: String?
  /// Cells that were compared, and cells that the shadow did not know.
  private(set) var cells = 0
  private(set) var unknown = 0

  /// - Parameter every: after so many operations they are compared, and at the end.
  init(
    _ size: Size, seed: Int, operations: Int, every: Int, hasRareModes: Bool,
    quirks: TerminalQuirks
  ) throws {
    let relay = try OracleRelay()
    let tmux = try Tmux(columns: size.columns, rows: size.rows, command: relay.command)
    try relay.begin()
    var options = Screen.Options()
    options.quirks = quirks
    var screen = Screen(size, options: options)
    var stream = OracleStream(
      seed: seed, columns: size.columns, rows: size.rows, isPlain: true,
      hasRareModes: hasRareModes)
    var history: [String] = []
    for number in 0...operations {
      let bytes =
        number == 0
        ? OracleStream.fill(columns: size.columns, rows: size.rows) : stream.next(screen.modes)
      if number > 0 { history.append(quote(bytes)) }
      var index = 0
      while index < bytes.count { index = unsafe screen.feed(bytes.span.bytes, from: index).resume }
      _ = try relay.ask(bytes, [])
      guard number % every == 0 || number == operations else { continue }
      let picture = try tmux.picture()
      count(screen)
      if let difference = OracleTmuxRun.difference(picture, screen) {
        failure = """
          after operation \(number) of those that end with
            \(history.suffix(Overlay.number("PERFHUD_SHOW") ?? 6).joined(separator: "\n  "))
            margins \(screen.margins), modes \(screen.modes.rawValue), cursor \(screen.cursor)
            \(difference)
          """
        return
      }
    }
  }

  private mutating func count(_ screen: borrowing Screen) {
    for row in 0..<screen.size.rows {
      for column in 0..<screen.size.columns {
        cells += 1
        if screen.cell(row: row, column: column).isUnknown { unknown += 1 }
      }
    }
  }

  private static func difference(_ picture: TmuxPicture, _ screen: borrowing Screen) -> String? {
    guard screen.isCursorKnown, !screen.isColumnDoubtful else { return nil }
    let cursor = screen.cursor
    let margins = screen.margins
    let facts = [
      "cursor_x=\(screen.isBehindLine ? screen.size.columns : cursor.column)",
      "cursor_y=\(cursor.row)",
      "insert_flag=\(screen.modes.contains(.insert) ? 1 : 0)",
      "wrap_flag=\(screen.modes.contains(.autowrap) ? 1 : 0)",
      "origin_flag=\(screen.modes.contains(.origin) ? 1 : 0)",
      "alternate_on=\(screen.isAlternate ? 1 : 0)", "scroll_region_upper=\(margins.row)",
      "scroll_region_lower=\(margins.endRow - 1)",
    ]
    for fact in facts where !picture.facts.contains(fact) {
      // Where a pending wrap leaves the cursor, and DECOM, differ in screen.
      if screen.mayBeScreen, screen.isWrapPending || fact.hasPrefix("origin") { continue }
      let name = fact.prefix { $0 != "=" }
      return "tmux \(picture.facts.filter { $0.hasPrefix(name) }), the shadow \(fact)"
    }
    let grid = Grid.parse(picture.screen, after: picture.history)
    for row in 0..<screen.size.rows {
      let mine = TmuxRow(screen, row)
      guard let column = mine.firstDifference(from: grid[row]) else { continue }
      return """
        cell \(row + 1),\(column + 1)
        tmux       \(grid[row].map(\.text).joined(separator: "|"))
        the shadow \(mine.description)
        \(picture.screen[row].debugDescription)
        """
    }
    return nil
  }
}
