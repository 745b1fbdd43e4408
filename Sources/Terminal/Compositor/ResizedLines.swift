/// The lines of a screen whose size changes, which has to be painted again.
struct ResizedLines {
  /// The lines as they would be without the HUD, and as the terminal has them.
  var program: ReflowGrid
  var terminal: ReflowGrid
  /// Whether the HUD was on unknown lines that the terminal has wrapped again. If those continue in other lines, pieces
  /// of the HUD may be anywhere in them.
  var isScattered: Bool
  /// The program's lines, as long as they are in the terminal. `nil` if no cells are lost.
  var kept: ReflowGrid?

  /// The maximum number of rows by which an intermediate size of the terminal may differ.
  private static let detourLimit = 60

  /// Whether a change to this size scatters pieces of the HUD.
  private func isScattered(by size: Size) -> Bool {
    guard program.rewraps, size.columns != program.size.columns else { return false }
    return zip(program.screen, terminal.screen).contains { line, shown in
      line.blank.isUnseen && shown.cells.count > line.cells.count
    }
  }

  /// The lines after a change of size.
  ///
  /// - Parameters:
  ///   - extra: how many unknown lines come back.
  ///   - isAll: whether no more of them exist.
  func resized(to size: Size, extra: Int, isAll: Bool = false) -> ResizedLines {
    var after = self
    after.isScattered = isScattered || isScattered(by: size)
    after.program.resize(to: size, extra: extra)
    after.terminal.resize(to: size, extra: extra)
    after.kept?.resize(to: size, extra: extra)
    after.keepLostRows()
    if isAll {
      if after.terminal.isShort { after.program.mayHaveMore = false }
      after.program.mayTakeMore = false
      after.terminal.mayTakeMore = false
    }
    return after
  }

  /// Leaves lost cells where the terminal has them, since they cannot be painted elsewhere. If those are not the rows
  /// in which they would be without the HUD, all lines stay where the terminal has them.
  private mutating func keepLostRows() {
    guard let kept else { return }
    let shift = max(0, min(program.total - terminal.total, program.size.rows))
    guard
      program.isCursorDoubtful || kept.isCursorDoubtful
        || program.lostRows(movedBy: 0) != terminal.lostRows(movedBy: shift)
    else { return }
    program = kept.asRepainted()
  }

  /// The lines after a change of size with the intermediate size that the terminal must have had, without a signal, for
  /// its cursor to be where it is; `nil` if there is none. The program's lines take the same steps.
  func resizedWithDetour(to size: Size, cursor place: Point) -> ResizedLines? {
    guard program.rewraps, !program.hasUnseen else { return nil }
    let last = size.columns - 1
    for distance in 0...ResizedLines.detourLimit {
      for rows in [size.rows - distance, size.rows + distance] where rows > 0 {
        // If a line was in the history, its cursor is afterward as far to the right as the screen was wide.
        for columns in [size.columns, program.size.columns, place.column] where columns > 0 {
          let detour = Size(rows: rows, columns: columns)
          var terminal = terminal
          terminal.resize(to: detour)
          terminal.resize(to: size)
          let cursor = terminal.cursor
          guard cursor.row == place.row, min(cursor.column, last) == min(place.column, last) else {
            continue
          }
          var after = self
          after.terminal = terminal
          after.program.resize(to: detour)
          after.program.resize(to: size)
          after.kept?.resize(to: detour)
          after.kept?.resize(to: size)
          after.keepLostRows()
          return after
        }
      }
    }
    return nil
  }
}
