/// The character that was printed last.
struct PrintedCharacter {
  /// What REP repeats, and what combining characters join: clear as soon as anything but SGR has come. Marked with
  /// `isFromBefore` and `isClosed`.
  private(set) var marked = Cell.clear
  /// The same character, whatever has come since; marked with `fromBefore` once something was injected.
  private(set) var kept = Cell.clear
  /// Where it was printed: xterm adds to it what combines.
  var row = 0
  var column = 0
  /// Whether it is a wide one: a single shift before one of the other kind confuses xterm.
  var isWide = false
  /// Whether a wide character is being put into its cells.
  var isPrintingWide = false

  /// In a marked cell: it was printed before the call of `feed`.
  private static let fromBefore: UInt64 = 1 << 31
  /// In a marked cell: SGR has come since, so that REP repeats nothing, but what combines still joins the character.
  private static let closed: UInt64 = 1 << 30

  /// The character's cell; clear if anything but SGR has come since.
  var cell: Cell {
    Cell(raw: marked.raw & ~(PrintedCharacter.fromBefore | PrintedCharacter.closed))
  }

  /// Whether it was printed before the call of `feed`.
  var isFromBefore: Bool { marked.raw & PrintedCharacter.fromBefore != 0 }
  /// Whether SGR has come since.
  var isClosed: Bool { marked.raw & PrintedCharacter.closed != 0 }
  /// Whether REP has anything to repeat.
  var isRepeatable: Bool { !marked.isClear && !isClosed }
  var isClear: Bool { marked.isClear }

  /// Whether something was injected since: some terminals repeat that with REP.
  var isReplaced: Bool { kept.raw & PrintedCharacter.fromBefore != 0 }
  /// What such a terminal would have repeated; clear if nothing.
  var earlier: Cell { Cell(raw: kept.raw & ~PrintedCharacter.fromBefore) }

  @inline(__always) mutating func set(_ cell: Cell) {
    marked = cell
    kept = cell
  }

  /// Something was injected, or with `false` the character was written again after it.
  mutating func markReplaced(_ isReplaced: Bool = true) {
    guard !kept.isClear else { return }
    kept = isReplaced ? Cell(raw: kept.raw | PrintedCharacter.fromBefore) : earlier
  }

  /// Something has come after which nothing is repeated or joined.
  @inline(__always) mutating func clear() { marked = .clear }

  /// SGR has come.
  @inline(__always) mutating func close() {
    marked = Cell(raw: marked.raw | PrintedCharacter.closed)
  }

  /// Replaces the character by the cluster that has become of it.
  mutating func replace(by cell: Cell) {
    marked = Cell(raw: cell.raw | marked.raw & PrintedCharacter.closed)
    kept = cell
  }

  /// A call of `feed` begins.
  mutating func markFromBefore() {
    if !isClear { marked = Cell(raw: marked.raw | PrintedCharacter.fromBefore) }
  }

  /// What the terminal shows of it is unknown.
  mutating func makeUnknown() {
    marked = Cell(raw: marked.raw | Cell.Bits.unknown)
    kept = Cell(raw: kept.raw | Cell.Bits.unknown)
  }
}
