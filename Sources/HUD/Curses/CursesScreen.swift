import CLinux
import CNcurses
import Glibc
import PerfHUDBase
import SystemPackage
import Terminal

/// ncurses for a terminal that ncurses itself never touches: it writes into a memory file, and those bytes go through
/// the output queue like all others.
///
/// ncurses knows what the terminal shows and sends as little as possible to make it show the canvas. It belongs to the
/// main thread. Block all signals first, since `newterm` sets handlers for INT, TERM, TSTP and WINCH; perfhud reads
/// signals from a descriptor, so those handlers never run.
///
/// Source: curs_initscr(3), curs_add_wchstr(3), curs_refresh(3), `memfd_create(2)`.
@safe package struct CursesScreen: ~Copyable {
  let terminal: CursesTerminal
  /// The number of colors in use.
  package let depth: ColorDepth
  /// The bytes that undo everything that ncurses sends; for `TTY.enter`.
  package let restoreBytes: [UInt8]

  /// What the window already shows; unchanged cells are not passed to curses again.
  private var presented: CellGrid
  var cells: [cchar_t]
  private(set) var looks: [cchar_t]
  /// The looks of a program's cells below the windows.
  var programLooks = ProgramLooks()
  /// Whether the window also shows a program's screen beneath the presented windows.
  var showsProgram = false
  private var buffer: [UInt8]
  /// Bytes to send before the next frame.
  private var prefix: [UInt8] = []
  /// Where the next frame begins in the memory file.
  private var offset: Int64 = 0
  private(set) var theme: Theme
  /// Translates the color numbers of the description to 24-bit colors; `nil` if the bytes of ncurses are sent as they
  /// are.
  var directColors: DirectColors?

  /// The size of the memory file at which it is emptied.
  private static let fileLimit: Int64 = 1 << 20

  /// - Parameters:
  ///   - term: the value of `TERM`; for `nil` or a name without an entry, the built-in entry is used.
  ///   - source: which variable says that the terminal has 24-bit colors, whatever its entry says.
  ///   - colors: `false` draws without colors (`NO_COLOR`).
  ///   - isUTF8: whether characters beyond ASCII may be sent; see the property of this name.
  ///   - theme: the colors of the roles.
  ///   - background: the terminal's background, for themes that adapt to it.
  package init(
    size: Size, term: String?, directColors source: DirectColorSource? = nil, colors: Bool,
    isUTF8: Bool, theme: ThemeName = .auto, background: Background = .dark
  ) throws(CursesError) {
    if term == "dumb" { throw .noCursorAddressing(term: "dumb") }
    let described = source == .xtermVersion ? CursesScreen.indexedEntry(term) : term
    let terminal = try CursesTerminal(term: described, isUTF8: isUTF8)
    guard unsafe nc_capability("cup") != nil else { throw .noCursorAddressing(term: term ?? "") }
    // Until curses has left the terminal and come back once, it writes out after every movement of the cursor. What it
    // sends when it comes back begins the first frame. Leave before colors are used, because afterwards curses would
    // reset the palette that the user has chosen (`oc`).
    endwin()
    ftruncate(terminal.file.raw, 0)
    lseek(terminal.file.raw, 0, SEEK_SET)
    doupdate()
    terminal.removeScrollMargins()
    curs_set(0)
    let limit = terminal.colorLimit
    self.terminal = terminal
    let own = CursesScreen.startColors(wanted: colors, limit: limit)
    let takesValues = ColorDepth(colors: own.rawValue, directColors: source) == .direct
    var directColors: DirectColors?
    if own == .indexed, takesValues, nc_sets_indexed_color(1) != 0, nc_sets_indexed_color(0) != 0 {
      directColors = DirectColors()
    }
    depth = directColors == nil ? own : .direct
    let theme = Theme(depth: depth, name: theme, background: background)
    self.theme = theme
    CursesScreen.makePairs(theme, &directColors)
    self.directColors = directColors
    restoreBytes = CursesScreen.restoreSequence()
    presented = CellGrid(size)
    cells = Array(repeating: cchar_t(), count: max(1, size.columns))
    looks = CursesScreen.makeLooks(theme)
    buffer = Array(repeating: 0, count: 32 << 10)
    resizeterm(Int32(max(1, size.rows)), Int32(max(1, size.columns)))
  }

  /// Whether characters beyond ASCII can be presented.
  package var isUTF8: Bool { terminal.isUTF8 }

  /// The entry of an xterm that has more colors than the eight of the entry `xterm`, with which `DirectColors` could not
  /// replace anything. The two have no other difference.
  private static func indexedEntry(_ term: String?) -> String? {
    term == "xterm" ? "xterm-256color" : term
  }

  private static func startColors(wanted: Bool, limit: Int) -> ColorDepth {
    guard wanted, limit >= 8, has_colors(), start_color() == OK else { return .none }
    use_default_colors()
    // A description such as xterm-direct uses RGB values instead of palette indices.
    return nc_colors() > 256 ? .direct : ColorDepth(colors: min(limit, Int(nc_colors())))
  }

  /// Changes the colors, and draws everything again with the next frame.
  package mutating func setTheme(_ name: ThemeName, background: Background) {
    let theme = Theme(depth: depth, name: name, background: background)
    guard theme != self.theme else { return }
    self.theme = theme
    CursesScreen.makePairs(theme, &directColors)
    looks = CursesScreen.makeLooks(theme)
    programLooks.removeAll()
    redrawAll()
  }

  /// Forgets the color pairs of the program, because few are left.
  mutating func forgetProgramLooks() {
    programLooks.removeAll()
    CursesScreen.makePairs(theme, &directColors)
  }

  /// The number of color pairs that the theme uses.
  var themePairs: Int { min(looks.count, CursesScreen.pairLimit(theme.depth)) }

  /// Makes a pair of colors for each style, by its number. With few colors there are few pairs, so they are made for
  /// each role.
  private static func makePairs(_ theme: Theme, _ directColors: inout DirectColors?) {
    guard theme.depth != .none else { return }
    directColors?.removeAll()
    for (index, style) in theme.styles.prefix(pairLimit(theme.depth)).enumerated() {
      init_extended_pair(
        Int32(index) + 1, number(of: style.foreground, theme.depth, &directColors),
        number(of: style.background, theme.depth, &directColors))
    }
  }

  private static func pairLimit(_ depth: ColorDepth) -> Int {
    depth == .direct || depth == .indexed ? .max : Role.allCases.count
  }

  /// The number of a color in curses: a palette index or an RGB value; -1 is the terminal's own color.
  static func number(
    of color: Color, _ depth: ColorDepth, _ directColors: inout DirectColors?
  ) -> Int32 {
    if depth == .direct, let value = color.value {
      guard directColors != nil else { return Int32(value) }
      return directColors?.number(of: value).map(Int32.init) ?? -1
    }
    return color.paletteIndex.map(Int32.init) ?? -1
  }

  /// Makes a cell of each style, to copy its attributes and colors from.
  private static func makeLooks(_ theme: Theme) -> [cchar_t] {
    theme.styles.enumerated().map { index, style in
      var attributes: attr_t = NC_NORMAL
      if style.attributes.contains(.bold) { attributes |= NC_BOLD }
      if style.attributes.contains(.dim) { attributes |= NC_DIM }
      if style.attributes.contains(.underline) { attributes |= NC_UNDERLINE }
      if style.attributes.contains(.reverse) { attributes |= NC_REVERSE }
      var cell = cchar_t()
      let isOwn = index < pairLimit(theme.depth)
      let number = isOwn ? index : Role(StyleID(UInt16(index))).map { Int($0.rawValue) } ?? 0
      let pair = theme.depth == .none ? 0 : Int32(number) + 1
      unsafe nc_set_cell(&cell, 0x20, 0, attributes, pair)
      return cell
    }
  }

  /// Returns the bytes that reset colors, leave the alternate screen and show the cursor, from the terminal's
  /// description. Without an alternate screen they move the cursor below the last row, where the shell can continue.
  private static func restoreSequence() -> [UInt8] {
    var bytes = capability("sgr0") + capability("op")
    let leave = capability("rmcup")
    bytes += leave
    if leave.isEmpty, let last = unsafe nc_cursor_address(998, 0) {
      bytes += withoutPadding(unsafe String(cString: last)) + capability("el") + Array("\r\n".utf8)
    }
    return bytes + capability("cnorm")
  }

  private static func capability(_ name: String) -> [UInt8] {
    guard let text = unsafe nc_capability(name) else { return [] }
    return withoutPadding(unsafe String(cString: text))
  }

  /// Removes marks such as `$<5>`, which request a pause that only old terminals need (terminfo(5)).
  private static func withoutPadding(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var isMark = false
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "<") { isMark = true }
      if !isMark { bytes.append(byte) }
      if isMark, byte == UInt8(ascii: ">") { isMark = false }
    }
    return bytes
  }

  /// Changes the size to that of the terminal, and draws everything again with the next frame.
  package mutating func resize(to size: Size) {
    guard size.rows > 0, size.columns > 0 else { return }
    resizeterm(Int32(size.rows), Int32(size.columns))
    presented = CellGrid(size)
    if cells.count < size.columns {
      cells = Array(repeating: cchar_t(), count: size.columns)
    }
    redrawAll()
  }

  /// Draws everything again with the next frame, because something else may have written to the terminal.
  ///
  /// `endwin` would have the same effect, but it also resets the palette that the user has chosen (`oc`).
  package mutating func redrawAll() {
    if prefix.isEmpty { prefix = CursesScreen.capability("sgr0") }
    presented = CellGrid(presented.size)
    unsafe wclear(nc_stdscr())
  }

  /// Takes over the terminal again after `restoreBytes` were sent, and draws everything again.
  package mutating func enterAgain() {
    redrawAll()
    prefix =
      CursesScreen.capability("sgr0") + CursesScreen.capability("smcup")
      + CursesScreen.capability("civis")
  }

  /// Draws the differences from the last frame into the window, and queues the bytes that show them.
  package mutating func present(_ grid: borrowing CellGrid, to queue: inout OutputQueue) {
    let size = presented.size
    guard grid.size == size else { return }
    if showsProgram { eraseProgram() }
    for row in 0..<size.rows where !grid.isRow(row, sameAs: presented) { presentRow(row, grid) }
    flush(to: &queue)
  }

  private mutating func eraseProgram() {
    showsProgram = false
    presented = CellGrid(presented.size)
    unsafe werase(nc_stdscr())
  }

  var size: Size { presented.size }

  /// Queues the bytes that show the window.
  mutating func flush(to queue: inout OutputQueue) {
    unsafe wnoutrefresh(nc_stdscr())
    doupdate()
    queue.append(prefix)
    prefix.removeAll()
    var directColors = directColors
    unsafe takeFrame { bytes in
      if directColors == nil {
        unsafe queue.append(bytes)
      } else {
        unsafe directColors?.pass(bytes, to: &queue)
      }
    }
    self.directColors = directColors
  }

  /// Gives curses the part of a row between its first and its last difference.
  private mutating func presentRow(_ row: Int, _ grid: borrowing CellGrid) {
    guard let columns = grid.changedColumns(row: row, from: presented) else { return }
    var count = 0
    for column in columns {
      let cell = grid[row, column]
      presented[row, column] = cell
      // Without UTF-8, each column of a wide character is a separate cell.
      if cell.isContinuation, isUTF8 { continue }
      cells[count] = looks[min(Int(cell.style.raw), looks.count - 1)]
      cells[count].chars.0 = wchar_t(terminal.printable(cell))
      count += 1
    }
    unsafe mvwadd_wchnstr(
      nc_stdscr(), Int32(row), Int32(columns.lowerBound), cells, Int32(count))
  }

  /// Passes what ncurses has written since the last call to `body`.
  private mutating func takeFrame(_ body: (UnsafeRawBufferPointer) -> Void) {
    while true {
      let start = offset
      let count = unsafe buffer.withUnsafeMutableBytes {
        (try? unsafe terminal.file.read(into: $0, at: start)) ?? 0
      }
      unsafe buffer.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      offset += Int64(count)
      if count < buffer.count { break }
    }
    if offset > CursesScreen.fileLimit { emptyFile() }
  }

  private mutating func emptyFile() {
    ftruncate(terminal.file.raw, 0)
    lseek(terminal.file.raw, 0, SEEK_SET)
    offset = 0
  }
}
