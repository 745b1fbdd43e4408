import CLinux
import CNcurses
import Glibc
import PerfHUDBase
import SystemPackage
import Terminal

/// Why curses cannot draw on this terminal.
package enum CursesError: Error, Equatable {
  /// The terminal cannot move its cursor (`TERM=dumb`).
  case noCursorAddressing(term: String)
  /// The library refused.
  case failed(term: String)
  case system(SystemError)
}

/// An ncurses instance that writes into a memory file instead of to a terminal.
///
/// A process can have one at a time, and it belongs to the main thread. `newterm` sets handlers for INT, TERM, TSTP and
/// WINCH. The previous handlers are restored, and since the signals are blocked meanwhile, the library's handlers never
/// run.
///
/// Source: curs_initscr(3), `memfd_create(2)`, `sigaction(2)`.
@safe struct CursesTerminal: ~Copyable {
  /// What the library has written.
  let file: Descriptor
  /// Whether the library takes characters beyond ASCII.
  let isUTF8: Bool
  /// The greatest number of colors. For a name without an entry, the number that the name implies.
  let colorLimit: Int
  private let stream: UnsafeMutablePointer<FILE>
  private let keys: UnsafeMutablePointer<FILE>
  private let screen: OpaquePointer

  /// - Parameter term: the value of `TERM`; for `nil` or a name without an entry, the built-in entry is used.
  init(term: String?, isUTF8: Bool) throws(CursesError) {
    // A static executable can load only C.UTF-8; without a file for it, ncurses could not write anything beyond ASCII.
    let locale = unsafe setlocale(LC_CTYPE, isUTF8 ? "C.UTF-8" : "C")
    let hasLocale = unsafe locale != nil
    let raw = unsafe perfhud_memfd_create("perfhud-frame")
    guard raw >= 0 else {
      throw .system(
        SystemError(call: "memfd_create", subject: "the frame", code: Errno(rawValue: errno)))
    }
    let file = Descriptor(owning: raw)
    // The size comes from the real terminal; environment variables would be misleading. With both of these off, newterm
    // fails for an entry without a size, such as that of the Linux console.
    use_env(false)
    use_tioctl(true)
    let handlers = SignalHandlers()
    defer { handlers.restore() }
    // curses leaves SIGTSTP alone if it is ignored; otherwise it would change its handler and restore it with every
    // frame.
    signal(SIGTSTP, SIG_IGN)
    // No keys are read through curses. It only needs a file, and /dev/null may not exist.
    guard let stream = unsafe CursesTerminal.stream(on: raw, "w") else {
      throw .failed(term: term ?? "")
    }
    guard let keys = unsafe CursesTerminal.stream(on: raw, "r") else {
      unsafe fclose(stream)
      throw .failed(term: term ?? "")
    }
    var isBuiltin = false
    guard let screen = unsafe CursesTerminal.open(term, stream, keys, &isBuiltin) else {
      unsafe fclose(stream)
      unsafe fclose(keys)
      throw .failed(term: term ?? "")
    }
    unsafe set_term(screen)
    typeahead(-1)
    self.file = file
    self.isUTF8 = isUTF8 && hasLocale
    colorLimit = isBuiltin ? BuiltinTerminal.colors(of: term) : .max
    unsafe self.stream = stream
    unsafe self.keys = keys
    unsafe self.screen = screen
  }

  deinit {
    endwin()
    unsafe delscreen(screen)
    unsafe fclose(stream)
    unsafe fclose(keys)
  }

