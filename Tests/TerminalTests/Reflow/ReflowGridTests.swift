import PerfHUDBase
import Testing

@testable import Terminal

/// What becomes of lines when a terminal changes its size, in small cases; `ReflowTmuxTests` compares with a tmux.
@Suite struct ReflowGridTests {
  /// A grid of these lines; one that ends with `\` goes on in the next.
  private func grid(_ texts: String..., rows: Int, columns: Int, cursor: Point) -> ReflowGrid {
    let lines = texts.map { text in
      let goesOn = text.last == "\\"
      let scalars = (goesOn ? String(text.dropLast()) : text).unicodeScalars
      return ReflowGrid.Line(cells: scalars.map { Cell($0) }, goesOn: goesOn)
    }
    var grid = ReflowGrid(
      lines: lines, size: Size(rows: rows, columns: columns), cursor: cursor)
    grid.returning = lines.count - rows
    return grid
  }

  private func texts(_ grid: ReflowGrid) -> [String] {
    grid.lines.map { line in
      var text = ""
      for cell in line.cells {
        text.unicodeScalars.append(Unicode.Scalar(cell.scalarValue) ?? "?")
      }
      return line.goesOn ? text + "\\" : text
    }
  }

  @Test func `a line that is too long is split, and joined again`() {
    var grid = grid("abcdef", "x", rows: 2, columns: 6, cursor: Point(row: 1, column: 1))
    grid.resize(to: Size(rows: 2, columns: 4))
    #expect(texts(grid) == ["abcd\\", "ef", "x"])
    #expect(grid.cursor == Point(row: 1, column: 1))
    grid.resize(to: Size(rows: 2, columns: 6))
    #expect(texts(grid) == ["abcdef", "x"])
    #expect(grid.cursor == Point(row: 1, column: 1))
  }

  @Test func `the cursor stays with its text`() {
    var grid = grid("abcdef", "", rows: 2, columns: 6, cursor: Point(row: 0, column: 5))
    grid.resize(to: Size(rows: 2, columns: 4))
    #expect(texts(grid) == ["abcd\\", "ef", ""])
    #expect(grid.cursor == Point(row: 0, column: 1))
  }

  @Test func `lines below the cursor are lost before those above go into the history`() {
    var grid = grid("a", "b", "c", "d", rows: 4, columns: 5, cursor: Point(row: 2, column: 1))
    grid.resize(to: Size(rows: 2, columns: 5))
    #expect(texts(grid) == ["a", "b", "c"])
    #expect(grid.cursor == Point(row: 1, column: 1))
    grid.resize(to: Size(rows: 4, columns: 5))
    #expect(texts(grid) == ["a", "b", "c", ""])
    #expect(grid.cursor == Point(row: 2, column: 1))
  }

  @Test func `lines that are not known come back if there may be any`() {
    var grid = grid("a", "b", rows: 2, columns: 5, cursor: Point(row: 1, column: 1))
    grid.mayTakeMore = true
    var other = grid
    grid.resize(to: Size(rows: 5, columns: 5))
    #expect(grid.missing == 3)
    #expect(texts(grid) == ["a", "b", "", "", ""])
    other.resize(to: Size(rows: 5, columns: 5), extra: 2)
    #expect(texts(other) == ["", "", "a", "b", ""])
    #expect(other.lines[0].blank.isUnknown)
    #expect(!other.lines[4].blank.isUnknown)
    #expect(other.cursor == Point(row: 3, column: 1))
  }

  @Test func `xterm cuts lines, and only it knows how many come back`() {
    var grid = grid("history", "abcdef", rows: 1, columns: 7, cursor: Point(row: 0, column: 6))
    grid.rewraps = false
    grid.resize(to: Size(rows: 1, columns: 4))
    #expect(texts(grid) == ["history", "abcd"])
    var other = grid
    grid.resize(to: Size(rows: 3, columns: 7))
    #expect(grid.missing == 2)
    #expect(grid.expected == 1)
    other.resize(to: Size(rows: 3, columns: 7), extra: 1)
    #expect(texts(other) == ["history", "abcd", ""])
    #expect(other.cursor.row == 1)
  }

  @Test func `cells of the HUD make a line longer`() {
    var hud = CellGrid(Size(rows: 1, columns: 2))
    hud.fill(Cell("#"))
    let program = grid("ab", "c", rows: 2, columns: 6, cursor: Point(row: 1, column: 1))
    var terminal = program.covered(by: hud, at: Rect(row: 0, column: 3, rows: 1, columns: 2))
    terminal.resize(to: Size(rows: 2, columns: 4))
    #expect(terminal.lines.map(\.cells.count) == [4, 1, 1])
    #expect(terminal.isCovered(0, 0))
    #expect(!terminal.isCovered(1, 0))
  }
}
