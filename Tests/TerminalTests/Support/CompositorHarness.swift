import PerfHUDBase

@testable import Terminal

extension Compositor {
  /// The rectangle around the HUD on the terminal, with a column on each side, where a wide character may be cut.
  var covered: Rect {
    let frame = painted.frame
    let left = max(0, frame.column - 1)
    return Rect(
      row: frame.row, column: left, rows: frame.rows,
      columns: min(screen.size.columns, frame.endColumn + 1) - left)
  }
}

/// A compositor over a model, and a second screen that plays the terminal.
final class Overlay {
  var compositor: Compositor
  var terminal: Screen
  var queue = OutputQueue()
  var now = Instant(nanoseconds: 1_000_000_000)
  /// Everything that went to the terminal.
  var sent: [UInt8] = []
  /// Everything that the program has written.
  var passed: [UInt8] = []

  /// - Parameter terminalQuirks: those of the played terminal, if it knows more than the overlay.
  init(
    rows: Int = 6, columns: Int = 20, quirks: TerminalQuirks = .xterm, isGhost: Bool = false,
    isUnknown: Bool = false, terminalQuirks: TerminalQuirks? = nil
  ) {
    var options = Screen.Options()
    options.quirks = terminalQuirks ?? quirks
    let size = Size(rows: rows, columns: columns)
    terminal = Screen(size, options: options)
    options.quirks = quirks
    options.startsUnknown = isUnknown
    compositor = Compositor(
      size: size, options: options,
      styles: [.plain, Style(foreground: .ansi(2), attributes: .bold)], isGhost: isGhost)
  }

  func pass(_ bytes: [UInt8], hasMore: Bool = false) {
    passed += bytes
    var from = 0
    while from < bytes.count {
      let count = min(Compositor.chunk, bytes.count - from)
      unsafe compositor.space.copyBytes(from: bytes[from..<from + count])
      compositor.pass(count, hasMore: hasMore, now: now, to: &queue)
      noteBlank()
      from += count
    }
    deliver()
  }

  func pass(_ text: String, hasMore: Bool = false) { pass(bytes(text), hasMore: hasMore) }

  /// The window takes another size, and the terminal carries its lines along as the model does.
  func resize(to size: Size) {
    terminal.resize(to: size, isKnown: true)
    compositor.resize(to: size, reflow: .known, now: now, to: &queue)
    deliver()
  }

  /// - Parameter isRead: else the terminal reads what is painted only with what comes next.
  func settle(isIdle: Bool = true, isRead: Bool = true) {
    now = now.advanced(byNanoseconds: 20_000_000)
    noteBlank()
    compositor.settle(now: now, isIdle: isIdle, to: &queue)
    if isRead { deliver() }
  }

  /// Somebody else has had the terminal.
  func forgetTerminal() {
    compositor.forgetTerminal(to: &queue)
    deliver()
  }

  func tellCursor(_ place: Point) {
    compositor.setCursor(place, now: now, to: &queue)
    deliver()
  }

  /// The window becomes taller, and the terminal shows lines of its history again.
  func grow(by rows: Int, history: Int) {
    let size = Size(rows: terminal.size.rows + rows, columns: terminal.size.columns)
    terminal.resize(to: size, isKnown: true)
    terminal.takeBackLines(
      history, cursor: Point(row: terminal.cursor.row + history, column: terminal.cursor.column))
    compositor.resize(to: size, reflow: .mayMoveDown, now: now, to: &queue)
    deliver()
  }

  func text(_ row: Int) -> String { terminal.text(row: row - 1) }

  /// What waits in the queue reaches the terminal.
  func deliver() {
    let output = queue.bytes
    sent += output
    queue.removeAll()
    var from = 0
    while from < output.count {
      from = unsafe terminal.feed(output.span.bytes, from: from).resume
    }
  }

  /// A wrap that is pending on a blank is restored by a space: the cell counts as written then.
  var hasWrittenBlank = false
  func noteBlank() {
    let cursor = compositor.screen.cursor
    let cell = compositor.screen.cell(row: cursor.row, column: cursor.column)
    if compositor.screen.isWrapPending, cell.isErased { hasWrittenBlank = true }
  }

