/// The screen model: what a program's output has put on the two screens of its terminal, and everything that is
/// needed to put the terminal back into the same state after something was drawn in between.
///
/// It does no I/O: queries are not answered, nothing is written. Cells are marked as unknown instead of being guessed:
/// after the start, and wherever the terminal may show something else.
///
/// Scrolling the whole screen moves no cell: lines are in a ring, and a line knows up to where it
/// has been written, so that an empty one costs nothing.
///
/// Source: ECMA-48; the DEC VT510 manual; XTerm Control Sequences. Where they leave it open it
/// follows xterm 379, and `TerminalQuirks` for others.
package struct Screen: ~Copyable {
  /// The least and the greatest size; others are clamped to it.
  package static let sizeLimit = 4096

  /// How a screen starts.
  package struct Options: Sendable {
    /// What is there is not known, nor where the cursor is: a terminal that was in use before.
    package var startsUnknown = false
    /// The terminal reads UTF-8. If not: Latin-1, and 0x80–0x9F are C1 controls.
    package var isUTF8 = true
    package var quirks: TerminalQuirks = []

    package init() {}
  }

  private let pin = Pinned()

  // MARK: Both screens

  package private(set) var options: Options
  package internal(set) var size: Size
  /// The cells of both screens; the lines say where theirs begin.
  var cells: UncheckedBuffer<Cell>
  var lines: LineRing
  var saved = SavedState()

  // MARK: Cursor, margins, modes

  var row = 0
  var column = 0
  /// Whether the cursor is past the last column, so that the next character wraps first.
  package internal(set) var isWrapPending = false
  var region: Margins
  package internal(set) var modes = ProgramModes.initial
  package internal(set) var protection = Protection.none
  var certainty = Certainty()
  package internal(set) var characterSets = CharacterSets()
  var tabs = TabStops()
  var erasure = Erasure()

  // MARK: Pen

  package internal(set) var pen = Pen()
  var penState = PenState()
  var printed = PrintedCharacter()
  var tables = ScreenTables()

  // MARK: Strings

  var parser = Parser()
  var reported = OutputReports()

  // MARK: Feeding

  var feeding = FeedState()
  var damage = Damage()

  // MARK: Frames

  var frames = FrameWatch()

  /// A screen of blanks, or of unknown cells, with the cursor at home.
  package init(_ wanted: Size, options: Options = Options()) {
    let size = Screen.clamped(wanted)
    self.options = options
    self.size = size
    region = Margins(size)
    let blank = options.startsUnknown ? Cell.unseen : Cell.erased()
    cells = UncheckedBuffer(zeroed: Screen.cellCount(size))
    lines = LineRing(size, mayGoOn: options.startsUnknown, blank: blank)
    certainty.isCursorKnown = !options.startsUnknown
    updateFastPath()
  }

  /// The cells of both screens, with room after them for what is written in blocks.
  static func cellCount(_ size: Size) -> Int {
    size.rows * size.columns * 2 + UncheckedBuffer<Cell>.block
  }

  static func clamped(_ size: Size) -> Size {
    Size(
      rows: min(max(size.rows, 1), sizeLimit), columns: min(max(size.columns, 1), sizeLimit))
  }

  // MARK: Looking

  /// Whether a terminal in this state can be brought back to it after something was drawn elsewhere:
  /// everything is known, and there are sequences that set it.
  ///
  /// There are none for a wrap that is pending away from the margin (CBT and DECRC can bring it
  /// about), for a cursor outside the margins with DECOM (DECRC), for a character set that is not
  /// modelled or, in GR, not ASCII, and in xterm for a background that DECRC has brought back: SGR 7 and 27 bring
  /// the one that was last sent. A pen that still protects after DECSED has ended all protection is another.
  package var isRestorable: Bool {
    guard certainty.isComplete else { return false }
    guard characterSets[0] != .other, !hasHiddenBackground else { return false }
    // xterm reads characters beyond ASCII in the set of GR, so that others would be painted.
    guard characterSets[characterSets.right] == .ascii else { return false }
    // To protect again would bring the protection back that an erase of the screen has ended.
    guard !pen.isProtected || (protection != .none && isProtectionKnown) else { return false }
    if isWrapPending {
      guard isWrapColumn(column), !cell(row: row, column: column).isUnknown else { return false }
    }
    return !modes.contains(.origin) || margins.contains(cursor)
  }

  /// Whether the wrap is pending and the terminal has the cursor past the last column.
  var isPastLineEnd: Bool { isWrapPending && options.quirks.contains(.cursorPastLineEnd) }

  /// Whether a character that is printed there leaves the wrap pending.
  func isWrapColumn(_ column: Int) -> Bool { column == region.right || column == columns - 1 }

  /// The background that xterm falls back to is not the pen's.
  var hasHiddenBackground: Bool {
    options.quirks.contains(.remembersBackground) && penState.sentBackground != pen.style.background
  }

  /// Where the cursor is; always on the screen.
  package var cursor: Point { Point(row: row, column: column) }
  /// The scrolling region with its side margins.
  package var margins: Rect { region.rect }
  /// The program's synchronized update is open (`?2026`).
  package var isUpdating: Bool { modes.contains(.synchronizedUpdate) }
  /// Whether nothing is pending: a character or sequence may be injected here.
  package var isAtGround: Bool { pendingBytes == 0 }
  /// Whether a string is being read that was or would have been stopped at where it began (DCS, APC):
  /// its end changes cells without another stop, so nothing may be drawn before.
  package var isPastStop: Bool {
    switch parser.state {
    case .dcsString, .dcsIgnore: return isDrawnByString
    case .otherString: return parser.stringKind == .apc
    case .stringEscape:
      return parser.stringKind == .apc || (parser.stringKind == .dcs && isDrawnByString)
    default: return false
    }
  }
  /// The set of the next character alone (SS2: 2, SS3: 3), else 0.
  package var pendingSingleShift: Int { feeding.singleShift }
  /// What combining characters join, and REP would repeat unless SGR came since; clear if nothing.
  package var lastPrinted: Cell { printed.cell }

  /// The cell at a place, which must be on the screen.
  package func cell(row: Int, column: Int) -> Cell {
    precondition(row >= 0 && row < rows && column >= 0 && column < columns)
    let line = lines[lineIndex(row)]
    return column < Int(line.used) ? cells[line.start &+ column] : line.blank
  }

  /// Whether a line goes on in the next one (soft wrap).
  package func isWrapped(row: Int) -> Bool { lines[lineIndex(row)].isWrapped }

  /// The style with a cell's number. The number is valid as long as a cell, the pen or a saved pen of this screen has
  /// it.
  package func style(_ id: StyleID) -> Style { tables.styles[id.raw] }

  /// The scalars of a cell: one, or those of its cluster. A graphic of the DEC set is its Unicode
  /// counterpart only in `shownScalars`.
  package func scalars(of cell: Cell) -> [Unicode.Scalar] {
    guard cell.isCluster else { return [Unicode.Scalar(cell.scalarValue) ?? "\u{FFFD}"] }
    var result: [Unicode.Scalar] = []
    var number = UInt16(truncatingIfNeeded: cell.scalarValue)
    while result.count < Screen.clusterLimit {
      let link = tables.clusters[number]
      result.append(Unicode.Scalar(link.scalar) ?? "\u{FFFD}")
      guard link.followsCluster else {
        result.append(Unicode.Scalar(link.base) ?? "\u{FFFD}")
        break
      }
      number = UInt16(truncatingIfNeeded: link.base)
    }
    return result.reversed()
  }

  /// What a cell shows: its scalars, with a graphic of the DEC set as its Unicode counterpart.
  package func shownScalars(of cell: Cell) -> [Unicode.Scalar] {
    var scalars = scalars(of: cell)
    switch cell.characterSet {
    case .specialGraphics: scalars[0] = Screen.graphic(scalars[0].value)
    case .unitedKingdom: scalars[0] = graphicRight(scalars[0])
    default: break
    }
    return scalars
  }

  /// The text of a row, for tests and pictures: unknown cells are `?`, trailing blanks are cut.
  package func text(row: Int) -> String {
    var text = ""
    for column in 0..<columns {
      let cell = cell(row: row, column: column)
      if cell.isContinuation { continue }
      if cell.isUnknown {
        text.append("?")
        continue
      }
      for scalar in shownScalars(of: cell) { text.unicodeScalars.append(scalar) }
    }
    while text.last == " " { text.removeLast() }
    return text
  }

  /// A character of the British set.
  private func graphicRight(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    guard options.quirks.contains(.britishIsLatin1) else { return "£" }
    return Unicode.Scalar(scalar.value | 0x80) ?? scalar
  }

  /// The parameters and the address of a cell's link, as sent between `OSC 8 ;` and its end.
  package func link(_ number: UInt16) -> [UInt8] { tables.links[number] }

  /// The title (OSC 0, 2), cut to `titleLimit` bytes. Text from outside: clean it before it is shown.
  package var title: String {
    unsafe String(decoding: reported.title.prefix(reported.titleCount), as: UTF8.self)
  }
  package static let titleLimit = 1024

  /// Hands over the text of the own sequence that `feed` has just stopped at, without its prefix and
  /// its end; at most `ownLimit` bytes, the rest is cut. Valid until the next `feed`.
  package func withOwnSequence<Result>(_ body: (RawSpan) -> Result) -> Result {
    let bytes = unsafe UnsafeRawBufferPointer(parser.stringBytes(from: feeding.ownStart))
    return body(unsafe RawSpan(_unsafeBytes: bytes))
  }
  package static let ownLimit = Parser.stringLimit - ownPrefix.utf8CodeUnitCount
  static let ownPrefix: StaticString = "7337;perfhud;"

  /// Whether cells under the HUD were written or erased since `forgetDamage`.
  package var hasDamage: Bool { !damage.isEmpty }

  /// The columns of a row under the HUD that were written or erased since `forgetDamage`.
  package func damage(row: Int) -> Range<Int> { row >= 0 && row < rows ? damage[row] : 0..<0 }

  /// Forgets the damage, after it was repaired.
  package mutating func forgetDamage() { damage.removeAll(rows: rows) }

  /// The terminal has turned out to be of another kind than `Options` said.
  package mutating func setQuirks(_ quirks: TerminalQuirks) {
    options.quirks = quirks
    setStale()
    updateFastPath()
  }

  // MARK: Lines

  var rows: Int {
    @inline(__always) get { size.rows }
  }
  var columns: Int {
    @inline(__always) get { size.columns }
  }
  /// Whether the alternate screen shows.
  package var isAlternate: Bool { lines.isAlternate }

  @inline(__always) func lineIndex(_ row: Int) -> Int { lines.index(of: row) }

  /// Notes that cells have changed.
  @inline(__always) mutating func noteChange(_ row: Int, _ from: Int, _ to: Int) {
    if damage.watches(row) { damage.add(row, from, to, in: hudRegion) }
  }
}
