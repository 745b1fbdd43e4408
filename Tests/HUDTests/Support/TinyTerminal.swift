import Terminal

/// As much of a terminal as ncurses uses with xterm-256color: it shows what the bytes make of a screen,
/// and names every sequence that it does not know.
struct TinyTerminal {
  private(set) var grid: CellGrid
  private(set) var unknown: [String] = []
  private var row = 0
  private var column = 0
  /// The last column has been written; the next character begins a new row.
  private var isWrapPending = false
  private var last: Unicode.Scalar = " "

  init(_ size: Size) {
    grid = CellGrid(size)
    grid.fill(Cell(" "))
  }

  var lines: [String] { (0..<grid.size.rows).map { grid.text(row: $0) } }

  mutating func feed(_ bytes: [UInt8]) {
    var rest = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar < " ", scalar != "\u{1B}" { isWrapPending = false }
      switch scalar {
      case "\u{1B}": escape(&rest)
      case "\r": column = 0
      case "\n": row = min(row + 1, grid.size.rows - 1)
      case "\u{8}": column = max(0, column - 1)
      case "\u{0}"..."\u{1F}": unknown.append("control \(scalar.value)")
      default: print(scalar)
      }
    }
  }

  private mutating func print(_ scalar: Unicode.Scalar) {
    let width = CharacterWidth.of(scalar)
    if isWrapPending || column + width > grid.size.columns { (row, column) = (row + 1, 0) }
    guard width > 0, row < grid.size.rows else {
      unknown.append("character \(scalar) of width \(width) at \(row), \(column)")
      return
    }
    blankHalves(column, width)
    grid[row, column] = Cell(scalar, width: width)
    if width == 2 { grid[row, column + 1] = .continuation(style: .plain) }
    isWrapPending = column + width == grid.size.columns
    column = min(column + width, grid.size.columns - 1)
    last = scalar
  }

  /// A wide character of which half is drawn over goes away whole.
  private mutating func blankHalves(_ column: Int, _ width: Int) {
    if grid[row, column].isContinuation, column > 0 { grid[row, column - 1] = Cell(" ") }
    let after = column + width
    if after < grid.size.columns, grid[row, after].isContinuation {
      grid[row, after] = Cell(" ")
    }
  }

  private mutating func escape(_ rest: inout Substring.UnicodeScalarView) {
    guard let kind = rest.popFirst() else { return }
    switch kind {
    case "(": _ = rest.popFirst()
    case "=", ">", "7", "8": break
    case "[": control(&rest)
    default: unknown.append("ESC \(kind)")
    }
  }

  private mutating func control(_ rest: inout Substring.UnicodeScalarView) {
    let body = rest.prefix { !("@"..."~").contains($0) }
    rest = rest.dropFirst(body.count)
    guard let final = rest.popFirst() else { return }
    let numbers = String(body).split(separator: ";").map { Int($0) ?? 0 }
    let count = max(1, numbers.first ?? 1)
    if "HdGABCDr".unicodeScalars.contains(final) { isWrapPending = false }
    switch final {
    case "m", "h", "l", "t", "r": break
    case "H": (row, column) = (count - 1, max(1, numbers.dropFirst().first ?? 1) - 1)
    case "d": row = count - 1
    case "G": column = count - 1
    case "A": row = max(0, row - count)
    case "B": row = min(grid.size.rows - 1, row + count)
    case "C": column = min(grid.size.columns - 1, column + count)
    case "D": column = max(0, column - count)
    case "J" where numbers.first == 2: for row in 0..<grid.size.rows { blank(row, from: 0) }
    case "J":
      blank(row, from: column)
      for below in row + 1..<max(row + 1, grid.size.rows) { blank(below, from: 0) }
    case "K" where numbers.first == 1: blank(row, from: 0, to: column + 1)
    case "K": blank(row, from: column)
    case "X": blank(row, from: column, to: min(grid.size.columns, column + count))
    case "b": for _ in 0..<count { print(last) }
    case "P", "@": shift(by: final == "P" ? count : -count)
    default: unknown.append("CSI \(body) \(final)")
    }
  }

  private mutating func blank(_ row: Int, from: Int, to: Int? = nil) {
    for column in from..<(to ?? grid.size.columns) { grid[row, column] = Cell(" ") }
  }

  /// Moves what is at the cursor and to its right to the left, or to the right.
  private mutating func shift(by count: Int) {
    let old = (0..<grid.size.columns).map { grid[row, $0] }
    for place in column..<grid.size.columns {
      let from = place + count
      let isThere = from >= column && from < grid.size.columns
      grid[row, place] = isThere ? old[from] : Cell(" ")
    }
  }
}