  func show(_ rectangle: Rect, text: String = "#") {
    var grid = CellGrid(Size(rows: rectangle.rows, columns: rectangle.columns))
    let scalars = Array(text.unicodeScalars)
    for row in 0..<rectangle.rows {
      for column in 0..<rectangle.columns {
        let scalar = scalars[(row * rectangle.columns + column) % scalars.count]
        grid[row, column] = Cell(scalar, style: StyleID(1))
      }
    }
    compositor.show(grid, at: rectangle)
  }

  func line(_ row: Int) -> String { terminal.text(row: row - 1) }
  var isPainted: Bool { compositor.isPainted }
  var lateErases: Int { compositor.lateErases }
  var cursor: Point { terminal.cursor }
  var style: Style { terminal.pen.style }
  var isUpdating: Bool { terminal.isUpdating }
  var ownSequences: Int { compositor.ownSequences }
  var canPlaceStart: Bool { compositor.canPlaceStart }
  var isModelCursorKnown: Bool { compositor.screen.isCursorKnown }
  func modelLine(_ row: Int) -> String { compositor.screen.text(row: row - 1) }

  /// What differs between the model and the terminal.
  func modelDifference() -> String? {
    firstDifference(
      compositor.screen, terminal, mask: isPainted ? compositor.covered : nil,
      ignoresErased: hasWrittenBlank)
  }
  func takeOwnSequences() -> [String] {
    var lines: [String] = []
    compositor.takeOwnSequences { line in
      var bytes: [UInt8] = []
      for index in 0..<line.byteCount { bytes.append(FieldCursor.byte(at: index, in: line)) }
      lines.append(String(decoding: bytes, as: UTF8.self))
    }
    return lines
  }
  var text: String { String(decoding: sent, as: UTF8.self) }

  /// What differs from the bare terminal after the same bytes.
  func difference(_ input: [UInt8], quirks: TerminalQuirks = .xterm, mask: Rect? = nil) -> String? {
    let bare = bareScreen(input, quirks: quirks)
    return firstDifference(bare, terminal, mask: mask, ignoresErased: hasWrittenBlank)
  }
}

extension String {
  /// With spaces after it.
  func padding(to columns: Int) -> String {
    let text = prefix(columns)
    return text + String(repeating: " ", count: columns - text.count)
  }
}

/// What differs between two screens, first difference first; nothing within `mask`.
func firstDifference(
  _ a: borrowing Screen, _ b: borrowing Screen, mask: Rect?, ignoresErased: Bool = false
) -> String? {
  func state(_ screen: borrowing Screen) -> [String] {
    var modes = screen.modes
    modes.remove(.synchronizedUpdate)
    return [
      "cursor \(screen.cursor)", "wrap \(screen.isWrapPending)", "pen \(screen.pen.style)",
      "protected \(screen.pen.isProtected)", "link \(screen.link(screen.pen.link))",
      "modes \(modes)", "margins \(screen.margins)", "protection \(screen.protection)",
      "sets \(screen.characterSets)", "alternate \(screen.isAlternate)", "title \(screen.title)",
    ]
  }
  // After an image nobody knows where the cursor is.
  guard a.isCursorKnown, b.isCursorKnown else { return nil }
  for (x, y) in zip(state(a), state(b)) where x != y { return "\(x) / \(y)" }
  for row in 0..<a.size.rows {
    for column in 0..<a.size.columns {
      if let mask, mask.contains(Point(row: row, column: column)) { continue }
      let x = a.cell(row: row, column: column)
      let y = b.cell(row: row, column: column)
      if x.isUnknown || y.isUnknown { continue }
      let isSame =
        a.scalars(of: x) == b.scalars(of: y) && x.width == y.width
        && x.isContinuation == y.isContinuation
        && (x.isErased == y.isErased || ignoresErased)
        && x.isProtected == y.isProtected && x.characterSet == y.characterSet
        && a.style(x.style) == b.style(y.style) && a.link(x.link) == b.link(y.link)
      if !isSame { return "cell \(row + 1), \(column + 1): \(x) / \(y)" }
    }
  }
  return nil
}

private func bareScreen(
  _ input: [UInt8], quirks: TerminalQuirks = .xterm, rows: Int = 6, columns: Int = 20
) -> Screen {
  var options = Screen.Options()
  options.quirks = quirks
  var screen = Screen(Size(rows: rows, columns: columns), options: options)
  var from = 0
  while from < input.count { from = unsafe screen.feed(input.span.bytes, from: from).resume }
  return screen
}
