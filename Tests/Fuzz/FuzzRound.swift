import PerfHUDBase
import Terminal

/// One input on one kind and size of terminal, all of it made from the seed and the number.
struct FuzzRound {
  var numbers: SeededRandom
  let input: [UInt8]
  let size: Size
  var options = Screen.Options()

  /// How many of what reads bytes each round feeds with all of its bytes: a screen as a whole, one in
  /// pieces, the compositor without a HUD, and with one; keys, events, events by the ways they come, and recordings.
  static let targets = 8

  init(seed: UInt64, number: UInt64, corpus: Corpus) {
    unsafe Failure.seed = seed
    unsafe Failure.round = number
    unsafe Failure.offset = 0
    numbers = SeededRandom(seed: seed &* 0x1_0000_0001 &+ number &* 0xA24B_AED4_963E_E407)
    input = corpus.makeInput(&numbers)
    size = Size(rows: numbers.pick(1...30), columns: numbers.pick(1...100))
    options.quirks = [.xterm, .tmux, [], .noSideMargins, .laterXterm][numbers.pick(0...4)]
    options.isUTF8 = numbers.pick(0...7) > 0
    options.startsUnknown = numbers.pick(0...3) == 0
  }

  /// Plays it; returns how many bytes were fed.
  func run(_ ways: EventWays) -> Int {
    var round = self
    round.playScreen()
    round.playHidden()
    round.playCompositor()
    round.playKeys()
    round.playEvents()
    round.playWays(ways)
    round.playRecordings()
    return input.count * FuzzRound.targets
  }

  /// Where the next piece ends.
  mutating func cut(_ from: Int) -> Int {
    min(
      input.count, from + (numbers.pick(0...3) == 0 ? numbers.pick(1...2000) : numbers.pick(1...12))
    )
  }

  // MARK: Screen

  /// One piece against random pieces.
  private mutating func playScreen() {
    var whole = Screen(size, options: options)
    var from = 0
    while from < input.count {
      from = unsafe whole.feed(input.span.bytes, from: from).resume
      unsafe Failure.offset = from
    }
    var pieces = Screen(size, options: options)
    from = 0
    while from < input.count {
      let end = cut(from)
      unsafe Failure.offset = from
      let piece = Array(input[from..<end])
      var index = 0
      while index < piece.count { index = unsafe pieces.feed(piece.span.bytes, from: index).resume }
      from = end
    }
    check(pieces)
    if let text = difference(whole, pieces) { Failure.fail("in pieces: \(text)") }
  }

  private func check(_ screen: borrowing Screen) {
    let cursor = screen.cursor
    guard (0..<screen.size.rows).contains(cursor.row),
      (0..<screen.size.columns).contains(cursor.column)
    else { Failure.fail("the cursor is at \(cursor)") }
    for row in 0..<screen.size.rows {
      var isWide = false
      for column in 0..<screen.size.columns {
        let cell = screen.cell(row: row, column: column)
        guard cell.isContinuation == isWide else {
          Failure.fail("half a wide character at \(row), \(column)")
        }
        isWide = cell.width == 2
        _ = screen.scalars(of: cell)
      }
      if isWide { Failure.fail("half a wide character at the end of row \(row)") }
    }
  }

  private func difference(_ a: borrowing Screen, _ b: borrowing Screen) -> String? {
    if a.cursor != b.cursor { return "cursor \(a.cursor), \(b.cursor)" }
    if a.isWrapPending != b.isWrapPending { return "wrap" }
    if a.pen.style != b.pen.style { return "pen \(a.pen.style), \(b.pen.style)" }
    if a.modes != b.modes { return "modes \(a.modes), \(b.modes)" }
    if a.margins != b.margins { return "margins \(a.margins), \(b.margins)" }
    if a.characterSets != b.characterSets { return "sets" }
    if a.isCursorKnown != b.isCursorKnown { return "whether the cursor is known" }
    for row in 0..<a.size.rows {
      for column in 0..<a.size.columns {
        let x = a.cell(row: row, column: column)
        let y = b.cell(row: row, column: column)
        let isSame =
          x.isUnknown == y.isUnknown && x.width == y.width
          && a.scalars(of: x) == b.scalars(of: y) && a.style(x.style) == b.style(y.style)
          && x.isErased == y.isErased && x.isProtected == y.isProtected
        if !isSame { return "cell \(row), \(column): \(x), \(y)" }
      }
    }
    return nil
  }

  // MARK: Compositor

  /// Without a HUD the bytes pass as they are, but for perfhud's own sequences.
  private mutating func playHidden() {
    var compositor = Compositor(size: size, options: options, styles: [.plain])
    if numbers.pick(0...1) == 0 { compositor.leastPassthrough = 1 }
    var queue = OutputQueue()
    let now = Instant(nanoseconds: 1)
    var from = 0
    while from < input.count {
      let end = cut(from)
      unsafe Failure.offset = from
      unsafe compositor.space.copyBytes(from: input[from..<end])
      compositor.pass(end - from, now: now, to: &queue)
      from = end
    }
    compositor.release(now: now, to: &queue)
    if compositor.ownSequences == 0, queue.bytes != input { Failure.fail("not passed verbatim") }
  }

