import PerfHUDBase
import TestSupport
import Testing

@testable import Terminal

/// The model is the terminal: the same bytes lead a real xterm and a `Screen` to the same state.
///
/// `PERFHUD_SEED=n` plays one stream, `PERFHUD_SEED=n-m` some, `PERFHUD_STEPS=k` the first operations of each,
/// `PERFHUD_SIZE=24x8` at this size alone, `PERFHUD_SHOW=k` prints both screens from operation k on,
/// `LONG_TESTS=1` plays thousands.
@Suite(.serialized) struct OracleTests {
  init() throws {
    for tool in ["Xvfb", "xterm", "xdotool", "gcc"] { try requireTool(tool) }
  }

  static let operations = 120

  /// Streams that cut wide characters in ways that were found out with them: protected halves, halves at the
  /// margins and at the end of a line, halves beneath text that xterm writes as one.
  static let halves: [(columns: Int, rows: Int, seeds: [Int])] = [
    (24, 8, [33, 116, 192, 317, 327, 352, 389, 400, 403, 416, 476, 483, 525, 538, 571, 636]),
    (7, 4, [180, 241, 309, 453, 500, 577, 583]),
  ]

  @Test(arguments: OracleTests.halves)
  func `streams that leave halves of wide characters leave xterm and the model alike`(
    columns: Int, rows: Int, seeds: [Int]
  ) throws {
    let cells = try playStreams("\(columns)x\(rows), halves", seeds) { seed, _ in
      try OracleRun(
        try OracleTerminal(columns: columns, rows: rows), seed: seed,
        operations: OracleTests.operations, isThorough: true, hasRareModes: false)
    }
    #expect(cells.count > 0)
  }

  @Test(arguments: [(24, 8), (7, 4), (80, 24)])
  func `random streams leave xterm and the model alike`(columns: Int, rows: Int) throws {
    try play(columns: columns, rows: rows, hasRareModes: false)
  }

  @Test(arguments: [(24, 8), (80, 24)])
  func `random streams with modes that are rare leave xterm and the model alike`(
    columns: Int, rows: Int
  ) throws {
    try play(columns: columns, rows: rows, hasRareModes: true)
  }

  private func play(columns: Int, rows: Int, hasRareModes: Bool) throws {
    guard Overlay.plays(columns: columns, rows: rows) else { return }
    var terminal = try OracleTerminal(columns: columns, rows: rows)
    let operations = Overlay.number("PERFHUD_STEPS") ?? OracleTests.operations
    let usual = hasRareModes ? (Overlay.isLong ? 300 : 20) : (Overlay.isLong ? 1500 : 40)
    let count = Overlay.number("PERFHUD_SEEDS") ?? usual
    let seeds = Overlay.seeds(1...(columns == 80 ? (count + 9) / 10 : count))
    var isSpoilt = false
    // The cells are compared now and then, and after each operation where they were found to differ.
    let cells = try playStreams("\(columns)x\(rows)", Array(seeds)) { seed, isThorough in
      if isSpoilt { terminal = try OracleTerminal(columns: columns, rows: rows) }
      let run = try OracleRun(
        terminal, seed: seed, operations: operations, isThorough: isThorough,
        hasRareModes: hasRareModes)
      isSpoilt = run.isSpoilt
      return run
    }
    // Lines of double size and VT52 leave much unknown.
    #expect(cells.count > 0 && cells.unknown * (hasRareModes ? 1 : 3) < cells.count)
  }
}

/// One stream, played to both.
struct OracleRun: OracleStreamRun {
  private(set) var failure: String?
  /// xterm is not as it was before, and must not be used again.
  private(set) var isSpoilt = false
  private(set) var compared = OracleCells()

  /// Whether an operation is one on a rectangle, which leaves rows unknown: three of four streams go without them, so
  /// that there is more to compare.
  private static func isRectangle(_ bytes: [UInt8]) -> Bool {
    bytes.count > 2 && bytes[bytes.count - 2] == UInt8(ascii: "$")
      && "z{xrtv".utf8.contains(bytes[bytes.count - 1])
  }

  init(
    _ terminal: OracleTerminal, seed: Int, operations: Int, isThorough: Bool,
    hasRareModes: Bool
  ) throws {
    var player = OraclePlayer(
      Size(rows: terminal.rows, columns: terminal.columns), quirks: .xterm, seed: seed,
      isPlain: false, hasRareModes: hasRareModes, start: OracleStream.reset,
      isLeftOut: { seed % 4 != 0 && OracleRun.isRectangle($0) })
    isSpoilt = player.copies
    for number in 0...operations {
      let bytes = player.play()
      let isShown = Overlay.number("PERFHUD_SHOW").map { number >= $0 } ?? false
      let withCells = isThorough || isShown || number % 10 == 0 || number == operations
      let area = OracleState.area(player.screen)
      let margins = player.screen.margins
      let origin =
        player.screen.modes.contains(.origin)
        ? Point(row: margins.row, column: margins.column) : Point(row: 0, column: 0)
      let theirs: OracleState
      do throws(any Error) {
        let answers = try terminal.ask(
          bytes, OracleState.questions(area, origin: origin, withCells: withCells))
        theirs = try OracleState(answers, area, withCells: withCells)
      } catch {
        throw ToolError("\(error), after \(player.recent)")
      }
      var mine = OracleState(player.screen, area, withCells: withCells)
      if player.copies { mine.forgetSums() }
      compared.add(
        mine.cells.count, unknown: mine.cells.reduce(0) { $0 + ($1.isUnknown ? 1 : 0) })
      if isShown {
        print(number, quote(bytes), player.screen.cursor, margins, player.screen.modes.rawValue)
        print("xterm:\n\(theirs.picture(area))\nthe model:\n\(mine.picture(area))")
      }
      let differences = theirs.differences(from: mine, area: area)
      guard differences.isEmpty else {
        if theirs.size != mine.size { isSpoilt = true }
        failure = player.report(
          """
            \(differences.prefix(12).joined(separator: "\n  "))
          xterm:
          \(withCells ? theirs.picture(area) : "")
          the model:
          \(withCells ? mine.picture(area) : "")
          """)
        return
      }
    }
  }
}
