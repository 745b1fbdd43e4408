import CNcurses
import Glibc
import Terminal

/// An ncurses pad: the HUD draws into it, and the compositor reads its cells back.
///
/// The library never shows anything: the pair number of a cell is its style number, and only the compositor knows the
/// bytes of a style. A pad does not need a description of the terminal, so `TERM=dumb` and unknown names work like any
/// other. It belongs to the main thread; all signals must be blocked while it is made. A process can have only one
/// curses instance at a time.
///
/// Source: curs_pad(3), curs_add_wchstr(3), curs_in_wchstr(3), curs_getcchar(3).
@safe package struct CursesPad: ~Copyable {
  private let terminal: CursesTerminal
  private let pad: UnsafeMutablePointer<WINDOW>
  /// The number of colors of the terminal; 0 if colors are not wanted.
  package let depth: ColorDepth
  /// The content of the pad. Each cell has the style number from the presented grid.
  package private(set) var cells: CellGrid

  /// The cells last passed to curses; unchanged cells are not passed again.
  private var presented: CellGrid
  private var run: [cchar_t]

  /// - Parameters:
  ///   - size: in cells; if it has no rows or no columns, nothing is presented.
  ///   - term: the value of `TERM`; for `nil` or a name without an entry, the built-in entry is used.
  ///   - directColors: which variable says that the terminal has 24-bit colors, whatever its entry says.
  ///   - colors: `false` for no colors (`NO_COLOR`).
  ///   - isUTF8: whether characters beyond ASCII may be drawn; see the property of this name.
  package init(
    size: Size, term: String?, directColors: DirectColorSource? = nil, colors: Bool = true,
    isUTF8: Bool
  ) throws(CursesError) {
    let terminal = try CursesTerminal(term: term, isUTF8: isUTF8)
    guard let pad = unsafe newpad(Int32(max(1, size.rows)), Int32(max(1, size.columns))) else {
      throw .failed(term: term ?? "")
    }
    let limit = terminal.colorLimit
    self.terminal = terminal
    unsafe self.pad = pad
    let count = unsafe Int(tigetnum("colors"))
    depth = colors ? ColorDepth(colors: min(count, limit), directColors: directColors) : .none
    cells = CellGrid(size)
    presented = CellGrid(size)
    run = CursesPad.makeRun(size)
  }

  deinit { unsafe delwin(pad) }

  /// Makes a buffer for a row of cells and the terminator that curses writes after them.
  private static func makeRun(_ size: Size) -> [cchar_t] {
    Array(repeating: cchar_t(), count: max(1, size.columns) + 1)
  }

  /// Whether characters beyond ASCII can be presented.
  package var isUTF8: Bool { terminal.isUTF8 }

  /// The number of bytes that the library has written. None of them reach a terminal.
  var writtenBytes: Int { Int(lseek(terminal.file.raw, 0, SEEK_END)) }

  /// Changes the size; all cells are clear until the next grid is presented.
  package mutating func resize(to size: Size) {
    guard size != cells.size else { return }
    unsafe wresize(pad, Int32(max(1, size.rows)), Int32(max(1, size.columns)))
    cells = CellGrid(size)
    presented = CellGrid(size)
    run = CursesPad.makeRun(size)
  }

  /// Draws the differences from the last grid into the pad, and updates `cells`. A grid of another size is ignored. A
  /// clear cell, where there is no window, stays clear. Allocates nothing.
  ///
  /// - Returns: whether `cells` may have changed.
  @discardableResult
  package mutating func present(_ grid: borrowing CellGrid) -> Bool {
    guard grid.size == cells.size else { return false }
    var hasChanged = false
    for row in 0..<cells.size.rows where !grid.isRow(row, sameAs: presented) {
      draw(row, grid)
      readBack(row)
      hasChanged = true
    }
    return hasChanged
  }

  /// Gives curses the part of a row between its first and its last difference.
  private mutating func draw(_ row: Int, _ grid: borrowing CellGrid) {
    guard let columns = grid.changedColumns(row: row, from: presented) else { return }
    var count = 0
    for column in columns {
      let cell = grid[row, column]
      presented[row, column] = cell
      // Without UTF-8, each column of a wide character is a separate cell.
      if cell.isContinuation, isUTF8 { continue }
      unsafe nc_set_cell(
        &run[count], terminal.printable(cell), 0, NC_NORMAL, Int32(cell.style.raw))
      count += 1
    }
    unsafe mvwadd_wchnstr(pad, Int32(row), Int32(columns.lowerBound), run, Int32(count))
  }

  /// Takes the cells of a row out of the pad.
  private mutating func readBack(_ row: Int) {
    let columns = cells.size.columns
    unsafe mvwin_wchnstr(pad, Int32(row), 0, &run, Int32(columns))
    var column = 0
    var index = 0
    while column < columns {
      var pair: Int32 = 0
      let value = unsafe nc_get_cell(&run[index], &pair)
      index += 1
      let style = StyleID(UInt16(truncatingIfNeeded: pair))
      let scalar = Unicode.Scalar(value) ?? " "
      let isWide = CharacterWidth.of(scalar) == 2 && column + 1 < columns
      // The pad holds a blank in place of a clear cell.
      let isClear = presented[row, column].isClear
      cells[row, column] = isClear ? .clear : Cell(scalar, style: style, width: isWide ? 2 : 1)
      if isWide { cells[row, column + 1] = .continuation(style: style) }
      column += isWide ? 2 : 1
    }
  }
}
