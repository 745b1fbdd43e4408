import Base
import CLinux
import CNcurses
import Glibc
import SystemPackage
import Terminal

/// Why curses cannot draw on this terminal.
public enum CursesError: Error, Equatable {
  /// The terminal cannot place its cursor (`TERM=dumb`).
  case noCursorAddressing(term: String)
  /// The library refused.
  case failed(term: String)
  case system(SystemError)
}

/// ncurses for a terminal that it never touches itself: it writes into a memory file, and what it
/// wrote goes through the output queue like all other bytes.
///
/// ncurses keeps what the terminal shows and sends the least that makes it show the canvas. It belongs
/// to the main thread. All signals must be blocked before, since `newterm` sets handlers for INT, TERM,
/// TSTP and WINCH; they are read from a descriptor and those handlers never run.
///
/// Source: curs_initscr(3), curs_add_wchstr(3), curs_refresh(3), `memfd_create(2)`.
@safe public struct CursesScreen: ~Copyable {
  private let file: Descriptor
  private let stream: UnsafeMutablePointer<FILE>
  private let keys: UnsafeMutablePointer<FILE>
  private let screen: OpaquePointer
  /// Whether characters beyond ASCII can be presented.
  public let isUTF8: Bool
  /// How many colours are used.
  public let depth: ColorDepth
  /// What undoes everything that ncurses sends: for `TTY.enter`.
  public let restoreBytes: [UInt8]

  /// What the window shows already; a cell that is the same is not given to curses again.
  private var presented: CellGrid
  private var cells: [cchar_t]
  private var looks: [cchar_t]
  private var buffer: [UInt8]
  /// What is sent before the next frame.
  private var prefix: [UInt8] = []
  /// Where the next frame begins in the memory file.
  private var offset: Int64 = 0

  /// Bytes in the memory file after which it is emptied.
  private static let fileLimit: Int64 = 1 << 20

  /// - Parameters:
  ///   - term: the value of `TERM`; `nil` or a name without an entry takes the entry that is built in.
  ///   - colors: `false` draws without colours (`NO_COLOR`).
  ///   - isUTF8: characters beyond ASCII may be sent; see the property of this name.
  public init(
    size: Size, term: String?, colors: Bool, isUTF8: Bool
  ) throws(CursesError) {
    if term == "dumb" { throw .noCursorAddressing(term: "dumb") }
    // C.UTF-8 alone can be loaded by a static executable; where there is no file of it, ncurses could
    // not write anything beyond ASCII.
    let locale = unsafe setlocale(LC_CTYPE, isUTF8 ? "C.UTF-8" : "C")
    let hasLocale = unsafe locale != nil
    let raw = unsafe perfhud_memfd_create("perfhud-frame")
    guard raw >= 0 else {
      throw .system(
        SystemError(call: "memfd_create", subject: "the frame", code: Errno(rawValue: errno)))
    }
    let file = Descriptor(owning: raw)
    // The size comes from the real terminal; a variable would mislead. With both of these off, newterm
    // fails for an entry without a size, such as that of the Linux console.
    use_env(false)
    use_tioctl(true)
    // A curses that finds SIGTSTP ignored leaves it alone; else it would change its handler and back
    // with every frame.
    let handler = signal(SIGTSTP, SIG_IGN)
    defer { signal(SIGTSTP, handler) }
    // No keys are read through curses; it only wants a file, and /dev/null may not be there.
    guard let stream = unsafe fdopen(fcntl(raw, F_DUPFD_CLOEXEC, 3), "w"),
      let keys = unsafe fdopen(fcntl(raw, F_DUPFD_CLOEXEC, 3), "r"),
      let screen = unsafe CursesScreen.open(term, stream, keys)
    else { throw .failed(term: term ?? "") }
    unsafe set_term(screen)
    typeahead(-1)
    guard unsafe nc_capability("cup") != nil else {
      endwin()
      throw .noCursorAddressing(term: term ?? "")
    }
    curs_set(0)
    self.isUTF8 = isUTF8 && hasLocale
    self.file = file
    unsafe self.stream = stream
    unsafe self.keys = keys
    unsafe self.screen = screen
    depth = CursesScreen.startColors(wanted: colors)
    restoreBytes = CursesScreen.restoreSequence()
    presented = CellGrid(size)
    cells = Array(repeating: cchar_t(), count: max(1, size.columns))
    looks = CursesScreen.makeLooks(Theme(depth: depth))
    buffer = Array(repeating: 0, count: 32 << 10)
    resizeterm(Int32(max(1, size.rows)), Int32(max(1, size.columns)))
  }

  deinit {
    endwin()
    unsafe delscreen(screen)
    unsafe fclose(stream)
    unsafe fclose(keys)
  }

  /// The entry of `term`, else the one built in: for a terminal that nobody has described here, the
  /// most common kind is the best guess.
  private static func open(
    _ term: String?, _ stream: UnsafeMutablePointer<FILE>, _ keys: UnsafeMutablePointer<FILE>
  ) -> OpaquePointer? {
    let before = unsafe getenv("TERMINFO").map { unsafe String(cString: $0) }
    defer {
      if let before {
        unsafe setenv("TERMINFO", before, 1)
      } else {
        unsafe unsetenv("TERMINFO")
      }
    }
    // tinfo keeps its list of places for a second, unless a variable changes that it has seen before.
    if before == nil { unsafe setenv("TERMINFO", "", 1) }
    if let term, !term.isEmpty, let screen = unsafe newterm(term, stream, keys) {
      return unsafe screen
    }
    unsafe setenv("TERMINFO", BuiltinTerminal.terminfo, 1)
    return unsafe newterm(BuiltinTerminal.name, stream, keys)
  }

