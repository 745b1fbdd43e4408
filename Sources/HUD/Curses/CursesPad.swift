import CNcurses
import Glibc
import Terminal

/// A pad of ncurses into which the HUD is drawn, and out of which the compositor takes its cells.
///
/// Nothing is ever shown by the library: the pair number of a cell is the number of its style, and the
/// compositor alone knows what bytes a style is. A pad needs no description of the terminal, so
/// `TERM=dumb` and an unknown name are as good as any other. It belongs to the main thread; all signals
/// must be blocked while it is made. There is one curses at a time in a process.
///
/// Source: curs_pad(3), curs_add_wchstr(3), curs_in_wchstr(3), curs_getcchar(3).
@safe package struct CursesPad: ~Copyable {
  private let terminal: CursesTerminal
  private let pad: UnsafeMutablePointer<WINDOW>
  /// How many colors the terminal has; 0 where colors are not wanted.
  package let depth: ColorDepth
  /// What the pad holds. Each cell has the style of the grid that was presented, by its number.
  package private(set) var cells: CellGrid

  /// What was given to curses; a cell that is the same is not given again.
  private var presented: CellGrid
  private var run: [cchar_t]

  /// - Parameters:
  ///   - size: in cells; without a row or a column nothing is presented.
  ///   - term: the value of `TERM`; `nil` or a name without an entry takes the entry that is built in.
  ///   - colorTerm: the value of `COLORTERM`.
  ///   - colors: `false` for no colors (`NO_COLOR`).
  ///   - isUTF8: characters beyond ASCII may be drawn; see the property of this name.
  package init(
    size: Size, term: String?, colorTerm: String? = nil, colors: Bool = true, isUTF8: Bool
  ) throws(CursesError) {
    let terminal = try CursesTerminal(term: term, isUTF8: isUTF8)
    guard let pad = unsafe newpad(Int32(max(1, size.rows)), Int32(max(1, size.columns))) else {
      throw .failed(term: term ?? "")
    }
    self.terminal = terminal
    unsafe self.pad = pad
    let count = unsafe Int(tigetnum("colors"))
    depth = colors ? ColorDepth(colors: count, colorTerm: colorTerm) : .none
    cells = CellGrid(size)
    presented = CellGrid(size)
    run = CursesPad.makeRun(size)
  }

  deinit { unsafe delwin(pad) }

  /// A row of cells and the end mark that curses writes after it.
  private static func makeRun(_ size: Size) -> [cchar_t] {
    Array(repeating: cchar_t(), count: max(1, size.columns) + 1)
  }

  /// Whether characters beyond ASCII can be presented.
  package var isUTF8: Bool { terminal.isUTF8 }

  /// Bytes that the library has written, none of which goes anywhere.
  var writtenBytes: Int { Int(lseek(terminal.file.raw, 0, SEEK_END)) }

  /// Takes on another size; all cells are clear until the next grid is presented.
  package mutating func resize(to size: Size) {
    guard size != cells.size else { return }
    unsafe wresize(pad, Int32(max(1, size.rows)), Int32(max(1, size.columns)))
    cells = CellGrid(size)
    presented = CellGrid(size)
    run = CursesPad.makeRun(size)
  }

  /// Draws what differs from the last grid into the pad, and brings `cells` up to date. A grid of
  /// another size is not taken. A clear cell, where there is no window, stays clear. It allocates nothing.
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
      // Without UTF-8 each column of a wide character is a cell of its own.
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
      // A blank replaces it in the pad.
      let isClear = presented[row, column].isClear
      cells[row, column] = isClear ? .clear : Cell(scalar, style: style, width: isWide ? 2 : 1)
      if isWide { cells[row, column + 1] = .continuation(style: style) }
      column += isWide ? 2 : 1
    }
  }
}
