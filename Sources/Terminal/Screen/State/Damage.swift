/// The cells under the HUD that the program has written or erased since the HUD was repaired: for each row the columns
/// from the first to the last.
struct Damage: ~Copyable {
  private let first = UncheckedBuffer<Int32>(repeating: Int32.max, count: Screen.sizeLimit)
  private let end = UncheckedBuffer<Int32>(repeating: 0, count: Screen.sizeLimit)
  /// The rows that contain covered cells.
  private(set) var rows = 0..<0
  private(set) var isEmpty = true

  /// Watches the rows of a region.
  mutating func watch(_ region: HUDRegion) {
    let row = max(0, region.bounds.row)
    rows = row..<max(row, region.bounds.endRow)
  }

  @inline(__always) func watches(_ row: Int) -> Bool {
    row >= rows.lowerBound && row < rows.upperBound
  }

  /// Adds the columns from `from` up to `to`, if any of them is covered.
  @inline(never) mutating func add(_ row: Int, _ from: Int, _ to: Int, in region: HUDRegion) {
    let changed = Rect(row: row, column: from, rows: 1, columns: to - from)
    guard region.intersects(changed) else { return }
    isEmpty = false
    first[row] = min(first[row], Int32(from))
    end[row] = max(end[row], Int32(to))
  }

  /// The damaged columns of a row.
  subscript(row: Int) -> Range<Int> {
    end[row] > first[row] ? Int(first[row])..<Int(end[row]) : 0..<0
  }

  /// Forgets the damage in the first rows.
  mutating func removeAll(rows: Int) {
    isEmpty = true
    first.fill(0, rows, with: Int32.max)
    end.fill(0, rows, with: 0)
  }
}
