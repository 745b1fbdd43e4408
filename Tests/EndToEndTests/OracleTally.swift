import Testing

@testable import Terminal

/// A stream that was played to a terminal and its shadow.
protocol OracleStreamRun {
  /// The first operation after which they differ, in readable form; `nil` if none.
  var failure: String? { get }
  /// Cells that were compared, and cells that the shadow did not know.
  var compared: OracleCells { get }
}

/// Cells that were compared, and those of them that the shadow did not know.
struct OracleCells {
  private(set) var count = 0
  private(set) var unknown = 0

  mutating func add(_ count: Int, unknown: Int) {
    self.count += count
    self.unknown += unknown
  }

  mutating func add(_ screen: borrowing Screen) {
    for row in 0..<screen.size.rows {
      for column in 0..<screen.size.columns {
        add(1, unknown: screen.cell(row: row, column: column).isUnknown ? 1 : 0)
      }
    }
  }
}

/// Plays a stream for each seed, and again, with a look after each operation, where that has found a difference;
/// a difference is an issue.
///
/// - Returns: the cells that the first runs have compared.
func playStreams(
  _ name: String, _ seeds: [Int], run: (_ seed: Int, _ isThorough: Bool) throws -> OracleStreamRun
) throws -> OracleCells {
  var cells = OracleCells()
  var failed = 0
  for seed in seeds {
    let quick = try run(seed, false)
    cells.add(quick.compared.count, unknown: quick.compared.unknown)
    guard let difference = quick.failure else { continue }
    let thorough = try run(seed, true)
    Issue.record("seed \(seed), \(name): \(thorough.failure ?? difference)")
    failed += 1
    if failed == (Overlay.isLong ? 40 : 8) { break }
  }
  print(
    "oracle \(name): \(seeds.count) seeds, \(failed) differ, \(cells.count) cells compared,",
    "\(cells.unknown) unknown")
  return cells
}
