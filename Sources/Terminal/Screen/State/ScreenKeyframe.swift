/// A copy of a screen model from which feeding can continue, for a player that goes back.
///
/// For measured terminals the copy continues exactly as the original does; for others, what is known about a cell may
/// differ later. Players use measured ones (`TerminalQuirks.laterXterm`, `.tmux`).
///
/// It contains only the written cells: some 10 kB for a full screen of 80 columns and 24 rows.
package struct ScreenKeyframe: Sendable {
  private let state: ScreenSnapshot
  private let options: Screen.Options
  private let size: Size
  /// The lines of the primary screen, then those of the alternate one, from the top; `start` is in `cells`.
  private let lines: [LineRing.Line]
  private let cells: [Cell]
  private let styles: [Style]
  private let clusters: [ClusterLink]
  private let links: LinkTable.Copy
  private let tabs: TabStops.Copy?

  /// - Returns: `nil` within a sequence or character.
  package init?(_ screen: borrowing Screen) {
    guard screen.isAtGround else { return nil }
    state = ScreenSnapshot(screen)
    options = screen.options
    size = screen.size
    styles = screen.tables.styles.all
    clusters = screen.tables.clusters.all
    links = screen.tables.links.copy
    tabs = screen.tabs.copy
    var lines: [LineRing.Line] = []
    var cells: [Cell] = []
    lines.reserveCapacity(size.rows * 2)
    for isAlternate in [false, true] {
      for row in 0..<size.rows {
        var line = screen.lines[screen.lines.index(of: row, isAlternate: isAlternate)]
        let start = line.start
        line.start = cells.count
        lines.append(line)
        for column in 0..<Int(line.used) { cells.append(screen.cells[start + column]) }
      }
    }
    self.lines = lines
    self.cells = cells
  }

  /// The approximate memory that it takes.
  package var bytes: Int {
    let values = cells.count * MemoryLayout<Cell>.stride + styles.count * MemoryLayout<Style>.stride
    return values + lines.count * MemoryLayout<LineRing.Line>.stride + clusters.count * 8
      + links.bytes + 1024
  }

  /// Creates a screen with that state.
  package func screen() -> Screen {
    var screen = Screen(size, options: options)
    screen.tables.styles.restore(styles)
    screen.tables.clusters.restore(clusters)
    screen.tables.links.restore(links)
    if let tabs { screen.tabs.restore(tabs) }
    state.restore(&screen)
    for (number, line) in lines.enumerated() {
      let isAlternate = number >= size.rows
      let index = screen.lines.index(of: number % size.rows, isAlternate: isAlternate)
      let start = screen.lines[index].start
      for column in 0..<Int(line.used) { screen.cells[start + column] = cells[line.start + column] }
      var line = line
      line.start = start
      screen.lines[index] = line
    }
    screen.setStale()
    return screen
  }
}
