/// The screen model: what a program's output has put on the two screens of its terminal, and everything that is needed
/// to restore the terminal's state after something was drawn in between.
///
/// It does no I/O: it answers no queries and writes nothing. Cells are marked as unknown instead of being guessed: at
/// the start, and wherever the terminal may show something else.
///
/// Scrolling the whole screen moves no cells: lines are in a ring, and each line records up to where it has been
/// written, so an empty one costs nothing.
///
/// Source: ECMA-48; the DEC VT510 manual; XTerm Control Sequences. Where these leave a choice it follows xterm 379, and
/// `TerminalQuirks` for other terminals.
package struct Screen: ~Copyable {
  /// The greatest number of rows or columns; larger sizes are limited to it.
  package static let sizeLimit = 4096

  /// How a screen starts.
  package struct Options: Sendable {
    /// Whether the contents and the cursor are unknown at the start: a terminal that was in use before.
    package var startsUnknown = false
    /// Whether the terminal reads UTF-8. Otherwise it reads Latin-1, and 0x80–0x9F are C1 controls.
    package var isUTF8 = true
    package var quirks: TerminalQuirks = []

    package init() {}
  }

  private let pin = Pinned()

  // MARK: Both screens

  package private(set) var options: Options
  package internal(set) var size: Size
  /// The cells of both screens; each line records where its cells begin.
  var cells: UncheckedBuffer<Cell>
  var lines: LineRing
  var past: PastLines
  /// The cells to the right of the screen; empty if there are none.
  var hidden = UncheckedBuffer<Cell>(zeroed: 0)
  /// The primary screen before the size changed while the alternate one was shown.
  var suspended: ReflowGrid?
  /// Whether the suspended screen is shown again, in another size.
  var hasResumed = false
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
    let historyLimit = Screen.historyLimit(options.quirks)
    cells = UncheckedBuffer(zeroed: Screen.cellCount(size, historyLimit))
    lines = LineRing(
      size, historyLimit: historyLimit, mayGoOn: options.startsUnknown, blank: blank)
    past = PastLines(startsUnknown: options.startsUnknown)
    certainty.isCursorKnown = !options.startsUnknown
    updateFastPath()
  }

  /// The number of cells of both screens, with room after them for writing in blocks.
  static func cellCount(_ size: Size, _ historyLimit: Int) -> Int {
    (size.rows * 2 + historyLimit) * size.columns + UncheckedBuffer<Cell>.block
  }

  /// The number of lines above the screen that are kept.
  static func historyLimit(_ quirks: TerminalQuirks) -> Int {
    quirks.isDisjoint(with: [.rewrapsLines, .takesLinesBack]) ? 0 : 200
  }

  static func clamped(_ size: Size) -> Size {
    Size(
      rows: min(max(size.rows, 1), sizeLimit), columns: min(max(size.columns, 1), sizeLimit))
  }

  // MARK: Looking

  /// Whether this state of the terminal can be restored after something was drawn elsewhere: everything is known, and
  /// there are sequences that set it.
  ///
  /// There are no such sequences for: a wrap that is pending away from the margin (CBT and DECRC can cause this); a
  /// cursor outside the margins with DECOM (DECRC); a character set that is not modeled, or one in GR that is not
  /// ASCII; in xterm, a background that DECRC has restored, because SGR 7 and 27 use the one that was last sent; and a
  /// pen that still protects after DECSED has ended all protection.
  package var isRestorable: Bool {
    guard certainty.isComplete else { return false }
    guard characterSets[0] != .other, !hasHiddenBackground else { return false }
    // xterm reads characters beyond ASCII in the set of GR, so other characters would be painted.
    guard characterSets[characterSets.right] == .ascii else { return false }
    // Protecting again would bring back a protection that an erasure of the screen has ended.
    guard !pen.isProtected || (protection != .none && isProtectionKnown) else { return false }
    if isWrapPending {
      guard isWrapColumn(column), !cell(row: row, column: column).isUnknown else { return false }
    }
    return !modes.contains(.origin) || margins.contains(cursor)
  }

  /// Whether the wrap is pending on a terminal that has the cursor past the last column.
  var isPastLineEnd: Bool { isWrapPending && options.quirks.contains(.cursorPastLineEnd) }

  /// Whether a character printed in a column leaves the wrap pending.
  func isWrapColumn(_ column: Int) -> Bool { column == region.right || column == columns - 1 }

  /// Whether the background that xterm falls back to differs from the pen's.
  var hasHiddenBackground: Bool {
    options.quirks.contains(.remembersBackground) && penState.sentBackground != pen.style.background
  }

  /// The position of the cursor, which is always on the screen.
  package var cursor: Point { Point(row: row, column: column) }
  /// The scrolling region with its side margins.
  package var margins: Rect { region.rect }
  /// Whether the program's synchronized update is open (`?2026`).
  package var isUpdating: Bool { modes.contains(.synchronizedUpdate) }
  /// Whether nothing is pending: a character or sequence may be injected here.
  package var isAtGround: Bool { pendingBytes == 0 }
  /// Whether a string (DCS, APC) is being read that was stopped at its beginning, or would have been. Its end changes
  /// cells without another stop, so nothing may be drawn before it.
  package var isPastStop: Bool {
    switch parser.state {
    case .dcsString, .dcsIgnore: return isDrawnByString
    case .otherString: return parser.stringKind == .apc
    case .stringEscape:
      return parser.stringKind == .apc || (parser.stringKind == .dcs && isDrawnByString)
    default: return false
    }
  }
  /// The set for the next character only (SS2: 2, SS3: 3); otherwise 0.
  package var pendingSingleShift: Int { feeding.singleShift }
  /// The character that combining characters join, and that REP would repeat unless SGR came since; clear if there is
  /// none.
  package var lastPrinted: Cell { printed.cell }

  /// The cell at a position, which must be on the screen.
  package func cell(row: Int, column: Int) -> Cell {
    precondition(row >= 0 && row < rows && column >= 0 && column < columns)
    let line = lines[lineIndex(row)]
    return column < Int(line.used) ? cells[line.start &+ column] : line.blank
  }

  /// Whether a line continues in the next one (soft wrap).
  package func isWrapped(row: Int) -> Bool { lines[lineIndex(row)].isWrapped }

  /// The style with a number. The number is valid as long as a cell, the pen or a saved pen of this screen uses it.
  package func style(_ id: StyleID) -> Style { tables.styles[id.raw] }

  /// The scalars of a cell: one, or those of its cluster. A DEC special graphic is not translated; see `shownScalars`.
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

  /// What a cell shows: its scalars, with a DEC special graphic translated to Unicode.
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

  /// Translates a character of the British set.
  private func graphicRight(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    guard options.quirks.contains(.britishIsLatin1) else { return "£" }
    return Unicode.Scalar(scalar.value | 0x80) ?? scalar
  }

  /// The parameters and the address of a cell's link, as sent between `OSC 8 ;` and its end.
  package func link(_ number: UInt16) -> [UInt8] { tables.links[number] }

  /// The title (OSC 0, 2), truncated to `titleLimit` bytes. This is text from outside: clean it before it is shown.
  package var title: String {
    unsafe String(decoding: reported.title.prefix(reported.titleCount), as: UTF8.self)
  }
  package static let titleLimit = 1024

  /// Hands over the text of the own sequence that `feed` has just stopped at, without its prefix and its end, truncated
  /// to `ownLimit` bytes. Valid until the next `feed`.
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

  /// Forgets the damage after it has been repaired.
  package mutating func forgetDamage() { damage.removeAll(rows: rows) }

  /// Sets the quirks when the terminal turns out to be of another kind than `Options` said.
  package mutating func setQuirks(_ quirks: TerminalQuirks) {
    options.quirks = quirks
    keepHistory()
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
  /// Whether the alternate screen is shown.
  package var isAlternate: Bool { lines.isAlternate }

  @inline(__always) func lineIndex(_ row: Int) -> Int { lines.index(of: row) }

  /// Notes that cells have changed.
  @inline(__always) mutating func noteChange(_ row: Int, _ from: Int, _ to: Int) {
    if damage.watches(row) { damage.add(row, from, to, in: hudRegion) }
  }
}
