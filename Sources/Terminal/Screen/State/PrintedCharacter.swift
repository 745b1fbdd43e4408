/// The character that was printed last.
struct PrintedCharacter {
  /// The character that REP repeats and that combining characters join; clear as soon as anything but SGR has come. Has
  /// the marks `fromBefore` and `closed`.
  private(set) var marked = Cell.clear
  /// The same character, whatever has come since. Has the mark `fromBefore` once something was injected.
  private(set) var kept = Cell.clear
  /// Where it was printed: xterm adds combining characters there.
  var row = 0
  var column = 0
  /// Whether it is a wide character: a single shift before a character of the other width confuses xterm.
  var isWide = false
  /// Whether a wide character is being put into its cells.
  var isPrintingWide = false

  /// Marks a character that was printed before the current call of `feed`.
  private static let fromBefore: UInt64 = 1 << 31
  /// Marks a character after which SGR has come: REP repeats nothing, but combining characters still join it.
  private static let closed: UInt64 = 1 << 30

  /// The character's cell; clear if anything but SGR has come since.
  var cell: Cell {
    Cell(raw: marked.raw & ~(PrintedCharacter.fromBefore | PrintedCharacter.closed))
  }

  /// Whether it was printed before the current call of `feed`.
  var isFromBefore: Bool { marked.raw & PrintedCharacter.fromBefore != 0 }
  /// Whether SGR has come since.
  var isClosed: Bool { marked.raw & PrintedCharacter.closed != 0 }
  /// Whether REP has anything to repeat.
  var isRepeatable: Bool { !marked.isClear && !isClosed }
  var isClear: Bool { marked.isClear }

  /// Whether something was injected since; with REP, some terminals repeat that instead.
  var isReplaced: Bool { kept.raw & PrintedCharacter.fromBefore != 0 }
  /// The character that such a terminal would have repeated; clear if none.
  var earlier: Cell { Cell(raw: kept.raw & ~PrintedCharacter.fromBefore) }

  @inline(__always) mutating func set(_ cell: Cell) {
    marked = cell
    kept = cell
  }

  /// Notes that something was injected, or with `false`, that the character was written again afterward.
  mutating func markReplaced(_ isReplaced: Bool = true) {
    guard !kept.isClear else { return }
    kept = isReplaced ? Cell(raw: kept.raw | PrintedCharacter.fromBefore) : earlier
  }

  /// Notes that something has come after which nothing is repeated or joined.
  @inline(__always) mutating func clear() { marked = .clear }

  /// Notes that SGR has come.
  @inline(__always) mutating func close() {
    marked = Cell(raw: marked.raw | PrintedCharacter.closed)
  }

  /// Replaces the character with the cluster that it has become.
  mutating func replace(by cell: Cell) {
    marked = Cell(raw: cell.raw | marked.raw & PrintedCharacter.closed)
    kept = cell
  }

  /// Notes that a call of `feed` begins.
  mutating func markFromBefore() {
    if !isClear { marked = Cell(raw: marked.raw | PrintedCharacter.fromBefore) }
  }

  /// Notes that its appearance on the terminal is unknown.
  mutating func makeUnknown() {
    marked = Cell(raw: marked.raw | Cell.Bits.unknown)
    kept = Cell(raw: kept.raw | Cell.Bits.unknown)
  }
}
