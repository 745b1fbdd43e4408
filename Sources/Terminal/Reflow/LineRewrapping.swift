/// Wraps the lines of tmux again for another width.
///
/// It follows tmux step by step, including the marks that tmux sets and removes: whether a line continues depends on
/// what has happened to the lines before it.
///
/// Source: tmux 3.3a, `grid_reflow`, `grid_reflow_split` and `grid_reflow_join` in grid.c.
struct LineRewrapping {
  typealias Line = ReflowGrid.Line

  /// The lines still to be wrapped; `nil` for those already joined with an earlier line.
  private var source: [Line?]
  private let columns: Int
  private let oldColumns: Int
  /// The number of lines above the first one.
  private let forgotten: Int
  /// The wrapped lines.
  private(set) var target: [Line] = []
  /// The number of lines above the screen that come back when it gets taller.
  private(set) var returning: Int

  init(_ lines: [Line], columns: Int, oldColumns: Int, forgotten: Int, returning: Int) {
    source = lines
    self.columns = columns
    self.oldColumns = oldColumns
    self.forgotten = forgotten
    self.returning = returning
    target.reserveCapacity(lines.count)
  }

  mutating func run() {
    for index in source.indices {
      guard let line = source[index] else { continue }
      var width = 0
      var fitting = 0
      for (place, cell) in line.cells.enumerated() {
        if fitting == 0, width + cell.columns > columns { fitting = place }
        width += cell.columns
      }
      if width > columns {
        split(index, line, at: fitting)
      } else if width < columns, line.goesOn {
        target.append(line)
        join(after: index, width)
      } else {
        target.append(width < columns ? filled(line) : line)
      }
    }
  }

  /// Fills the line so that the colors of its erased end reach as far as before.
  private func filled(_ line: Line) -> Line {
    guard columns > oldColumns, line.blank != .erased(), !line.blank.isUnknown else { return line }
    var line = line
    let count = max(0, oldColumns - line.cells.count)
    line.cells.append(contentsOf: repeatElement(line.blank, count: count))
    line.blank = .erased()
    return line
  }

  private mutating func split(_ index: Int, _ line: Line, at fitting: Int) {
    let first = target.count
    target.append(
      Line(cells: Array(line.cells[..<fitting]), goesOn: true, origin: line.origin))
    var part = Line()
    var width = 0
    for cell in line.cells[fitting...] {
      if width + cell.columns > columns {
        part.goesOn = true
        target.append(part)
        part = Line()
        width = 0
      }
      width += cell.columns
      part.cells.append(cell)
    }
    part.goesOn = line.goesOn
    target.append(part)
    source[index] = nil
    if forgotten + index <= returning { returning += target.count - first - 1 }
    if width < columns, line.goesOn { join(after: index, width) }
  }

  /// Joins the last line of the target with as much of the lines after `index` as fits.
  private mutating func join(after index: Int, _ used: Int) {
    let place = target.count - 1
    var width = used
    var count = 0
    var left = 0
    var goesOn = true
    while index + 1 + count < source.count {
      let next = index + 1 + count
      guard let line = source[next] else { break }
      if !line.goesOn { goesOn = false }
      if line.cells.isEmpty {
        if !goesOn { break }
        count += 1
        continue
      }
      var taken = 0
      while taken < line.cells.count, width + line.cells[taken].columns <= columns {
        width += line.cells[taken].columns
        target[place].cells.append(line.cells[taken])
        taken += 1
      }
      if taken == 0 { break }
      count += 1
      left = line.cells.count - taken
      if left > 0 { source[next]?.cells.removeFirst(taken) }
      if !goesOn || left > 0 || width == columns { break }
    }
    guard count > 0 else { return }
    if left > 0 {
      count -= 1
    } else if !goesOn {
      target[place].goesOn = false
    }
    for next in index + 1..<index + 1 + count { source[next] = nil }
    let line = forgotten + place
    if returning > line + count {
      returning -= count
    } else if returning > line {
      returning = line
    }
  }
}

extension Cell {
  /// The number of columns that it takes when lines are wrapped: for a wide character the left half counts for both.
  fileprivate var columns: Int { isContinuation ? 0 : max(1, width) }
}
