import Metrics
import PerfHUDBase
import Terminal

// The last row of a pane: what perfhud itself costs, and the keys that are most useful now.

/// The least columns of the cost, and the blank after it.
private let costWidth = 25

@Sendable func drawFooter(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let end = drawHints(&canvas, frame, context)
  var pen = RowPen(
    Rect(row: frame.row, column: frame.column, rows: 1, columns: end - frame.column))
  guard let row = context.row else { return }
  pen.text(Word.own.text(context.language), .dim, on: &canvas)
  if let own = row.ownCPUPercent.value {
    pen.text(NumberFormat.percent(own), .dim, on: &canvas)
  }
  pen.text(NumberFormat.bytes(Double(row.ownBytes)), .dim, gap: 1, on: &canvas)
  if let missed = row[.missedSamples].value, missed > 0 {
    pen.pair(Word.missed.text(context.language), NumberFormat.count(missed), on: &canvas)
  }
  let every = NumberFormat.interval(nanoseconds: context.state.interval)
  pen.pair(Word.interval.text(context.language), every, on: &canvas)
}

/// A key and its effect, as named in the last row.
private struct KeyHint {
  let word: Word
  /// If there is little room, the hints with the greatest rank are left out first.
  let rank: Int

  init(_ word: Word, _ rank: Int) {
    self.word = word
    self.rank = rank
  }

  /// From left to right: the keys of the focused part, and those that always apply.
  static let idle: InlineArray<5, KeyHint> = [
    KeyHint(.hintTabs, 2), KeyHint(.hintFocus, 3), KeyHint(.hintPause, 4), KeyHint(.quitHint, 1),
    KeyHint(.helpHint, 0),
  ]
  /// On another tab than the overview.
  static let page: InlineArray<6, KeyHint> = [
    KeyHint(.hintTabs, 2), KeyHint(.hintFocus, 4), KeyHint(.hintPause, 5), KeyHint(.backHint, 3),
    KeyHint(.quitHint, 1), KeyHint(.helpHint, 0),
  ]
  /// On the tab of processes: these keys need no focus.
  static let processTab: InlineArray<7, KeyHint> = [
    KeyHint(.hintTabs, 2), KeyHint(.hintOrder, 3), KeyHint(.hintTree, 4), KeyHint(.hintFocus, 5),
    KeyHint(.backHint, 6), KeyHint(.quitHint, 1), KeyHint(.helpHint, 0),
  ]
  static let list: InlineArray<5, KeyHint> = [
    KeyHint(.hintFind, 1), KeyHint(.hintFilter, 2), KeyHint(.backHint, 0), KeyHint(.quitHint, 3),
    KeyHint(.helpHint, 4),
  ]
  static let processes: InlineArray<5, KeyHint> = [
    KeyHint(.hintFind, 1), KeyHint(.hintSignal, 2), KeyHint(.hintOrder, 3), KeyHint(.backHint, 0),
    KeyHint(.helpHint, 4),
  ]
  static let graph: InlineArray<5, KeyHint> = [
    KeyHint(.hintCursor, 1), KeyHint(.hintZoom, 2), KeyHint(.backHint, 0), KeyHint(.quitHint, 3),
    KeyHint(.helpHint, 4),
  ]

  func width(_ context: DrawContext) -> Int {
    Canvas.width(text(context)) + (word == .hintTabs ? 4 : 0)
  }

  /// What the key does now.
  private func text(_ context: DrawContext) -> StaticString {
    let word: Word =
      word == .hintPause && context.state.frozen != nil ? .hintResume : word
    return word.text(context.language)
  }

  func draw(_ canvas: inout Canvas, row: Int, column: Int, _ context: DrawContext) -> Int {
    guard word != .hintTabs else {
      canvas.text("1-", row: row, column: column, role: .label)
      let last = Unicode.Scalar(UInt8(ascii: "0") + UInt8(PaneTab.allCases.count))
      canvas.put(last, row: row, column: column + 2, role: .label)
      return canvas.text(text(context), row: row, column: column + 4, role: .dim)
    }
    return drawKeys(&canvas, text(context), row: row, column: column)
  }
}

/// Draws hints, each a key and a last word for what it does, with two blanks between them; the keys stand out. Returns the
/// column after them.
private func drawKeys(
  _ canvas: inout Canvas, _ text: StaticString, row: Int, column: Int
) -> Int {
  var column = column
  var decoder = UTF8Decoder()
  let blank = UInt8(ascii: " ")
  for index in 0..<text.utf8CodeUnitCount {
    guard let scalar = unsafe decoder.feed(text.utf8Start[index]) else { continue }
    // A key has one more word after it in its hint.
    var next = index + 1
    while next < text.utf8CodeUnitCount, unsafe text.utf8Start[next] != blank { next += 1 }
    let hasWord: Bool
    if next + 1 < text.utf8CodeUnitCount {
      hasWord = unsafe text.utf8Start[next + 1] != blank
    } else {
      hasWord = false
    }
    let isKey = scalar != " " && hasWord
    column = canvas.character(scalar, row: row, column: column, role: isKey ? .label : .dim)
  }
  return column
}

/// The columns of the number of missed samples.
private func missedWidth(_ context: DrawContext) -> Int {
  guard let missed = context.row?[.missedSamples].value, missed > 0 else { return 0 }
  return 2 + Canvas.width(Word.missed.text(context.language)) + 1 + NumberFormat.count(missed).count
}

/// Draws as many keys at the right end as fit: first the one for help, which shows all others, or the way back.
///
/// - Returns: the column before which everything to the left of the keys has to end.
private func drawHints(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) -> Int {
  let state = context.state
  // What is being typed and the menu of signals have keys of their own.
  if state.isPromptFocused {
    let word = Word.hintTyping.text(context.language)
    let column = frame.endColumn - Canvas.width(word)
    guard state.isTypingInList, column >= frame.column + costWidth else { return frame.endColumn }
    _ = drawKeys(&canvas, word, row: frame.row, column: column)
    return column - 2
  }
  if state.isListFocused {
    let hints = state.page == .processes ? KeyHint.processes : KeyHint.list
    return draw(hints, &canvas, frame, context)
  }
  if state.graph.focus != nil { return draw(KeyHint.graph, &canvas, frame, context) }
  if state.view.tab == .processes { return draw(KeyHint.processTab, &canvas, frame, context) }
  if state.view.hasList { return draw(KeyHint.page, &canvas, frame, context) }
  return draw(KeyHint.idle, &canvas, frame, context)
}

private func draw<let count: Int>(
  _ hints: InlineArray<count, KeyHint>, _ canvas: inout Canvas, _ frame: Rect,
  _ context: DrawContext
) -> Int {
  let room = frame.columns - costWidth - missedWidth(context)
  var width = 0
  var shown = 0
  // The most important keys first. Stop at the first that does not fit, so that no key jumps to another's place.
  for rank in 0..<hints.count {
    var index = 0
    while hints[index].rank != rank { index += 1 }
    let more = hints[index].width(context) + (shown > 0 ? 2 : 0)
    guard width + more <= room else { break }
    width += more
    shown += 1
  }
  guard shown > 0 else { return frame.endColumn }
  var column = frame.endColumn - width
  for index in hints.indices where hints[index].rank < shown {
    column = hints[index].draw(&canvas, row: frame.row, column: column, context) + 2
  }
  return frame.endColumn - width - 1
}