  private static func startColors(wanted: Bool) -> ColorDepth {
    guard wanted, has_colors(), start_color() == OK else { return .none }
    use_default_colors()
    let depth = ColorDepth(colors: Int(nc_colors()))
    let theme = Theme(depth: depth)
    for role in Role.allCases {
      let style = theme.style(role)
      let foreground = style.foreground.paletteIndex.map(Int32.init) ?? -1
      let background = style.background.paletteIndex.map(Int32.init) ?? -1
      init_extended_pair(Int32(role.rawValue) + 1, foreground, background)
    }
    return depth
  }

  /// A cell of each role, to copy its attributes and colours from.
  private static func makeLooks(_ theme: Theme) -> [cchar_t] {
    Role.allCases.map { role in
      let style = theme.style(role)
      var attributes: attr_t = NC_NORMAL
      if style.attributes.contains(.bold) { attributes |= NC_BOLD }
      if style.attributes.contains(.dim) { attributes |= NC_DIM }
      if style.attributes.contains(.underline) { attributes |= NC_UNDERLINE }
      if style.attributes.contains(.reverse) { attributes |= NC_REVERSE }
      var cell = cchar_t()
      let pair = theme.depth == .none ? 0 : Int32(role.rawValue) + 1
      unsafe nc_set_cell(&cell, 0x20, 0, attributes, pair)
      return cell
    }
  }

  /// Default colours, leave the second screen, show the cursor: from the terminal's own description.
  /// Without a second screen the cursor goes below the last row, where the shell may go on.
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

  /// Without marks such as `$<5>`, which ask for a pause that only terminals of old need (terminfo(5)).
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

  /// Takes on the size of the terminal and draws everything anew at the next frame.
  public mutating func resize(to size: Size) {
    guard size.rows > 0, size.columns > 0 else { return }
    resizeterm(Int32(size.rows), Int32(size.columns))
    presented = CellGrid(size)
    if cells.count < size.columns {
      cells = Array(repeating: cchar_t(), count: size.columns)
    }
    redrawAll()
  }

  /// Draws everything anew at the next frame: when something else may have written.
  ///
  /// `endwin` would do so too, but curses then resets the palette that the user has chosen (`oc`).
  public mutating func redrawAll() {
    if prefix.isEmpty { prefix = CursesScreen.capability("sgr0") }
    presented = CellGrid(presented.size)
    unsafe wclear(nc_stdscr())
  }

  /// Takes the terminal over again after `restoreBytes` were sent, and draws everything anew.
  public mutating func enterAgain() {
    redrawAll()
    prefix =
      CursesScreen.capability("sgr0") + CursesScreen.capability("smcup")
      + CursesScreen.capability("civis")
  }

  /// Puts what differs from the last frame into the window, and the bytes that show it into the queue.
  public mutating func present(_ grid: borrowing CellGrid, to queue: inout OutputQueue) {
    let size = presented.size
    guard grid.size == size else { return }
    for row in 0..<size.rows where !grid.isRow(row, sameAs: presented) { presentRow(row, grid) }
    unsafe wnoutrefresh(nc_stdscr())
    doupdate()
    for byte in prefix { queue.append(byte) }
    prefix.removeAll()
    unsafe takeFrame { bytes in unsafe queue.append(bytes) }
  }

  /// Gives curses the part of a row between its first and its last difference.
  private mutating func presentRow(_ row: Int, _ grid: borrowing CellGrid) {
    let columns = presented.size.columns
    var first = 0
    while first < columns, grid[row, first] == presented[row, first] { first += 1 }
    guard first < columns else { return }
    var last = columns - 1
    while grid[row, last] == presented[row, last] { last -= 1 }
    // A wide character is given whole.
    while first > 0, grid[row, first].isContinuation || presented[row, first].isContinuation {
      first -= 1
    }
    var count = 0
    var column = first
    while column <= last {
      let cell = grid[row, column]
      presented[row, column] = cell
      // Without UTF-8 each column of a wide character is a cell of its own.
      if !cell.isContinuation || !isUTF8 {
        cells[count] = looks[min(Int(cell.style.raw), looks.count - 1)]
        cells[count].chars.0 = wchar_t(cell.isClear ? 0x20 : printable(cell.scalarValue))
        count += 1
      }
      column += 1
    }
    if column < columns, grid[row, column].isContinuation {
      presented[row, column] = grid[row, column]
    }
    unsafe mvwadd_wchnstr(nc_stdscr(), Int32(row), Int32(first), cells, Int32(count))
  }

  /// The scalar, or without UTF-8 what stands in for one beyond ASCII: ncurses would leave the cell out
  /// and move the rest of the row.
  private func printable(_ scalar: UInt32) -> UInt32 {
    if isUTF8 || (0x20..<0x7F).contains(scalar) { return scalar }
    switch scalar {
    case 0x2026: return 0x7E  // …, as ~
    case 0x2013: return 0x2D  // –, as -
    default: return 0x3F
    }
  }

  /// Hands out what ncurses has written since the last call.
  private mutating func takeFrame(_ body: (UnsafeRawBufferPointer) -> Void) {
    while true {
      let start = offset
      let count = unsafe buffer.withUnsafeMutableBytes {
        (try? unsafe file.read(into: $0, at: start)) ?? 0
      }
      unsafe buffer.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      offset += Int64(count)
      if count < buffer.count { break }
    }
    if offset > CursesScreen.fileLimit { emptyFile() }
  }

  private mutating func emptyFile() {
    ftruncate(file.raw, 0)
    lseek(file.raw, 0, SEEK_SET)
    offset = 0
  }
}