  /// Takes back what curses has written to set the scroll margins when it came back to the terminal. It sets them to the
  /// size that it knows then, and never resets them. It needs them only to scroll, which `idlok` leaves off.
  func removeScrollMargins() {
    guard let text = unsafe nc_whole_scroll_margins() else { return }
    let margins = unsafe Array(String(cString: text).utf8)
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe pread(file.raw, &bytes, bytes.count, 0)
    bytes.removeLast(bytes.count - max(0, count))
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: margins) }) else {
      return
    }
    bytes.removeSubrange(start..<(start + margins.count))
    ftruncate(file.raw, 0)
    lseek(file.raw, 0, SEEK_SET)
    _ = unsafe write(file.raw, bytes, bytes.count)
  }

  /// A stream with a descriptor of its own; `nil` if there are no descriptors left. Source: `fdopen(3)`.
  private static func stream(on raw: Int32, _ mode: String) -> UnsafeMutablePointer<FILE>? {
    let copy = fcntl(raw, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return nil }
    if let stream = unsafe fdopen(copy, mode) { return unsafe stream }
    close(copy)
    return nil
  }

  /// Opens the entry of `term`, otherwise the built-in one, which describes the most common kind of terminal.
  private static func open(
    _ term: String?, _ stream: UnsafeMutablePointer<FILE>, _ keys: UnsafeMutablePointer<FILE>,
    _ isBuiltin: inout Bool
  ) -> OpaquePointer? {
    let before = unsafe getenv("TERMINFO").map { unsafe String(cString: $0) }
    defer {
      if let before {
        unsafe setenv("TERMINFO", before, 1)
      } else {
        unsafe unsetenv("TERMINFO")
      }
    }
    // tinfo caches its list of directories for a second, unless a variable that it has read before changes.
    if before == nil { unsafe setenv("TERMINFO", "", 1) }
    if let term, !term.isEmpty, let screen = unsafe newterm(term, stream, keys) {
      return unsafe screen
    }
    unsafe setenv("TERMINFO", BuiltinTerminal.terminfo, 1)
    isBuiltin = true
    return unsafe newterm(BuiltinTerminal.name, stream, keys)
  }

  /// The cell's scalar. Without UTF-8, a replacement for a scalar beyond ASCII, because ncurses would leave the cell
  /// out and shift the rest of the row.
  func printable(_ cell: Cell) -> UInt32 {
    let scalar = cell.isClear ? 0x20 : cell.scalarValue
    if isUTF8 || (0x20..<0x7F).contains(scalar) { return scalar }
    switch scalar {
    case 0x2026: return 0x7E  // …, as ~
    case 0x2013: return 0x2D  // –, as -
    default: return 0x3F
    }
  }
}

extension CellGrid {
  /// The columns of a row from its first to its last difference, including both halves of wide characters.
  func changedColumns(row: Int, from before: borrowing CellGrid) -> Range<Int>? {
    let columns = size.columns
    var first = 0
    while first < columns, self[row, first] == before[row, first] { first += 1 }
    guard first < columns else { return nil }
    var end = columns
    while self[row, end - 1] == before[row, end - 1] { end -= 1 }
    while first > 0, self[row, first].isContinuation || before[row, first].isContinuation {
      first -= 1
    }
    if end < columns, self[row, end].isContinuation { end += 1 }
    return first..<end
  }
}

extension BuiltinTerminal {
  /// The number of colors implied by the name of a terminal without an entry: `xterm-16color`, `vt220`, `rxvt-mono`.
  /// Most have 256.
  static func colors(of term: String?) -> Int {
    guard let term else { return 256 }
    let isOld = term.hasPrefix("vt") && term.dropFirst(2).first?.isNumber == true
    if isOld || term.hasSuffix("-m") || term.hasSuffix("-mono") { return 0 }
    guard term.hasSuffix("color"), let end = term.lastIndex(of: "-") else { return 256 }
    let number = term[term.index(after: end)...].dropLast(5)
    return number.isEmpty ? 8 : Int(number) ?? 256
  }
}

/// The handlers of the signals for which `newterm` sets its own handlers.
private struct SignalHandlers {
  private var interrupt = sigaction()
  private var terminate = sigaction()
  private var stop = sigaction()
  private var windowSize = sigaction()

  init() {
    unsafe sigaction(SIGINT, nil, &interrupt)
    unsafe sigaction(SIGTERM, nil, &terminate)
    unsafe sigaction(SIGTSTP, nil, &stop)
    unsafe sigaction(SIGWINCH, nil, &windowSize)
  }

  func restore() {
    var (interrupt, terminate, stop, windowSize) = (interrupt, terminate, stop, windowSize)
    unsafe sigaction(SIGINT, &interrupt, nil)
    unsafe sigaction(SIGTERM, &terminate, nil)
    unsafe sigaction(SIGTSTP, &stop, nil)
    unsafe sigaction(SIGWINCH, &windowSize, nil)
  }
}