  /// With a HUD that comes, changes and goes, on a terminal that is a second screen.
  private mutating func playCompositor() {
    var compositor = Compositor(
      size: size, options: options, styles: [.plain, Style(attributes: .bold)],
      isGhost: numbers.pick(0...3) == 0)
    compositor.hasSynchronizedUpdates = numbers.pick(0...1) == 0
    if numbers.pick(0...1) == 0 { compositor.leastPassthrough = 1 }
    compositor.joinsUpdates = numbers.pick(0...1) == 0
    var queue = OutputQueue()
    var terminalOptions = options
    terminalOptions.startsUnknown = false
    var terminal = Screen(size, options: terminalOptions)
    var now = Instant(nanoseconds: 1_000_000_000)
    if options.startsUnknown {
      compositor.setCursor(Point(row: 0, column: 0), now: now, to: &queue)
    }
    var from = 0
    while from < input.count {
      let end = cut(from)
      unsafe Failure.offset = from
      unsafe compositor.space.copyBytes(from: input[from..<end])
      let hasMore = numbers.pick(0...1) == 0
      compositor.pass(end - from, hasMore: hasMore, now: now, to: &queue)
      from = end
      now = now.advanced(byNanoseconds: Int64(numbers.pick(0...20)) * 1_000_000)
      switch numbers.pick(0...9) {
      case 0: compositor.hide()
      case 1: show(&compositor)
      case 2: showWindows(&compositor)
      case 3: compositor.invalidateHUD()
      case 4 where numbers.pick(0...40) == 0:
        let new = Size(rows: numbers.pick(1...30), columns: numbers.pick(1...100))
        let reflows: [Compositor.Reflow] = [.known, .mayMoveDown, .unknown]
        compositor.resize(to: new, reflow: reflows[numbers.pick(0...2)], now: now, to: &queue)
        terminal.resize(to: new, isKnown: true)
        if numbers.pick(0...1) == 0 {
          let cursor = Point(
            row: numbers.pick(0...new.rows), column: numbers.pick(0...new.columns))
          compositor.setCursor(cursor, now: now, to: &queue)
        }
      default: break
      }
      compositor.settle(now: now, isIdle: numbers.pick(0...1) == 0, to: &queue)
      deliver(&queue, to: &terminal)
    }
    compositor.release(now: now, to: &queue)
    deliver(&queue, to: &terminal)
    check(compositor.screen)
    check(terminal)
  }

  private mutating func show(_ compositor: inout Compositor) {
    let screen = compositor.screen.size
    guard screen.columns > 1 else { return }
    let columns = numbers.pick(1...min(40, screen.columns - 1))
    let rows = numbers.pick(1...min(9, screen.rows))
    var grid = CellGrid(Size(rows: rows, columns: columns))
    for row in 0..<rows {
      for column in 0..<columns where numbers.pick(0...9) > 0 {
        let scalar = Unicode.Scalar(UInt8(numbers.pick(0x21...0x7E)))
        grid[row, column] = Cell(scalar, style: StyleID(UInt16(numbers.pick(0...1))))
      }
    }
    let place = Rect(
      row: numbers.pick(0...screen.rows - rows),
      column: numbers.pick(0...screen.columns - 1 - columns), rows: rows, columns: columns)
    compositor.show(grid, at: place)
  }

  /// Several windows at once, which may lie over one another and reach beyond the screen's last rows.
  private mutating func showWindows(_ compositor: inout Compositor) {
    let screen = compositor.screen.size
    guard screen.columns > 1 else { return }
    var parts = RectList()
    for _ in 0..<numbers.pick(1...RectList.capacity + 2) {
      let columns = numbers.pick(1...min(30, screen.columns - 1))
      let rows = numbers.pick(1...min(7, screen.rows))
      parts.add(
        Rect(
          row: numbers.pick(0...screen.rows - rows),
          column: numbers.pick(0...screen.columns - 1 - columns), rows: rows, columns: columns))
    }
    let area = parts.bounds
    var grid = CellGrid(Size(rows: area.rows, columns: area.columns))
    for row in 0..<area.rows {
      for column in 0..<area.columns
      where parts.contains(Point(row: area.row + row, column: area.column + column))
        && numbers.pick(0...9) > 0
      {
        let scalar = Unicode.Scalar(UInt8(numbers.pick(0x21...0x7E)))
        grid[row, column] = Cell(scalar, style: StyleID(UInt16(numbers.pick(0...1))))
      }
    }
    compositor.show(grid, parts: parts, at: area)
  }

  private func deliver(_ queue: inout OutputQueue, to terminal: inout Screen) {
    let output = queue.bytes
    queue.removeAll()
    var from = 0
    while from < output.count { from = unsafe terminal.feed(output.span.bytes, from: from).resume }
  }

  // MARK: Keys

  /// Each byte is in one token.
  private mutating func playKeys() {
    var decoder = InputDecoder()
    var now = Instant(nanoseconds: 1)
    var told = 0
    var from = 0
    while from < input.count {
      let end = cut(from)
      unsafe Failure.offset = from
      let piece = Array(input[from..<end])
      unsafe decoder.feed(piece.span.bytes, at: now) { (_: InputEvent, token: RawSpan) in
        told += token.byteCount
      }
      from = end
      now = now.advanced(byNanoseconds: Int64(numbers.pick(0...40)) * 1_000_000)
      decoder.resolve(now: now) { (_: InputEvent, token: RawSpan) in told += token.byteCount }
      // What was too long to be kept is not handed over.
      if told + decoder.pendingCount > from { Failure.fail("\(told) bytes of \(from) told") }
    }
  }
}
